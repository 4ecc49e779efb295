import { LARGEST, packInt16, packInt16Weights, scoresOfInt16 } from "../linalg/blockInt16";
import { BLOCK_SIZE, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { packSparseInt16, packSparseInt16Weights, scoresOfSparseInt16 } from "../linalg/sparseInt16";
import { scoresOfDense } from "./block";
import { hasKernel, Problem } from "./problem";
import { rowsOf } from "./rows";
import { LARGEST_WEIGHT2 } from "./sums";

/**
 * Scores of all classes that are quick to have and known to be off by little: enough to say which classes matter. They
 * are products of rows and weights rounded to 16 bits, without the zeros where they are many, or in float32 where that
 * would not pay.
 */

/** Whether there are any, and use for them: dense rows in float32, with lists of candidates and one class each. */
// @ts-ignore: decorator
@inline
export function hasRoughScores<T>(problem: Problem): bool {
  return sizeof<T>() == 4 && !problem.sparse && !hasKernel(problem) && problem.sets == 0 && problem.extra > 0;
}

/** With fewer features, rounding them costs as much as it saves. */
const FEW_FEATURES: i32 = 32;
/** Norms between which scales and products of scales are far from the limits of float32. */
const LEAST_NORM: f64 = 1e-10;
const MOST_NORM: f64 = 1e15;

/** LARGEST / norm, or 0 where that is out of range. */
// @ts-ignore: decorator
@inline
function scaleOf(norm2: f64): f32 {
  return norm2 >= LEAST_NORM * LEAST_NORM && norm2 <= MOST_NORM * MOST_NORM ? <f32>(LARGEST / Math.sqrt(norm2)) : 0;
}

/**
 * To be called when W has changed: the largest ||w_j||^2 to LARGEST_WEIGHT2, and, if `rounded`, the weights rounded to
 * where W64 is.
 */
export function prepareRoughScores<T>(problem: Problem, rounded: bool): void {
  let largest: f64 = 0;
  for (let j = 0; j < problem.m; ++j) {
    largest = Math.max(largest, squaredNorm<T>(problem.W + ((<usize>j * <usize>problem.ld) << alignof<T>()), problem.d));
  }
  put<f64>(problem.sums, LARGEST_WEIGHT2, largest);
  const scale = scaleOf(largest);
  if (!rounded || scale == 0) return;
  const classes = tiledClasses(problem.m);
  if (problem.skipsZeros) packSparseInt16Weights(problem.W, problem.ld, classes, problem.d, scale, problem.W64);
  else packInt16Weights(problem.W, problem.ld, classes, problem.d, scale, problem.W64);
}

/** Whether those of evaluations come from numbers of 16 bits. */
// @ts-ignore: decorator
@inline
export function takes16Bits(problem: Problem): bool {
  return problem.d >= FEW_FEATURES;
}

/** Of the examples of a block: f32[BLOCK_SIZE]. */
const scales = memory.data(4 * BLOCK_SIZE, 16);

/**
 * Of a block of examples, u32[size], to out: f32[m'] for each in the place of as many float64. Returns where the rows
 * are as linalg/sparseInt16.ts packs them, if that is what they have been taken from, or 0.
 */
export function roughScores<T>(problem: Problem, examples: usize, size: i32, out: usize, rounded: bool): usize {
  const weightScale = rounded ? scaleOf(at<f64>(problem.sums, LARGEST_WEIGHT2)) : 0;
  if (weightScale == 0) {
    scoresOfDense<T, T>(problem, examples, size, out);
    return 0;
  }
  const m = problem.m;
  const classes = tiledClasses(m); // as many as are packed: how they are tiled depends on that
  const rowBytes = <usize>classes << 3;
  for (let e = 0; e < size; ++e) put<f32>(scales, e, scaleOf(at<f64>(problem.norm2, at<u32>(examples, e))));
  const rows = rowsOf<T>(problem, examples, size);
  if (problem.skipsZeros) {
    packSparseInt16(rows, scales, size, problem.d, problem.packed);
    scoresOfSparseInt16(problem.W64, classes, problem.packed, size, problem.d, out, rowBytes);
  } else {
    packInt16(rows, scales, size, problem.d, problem.packed);
    scoresOfInt16(problem.W64, classes, problem.packed, size, problem.d, out, rowBytes);
  }
  for (let e = 0; e < size; ++e) {
    const scale = at<f32>(scales, e);
    const factor = f32x4.splat(scale > 0 ? <f32>(1 / (<f64>scale * <f64>weightScale)) : 0);
    const row = out + <usize>e * rowBytes;
    for (let j = 0; j < m; j += 4) {
      const place = row + (<usize>j << 2);
      v128.store(place, f32x4.mul(f32x4.convert_i32x4_s(v128.load(place)), factor));
    }
  }
  return problem.skipsZeros ? problem.packed : 0;
}

/**
 * By how much such a score of example i may be off. In float32 it is added up in whatever order, with d roundings of at
 * most ||w|| ||x||, and of numbers too small for it. Rounded to integers x and w are off by half of sqrt(d) in norm,
 *     |<x', w'> - <x, w>|  <=  ||x' - x|| ||w|| + ||x'|| ||w' - w||,
 * and all of <x, w> is missing where there is no scale. A little more is for the roundings of this, of float64, of
 * scales and of norms. Infinity where it may overflow.
 */
export function errorOfRoughScores(problem: Problem, i: i32): f64 {
  const norm2 = at<f64>(problem.norm2, i);
  const largest2 = at<f64>(problem.sums, LARGEST_WEIGHT2);
  const largest = Math.sqrt(largest2 * norm2);
  if (!(largest < 1e38)) return Infinity;
  if (takes16Bits(problem) && scaleOf(largest2) > 0) {
    if (scaleOf(norm2) == 0) return largest * 1.0001;
    const off = 0.51 * Math.sqrt(<f64>problem.d);
    return (largest * (off * (2 * LARGEST + off))) / (LARGEST * LARGEST) + 1e-6 * largest;
  }
  return <f64>(problem.d + 8) * (6.4e-8 * largest + 1e-44);
}

/**
 * By how much such scores probably make C_i L_i too large where L_i is at a kink, where all errors do: a rounding to an
 * integer has a variance of 1/12, in the row and in the weights. Measured near the optimum, errors add up to 0.3 to 1.2
 * of it. 0 where scores come from float32.
 */
export function excessOfRoughScores(problem: Problem, i: i32): f64 {
  const largest2 = at<f64>(problem.sums, LARGEST_WEIGHT2);
  if (!takes16Bits(problem) || scaleOf(largest2) == 0) return 0;
  return (at<f64>(problem.C, i) * Math.sqrt((2 / 12) * at<f64>(problem.norm2, i) * largest2)) / LARGEST;
}
