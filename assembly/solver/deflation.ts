import { DIRECTIONS, Problem, REST } from "../data/problem";
import { rowOf } from "../data/rows";
import { rankOne, round } from "../linalg/rankOne";
import { scoresOf, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { scale } from "../linalg/vectors";
import {
  deflateConstant,
  surplusOfConstant,
  moveMultipliersOfConstant,
  partOfConstant,
  takeConstant,
} from "./deflatedConstant";

/**
 * Steps that leave directions common to all examples to multipliers. Where features have much in common, a constant or
 * their mean, every step moves the weights along that, the next ones move them back, and each is the shorter for it.
 * With U the DIRECTIONS in which most of the features lie, orthonormal, and S = (A^T X) U, the penalty of D is
 *
 *     1/2 ||A^T X||^2 = 1/2 ||A^T X (I - U U^T)||^2 + 1/2 ||S||^2,
 *
 * and steps maximise, for multipliers B instead of the last term,
 *
 *     D_B(A) = D(A) + (1 - tau)/2 ||S - B||^2,   in which the K of an example is  ||x||^2 - (1 - tau) ||U^T x||^2.
 *
 * B starts at S and, several times in a pass, becomes B + tau (S - B): the method of multipliers (Hestenes, *Journal of
 * Optimization Theory and Applications* 4, 1969) for min_B max_A D_B = max D. Where it ends S = B. D itself may fall on
 * the way, which the host watches.
 *
 * What it takes are DIRECTIONS more columns behind the features, which are seen while problem.deflated: in a row of X
 * -c, where c = sqrt(1 - tau) U^T x; in W sqrt(1 - tau) (S - B), for which a step adds its changes times c. Sparse rows
 * are another matter: see deflatedConstant.ts.
 */

/** The rows of a sample are multiplied with its second moment so many times. */
const TURNS: i32 = 3;
/** Of a vector that is in the span of others but for such a part of its squared length nothing is left but rounding. */
const NOTHING: f64 = 1e-6;

/** Where U: T[DIRECTIONS][d] is found, scratch, and behind it what the next turn makes of it. */
// @ts-ignore: decorator
@inline
function found(problem: Problem): usize {
  return problem.packed;
}

/** The rows 0, 1, ... of U. */
function everyDirection(problem: Problem): usize {
  for (let r = 0; r < DIRECTIONS; ++r) put<i32>(problem.classes, r, r);
  return problem.classes;
}

/**
 * Finds U from so many examples, at equal distances: subspace iteration on their second moment, from their mean and
 * three of its kind with changing signs. Returns which part of K + gamma/C it takes off: how long steps are goes with
 * that. To be followed by `takeCoordinates`, before other scratch is used.
 */
export function findDirections<T>(problem: Problem, samples: i32): f64 {
  if (problem.sparse) return partOfConstant<T>(problem);
  const d = problem.d;
  const row = problem.row;
  const rows = everyDirection(problem);
  const U = found(problem);
  const bytes = <usize>(DIRECTIONS * d) << alignof<T>();
  const next = U + bytes;
  let taken: f64 = 0;
  let all: f64 = 0;
  for (let turn = 0; turn < TURNS; ++turn) {
    memory.fill(next, 0, bytes);
    taken = all = 0;
    for (let s = 0; s < samples; ++s) {
      const i = <i32>((<i64>s * <i64>problem.n) / <i64>samples);
      const x = rowOf<T>(problem, i);
      if (turn == 0) for (let r = 0; r < DIRECTIONS; ++r) put<T>(row, r, r > 0 && ((s >> (r - 1)) & 1) == 1 ? -1 : 1);
      else {
        scoresOf<T, T>(U, d, rows, DIRECTIONS, x, d, problem.scores);
        taken += squaredNorm<f64>(problem.scores, DIRECTIONS);
        round<T>(problem.scores, row, DIRECTIONS);
      }
      const C = at<f64>(problem.C, i);
      if (C > 0) all += at<f64>(problem.norm2, i) + problem.loss.gamma / C;
      rankOne<T, T>(next, d, x, d, rows, row, DIRECTIONS);
    }
    for (let r = 0; r < DIRECTIONS; ++r) makeOrthonormal<T>(problem, next, rows, r);
    memory.copy(U, next, bytes);
  }
  return taken / all;
}

/**
 * Takes out of row r of V: T[DIRECTIONS][d] what the rows before it hold, and makes it 1 long, or 0 if nothing is left.
 */
function makeOrthonormal<T>(problem: Problem, V: usize, rows: usize, r: i32): void {
  const d = problem.d;
  const row = problem.row;
  const v = V + (<usize>(r * d) << alignof<T>());
  const before = squaredNorm<T>(v, d);
  scoresOf<T, T>(V, d, rows, DIRECTIONS, v, d, problem.scores);
  for (let q = 0; q < r; ++q) {
    put<T>(row, 0, <T>-at<f64>(problem.scores, q));
    rankOne<T, T>(V, d, V + (<usize>(q * d) << alignof<T>()), d, rows + (<usize>r << 2), row, 1);
  }
  const norm2 = squaredNorm<T>(v, d);
  scale<T>(v, d, norm2 > NOTHING * before ? <T>(1 / Math.sqrt(norm2)) : 0);
}

/** Writes what steps of the examples [from, from + count) need: -c behind their features, and their K. */
export function takeCoordinates<T>(problem: Problem, from: i32, count: i32): void {
  if (problem.sparse) return takeConstant<T>(problem, from, count);
  const d = problem.d;
  const rows = everyDirection(problem);
  for (let i = from; i < from + count; ++i) {
    const x = rowOf<T>(problem, i);
    const c = x + (<usize>d << alignof<T>());
    scoresOf<T, T>(found(problem), d, rows, DIRECTIONS, x, d, problem.scores);
    round<T>(problem.scores, c, DIRECTIONS);
    scale<T>(c, DIRECTIONS, <T>-Math.sqrt(REST));
    put<f64>(problem.deflatedNorm2, i, at<f64>(problem.norm2, i) - squaredNorm<T>(c, DIRECTIONS));
  }
}

/** Has steps maximise D_B with B = S from now on, or D again. */
export function deflate<T>(problem: Problem, on: bool): void {
  problem.deflated = on;
  if (problem.sparse) deflateConstant<T>(problem, on);
  else problem.d += on ? DIRECTIONS : -DIRECTIONS;
  const norm2 = problem.norm2;
  problem.norm2 = problem.deflatedNorm2;
  problem.deflatedNorm2 = norm2;
}

/** Where W has what it needs for the multipliers of class j. */
// @ts-ignore: decorator
@inline
function distanceOf<T>(problem: Problem, j: i32): usize {
  return problem.W + (<usize>(j * problem.ld + problem.d - DIRECTIONS) << alignof<T>());
}

/** By how much D_B is above D: (1 - tau)/2 ||S - B||^2. */
function aboveDual<T>(problem: Problem): f64 {
  let sum: f64 = 0;
  for (let j = 0; j < problem.m; ++j) sum += squaredNorm<T>(distanceOf<T>(problem, j), DIRECTIONS);
  return 0.5 * sum;
}

/**
 * Moves the multipliers towards S; or, to leave, all the way. Returns by how much D_B falls: what it was above D goes
 * with the square of the distance.
 */
export function moveMultipliers<T>(problem: Problem, toTheEnd: bool): f64 {
  const rest: f64 = toTheEnd ? 0 : REST;
  const fall = 1 - rest * rest;
  if (problem.sparse) return 0.5 * REST * fall * moveMultipliersOfConstant<T>(problem, 1 - rest);
  const above = aboveDual<T>(problem);
  for (let j = 0; j < problem.m; ++j) scale<T>(distanceOf<T>(problem, j), DIRECTIONS, <T>rest);
  return fall * above;
}

/** By how much 1/2 ||W||^2, as it is while problem.deflated, is above what it is to be in D_B. */
export function surplus<T>(problem: Problem): f64 {
  return problem.sparse ? surplusOfConstant(problem) : 2 * aboveDual<T>(problem);
}
