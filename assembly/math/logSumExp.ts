import { addWide, at, firstLanes, lanes, loadNarrow, maxLane, narrow, put, sumLanes } from "../linalg/simd";
import { exp, expOfLanes, logOfLanes, smallest } from "./expLog";

/** Largest of aPtr: f64[n]; -Infinity when n = 0. */
export function maximum(aPtr: usize, n: i32): f64 {
  // Two at a time, and two of those: the time goes into waiting for one comparison to feed the next.
  let p = f64x2.splat(-Infinity);
  let q = p;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const ptr = aPtr + (<usize>j << 3);
    p = f64x2.pmax(p, v128.load(ptr));
    q = f64x2.pmax(q, v128.load(ptr, 16));
  }
  for (; j < n; ++j) p = f64x2.pmax(p, v128.load64_splat(aPtr + (<usize>j << 3)));
  return maxLane(f64x2.pmax(p, q));
}

/** Largest of those of aPtr: f64[n] below the bound; -Infinity where there are none. */
export function maximumBelow(aPtr: usize, n: i32, bound: f64): f64 {
  const limit = f64x2.splat(bound);
  const none = f64x2.splat(-Infinity);
  let top = none;
  for (let j = 0; j < n; j += 2) {
    const ptr = aPtr + (<usize>j << 3);
    const a = j + 2 <= n ? v128.load(ptr) : v128.load64_splat(ptr);
    top = f64x2.pmax(top, v128.bitselect(a, none, f64x2.lt(a, limit)));
  }
  return maxLane(top);
}

/** Where the value stands first in aPtr: f64[n]; 0 if it does not. */
export function placeOf(aPtr: usize, n: i32, value: f64): i32 {
  const v = f64x2.splat(value);
  for (let j = 0; j + 2 <= n; j += 2) {
    const lane = i64x2.bitmask(f64x2.eq(v128.load(aPtr + (<usize>j << 3)), v));
    if (lane != 0) return j + ctz(lane);
  }
  return at<f64>(aPtr, n - 1) == value ? n - 1 : 0;
}

/** Where the largest of aPtr: f64[n] stands first; 0 if none of them is a number. */
export function placeOfMaximum(aPtr: usize, n: i32): i32 {
  return placeOf(aPtr, n, maximum(aPtr, n));
}

/** Sum of exp(a_j - shift) over aPtr: f64[n], the terms in S. */
export function sumExp<S>(aPtr: usize, n: i32, shift: f64): f64 {
  const s = f64x2.splat(shift);
  let sum = f64x2.splat(0);
  for (let j = 0; j < n; j += lanes<S>()) {
    const ptr = aPtr + (<usize>j << 3);
    let x = f64x2.sub(v128.load(ptr), s);
    if (sizeof<S>() == 4) x = narrow(x, n - j > 2 ? f64x2.sub(v128.load(ptr, 16), s) : f64x2.splat(0));
    sum = addWide<S>(sum, firstLanes<S>(expOfLanes<S>(x), n - j));
  }
  return sumLanes<f64>(sum);
}

/** The exponentials of aPtr: f64[n] less shift to outPtr: f64[n], which may be aPtr; returns their sum. */
export function expInto(aPtr: usize, n: i32, shift: f64, outPtr: usize): f64 {
  const s = f64x2.splat(shift);
  let sums = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const place = <usize>j << 3;
    const x = exp(f64x2.sub(v128.load(aPtr + place), s));
    v128.store(outPtr + place, x);
    sums = f64x2.add(sums, x);
  }
  let sum = sumLanes<f64>(sums);
  if (j < n) {
    const x = f64x2.extract_lane(exp(f64x2.splat(at<f64>(aPtr, j) - shift)), 0);
    put<f64>(outPtr, j, x);
    sum += x;
  }
  return sum;
}

/**
 * Sum of z_j log z_j over zPtr: f64[n], with 0 log 0 = 0 (subnormal z count as 0: they add next to nothing), the terms
 * in S.
 */
export function sumXLogX<S>(zPtr: usize, n: i32): f64 {
  const tiny = smallest<S>();
  let sum = f64x2.splat(0);
  for (let j = 0; j < n; j += lanes<S>()) {
    const z = firstLanes<S>(loadNarrow<S>(zPtr + (<usize>j << 3), n - j), n - j);
    const term = v128.mul<S>(z, logOfLanes<S>(v128.pmax<S>(z, tiny)));
    sum = addWide<S>(sum, v128.and(term, v128.ge<S>(z, tiny)));
  }
  return sumLanes<f64>(sum);
}
