import { at, lanes, loadAs, madd, put } from "./simd";

/** y += a x for the two vectors from a place on. */
// @ts-ignore: decorator
@inline
function addTwo<T>(y: usize, a: v128, x0: v128, x1: v128): void {
  v128.store(y, madd<T>(a, x0, v128.load(y)));
  v128.store(y, madd<T>(a, x1, v128.load(y, 16)), 16);
}

/** Bytes of x, stored in T, that make a vector of S. */
// @ts-ignore: decorator
@inline
function bytesOfVector<T, S>(): usize {
  return (16 / sizeof<S>()) * sizeof<T>();
}

/** y += alpha x in S, for x stored in T. yPtr: S[d]; xPtr: T[d], d a multiple of 16 / sizeof<T>(). */
// @ts-ignore: decorator
@inline
export function axpy<T, S>(yPtr: usize, alpha: S, xPtr: usize, d: i32): void {
  const a = v128.splat<S>(alpha);
  const bytes = bytesOfVector<T, S>();
  const end = xPtr + (<usize>d << alignof<T>());
  let y = yPtr;
  let x = xPtr;
  for (; x + bytes < end; x += 2 * bytes, y += 32) addTwo<S>(y, a, loadAs<T, S>(x), loadAs<T, S>(x + bytes));
  if (x < end) v128.store(y, madd<S>(a, loadAs<T, S>(x), v128.load(y)));
}

/**
 * `axpy` for four classes, whose rows share each load of x: what a turn of a loop takes beside its products is as much
 * again. Measured: four rows and two vectors a turn take five eighths of the time of one and one, more of either no
 * less.
 */
function axpy4<T, S>(y0: usize, y1: usize, y2: usize, y3: usize, alphas: usize, xPtr: usize, d: i32): void {
  const a0 = v128.splat<S>(<S>at<T>(alphas, 0));
  const a1 = v128.splat<S>(<S>at<T>(alphas, 1));
  const a2 = v128.splat<S>(<S>at<T>(alphas, 2));
  const a3 = v128.splat<S>(<S>at<T>(alphas, 3));
  const bytes = bytesOfVector<T, S>();
  const end = xPtr + (<usize>d << alignof<T>());
  let x = xPtr;
  for (; x + bytes < end; x += 2 * bytes) {
    const x0 = loadAs<T, S>(x);
    const x1 = loadAs<T, S>(x + bytes);
    addTwo<S>(y0, a0, x0, x1);
    addTwo<S>(y1, a1, x0, x1);
    addTwo<S>(y2, a2, x0, x1);
    addTwo<S>(y3, a3, x0, x1);
    y0 += 32;
    y1 += 32;
    y2 += 32;
    y3 += 32;
  }
  if (x == end) return;
  const x0 = loadAs<T, S>(x);
  v128.store(y0, madd<S>(a0, x0, v128.load(y0)));
  v128.store(y1, madd<S>(a1, x0, v128.load(y1)));
  v128.store(y2, madd<S>(a2, x0, v128.load(y2)));
  v128.store(y3, madd<S>(a3, x0, v128.load(y3)));
}

/**
 * Sparse rank-1 update W += delta x^T over the classes whose dual variable has changed, each once, in S.
 * WPtr: S[m][ld]; xPtr: T[d]; classesPtr: i32[count]; deltasPtr: T[count]. O(count d).
 */
export function rankOne<T, S>(
  WPtr: usize,
  ld: i32,
  xPtr: usize,
  d: i32,
  classesPtr: usize,
  deltasPtr: usize,
  count: i32,
): void {
  const rowBytes = <usize>ld << alignof<S>();
  let c = 0;
  for (; c + 4 <= count; c += 4) {
    axpy4<T, S>(
      WPtr + <usize>at<i32>(classesPtr, c) * rowBytes,
      WPtr + <usize>at<i32>(classesPtr, c + 1) * rowBytes,
      WPtr + <usize>at<i32>(classesPtr, c + 2) * rowBytes,
      WPtr + <usize>at<i32>(classesPtr, c + 3) * rowBytes,
      deltasPtr + (<usize>c << alignof<T>()),
      xPtr,
      d,
    );
  }
  for (; c < count; ++c) {
    axpy<T, S>(WPtr + <usize>at<i32>(classesPtr, c) * rowBytes, <S>at<T>(deltasPtr, c), xPtr, d);
  }
}

/**
 * y += alpha_0 x_0 + alpha_1 x_1 + ..., in this order and in S, for rows stored in T.
 * yPtr: S[d]; alphasPtr: S[count]; rowsPtr: usize[count], pointers to T[d]. Four rows at a time share the loads of y.
 */
export function addMultiples<T, S>(yPtr: usize, alphasPtr: usize, rowsPtr: usize, count: i32, d: i32): void {
  const step = <usize>lanes<S>() << alignof<T>();
  const yEnd = yPtr + (<usize>d << alignof<S>());
  let c = 0;
  for (; c + 4 <= count; c += 4) {
    const a0 = v128.splat<S>(at<S>(alphasPtr, c));
    const a1 = v128.splat<S>(at<S>(alphasPtr, c + 1));
    const a2 = v128.splat<S>(at<S>(alphasPtr, c + 2));
    const a3 = v128.splat<S>(at<S>(alphasPtr, c + 3));
    let x0 = at<usize>(rowsPtr, c);
    let x1 = at<usize>(rowsPtr, c + 1);
    let x2 = at<usize>(rowsPtr, c + 2);
    let x3 = at<usize>(rowsPtr, c + 3);
    let y = yPtr;
    for (; y + 16 < yEnd; y += 32) {
      let sum = madd<S>(a0, loadAs<T, S>(x0), v128.load(y));
      sum = madd<S>(a1, loadAs<T, S>(x1), sum);
      sum = madd<S>(a2, loadAs<T, S>(x2), sum);
      v128.store(y, madd<S>(a3, loadAs<T, S>(x3), sum));
      let next = madd<S>(a0, loadAs<T, S>(x0 + step), v128.load(y, 16));
      next = madd<S>(a1, loadAs<T, S>(x1 + step), next);
      next = madd<S>(a2, loadAs<T, S>(x2 + step), next);
      v128.store(y, madd<S>(a3, loadAs<T, S>(x3 + step), next), 16);
      x0 += 2 * step;
      x1 += 2 * step;
      x2 += 2 * step;
      x3 += 2 * step;
    }
    if (y == yEnd) continue;
    let sum = madd<S>(a0, loadAs<T, S>(x0), v128.load(y));
    sum = madd<S>(a1, loadAs<T, S>(x1), sum);
    sum = madd<S>(a2, loadAs<T, S>(x2), sum);
    v128.store(y, madd<S>(a3, loadAs<T, S>(x3), sum));
  }
  for (; c < count; ++c) {
    const a = v128.splat<S>(at<S>(alphasPtr, c));
    for (let x = at<usize>(rowsPtr, c), y = yPtr; y < yEnd; x += step, y += 16) {
      v128.store(y, madd<S>(a, loadAs<T, S>(x), v128.load(y)));
    }
  }
}

/** Rounds fromPtr: f64[count] into toPtr: T[count]. */
export function round<T>(fromPtr: usize, toPtr: usize, count: i32): void {
  for (let l = 0; l < count; ++l) put<T>(toPtr, l, <T>at<f64>(fromPtr, l));
}
