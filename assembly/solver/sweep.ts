import { Problem } from "../data/problem";
import { addExample, scoresOfExample } from "../data/products";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { updateDual } from "../loss/loss";
import { listOthers } from "./candidates";

/**
 * Stochastic dual coordinate ascent over the examples orderPtr: u32[count], one exact step each:
 *     a_i <- argmax_a  -C_i L*(-a/C_i) - K/2 ||a||^2 - <q, a>,     q = W x_i - K a_i,  K = ||x_i||^2,
 *     W   <- W + (new a_i - old a_i) x_i^T.
 * Shalev-Shwartz and Zhang, *Accelerated proximal SDCA* (ICML 2014); Lapin, Hein, Schiele, PAMI 2018, section 5.
 *
 * Unless `everyClass`, a step sees only the true class and the example's candidates, see candidates.ts: it maximises over
 * their dual variables, the others being zero, which is exact coordinate ascent on fewer coordinates.
 * Adds sum K ||new a_i - old a_i||^2 to progress[0] and the number of scores computed to progress[1].
 */
export function sweep<T>(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  const q = problem.scores;
  const x = problem.row;
  const changed = problem.changed;
  const deltas = problem.deltas;
  let movement = at<f64>(problem.progress, 0);
  let work = at<f64>(problem.progress, 1);
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const y = at<i32>(problem.y, i);
    const aPtr = problem.A + ((<usize>i * <usize>problem.m) << alignof<T>());
    const K = at<f64>(problem.norm2, i);
    let classes = problem.lists + ((<usize>i * <usize>problem.ldLists) << 2);
    let n = everyClass ? 0 : at<i32>(problem.listed, i);
    if (n == 0) {
      classes = problem.classes;
      n = listOthers(classes, problem.m, y);
    }
    const padded = (n + CLASSES_AT_ONCE) & -CLASSES_AT_ONCE; // the true class stands behind the others
    work += <f64>scoresOfExample<T>(problem, i, classes, padded, q);
    for (let c = 0; c < n; ++c) {
      const a = <f64>at<T>(aPtr, at<i32>(classes, c));
      put<f64>(x, c, -a);
      put<f64>(q, c, at<f64>(q, c) - K * a);
    }
    const oldOwn = at<T>(aPtr, y);
    const own = <T>updateDual(problem.loss, q, n, at<f64>(q, n) - K * <f64>oldOwn, K, at<f64>(problem.C, i), x);

    let moved = 0;
    let moved2: f64 = 0;
    for (let c = 0; c <= n; ++c) {
      const j = at<i32>(classes, c);
      const a = c == n ? own : <T>(0 - at<f64>(x, c));
      const delta = <T>(a - at<T>(aPtr, j));
      if (delta == 0) continue;
      put<T>(aPtr, j, a);
      put<i32>(changed, moved, j);
      put<T>(deltas, moved++, delta);
      moved2 += <f64>delta * <f64>delta;
    }
    movement += K * moved2;
    put<f64>(problem.gaps, i, K * moved2);
    if (K > 0) addExample<T>(problem, i, moved);
  }
  put<f64>(problem.progress, 0, movement);
  put<f64>(problem.progress, 1, work);
}
