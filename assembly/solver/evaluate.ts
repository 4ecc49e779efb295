import { narrowRow, numTrue, Problem, trueBack, trueFirst, widenRow } from "../data/problem";
import { addBlockInFloat64, hasKernel, tileWeights } from "../data/products";
import { prepareRoughScores, takes16Bits } from "../data/roughScores";
import { round } from "../linalg/rankOne";
import { BLOCK_SIZE, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { negate } from "../linalg/vectors";
import { projectDual, repair } from "../loss/loss";
import { restoreSet } from "../loss/multilabel";
import { assessesRoughly, scoresTwice } from "./assess";
import { checkList } from "./lists";

/**
 * The certificate, in three steps, each row by row in the order of the examples so that slicing changes no bit:
 *   1. `rebuild`: repair each row of A into its domain and accumulate W64 = A^T X in float64;
 *   2. `settle`: round W0 + W64 to the storage precision, which is the W that the model returns, and take the norms;
 *   3. `evaluate`, in assess.ts: primal loss at that W, dual loss at that A, and each example's gap term.
 * Then P = sums[0] + sums[2]/2 and D = sums[1] - sums[4] - sums[3]/2. With a kernel, where W64 = A^T K is the scores, step 3 takes
 * the norm too: ||A^T X||^2 = sum_i <a_i, W x_i>.
 */

/** Starts an evaluation: the sums are zeroed, and before a certificate W64 is. */
export function clear(problem: Problem, certify: bool): void {
  memory.fill(problem.sums, 0, 48);
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
    if (repair<T>(problem.loss, rowPtr, m, y, at<f64>(problem.C, i))) narrowRow<T>(rowPtr, m, aPtr);
    else put<T>(aPtr, y, <T>at<f64>(rowPtr, y));
    checkList<T>(problem, i, aPtr);
    return;
  }
  restoreOnSet(problem, i, rowPtr, sizeof<T>() == 4);
  narrowRow<T>(rowPtr, m, aPtr);
}

/**
 * Takes dual variables from elsewhere (another C, another loss) to the nearest point of the domain, row by row, for the
 * examples [from, from + count). To be followed by steps 1 and 2, which give W.
 */
export function project<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  for (let i = from; i < from + count; ++i) {
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    widenRow<T>(aPtr, m, problem.row);
    if (problem.sets == 0) projectDual(problem.loss, problem.row, m, at<i32>(problem.y, i), at<f64>(problem.C, i));
    else restoreOnSet(problem, i, problem.row, sizeof<T>() == 4);
    narrowRow<T>(problem.row, m, aPtr);
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
  prepareScores<T>(problem, scoresTwice<T>(problem));
}

/** Makes W ready for the scores of step 3, which may be taken roughly first. Where W64 was is room for that. */
function prepareScores<T>(problem: Problem, roughly: bool): void {
  const rounded = roughly && takes16Bits(problem);
  if (problem.skipsZeros && !rounded) tileWeights<T>(problem);
  if (roughly) prepareRoughScores<T>(problem, rounded);
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
  prepareScores<T>(problem, assessesRoughly<T>(problem));
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
