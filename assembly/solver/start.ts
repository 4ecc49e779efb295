import { addBlockInFloat64 } from "../data/block";
import { hasKernel, numTrue, Problem, truthOf } from "../data/problem";
import { BLOCK_SIZE, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { placeOfWeight, tiledClasses } from "../linalg/sparse";
import { rowOfA } from "./lists";

/**
 * Where the steps of an entropy loss begin. Every example, Y its true classes and t = |Y|, divides its shares between those and
 * all classes alike:
 *     shares (1 - alpha)/t on Y + alpha/m everywhere,     a_i = alpha C_i (1_Y/t - 1/m),
 * which costs one pass over the features, whatever m, since then A^T X = alpha Z with rows
 *     z_j = s_j - mean of all s,     s_j = sum of C_i/t x_i over the examples of class j.
 *
 *   1. after `clear(true)`, `gather`: W64 = S;   2. `centre`: W64 = Z, sums[3] = ||Z||^2, sums[4] = <Z, W0>;
 *   3. once alpha is chosen, `spread`: A;        4. `stretch`: W64 = alpha Z, and `settle` makes W of it.
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
  const ld = tiledClasses(problem.m);
  const rows = problem.blockScores;
  const end = from + count;
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

/** Step 2. With a kernel, where Z is the scores Z K, ||Z||^2 = sum_i C_i/t sum of z_j(x_i) over Y, as they add up to 0. */
export function centre(problem: Problem): void {
  const m = problem.m;
  const z = problem.W64;
  let inner: f64 = 0;
  for (let l = 0; l < problem.d; ++l) {
    let mean: f64 = 0;
    for (let j = 0; j < m; ++j) mean += at<f64>(z, placeOfWeight(problem.sparse, m, problem.d, problem.tile, problem.ld, l, j));
    mean /= <f64>m;
    for (let j = 0; j < m; ++j) {
      const place = placeOfWeight(problem.sparse, m, problem.d, problem.tile, problem.ld, l, j);
      const centred = at<f64>(z, place) - mean;
      put<f64>(z, place, centred);
      if (problem.W0 != 0) inner += at<f64>(problem.W0, place) * centred;
    }
  }
  let norm2: f64 = 0;
  if (hasKernel(problem)) {
    for (let i = 0; i < problem.n; ++i) {
      const truth = truthOf(problem, i);
      for (let c = 0; c < numTrue(problem, i); ++c) {
        norm2 += part(problem, i) * at<f64>(z, at<i32>(truth, c) * problem.ld + i);
      }
    }
  } else {
    norm2 = squaredNorm<f64>(z, problem.sizeW);
  }
  put<f64>(problem.sums, 3, norm2);
  put<f64>(problem.sums, 4, inner);
}

/** Step 3 for the examples [from, from + count). */
export function spread<T>(problem: Problem, from: i32, count: i32, alpha: f64): void {
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

/** Step 4. */
export function stretch(problem: Problem, alpha: f64): void {
  for (let l = 0; l < problem.sizeW; ++l) put<f64>(problem.W64, l, alpha * at<f64>(problem.W64, l));
}
