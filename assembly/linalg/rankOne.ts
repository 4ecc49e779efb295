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

/**
 * y += alpha_0 x_0 + alpha_1 x_1 + ..., in this order and in float64, for rows stored in T.
 * yPtr: f64[d]; alphasPtr: f64[count]; rowsPtr: usize[count], pointers to T[d]. Four rows at a time share the loads of y.
 */
export function combineInFloat64<T>(yPtr: usize, alphasPtr: usize, rowsPtr: usize, count: i32, d: i32): void {
  const pairBytes = <usize>2 << alignof<T>();
  const yEnd = yPtr + (<usize>d << 3);
  let c = 0;
  for (; c + 4 <= count; c += 4) {
    const a0 = v128.load64_splat(alphasPtr + (<usize>c << 3));
    const a1 = v128.load64_splat(alphasPtr + (<usize>c << 3), 8);
    const a2 = v128.load64_splat(alphasPtr + (<usize>c << 3), 16);
    const a3 = v128.load64_splat(alphasPtr + (<usize>c << 3), 24);
    const x0 = at<usize>(rowsPtr, c);
    let x1 = at<usize>(rowsPtr, c + 1) - x0;
    let x2 = at<usize>(rowsPtr, c + 2) - x0;
    let x3 = at<usize>(rowsPtr, c + 3) - x0;
    for (let x = x0, y = yPtr; y < yEnd; x += pairBytes, y += 16) {
      let sum = madd<f64>(a0, loadPair<T>(x), v128.load(y));
      sum = madd<f64>(a1, loadPair<T>(x + x1), sum);
      sum = madd<f64>(a2, loadPair<T>(x + x2), sum);
      v128.store(y, madd<f64>(a3, loadPair<T>(x + x3), sum));
    }
  }
  for (; c < count; ++c) {
    const a = v128.load64_splat(alphasPtr + (<usize>c << 3));
    for (let x = at<usize>(rowsPtr, c), y = yPtr; y < yEnd; x += pairBytes, y += 16) {
      v128.store(y, madd<f64>(a, loadPair<T>(x), v128.load(y)));
    }
  }
}

/** Rounds fromPtr: f64[count] into toPtr: T[count]. */
export function round<T>(fromPtr: usize, toPtr: usize, count: i32): void {
  for (let l = 0; l < count; ++l) put<T>(toPtr, l, <T>at<f64>(fromPtr, l));
}
