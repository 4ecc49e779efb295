import { at, keepLanes, put } from "../linalg/simd";
import { Problem } from "./problem";

/**
 * Makes rows [first, first + count) of a sparse problem of what was copied in as it came: entries that lie `gap` places behind the end of
 * the row before, their columns and values, and, in place of the ends of rows, numbers of which each is so much above the one before
 * it as the row has entries, `base` being what precedes the first. Zeros are left out; where `gap` is not 0 it is `count`, and each row
 * gets the constant feature behind it, of this value.
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
 * Makes rows [first, first + count) of a sparse problem of dense ones, T[count][columns], which were copied to where W64 is. Where
 * `columns` is not d, each row gets the constant feature behind it, of this value. There is room for `room` nonzeros.
 */
export function appendDenseRows<T>(problem: Problem, first: i32, count: i32, columns: i32, constant: f64, room: u32): void {
  const indices = problem.indices;
  const X = problem.X;
  let row = problem.W64;
  let end = at<u32>(problem.indptr, first);
  for (let i = first; i < first + count; ++i, row += <usize>columns << alignof<T>()) {
    let l = 0;
    if (sizeof<T>() == 4) {
      let places = i32x4(0, 1, 2, 3);
      for (; l + 4 <= columns && end + 4 <= room; l += 4, places = i32x4.add(places, i32x4.splat(4))) {
        const x = v128.load(row + (<usize>l << 2));
        const nonzero = i32x4.bitmask(f32x4.ne(x, f32x4.splat(0)));
        v128.store(X + (<usize>end << 2), keepLanes(x, nonzero));
        v128.store(indices + (<usize>end << 2), keepLanes(places, nonzero));
        end += popcnt<u32>(nonzero);
      }
    }
    for (; l < columns; ++l) {
      const value = at<T>(row, l);
      if (value == 0) continue;
      put<T>(X, end, value);
      put<u32>(indices, end++, l);
    }
    if (columns < problem.d) {
      put<T>(X, end, <T>constant);
      put<u32>(indices, end++, columns);
    }
    put<u32>(problem.indptr, i + 1, end);
  }
}
