import { Problem } from "../data/problem";
import { at, put } from "../linalg/simd";
import { listOf, numHeld, rowIn, storedAt } from "./lists";

/**
 * What rounding takes off dual variables, where features are known through a kernel. It is not in the scores S, which
 * are float64, and the moves of kernelMomentum.ts go on with it: it would grow to 1/(1 - beta) times itself and, with
 * C = 1000 in float32, to more than is left to gain. So it is kept: S belongs to A + R, and the scores before, S0, to
 * B + R0. A certificate makes S anew, of A alone.
 */

/** The dual variable of class j in a row of A or B, with what rounding has taken off. */
// @ts-ignore: decorator
@inline
export function preciseDual<T>(problem: Problem, row: usize, rests: usize, i: i32, j: i32): f64 {
  return <f64>at<T>(row, j) + <f64>at<T>(rowIn<T>(problem, rests, i), j);
}

/**
 * Takes note of what rounding has taken off the changes of example i, which S follows, in a step that has not moved them
 * elsewhere; keptPtr: its dual variables before, as they are stored.
 */
export function noteRests<T>(problem: Problem, i: i32, keptPtr: usize): void {
  const n = numHeld(problem, i);
  const list = listOf(problem, i);
  const now = storedAt<T>(problem, i, n);
  const rests = rowIn<T>(problem, problem.R, i);
  const count = n > 0 ? n + 1 : problem.m;
  for (let c = 0; c < count; ++c) {
    const a = at<T>(now, c);
    const before = at<T>(keptPtr, c);
    const delta = <T>(a - before);
    const rest = <f64>delta - (<f64>a - <f64>before);
    if (rest == 0) continue;
    const j = n > 0 ? at<i32>(list, c) : c;
    put<T>(rests, j, <T>(<f64>at<T>(rests, j) + rest));
  }
}

/**
 * Before S becomes W64, which belongs to A alone: S0 <- S0 + W64 - S, R0 <- R0 - R, R <- 0. The direction stays as it
 * is, and what rounding has made of S is taken off S0 as well: else moves would carry that on.
 */
export function renewScoresBefore<T>(problem: Problem): void {
  for (let l = 0; l < problem.sizeW; ++l) {
    put<f64>(problem.S0, l, at<f64>(problem.S0, l) + (at<f64>(problem.W64, l) - at<f64>(problem.W, l)));
  }
  const size = problem.n * problem.m;
  for (let l = 0; l < size; ++l) put<T>(problem.R0, l, at<T>(problem.R0, l) - at<T>(problem.R, l));
  memory.fill(problem.R, 0, <usize>size << alignof<T>());
}
