import { at, put } from "../linalg/simd";
import { placeInTiles, tiledClasses, tileWidth } from "../linalg/sparse";
import { Problem } from "./problem";

/** Weights in other orders: see problem.ts. */

/** W of a dense problem, tiled as if it were sparse, in S, into W64: the next scores of blocks skip the zeros of X. */
export function tileWeights<T, S>(problem: Problem): void {
  const d = problem.d;
  const m = problem.m;
  const classes = tiledClasses(m);
  for (let first = 0; first < classes; first += problem.tile) {
    const width = tileWidth(first, m, problem.tile);
    const tile = problem.W64 + ((<usize>first * <usize>d) << alignof<S>());
    for (let j = first; j < first + width; ++j) {
      const row = problem.W + ((<usize>min(j, m - 1) * <usize>problem.ld) << alignof<T>());
      for (let l = 0; l < d; ++l) put<S>(tile, l * width + j - first, <S>at<T>(row, l));
    }
  }
}

/** Features whose weights are copied together: of each class a cache line of float32. */
const FEATURES_AT_ONCE: i32 = 16;

/**
 * W without padding, class by class, to T[m][columns], which lies where W64 does. columns: d of a sparse problem, of a
 * dense one without padding.
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
        put<T>(row, l, at<T>(problem.W, placeInTiles(m, columns, problem.tile, l, j)));
      }
    }
  }
}
