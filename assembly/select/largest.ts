import { at, put } from "../linalg/simd";
import { anyAbove, AT_ONCE, fill } from "../linalg/vectors";

/** Up to this many, one pass with a sorted list of the best so far beats partitioning (measured at 26 to 1000 classes). */
const INSERTION_LIMIT: i32 = 16;

/** Swaps elements i and j of an array of f64. */
// @ts-ignore: decorator
@inline
function swap(ptr: usize, i: i32, j: i32): void {
  const v = at<f64>(ptr, i);
  put<f64>(ptr, i, at<f64>(ptr, j));
  put<f64>(ptr, j, v);
}

/**
 * Writes the k largest of aPtr: f64[n] to outPtr[0..k), in no particular order except that outPtr[k - 1] is the smallest
 * of them, that is the k-th largest of all. outPtr: f64[n] scratch, distinct from aPtr. Requires 1 <= k <= n.
 * O(n) expected, whatever the order of the input.
 */
export function largest(aPtr: usize, n: i32, k: i32, outPtr: usize): void {
  if (k <= INSERTION_LIMIT) {
    insertLargest(aPtr, n, k, outPtr);
  } else {
    let count = k <= n >> 4 ? copyPromising(aPtr, n, k, outPtr) : 0;
    if (count < k) {
      memory.copy(outPtr, aPtr, <usize>n << 3);
      count = n;
    }
    partitionLargest(outPtr, count, k);
    let least = 0;
    for (let j = 1; j < k; ++j) if (at<f64>(outPtr, j) < at<f64>(outPtr, least)) least = j;
    swap(outPtr, least, k - 1);
  }
}

/**
 * Copies what is not below a level that a few more than k elements should reach, and returns how many that are: the level is an
 * element of a sample whose rank there is that of k, and some spreads of it more. Elements are drawn as in `partitionLargest`.
 */
function copyPromising(aPtr: usize, n: i32, k: i32, outPtr: usize): i32 {
  const size = min(n >> 3, 4096);
  let draw: u32 = 0x9e3779b9;
  for (let j = 0; j < size; ++j) {
    draw = draw * 1664525 + 1013904223;
    put<f64>(outPtr, j, at<f64>(aPtr, <i32>((<u64>draw * <u64>n) >> 32)));
  }
  const share = (<f64>k * <f64>size) / <f64>n;
  const rank = <i32>(share + 3 * Math.sqrt(share) + 4);
  partitionLargest(outPtr, size, rank);
  let level = Infinity;
  for (let j = 0; j < rank; ++j) level = select<f64>(at<f64>(outPtr, j), level, at<f64>(outPtr, j) < level);
  let count = 0;
  for (let j = 0; j < n; ++j) {
    const a = at<f64>(aPtr, j);
    if (a >= level) put<f64>(outPtr, count++, a);
  }
  return count;
}

/** Of the first so many times k elements most are among the largest so far: to ask each would cost more than it saves. */
const OFTEN: i32 = 8;

function insertLargest(aPtr: usize, n: i32, k: i32, outPtr: usize): void {
  const last = outPtr + (<usize>(k - 1) << 3);
  fill(outPtr, k, -Infinity);
  const often = min(n, OFTEN * k);
  let j = 0;
  for (; j < often; ++j) insert(aPtr + (<usize>j << 3), outPtr, last);
  for (; j + AT_ONCE <= n; j += AT_ONCE) {
    if (!anyAbove(aPtr + (<usize>j << 3), load<f64>(last))) continue;
    for (let l = j; l < j + AT_ONCE; ++l) insertIfLarger(aPtr + (<usize>l << 3), outPtr, last);
  }
  for (; j < n; ++j) insertIfLarger(aPtr + (<usize>j << 3), outPtr, last);
}

/**
 * The element at ptr to its place among the descending ones from `first` to `last`, of which the least goes. All of them are looked at: a
 * loop that ends in time, which nobody can foresee, takes two to four times as long.
 */
function insert(ptr: usize, first: usize, last: usize): void {
  let v = v128.load64_zero(ptr);
  for (let p = first; p <= last; p += 8) {
    const other = v128.load64_zero(p);
    v128.store64_lane(p, f64x2.pmax(other, v), 0);
    v = f64x2.pmin(other, v);
  }
}

// @ts-ignore: decorator
@inline
function insertIfLarger(ptr: usize, first: usize, last: usize): void {
  if (load<f64>(ptr) > load<f64>(last)) insert(ptr, first, last);
}

/**
 * Hoare's quickselect: afterwards the k largest of ptr: f64[n] stand in its first k places. The pivot is the median of
 * three elements at places drawn from a fixed linear congruential sequence, so that no order of the input is a bad one.
 */
function partitionLargest(ptr: usize, n: i32, k: i32): void {
  let lo = 0;
  let hi = n - 1;
  let draw: u32 = 0x9e3779b9;
  while (lo < hi) {
    const span = <u64>(hi - lo + 1);
    draw = draw * 1664525 + 1013904223;
    const a = at<f64>(ptr, lo + <i32>((<u64>draw * span) >> 32));
    draw = draw * 1664525 + 1013904223;
    const b = at<f64>(ptr, lo + <i32>((<u64>draw * span) >> 32));
    draw = draw * 1664525 + 1013904223;
    const c = at<f64>(ptr, lo + <i32>((<u64>draw * span) >> 32));
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let i = lo;
    let j = hi;
    while (i <= j) {
      while (at<f64>(ptr, i) > pivot) ++i;
      while (at<f64>(ptr, j) < pivot) --j;
      if (i <= j) {
        swap(ptr, i, j);
        ++i;
        --j;
      }
    }
    // [lo, j] >= pivot >= [i, hi], and what lies between equals the pivot.
    if (k - 1 <= j) hi = j;
    else if (k - 1 >= i) lo = i;
    else return;
  }
}
