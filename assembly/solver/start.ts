import { addBlockInFloat64 } from "../data/block";
import { addEntries, beginEntries, endEntries } from "../data/entries";
import { hasKernel, listsHoldDuals, numTrue, Problem, truthOf } from "../data/problem";
import { ANCHOR_PRODUCT, DUAL_WEIGHTS_NORM2 } from "../data/sums";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { placeInTiles, tiledClasses } from "../linalg/sparse";
import { ENTROPY } from "../loss/parameters";
import { rowOfA } from "./lists";

/**
 * Where the first steps begin. Every example, Y its true classes and t = |Y|, divides its shares between those and all
 * classes alike:
 *     shares (1 - alpha)/t on Y + alpha/m everywhere,     a_i = alpha C_i (1_Y/t - 1/m),
 * which costs one pass over the features, whatever m, since then A^T X = alpha Z with rows
 *     z_j = s_j - mean of all s,     s_j = sum of C_i/t x_i over the examples of class j.
 *
 *   1. after `clear(true)`, `gather`: W64 = S;   2. `measureSums`: DUAL_WEIGHTS_NORM2 = ||Z||^2, ANCHOR_PRODUCT = <Z, W0>, and of an entropy loss W64 = Z;
 *   3. once alpha is chosen, `spread`: A;   4. `scaleSums`: W64 = alpha times itself, and `settle` makes W of it.
 *
 * Hinge losses look at differences of scores alone: there a_i stands as alpha C_i 1_Y/t and W as alpha S, which is the
 * same but for what all classes have in common. So dual variables stay sparse, and the first step of an example, which
 * takes that a_i away, changes as few rows of W as any other. Once every example has been visited A is feasible and W =
 * A^T X; where a pass ends before, a certificate takes what is left for zeros.
 */

/** C_i/t, or 0 where example i has no true class or no other. */
// @ts-ignore: decorator
@inline
function part(problem: Problem, i: i32): f64 {
  const t = numTrue(problem, i);
  return t == 0 || t == problem.m ? 0 : at<f64>(problem.C, i) / <f64>t;
}

/** Step 1 for the examples [from, from + count). */
export function gather<T>(problem: Problem, from: i32, count: i32): void {
  const end = from + count;
  if (!problem.sparse && !hasKernel(problem)) {
    beginEntries(problem);
    for (let i = from; i < end; ++i) {
      const t = numTrue(problem, i);
      for (let c = 0; c < t; ++c) put<f64>(problem.row, c, part(problem, i));
      addEntries<T>(problem, i, t, truthOf(problem, i), problem.row);
    }
    endEntries<T>(problem);
    return;
  }
  const ld = tiledClasses(problem.m);
  const rows = problem.blockScores;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    memory.fill(rows, 0, <usize>(size * ld) << 3);
    for (let e = 0; e < size; ++e) {
      const i = first + e;
      const truth = truthOf(problem, i);
      for (let c = 0; c < numTrue(problem, i); ++c) put<f64>(rows, e * ld + at<i32>(truth, c), part(problem, i));
    }
    addBlockInFloat64<T>(problem, first, size, rows);
  }
}

/** Which element of W is class j's weight of feature l. */
// @ts-ignore: decorator
@inline
function placeOf(problem: Problem, l: i32, j: i32): i32 {
  return problem.sparse ? placeInTiles(problem.m, problem.d, problem.tile, l, j) : j * problem.ld + l;
}

/**
 * Step 2, which of an entropy loss takes W64 from S to Z. With a kernel, where S is the scores S K, ||Z||^2 = sum_i
 * C_i/t sum of z_j(x_i) over Y, as they add up to 0.
 */
export function measureSums(problem: Problem): void {
  const centres = problem.loss.family == ENTROPY;
  const m = problem.m;
  const s = problem.W64;
  const inKernel = hasKernel(problem);
  const end = inKernel ? problem.n : problem.d; // with a kernel, what is behind the n-th is no example
  let norm2: f64 = 0;
  let inner: f64 = 0;
  for (let l = 0; l < end; ++l) {
    let mean: f64 = 0;
    for (let j = 0; j < m; ++j) mean += at<f64>(s, placeOf(problem, l, j));
    mean /= <f64>m;
    if (inKernel) {
      const truth = truthOf(problem, l);
      for (let c = 0; c < numTrue(problem, l); ++c) {
        norm2 += part(problem, l) * (at<f64>(s, placeOf(problem, l, at<i32>(truth, c))) - mean);
      }
    }
    for (let j = 0; j < m; ++j) {
      const place = placeOf(problem, l, j);
      const centred = at<f64>(s, place) - mean;
      if (!inKernel) norm2 += centred * centred;
      if (problem.W0 != 0) inner += at<f64>(problem.W0, place) * centred;
      if (centres) put<f64>(s, place, centred);
    }
  }
  put<f64>(problem.sums, DUAL_WEIGHTS_NORM2, norm2);
  put<f64>(problem.sums, ANCHOR_PRODUCT, inner);
}

/** Step 3 for the examples [from, from + count), none of which has a list. */
export function spread<T>(problem: Problem, from: i32, count: i32, alpha: f64): void {
  if (problem.loss.family != ENTROPY) {
    spreadOwn<T>(problem, from, count, alpha);
    return;
  }
  const m = problem.m;
  for (let i = from; i < from + count; ++i) {
    const aPtr = rowOfA<T>(problem, i);
    const truth = truthOf(problem, i);
    const t = numTrue(problem, i);
    const a = alpha * part(problem, i);
    const other = <T>((-a * <f64>t) / <f64>m);
    for (let j = 0; j < m; ++j) put<T>(aPtr, j, other);
    for (let c = 0; c < t; ++c) put<T>(aPtr, at<i32>(truth, c), <T>((a * <f64>(m - t)) / <f64>m));
  }
}

/**
 * `spread` for a hinge loss: the true class has the only dual variable, and where lists will hold it nothing is stored.
 */
function spreadOwn<T>(problem: Problem, from: i32, count: i32, alpha: f64): void {
  problem.share = alpha;
  if (listsHoldDuals(problem)) return;
  for (let i = from; i < from + count; ++i) {
    const truth = truthOf(problem, i);
    const a = <T>(alpha * part(problem, i));
    for (let c = 0; c < numTrue(problem, i); ++c) put<T>(rowOfA<T>(problem, i), at<i32>(truth, c), a);
  }
}

/** Step 4. */
export function scaleSums(problem: Problem, alpha: f64): void {
  for (let l = 0; l < problem.sizeW; ++l) put<f64>(problem.W64, l, alpha * at<f64>(problem.W64, l));
}
