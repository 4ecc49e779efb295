import { addBlockToTile, gramOfBlock, scoresOfBlockTile, transposeBlock } from "../linalg/blockSparse";
import { at, put } from "../linalg/simd";
import { tiledClasses, tileWidth } from "../linalg/sparse";
import { Problem } from "./problem";

/**
 * Products of weights with a block of sparse examples that lie feature by feature, transposed: see
 * linalg/blockSparse.ts.
 */

/** Sparse examples, u32[size], feature by feature, to problem.packed: for the functions below. */
export function transposeExamples<T>(problem: Problem, examples: usize, size: i32): void {
  transposeBlock<T>(problem.indptr, problem.indices, problem.X, problem.d, examples, size, problem.packed);
}

/** Bytes of the tile of W from a class on, and from one of its rows to the next: S[d][stride / sizeof<S>()]. */
// @ts-ignore: decorator
@inline
function tileAt<S>(problem: Problem, W: usize, first: i32): usize {
  return W + ((<usize>first * <usize>problem.d) << alignof<S>());
}
// @ts-ignore: decorator
@inline
function strideOf<S>(problem: Problem, first: i32): usize {
  return <usize>tileWidth(first, problem.m, problem.tile) << alignof<S>();
}

/**
 * Scores of the transposed examples for all classes, with tiled weights, summed in S, to out: S[m'] for each in the
 * place of as many float64.
 */
export function scoresOfTransposed<T, S>(problem: Problem, size: i32, out: usize): void {
  const ld = tiledClasses(problem.m);
  memory.fill(out, 0, <usize>(size * ld) << 3);
  for (let first = 0; first < ld; first += problem.tile) {
    const tile = tileAt<T>(problem, problem.W, first);
    const scores = out + (<usize>first << alignof<S>());
    scoresOfBlockTile<T, S>(tile, strideOf<T>(problem, first), scores, <usize>ld << 3, problem.d, problem.packed);
  }
}

/** Inner products of the transposed examples, T[size][ld], below the diagonal. */
export function gramOfTransposed<T>(problem: Problem, size: i32, out: usize, ld: i32): void {
  gramOfBlock<T>(size, problem.d, problem.packed, out, ld);
}

/** W += coefficients^T X for the transposed examples: coefficients: T[size][m']. */
export function addTransposed<T>(problem: Problem, coefficients: usize): void {
  const ld = tiledClasses(problem.m);
  for (let first = 0; first < ld; first += problem.tile) {
    addTransposedTile<T, T>(problem, problem.W, first, coefficients);
  }
}

/** W += coefficients^T X for the tile of W, in S, from class `first` on. */
export function addTransposedTile<T, S>(problem: Problem, W: usize, first: i32, coefficients: usize): void {
  const tile = tileAt<S>(problem, W, first);
  const rowBytes = <usize>tiledClasses(problem.m) << alignof<S>();
  const some = coefficients + (<usize>first << alignof<S>());
  addBlockToTile<T, S>(tile, strideOf<S>(problem, first), some, rowBytes, problem.d, problem.packed);
}

/** Rows of `count` elements of S, each in the place of as many float64, become those, in place. */
export function widenRows<S>(ptr: usize, size: i32, count: i32): void {
  if (sizeof<S>() == 8) return;
  for (let e = 0; e < size; ++e) {
    const row = ptr + (<usize>(e * count) << 3);
    for (let j = count - 1; j >= 0; --j) put<f64>(row, j, <f64>at<f32>(row, j));
  }
}
