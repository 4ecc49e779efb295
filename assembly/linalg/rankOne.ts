import { at, loadPair, madd, put } from "./simd";

/** y += alpha x, in the storage precision. yPtr, xPtr: T[d], d a multiple of 16 / sizeof<T>(). */
// @ts-ignore: decorator
@inline
function axpy<T>(yPtr: usize, alpha: T, xPtr: usize, d: i32): void {
  const a = v128.splat<T>(alpha);
  const end = xPtr + (<usize>d << alignof<T>());
  let y = yPtr;
  for (let x = xPtr; x < end; x += 16, y += 16) v128.store(y, madd<T>(a, v128.load(x), v128.load(y)));
}

/**
 * Sparse rank-1 update W += delta x^T over the classes whose dual variable has changed.
 * WPtr: T[m][ld]; xPtr: T[d]; classesPtr: i32[count]; deltasPtr: T[count]. O(count d).
 */
export function rankOne<T>(
  WPtr: usize,
  ld: i32,
  xPtr: usize,
  d: i32,
  classesPtr: usize,
  deltasPtr: usize,
  count: i32,
): void {
  const rowBytes = <usize>ld << alignof<T>();
  for (let c = 0; c < count; ++c) {
    axpy<T>(WPtr + <usize>at<i32>(classesPtr, c) * rowBytes, at<T>(deltasPtr, c), xPtr, d);
  }
}

/** y += alpha x in float64 for a row x stored in T. yPtr: f64[d]; xPtr: T[d]. */
export function axpyInFloat64<T>(yPtr: usize, alpha: f64, xPtr: usize, d: i32): void {
  const a = f64x2.splat(alpha);
  const pairBytes = <usize>2 << alignof<T>();
  const end = xPtr + (<usize>d << alignof<T>());
  let y = yPtr;
  for (let x = xPtr; x < end; x += pairBytes, y += 16) v128.store(y, madd<f64>(a, loadPair<T>(x), v128.load(y)));
}

/** Rounds fromPtr: f64[count] into toPtr: T[count]. */
export function round<T>(fromPtr: usize, toPtr: usize, count: i32): void {
  for (let l = 0; l < count; ++l) put<T>(toPtr, l, <T>at<f64>(fromPtr, l));
}
