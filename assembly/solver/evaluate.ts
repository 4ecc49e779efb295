import { Problem } from "../data/problem";
import { axpyInFloat64, round } from "../linalg/rankOne";
import { scoresInFloat64, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { dualLoss, primalLoss, repair } from "../loss/loss";

/**
 * The certificate, in three steps, each row by row in the order of the examples so that slicing changes no bit:
 *   1. `rebuild`: repair each row of A into its domain and accumulate W64 = A^T X in float64;
 *   2. `settle`: round W64 to the storage precision, which is the W that the model returns, and take both norms;
 *   3. `evaluate`: primal loss at that W, dual loss at that A, and each example's gap term.
 * Then P = sums[0] + sums[2]/2 and D = sums[1] - sums[3]/2.
 */

/** Starts a certificate: W64 and the sums are zeroed. */
export function clear(problem: Problem): void {
  memory.fill(problem.W64, 0, (<usize>problem.m * <usize>problem.ldW) << 3);
  memory.fill(problem.sums, 0, 32);
}

/** x_j = -a_j over the other classes of a row of A. */
// @ts-ignore: decorator
@inline
function readRow<T>(aPtr: usize, y: i32, m: i32, xPtr: usize): void {
  for (let j = 0; j < y; ++j) put<f64>(xPtr, j, -(<f64>at<T>(aPtr, j)));
  for (let j = y + 1; j < m; ++j) put<f64>(xPtr, j - 1, -(<f64>at<T>(aPtr, j)));
}

/** Step 1 for the examples [from, from + count). */
export function rebuild<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const n = m - 1;
  const d = problem.d;
  const x = problem.duals;
  const rowBytes = <usize>problem.ldW << 3;
  for (let i = from; i < from + count; ++i) {
    const rowPtr = problem.X + ((<usize>i * <usize>problem.ldX) << alignof<T>());
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    const y = at<i32>(problem.y, i);
    readRow<T>(aPtr, y, m, x);
    repair<T>(problem.loss, x, n, at<f64>(problem.C, i));
    // The true class has exactly the sum of the others, in float64: the host recomputes it in this order when it exports A.
    let total: f64 = 0;
    for (let j = 0; j < n; ++j) {
      const v = at<f64>(x, j);
      const c = j < y ? j : j + 1;
      put<T>(aPtr, c, <T>-v);
      total += v;
      if (v != 0) axpyInFloat64<T>(problem.W64 + <usize>c * rowBytes, -v, rowPtr, d);
    }
    put<T>(aPtr, y, <T>total);
    if (total != 0) axpyInFloat64<T>(problem.W64 + <usize>y * rowBytes, total, rowPtr, d);
  }
}

/** Step 2. */
export function settle<T>(problem: Problem): void {
  const size = problem.m * problem.ldW;
  round<T>(problem.W64, problem.W, size);
  put<f64>(problem.sums, 2, squaredNorm<T>(problem.W, size));
  put<f64>(problem.sums, 3, squaredNorm<f64>(problem.W64, size));
}

/**
 * Step 3 for the examples [from, from + count). The gap term of an example,
 *     C_i L(W x_i) + C_i L*(-a_i/C_i) + <a_i, W x_i>  >= 0   (Fenchel and Young),
 * adds up to P - D up to ||W - A^T X||^2 / 2, the rounding of W: what is left to gain sits where it is large.
 */
export function evaluate<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const n = m - 1;
  const s = problem.scores;
  const g = problem.margins;
  const x = problem.duals;
  let primal = at<f64>(problem.sums, 0);
  let dual = at<f64>(problem.sums, 1);
  for (let i = from; i < from + count; ++i) {
    const rowPtr = problem.X + ((<usize>i * <usize>problem.ldX) << alignof<T>());
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    const y = at<i32>(problem.y, i);
    const C = at<f64>(problem.C, i);
    scoresInFloat64<T>(problem.W, problem.ldW, m, rowPtr, problem.d, s);
    const sy = at<f64>(s, y);
    for (let j = 0; j < y; ++j) put<f64>(g, j, at<f64>(s, j) - sy);
    for (let j = y + 1; j < m; ++j) put<f64>(g, j - 1, at<f64>(s, j) - sy);

    readRow<T>(aPtr, y, m, x);
    let linear: f64 = 0; // -<a_i, W x_i>
    for (let j = 0; j < n; ++j) linear += at<f64>(x, j) * at<f64>(g, j);
    const dualTerm = dualLoss(problem.loss, x, n, C);
    const primalTerm = C * primalLoss(problem.loss, g, n, x, problem.work);
    primal += primalTerm;
    dual += dualTerm;
    put<f64>(problem.gaps, i, Math.max(primalTerm - dualTerm - linear, 0));
  }
  put<f64>(problem.sums, 0, primal);
  put<f64>(problem.sums, 1, dual);
}
