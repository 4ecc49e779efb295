import { CLASSES_AT_ONCE, distancesOfTwo, scoresOf, scoresOfTwo } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { exp } from "../math/expLog";

/**
 * What a row of the matrix is made of: it is given, or computed from x = <x_i, x_j>, or from distances, which where rows
 * are dense are not taken from products: far from 0 these have lost them.
 */
export const PRECOMPUTED: i32 = 0;
export const LINEAR: i32 = 1; // x
export const RBF: i32 = 2; // exp(-gamma ||x_i - x_j||^2), if sparse exp(-gamma (||x_i||^2 + ||x_j||^2 - 2 x))
export const POLY: i32 = 3; // (gamma x + coef0)^degree

/**
 * The matrix K of a kernel, K_ij = k(x_i, x_j) + constant, symmetric to the last bit. In a problem that has one, K_i
 * stands for the features of example i and A^T K for W, class by class: the scores of the examples themselves. So a
 * step reads its scores, and adds its change of a_i times K_i; see example.ts and block.ts.
 *
 * Rows are computed when a step first moves their example, or a little before, and kept in slots, T[slots][ld], padded
 * by zeros. With fewer slots than rows the one that no step has used for longest makes room. Which rows are kept
 * changes no bit: a row is computed from the features in float64, always in the same order, and then rounded to T. A
 * given matrix fills n slots. A certificate that this rounding could matter to computes rows once more, see
 * `exactRows`.
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
  products: usize; // f64[TOGETHER][ld + 4]
  dense: usize; // f64[d], zeros; if sparse
  spare: usize; // T[BLOCK_SIZE][ld]
  block: usize; // usize[BLOCK_SIZE]: rows of a block of examples, see `findBlock`
  // steps of late, and how many of them moved something
  steps: i32;
  moved: i32;
}

/**
 * Rows computed together: the features pass by once for all of them. Measured, fits of 2000 and 4000 rows of 256
 * features and more take 0.65 to 0.8 of the time.
 */
export const TOGETHER: i32 = 4;

/** Rows to be computed together: their examples, and where they go. */
const groupExamples = memory.data(TOGETHER * 4, 16);
const groupPlaces = memory.data(TOGETHER * sizeof<usize>(), 16);
let groupSize: i32 = 0;

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
 * <x_i, x_j> for all j, or ||x_i - x_j||^2 for dense rows and a kernel of distances, for the examples i of a list:
 * i32[size]. Each is summed in the order of the features, so that i and j may change places, and alike whichever
 * examples come together.
 */
function productsOf(kernel: KernelMatrix, listPtr: usize, size: i32): void {
  if (kernel.sparse) {
    for (let e = 0; e < size; ++e) sparseProductsOf(kernel, at<i32>(listPtr, e), productsAt(kernel, e));
    return;
  }
  const d = kernel.d;
  const X = kernel.X;
  const rowBytes = <usize>d << 3;
  for (let c = 0; c < kernel.n; c += CLASSES_AT_ONCE) {
    const group = kernel.examples + (<usize>c << 2);
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

/** Inner products of sparse row i with all others. out: f64[n]. */
function sparseProductsOf(kernel: KernelMatrix, i: i32, out: usize): void {
  const dense = kernel.dense;
  const end = at<u32>(kernel.indptr, i + 1);
  for (let p = at<u32>(kernel.indptr, i); p < end; ++p) put<f64>(dense, at<u32>(kernel.indices, p), at<f64>(kernel.X, p));
  let p: u32 = 0;
  for (let j = 0; j < kernel.n; ++j) {
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
  if (!(square < Infinity)) return square;
  const squares = f64x2.splat(square);
  const own = takesDistances(kernel) ? f64x2.splat(0) : squares;
  return <f64>(<T>f64x2.extract_lane(valuesAt(kernel, own, square, squares), 0));
}

/** Row i of the matrix from its products, which may be where it goes: T[ld]. */
function valuesOf<T>(kernel: KernelMatrix, i: i32, productsPtr: usize, outPtr: usize): void {
  const n = kernel.n;
  const own = at<f64>(kernel.squares, i);
  for (let j = 0; j < n; j += 2) {
    const offset = <usize>j << 3;
    const values = valuesAt(kernel, v128.load(productsPtr + offset), own, v128.load(kernel.squares + offset));
    put<T>(outPtr, j, <T>f64x2.extract_lane(values, 0));
    put<T>(outPtr, j + 1, <T>f64x2.extract_lane(values, 1));
  }
  for (let j = n; j < kernel.ld; ++j) put<T>(outPtr, j, 0);
}

/**
 * Computes the rows of a list of a matrix that is computed, i32[size], size at most TOGETHER, not rounded, to
 * `productsAt`: f64[ld].
 */
export function exactRows(kernel: KernelMatrix, listPtr: usize, size: i32): void {
  productsOf(kernel, listPtr, size);
  for (let e = 0; e < size; ++e) valuesOf<f64>(kernel, at<i32>(listPtr, e), productsAt(kernel, e), productsAt(kernel, e));
}

/** Computes the rows of the group. */
function computeGroup<T>(kernel: KernelMatrix): void {
  productsOf(kernel, groupExamples, groupSize);
  for (let e = 0; e < groupSize; ++e) {
    valuesOf<T>(kernel, at<i32>(groupExamples, e), productsAt(kernel, e), at<usize>(groupPlaces, e));
  }
  groupSize = 0;
}

/** Adds a row that is not there to the group; once that is full it is computed. */
function addToGroup<T>(kernel: KernelMatrix, i: i32, place: usize): void {
  put<i32>(groupExamples, groupSize, i);
  put<usize>(groupPlaces, groupSize, place);
  if (++groupSize == TOGETHER) computeGroup<T>(kernel);
}

// @ts-ignore: decorator
@inline
function slotAt<T>(kernel: KernelMatrix, slot: i32): usize {
  return kernel.rows + ((<usize>slot * <usize>kernel.ld) << alignof<T>());
}

/** A slot for row i: a free one, or else that of the row that no step has used for longest. */
function takeSlot(kernel: KernelMatrix, i: i32): i32 {
  let slot = 0;
  if (kernel.filled < kernel.slots) {
    slot = kernel.filled++;
  } else {
    for (let s = 1; s < kernel.slots; ++s) if (at<f64>(kernel.usedAt, s) < at<f64>(kernel.usedAt, slot)) slot = s;
    put<i32>(kernel.slotOf, at<i32>(kernel.heldBy, slot), 0);
  }
  put<i32>(kernel.slotOf, i, slot + 1);
  put<i32>(kernel.heldBy, slot, i);
  return slot;
}

/** Row i of the matrix, T[ld], for a step: another row may have to make room for it. */
export function kernelRow<T>(kernel: KernelMatrix, i: i32): usize {
  let slot = at<i32>(kernel.slotOf, i) - 1;
  if (slot < 0) {
    slot = takeSlot(kernel, i);
    addToGroup<T>(kernel, i, slotAt<T>(kernel, slot));
    computeGroup<T>(kernel);
  }
  put<f64>(kernel.usedAt, slot, ++kernel.clock);
  return slotAt<T>(kernel, slot);
}

/** Steps that are remembered, about. */
const LATE: i32 = 64;

/**
 * Before the change of a step is added: where its row is missing, it is computed together with those of the examples
 * after it in the order, u32[count], if there is room for them, and if most steps of late have needed theirs.
 */
export function computeAhead<T>(kernel: KernelMatrix, orderPtr: usize, count: i32, moved: bool): void {
  kernel.moved += i32(moved);
  if (++kernel.steps == LATE) {
    kernel.steps >>= 1;
    kernel.moved >>= 1;
  }
  if (!moved || kernel.sparse || 4 * kernel.moved < 3 * kernel.steps) return;
  if (at<i32>(kernel.slotOf, at<u32>(orderPtr, 0)) > 0 || kernel.filled + TOGETHER > kernel.slots) return;
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    if (at<i32>(kernel.slotOf, i) > 0) continue;
    addToGroup<T>(kernel, i, slotAt<T>(kernel, takeSlot(kernel, i)));
    if (groupSize == 0) return;
  }
  computeGroup<T>(kernel);
}

/**
 * Finds the rows of a block of `size` examples from `first` on whose dual variables, dualsPtr: f64[size][ld], are not
 * all zero; their places are in kernel.block. No row makes room for one: where nothing is free it is only there until
 * the next block.
 */
export function findBlock<T>(kernel: KernelMatrix, first: i32, size: i32, dualsPtr: usize, ld: i32): void {
  for (let e = 0; e < size; ++e) {
    let j = 0;
    while (j < ld && at<f64>(dualsPtr, e * ld + j) == 0) ++j;
    if (j == ld) continue;
    const i = first + e;
    const slot = at<i32>(kernel.slotOf, i) - 1;
    let place = kernel.spare + ((<usize>e * <usize>kernel.ld) << alignof<T>());
    if (slot >= 0) place = slotAt<T>(kernel, slot);
    else if (kernel.filled < kernel.slots) place = slotAt<T>(kernel, takeSlot(kernel, i));
    put<usize>(kernel.block, e, place);
    if (slot < 0) addToGroup<T>(kernel, i, place);
  }
  if (groupSize > 0) computeGroup<T>(kernel);
}
