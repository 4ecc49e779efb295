import type { Objectives } from "../certificate.ts";
import { overExamples } from "./overExamples.ts";
import type { Settings } from "../settings.ts";
import type { SolverParts } from "./solver.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/** So small a part of the gap that would end the fit is to be left by what is predicted, which is about right. */
const LEFT = 0.5;
/** D may fall by delta^2 of itself: more than this part would be more than its rounding. */
const MOST = { float32: 1e-4, float64: 1e-7 };

/**
 * By which part dual variables had better be stretched for the gap to be within the target, if there is such a one: the rounding of W is not to
 * keep a fit from its end.
 *
 * A hinge loss without smoothing has its kink where the margin is 1, and where classes can be told apart and C ||x||^2 is large the margins of
 * nearly all examples are to be 1. What some lack of it, by the rounding of W, costs C_i times as much each, and may be more than the
 * tolerance however good the dual point is: measured, 3e-3 of P on 300 rows of 50,000 numbers about 0.3, of ten classes. Stretched,
 * A (1 + delta), margins grow with W, and of the gap terms g_i is left about
 *
 *     sum_i max(g_i - C_i delta, 0) + delta ||A^T X||^2,
 *
 * the latter alone if delta is the largest g_i / C_i. It is to be larger, as W is rounded anew: halfway to the most that the target allows, in
 * orders of magnitude.
 */
function stretchFor(
  { shape, gaps, C, sums }: ResidentProblem,
  { loss, precision }: Settings,
  target: number,
): number | undefined {
  if (!loss.family.endsWith("HINGE") || loss.gamma > 0 || shape.anchored) return undefined;
  const most = Math.min((LEFT * target) / sums.dualWeightsNorm2, MOST[precision]);
  let least = 0;
  for (let i = 0; i < C.length; i++) {
    least = Math.max(least, gaps[i] / C[i]);
    if (least > most) return undefined;
  }
  return least > 0 ? Math.sqrt(least * most) : undefined;
}

/** A stretched dual point: what it is worth, and the way back. */
export interface Stretched {
  readonly certificate: Objectives;
  undo(): Promise<void>;
}

/** Stretches the dual point, brought back into the domain, where that is likely to pay. */
export async function stretch(
  { problem, settings, watch, pacer }: SolverParts,
  certify: () => Promise<Objectives>,
): Promise<Stretched | undefined> {
  const delta = stretchFor(problem, settings, watch.target);
  if (delta === undefined) return undefined;
  const before = await pacer.finish(problem.duals.copied());
  await pacer.finish(problem.duals.multiply(1 + delta));
  await overExamples(problem, pacer, "project", (from, count) => problem.project(from, count));
  const undo = async (): Promise<void> => {
    await pacer.finish(problem.duals.restoreAll(before));
    await certify(); // W, gap terms and candidates are those of A again
  };
  return { certificate: await certify(), undo };
}
