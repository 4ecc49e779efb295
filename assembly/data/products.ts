import { addRows, copyRows, packRows, scoresOfRows } from "../linalg/blockDense";
import { combineInFloat64, rankOne } from "../linalg/rankOne";
import { BLOCK_SIZE, scoresOf, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { addToClass, addToTile, placeOf, scoresOfSparse, scoresOfTileSparse, tiledClasses, tileWidth } from "../linalg/sparse";
import { countNonzeros } from "../linalg/vectors";
import { diagonal, findBlock, kernelRow } from "./kernelMatrix";
import { listsHoldDuals, NO_DUALS, Problem } from "./problem";
import {
  addTransposed,
  addTransposedTile,
  gramOfTransposed,
  scoresOfTransposed,
  transposeDense,
  transposeExamples,
  widenRows,
} from "./transposed";

/** Products of weights with examples, whichever way both are laid out: see problem.ts. */

/** Whether the features are known through a kernel: then W holds the scores of the examples. */
// @ts-ignore: decorator
@inline
export function hasKernel(problem: Problem): bool {
  return changetype<usize>(problem.kernel) != 0;
}

/** One weight at a time costs about as much as so many of a vector's: measured. */
const SINGLE_COST: i32 = 4;

// @ts-ignore: decorator
@inline
export function rowOf<T>(problem: Problem, i: i32): usize {
  return problem.X + ((<usize>i * <usize>problem.ld) << alignof<T>());
}

/**
 * ||x_i||^2, or K_ii, of `count` rows from `first` on; their dual variables become zero, and their share of W. Returns how many come
 * before the first of which it is not finite.
 */
export function measureRows<T>(problem: Problem, first: i32, count: i32): i32 {
  const end = first + count;
  // Memory is zero as it is, but a page that is read before it is written costs several times as much. Rows of A that lists will stand for
  // may never be touched.
  if (listsHoldDuals(problem)) {
    for (let i = first; i < end; ++i) put<i32>(problem.listed, i, NO_DUALS);
  } else {
    memory.fill(problem.A + ((<usize>first * <usize>problem.m) << alignof<T>()), 0, (<usize>count * <usize>problem.m) << alignof<T>());
  }
  zeroShare(problem.W, <u64>problem.sizeW << alignof<T>(), first, end, problem.n);
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
  return squaredNorm<T>(values, nonzeros);
}

/** max ||x_i|| and sum C_i ||x_i|| to the first two of problem.sums. */
export function sumNorms(problem: Problem): void {
  let largest: f64 = 0;
  let sum: f64 = 0;
  for (let i = 0; i < problem.n; ++i) {
    const norm = Math.sqrt(at<f64>(problem.norm2, i));
    largest = max(largest, norm);
    sum += at<f64>(problem.C, i) * norm;
  }
  put<f64>(problem.sums, 0, largest);
  put<f64>(problem.sums, 1, sum);
}

/** Row i of a sparse problem: set by `findRow`. */
let indices: usize = 0;
let values: usize = 0;
let nonzeros: i32 = 0;

// @ts-ignore: decorator
@inline
function findRow<T>(problem: Problem, i: i32): void {
  const start = at<u32>(problem.indptr, i);
  nonzeros = at<u32>(problem.indptr, i + 1) - start;
  indices = problem.indices + (<usize>start << 2);
  values = problem.X + (<usize>start << alignof<T>());
}

/**
 * Scores of example i for the classes of a list, in T. classesPtr: i32[count], count a multiple of CLASSES_AT_ONCE (repeat a
 * class to fill up); out: f64[count]. Returns the number of scores that this has cost.
 */
export function scoresOfExample<T>(problem: Problem, i: i32, classesPtr: usize, count: i32, out: usize): i32 {
  const d = problem.d;
  if (hasKernel(problem)) {
    for (let c = 0; c < count; ++c) put<f64>(out, c, <f64>at<T>(problem.W, at<i32>(classesPtr, c) * problem.ld + i));
    return count;
  }
  if (!problem.sparse) {
    scoresOf<T, T>(problem.W, problem.ld, classesPtr, count, rowOf<T>(problem, i), d, out);
    return count;
  }
  const m = problem.m;
  findRow<T>(problem, i);
  if (SINGLE_COST * count <= m) {
    scoresOfSparse<T>(problem.W, d, m, problem.tile, classesPtr, count, indices, values, nonzeros, out);
    return SINGLE_COST * count;
  }
  const all = problem.blockScores;
  scoresOfFound<T>(problem, all);
  for (let c = 0; c < count; ++c) put<f64>(out, c, at<f64>(all, at<i32>(classesPtr, c)));
  return m;
}

/** Scores of the sparse row just found for all classes: f64[m']. */
function scoresOfFound<T>(problem: Problem, out: usize): void {
  const tile = problem.tile;
  for (let first = 0; first < problem.m; first += tile) {
    const to = out + (<usize>first << 3);
    scoresOfTileSparse<T, T>(problem.W, problem.d, problem.m, tile, first, indices, values, nonzeros, to);
  }
}

/**
 * Scores of example i for all classes, which are listed at classesPtr: i32[m'], in T. out: f64[m']. Returns the number of scores that
 * this has cost.
 */
export function scoresOfEveryClass<T>(problem: Problem, i: i32, classesPtr: usize, out: usize): i32 {
  if (!problem.sparse) return scoresOfExample<T>(problem, i, classesPtr, tiledClasses(problem.m), out);
  findRow<T>(problem, i);
  scoresOfFound<T>(problem, out);
  return problem.m;
}

/** Scores of example i for the classes of a list, in float64, of a dense problem without a kernel. Arguments as of `scoresOfExample`. */
export function scoresInFloat64<T>(problem: Problem, i: i32, classesPtr: usize, count: i32, out: usize): void {
  scoresOf<T, f64>(problem.W, problem.ld, classesPtr, count, rowOf<T>(problem, i), problem.d, out);
}

/**
 * W += delta x_i^T, or delta K_i^T, delta being `moved` entries of problem.deltas for the classes problem.changed; everyClass: those are
 * all m in their order.
 */
export function addExample<T>(problem: Problem, i: i32, moved: i32, everyClass: bool = false): void {
  const d = problem.d;
  const m = problem.m;
  if (moved == 0) return;
  if (!problem.sparse) {
    const row = hasKernel(problem) ? kernelRow<T>(problem.kernel, i, 0) : rowOf<T>(problem, i);
    rankOne<T>(problem.W, problem.ld, row, d, problem.changed, problem.deltas, moved);
    return;
  }
  findRow<T>(problem, i);
  if (SINGLE_COST * moved <= m) {
    for (let c = 0; c < moved; ++c) {
      const delta = at<T>(problem.deltas, c);
      addToClass<T, T>(problem.W, d, m, problem.tile, at<i32>(problem.changed, c), delta, indices, values, nonzeros);
    }
    return;
  }
  const all = problem.blockScores; // T[m'] here
  memory.fill(all, 0, <usize>tiledClasses(m) << alignof<T>());
  if (everyClass) memory.copy(all, problem.deltas, <usize>m << alignof<T>());
  else for (let c = 0; c < moved; ++c) put<T>(all, at<i32>(problem.changed, c), at<T>(problem.deltas, c));
  for (let first = 0; first < m; first += problem.tile) {
    addToTile<T, T>(problem.W, d, m, problem.tile, first, all + (<usize>first << alignof<T>()), indices, values, nonzeros);
  }
}

/** Whether so many of the coefficients f64[size][ld] of the classes from `first` to `end` are not zero that all may take part. */
function isDense(coefficients: usize, ld: i32, size: i32, first: i32, end: i32): bool {
  let count = 0;
  for (let e = 0; e < size; ++e) {
    count += countNonzeros<f64>(coefficients + (<usize>(e * ld + first) << 3), end - first);
    if (SINGLE_COST * count > size * (end - first)) return true;
  }
  return false;
}

/** `addBlockInFloat64` of sparse examples. */
function addSparseBlock<T>(problem: Problem, first: i32, size: i32, coefficients: usize): void {
  const d = problem.d;
  const m = problem.m;
  const ld = tiledClasses(m);
  let transposed = false;
  // Tile by tile, so that a tile of W64 stays in the cache for all examples of the block.
  for (let tile = 0; tile < m; tile += problem.tile) {
    const end = min(tile + problem.tile, m);
    if (problem.packed != 0 && isDense(coefficients, ld, size, tile, end)) {
      if (!transposed) transposeExamples<T>(problem, listExamples(problem, first, size), size);
      transposed = true;
      addTransposedTile<T, f64>(problem, problem.W64, tile, coefficients);
      continue;
    }
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, first + e);
      const row = coefficients + (<usize>(e * ld) << 3);
      let count = 0;
      for (let j = tile; j < end; ++j) count += i32(at<f64>(row, j) != 0);
      if (SINGLE_COST * count > end - tile) {
        addToTile<T, f64>(problem.W64, d, m, problem.tile, tile, row + (<usize>tile << 3), indices, values, nonzeros);
        continue;
      }
      for (let j = tile; j < end; ++j) {
        const a = at<f64>(row, j);
        if (a != 0) addToClass<T, f64>(problem.W64, d, m, problem.tile, j, a, indices, values, nonzeros);
      }
    }
  }
}

/** The examples from `first` on as a list, u32[size]. */
export function listExamples(problem: Problem, first: i32, size: i32): usize {
  for (let e = 0; e < size; ++e) put<u32>(problem.changed, e, first + e);
  return problem.changed;
}

/**
 * W64 += duals^T X, or duals^T K, over a block of `size` examples from `first` on, each entry summed in the order of the examples.
 * dualsPtr: f64[size][m'], zeros behind the m-th of each row.
 */
export function addBlockInFloat64<T>(problem: Problem, first: i32, size: i32, dualsPtr: usize): void {
  const d = problem.d;
  const m = problem.m;
  const ld = tiledClasses(m);
  if (problem.sparse) {
    addSparseBlock<T>(problem, first, size, dualsPtr);
    return;
  }
  if (!hasKernel(problem) && isDense(dualsPtr, ld, size, 0, m)) {
    copyRows<T, f64>(rowsOf<T>(problem, listExamples(problem, first, size), size), size, d, problem.packed);
    addRows<f64>(problem.W64, problem.ld, m, dualsPtr, problem.packed, size, d);
    return;
  }
  // Class by class, so that a row of W64 is fetched once for all examples of the block.
  const alphas = problem.packed; // f64[BLOCK_SIZE], and behind them
  const rows = alphas + BLOCK_SIZE * 8; // usize[BLOCK_SIZE]
  const rowBytes = <usize>problem.ld << 3;
  const kernel = problem.kernel;
  const inKernel = hasKernel(problem);
  if (inKernel) findBlock<T>(kernel, first, size, dualsPtr, ld);
  for (let j = 0; j < m; ++j) {
    let count = 0;
    for (let e = 0; e < size; ++e) {
      const a = at<f64>(dualsPtr, e * ld + j);
      put<f64>(alphas, count, a);
      put<usize>(rows, count, inKernel ? at<usize>(kernel.block, e) : rowOf<T>(problem, first + e));
      count += i32(a != 0);
    }
    combineInFloat64<T>(problem.W64 + <usize>j * rowBytes, alphas, rows, count, d);
  }
}

const blockRows = memory.data(4 * BLOCK_SIZE, 16);

/** Where the rows of dense examples, u32[size], are: usize[size]. */
export function rowsOf<T>(problem: Problem, examples: usize, size: i32): usize {
  for (let e = 0; e < size; ++e) put<usize>(blockRows, e, rowOf<T>(problem, at<u32>(examples, e)));
  return blockRows;
}

/** Scores of packed rows for all classes, summed in S, to out: S[m'] for each in the place of as many float64. */
function scoresOfPacked<T, S>(problem: Problem, packed: usize, size: i32, out: usize): void {
  scoresOfRows<T, S>(problem.W, problem.ld, problem.m, packed, size, problem.d, out, <usize>tiledClasses(problem.m) << 3);
}

/** Examples of a block of steps, see solver/blockSweep.ts. */
export const STEP_BLOCK: i32 = 16;

/**
 * Begins a block of steps of at most STEP_BLOCK examples, u32[size]: their scores for all classes, in T, to scores: f64[size][m'],
 * and their inner products, below the diagonal, to gram: f64[size][STEP_BLOCK].
 */
export function beginStepBlock<T>(problem: Problem, examples: usize, size: i32, scores: usize, gram: usize): void {
  if (problem.sparse) {
    transposeExamples<T>(problem, examples, size);
    scoresOfTransposed<T, T>(problem, problem.W, size, scores);
    widenRows<T>(scores, size, tiledClasses(problem.m));
    gramOfTransposed<T>(problem, size, gram, STEP_BLOCK);
    return;
  }
  const d = problem.d;
  const pointers = rowsOf<T>(problem, examples, size);
  const rows = problem.packed; // T[STEP_BLOCK][d], and behind them the same packed
  const packed = rows + (<usize>(STEP_BLOCK * d) << alignof<T>());
  copyRows<T, T>(pointers, size, d, rows);
  packRows<T, T>(pointers, size, d, packed);
  scoresOfPacked<T, T>(problem, packed, size, scores);
  widenRows<T>(scores, size, tiledClasses(problem.m));
  scoresOfRows<T, T>(rows, d, size, packed, size, d, gram, <usize>STEP_BLOCK << 3);
  widenRows<T>(gram, size, STEP_BLOCK);
}

/** Ends it: W += deltas^T X. deltas: T[size][m']. */
export function addStepBlock<T>(problem: Problem, size: i32, deltas: usize): void {
  if (problem.sparse) {
    addTransposed<T>(problem, deltas);
    return;
  }
  addRows<T>(problem.W, problem.ld, problem.m, deltas, problem.packed, size, problem.d);
}

/** W of a dense problem, tiled as if it were sparse, into W64: the next scores of blocks skip the zeros of X. */
export function tileWeights<T>(problem: Problem): void {
  const d = problem.d;
  const m = problem.m;
  const classes = tiledClasses(m);
  for (let first = 0; first < classes; first += problem.tile) {
    const width = tileWidth(first, m, problem.tile);
    const tile = problem.W64 + ((<usize>first * <usize>d) << alignof<T>());
    for (let j = first; j < first + width; ++j) {
      const row = problem.W + ((<usize>min(j, m - 1) * <usize>problem.ld) << alignof<T>());
      for (let l = 0; l < d; ++l) put<T>(tile, l * width + j - first, at<T>(row, l));
    }
  }
}

/** Features whose weights are copied together: of each class a cache line of float32. */
const FEATURES_AT_ONCE: i32 = 16;

/**
 * W without padding, class by class, to T[m][columns], which lies where W64 does. columns: d of a sparse problem, of a dense one without
 * padding.
 */
export function packWeights<T>(problem: Problem, columns: i32): void {
  const m = problem.m;
  const out = problem.W64;
  if (!problem.sparse) {
    const bytes = <usize>columns << alignof<T>();
    for (let j = 0; j < m; ++j) {
      memory.copy(out + <usize>j * bytes, problem.W + ((<usize>j * <usize>problem.ld) << alignof<T>()), bytes);
    }
    return;
  }
  for (let from = 0; from < columns; from += FEATURES_AT_ONCE) {
    const end = min(from + FEATURES_AT_ONCE, columns);
    for (let j = 0; j < m; ++j) {
      const row = out + ((<usize>j * <usize>columns) << alignof<T>());
      for (let l = from; l < end; ++l) {
        put<T>(row, l, at<T>(problem.W, placeOf(true, m, columns, problem.tile, 0, l, j)));
      }
    }
  }
}

/**
 * Scores of a block of `size` examples from `first` on for all classes, summed in S, to out: f64[size][m']. Where zeros are
 * skipped `tileWeights` has been called since W has changed.
 */
export function scoresOfExamples<T, S>(problem: Problem, first: i32, size: i32, out: usize): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  if (hasKernel(problem)) {
    // A certificate is about A^T K in float64, an estimate about what the steps have made of it.
    for (let j = 0; j < m; ++j) {
      for (let e = 0; e < size; ++e) {
        const place = j * problem.ld + first + e;
        const score = sizeof<S>() > sizeof<T>() ? at<f64>(problem.W64, place) : <f64>at<T>(problem.W, place);
        put<f64>(out, e * ld + j, score);
      }
    }
    return;
  }
  if (problem.sparse) {
    scoresOfSparseBlock<T, S>(problem, first, size, out);
    return;
  }
  if (problem.skipsZeros) scoresSkippingZeros<T, S>(problem, first, size, out);
  else scoresOfDense<T, S>(problem, listExamples(problem, first, size), size, out);
  widenRows<S>(out, size, ld);
}

/** The same of dense examples, without a kernel, u32[size], to S[m'] for each in the place of as many float64. */
export function scoresOfDense<T, S>(problem: Problem, examples: usize, size: i32, out: usize): void {
  packRows<T, S>(rowsOf<T>(problem, examples, size), size, problem.d, problem.packed);
  scoresOfPacked<T, S>(problem, problem.packed, size, out);
}

/** The same of those from `first` on where zeros are skipped. */
function scoresSkippingZeros<T, S>(problem: Problem, first: i32, size: i32, out: usize): void {
  transposeDense<T>(problem, first, size);
  scoresOfTransposed<T, S>(problem, problem.W64, size, out);
}

/** `scoresOfExamples` of sparse examples. */
function scoresOfSparseBlock<T, S>(problem: Problem, first: i32, size: i32, out: usize): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  if (problem.packed != 0) {
    transposeExamples<T>(problem, listExamples(problem, first, size), size);
    scoresOfTransposed<T, S>(problem, problem.W, size, out);
    widenRows<S>(out, size, ld);
    return;
  }
  for (let tile = 0; tile < m; tile += problem.tile) {
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, first + e);
      const scores = out + (<usize>(e * ld + tile) << 3);
      scoresOfTileSparse<T, S>(problem.W, problem.d, m, problem.tile, tile, indices, values, nonzeros, scores);
    }
  }
}
