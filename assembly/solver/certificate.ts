import { hasKernel, Problem } from "../data/problem";
import { prepareRoughScores, takes16Bits } from "../data/roughScores";
import { ANCHOR_PRODUCT, DUAL_WEIGHTS_NORM2, NUM_SUMS, WEIGHTS_NORM2 } from "../data/sums";
import { tileWeights } from "../data/weights";
import { round } from "../linalg/rankOne";
import { squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { assessesRoughly, scoresTwice } from "./assess";
import { surplus } from "./deflation";
import { renewScoresBefore } from "./rests";

/**
 * The certificate, in three steps, each row by row in the order of the examples so that slicing changes no bit:
 *   1. `rebuild`, in rebuild.ts: repair each row of A into its domain and accumulate W64 = A^T X in float64;
 *   2. `settle`: round W0 + W64 to the storage precision, which is the W that the model returns, and take the norms;
 *   3. `evaluate`, in assess.ts: primal loss at that W, dual loss at that A, and each example's gap term.
 * Then P = PRIMAL_LOSS + WEIGHTS_NORM2/2 and D = DUAL_LOSS - ANCHOR_PRODUCT - DUAL_WEIGHTS_NORM2/2, sums of
 * data/sums.ts. With a kernel, where W64 = A^T K is the scores, step 3 takes the norm too: ||A^T X||^2 = sum_i <a_i, W
 * x_i>.
 */

/**
 * Starts an evaluation: the sums are zeroed, and before a certificate W64 is, and so are dual variables that are not
 * stored.
 */
export function clear(problem: Problem, certify: bool): void {
  memory.fill(problem.sums, 0, NUM_SUMS << 3);
  if (!certify) return;
  memory.fill(problem.W64, 0, <usize>problem.sizeW << 3);
  problem.share = 0;
}

/** Step 2. */
export function settle<T>(problem: Problem): void {
  const size = problem.sizeW;
  if (hasKernel(problem)) {
    if (problem.keepsRests) renewScoresBefore<T>(problem);
    memory.copy(problem.W, problem.W64, <usize>size << 3);
    return;
  }
  put<f64>(problem.sums, DUAL_WEIGHTS_NORM2, squaredNorm<f64>(problem.W64, size));
  if (problem.W0 == 0) {
    round<T>(problem.W64, problem.W, size);
    put<f64>(problem.sums, WEIGHTS_NORM2, squaredNorm<T>(problem.W, size));
  } else {
    settleAround<T>(problem, size);
  }
  prepareScores<T, f64>(problem, scoresTwice<T>(problem));
}

/** Makes W ready for the scores of step 3, which may be taken roughly first. Where W64 was is room for that. */
function prepareScores<T, S>(problem: Problem, roughly: bool): void {
  const rounded = roughly && takes16Bits(problem);
  if (problem.skipsZeros && !rounded) tileWeights<T, S>(problem);
  if (roughly) prepareRoughScores<T>(problem, rounded);
}

/** Step 2 with a proximal centre. */
function settleAround<T>(problem: Problem, size: i32): void {
  let inner: f64 = 0;
  let distance2: f64 = 0;
  for (let l = 0; l < size; ++l) {
    const centre = at<f64>(problem.W0, l);
    const z = at<f64>(problem.W64, l);
    const w = <T>(centre + z);
    put<T>(problem.W, l, w);
    inner += centre * z;
    distance2 += (<f64>w - centre) * (<f64>w - centre);
  }
  put<f64>(problem.sums, WEIGHTS_NORM2, distance2);
  put<f64>(problem.sums, ANCHOR_PRODUCT, inner);
}

/**
 * Instead of steps 1 and 2, for an estimate on the way: the norms of W as the sweeps have carried it along, as if it
 * were W0 + A^T X with A feasible, which it is but for rounding.
 */
export function measure<T>(problem: Problem): void {
  if (hasKernel(problem)) return;
  takeNorms<T>(problem);
  prepareScores<T, T>(problem, assessesRoughly<T>(problem));
}

function takeNorms<T>(problem: Problem): void {
  const size = problem.sizeW;
  let norm2: f64 = 0;
  let inner: f64 = 0;
  if (problem.W0 == 0) {
    norm2 = squaredNorm<T>(problem.W, size);
  } else {
    for (let l = 0; l < size; ++l) {
      const centre = at<f64>(problem.W0, l);
      const z = <f64>at<T>(problem.W, l) - centre;
      norm2 += z * z;
      inner += centre * z;
    }
  }
  put<f64>(problem.sums, WEIGHTS_NORM2, norm2);
  put<f64>(problem.sums, DUAL_WEIGHTS_NORM2, norm2);
  put<f64>(problem.sums, ANCHOR_PRODUCT, inner);
}

/** What D takes off the dual losses where there is no kernel, <A^T X, W0> + 1/2 ||A^T X||^2, by W as sweeps have left it. */
export function penalty<T>(problem: Problem): f64 {
  takeNorms<T>(problem);
  const norms = at<f64>(problem.sums, ANCHOR_PRODUCT) + 0.5 * at<f64>(problem.sums, DUAL_WEIGHTS_NORM2);
  return problem.deflated ? norms - surplus<T>(problem) : norms;
}
