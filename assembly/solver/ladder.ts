import { Problem } from "../data/problem";
import { at, loadPair, put } from "../linalg/simd";

/**
 * The highest scores of an example, for its list of candidates: keys, to problem.best: f64[extra], half of them of even
 * classes, half of odd ones, each in a lane of a vector, found by pushing every score down a ladder of the highest so
 * far. The class sits in the last bits of its score, so that maximum and minimum are all it takes: which way a
 * comparison goes is unpredictable, and branches would cost several times as much.
 */

/** Below every score in S, whatever is written into its last bits. Not -Infinity: that would become NaN. */
// @ts-ignore: decorator
@inline
export function noScore<S>(): f64 {
  return sizeof<S>() == 4 ? -3e38 : -1e308;
}
/** Between that and every score. */
// @ts-ignore: decorator
@inline
export function leastScore<S>(): f64 {
  return sizeof<S>() == 4 ? -2e38 : -9e307;
}

// @ts-ignore: decorator
@inline
function classBits(m: i32): u64 {
  return (<u64>1 << (64 - clz<u64>(<u64>m))) - 1;
}

/** Which of the m classes it is that has such a key. */
// @ts-ignore: decorator
@inline
export function classOf(key: f64, m: i32): i32 {
  return <i32>(reinterpret<u64>(key) & classBits(m));
}

/** The longest ladder that stays in registers. */
const SHORT_LADDER: i32 = 12;

/** Whether classes that are likely to be among the highest should come first. */
export function climbsFromSeeds(problem: Problem): bool {
  return problem.extra > SHORT_LADDER;
}

/**
 * Climbs with the scores uPtr: S[m']. Before them come those of `count` classes seeds: i32[count], seedScores:
 * f64[count], if any, which uPtr does not hold as well.
 */
export function climb<S>(problem: Problem, uPtr: usize, seeds: usize, seedScores: usize, count: i32): void {
  if (climbsFromSeeds(problem)) climbLong<S>(problem, uPtr, seeds, seedScores, count);
  else climbShort<S>(problem, uPtr);
}

// @ts-ignore: decorator
@inline
function push(ladder: usize, ladderEnd: usize, keys: v128): void {
  let key = keys;
  for (let p = ladder; p < ladderEnd; p += 16) {
    const held = v128.load(p);
    v128.store(p, f64x2.pmax(held, key));
    key = f64x2.pmin(held, key);
  }
}

/** Once the ladder is full few scores are as high as its last rung, and the sooner the higher the first ones are. */
function climbLong<S>(problem: Problem, uPtr: usize, seeds: usize, seedScores: usize, count: i32): void {
  const m = problem.m;
  const ladder = problem.best;
  const ladderEnd = ladder + (<usize>problem.extra << 3);
  const scoreBits = i64x2.splat(~classBits(m));
  for (let p = ladder; p < ladderEnd; p += 16) v128.store(p, f64x2.splat(noScore<S>()));

  const keys = problem.scores;
  const pairs = pairKeys<S>(keys, seeds, seedScores, count, ~classBits(m));
  for (let p = keys; p < keys + (<usize>pairs << 4); p += 16) push(ladder, ladderEnd, v128.load(p));

  let lowest = lowestRung(ladderEnd);
  for (let j = 0; j < m; ) {
    if (sizeof<S>() == 4 && j + 8 <= m) {
      // Eight at a time, as long as there is nothing to note.
      const u = uPtr + (<usize>j << 2);
      if (!v128.any_true(v128.or(f32x4.gt(v128.load(u), lowest), f32x4.gt(v128.load(u, 16), lowest)))) {
        j += 8;
        continue;
      }
    }
    const end = min(j + (sizeof<S>() == 4 ? 8 : 2), m);
    for (; j < end; j += 2) {
      const u = loadPair<S>(uPtr + (<usize>j << alignof<S>()));
      const key = v128.or(v128.and(u, scoreBits), i64x2.add(i64x2.splat(j), i64x2(0, 1)));
      if (v128.any_true(f64x2.gt(key, v128.load(ladderEnd - 16)))) push(ladder, ladderEnd, key);
    }
    if (sizeof<S>() == 4) lowest = lowestRung(ladderEnd);
  }
}

/** The lower key of either side on the last rung, in float32, where the class has no bits: in two lanes each. */
// @ts-ignore: decorator
@inline
function lowestRung(ladderEnd: usize): v128 {
  const low = f32x4.demote_f64x2_zero(v128.load(ladderEnd - 16));
  return v128.shuffle<i64>(low, low, 0, 0);
}

/** Keys of classes, i32[count], even and odd ones side by side, to keys: f64[pairs][2]. Returns the number of pairs. */
function pairKeys<S>(keys: usize, classes: usize, scores: usize, count: i32, scoreBits: u64): i32 {
  let even = 0;
  let odd = 0;
  for (let c = 0; c < count; ++c) {
    const j = at<i32>(classes, c);
    const key = (at<u64>(scores, c) & scoreBits) | <u64>j;
    put<u64>(keys, 2 * even, key);
    put<u64>(keys, 2 * odd + 1, key);
    even += 1 - (j & 1);
    odd += j & 1;
  }
  for (let c = even; c <= odd; ++c) put<f64>(keys, 2 * c, noScore<S>());
  for (let c = odd; c <= even; ++c) put<f64>(keys, 2 * c + 1, noScore<S>());
  return max(even, odd);
}

/** With so short a ladder to push every score down it is quicker than to foresee which ones stay. */
function climbShort<S>(problem: Problem, uPtr: usize): void {
  const m = problem.m;
  const scoreBits = i64x2.splat(~classBits(m));
  const none = f64x2.splat(noScore<S>());
  let h0 = none;
  let h1 = none;
  let h2 = none;
  let h3 = none;
  let h4 = none;
  let h5 = none;
  let pair = i64x2(0, 1);
  for (let j = 0; j < m; j += 2, pair = i64x2.add(pair, i64x2.splat(2))) {
    const u = loadPair<S>(uPtr + (<usize>j << alignof<S>()));
    let key = v128.or(v128.and(u, scoreBits), pair);
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
}
