import { Problem } from "../data/problem";
import { at, put } from "../linalg/simd";
import { uniform } from "./random";

/**
 * Rearranges a random order, orderPtr: u32[count], so that the examples of each class, one each, come at equal
 * distances, all classes taking turns: the r-th of a class with c of them goes where (r + offset)/c of the visits are
 * over, its offset drawn from [0, 1). Examples of one class move the same weights the same way. Where many of them come
 * in a row each takes on what the others have done, and the next ones undo it: measured, the gap after a first pass is
 * about a fifth smaller than in an order that is all random; later passes gain little. A counting sort by `count`
 * stretches of the pass, in four steps, of which all but the third go through the places [from, end) of the order:
 *     1. `countClasses`
 *     2. `countStretches`, in ascending order, from 0 on: how many examples are in each
 *     3. `endStretches`: where each of them ends
 *     4. `takeTurns`, in descending order, down to 0, where the new order is written over the old one
 * Before the first pass, since it writes over `gaps`: u32[2 count] here, the ends of stretches and behind them the new
 * order.
 */

/** Step 1. */
export function countClasses(problem: Problem, orderPtr: usize, from: i32, end: i32): void {
  const sizes = problem.changed; // i32[m]
  if (from == 0) memory.fill(sizes, 0, <usize>problem.m << 2);
  for (let e = from; e < end; ++e) {
    const j = at<i32>(problem.y, at<u32>(orderPtr, e));
    put<i32>(sizes, j, at<i32>(sizes, j) + 1);
  }
}

/** Step 2. */
export function countStretches(problem: Problem, orderPtr: usize, from: i32, end: i32, count: i32, statePtr: usize): void {
  const ends = problem.gaps;
  const seen = problem.classes; // i32[m], so far
  if (from == 0) {
    for (let j = 0; j < problem.m; ++j) put<f64>(problem.row, j, uniform(statePtr));
    memory.fill(ends, 0, <usize>count << 2);
    memory.fill(seen, 0, <usize>problem.m << 2);
  }
  for (let e = from; e < end; ++e) {
    const j = at<i32>(problem.y, at<u32>(orderPtr, e));
    const r = at<i32>(seen, j);
    put<i32>(seen, j, r + 1);
    const s = stretchOf(problem, j, r, count);
    put<u32>(ends, s, at<u32>(ends, s) + 1);
  }
}

/** Step 3. */
export function endStretches(problem: Problem, count: i32): void {
  let end: u32 = 0;
  for (let s = 0; s < count; ++s) {
    end += at<u32>(problem.gaps, s);
    put<u32>(problem.gaps, s, end);
  }
}

/** Step 4. All of a class have been seen, and the last is the first to be taken back. */
export function takeTurns(problem: Problem, orderPtr: usize, from: i32, end: i32, count: i32): void {
  const ends = problem.gaps;
  const seen = problem.classes;
  const balanced = ends + (<usize>count << 2);
  for (let e = end; e-- > from; ) {
    const i = at<u32>(orderPtr, e);
    const j = at<i32>(problem.y, i);
    const r = at<i32>(seen, j) - 1;
    put<i32>(seen, j, r);
    const s = stretchOf(problem, j, r, count);
    const place = at<u32>(ends, s) - 1;
    put<u32>(ends, s, place);
    put<u32>(balanced, place, i);
  }
  if (from == 0) memory.copy(orderPtr, balanced, <usize>count << 2);
}

/** In which of `count` stretches of the pass the r-th example of class j comes. */
function stretchOf(problem: Problem, j: i32, r: i32, count: i32): i32 {
  const over = (<f64>r + at<f64>(problem.row, j)) / <f64>at<i32>(problem.changed, j);
  return min(<i32>(over * <f64>count), count - 1);
}
