import { Problem } from "../data/problem";
import { addTransposed, gramOfTransposed, scoresOfTransposed, transposeExamples } from "../data/transposed";
import { at, loadPair, madd, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { noteMovement, step } from "./steps";

/**
 * The steps of a pass over every class, a block of examples at a time: with W as it is before the block, the scores of its e-th
 * example at the time of its step are
 *     W x_e + sum over the f before e of delta_f <x_f, x_e>,
 * delta_f being what f's step changes. So W is read once and written once for the whole block, while a tile of it is in the cache,
 * and not once for every example: the same steps, for less traffic. For sparse rows that share features,
 * and more weights than a cache holds.
 */
export const STEP_BLOCK: i32 = 16;

/** As `sweep`, over at most STEP_BLOCK examples. */
export function stepOnBlock<T>(problem: Problem, orderPtr: usize, size: i32): void {
  const ld = tiledClasses(problem.m);
  const scores = problem.blockScores;
  const deltas = problem.blockDeltas; // T[STEP_BLOCK][m'], and behind them
  const gram = deltas + (<usize>(STEP_BLOCK * ld) << alignof<T>()); // f64[STEP_BLOCK][STEP_BLOCK]
  transposeExamples<T>(problem, orderPtr, size);
  scoresOfTransposed<T, T>(problem, size, scores);
  gramOfTransposed<T>(problem, size, gram);
  memory.fill(deltas, 0, <usize>(size * ld) << alignof<T>());
  for (let e = 0; e < size; ++e) {
    const i = at<u32>(orderPtr, e);
    const u = scores + (<usize>(e * ld) << 3);
    for (let f = 0; f < e; ++f) {
      const product = at<f64>(gram, e * size + f);
      if (product != 0) addScaled<T>(u, product, deltas + (<usize>(f * ld) << alignof<T>()), ld);
    }
    const moved = step<T>(problem, i, true, u);
    noteMovement<T>(problem, i, moved);
    for (let c = 0; c < moved; ++c) put<T>(deltas, e * ld + at<i32>(problem.changed, c), at<T>(problem.deltas, c));
  }
  addTransposed<T>(problem, deltas);
}

/** u += factor delta; uPtr: f64[count], deltaPtr: T[count], count even. */
function addScaled<T>(uPtr: usize, factor: f64, deltaPtr: usize, count: i32): void {
  const a = f64x2.splat(factor);
  for (let j = 0; j < count; j += 2) {
    const u = uPtr + (<usize>j << 3);
    v128.store(u, madd<f64>(a, loadPair<T>(deltaPtr + (<usize>j << alignof<T>())), v128.load(u)));
  }
}
