import { NO_DUALS, numTrue, Problem, truthOf } from "../data/problem";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { keepNonzeros } from "../linalg/vectors";
import { classOf, climb, climbsFromSeeds, leastScore, noScore } from "./ladder";
import { closeList, fillRow, heldDuals, listOf, numHeld, rowOfA, unstoredDual } from "./lists";

/**
 * Which classes and which examples the next steps look at. A hinge loss has few nonzero dual variables per example, and
 * few further classes score high enough to get one; a step over those is as good as a step over all, until W has moved.
 * Evaluations look at every class of every example: they renew the lists, and the certificate never depends on them.
 */

/**
 * Lists the candidates of example i at the scores uPtr: S[m'], what is behind the m-th destroyed: the classes that are
 * not true with a nonzero dual variable and, of the rest, the `extra` with the highest scores. (Counted among all, the
 * list would fill up with the first kind, and no new class could enter.) More than `capacity` of the first kind make no
 * list: then a step sees every class.
 */
export function listCandidates<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  if (problem.extra == 0) return; // most dual variables are not zero: there is no room for lists
  const m = problem.m;
  const classes = problem.classes;
  const list = listOf(problem, i);
  const listed = numHeld(problem, i);
  const n = listed > 0 ? takeNonzeros<T>(problem, list, listed) : findNonzeros<T>(problem, i);
  if (n > problem.capacity) {
    if (listed > 0) fillRow<T>(problem, i);
    put<i32>(problem.listed, i, 0);
    return;
  }

  let end = appendTruth(problem, i, n);
  const first = end;
  if (listed > 0 && climbsFromSeeds(problem)) end = appendZeros<T>(problem, list, listed, end);
  hideScores<S>(problem, uPtr, end);
  climb<S>(problem, uPtr, classes + (<usize>first << 2), problem.row + (<usize>first << 3), end - first);
  for (let c = 0; c < end; ++c) put<S>(uPtr, at<i32>(classes, c), <S>at<f64>(problem.row, c));

  memory.copy(list, classes, <usize>n << 2);
  let length = n;
  for (let r = 0; r < problem.extra; ++r) {
    const key = at<f64>(problem.best, r);
    put<i32>(list, length, classOf(key, m));
    length += i32(key > leastScore<S>());
  }
  if (problem.sets == 0 && at<i32>(problem.listed, i) == 0) clearRow<T>(problem, i, list, n);
  put<i32>(problem.listed, i, length);
  if (problem.sets != 0) return;
  closeList(list, length, at<i32>(problem.y, i));
  const held = heldDuals(list, length);
  memory.copy(held, problem.deltas, <usize>n << alignof<T>());
  for (let c = n; c < length; ++c) put<T>(held, c, 0);
  put<T>(held, length, at<T>(problem.deltas, n));
}

/**
 * The classes with a nonzero dual variable of an example that has one class and a list, to problem.classes, and their
 * dual variables with that of the true class behind them, to problem.deltas. Returns their number.
 */
function takeNonzeros<T>(problem: Problem, list: usize, listed: i32): i32 {
  const held = heldDuals(list, listed);
  let n = 0;
  for (let c = 0; c < listed; ++c) {
    const a = at<T>(held, c);
    put<i32>(problem.classes, n, at<i32>(list, c));
    put<T>(problem.deltas, n, a);
    n += i32(a != 0);
  }
  put<T>(problem.deltas, n, at<T>(held, listed));
  return n;
}

/** `takeNonzeros` for any example, from A: the dual variable of the true class only if the example has one class. */
function findNonzeros<T>(problem: Problem, i: i32): i32 {
  if (at<i32>(problem.listed, i) == NO_DUALS) {
    put<T>(problem.deltas, 0, unstoredDual<T>(problem, i));
    return 0;
  }
  const aPtr = rowOfA<T>(problem, i);
  const all = keepNonzeros<T>(aPtr, problem.m, 0, problem.classes, problem.deltas);
  const n = leaveOut<T>(problem.classes, problem.deltas, all, truthOf(problem, i), numTrue(problem, i));
  if (problem.sets == 0) put<T>(problem.deltas, n, at<T>(aPtr, at<i32>(problem.y, i)));
  return n;
}

/**
 * Zeros the row of A where its dual variables have been found: those of n classes and the true one. From now on a list
 * holds them.
 */
function clearRow<T>(problem: Problem, i: i32, list: usize, n: i32): void {
  const aPtr = rowOfA<T>(problem, i);
  for (let c = 0; c < n; ++c) put<T>(aPtr, at<i32>(list, c), 0);
  put<T>(aPtr, at<i32>(problem.y, i), 0);
}

/** Removes the t true classes from a list of n, both ascending, and what belongs to them; returns what is left of n. */
function leaveOut<T>(listPtr: usize, values: usize, n: i32, truthPtr: usize, t: i32): i32 {
  let next = 0;
  let kept = 0;
  for (let c = 0; c < n; ++c) {
    const j = at<i32>(listPtr, c);
    while (next < t && at<i32>(truthPtr, next) < j) ++next;
    if (next < t && at<i32>(truthPtr, next) == j) continue;
    put<i32>(listPtr, kept, j);
    put<T>(values, kept++, at<T>(values, c));
  }
  return kept;
}

/** The true classes behind the n of problem.classes. Returns how many that makes. */
function appendTruth(problem: Problem, i: i32, n: i32): i32 {
  const truth = truthOf(problem, i);
  const t = numTrue(problem, i);
  for (let c = 0; c < t; ++c) put<i32>(problem.classes, n + c, at<i32>(truth, c));
  return n + t;
}

/**
 * Appends the candidates whose dual variable is zero to problem.classes: these had the highest scores last time.
 * Returns how many that makes.
 */
function appendZeros<T>(problem: Problem, list: usize, listed: i32, n: i32): i32 {
  const held = heldDuals(list, listed);
  let end = n;
  for (let c = 0; c < listed; ++c) {
    put<i32>(problem.classes, end, at<i32>(list, c));
    end += i32(at<T>(held, c) == 0);
  }
  return end;
}

/**
 * The scores of the n classes of problem.classes to problem.row: f64[n], and no scores in their places, nor behind the
 * m-th.
 */
function hideScores<S>(problem: Problem, uPtr: usize, n: i32): void {
  const none = <S>noScore<S>();
  for (let c = 0; c < n; ++c) {
    const j = at<i32>(problem.classes, c);
    put<f64>(problem.row, c, <f64>at<S>(uPtr, j));
    put<S>(uPtr, j, none);
  }
  const padded = tiledClasses(problem.m);
  for (let j = problem.m; j < padded; ++j) put<S>(uPtr, j, none);
}

/**
 * Of the list of n just made, without all but the first `kept` of the best of the rest, an even number: how long it is.
 * What is left out stands at its end.
 */
export function lengthKeeping<S>(problem: Problem, n: i32, kept: i32): i32 {
  for (let r = kept; r < problem.extra; ++r) n -= i32(at<f64>(problem.best, r) > leastScore<S>());
  return n;
}

/**
 * Takes all but the first `few` of the best of the rest off the list just made of example i, once it is assessed: steps
 * are the quicker for it.
 */
export function shortenList<T, S>(problem: Problem, i: i32): void {
  const n = at<i32>(problem.listed, i);
  const length = n == 0 ? 0 : lengthKeeping<S>(problem, n, problem.few);
  if (length == n) return;
  put<i32>(problem.listed, i, length);
  if (problem.sets != 0) return;
  const list = listOf(problem, i);
  const held = heldDuals(list, n);
  const own = at<T>(held, n);
  closeList(list, length, at<i32>(problem.y, i));
  memory.copy(heldDuals(list, length), held, <usize>length << alignof<T>());
  put<T>(heldDuals(list, length), length, own);
}

/**
 * No score of a class that is neither true nor on that list is higher than this: the highest left out on either side,
 * but for its last bits.
 */
export function highestBeyond<S>(problem: Problem, kept: i32): f64 {
  const r = min(kept, problem.extra - 2); // with all of them kept, the lowest of those
  const key = Math.max(at<f64>(problem.best, r), at<f64>(problem.best, r + 1));
  if (!(key > leastScore<S>())) return -Infinity;
  return key + Math.abs(key) * (<f64>problem.m * 2 * f64.EPSILON) + f64.MIN_NORMAL_VALUE;
}

/** All examples, u32[n], in their order. */
export function listAll(orderPtr: usize, n: i32): void {
  for (let i = 0; i < n; ++i) put<u32>(orderPtr, i, i);
}

/**
 * Keeps of the examples orderPtr: u32[count] those whose entry of `gaps` exceeds `fraction` of the mean over them, in
 * their order; returns their number. The others hold less than that fraction of the sum together. `excess` of the sum
 * is nothing but rounding.
 */
export function keepActive(problem: Problem, orderPtr: usize, count: i32, fraction: f64, excess: f64): i32 {
  let total: f64 = 0;
  for (let e = 0; e < count; ++e) total += at<f64>(problem.gaps, at<u32>(orderPtr, e));
  const least = (Math.max(total - excess, 0) / <f64>count) * fraction;
  let kept = 0;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    if (at<f64>(problem.gaps, i) > least) put<u32>(orderPtr, kept++, i);
  }
  return kept > 0 ? kept : count; // all zero, or too large to be added up
}
