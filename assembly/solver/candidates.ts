import { arrangeClasses, numTrue, Problem, truthOf } from "../data/problem";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, loadPair, put } from "../linalg/simd";

/**
 * Which classes and which examples the next steps look at. A hinge loss has few nonzero dual variables per example, and few
 * further classes score high enough to get one; a step over those is as good as a step over all, until W has moved.
 * Evaluations look at every class of every example: they renew the lists, and the certificate never depends on them.
 */

/** Fills up a list of n classes with the true one, which is expected behind it, to a multiple of CLASSES_AT_ONCE, which is returned. */
export function closeList(listPtr: usize, n: i32, y: i32): i32 {
  const end = (n + CLASSES_AT_ONCE) & -CLASSES_AT_ONCE;
  for (let c = n; c < end; ++c) put<i32>(listPtr, c, y);
  return end;
}

/** The candidates of example i: i32[listed], and behind them, where it has one class, that up to a multiple of CLASSES_AT_ONCE. */
// @ts-ignore: decorator
@inline
export function listOf(problem: Problem, i: i32): usize {
  return problem.lists + ((<usize>i * <usize>problem.ldLists) << 2);
}

/** After a step of example i over every class: a list that lacks a class with a nonzero dual variable is none any more. */
export function checkList<T>(problem: Problem, i: i32, aPtr: usize): void {
  const listed = at<i32>(problem.listed, i);
  if (listed == 0) return;
  const m = problem.m;
  const list = listOf(problem, i);
  const truth = truthOf(problem, i);
  let missing = 0;
  for (let j = 0; j < m; ++j) missing += i32(at<T>(aPtr, j) != 0);
  for (let c = 0; c < numTrue(problem, i); ++c) missing -= i32(at<T>(aPtr, at<i32>(truth, c)) != 0);
  for (let c = 0; c < listed; ++c) missing -= i32(at<T>(aPtr, at<i32>(list, c)) != 0);
  if (missing > 0) put<i32>(problem.listed, i, 0);
}

/**
 * The true classes of example i, which has a set of them, and behind those its `listed` candidates, or all others where that is 0, to
 * problem.classes. Returns their number.
 */
export function listOnSet(problem: Problem, i: i32, listed: i32): i32 {
  const classes = problem.classes;
  if (listed == 0) {
    arrangeClasses(problem, i, classes);
    return problem.m;
  }
  const t = numTrue(problem, i);
  memory.copy(classes, truthOf(problem, i), <usize>t << 2);
  memory.copy(classes + (<usize>t << 2), listOf(problem, i), <usize>listed << 2);
  return t + listed;
}

/** Below every score in S, whatever is written into its last bits. Not -Infinity: that would become NaN. */
// @ts-ignore: decorator
@inline
function noScore<S>(): f64 {
  return sizeof<S>() == 4 ? -3e38 : -1e308;
}
/** Between that and every score. */
// @ts-ignore: decorator
@inline
function leastScore<S>(): f64 {
  return sizeof<S>() == 4 ? -2e38 : -9e307;
}

/**
 * Lists the candidates of example i at the scores uPtr: S[m'], destroyed: the classes that are not true with a nonzero dual
 * variable and, of the rest, the `extra` with the highest scores. (Counted among all, the list would fill up with the first kind,
 * and no new class could enter.) More than `capacity` of the first kind make no list: then a step sees every class.
 *
 * The best of the rest are found half among the even classes, half among the odd ones, one in each lane of a vector, by
 * pushing each score down a ladder of the highest so far. The class sits in the last bits of its score, so that maximum and
 * minimum are all it takes: which way a comparison goes is unpredictable, and branches would cost several times as much.
 */
export function listCandidates<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  if (problem.extra == 0) return; // most dual variables are not zero: there is no room for lists
  const m = problem.m;
  const truth = truthOf(problem, i);
  const t = numTrue(problem, i);
  const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
  const list = listOf(problem, i);
  const classes = problem.classes;
  const classBits = (<u64>1 << (64 - clz<u64>(<u64>m))) - 1;
  const scoreBits = i64x2.splat(~classBits);
  for (let c = 0; c < t; ++c) put<S>(uPtr, at<i32>(truth, c), <S>noScore<S>());
  const padded = (m + 3) & -4;
  for (let j = m; j < padded; ++j) put<S>(uPtr, j, <S>noScore<S>());

  const ladder = problem.best;
  const ladderEnd = ladder + (<usize>problem.extra << 3);
  let n =
    problem.extra <= SHORT_LADDER
      ? climbShort<T, S>(problem, aPtr, uPtr, scoreBits)
      : climb<T, S>(problem, aPtr, uPtr, scoreBits);
  n = leaveOut(classes, n, truth, t);
  if (n > problem.capacity) {
    put<i32>(problem.listed, i, 0);
    return;
  }
  for (let c = 0; c < n; ++c) put<i32>(list, c, at<i32>(classes, c));
  for (let p = ladder; p < ladderEnd; p += 8) {
    const key = load<f64>(p);
    put<i32>(list, n, <i32>(reinterpret<u64>(key) & classBits));
    n += i32(key > leastScore<S>());
  }
  if (problem.sets == 0) closeList(list, n, at<i32>(truth, 0));
  put<i32>(problem.listed, i, n);
}

/**
 * Of the list of n just made, without all but the first `kept` of the best of the rest, an even number: how long it is. What is left out
 * stands at its end.
 */
export function lengthKeeping<S>(problem: Problem, n: i32, kept: i32): i32 {
  for (let r = kept; r < problem.extra; ++r) n -= i32(at<f64>(problem.best, r) > leastScore<S>());
  return n;
}

/**
 * No score of a class that is neither true nor on that list is higher than this: the highest left out on either side, but for its last
 * bits.
 */
export function highestBeyond<S>(problem: Problem, kept: i32): f64 {
  const r = min(kept, problem.extra - 2); // with all of them kept, the lowest of those
  const key = Math.max(at<f64>(problem.best, r), at<f64>(problem.best, r + 1));
  if (!(key > leastScore<S>())) return -Infinity;
  return key + Math.abs(key) * (<f64>problem.m * 2 * f64.EPSILON) + f64.MIN_NORMAL_VALUE;
}

/**
 * Pushes the scores uPtr: S[m'] down the ladder problem.best: f64[extra], apart from those of classes with a
 * nonzero dual variable, which are listed in problem.classes instead. Returns their number.
 */
function climb<T, S>(problem: Problem, aPtr: usize, uPtr: usize, scoreBits: v128): i32 {
  const m = problem.m;
  const ladder = problem.best;
  const ladderEnd = ladder + (<usize>problem.extra << 3);
  for (let p = ladder; p < ladderEnd; p += 16) v128.store(p, f64x2.splat(noScore<S>()));
  let n = 0;
  let lowest = f32x4.splat(-Infinity);
  for (let j = 0; j < m; ) {
    if (sizeof<S>() == 4 && j + 4 <= m) {
      // Four at a time, as long as there is nothing to note.
      const nonzero = f32x4.ne(v128.load(aPtr + (<usize>j << 2)), f32x4.splat(0));
      const high = f32x4.gt(v128.load(uPtr + (<usize>j << 2)), lowest);
      if (!v128.any_true(v128.or(nonzero, high))) {
        j += 4;
        continue;
      }
    }
    const end = min(j + (sizeof<S>() == 4 ? 4 : 2), m);
    for (; j < end; j += 2) n = climbPair<T, S>(problem, aPtr, uPtr, j, n, scoreBits);
    if (sizeof<S>() == 4) {
      // The last bits do not reach to float32.
      const low = f32x4.demote_f64x2_zero(v128.load(ladderEnd - 16));
      lowest = v128.shuffle<i64>(low, low, 0, 0);
    }
  }
  return n;
}

/** The same for classes j and j + 1. */
// @ts-ignore: decorator
@inline
function climbPair<T, S>(problem: Problem, aPtr: usize, uPtr: usize, j: i32, listed: i32, scoreBits: v128): i32 {
  const classes = problem.classes;
  const ladder = problem.best;
  const ladderEnd = ladder + (<usize>problem.extra << 3);
  const u = loadPair<S>(uPtr + (<usize>j << alignof<S>()));
  let n = listed;
  let key = v128.or(v128.and(u, scoreBits), i64x2.add(i64x2.splat(j), i64x2(0, 1)));
  const nonzero = f64x2.ne(loadPair<T>(aPtr + (<usize>j << alignof<T>())), f64x2.splat(0));
  if (v128.any_true(nonzero)) {
    put<i32>(classes, n, j);
    n += i32(at<T>(aPtr, j) != 0);
    put<i32>(classes, n, j + 1);
    n += i32(j + 1 < problem.m && at<T>(aPtr, j + 1) != 0);
    key = v128.bitselect(f64x2.splat(noScore<S>()), key, nonzero);
  }
  if (!v128.any_true(f64x2.gt(key, v128.load(ladderEnd - 16)))) return n;
  for (let p = ladder; p < ladderEnd; p += 16) {
    const held = v128.load(p);
    v128.store(p, f64x2.pmax(held, key));
    key = f64x2.pmin(held, key);
  }
  return n;
}

/** The longest ladder that stays in registers. */
const SHORT_LADDER: i32 = 12;

/** The same with so short a ladder that to push every score down it is quicker than to foresee which ones stay. */
function climbShort<T, S>(problem: Problem, aPtr: usize, uPtr: usize, scoreBits: v128): i32 {
  const m = problem.m;
  const classes = problem.classes;
  const none = f64x2.splat(noScore<S>());
  let h0 = none;
  let h1 = none;
  let h2 = none;
  let h3 = none;
  let h4 = none;
  let h5 = none;
  let n = 0;
  let pair = i64x2(0, 1);
  for (let j = 0; j < m; j += 2, pair = i64x2.add(pair, i64x2.splat(2))) {
    const u = loadPair<S>(uPtr + (<usize>j << alignof<S>()));
    let nonzero = f64x2.ne(loadPair<T>(aPtr + (<usize>j << alignof<T>())), f64x2.splat(0));
    if (j + 1 == m) nonzero = v128.and(nonzero, i64x2(-1, 0));
    const bits = i64x2.bitmask(nonzero);
    put<i32>(classes, n, j);
    n += bits & 1;
    put<i32>(classes, n, j + 1);
    n += bits >> 1;
    let key = v128.bitselect(none, v128.or(v128.and(u, scoreBits), pair), nonzero);
    let rest = f64x2.pmin(h0, key);
    h0 = f64x2.pmax(h0, key);
    key = f64x2.pmin(h1, rest);
    h1 = f64x2.pmax(h1, rest);
    rest = f64x2.pmin(h2, key);
    h2 = f64x2.pmax(h2, key);
    key = f64x2.pmin(h3, rest);
    h3 = f64x2.pmax(h3, rest);
    rest = f64x2.pmin(h4, key);
    h4 = f64x2.pmax(h4, key);
    h5 = f64x2.pmax(h5, rest);
  }
  const ladder = problem.best;
  const half = problem.extra >> 1;
  v128.store(ladder, h0);
  v128.store(ladder, h1, 16);
  if (half > 2) v128.store(ladder, h2, 32);
  if (half > 3) v128.store(ladder, h3, 48);
  if (half > 4) v128.store(ladder, h4, 64);
  if (half > 5) v128.store(ladder, h5, 80);
  return n;
}

/** Removes the t true classes from a list of n, both ascending; returns what is left of n. */
function leaveOut(listPtr: usize, n: i32, truthPtr: usize, t: i32): i32 {
  let next = 0;
  let kept = 0;
  for (let c = 0; c < n; ++c) {
    const j = at<i32>(listPtr, c);
    while (next < t && at<i32>(truthPtr, next) < j) ++next;
    if (next < t && at<i32>(truthPtr, next) == j) continue;
    put<i32>(listPtr, kept++, j);
  }
  return kept;
}

/** All examples, u32[n], in their order. */
export function listAll(orderPtr: usize, n: i32): void {
  for (let i = 0; i < n; ++i) put<u32>(orderPtr, i, i);
}

/**
 * Keeps of the examples orderPtr: u32[count] those whose entry of `gaps` exceeds `fraction` of the mean over them, in their
 * order; returns their number. The others hold less than that fraction of the sum together.
 */
export function keepActive(problem: Problem, orderPtr: usize, count: i32, fraction: f64): i32 {
  let total: f64 = 0;
  for (let e = 0; e < count; ++e) total += at<f64>(problem.gaps, at<u32>(orderPtr, e));
  const least = (total / <f64>count) * fraction;
  let kept = 0;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    if (at<f64>(problem.gaps, i) > least) put<u32>(orderPtr, kept++, i);
  }
  return kept > 0 ? kept : count; // all zero, or too large to be added up
}
