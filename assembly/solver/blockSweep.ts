import { addStepBlock, beginStepBlock, STEP_BLOCK } from "../data/block";
import { addExample } from "../data/example";
import { Problem, scoresAt } from "../data/problem";
import { addTo, at, lanes, madd, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { noteMovement, step } from "./steps";

/**
 * The steps of a pass over every class, a block of examples at a time: with W as it is before the block, the scores of its e-th
 * example at the time of its step are
 *     W x_e + sum over the f before e of delta_f <x_f, x_e>,
 * delta_f being what f's step changes. So W is read once for the whole block and not once for every example, and, where most dual
 * variables change, written once: the same steps, for less traffic.
 */

/** As `sweep`, over at most STEP_BLOCK examples. */
export function stepOnBlock<T>(problem: Problem, orderPtr: usize, size: i32): void {
  const ld = tiledClasses(problem.m);
  const deltas = problem.blockDeltas; // T[STEP_BLOCK][m'], and behind them
  const gram = deltas + (<usize>(STEP_BLOCK * ld) << alignof<T>()); // f64[STEP_BLOCK][STEP_BLOCK]
  const together = problem.extra == 0;
  beginStepBlock<T>(problem, orderPtr, size, problem.blockScores, gram);
  memory.fill(deltas, 0, <usize>(size * ld) << alignof<T>());
  for (let e = 0; e < size; ++e) {
    const i = at<u32>(orderPtr, e);
    const u = scoresAt(problem, e);
    addCombination<T>(u, gram + (<usize>(e * STEP_BLOCK) << 3), deltas, e, ld);
    const moved = step<T>(problem, i, true, u);
    noteMovement<T>(problem, i, moved);
    if (together) {
      memory.copy(deltas + (<usize>(e * ld) << alignof<T>()), problem.deltas, <usize>problem.m << alignof<T>());
    } else {
      for (let c = 0; c < moved; ++c) put<T>(deltas, e * ld + at<i32>(problem.changed, c), at<T>(problem.deltas, c));
      addExample<T>(problem, i, moved); // which may write over scores of the first example, whose step is over
    }
  }
  if (together) addStepBlock<T>(problem, size, deltas);
}

/** u += sum_f factors_f delta_f over `count` rows. uPtr: f64[ld]; factors: f64[count]; deltas: T[count][ld], ld a multiple of 4. */
function addCombination<T>(uPtr: usize, factors: usize, deltas: usize, count: i32, ld: i32): void {
  const rowBytes = <usize>ld << alignof<T>();
  for (let j = 0; j < ld; j += lanes<T>()) {
    let sum = f64x2.splat(0);
    let delta = deltas + (<usize>j << alignof<T>());
    for (let f = 0; f < count; ++f, delta += rowBytes) {
      sum = madd<T>(v128.splat<T>(<T>at<f64>(factors, f)), v128.load(delta), sum);
    }
    addTo<T>(uPtr + (<usize>j << 3), sum);
  }
}
