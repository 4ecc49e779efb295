import { at, bitOfEach, clamp, keepLanes, lanes, put, sumLanes } from "./simd";

/** Sum of xPtr: f64[n]. */
export function sum(xPtr: usize, n: i32): f64 {
  let p = f64x2.splat(0);
  let q = p;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const ptr = xPtr + (<usize>j << 3);
    p = f64x2.add(p, v128.load(ptr));
    q = f64x2.add(q, v128.load(ptr, 16));
  }
  let s = sumLanes<f64>(f64x2.add(p, q));
  for (; j < n; ++j) s += at<f64>(xPtr, j);
  return s;
}

/** The n-th part of that, also where the sum overflows. */
export function mean(xPtr: usize, n: i32): f64 {
  const total = sum(xPtr, n);
  if (Math.abs(total) < Infinity) return total / <f64>n;
  let s: f64 = 0;
  for (let j = 0; j < n; ++j) s += at<f64>(xPtr, j) / <f64>n;
  return s;
}

/**
 * The sum with what rounding takes away summed up, too, as if in twice the precision: practically the rounded sum,
 * whatever the order. Ogita, Rump and Oishi, *Accurate sum and dot product* (SIAM Journal on Scientific Computing 26,
 * 2005).
 */
export function sumAccurately(xPtr: usize, n: i32): f64 {
  let s: f64 = 0;
  let rest: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const x = at<f64>(xPtr, j);
    if (x == 0) continue;
    const next = s + x;
    const part = next - s;
    rest += s - (next - part) + (x - part);
    s = next;
  }
  return s + rest;
}

/** xPtr: f64[n] all set to value. */
export function fill(xPtr: usize, n: i32, value: f64): void {
  for (let j = 0; j < n; ++j) put<f64>(xPtr, j, value);
}

/** Whether aPtr and bPtr: T[n] are equal, 0 and -0 being so. For short ones: a call of memory.compare takes longer. */
export function areEqual<T>(aPtr: usize, bPtr: usize, n: i32): bool {
  for (let j = 0; j < n; ++j) if (at<T>(aPtr, j) != at<T>(bPtr, j)) return false;
  return true;
}

/** How many of xPtr: T[n] are not zero. */
export function countNonzeros<T>(xPtr: usize, n: i32): i32 {
  const whole = n & -lanes<T>();
  let count = n;
  for (let j = 0; j < whole; j += lanes<T>()) {
    const zero = v128.eq<T>(v128.load(xPtr + (<usize>j << alignof<T>())), v128.splat<T>(<T>0));
    count -= popcnt<i32>(bitOfEach<T>(zero));
  }
  for (let j = whole; j < n; ++j) count -= i32(at<T>(xPtr, j) == 0);
  return count;
}

/** value is added to each of xPtr: f64[n], and to one behind them where n is odd. */
export function shift(xPtr: usize, n: i32, value: f64): void {
  const end = xPtr + (<usize>n << 3);
  const v = f64x2.splat(value);
  for (let p = xPtr; p < end; p += 16) v128.store(p, f64x2.add(v128.load(p), v));
}

/** Each of xPtr: T[n], and what is behind them in the last vector, is multiplied by value. */
export function scale<T>(xPtr: usize, n: i32, value: T): void {
  if (value == 1) return;
  const end = xPtr + (<usize>n << alignof<T>());
  const v = v128.splat<T>(value);
  for (let p = xPtr; p < end; p += 16) v128.store(p, v128.mul<T>(v128.load(p), v));
}

/** Each of xPtr: f64[n], and what is behind them in the last vector, is divided by value. */
export function divide(xPtr: usize, n: i32, value: f64): void {
  if (value == 1) return;
  const end = xPtr + (<usize>n << 3);
  const v = f64x2.splat(value);
  for (let p = xPtr; p < end; p += 16) v128.store(p, f64x2.div(v128.load(p), v));
}

/** Each of xPtr: f64[n] changes its sign; 0 stays 0. */
export function negate(xPtr: usize, n: i32): void {
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const p = xPtr + (<usize>j << 3);
    v128.store(p, f64x2.sub(f64x2.splat(0), v128.load(p)));
  }
  if (j < n) put<f64>(xPtr, j, 0 - at<f64>(xPtr, j));
}

/** x_j -> min(max(x_j, 0), hi) on xPtr: f64[n]. Returns their sum. */
export function clampAll(xPtr: usize, n: i32, hi: f64): f64 {
  const zero = f64x2.splat(0);
  let total = zero;
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const p = xPtr + (<usize>j << 3);
    const x = f64x2.pmin(f64x2.pmax(zero, v128.load(p)), f64x2.splat(hi));
    v128.store(p, x);
    total = f64x2.add(total, x);
  }
  if (j == n) return sumLanes<f64>(total);
  const x = clamp(at<f64>(xPtr, j), hi);
  put<f64>(xPtr, j, x);
  return sumLanes<f64>(total) + x;
}

/**
 * The x_j - pivot above `least`, of xPtr: f64[n], to outPtr: f64[n]; returns their number. By pairs, most of which have
 * none.
 */
export function keepAbove(xPtr: usize, n: i32, pivot: f64, least: f64, outPtr: usize): i32 {
  let count = 0;
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const pair = f64x2.sub(v128.load(xPtr + (<usize>j << 3)), f64x2.splat(pivot));
    const above = i64x2.bitmask(f64x2.gt(pair, f64x2.splat(least)));
    if (above == 0) continue;
    put<f64>(outPtr, count, f64x2.extract_lane(pair, 0));
    count += above & 1;
    put<f64>(outPtr, count, f64x2.extract_lane(pair, 1));
    count += above >> 1;
  }
  if (j < n) {
    const v = at<f64>(xPtr, j) - pivot;
    put<f64>(outPtr, count, v);
    count += i32(v > least);
  }
  return count;
}

/** Elements that are looked at together where few are above a level. */
export const AT_ONCE: i32 = 8;

/** Whether any of AT_ONCE elements at ptr: f64 is above the level. */
// @ts-ignore: decorator
@inline
export function anyAbove(ptr: usize, level: f64): bool {
  const low = f64x2.pmax(v128.load(ptr), v128.load(ptr, 16));
  const high = f64x2.pmax(v128.load(ptr, 32), v128.load(ptr, 48));
  return v128.any_true(f64x2.gt(f64x2.pmax(low, high), f64x2.splat(level)));
}

/**
 * The places of those of xPtr: T[n] above the level to placesPtr: i32[n]; returns their number. Of float64 most are
 * passed over together.
 */
export function placesAbove<T>(xPtr: usize, n: i32, level: f64, placesPtr: usize): i32 {
  let count = 0;
  for (let j = 0; j < n; j += AT_ONCE) {
    const end = min(j + AT_ONCE, n);
    if (sizeof<T>() == 8 && end == j + AT_ONCE && !anyAbove(xPtr + (<usize>j << 3), level)) continue;
    for (let l = j; l < end; ++l) if (<f64>at<T>(xPtr, l) > level) put<i32>(placesPtr, count++, l);
  }
  return count;
}

/**
 * Those of xPtr: T[n] that are not zero to outPtr: T[n], which may be the same, and their places, the first element
 * being at `first`, to placesPtr: i32[n]; returns their number. What is behind them is undefined.
 */
export function keepNonzeros<T>(xPtr: usize, n: i32, first: i32, placesPtr: usize, outPtr: usize): i32 {
  let count = 0;
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    const x = v128.load(xPtr + (<usize>j << alignof<T>()));
    const nonzero = bitOfEach<T>(v128.ne<T>(x, v128.splat<T>(<T>0)));
    if (sizeof<T>() == 4) {
      const places = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first + j));
      v128.store(outPtr + (<usize>count << 2), keepLanes(x, nonzero));
      v128.store(placesPtr + (<usize>count << 2), keepLanes(places, nonzero));
    } else if (nonzero != 0) {
      const next = count + (nonzero & 1);
      put<i32>(placesPtr, count, first + j);
      put<f64>(outPtr, count, f64x2.extract_lane(x, 0));
      put<i32>(placesPtr, next, first + j + 1);
      put<f64>(outPtr, next, f64x2.extract_lane(x, 1));
    }
    count += popcnt<i32>(nonzero);
  }
  for (; j < n; ++j) {
    const x = at<T>(xPtr, j);
    put<i32>(placesPtr, count, first + j);
    put<T>(outPtr, count, x);
    count += i32(x != 0);
  }
  return count;
}

/** sum_j min(max(x_j - t, 0), hi) of xPtr: f64[n]. */
export function sumClamped(xPtr: usize, n: i32, t: f64, hi: f64): f64 {
  const level = f64x2.splat(t);
  const zero = f64x2.splat(0);
  const most = f64x2.splat(hi);
  let p = zero;
  let q = zero;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const ptr = xPtr + (<usize>j << 3);
    p = f64x2.add(p, f64x2.pmin(most, f64x2.pmax(zero, f64x2.sub(v128.load(ptr), level))));
    q = f64x2.add(q, f64x2.pmin(most, f64x2.pmax(zero, f64x2.sub(v128.load(ptr, 16), level))));
  }
  let s = sumLanes<f64>(f64x2.add(p, q));
  for (; j < n; ++j) s += clamp(at<f64>(xPtr, j) - t, hi);
  return s;
}
