import { addBlockToTile, gramOfBlock, scoresOfBlockTile, transposeBlock } from "../linalg/blockSparse";
import { at, put } from "../linalg/simd";
import { tiledClasses, tileWidth } from "../linalg/sparse";
import { Problem } from "./problem";
import { addFound, findRow, scoresOfFound } from "./rows";

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
 * Whether a tile is of vectors that `linalg/blockSparse.ts` takes, eight at a time. What is left of the classes is not:
 * one or a few vectors for each feature took six times as long as one of eight. By rows its weights, which stay in a
 * cache, are found as quickly.
 */
// @ts-ignore: decorator
@inline
export function isWhole<S>(problem: Problem, first: i32): bool {
  return (strideOf<S>(problem, first) & 127) == 0;
}

/** Scores of a row for a tile that is not whole: f64[32], as many as the tiles of blocks have classes at most. */
const rowScores = memory.data(8 * 32, 16);

/**
 * Scores of the transposed examples, u32[size], for all classes, with tiled weights, summed in S, to out: S[m'] for
 * each in the place of as many float64.
 */
export function scoresOfTransposed<T, S>(problem: Problem, examples: usize, size: i32, out: usize): void {
  const ld = tiledClasses(problem.m);
  const rowBytes = <usize>ld << 3;
  memory.fill(out, 0, <usize>size * rowBytes);
  for (let first = 0; first < ld; first += problem.tile) {
    const scores = out + (<usize>first << alignof<S>());
    if (isWhole<S>(problem, first)) {
      const tile = tileAt<T>(problem, problem.W, first);
      scoresOfBlockTile<T, S>(tile, strideOf<T>(problem, first), scores, rowBytes, problem.d, problem.packed);
      continue;
    }
    const width = tileWidth(first, problem.m, problem.tile);
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, at<u32>(examples, e));
      scoresOfFound<T, S>(problem, first, rowScores);
      const row = scores + <usize>e * rowBytes;
      for (let c = 0; c < width; ++c) put<S>(row, c, <S>at<f64>(rowScores, c));
    }
  }
}

/** Inner products of the transposed examples, T[size][ld], below the diagonal. */
export function gramOfTransposed<T>(problem: Problem, size: i32, out: usize, ld: i32): void {
  gramOfBlock<T>(size, problem.d, problem.packed, out, ld);
}

/** W += coefficients^T X for the transposed examples, u32[size]. coefficients: T[size][m']. */
export function addTransposed<T>(problem: Problem, examples: usize, size: i32, coefficients: usize): void {
  const ld = tiledClasses(problem.m);
  for (let first = 0; first < ld; first += problem.tile) {
    if (isWhole<T>(problem, first)) {
      addTransposedTile<T, T>(problem, problem.W, first, coefficients);
      continue;
    }
    for (let e = 0; e < size; ++e) {
      findRow<T>(problem, at<u32>(examples, e));
      const row = coefficients + (<usize>(e * ld + first) << alignof<T>());
      addFound<T, T>(problem, problem.W, first, row);
    }
  }
}

/** W += coefficients^T X for the whole tile of W, in S, from class `first` on. */
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
