/**
 * Margins and dual variables of the classes other than the true one, which go without it: entry y is left out, what
 * follows moves down by one.
 */
import { at, put } from "../linalg/simd";
import { shift } from "../linalg/vectors";

/** v_j - v_y over the other classes. */
export function readMargins(vPtr: usize, m: i32, y: i32, gPtr: usize): void {
  const own = at<f64>(vPtr, y);
  const before = <usize>y << 3;
  memory.copy(gPtr, vPtr, before);
  memory.copy(gPtr + before, vPtr + before + 8, <usize>(m - 1 - y) << 3);
  shift(gPtr, m - 1, -own);
}

/** x_j = -a_j over the other classes. */
export function readDuals(aPtr: usize, m: i32, y: i32, xPtr: usize): void {
  for (let j = 0; j < y; ++j) put<f64>(xPtr, j, -at<f64>(aPtr, j));
  for (let j = y + 1; j < m; ++j) put<f64>(xPtr, j - 1, -at<f64>(aPtr, j));
}

/** The row of A that x stands for: -x_j over the other classes, their sum at the true one. */
export function writeDuals(xPtr: usize, m: i32, y: i32, aPtr: usize): void {
  let total: f64 = 0;
  for (let j = 0; j < m - 1; ++j) {
    const x = at<f64>(xPtr, j);
    total += x;
    put<f64>(aPtr, j < y ? j : j + 1, -x);
  }
  put<f64>(aPtr, y, total);
}
