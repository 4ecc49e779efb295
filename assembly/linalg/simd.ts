/**
 * The few 128-bit idioms the kernels share. A vector holds 16 / sizeof<T>() lanes of T, so one source serves f32 and
 * f64.
 */

/**
 * a * b + c, rounded twice: relaxed fused multiply-add differs between processors, and equal seeds promise equal bits.
 */
// @ts-ignore: decorator
@inline
export function madd<T>(a: v128, b: v128, c: v128): v128 {
  return v128.add<T>(c, v128.mul<T>(a, b));
}

/** Sum of the lanes, pairwise; of integers they are two i64. */
// @ts-ignore: decorator
@inline
export function sumLanes<T>(v: v128): T {
  if (isInteger<T>()) return <T>(i64x2.extract_lane(v, 0) + i64x2.extract_lane(v, 1));
  if (sizeof<T>() == 4) {
    return <T>(
      (f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3)))
    );
  }
  return <T>(f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1));
}

/** The larger, or the smaller, of two float64 that are numbers. */
// @ts-ignore: decorator
@inline
export function maxLane(v: v128): f64 {
  const a = f64x2.extract_lane(v, 0);
  const b = f64x2.extract_lane(v, 1);
  return select<f64>(b, a, b > a);
}
// @ts-ignore: decorator
@inline
export function minLane(v: v128): f64 {
  const a = f64x2.extract_lane(v, 0);
  const b = f64x2.extract_lane(v, 1);
  return select<f64>(b, a, b < a);
}

/** Two consecutive elements of T, widened to f64x2. */
// @ts-ignore: decorator
@inline
export function loadPair<T>(ptr: usize): v128 {
  if (sizeof<T>() == 4) return f64x2.promote_low_f32x4(v128.load64_zero(ptr));
  return v128.load(ptr);
}

/** A vector of S from consecutive elements of T. */
// @ts-ignore: decorator
@inline
export function loadAs<T, S>(ptr: usize): v128 {
  if (sizeof<T>() == sizeof<S>()) return v128.load(ptr);
  return loadPair<T>(ptr);
}

/** The element of S at ptr in every lane. */
// @ts-ignore: decorator
@inline
export function splatAt<S>(ptr: usize): v128 {
  return sizeof<S>() == 4 ? v128.load32_splat(ptr) : v128.load64_splat(ptr);
}

/** Lanes of a vector of S. */
// @ts-ignore: decorator
@inline
export function lanes<S>(): i32 {
  return <i32>(16 / sizeof<S>());
}

/** Four float64 as float32. */
// @ts-ignore: decorator
@inline
export function narrow(low: v128, high: v128): v128 {
  return v128.shuffle<f64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
}

/** The next of `rest` float64 as one vector of S, rounded up to even, and back. */
// @ts-ignore: decorator
@inline
export function loadNarrow<S>(ptr: usize, rest: i32): v128 {
  if (sizeof<S>() == 8) return v128.load(ptr);
  return narrow(v128.load(ptr), rest > 2 ? v128.load(ptr, 16) : f64x2.splat(0));
}
// @ts-ignore: decorator
@inline
export function storeWide<S>(ptr: usize, rest: i32, v: v128): void {
  if (sizeof<S>() == 8) {
    v128.store(ptr, v);
  } else {
    v128.store(ptr, f64x2.promote_low_f32x4(v));
    if (rest > 2) v128.store(ptr, f64x2.promote_low_f32x4(v128.shuffle<f64>(v, v, 1, 1)), 16);
  }
}

/** All bits, then none. */
const masks = memory.data<u32>([-1, -1, -1, -1, 0, 0, 0, 0]);

/** The first `rest` lanes of v, the others 0. */
// @ts-ignore: decorator
@inline
export function firstLanes<S>(v: v128, rest: i32): v128 {
  if (rest >= lanes<S>()) return v;
  return v128.and(v, v128.load(masks + 16 - (<usize>rest << alignof<S>())));
}

/** A sum in float64, two lanes of it, and all lanes of v. */
// @ts-ignore: decorator
@inline
export function addWide<S>(sum: v128, v: v128): v128 {
  if (sizeof<S>() == 8) return f64x2.add(sum, v);
  return f64x2.add(f64x2.add(sum, f64x2.promote_low_f32x4(v)), f64x2.promote_low_f32x4(v128.shuffle<f64>(v, v, 1, 1)));
}

/** The highest bit of each lane of v, as a comparison has it, the first lane's lowest. */
// @ts-ignore: decorator
@inline
export function bitOfEach<S>(v: v128): i32 {
  return sizeof<S>() == 4 ? i32x4.bitmask(v) : i64x2.bitmask(v);
}

/** The i-th element of an array of T. */
// @ts-ignore: decorator
@inline
export function at<T>(ptr: usize, i: i32): T {
  return load<T>(ptr + (<usize>i << alignof<T>()));
}

/** Sets the i-th element of an array of T. */
// @ts-ignore: decorator
@inline
export function put<T>(ptr: usize, i: i32, value: T): void {
  store<T>(ptr + (<usize>i << alignof<T>()), value);
}

/** Where element j of ptr: f64[] is. */
// @ts-ignore: decorator
@inline
export function entry(ptr: usize, j: i32): usize {
  return ptr + (<usize>j << 3);
}

/** The largest T not above v >= 0. */
// @ts-ignore: decorator
@inline
export function roundDown<T>(v: f64): f64 {
  if (sizeof<T>() == 8) return v;
  const c = <f32>v;
  return <f64>(<f64>c > v ? reinterpret<f32>(reinterpret<u32>(c) - 1) : c);
}

/** The smallest T not below v, which may be negative. */
// @ts-ignore: decorator
@inline
export function roundUp<T>(v: f64): f64 {
  if (sizeof<T>() == 8) return v;
  const c = <f32>v;
  return <f64>(<f64>c < v ? reinterpret<f32>(reinterpret<i32>(c) + (v > 0 ? 1 : -1)) : c);
}

/**
 * v cut into [0, hi]. Comparisons, not Math.min and Math.max: those have NaN and -0 to care for, at several times the
 * cost.
 */
// @ts-ignore: decorator
@inline
export function clamp(v: f64, hi: f64): f64 {
  const positive = select<f64>(v, 0, v > 0);
  return select<f64>(positive, hi, positive < hi);
}

/**
 * For each set of four lanes, a bit each, the bytes of those of 32 bits one after the other; 0xff is none: u8[16][16].
 */
const together = memory.data<u32>([
  -1, -1, -1, -1, 0x03020100, -1, -1, -1, 0x07060504, -1, -1, -1, 0x03020100, 0x07060504, -1, -1,
  0x0b0a0908, -1, -1, -1, 0x03020100, 0x0b0a0908, -1, -1, 0x07060504, 0x0b0a0908, -1, -1, 0x03020100, 0x07060504, 0x0b0a0908, -1,
  0x0f0e0d0c, -1, -1, -1, 0x03020100, 0x0f0e0d0c, -1, -1, 0x07060504, 0x0f0e0d0c, -1, -1, 0x03020100, 0x07060504, 0x0f0e0d0c, -1,
  0x0b0a0908, 0x0f0e0d0c, -1, -1, 0x03020100, 0x0b0a0908, 0x0f0e0d0c, -1, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, -1,
  0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
], 16); // prettier-ignore

/** The lanes of v, of 32 bits, of which `which` has the bit, one after the other, and behind them zeros. */
// @ts-ignore: decorator
@inline
export function keepLanes(v: v128, which: i32): v128 {
  return i8x16.swizzle(v, v128.load(together + (<usize>which << 4)));
}
