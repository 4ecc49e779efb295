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
  const d = problem.d;
  const q = problem.scores;
  const row = problem.row;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const xPtr = problem.X + ((<usize>i * <usize>problem.ldX) << alignof<T>());
    const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
    const K = at<f64>(problem.norm2, i);

    scores<T>(problem.W, problem.ldW, m, xPtr, d, q);
    for (let j = 0; j < m; ++j) {
      const a = <f64>at<T>(aPtr, j);
      put<f64>(row, j, a);
      put<f64>(q, j, at<f64>(q, j) - K * a);
    }
    updateDual(problem.loss, q, m, at<i32>(problem.y, i), K, at<f64>(problem.C, i), row);

    let changed = 0;
    for (let j = 0; j < m; ++j) {
      const a = <T>at<f64>(row, j);
      const delta = <T>(a - at<T>(aPtr, j));
      if (delta == 0) continue;
      put<T>(aPtr, j, a);
      put<i32>(problem.classes, changed, j);
      put<T>(problem.deltas, changed++, delta);
    }
    if (K > 0) rankOne<T>(problem.W, problem.ldW, xPtr, d, problem.classes, problem.deltas, changed);
  }
}
