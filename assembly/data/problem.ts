import { at, lanes, loadNarrow, loadPair, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { Loss } from "../loss/parameters";
import { KernelMatrix } from "./kernelMatrix";
import { WORK } from "./progress";

/**
 * Directions of features that steps may leave to multipliers: see solver/deflation.ts. As many as CLASSES_AT_ONCE, and
 * whole vectors.
 */
export const DIRECTIONS: i32 = 4;
/**
 * And which part of those, 1 - tau there. Measured on letter and caltech: 3/4 and 7/8 take more epochs, 31/32 no fewer.
 */
export const REST: f64 = 15 / 16;
/** In the place of a list's length: see below. */
export const NO_DUALS: i32 = -1;

/**
 * One training problem as it lies in memory. T is the storage precision. The host lays everything out before the first
 * sweep and nothing is allocated afterwards. Features and weights lie in one of two ways. Dense, with rows padded by
 * zeros to a whole number of vectors:
 *
 *   X      T[n][ld]      features, the constant one included
 *   W      T[m'][ld]     weights, m' being m rounded up to a multiple of 4; those behind the m-th stay zero
 *
 * or, where most features are zero, sparse (CSR, indices ascending within a row) with the weights feature by feature:
 *
 *   indptr, indices      u32[n + 1], u32[nonzeros]
 *   X      T[nonzeros]
 *   W      T[d][m']      in tiles: see linalg/sparse.ts
 *
 * With a kernel there are none; W = A^T K holds the scores of the examples themselves, d = n, dense: see
 * kernelMatrix.ts. These are f64: a sum of rows that cancel each other would lose too much in float32, and momentum
 * makes more of what is lost. And then
 *
 *   W64    f64, as W     A^T X accumulated in float64, while a certificate is made
 *   W0     f64, as W     proximal centre, or no array (pointer 0): W = W0 + A^T X
 *   A      T[n][m]       dual variables, but for those that lists hold; entry y_i of row i is >= 0, the others are <= 0
 *   B      T[n][m]       dual variables of before: see solver/extrapolate.ts; or no array
 *   S0     f64, as W     with a kernel, scores of before: see solver/kernelMomentum.ts; or no array
 *   R, R0  T[n][m]       with S0, what rounding has taken off A and B: see solver/rests.ts
 *   moved  u8[n]         with S0, whether the last move has moved dual variables of the example
 *   y      i32[n]        class of each example; or, where examples have sets of classes, the classes of all, each set ascending
 *   sets   u32[n + 1]    where in y each example's set begins; no array where each has one class
 *   classWeights  f64[labels]  of the true classes, as y: see loss/binaryRelevance.ts; or no array
 *   C      f64[n]        C_i, the weight of each example's loss
 *   norm2  f64[n]        ||x_i||^2, or K_ii
 *   deflatedNorm2  f64[n]  what takes its place in deflated steps, for which dense rows of X and W have room behind the features: see
 *                        solver/deflation.ts; or no array
 *   multipliers  f64[m]  of deflated steps of sparse rows: see solver/deflatedConstant.ts; or no array
 *   gaps   f64[n]        what each example has to gain: its gap term at the last evaluation, or since its last step K ||change||^2
 *   sums   f64[NUM_SUMS] sums of an evaluation: see sums.ts
 *   progress  f64[NUM_PROGRESS]  what sweeps have done, and which steps are to be taken: see progress.ts
 *   lists  i32[n][ldLists]  candidates of each example, at most `capacity` + `extra`, and what goes with them: see solver/lists.ts; no
 *                        array where `extra` is 0
 *   listed i32[n]        their number; 0: every class; NO_DUALS: the same, and no dual variable has been stored yet
 *   doubt                what rounding may add to a margin, by 1 + ||x_i||: 0 but for certificates where that may matter, see
 *                        solver/gapTerms.ts
 *   share                by C_i, the dual variable of the true class where none is stored: 0 but in a first pass, see solver/start.ts
 */
@unmanaged
export class Problem {
  loss: Loss;
  n: i32;
  m: i32;
  d: i32; // padded, if dense
  sparse: bool;
  skipsZeros: bool; // dense, but with so many zeros that evaluations had better skip them
  ld: i32; // elements from one row of X, or of W, to the next, if dense
  tile: i32; // if sparse: classes in a tile of W
  sizeW: i32; // elements of W, padding included
  indptr: usize;
  indices: usize;
  X: usize;
  W: usize;
  W64: usize;
  W0: usize;
  A: usize;
  B: usize;
  S0: usize;
  R: usize;
  R0: usize;
  moved: usize;
  keepsRests: bool; // whether R counts: see solver/rests.ts
  y: usize;
  sets: usize;
  classWeights: usize;
  C: usize;
  norm2: usize;
  deflatedNorm2: usize;
  multipliers: usize;
  deflated: bool; // whether the two arrays of squared norms have changed places, and `d` counts the columns behind dense features
  gaps: usize;
  sums: usize;
  progress: usize;
  // candidates
  capacity: i32;
  extra: i32;
  few: i32; // at most `extra`, as lists are after an evaluation: see solver/candidates.ts
  ldLists: i32;
  tooMany: bool; // whether lists would lack many that count, so that none are made before an evaluation: see solver/firstLists.ts
  lists: usize;
  listed: usize;
  share: f64;
  doubt: f64;
  // scratch for one example: scores, a row of dual variables, all classes, the sparse update, the best of the rest
  scores: usize; // f64[m + 4]
  row: usize; // f64[m + 2]
  classes: usize; // i32[m + 4]
  changed: usize; // i32[max(m + 4, BLOCK_SIZE)]
  deltas: usize; // T[m]
  best: usize; // f64[extra]
  // scratch for a block of examples
  packed: usize; // f64[BLOCK_SIZE][d]; of sparse rows as linalg/blockSparse.ts has it, where zeros are skipped as blockNonzeros.ts has it; or no array
  blockScores: usize; // f64[BLOCK_SIZE][m']
  blockDeltas: usize; // see solver/blockSweep.ts; or no array
  kernel: KernelMatrix; // or null
}

/** Whether the features are known through a kernel: then W holds the scores of the examples. */
// @ts-ignore: decorator
@inline
export function hasKernel(problem: Problem): bool {
  return changetype<usize>(problem.kernel) != 0;
}

/** Adds so many to the scores that sweeps have computed. */
// @ts-ignore: decorator
@inline
export function countScores(problem: Problem, count: i32): void {
  put<f64>(problem.progress, WORK, at<f64>(problem.progress, WORK) + <f64>count);
}

/** The scores of example e of a block: f64[m'], or as many numbers of another type. */
// @ts-ignore: decorator
@inline
export function scoresAt(problem: Problem, e: i32): usize {
  return problem.blockScores + (<usize>(e * tiledClasses(problem.m)) << 3);
}

/** Whether dual variables are where the lists are, once there are lists: see solver/lists.ts. */
// @ts-ignore: decorator
@inline
export function listsHoldDuals(problem: Problem): bool {
  return problem.extra > 0 && problem.sets == 0;
}

/** The true classes of an example: i32[] and, returned by `numTrue`, their number. */
// @ts-ignore: decorator
@inline
export function truthOf(problem: Problem, i: i32): usize {
  return problem.y + (<usize>(problem.sets == 0 ? i : <i32>at<u32>(problem.sets, i)) << 2);
}

// @ts-ignore: decorator
@inline
export function numTrue(problem: Problem, i: i32): i32 {
  return problem.sets == 0 ? 1 : <i32>(at<u32>(problem.sets, i + 1) - at<u32>(problem.sets, i));
}

/** The weights of the true classes of an example, as `truthOf` has them: f64[]; or 0. */
// @ts-ignore: decorator
@inline
export function weightsOf(problem: Problem, i: i32): usize {
  return problem.classWeights == 0 ? 0 : problem.classWeights + (<usize>at<u32>(problem.sets, i) << 3);
}

/**
 * Brings the entries of the true classes of example i, in an array of all classes, to the front by exchanges, and back:
 * quicker than a list of classes where t is small.
 */
export function trueFirst(problem: Problem, i: i32, ptr: usize): void {
  const truth = truthOf(problem, i);
  for (let c = 0; c < numTrue(problem, i); ++c) exchange(ptr, c, at<i32>(truth, c));
}
export function trueBack(problem: Problem, i: i32, ptr: usize): void {
  const truth = truthOf(problem, i);
  for (let c = numTrue(problem, i) - 1; c >= 0; --c) exchange(ptr, c, at<i32>(truth, c));
}
function exchange(ptr: usize, p: i32, q: i32): void {
  const v = at<f64>(ptr, p);
  put<f64>(ptr, p, at<f64>(ptr, q));
  put<f64>(ptr, q, v);
}

/** The true classes of example i, then all others, ascending. classesPtr: i32[m]. Returns the number of true ones. */
export function arrangeClasses(problem: Problem, i: i32, classesPtr: usize): i32 {
  const truth = truthOf(problem, i);
  const t = numTrue(problem, i);
  let next = 0;
  let c = t;
  for (let j = 0; j < problem.m; ++j) {
    if (next < t && at<i32>(truth, next) == j) put<i32>(classesPtr, next++, j);
    else put<i32>(classesPtr, c++, j);
  }
  return t;
}

/** The row aPtr: T[m] of A to rowPtr: f64[m]. */
export function widenRow<T>(aPtr: usize, m: i32, rowPtr: usize): void {
  const pairs = m & -2;
  for (let j = 0; j < pairs; j += 2) {
    v128.store(rowPtr + (<usize>j << 3), loadPair<T>(aPtr + (<usize>j << alignof<T>())));
  }
  if (pairs < m) put<f64>(rowPtr, pairs, <f64>at<T>(aPtr, pairs));
}

/** A row rowPtr: f64[m] to the row aPtr: T[m] of A. */
export function narrowRow<T>(rowPtr: usize, m: i32, aPtr: usize): void {
  const whole = m & -lanes<T>();
  for (let j = 0; j < whole; j += lanes<T>()) {
    v128.store(aPtr + (<usize>j << alignof<T>()), loadNarrow<T>(rowPtr + (<usize>j << 3), m - j));
  }
  for (let j = whole; j < m; ++j) put<T>(aPtr, j, <T>at<f64>(rowPtr, j));
}

/** Minus the row aPtr: T[m] of A to xPtr: f64[m]. */
export function readRow<T>(aPtr: usize, m: i32, xPtr: usize): void {
  const pairs = m & -2;
  for (let j = 0; j < pairs; j += 2) {
    const a = loadPair<T>(aPtr + (<usize>j << alignof<T>()));
    v128.store(xPtr + (<usize>j << 3), f64x2.sub(f64x2.splat(0), a));
  }
  if (pairs < m) put<f64>(xPtr, pairs, 0 - <f64>at<T>(aPtr, pairs));
}
