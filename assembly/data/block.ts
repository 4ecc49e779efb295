import { addRows, copiedStride, copyRows, packRows, scoresOfRows } from "../linalg/blockDense";
import { gatherNonzeros, scoresOfNonzeros } from "../linalg/blockNonzeros";
import { addMultiples, axpy } from "../linalg/rankOne";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { addToClass, tiledClasses, tileWidth } from "../linalg/sparse";
import { countNonzeros } from "../linalg/vectors";
import { SINGLE_COST } from "./example";
import { findBlock } from "./keptRows";
import { TOGETHER } from "./kernelMatrix";
import { exactRows, productsAt } from "./kernelValues";
import { hasKernel, Problem } from "./problem";
import {
  addFound,
  findRow,
  foundIndices,
  foundNonzeros,
  foundValues,
  listExamples,
  rowOf,
  rowsOf,
  scoresOfFound,
} from "./rows";
import {
  addTransposed,
  addTransposedTile,
  gramOfTransposed,
  isWhole,
  scoresOfTransposed,
  transposeExamples,
  widenRows,
} from "./transposed";

/** Products of weights with a block of examples, whichever way both are laid out: see problem.ts. */

/**
 * Whether so many of the coefficients f64[size][ld] of the classes from `first` to `end` are not zero that all may take
 * part.
 */
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
    if (problem.packed != 0 && isWhole<f64>(problem, tile) && isDense(coefficients, ld, size, tile, end)) {
      if (!transposed) transposeExamples<T>(problem, listExamples(problem, first, size), size);
      transposed = true;
      addTransposedTile<T, f64>(problem, problem.W64, tile, coefficients);
      continue;
    }
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, first + e);
      const row = coefficients + (<usize>(e * ld) << 3);
      if (SINGLE_COST * countNonzeros<f64>(row + (<usize>tile << 3), end - tile) > end - tile) {
        addFound<T, f64>(problem, problem.W64, tile, row + (<usize>tile << 3));
        continue;
      }
      for (let j = tile; j < end; ++j) {
        const a = at<f64>(row, j);
        if (a != 0) addToClass<T, f64>(problem.W64, d, m, problem.tile, j, a, foundIndices, foundValues, foundNonzeros);
      }
    }
  }
}

/**
 * W64 += duals^T X, or duals^T K, over a block of `size` examples from `first` on, each entry summed in the order of
 * the examples. dualsPtr: f64[size][m'], zeros behind the m-th of each row.
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
    addMultiples<T, f64>(problem.W64 + <usize>j * rowBytes, alphas, rows, count, d);
  }
}

/** W64 += A^T K for the examples of a block, with values of a computed kernel that are not rounded to T. */
export function addExactRows(problem: Problem, first: i32, size: i32, dualsPtr: usize): void {
  const ld = tiledClasses(problem.m);
  const places = problem.packed; // i32[TOGETHER]: in the block, and behind them
  const examples = places + TOGETHER * 4; // i32[TOGETHER]
  let count = 0;
  for (let e = 0; e < size; ++e) {
    if (countNonzeros<f64>(dualsPtr + (<usize>(e * ld) << 3), ld) > 0) {
      put<i32>(places, count, e);
      put<i32>(examples, count++, first + e);
    }
    if (count == 0 || (count < TOGETHER && e < size - 1)) continue;
    exactRows(problem.kernel, examples, count);
    for (let c = 0; c < count; ++c) {
      const duals = dualsPtr + (<usize>(at<i32>(places, c) * ld) << 3);
      for (let j = 0; j < problem.m; ++j) {
        const a = at<f64>(duals, j);
        const sums = problem.W64 + ((<usize>j * <usize>problem.ld) << 3);
        if (a != 0) axpy<f64, f64>(sums, a, productsAt(problem.kernel, c), problem.d);
      }
    }
    count = 0;
  }
}

/** Scores of packed rows for all classes, summed in S, to out: S[m'] for each in the place of as many float64. */
function packedScores<T, S>(problem: Problem, packed: usize, size: i32, out: usize): void {
  scoresOfRows<T, S>(problem.W, problem.ld, problem.m, packed, size, problem.d, out, <usize>tiledClasses(problem.m) << 3);
}

/** Examples of a block of steps, see solver/blockSweep.ts. */
export const STEP_BLOCK: i32 = 16;

/**
 * Begins a block of steps of at most STEP_BLOCK examples, u32[size]: their scores for all classes to scores: T[m'] for
 * each in the place of as many float64, and their inner products, below the diagonal, to gram: T[size][STEP_BLOCK].
 */
export function beginStepBlock<T>(problem: Problem, examples: usize, size: i32, scores: usize, gram: usize): void {
  if (problem.sparse) {
    transposeExamples<T>(problem, examples, size);
    scoresOfTransposed<T, T>(problem, examples, size, scores);
    gramOfTransposed<T>(problem, size, gram, STEP_BLOCK);
    return;
  }
  const d = problem.d;
  const pointers = rowsOf<T>(problem, examples, size);
  const rows = problem.packed; // T[STEP_BLOCK][stride], and behind them the same packed
  const stride = copiedStride<T>(d);
  const packed = rows + (<usize>(STEP_BLOCK * stride) << alignof<T>());
  copyRows<T, T>(pointers, size, d, rows);
  packRows<T, T>(pointers, size, d, packed);
  packedScores<T, T>(problem, packed, size, scores);
  scoresOfRows<T, T>(rows, stride, size, packed, size, d, gram, <usize>STEP_BLOCK << alignof<T>());
}

/** Ends it: W += deltas^T X. examples: those it has begun with; deltas: T[size][m']. */
export function addStepBlock<T>(problem: Problem, examples: usize, size: i32, deltas: usize): void {
  if (problem.sparse) {
    addTransposed<T>(problem, examples, size, deltas);
    return;
  }
  addRows<T>(problem.W, problem.ld, problem.m, deltas, problem.packed, size, problem.d);
}

/**
 * Scores of a block of `size` examples from `first` on for all classes, summed in S, to out: f64[size][m']. tiled: W64
 * holds the weights as `tileWeights` has put them there, in S, since W has changed; then zeros are skipped where there
 * are many.
 */
export function scoresOfExamples<T, S>(problem: Problem, first: i32, size: i32, out: usize, tiled: bool): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  if (hasKernel(problem)) {
    for (let j = 0; j < m; ++j) {
      for (let e = 0; e < size; ++e) {
        const place = j * problem.ld + first + e;
        put<f64>(out, e * ld + j, at<f64>(problem.W, place));
      }
    }
    return;
  }
  if (problem.sparse) {
    scoresOfSparseBlock<T, S>(problem, first, size, out);
    return;
  }
  if (tiled && problem.skipsZeros) scoresSkippingZeros<T, S>(problem, first, size, out);
  else scoresOfDense<T, S>(problem, listExamples(problem, first, size), size, out);
  widenRows<S>(out, size, ld);
}

/** Scores of dense examples, u32[size], without a kernel, to S[m'] for each in the place of as many float64. */
export function scoresOfDense<T, S>(problem: Problem, examples: usize, size: i32, out: usize): void {
  packRows<T, S>(rowsOf<T>(problem, examples, size), size, problem.d, problem.packed);
  packedScores<T, S>(problem, problem.packed, size, out);
}

/** Scores of the dense examples from `first` on, skipping zeros. */
function scoresSkippingZeros<T, S>(problem: Problem, first: i32, size: i32, out: usize): void {
  const ld = tiledClasses(problem.m);
  const d = problem.d;
  memory.fill(out, 0, <usize>(size * ld) << 3);
  gatherNonzeros<T>(rowsOf<T>(problem, listExamples(problem, first, size), size), size, d, problem.packed);
  for (let tile = 0; tile < ld; tile += problem.tile) {
    const weights = problem.W64 + ((<usize>tile * <usize>d) << alignof<S>());
    const scores = out + (<usize>tile << alignof<S>());
    scoresOfNonzeros<T, S>(problem.packed, size, d, weights, tileWidth(tile, problem.m, problem.tile), scores, <usize>ld << 3);
  }
}

/** `scoresOfExamples` of sparse examples. */
function scoresOfSparseBlock<T, S>(problem: Problem, first: i32, size: i32, out: usize): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  if (problem.packed != 0 && isWhole<S>(problem, 0)) {
    const examples = listExamples(problem, first, size);
    transposeExamples<T>(problem, examples, size);
    scoresOfTransposed<T, S>(problem, examples, size, out);
    widenRows<S>(out, size, ld);
    return;
  }
  for (let tile = 0; tile < m; tile += problem.tile) {
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, first + e);
      scoresOfFound<T, S>(problem, tile, out + (<usize>(e * ld + tile) << 3));
    }
  }
}
