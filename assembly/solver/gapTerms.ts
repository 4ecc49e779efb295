import { hasKernel, Problem } from "../data/problem";
import { DUAL_LOSS, DUAL_WEIGHTS_NORM2, PARTAKING_COSTS, PARTAKING_NORMS, PRIMAL_LOSS, WEIGHTS_NORM2 } from "../data/sums";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";

/** What examples add to the sums of an evaluation, see certificate.ts, in their order: of a block at a time. */

/**
 * Primal and dual terms of the examples of a block, and whether they partake, in an order that is not always that in
 * which they are assessed.
 */
const terms = memory.data(24 * BLOCK_SIZE, 16);

/** Adds the terms of a block to the sums. */
export function addBlock(problem: Problem, first: i32, size: i32): void {
  let primal = at<f64>(problem.sums, PRIMAL_LOSS);
  let dual = at<f64>(problem.sums, DUAL_LOSS);
  let costs = at<f64>(problem.sums, PARTAKING_COSTS);
  let norms = at<f64>(problem.sums, PARTAKING_NORMS);
  for (let i = first; i < first + size; ++i) {
    const place = 3 * (i % BLOCK_SIZE);
    primal += at<f64>(terms, place);
    dual += at<f64>(terms, place + 1);
    if (at<f64>(terms, place + 2) == 0) continue;
    const C = at<f64>(problem.C, i);
    costs += C;
    norms += C * Math.sqrt(at<f64>(problem.norm2, i));
  }
  put<f64>(problem.sums, PARTAKING_COSTS, costs);
  put<f64>(problem.sums, PARTAKING_NORMS, norms);
  put<f64>(problem.sums, PRIMAL_LOSS, primal);
  put<f64>(problem.sums, DUAL_LOSS, dual);
}

/**
 * Whether example i, if its loss is 0, may have one but for rounding, h being its largest margin or more than that.
 * Most that are so near to 0 have dual variables; copies of them need not, nor those around an anchor.
 */
// @ts-ignore: decorator
@inline
export function isInDoubt(problem: Problem, i: i32, h: f64): bool {
  return h > -problem.doubt * (1 + Math.sqrt(at<f64>(problem.norm2, i)));
}

/**
 * Notes what example i adds to the sums, and its gap term. It partakes in what rounding may hide if it has a loss or
 * dual variables, or is in doubt.
 */
export function noteTerms(
  problem: Problem,
  i: i32,
  primalTerm: f64,
  dualTerm: f64,
  linear: f64,
  inDoubt: bool = false,
): void {
  const place = 3 * (i % BLOCK_SIZE);
  put<f64>(terms, place, primalTerm);
  put<f64>(terms, place + 1, dualTerm);
  put<f64>(terms, place + 2, f64(i32(primalTerm != 0 || dualTerm != 0 || inDoubt)));
  put<f64>(problem.gaps, i, Math.max(primalTerm - dualTerm + linear, 0));
  if (!hasKernel(problem)) return;
  put<f64>(problem.sums, WEIGHTS_NORM2, at<f64>(problem.sums, WEIGHTS_NORM2) + linear);
  put<f64>(problem.sums, DUAL_WEIGHTS_NORM2, at<f64>(problem.sums, DUAL_WEIGHTS_NORM2) + linear);
}
