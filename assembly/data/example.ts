import { rankOne } from "../linalg/rankOne";
import { scoresOf } from "../linalg/scores";
import { at, lanes, put } from "../linalg/simd";
import { addToClass, scoresOfSparse, tiledClasses } from "../linalg/sparse";
import { isSparse, scoresOfPacked } from "../linalg/sparseInt16";
import { kernelRow } from "./keptRows";
import { DIRECTIONS, hasKernel, Problem } from "./problem";
import { addFound, findRow, foundIndices, foundNonzeros, foundValues, rowOf, scoresOfFound } from "./rows";

/** Products of weights with one example, whichever way both are laid out: see problem.ts. */

/** One weight at a time costs about as much as so many of a vector's: measured. */
export const SINGLE_COST: i32 = 4;

/**
 * Scores of example i for the classes of a list, in T. classesPtr: i32[count], count a multiple of CLASSES_AT_ONCE
 * (repeat a class to fill up); out: f64[count]. Returns the number of scores that this has cost.
 */
export function scoresOfExample<T>(problem: Problem, i: i32, classesPtr: usize, count: i32, out: usize): i32 {
  const d = problem.d;
  if (hasKernel(problem)) {
    for (let c = 0; c < count; ++c) put<f64>(out, c, at<f64>(problem.W, at<i32>(classesPtr, c) * problem.ld + i));
    return count;
  }
  if (!problem.sparse) {
    scoresOf<T, T>(problem.W, problem.ld, classesPtr, count, rowOf<T>(problem, i), d, out);
    return count;
  }
  const m = problem.m;
  findRow<T>(problem, i);
  if (SINGLE_COST * count <= m) {
    scoresOfSparse<T>(problem.W, d, m, problem.tile, classesPtr, count, foundIndices, foundValues, foundNonzeros, out);
    return SINGLE_COST * count;
  }
  const all = problem.blockScores;
  scoresOfAll<T>(problem, all);
  for (let c = 0; c < count; ++c) put<f64>(out, c, at<f64>(all, at<i32>(classesPtr, c)));
  return m;
}

/** Scores of the sparse row just found for all classes: f64[m']. */
function scoresOfAll<T>(problem: Problem, out: usize): void {
  for (let first = 0; first < problem.m; first += problem.tile) {
    scoresOfFound<T, T>(problem, first, out + (<usize>first << 3));
  }
}

/**
 * Scores of example i for all classes, which are listed at classesPtr: i32[m'], in T. out: f64[m']. Returns the number
 * of scores that this has cost.
 */
export function scoresOfEveryClass<T>(problem: Problem, i: i32, classesPtr: usize, out: usize): i32 {
  if (!problem.sparse) return scoresOfExample<T>(problem, i, classesPtr, tiledClasses(problem.m), out);
  findRow<T>(problem, i);
  scoresOfAll<T>(problem, out);
  return problem.m;
}

/**
 * Scores of example i for the classes of a list, in float64, of a dense problem without a kernel. Arguments as of
 * `scoresOfExample`; packed: its row as linalg/sparseInt16.ts has it, or 0.
 */
export function scoresInFloat64<T>(problem: Problem, i: i32, classesPtr: usize, count: i32, out: usize, packed: usize): void {
  const d = problem.d;
  const row = rowOf<T>(problem, i);
  if (packed != 0 && isSparse(packed, d)) scoresOfPacked(problem.W, problem.ld, classesPtr, count, row, packed, d, out);
  else scoresOf<T, f64>(problem.W, problem.ld, classesPtr, count, row, d, out);
}

/** Changes the sign of the last DIRECTIONS of a row of d numbers. */
// @ts-ignore: decorator
@inline
function turn<T>(row: usize, d: i32): void {
  for (let l = d - DIRECTIONS; l < d; l += lanes<T>()) {
    const c = row + (<usize>l << alignof<T>());
    v128.store(c, v128.neg<T>(v128.load(c)));
  }
}

/**
 * W += delta x_i^T, or delta K_i^T, delta being `moved` entries of problem.deltas for the classes problem.changed;
 * everyClass: those are all m in their order.
 */
export function addExample<T>(problem: Problem, i: i32, moved: i32, everyClass: bool = false): void {
  const d = problem.d;
  const m = problem.m;
  if (moved == 0) return;
  if (hasKernel(problem)) {
    const row = kernelRow<T>(problem.kernel, i);
    rankOne<T, f64>(problem.W, problem.ld, row, d, problem.changed, problem.deltas, moved);
    return;
  }
  if (!problem.sparse) {
    const row = rowOf<T>(problem, i);
    if (problem.deflated) turn<T>(row, d);
    rankOne<T, T>(problem.W, problem.ld, row, d, problem.changed, problem.deltas, moved);
    if (problem.deflated) turn<T>(row, d);
    return;
  }
  findRow<T>(problem, i);
  if (SINGLE_COST * moved <= m) {
    for (let c = 0; c < moved; ++c) {
      const delta = at<T>(problem.deltas, c);
      addToClass<T, T>(problem.W, d, m, problem.tile, at<i32>(problem.changed, c), delta, foundIndices, foundValues, foundNonzeros);
    }
    return;
  }
  const all = problem.blockScores; // T[m'] here
  memory.fill(all, 0, <usize>tiledClasses(m) << alignof<T>());
  if (everyClass) memory.copy(all, problem.deltas, <usize>m << alignof<T>());
  else for (let c = 0; c < moved; ++c) put<T>(all, at<i32>(problem.changed, c), at<T>(problem.deltas, c));
  for (let first = 0; first < m; first += problem.tile) {
    addFound<T, T>(problem, problem.W, first, all + (<usize>first << alignof<T>()));
  }
}
