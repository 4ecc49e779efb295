import { at, put } from "../linalg/simd";
import { KernelMatrix, TOGETHER } from "./kernelMatrix";
import { productsAt, productsOf, valuesOf } from "./kernelValues";

/** Rows to be computed together: their examples, and where they go. */
const groupExamples = memory.data(TOGETHER * 4, 16);
const groupPlaces = memory.data(TOGETHER * sizeof<usize>(), 16);
let groupSize: i32 = 0;

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
