/** The few 128-bit idioms the kernels share. A vector holds 16 / sizeof<T>() lanes of T, so one source serves f32 and f64. */

/** a * b + c, rounded twice: relaxed fused multiply-add differs between processors, and equal seeds promise equal bits. */
// @ts-ignore: decorator
@inline
export function madd<T>(a: v128, b: v128, c: v128): v128 {
  return v128.add<T>(c, v128.mul<T>(a, b));
}

/** Sum of the lanes, pairwise. */
// @ts-ignore: decorator
@inline
export function sumLanes<T>(v: v128): T {
  if (sizeof<T>() == 4) {
    return <T>(
      (f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3)))
    );
  }
  return <T>(f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1));
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

/** The largest T not above v >= 0. */
// @ts-ignore: decorator
@inline
export function roundDown<T>(v: f64): f64 {
  if (sizeof<T>() == 8) return v;
  const c = <f32>v;
  return <f64>(<f64>c > v ? reinterpret<f32>(reinterpret<u32>(c) - 1) : c);
}

/** v cut into [0, hi]. Comparisons, not Math.min and Math.max: those have NaN and -0 to care for, at several times the cost. */
// @ts-ignore: decorator
@inline
export function clamp(v: f64, hi: f64): f64 {
  const positive = select<f64>(v, 0, v > 0);
  return select<f64>(positive, hi, positive < hi);
}
