import { addRows, packRows, scoresOfRows } from "./blockDense";
import { BLOCK_SIZE } from "./scores";
import { put } from "./simd";
import { scoresOfTileSparse, tiledClasses } from "./sparse";

/**
 * Scores W x of rows in float64, whatever the storage precision T of the weights is: rows that are no examples, or
 * examples before they were rounded. Each score is summed in float64 feature by feature, as JavaScript does it in
 * src/model: to the same bits.
 */

const pointers = memory.data(4 * BLOCK_SIZE, 16);

/**
 * Dense rows f64[size][d], at most BLOCK_SIZE of them, d being a multiple of a vector's elements. W: T[m'][ld]; packed:
 * f64[size + 3][d] of scratch; out: f64[m'] for each row, their number rounded up to four.
 */
export function scoreRows<T>(W: usize, ld: i32, m: i32, rows: usize, size: i32, d: i32, packed: usize, out: usize): void {
  packGiven(rows, size, d, packed);
  scoresOfRows<T, f64>(W, ld, m, packed, size, d, out, <usize>tiledClasses(m) << 3);
}

/** Likewise ||w_j - x||^2. */
export function distancesOfRows(W: usize, ld: i32, m: i32, rows: usize, size: i32, d: i32, packed: usize, out: usize): void {
  packGiven(rows, size, d, packed);
  scoresOfRows<f64, f64>(W, ld, m, packed, size, d, out, <usize>tiledClasses(m) << 3, true);
}

function packGiven(rows: usize, size: i32, d: i32, packed: usize): void {
  for (let e = 0; e < size; ++e) put<usize>(pointers, e, rows + (<usize>(e * d) << 3));
  packRows<f64, f64>(pointers, size, d, packed);
}

/**
 * Scores of m rows by an expansion: scores: f64[m'][ld] += values^T coefficients, one of the `size` support vectors
 * after the other. values: f64[size][m'], those of the kernel; coefficients: f64[size][copiedStride<f64>(ld)].
 */
export function addExpansion(scores: usize, ld: i32, m: i32, values: usize, coefficients: usize, size: i32): void {
  addRows<f64>(scores, ld, m, values, coefficients, size, ld);
}

/** One sparse row, indices u32[nonzeros] and values f64[nonzeros]. W: the tiled T[d][m]; out: f64[m']. */
export function scoreSparseRow<T>(
  W: usize,
  d: i32,
  m: i32,
  tile: i32,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  for (let first = 0; first < m; first += tile) {
    scoresOfTileSparse<T, f64, f64>(W, d, m, tile, first, indices, values, nonzeros, out + (<usize>first << 3));
  }
}
