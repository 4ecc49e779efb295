import { addMultiples } from "../linalg/rankOne";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { Problem } from "./problem";
import { rowOf } from "./rows";

/**
 * W64 += A^T X for dense X where few dual variables are not zero: they come one by one, as entries, are kept until
 * there are many, and then sorted by class, so that a row of W64 is fetched once for all that goes there. Each of its
 * elements is summed in the order of the examples, whatever entries come together.
 */

/** As many as there is room for where else scores of a block are: f64[BLOCK_SIZE][m']. */
function mostEntries(problem: Problem): i32 {
  return ((BLOCK_SIZE * 8) / ENTRY_BYTES) * tiledClasses(problem.m);
}
/** A dual variable, f64, and where the row of its example is, usize, both twice, and its class, i32: 28, rounded up. */
const ENTRY_BYTES: i32 = 32;

let filled = 0;
let alphas: usize = 0; // f64[mostEntries], as all of them
let sorted: usize = 0;
let rows: usize = 0; // usize[]
let sortedRows: usize = 0;
let classes: usize = 0; // i32[]

/** Before the first entry. */
export function beginEntries(problem: Problem): void {
  const most = <usize>mostEntries(problem);
  filled = 0;
  alphas = problem.blockScores;
  sorted = alphas + (most << 3);
  rows = sorted + (most << 3);
  sortedRows = rows + (most << 2);
  classes = sortedRows + (most << 2);
}

/** Those of example i: of valuesPtr: f64[n], n being at most m, what is not zero, for the classes of a list, i32[n]. */
export function addEntries<T>(problem: Problem, i: i32, n: i32, list: usize, valuesPtr: usize): void {
  if (filled + n > mostEntries(problem)) endEntries<T>(problem);
  const row = rowOf<T>(problem, i);
  for (let c = 0; c < n; ++c) {
    const a = at<f64>(valuesPtr, c);
    put<f64>(alphas, filled, a);
    put<usize>(rows, filled, row);
    put<i32>(classes, filled, at<i32>(list, c));
    filled += i32(a != 0);
  }
}

/** After the last one, or when there is no more room. */
export function endEntries<T>(problem: Problem): void {
  const m = problem.m;
  const ends = problem.changed; // i32[m]
  memory.fill(ends, 0, <usize>m << 2);
  for (let e = 0; e < filled; ++e) {
    const j = at<i32>(classes, e);
    put<i32>(ends, j, at<i32>(ends, j) + 1);
  }
  let start = 0;
  for (let j = 0; j < m; ++j) {
    const count = at<i32>(ends, j);
    put<i32>(ends, j, start);
    start += count;
  }
  for (let e = 0; e < filled; ++e) {
    const j = at<i32>(classes, e);
    const place = at<i32>(ends, j);
    put<i32>(ends, j, place + 1);
    put<f64>(sorted, place, at<f64>(alphas, e));
    put<usize>(sortedRows, place, at<usize>(rows, e));
  }
  start = 0;
  for (let j = 0; j < m; ++j) {
    const end = at<i32>(ends, j);
    const row = problem.W64 + ((<usize>j * <usize>problem.ld) << 3);
    addMultiples<T, f64>(row, sorted + (<usize>start << 3), sortedRows + (<usize>start << 2), end - start, problem.d);
    start = end;
  }
  filled = 0;
}
