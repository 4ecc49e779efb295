import { numTrue, Problem, readRow, trueBack, trueFirst, widenRow } from "../data/problem";
import { addBlockInFloat64, hasKernel, scoresOfExamples, tileWeights } from "../data/products";
import { round } from "../linalg/rankOne";
import { BLOCK_SIZE, squaredNorm } from "../linalg/scores";
import { at, madd, put, sumLanes } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { negate } from "../linalg/vectors";
import { dependsOnLargest, dualLoss, isOneVsAll, lossOfMargins, primalLoss, projectDual, repair } from "../loss/loss";
import { dualLossSet, lossOfSet, restoreSet } from "../loss/multilabel";
import { listCandidates, listOf } from "./candidates";

/**
 * The certificate, in three steps, each row by row in the order of the examples so that slicing changes no bit:
 *   1. `rebuild`: repair each row of A into its domain and accumulate W64 = A^T X in float64;
 *   2. `settle`: round W0 + W64 to the storage precision, which is the W that the model returns, and take the norms;
 *   3. `evaluate`: primal loss at that W, dual loss at that A, and each example's gap term.
 * Then P = sums[0] + sums[2]/2 and D = sums[1] - sums[4] - sums[3]/2. With a kernel, where W64 = A^T K is the scores, step 3 takes
 * the norm too: ||A^T X||^2 = sum_i <a_i, W x_i>.
 */

/** Starts an evaluation: the sums are zeroed, and before a certificate W64 is. */
export function clear(problem: Problem, certify: bool): void {
  memory.fill(problem.sums, 0, 40);
  if (certify) memory.fill(problem.W64, 0, <usize>problem.sizeW << 3);
}

/** Step 1 for the examples [from, from + count). */
export function rebuild<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const duals = problem.blockScores;
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    for (let e = 0; e < size; ++e) {
      const row = duals + (<usize>(e * ld) << 3);
      repairRow<T>(problem, first + e, row);
      for (let j = m; j < ld; ++j) put<f64>(row, j, 0);
    }
    addBlockInFloat64<T>(problem, first, size, duals);
  }
}

/** Repairs row i of A, and widens it to rowPtr: f64[m]. */
function repairRow<T>(problem: Problem, i: i32, rowPtr: usize): void {
  const m = problem.m;
  const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
  widenRow<T>(aPtr, m, rowPtr);
  if (problem.sets == 0) {
    const y = at<i32>(problem.y, i);
    if (!repair<T>(problem.loss, rowPtr, m, y, at<f64>(problem.C, i))) {
      put<T>(aPtr, y, <T>at<f64>(rowPtr, y));
      return;
    }
  } else restoreOnSet(problem, i, rowPtr, sizeof<T>() == 4);
  for (let j = 0; j < m; ++j) put<T>(aPtr, j, <T>at<f64>(rowPtr, j));
}

/**
 * Takes dual variables from elsewhere (another C, another loss) to the nearest point of the domain, row by row, for the
 * examples [from, from + count). To be followed by steps 1 and 2, which give W.
 */
export function project<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  for (let i = from; i < from + count; ++i) {
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    for (let j = 0; j < m; ++j) put<f64>(problem.row, j, <f64>at<T>(aPtr, j));
    if (problem.sets == 0) projectDual(problem.loss, problem.row, m, at<i32>(problem.y, i), at<f64>(problem.C, i));
    else restoreOnSet(problem, i, problem.row, sizeof<T>() == 4);
    for (let j = 0; j < m; ++j) put<T>(aPtr, j, <T>at<f64>(problem.row, j));
  }
}

/** Brings the row of example i, which has a set of classes, into the domain. rowPtr: f64[m], in place. */
function restoreOnSet(problem: Problem, i: i32, rowPtr: usize, single: bool): void {
  const t = numTrue(problem, i);
  const n = problem.m - t;
  const others = rowPtr + (<usize>t << 3);
  trueFirst(problem, i, rowPtr);
  negate(others, n);
  restoreSet(problem.loss, rowPtr, t, n, at<f64>(problem.C, i), single);
  negate(others, n);
  trueBack(problem, i, rowPtr);
}

/** Step 2. */
export function settle<T>(problem: Problem): void {
  const size = problem.sizeW;
  if (hasKernel(problem)) {
    round<T>(problem.W64, problem.W, size);
    return;
  }
  put<f64>(problem.sums, 3, squaredNorm<f64>(problem.W64, size));
  if (problem.W0 == 0) {
    round<T>(problem.W64, problem.W, size);
    put<f64>(problem.sums, 2, squaredNorm<T>(problem.W, size));
  } else {
    settleAround<T>(problem, size);
  }
  if (problem.skipsZeros) tileWeights<T>(problem);
}

/** Step 2 with a proximal centre. */
function settleAround<T>(problem: Problem, size: i32): void {
  let inner: f64 = 0;
  let distance2: f64 = 0;
  for (let l = 0; l < size; ++l) {
    const centre = at<f64>(problem.W0, l);
    const z = at<f64>(problem.W64, l);
    const w = <T>(centre + z);
    put<T>(problem.W, l, w);
    inner += centre * z;
    distance2 += (<f64>w - centre) * (<f64>w - centre);
  }
  put<f64>(problem.sums, 2, distance2);
  put<f64>(problem.sums, 4, inner);
}

/**
 * Instead of steps 1 and 2, for an estimate on the way: the norms of W as the sweeps have carried it along, as if it were
 * W0 + A^T X with A feasible, which it is but for rounding.
 */
export function measure<T>(problem: Problem): void {
  if (hasKernel(problem)) return;
  takeNorms<T>(problem);
  if (problem.skipsZeros) tileWeights<T>(problem);
}

function takeNorms<T>(problem: Problem): void {
  const size = problem.sizeW;
  let norm2: f64 = 0;
  let inner: f64 = 0;
  if (problem.W0 == 0) {
    norm2 = squaredNorm<T>(problem.W, size);
  } else {
    for (let l = 0; l < size; ++l) {
      const centre = at<f64>(problem.W0, l);
      const z = <f64>at<T>(problem.W, l) - centre;
      norm2 += z * z;
      inner += centre * z;
    }
  }
  put<f64>(problem.sums, 2, norm2);
  put<f64>(problem.sums, 3, norm2);
  put<f64>(problem.sums, 4, inner);
}

/** What D takes off the dual losses, <A^T X, W0> + 1/2 ||A^T X||^2, by W as the sweeps have carried it along. */
export function penalty<T>(problem: Problem): f64 {
  if (!hasKernel(problem)) {
    takeNorms<T>(problem);
    return at<f64>(problem.sums, 4) + 0.5 * at<f64>(problem.sums, 3);
  }
  let product: f64 = 0;
  for (let i = 0; i < problem.n; ++i) {
    for (let j = 0; j < problem.m; ++j) {
      const a = <f64>at<T>(problem.A, i * problem.m + j);
      if (a != 0) product += a * <f64>at<T>(problem.W, j * problem.ld + i);
    }
  }
  return 0.5 * product;
}

/**
 * Step 3 for the examples [from, from + count), with scores accumulated in S: float64 for a certificate, T for an estimate.
 */
export function evaluate<T, S>(problem: Problem, from: i32, count: i32): void {
  const ld = tiledClasses(problem.m);
  const end = from + count;
  // Of scores closer to each other than a part in 2^30 a list may hold the wrong ones: nothing in float32, too much in float64.
  const onLists = sizeof<T>() == 4 && problem.sets == 0 && problem.extra > 0 && dependsOnLargest(problem.loss);
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<T, S>(problem, first, size, problem.blockScores);
    for (let e = 0; e < size; ++e) {
      const u = problem.blockScores + (<usize>(e * ld) << 3);
      const i = first + e;
      if (onLists && assessOnList<T>(problem, i, u)) continue;
      if (problem.sets == 0) assess<T, S>(problem, i, u);
      else assessOnSet<T, S>(problem, i, u);
      listCandidates<T>(problem, i, u);
    }
  }
}

/**
 * Adds example i with scores uPtr: f64[m] to the sums, and notes its gap term
 *     C_i L(W x_i) + C_i L*(-a_i/C_i) + <a_i, W x_i>  >= 0   (Fenchel and Young).
 * The terms add up to P - D up to ||W - W0 - A^T X||^2 / 2, the rounding of W: what is left to gain sits where they are large.
 */
function assess<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  const m = problem.m;
  const loss = problem.loss;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
  // The true class of a margin loss holds minus the sum of the others, which T may have rounded, so that <a, u> is a sum over
  // the others' margins; these also cancel less.
  const separate = isOneVsAll(loss);
  const own = separate ? 0 : at<f64>(uPtr, y);
  const ownDual = <f64>at<T>(aPtr, y);
  let n = 0;
  let linear: f64 = separate ? ownDual * at<f64>(uPtr, y) : 0; // <a_i, W x_i>
  for (let j = 0; j < m; ++j) {
    const a = <f64>at<T>(aPtr, j);
    if (a == 0 || j == y) continue;
    linear += a * (at<f64>(uPtr, j) - own);
    put<f64>(x, n++, -a);
  }
  addTerms(problem, i, C * primalLoss<S>(loss, uPtr, m, y, 0), dualLoss<S>(loss, x, n, ownDual, C), linear);
}

/**
 * The same where all that counts are the largest scores and the classes with dual variables: the candidates, which are listed on the
 * way. False if there are too many for a list.
 */
function assessOnList<T>(problem: Problem, i: i32, uPtr: usize): bool {
  const y = at<i32>(problem.y, i);
  const own = at<f64>(uPtr, y);
  listCandidates<T>(problem, i, uPtr);
  const n = at<i32>(problem.listed, i);
  if (n == 0) {
    put<f64>(uPtr, y, own);
    return false;
  }
  const list = listOf(problem, i);
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  const u = problem.scores;
  const aPtr = problem.A + ((<usize>i * <usize>problem.m) << alignof<T>());
  let linear: f64 = 0;
  for (let c = 0; c < n; ++c) {
    const j = at<i32>(list, c);
    const a = <f64>at<T>(aPtr, j);
    const margin = at<f64>(uPtr, j) - own;
    linear += a * margin;
    put<f64>(x, c, -a);
    put<f64>(u, c, margin);
  }
  const dualTerm = dualLoss<T>(problem.loss, x, n, <f64>at<T>(aPtr, y), C);
  addTerms(problem, i, C * lossOfMargins(problem.loss, u, n), dualTerm, linear);
  return true;
}

/** The same where example i has a set of classes. */
function assessOnSet<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  const m = problem.m;
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  const u = problem.scores;
  const t = numTrue(problem, i);
  readRow<T>(problem.A + ((<usize>i * <usize>m) << alignof<T>()), m, x);
  memory.copy(u, uPtr, <usize>m << 3);
  trueFirst(problem, i, x);
  trueFirst(problem, i, u);
  // The first true class of a loss that is not one-vs-all holds minus the sum of the others.
  const separate = isOneVsAll(loss);
  const own = separate || t == 0 ? 0 : at<f64>(u, 0);
  let linear = f64x2.splat(0);
  let j = separate || t == 0 ? 0 : 1;
  for (; j + 2 <= m; j += 2) {
    const place = <usize>j << 3;
    linear = madd<f64>(v128.load(x + place), f64x2.sub(v128.load(u + place), f64x2.splat(own)), linear);
  }
  let product = sumLanes<f64>(linear);
  if (j < m) product += at<f64>(x, j) * (at<f64>(u, j) - own);
  negate(x, t);
  const primalTerm = C * lossOfSet<S>(loss, u, t, m - t, 0);
  addTerms(problem, i, primalTerm, dualLossSet<S>(loss, x, t, m - t, C), -product);
}

function addTerms(problem: Problem, i: i32, primalTerm: f64, dualTerm: f64, linear: f64): void {
  put<f64>(problem.sums, 0, at<f64>(problem.sums, 0) + primalTerm);
  put<f64>(problem.sums, 1, at<f64>(problem.sums, 1) + dualTerm);
  put<f64>(problem.gaps, i, Math.max(primalTerm - dualTerm + linear, 0));
  if (!hasKernel(problem)) return;
  put<f64>(problem.sums, 2, at<f64>(problem.sums, 2) + linear);
  put<f64>(problem.sums, 3, at<f64>(problem.sums, 3) + linear);
}
