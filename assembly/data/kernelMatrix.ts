import { BLOCK_SIZE, scoresOf } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { exp } from "../math/expLog";

/** What a row of the matrix is made of: it is given, or computed from x = <x_i, x_j>. */
export const PRECOMPUTED: i32 = 0;
export const LINEAR: i32 = 1; // x
export const RBF: i32 = 2; // exp(-gamma (||x_i||^2 + ||x_j||^2 - 2 x))
export const POLY: i32 = 3; // (gamma x + coef0)^degree

/**
 * The matrix K of a kernel, K_ij = k(x_i, x_j) + constant, symmetric to the last bit. In a problem that has one, K_i stands
 * for the features of example i and A^T K for W, class by class: the scores of the examples themselves. So a step reads
 * its scores, and adds its change of a_i times K_i; see example.ts and block.ts.
 *
 * Rows are computed when a step first moves their example and kept in slots, T[slots][ld], padded by zeros. With fewer slots
 * than rows the one that no step has used for longest makes room. Which rows are kept changes no bit: a row is
 * computed from the features in float64, always in the same order, and then rounded to T. A given matrix fills n slots. A certificate that
 * this rounding could matter to computes rows once more, see `exactRow`.
 *
 *   X        f64[n][d]   features; or, sparse, f64[nonzeros] with indptr and indices, ascending in each row
 *   squares  f64[n + 2]  ||x_i||^2
 */
@unmanaged
export class KernelMatrix {
  kind: i32;
  degree: i32;
  gamma: f64;
  coef0: f64;
  constant: f64;
  n: i32;
  d: i32; // padded, if dense
  sparse: bool;
  indptr: usize;
  indices: usize;
  X: usize;
  squares: usize;
  // slots
  ld: i32;
  slots: i32;
  filled: i32;
  rows: usize; // T[slots][ld]
  slotOf: usize; // i32[n]: one more than the slot of a row, or 0
  heldBy: usize; // i32[slots]: the row in a slot
  usedAt: usize; // f64[slots]
  clock: f64;
  // scratch
  examples: usize; // i32[n + 4]: 0, 1, ..., n - 1 and repetitions
  products: usize; // f64[ld + 4], ld >= n
  dense: usize; // f64[d], zeros; if sparse
  spare: usize; // T[BLOCK_SIZE][ld]
  block: usize; // usize[BLOCK_SIZE]: rows of a block of examples, see `findBlock`
}

/** The kernel's values at products <x_i, x_j> of one example, ||x_i||^2 = own, with two others. */
function valuesAt(kernel: KernelMatrix, products: v128, own: f64, others: v128): v128 {
  let v = products;
  if (kernel.kind == RBF) {
    const distance2 = f64x2.sub(f64x2.add(f64x2.splat(own), others), f64x2.add(v, v));
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

/** <x_i, x_j> for all j into kernel.products. Each is summed in the order of the features, so that i and j may change places. */
function productsOf(kernel: KernelMatrix, i: i32): void {
  const n = kernel.n;
  const out = kernel.products;
  if (!kernel.sparse) {
    scoresOf<f64, f64>(kernel.X, kernel.d, kernel.examples, (n + 3) & -4, rowOf(kernel, i), kernel.d, out);
    return;
  }
  const dense = kernel.dense;
  const end = at<u32>(kernel.indptr, i + 1);
  for (let p = at<u32>(kernel.indptr, i); p < end; ++p) put<f64>(dense, at<u32>(kernel.indices, p), at<f64>(kernel.X, p));
  let p: u32 = 0;
  for (let j = 0; j < n; ++j) {
    const rowEnd = at<u32>(kernel.indptr, j + 1);
    let sum: f64 = 0;
    for (; p < rowEnd; ++p) sum += at<f64>(kernel.X, p) * at<f64>(dense, at<u32>(kernel.indices, p));
    put<f64>(out, j, sum);
  }
  for (let p = at<u32>(kernel.indptr, i); p < end; ++p) put<f64>(dense, at<u32>(kernel.indices, p), 0);
}

// @ts-ignore: decorator
@inline
function rowOf(kernel: KernelMatrix, i: i32): usize {
  return kernel.X + ((<usize>i * <usize>kernel.d) << 3);
}

/** K_ii in T, once row i is there, or what is not finite of it; ||x_i||^2 is taken note of. Summed as by `productsOf`. */
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
  if (!(square < Infinity)) return square;
  const squares = f64x2.splat(square);
  return <f64>(<T>f64x2.extract_lane(valuesAt(kernel, squares, square, squares), 0));
}

/** Computes row i of the matrix into outPtr: T[ld]. O(n d), or O(nonzeros). */
function computeRow<T>(kernel: KernelMatrix, i: i32, outPtr: usize): void {
  const n = kernel.n;
  productsOf(kernel, i);
  const own = at<f64>(kernel.squares, i);
  for (let j = 0; j < n; j += 2) {
    const offset = <usize>j << 3;
    const values = valuesAt(kernel, v128.load(kernel.products + offset), own, v128.load(kernel.squares + offset));
    put<T>(outPtr, j, <T>f64x2.extract_lane(values, 0));
    put<T>(outPtr, j + 1, <T>f64x2.extract_lane(values, 1));
  }
  for (let j = n; j < kernel.ld; ++j) put<T>(outPtr, j, 0);
}

/** Row i of a matrix that is computed, f64[ld], not rounded; until another is computed. */
export function exactRow(kernel: KernelMatrix, i: i32): usize {
  computeRow<f64>(kernel, i, kernel.products); // each value in the place of the product that it is made of
  return kernel.products;
}

/**
 * Row i of the matrix, T[ld]. A step, which passes no `spare`, may have another row make room for it; where nothing is to
 * make room the row comes in a free slot or at `spare`: T[ld].
 */
export function kernelRow<T>(kernel: KernelMatrix, i: i32, spare: usize): usize {
  let slot = at<i32>(kernel.slotOf, i) - 1;
  const missing = slot < 0;
  if (missing) {
    if (kernel.filled < kernel.slots) {
      slot = kernel.filled++;
    } else if (spare != 0) {
      computeRow<T>(kernel, i, spare);
      return spare;
    } else {
      slot = 0;
      for (let s = 1; s < kernel.slots; ++s) if (at<f64>(kernel.usedAt, s) < at<f64>(kernel.usedAt, slot)) slot = s;
      put<i32>(kernel.slotOf, at<i32>(kernel.heldBy, slot), 0);
    }
    put<i32>(kernel.slotOf, i, slot + 1);
    put<i32>(kernel.heldBy, slot, i);
  }
  const row = kernel.rows + ((<usize>slot * <usize>kernel.ld) << alignof<T>());
  if (missing) computeRow<T>(kernel, i, row);
  if (spare == 0) put<f64>(kernel.usedAt, slot, ++kernel.clock);
  return row;
}

/**
 * Finds the rows of a block of `size` examples from `first` on whose dual variables, dualsPtr: f64[size][ld], are not all zero;
 * their places are in kernel.block.
 */
export function findBlock<T>(kernel: KernelMatrix, first: i32, size: i32, dualsPtr: usize, ld: i32): void {
  for (let e = 0; e < size; ++e) {
    let j = 0;
    while (j < ld && at<f64>(dualsPtr, e * ld + j) == 0) ++j;
    if (j == ld) continue;
    const spare = kernel.spare + ((<usize>e * <usize>kernel.ld) << alignof<T>());
    put<usize>(kernel.block, e, kernelRow<T>(kernel, first + e, spare));
  }
}
