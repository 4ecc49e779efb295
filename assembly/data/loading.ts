import { squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { keepNonzeros } from "../linalg/vectors";
import { diagonal } from "./kernelValues";
import { hasKernel, listsHoldDuals, NO_DUALS, Problem } from "./problem";
import { findRow, foundNonzeros, foundValues, rowOf } from "./rows";
import { LARGEST_NORM, WEIGHTED_NORMS } from "./sums";

/** What is done with rows when they have been copied in. */

/**
 * Makes rows [first, first + count) of a sparse problem of what was copied in as it came: entries that lie `gap` places
 * behind the end of the row before, their columns and values, and, in place of the ends of rows, numbers of which each
 * is so much above the one before it as the row has entries, `base` being what precedes the first. Zeros are left out;
 * where `gap` is not 0 it is `count`, and each row gets the constant feature behind it, of this value.
 *
 * Returns how many rows come before the first whose columns are not ascending, each below d; those are stored.
 */
export function appendRows<T>(problem: Problem, first: i32, count: i32, base: u32, gap: i32, constant: f64): i32 {
  const indptr = problem.indptr;
  const indices = problem.indices;
  const X = problem.X;
  const columns = gap > 0 ? problem.d - 1 : problem.d;
  let end = at<u32>(indptr, first);
  let from = end + gap;
  let last = base;
  for (let i = first; i < first + count; ++i) {
    const next = at<u32>(indptr, i + 1);
    const to = from + (next - last);
    const start = end;
    let least = 0; // the next column is no lower
    for (; from < to; ++from) {
      const column = at<i32>(indices, from);
      if (column < least || column >= columns) {
        put<u32>(indptr, i, start);
        return i - first;
      }
      least = column + 1;
      const value = at<T>(X, from);
      put<i32>(indices, end, column);
      put<T>(X, end, value);
      end += u32(value != 0);
    }
    last = next;
    if (gap > 0) {
      put<i32>(indices, end, columns);
      put<T>(X, end++, <T>constant);
    }
    put<u32>(indptr, i + 1, end);
  }
  return count;
}

/**
 * Makes rows [first, first + count) of a sparse problem of dense ones, T[count][columns], which were copied to where
 * W64 is. Where `columns` is not d, each row gets the constant feature behind it, of this value. There is room for
 * `room` nonzeros; more are counted, but not stored.
 */
export function appendDenseRows<T>(problem: Problem, first: i32, count: i32, columns: i32, constant: f64, room: u32): void {
  const indices = problem.indices;
  const X = problem.X;
  let row = problem.W64;
  let end = at<u32>(problem.indptr, first);
  for (let i = first; i < first + count; ++i, row += <usize>columns << alignof<T>()) {
    if (end + columns <= room) {
      end += keepNonzeros<T>(row, columns, 0, indices + (<usize>end << 2), X + (<usize>end << alignof<T>()));
    } else {
      for (let l = 0; l < columns; ++l) {
        const value = at<T>(row, l);
        if (value == 0) continue;
        if (end < room) {
          put<T>(X, end, value);
          put<u32>(indices, end, l);
        }
        ++end;
      }
    }
    if (columns < problem.d) {
      if (end < room) {
        put<T>(X, end, <T>constant);
        put<u32>(indices, end, columns);
      }
      ++end;
    }
    put<u32>(problem.indptr, i + 1, end);
  }
}

/**
 * Makes rows [first, first + count) of a dense problem of those, T[count][columns], that were copied to the end of
 * where these are to be: one after the other they move to their places, which are never behind what is still to move.
 * Behind each comes the constant feature, if it is not 0, and zeros.
 */
export function spreadRows<T>(problem: Problem, first: i32, count: i32, columns: i32, constant: f64): void {
  const bytes = <usize>columns << alignof<T>();
  const rowBytes = <usize>problem.ld << alignof<T>();
  let row = rowOf<T>(problem, first);
  let from = row + <usize>count * (rowBytes - bytes);
  for (let i = 0; i < count; ++i) {
    memory.copy(row, from, bytes);
    memory.fill(row + bytes, 0, rowBytes - bytes);
    if (constant != 0) put<T>(row, columns, <T>constant);
    row += rowBytes;
    from += bytes;
  }
}

/**
 * ||x_i||^2, or K_ii, of `count` rows from `first` on; their dual variables become zero, and their share of W. Returns how many come
 * before the first of which it is not finite.
 */
export function measureRows<T>(problem: Problem, first: i32, count: i32): i32 {
  const end = first + count;
  // Memory is zero as it is, but a page that is read before it is written costs several times as much. Rows of A that
  // lists will stand for may never be touched.
  if (listsHoldDuals(problem)) {
    for (let i = first; i < end; ++i) put<i32>(problem.listed, i, NO_DUALS);
  } else if (problem.A != 0) {
    memory.fill(problem.A + ((<usize>first * <usize>problem.m) << alignof<T>()), 0, (<usize>count * <usize>problem.m) << alignof<T>());
  }
  zeroShare(problem.W, <u64>problem.sizeW << (hasKernel(problem) ? 3 : alignof<T>()), first, end, problem.n);
  for (let i = first; i < end; ++i) {
    const norm2 = squaredNormOf<T>(problem, i);
    put<f64>(problem.norm2, i, norm2);
    if (!isFinite<f64>(norm2)) return i - first;
  }
  return count;
}

/** Zeros what is between the parts first / n and end / n of so many bytes. */
function zeroShare(ptr: usize, bytes: u64, first: i32, end: i32, n: i32): void {
  const from = <usize>((bytes * first) / n);
  memory.fill(ptr + from, 0, <usize>((bytes * end) / n) - from);
}

function squaredNormOf<T>(problem: Problem, i: i32): f64 {
  if (hasKernel(problem)) return diagonal<T>(problem.kernel, i);
  if (!problem.sparse) return squaredNorm<T>(rowOf<T>(problem, i), problem.d);
  findRow<T>(problem, i);
  return squaredNorm<T>(foundValues, foundNonzeros);
}

/** max ||x_i|| and sum C_i ||x_i|| to LARGEST_NORM and WEIGHTED_NORMS. */
export function sumNorms(problem: Problem): void {
  let largest: f64 = 0;
  let sum: f64 = 0;
  for (let i = 0; i < problem.n; ++i) {
    const norm = Math.sqrt(at<f64>(problem.norm2, i));
    largest = max(largest, norm);
    sum += at<f64>(problem.C, i) * norm;
  }
  put<f64>(problem.sums, LARGEST_NORM, largest);
  put<f64>(problem.sums, WEIGHTED_NORMS, sum);
}
