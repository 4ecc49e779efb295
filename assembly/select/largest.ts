import { at, maxLane, put } from "../linalg/simd";
import { anyAbove, AT_ONCE } from "../linalg/vectors";
import { FIRST_DRAW, nextDraw, placeDrawn } from "../math/draw";

/**
 * Up to this many, one pass with a sorted list of the best so far beats partitioning (measured at 26 to 1000 classes).
 */
const INSERTION_LIMIT: i32 = 16;

/** Swaps elements i and j of an array of f64. */
// @ts-ignore: decorator
@inline
function swap(ptr: usize, i: i32, j: i32): void {
  const v = at<f64>(ptr, i);
  put<f64>(ptr, i, at<f64>(ptr, j));
  put<f64>(ptr, j, v);
}

/**
 * Writes the k largest of aPtr: f64[n] to outPtr[0..k), in no particular order except that outPtr[k - 1] is the
 * smallest of them, that is the k-th largest of all. outPtr: f64[n] scratch, distinct from aPtr. Requires 1 <= k <= n.
 * O(n) expected, whatever the order of the input.
 */
export function largest(aPtr: usize, n: i32, k: i32, outPtr: usize): void {
  if (k <= INSERTION_LIMIT) {
    insertLargest(aPtr, n, k, outPtr);
  } else {
    let count = k <= n >> 4 ? copyPromising(aPtr, n, k, outPtr) : 0;
    if (count < k) {
      memory.copy(outPtr, aPtr, <usize>n << 3);
      count = n;
    }
    partitionLargest(outPtr, count, k);
    let least = 0;
    for (let j = 1; j < k; ++j) if (at<f64>(outPtr, j) < at<f64>(outPtr, least)) least = j;
    swap(outPtr, least, k - 1);
  }
}

/**
 * Copies what is not below a level that a few more than k elements should reach, and returns how many that are: the
 * level is an element of a sample whose rank there is that of k, and some spreads of it more. Elements are drawn as in
 * `partitionLargest`.
 */
function copyPromising(aPtr: usize, n: i32, k: i32, outPtr: usize): i32 {
  const size = min(n >> 3, 4096);
  let draw = FIRST_DRAW;
  for (let j = 0; j < size; ++j) {
    draw = nextDraw(draw);
    put<f64>(outPtr, j, at<f64>(aPtr, placeDrawn(draw, n)));
  }
  const share = (<f64>k * <f64>size) / <f64>n;
  const rank = <i32>(share + 3 * Math.sqrt(share) + 4);
  partitionLargest(outPtr, size, rank);
  let level = Infinity;
  for (let j = 0; j < rank; ++j) level = select<f64>(at<f64>(outPtr, j), level, at<f64>(outPtr, j) < level);
  let count = 0;
  for (let j = 0; j < n; ++j) {
    const a = at<f64>(aPtr, j);
    if (a >= level) put<f64>(outPtr, count++, a);
  }
  return count;
}

/**
 * Of the first so many times k elements most are among the largest so far: to ask each would cost more than it saves.
 */
const OFTEN: i32 = 8;

/** The k largest so far at even places, and the k largest at odd ones, each descending: f64x2[INSERTION_LIMIT]. */
const largestOfEach = memory.data(16 * INSERTION_LIMIT, 16);

function insertLargest(aPtr: usize, n: i32, k: i32, outPtr: usize): void {
  const last = largestOfEach + (<usize>(k - 1) << 4);
  const none = f64x2.splat(-Infinity);
  for (let p = largestOfEach; p <= last; p += 16) v128.store(p, none);
  const pairs = n & -2;
  const often = min(pairs, OFTEN * k);
  let j = 0;
  for (; j < often; j += 2) insert(v128.load(aPtr + (<usize>j << 3)), last);
  let level = leastOf(last);
  for (; j < pairs; j += AT_ONCE) {
    if (j + AT_ONCE <= pairs && !anyAbove(aPtr + (<usize>j << 3), level)) continue;
    for (let l = j; l < min(j + AT_ONCE, pairs); l += 2) {
      const pair = v128.load(aPtr + (<usize>l << 3));
      if (!v128.any_true(f64x2.gt(pair, f64x2.splat(level)))) continue;
      insert(pair, last);
      level = leastOf(last);
    }
  }
  if (pairs < n) insert(f64x2.replace_lane(none, 0, at<f64>(aPtr, pairs)), last);
  takeLargest(k, last, outPtr);
}

/** With k elements that are no less on one of the sides, what is not above that is none of the k largest of all. */
// @ts-ignore: decorator
@inline
function leastOf(last: usize): f64 {
  return maxLane(v128.load(last));
}

/**
 * Both of a pair to their places among those of their side, of which the least goes. All are looked at: a loop that
 * ends in time, which nobody can foresee, takes two to four times as long.
 */
function insert(pair: v128, last: usize): void {
  for (let p = largestOfEach; p <= last; p += 16) {
    const other = v128.load(p);
    v128.store(p, f64x2.pmax(other, pair));
    pair = f64x2.pmin(other, pair);
  }
}

/**
 * The k largest of both sides: with the first of one side stands the last of the other, and so on, and the larger of
 * the two is one of them.
 */
function takeLargest(k: i32, last: usize, outPtr: usize): void {
  const ends = largestOfEach + last + 8;
  let least = Infinity;
  let place = 0;
  for (let r = 0, p = largestOfEach; r < k; ++r, p += 16) {
    const a = load<f64>(p);
    const b = load<f64>(ends - p);
    const v = select<f64>(b, a, b > a);
    put<f64>(outPtr, r, v);
    place = select<i32>(r, place, v < least);
    least = select<f64>(v, least, v < least);
  }
  swap(outPtr, place, k - 1);
}

/**
 * Hoare's quickselect: afterwards the k largest of ptr: f64[n] stand in its first k places. The pivot is the median of
 * three elements at places drawn from a fixed linear congruential sequence, so that no order of the input is a bad one.
 */
function partitionLargest(ptr: usize, n: i32, k: i32): void {
  let lo = 0;
  let hi = n - 1;
  let draw = FIRST_DRAW;
  while (lo < hi) {
    const span = hi - lo + 1;
    draw = nextDraw(draw);
    const a = at<f64>(ptr, lo + placeDrawn(draw, span));
    draw = nextDraw(draw);
    const b = at<f64>(ptr, lo + placeDrawn(draw, span));
    draw = nextDraw(draw);
    const c = at<f64>(ptr, lo + placeDrawn(draw, span));
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let i = lo;
    let j = hi;
    while (i <= j) {
      while (at<f64>(ptr, i) > pivot) ++i;
      while (at<f64>(ptr, j) < pivot) --j;
      if (i <= j) {
        swap(ptr, i, j);
        ++i;
        --j;
      }
    }
    // [lo, j] >= pivot >= [i, hi], and what lies between equals the pivot.
    if (k - 1 <= j) hi = j;
    else if (k - 1 >= i) lo = i;
    else return;
  }
}
