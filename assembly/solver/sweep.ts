import { Problem } from "../data/problem";
import { addExample } from "../data/products";
import { at, put } from "../linalg/simd";
import { stepOnClass, stepOnSet } from "./steps";

/**
 * Stochastic dual coordinate ascent over the examples orderPtr: u32[count], one exact step each:
 *     a_i <- argmax_a  -C_i L*(-a/C_i) - K/2 ||a||^2 - <q, a>,     q = W x_i - K a_i,  K = ||x_i||^2,
 *     W   <- W + (new a_i - old a_i) x_i^T.
 * Shalev-Shwartz and Zhang, *Accelerated proximal SDCA* (ICML 2014); Lapin, Hein, Schiele, PAMI 2018, section 5.
 *
 * Unless `everyClass`, a step sees only the true classes and the example's candidates, see candidates.ts: it maximises over
 * their dual variables, the others being zero, which is exact coordinate ascent on fewer coordinates.
 * Adds sum K ||new a_i - old a_i||^2 to progress[0] and the number of scores computed to progress[1].
 */
export function sweep<T>(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  let movement = at<f64>(problem.progress, 0);
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const K = at<f64>(problem.norm2, i);
    const moved =
      problem.sets == 0 ? stepOnClass<T>(problem, i, everyClass) : stepOnSet<T>(problem, i, everyClass);
    let moved2: f64 = 0;
    for (let c = 0; c < moved; ++c) {
      const delta = <f64>at<T>(problem.deltas, c);
      moved2 += delta * delta;
    }
    movement += K * moved2;
    put<f64>(problem.gaps, i, K * moved2);
    if (K > 0) addExample<T>(problem, i, moved);
  }
  put<f64>(problem.progress, 0, movement);
}
