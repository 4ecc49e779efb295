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
 * changes no bit: a value is computed from the features in float64, always in the same order, and then rounded to T, or
 * is that of the other row, if that is kept. A given matrix fills n slots. A certificate that this rounding could matter
 * to computes rows once more, see `exactRows`.
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
  missing: usize; // i32[n + 4]: see `findMissing`
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
 * <x_i, x_j>, or ||x_i - x_j||^2 for dense rows and a kernel of distances, for the examples i of a list, i32[size], and
 * the examples j of another, i32[count], which goes on to a multiple of four. Each is summed in the order of the
 * features, so that i and j may change places, and alike whichever examples come together.
 */
function productsOf(kernel: KernelMatrix, listPtr: usize, size: i32, othersPtr: usize, count: i32): void {
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
  if (!(square < Infinity)) return square;
  const squares = f64x2.splat(square);
  const own = takesDistances(kernel) ? f64x2.splat(0) : squares;
  return <f64>(<T>f64x2.extract_lane(valuesAt(kernel, own, square, squares), 0));
}

/** Of row i of the matrix, T[ld], the values of others, from their products. These may be where it goes if others are all. */
function valuesOf<T>(kernel: KernelMatrix, i: i32, othersPtr: usize, count: i32, productsPtr: usize, outPtr: usize): void {
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

/**
 * To look a value up in another row takes as long as a product of so many dense numbers, or a fourth of it sparse ones:
 * it is on another page of memory. Measured: fits of 5000 rows of 768 features take 0.6 of the time.
 */
const WORTH_LOOKING_UP: i32 = 320;

// @ts-ignore: decorator
@inline
function looksUp(kernel: KernelMatrix): bool {
  const n = kernel.n;
  return kernel.sparse ? at<u32>(kernel.indptr, n) >= <u32>((WORTH_LOOKING_UP / 4) * n) : kernel.d >= WORTH_LOOKING_UP;
}

/** Computes the rows of the group. */
function computeGroup<T>(kernel: KernelMatrix): void {
  const some = looksUp(kernel);
  const count = some ? findMissing<T>(kernel) : kernel.n;
  const others = some ? kernel.missing : kernel.examples;
  productsOf(kernel, groupExamples, groupSize, others, count);
  for (let e = 0; e < groupSize; ++e) {
    valuesOf<T>(kernel, at<i32>(groupExamples, e), others, count, productsAt(kernel, e), at<usize>(groupPlaces, e));
  }
  groupSize = 0;
}

/**
 * Copies what rows that are kept hold of those of the group, which may have slots and are not there yet. Lists the
 * examples that are left, and the last of them again to make four; returns how many they are.
 */
function findMissing<T>(kernel: KernelMatrix): i32 {
  const n = kernel.n;
  const missing = kernel.missing;
  let count = 0;
  for (let j = 0; j < n; ++j) {
    const slot = at<i32>(kernel.slotOf, j) - 1;
    if (slot < 0 || isInGroup(j)) {
      put<i32>(missing, count++, j);
      continue;
    }
    const row = slotAt<T>(kernel, slot);
    for (let e = 0; e < groupSize; ++e) put<T>(at<usize>(groupPlaces, e), j, at<T>(row, at<i32>(groupExamples, e)));
  }
  const last = at<i32>(missing, count - 1); // of the group at least
  for (let c = count; c < ((count + 3) & -4); ++c) put<i32>(missing, c, last);
  return count;
}

// @ts-ignore: decorator
@inline
function isInGroup(j: i32): bool {
  for (let e = 0; e < groupSize; ++e) if (at<i32>(groupExamples, e) == j) return true;
  return false;
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
