import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { addToTile, scoresOfTileSparse } from "../linalg/sparse";
import { Problem } from "./problem";

/** Where the rows of features are: see problem.ts. */

/** Of a dense problem: T[ld]. */
// @ts-ignore: decorator
@inline
export function rowOf<T>(problem: Problem, i: i32): usize {
  return problem.X + ((<usize>i * <usize>problem.ld) << alignof<T>());
}

/** The row of a sparse problem that `findRow` was last asked for. */
export let foundIndices: usize = 0;
export let foundValues: usize = 0;
export let foundNonzeros: i32 = 0;

// @ts-ignore: decorator
@inline
export function findRow<T>(problem: Problem, i: i32): void {
  const start = at<u32>(problem.indptr, i);
  foundNonzeros = at<u32>(problem.indptr, i + 1) - start;
  foundIndices = problem.indices + (<usize>start << 2);
  foundValues = problem.X + (<usize>start << alignof<T>());
}

/** Its scores for the classes of the tile of W from `first` on, summed in S, to out: f64[width]. */
// @ts-ignore: decorator
@inline
export function scoresOfFound<T, S>(problem: Problem, first: i32, out: usize): void {
  scoresOfTileSparse<T, S, T>(problem.W, problem.d, problem.m, problem.tile, first, foundIndices, foundValues, foundNonzeros, out);
}

/** W += deltas x^T for these classes, W being that of the problem in S. deltas: S[width]. */
// @ts-ignore: decorator
@inline
export function addFound<T, S>(problem: Problem, W: usize, first: i32, deltas: usize): void {
  addToTile<T, S>(W, problem.d, problem.m, problem.tile, first, deltas, foundIndices, foundValues, foundNonzeros);
}

/** The examples from `first` on as a list, u32[size]. */
export function listExamples(problem: Problem, first: i32, size: i32): usize {
  for (let e = 0; e < size; ++e) put<u32>(problem.changed, e, first + e);
  return problem.changed;
}

const blockRows = memory.data(4 * BLOCK_SIZE, 16);

/** Where the rows of dense examples, u32[size], are: usize[size]. */
export function rowsOf<T>(problem: Problem, examples: usize, size: i32): usize {
  for (let e = 0; e < size; ++e) put<usize>(blockRows, e, rowOf<T>(problem, at<u32>(examples, e)));
  return blockRows;
}

/**
 * Adds scale times the features [first, first + count) of example i to out: f64[count]; there are none beyond the last.
 */
export function addFeatures<T>(problem: Problem, i: i32, first: i32, count: i32, scale: f64, out: usize): void {
  if (!problem.sparse) {
    const row = rowOf<T>(problem, i);
    const end = min(count, problem.d - first);
    for (let l = 0; l < end; ++l) put<f64>(out, l, at<f64>(out, l) + scale * <f64>at<T>(row, first + l));
    return;
  }
  findRow<T>(problem, i);
  for (let p = 0; p < foundNonzeros; ++p) {
    const l = <i32>at<u32>(foundIndices, p) - first;
    if (l >= 0 && l < count) put<f64>(out, l, at<f64>(out, l) + scale * <f64>at<T>(foundValues, p));
  }
}
