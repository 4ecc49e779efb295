import { CLASSES_AT_ONCE, distancesOfTwo, scoresOf, scoresOfTwo } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { exp } from "../math/expLog";
import { KernelMatrix, POLY, PRECOMPUTED, RBF } from "./kernelMatrix";

/** Whether a row is made of distances, see `RBF`. */
// @ts-ignore: decorator
@inline
function takesDistances(kernel: KernelMatrix): bool {
  return kernel.kind == RBF && !kernel.sparse;
}

/** The kernel's values at what is made of one example, ||x_i||^2 = own, and two others: see `productsOf`. */
function valuesAt(kernel: KernelMatrix, products: v128, own: f64, others: v128): v128 {
  let v = products;
  if (kernel.kind == RBF) {
    const distance2 = takesDistances(kernel) ? v : f64x2.sub(f64x2.add(f64x2.splat(own), others), f64x2.add(v, v));
    v = exp(f64x2.mul(f64x2.splat(-kernel.gamma), f64x2.pmax(f64x2.splat(0), distance2)));
  } else if (kernel.kind == POLY) {
    let base = f64x2.add(f64x2.mul(f64x2.splat(kernel.gamma), v), f64x2.splat(kernel.coef0));
    v = f64x2.splat(1);
    for (let power = kernel.degree; power > 0; power >>= 1) {
      if (power & 1) v = f64x2.mul(v, base);
      base = f64x2.mul(base, base);
    }
  }
  return f64x2.add(v, f64x2.splat(kernel.constant));
}

/** What is made of the e-th of the rows computed together: f64[ld + 4]. */
// @ts-ignore: decorator
@inline
export function productsAt(kernel: KernelMatrix, e: i32): usize {
  return kernel.products + ((<usize>e * <usize>(kernel.ld + 4)) << 3);
}

/**
 * <x_i, x_j>, or ||x_i - x_j||^2 for dense rows and a kernel of distances, for the examples i of a list, i32[size], and
 * the examples j of another, i32[count], which goes on to a multiple of four. Each is summed in the order of the
 * features, so that i and j may change places, and alike whichever examples come together.
 */
export function productsOf(kernel: KernelMatrix, listPtr: usize, size: i32, othersPtr: usize, count: i32): void {
  if (kernel.sparse) {
    for (let e = 0; e < size; ++e) {
      sparseProductsOf(kernel, at<i32>(listPtr, e), othersPtr, count, productsAt(kernel, e));
    }
    return;
  }
  const d = kernel.d;
  const X = kernel.X;
  const rowBytes = <usize>d << 3;
  for (let c = 0; c < count; c += CLASSES_AT_ONCE) {
    const group = othersPtr + (<usize>c << 2);
    const x0 = X + <usize>at<i32>(group, 0) * rowBytes;
    const x1 = X + <usize>at<i32>(group, 1) * rowBytes;
    const x2 = X + <usize>at<i32>(group, 2) * rowBytes;
    const x3 = X + <usize>at<i32>(group, 3) * rowBytes;
    const offset = <usize>c << 3;
    let e = 0;
    if (takesDistances(kernel)) {
      for (; e < size; e += 2) {
        const next = min(e + 1, size - 1);
        const out = productsAt(kernel, e) + offset;
        const further = productsAt(kernel, next) + offset;
        distancesOfTwo(x0, x1, x2, x3, rowOf(kernel, at<i32>(listPtr, e)), rowOf(kernel, at<i32>(listPtr, next)), d, out, further);
      }
    }
    for (; e + 2 <= size; e += 2) {
      const out = productsAt(kernel, e) + offset;
      const further = productsAt(kernel, e + 1) + offset;
      scoresOfTwo(x0, x1, x2, x3, rowOf(kernel, at<i32>(listPtr, e)), rowOf(kernel, at<i32>(listPtr, e + 1)), d, out, further);
    }
    if (e < size) {
      scoresOf<f64, f64>(X, d, group, CLASSES_AT_ONCE, rowOf(kernel, at<i32>(listPtr, e)), d, productsAt(kernel, e) + offset);
    }
  }
}

/** Inner products of sparse row i with those of a list, and with what follows to make them even. out: f64[count + 1]. */
function sparseProductsOf(kernel: KernelMatrix, i: i32, othersPtr: usize, count: i32, out: usize): void {
  const dense = kernel.dense;
  const end = at<u32>(kernel.indptr, i + 1);
  for (let p = at<u32>(kernel.indptr, i); p < end; ++p) put<f64>(dense, at<u32>(kernel.indices, p), at<f64>(kernel.X, p));
  for (let c = 0; c < ((count + 1) & -2); ++c) {
    const j = at<i32>(othersPtr, c);
    const rowEnd = at<u32>(kernel.indptr, j + 1);
    let sum: f64 = 0;
    for (let p = at<u32>(kernel.indptr, j); p < rowEnd; ++p) sum += at<f64>(kernel.X, p) * at<f64>(dense, at<u32>(kernel.indices, p));
    put<f64>(out, c, sum);
  }
  for (let p = at<u32>(kernel.indptr, i); p < end; ++p) put<f64>(dense, at<u32>(kernel.indices, p), 0);
}

// @ts-ignore: decorator
@inline
function rowOf(kernel: KernelMatrix, i: i32): usize {
  return kernel.X + ((<usize>i * <usize>kernel.d) << 3);
}

/**
 * K_ii in T, once row i is there, or what is not finite of it; ||x_i||^2 is taken note of. Summed as by `productsOf`.
 */
export function diagonal<T>(kernel: KernelMatrix, i: i32): f64 {
  if (kernel.kind == PRECOMPUTED) return <f64>load<T>(kernel.rows + ((<usize>i * <usize>(kernel.ld + 1)) << alignof<T>()));
  let square: f64 = 0;
  if (kernel.sparse) {
    const end = at<u32>(kernel.indptr, i + 1);
    for (let p = at<u32>(kernel.indptr, i); p < end; ++p) square += at<f64>(kernel.X, p) * at<f64>(kernel.X, p);
  } else {
    const row = rowOf(kernel, i);
    scoresOf<f64, f64>(row, 0, kernel.examples, 4, row, kernel.d, kernel.products);
    square = load<f64>(kernel.products);
  }
  put<f64>(kernel.squares, i, square);
  // Of two sparse rows ||x_i||^2 + ||x_j||^2 - 2 x is taken.
  if (!((kernel.sparse ? 4 * square : square) < Infinity)) return Infinity;
  const squares = f64x2.splat(square);
  const own = takesDistances(kernel) ? f64x2.splat(0) : squares;
  return <f64>(<T>f64x2.extract_lane(valuesAt(kernel, own, square, squares), 0));
}

/** Of row i of the matrix, T[ld], the values of others, from their products. These may be where it goes if others are all. */
export function valuesOf<T>(kernel: KernelMatrix, i: i32, othersPtr: usize, count: i32, productsPtr: usize, outPtr: usize): void {
  const own = at<f64>(kernel.squares, i);
  for (let c = 0; c < count; c += 2) {
    const j = at<i32>(othersPtr, c);
    const next = at<i32>(othersPtr, c + 1);
    const squares = f64x2.replace_lane(f64x2.splat(at<f64>(kernel.squares, j)), 1, at<f64>(kernel.squares, next));
    const values = valuesAt(kernel, v128.load(productsPtr + (<usize>c << 3)), own, squares);
    put<T>(outPtr, j, <T>f64x2.extract_lane(values, 0));
    put<T>(outPtr, next, <T>f64x2.extract_lane(values, 1));
  }
  for (let j = kernel.n; j < kernel.ld; ++j) put<T>(outPtr, j, 0);
}

/**
 * Computes the rows of a list of a matrix that is computed, i32[size], size at most TOGETHER, not rounded, to
 * `productsAt`: f64[ld].
 */
export function exactRows(kernel: KernelMatrix, listPtr: usize, size: i32): void {
  const all = kernel.examples;
  const n = kernel.n;
  productsOf(kernel, listPtr, size, all, n);
  for (let e = 0; e < size; ++e) {
    valuesOf<f64>(kernel, at<i32>(listPtr, e), all, n, productsAt(kernel, e), productsAt(kernel, e));
  }
}
