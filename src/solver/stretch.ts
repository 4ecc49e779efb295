import type { Objectives } from "../certificate.ts";
import type { Settings } from "../settings.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { overExamples } from "./overExamples.ts";
import type { SolverParts } from "./solver.ts";

/**
 * Dual variables are stretched by so much that the predicted gap is at most this part of the one that would end the
 * fit; predictions are about right.
 */
const LEFT = 0.5;
/** D may fall by delta^2 of itself: more than this part would be more than its rounding. */
const MOST = { float32: 1e-4, float64: 1e-7 };

/**
 * By which part dual variables had better be stretched for the gap to be within the target, if there is such a one: the
 * rounding of W is not to keep a fit from its end.
 *
 * A hinge loss without smoothing, or with next to none, has its kink where the margin is 1, and where classes can be
 * told apart and C ||x||^2 is large the margins of nearly all examples are to be 1. What some lack of it, by the
 * rounding of W, costs C_i times as much each, and may be more than the tolerance however good the dual point is:
 * measured, 3e-3 of P on 300 rows of 50,000 numbers about 0.3, of ten classes. Stretched, A (1 + delta), margins grow
 * with W, and of the gap terms g_i is left about
 *
 *     sum_i max(g_i - C_i delta, 0) + delta ||A^T X||^2,
 *
 * the latter alone if delta is the largest g_i / C_i. It is to be larger, as W is rounded anew: halfway to the most
 * that the target allows, in orders of magnitude.
 */
function stretchFor({ gaps, C, sums }: ResidentProblem, { precision }: Settings, target: number): number | undefined {
  const most = Math.min((LEFT * target) / sums.dualWeightsNorm2, MOST[precision]);
  let least = 0;
  for (let i = 0; i < C.length; i++) {
    least = Math.max(least, gaps[i] / C[i]);
    if (least > most) return undefined;
  }
  return least > 0 ? Math.sqrt(least * most) : undefined;
}

/** What is left is to be less than this part of the gap for it to be worth a certificate. */
const WORTH = 0.5;
/**
 * A fit that ends is stretched by more, if D falls by no more than what float32 makes of it; and so many powers of two
 * are looked at below.
 */
const MOST_AT_END = { float32: 2 ** -10, float64: MOST.float64 };
const POWERS = 40;
/** W is rounded anew: as much again may be lacking then. */
const AGAIN = 4;

/**
 * By which part what is left of the gap terms, as above, is least: for a fit that ends, whatever is to be had.
 * Undefined if that is not much less.
 */
function bestStretch({ gaps, C, sums }: ResidentProblem, { precision }: Settings): number | undefined {
  const most = MOST_AT_END[precision];
  // Gap terms and C_i of the examples with g_i / C_i in (most 2^-p, most 2^(1 - p)], and in front those above all that.
  const terms = new Float64Array(POWERS + 1);
  const costs = new Float64Array(POWERS + 1);
  for (let i = 0; i < C.length; i++) {
    const power = Math.max(Math.ceil(Math.log2((most * C[i]) / gaps[i])), 0);
    if (!(power <= POWERS)) continue;
    terms[power] += gaps[i];
    costs[power] += C[i];
  }
  let best = 0;
  let least = Infinity;
  let above = 0;
  let costsAbove = 0;
  for (let power = 0; power <= POWERS; power++) {
    const delta = most * 2 ** -power;
    // Those of this power are no larger than twice that.
    above += terms[power];
    costsAbove += costs[power];
    const left = Math.max(above - costsAbove * delta, 0) + AGAIN * delta * sums.dualWeightsNorm2;
    if (left < least) {
      least = left;
      best = AGAIN * delta;
    }
  }
  return least < WORTH * above ? Math.min(best, most) : undefined;
}

/** A kink that is smoothed over no more than this is one to what rounding makes of margins. */
const MOST_SMOOTHING = 1e-3;

/** A stretched dual point: what it is worth, and the way back. */
interface Stretched {
  readonly certificate: Objectives;
  undo(): Promise<void>;
}

/**
 * Stretches the dual point, brought back into the domain, where that is likely to pay: where it would solve the
 * problem, or, if a fit `ends`, make the gap a good deal smaller.
 */
export async function stretch(
  { problem, settings, watch, pacer }: SolverParts,
  certify: () => Promise<Objectives>,
  ends = false,
): Promise<Stretched | undefined> {
  const { family, gamma } = settings.loss;
  if (!family.endsWith("HINGE") || gamma > MOST_SMOOTHING || problem.shape.anchored) return undefined;
  if (!(problem.sums.dualWeightsNorm2 > 0)) return undefined; // by rounding of a kernel's values it may be less
  const delta = stretchFor(problem, settings, watch.target) ?? (ends ? bestStretch(problem, settings) : undefined);
  if (delta === undefined) return undefined;
  const before = await pacer.finish(problem.duals.copied());
  await pacer.finish(problem.duals.multiply(1 + delta));
  await overExamples(problem, pacer, "project", (from, count) => problem.project(from, count));
  const undo = async (): Promise<void> => {
    await pacer.finish(problem.duals.put(before));
    await certify(); // W, gap terms and candidates are those of A again
  };
  return { certificate: await certify(), undo };
}
