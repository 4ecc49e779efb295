import { addStepBlock, beginStepBlock, STEP_BLOCK } from "../data/block";
import { addExample } from "../data/example";
import { Problem, scoresAt } from "../data/problem";
import { at, lanes, madd, put, splatAt, storeWide } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { noteMovement, step } from "./steps";

/**
 * The steps of a pass over every class, a block of examples at a time: with W as it is before the block, the scores of
 * its e-th example at the time of its step are
 *     W x_e + sum over the f before e of delta_f <x_f, x_e>,
 * delta_f being what f's step changes. So W is read once for the whole block and not once for every example, and, where
 * most dual variables change, written once: the same steps, for less traffic.
 */

/** As `sweep`, over at most STEP_BLOCK examples. */
export function stepOnBlock<T>(problem: Problem, orderPtr: usize, size: i32): void {
  const ld = tiledClasses(problem.m);
  const rowBytes = <usize>ld << alignof<T>();
  const deltas = problem.blockDeltas; // T[STEP_BLOCK][m'], and behind them
  const gram = deltas + STEP_BLOCK * rowBytes; // T[STEP_BLOCK][STEP_BLOCK]
  const together = problem.extra == 0;
  beginStepBlock<T>(problem, orderPtr, size, problem.blockScores, gram);
  if (!together) memory.fill(deltas, 0, <usize>size * rowBytes);
  const changes = problem.deltas;
  const u = problem.scores;
  for (let e = 0; e < size; ++e) {
    const i = at<u32>(orderPtr, e);
    const row = deltas + <usize>e * rowBytes;
    combine<T>(scoresAt(problem, e), gram + (<usize>(e * STEP_BLOCK) << alignof<T>()), deltas, e, ld, u);
    if (together) {
      problem.deltas = row;
      for (let j = problem.m; j < ld; ++j) put<T>(row, j, <T>0);
    }
    const moved = step<T>(problem, i, true, u);
    noteMovement<T>(problem, i, moved);
    if (together) continue;
    for (let c = 0; c < moved; ++c) put<T>(row, at<i32>(problem.changed, c), at<T>(changes, c));
    addExample<T>(problem, i, moved); // which may write over scores of the first example, whose step is over
  }
  problem.deltas = changes;
  if (together) addStepBlock<T>(problem, orderPtr, size, deltas);
}

/**
 * u = scores + sum_f factors_f delta_f over `count` rows. scores: T[ld]; factors: T[count]; deltas: T[count][ld], ld a
 * multiple of 4; uPtr: f64[ld].
 */
function combine<T>(scores: usize, factors: usize, deltas: usize, count: i32, ld: i32, uPtr: usize): void {
  const rowBytes = <usize>ld << alignof<T>();
  const end = factors + (<usize>count << alignof<T>());
  for (let j: usize = 0; j < rowBytes; j += 16) {
    let sum = v128.load(scores + j);
    for (let f = factors, delta = deltas + j; f < end; f += sizeof<T>(), delta += rowBytes) {
      sum = madd<T>(splatAt<T>(f), v128.load(delta), sum);
    }
    storeWide<T>(uPtr, lanes<T>(), sum);
    uPtr += <usize>lanes<T>() << 3;
  }
}
