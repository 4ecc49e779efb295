import { STEP_BLOCK } from "../data/block";
import { addExample } from "../data/example";
import { computeAhead } from "../data/keptRows";
import { hasKernel, NO_DUALS, Problem, truthOf } from "../data/problem";
import { LEAST_MOVEMENT, MOVEMENT, TAKEN, WORK } from "../data/progress";
import { at, put } from "../linalg/simd";
import { stepOnBlock } from "./blockSweep";
import { LIST_BLOCK, listBlock, listsFirst } from "./firstLists";
import { fillRow, listOf, numHeld, storedAt, storedBytes } from "./lists";
import { noteRests } from "./rests";
import { movementOf, noteMovement, step } from "./steps";

/**
 * Stochastic dual coordinate ascent over the examples orderPtr: u32[count], one exact step each:
 *     a_i <- argmax_a  -C_i L*(-a/C_i) - K/2 ||a||^2 - <q, a>,     q = W x_i - K a_i,  K = ||x_i||^2,
 *     W   <- W + (new a_i - old a_i) x_i^T.
 * Shalev-Shwartz and Zhang, *Accelerated proximal SDCA* (ICML 2014); Lapin, Hein, Schiele, PAMI 2018, section 5.
 *
 * Unless `everyClass`, a step sees only the true classes and the example's candidates, see candidates.ts, and the first
 * steps of many examples see no others either way, see firstLists.ts: it maximises over their dual variables, the
 * others being zero, which is exact coordinate ascent on fewer coordinates. Adds to MOVEMENT and WORK of the progress.
 */
export function sweep<T>(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  if (hasKernel(problem)) {
    sweepOverScores<T>(problem, orderPtr, count, everyClass);
    return;
  }
  const together = stepsTogether<T>(problem, everyClass);
  if (together == 1) {
    sweepByOne<T>(problem, orderPtr, count, everyClass);
    return;
  }
  for (let e = 0; e < count; e += together) {
    const part = orderPtr + (<usize>e << 2);
    const size = min(together, count - e);
    if (together > STEP_BLOCK && listBlock<T>(problem, part, size)) sweepByOne<T>(problem, part, size, false);
    else for (let b = 0; b < size; b += STEP_BLOCK) stepOnBlock<T>(problem, part + (<usize>b << 2), min(STEP_BLOCK, size - b));
  }
}

/** So many steps of a sweep belong together: its parts begin at multiples of that. */
export function stepsTogether<T>(problem: Problem, everyClass: bool): i32 {
  if (problem.blockDeltas == 0 || !(everyClass || problem.extra == 0)) return 1;
  return listsFirst<T>(problem) ? LIST_BLOCK : STEP_BLOCK;
}

function sweepByOne<T>(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    if (e % GROUP == 0) fetchNext(problem, orderPtr, e + GROUP, count, everyClass, <i32>alignof<T>());
    const moved = step<T>(problem, i, everyClass, 0);
    noteMovement<T>(problem, i, moved);
    if (at<f64>(problem.norm2, i) > 0) addExample<T>(problem, i, moved, problem.extra == 0);
  }
}

/**
 * With a kernel scores are at hand, so that a step costs next to nothing beside the row of the matrix that brings them to
 * what it changes. Unless `everyClass`, one that would move its dual variables by less than LEAST_MOVEMENT is taken back,
 * though its movement is noted in `gaps`. Adds the number of the others to TAKEN.
 */
function sweepOverScores<T>(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  const least = everyClass ? 0 : at<f64>(problem.progress, LEAST_MOVEMENT);
  const keepsRests = sizeof<T>() == 4 && problem.keepsRests;
  const kept = problem.blockScores;
  let taken: f64 = 0;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    if (e % GROUP == 0) fetchNext(problem, orderPtr, e + GROUP, count, everyClass, <i32>alignof<T>());
    if (least > 0 && at<i32>(problem.listed, i) == NO_DUALS) fillRow<T>(problem, i);
    // A step over every class may end a list.
    if (everyClass && keepsRests && at<i32>(problem.listed, i) > 0) {
      if (problem.sets == 0) fillRow<T>(problem, i);
      put<i32>(problem.listed, i, 0);
    }
    const n = numHeld(problem, i);
    const duals = storedAt<T>(problem, i, n);
    const bytes = storedBytes<T>(problem, n);
    if (least > 0 || keepsRests) memory.copy(kept, duals, bytes);
    const work = at<f64>(problem.progress, WORK);
    const moved = step<T>(problem, i, everyClass, 0);
    const movement = movementOf<T>(problem, i, moved);
    put<f64>(problem.gaps, i, movement);
    if (movement < least) {
      memory.copy(duals, kept, bytes);
      put<f64>(problem.progress, WORK, work);
      computeAhead<T>(problem.kernel, orderPtr + (<usize>e << 2), count - e, false);
      continue;
    }
    put<f64>(problem.progress, MOVEMENT, at<f64>(problem.progress, MOVEMENT) + movement);
    taken += 1;
    if (keepsRests && moved > 0) noteRests<T>(problem, i, kept);
    computeAhead<T>(problem.kernel, orderPtr + (<usize>e << 2), count - e, moved > 0);
    if (at<f64>(problem.norm2, i) > 0) addExample<T>(problem, i, moved, problem.extra == 0);
  }
  put<f64>(problem.progress, TAKEN, at<f64>(problem.progress, TAKEN) + taken);
}

/**
 * Data are fetched for so many examples at once: waiting for those of several takes no longer than for those of one.
 */
const GROUP: i32 = 8;
/** Something of what was fetched: a load that nobody uses might be left out. */
let fetched: i32 = 0;

/**
 * Touches the first lines of what the steps of the GROUP examples from place `first` on begin with, so that they are in
 * the cache by then: visits are in random order, and no processor can guess them. A tenth of the time on letter, an
 * eighth on sparse rows.
 */
function fetchNext(problem: Problem, orderPtr: usize, first: i32, count: i32, everyClass: bool, align: i32): void {
  const end = min(first + GROUP, count);
  let some = 0;
  for (let e = first; e < end; ++e) some ^= firstOf(problem, at<u32>(orderPtr, e), everyClass, align);
  if (problem.sparse) {
    // Where their entries are has to be known first.
    const later = min(end + GROUP, count);
    for (let e = end; e < later; ++e) some ^= at<i32>(problem.indptr, at<u32>(orderPtr, e));
  }
  fetched = some;
}

/** Something of each line that the step of example i begins with. Numbers take 2^align bytes. */
function firstOf(problem: Problem, i: i32, everyClass: bool, align: i32): i32 {
  let some = load<i32>(truthOf(problem, i)) ^ load<i32>(problem.norm2 + (<usize>i << 3)) ^ load<i32>(problem.C + (<usize>i << 3));
  const onList = problem.extra > 0 && !everyClass;
  if (onList) some ^= at<i32>(problem.listed, i) ^ firstLines(listOf(problem, i), likelyBytes(problem, align));
  if (!onList || problem.sets != 0) {
    const bytes = problem.m << align;
    const row = problem.A + <usize>i * <usize>bytes;
    some ^= firstLines(row, bytes);
    // Where there are no lists, all of it will be read; and no processor sees beyond a page what comes next.
    if (problem.extra == 0) for (let b = 256; b < min(bytes, 4096); b += 64) some ^= load<i32>(row + b);
  }
  if (problem.sparse) {
    const start = at<u32>(problem.indptr, i);
    if (at<u32>(problem.indptr, i + 1) > start) some ^= at<i32>(problem.indices, start) ^ load<i32>(problem.X + (<usize>start << align));
  } else if (!hasKernel(problem)) {
    const bytes = problem.ld << align;
    some ^= firstLines(problem.X + <usize>i * <usize>bytes, bytes);
  }
  return some;
}

/** As much as there mostly is of a list with what it holds. */
// @ts-ignore: decorator
@inline
function likelyBytes(problem: Problem, align: i32): i32 {
  return (2 * problem.extra + 8) * (4 + (1 << align));
}

/** Something of the first cache lines of a row of so many bytes, 4 at least. */
// @ts-ignore: decorator
@inline
function firstLines(row: usize, rowBytes: i32): i32 {
  let some = load<i32>(row);
  if (rowBytes > 64) some ^= load<i32>(row, 64);
  if (rowBytes > 128) some ^= load<i32>(row, 128);
  if (rowBytes > 192) some ^= load<i32>(row, 192);
  return some;
}
