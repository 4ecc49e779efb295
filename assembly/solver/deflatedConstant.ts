import { Problem, REST } from "../data/problem";
import { findRow, foundNonzeros, foundValues } from "../data/rows";
import { squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { placeInTiles } from "../linalg/sparse";

/**
 * Deflated steps, see deflation.ts, of sparse rows: what they leave to multipliers is the constant feature. With s its
 * value, g_j the weight of it, W0 included, and b_j = W0 + B the multiplier, the score that D_B has for it is s (tau
 * g_j + (1 - tau) b_j). So columns behind the features are not needed: while problem.deflated rows have sqrt(tau) s in
 * the place of s, and W has
 *
 *     v_j = (tau g_j + (1 - tau) b_j) / sqrt(tau)
 *
 * in the place of g_j, to which a step adds its change times sqrt(tau) s, as it should. tau is a power of 4, and all of
 * that exact.
 */

/** sqrt(tau). */
const ROOT: f64 = 1 / 4;

/** s; 0 if numbers of its size have too few bits to come back from deflated steps as it was. */
function constantOf<T>(problem: Problem): f64 {
  findRow<T>(problem, 0);
  const s = at<T>(foundValues, foundNonzeros - 1);
  return <f64>(<T>(s * <T>ROOT)) / ROOT == <f64>s ? <f64>s : 0;
}

/** Which part of K + gamma/C the constant feature has. */
export function partOfConstant<T>(problem: Problem): f64 {
  const s = constantOf<T>(problem);
  let part: f64 = 0;
  let all: f64 = 0;
  for (let i = 0; i < problem.n; ++i) {
    const C = at<f64>(problem.C, i);
    if (C == 0) continue;
    part += s * s;
    all += at<f64>(problem.norm2, i) + problem.loss.gamma / C;
  }
  return part / all;
}

/** Writes the K that deflated steps of the examples [from, from + count) have. */
export function takeConstant<T>(problem: Problem, from: i32, count: i32): void {
  const s = constantOf<T>(problem);
  for (let i = from; i < from + count; ++i) put<f64>(problem.deflatedNorm2, i, at<f64>(problem.norm2, i) - REST * s * s);
}

// @ts-ignore: decorator
@inline
function weightOf<T>(problem: Problem, j: i32): usize {
  const d = problem.d;
  return problem.W + (<usize>placeInTiles(problem.m, d, problem.tile, d - 1, j) << alignof<T>());
}

/** v_j in the place of g_j, with b_j = g_j, and the same with the rows; or back, where b_j = g_j. */
export function deflateConstant<T>(problem: Problem, on: bool): void {
  const factor = on ? ROOT : 1 / ROOT;
  for (let i = 0; i < problem.n; ++i) {
    findRow<T>(problem, i);
    put<T>(foundValues, foundNonzeros - 1, <T>(<f64>at<T>(foundValues, foundNonzeros - 1) * factor));
  }
  for (let j = 0; j < problem.m; ++j) {
    const w = weightOf<T>(problem, j);
    if (on) put<f64>(problem.multipliers, j, <f64>load<T>(w));
    store<T>(w, <T>(<f64>load<T>(w) / factor));
  }
}

/** Moves b_j by `part` of g_j - b_j. Returns ||g - b||^2 of before. */
export function moveMultipliersOfConstant<T>(problem: Problem, part: f64): f64 {
  let sum: f64 = 0;
  for (let j = 0; j < problem.m; ++j) {
    const w = weightOf<T>(problem, j);
    const v = <f64>load<T>(w);
    const b = at<f64>(problem.multipliers, j);
    const apart = (ROOT * v - b) / (1 - REST);
    sum += apart * apart;
    put<f64>(problem.multipliers, j, b + part * apart);
    store<T>(w, <T>(v + (REST / ROOT) * part * apart));
  }
  return sum;
}

/**
 * By how much 1/2 ||W||^2, as it is while problem.deflated, is above what it is to be in D_B: (1 - tau)/(2 tau)
 * ||b||^2.
 */
export function surplusOfConstant(problem: Problem): f64 {
  return ((0.5 * REST) / (1 - REST)) * squaredNorm<f64>(problem.multipliers, problem.m);
}
