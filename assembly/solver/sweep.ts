import { Problem } from "../data/problem";
import { addExample } from "../data/products";
import { at, put } from "../linalg/simd";
import { STEP_BLOCK, stepOnBlock } from "./blockSweep";
import { noteMovement, step } from "./steps";

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
  if (problem.blockDeltas != 0 && (everyClass || problem.extra == 0)) {
    for (let e = 0; e < count; e += STEP_BLOCK) {
      stepOnBlock<T>(problem, orderPtr + (<usize>e << 2), min(STEP_BLOCK, count - e));
    }
    return;
  }
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const moved = step<T>(problem, i, everyClass, 0);
    noteMovement<T>(problem, i, moved);
    if (at<f64>(problem.norm2, i) > 0) addExample<T>(problem, i, moved);
  }
}
