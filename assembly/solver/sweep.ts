import { Problem } from "../data/problem";
import { at, put } from "../linalg/simd";
import { rankOne } from "../linalg/rankOne";
import { scores } from "../linalg/scores";
import { updateDual } from "../loss/loss";

/**
 * Stochastic dual coordinate ascent over the examples orderPtr: u32[count], one exact step each:
 *     a_i <- argmax_a  -C_i L*(-a/C_i) - K/2 ||a||^2 - <q, a>,     q = W x_i - K a_i,  K = ||x_i||^2,
 *     W   <- W + (new a_i - old a_i) x_i^T.
 * Shalev-Shwartz and Zhang, *Accelerated proximal SDCA* (ICML 2014); Lapin, Hein, Schiele, PAMI 2018, section 5.
 */
export function sweep<T>(problem: Problem, orderPtr: usize, count: i32): void {
  const m = problem.m;
  const n = m - 1; // the other classes
  const d = problem.d;
  const s = problem.scores;
  const g = problem.margins;
  const x = problem.duals;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const rowPtr = problem.X + ((<usize>i * <usize>problem.ldX) << alignof<T>());
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    const y = at<i32>(problem.y, i);
    const K = at<f64>(problem.norm2, i);

    // g_j = q_j - q_y over the other classes: entry y is left out, what follows it moves down by one.
    scores<T>(problem.W, problem.ldW, m, rowPtr, d, s);
    const qy = at<f64>(s, y) - K * <f64>at<T>(aPtr, y);
    for (let j = 0; j < y; ++j) put<f64>(g, j, at<f64>(s, j) - K * <f64>at<T>(aPtr, j) - qy);
    for (let j = y + 1; j < m; ++j) put<f64>(g, j - 1, at<f64>(s, j) - K * <f64>at<T>(aPtr, j) - qy);

    updateDual(problem.loss, g, n, K, at<f64>(problem.C, i), x, problem.work);

    let changed = 0;
    let total: f64 = 0;
    for (let j = 0; j < n; ++j) {
      const c = j < y ? j : j + 1;
      const a = <T>-at<f64>(x, j);
      const delta = <T>(a - at<T>(aPtr, c));
      total -= <f64>a;
      if (delta == 0) continue;
      put<T>(aPtr, c, a);
      put<i32>(problem.classes, changed, c);
      put<T>(problem.deltas, changed++, delta);
    }
    const a = <T>total;
    const delta = <T>(a - at<T>(aPtr, y));
    if (delta != 0) {
      put<T>(aPtr, y, a);
      put<i32>(problem.classes, changed, y);
      put<T>(problem.deltas, changed++, delta);
    }
    if (K > 0) rankOne<T>(problem.W, problem.ldW, rowPtr, d, problem.classes, problem.deltas, changed);
  }
}
