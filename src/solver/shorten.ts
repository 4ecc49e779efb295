import type { Loss } from "../losses.ts";
import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { rebuildWeights } from "./evaluate.ts";

/** A factor above this is not worth another evaluation. */
const WORTH_SHORTENING = 0.9;

/**
 * Where steps begin that are told where: at dual variables scaled to a C many times as large D may be far below what it
 * is at zero, and a fit from there takes several times as long as one from nothing. Of t A, t in [0, 1], it takes those
 * of which most is known: dual losses are concave, and 0 where A is, so
 *
 *     D(t A) >= t (dual losses of A - <A^T X, W0>) - t^2/2 ||A^T X||^2,
 *
 * the sums being those of the last evaluation. Not of hinge losses: of those, fits from there take less time as often
 * as more, measured on paths with C 3, 10 and 100 times as large. Returns whether there is to be another evaluation.
 */
export async function shorten(problem: ResidentProblem, loss: Loss, pacer: Pacer): Promise<boolean> {
  if (loss.family.endsWith("HINGE")) return false;
  const { dualLoss, anchorProduct, dualWeightsNorm2 } = problem.sums;
  const t = (dualLoss - anchorProduct) / dualWeightsNorm2;
  if (!(t < WORTH_SHORTENING)) return false;
  await pacer.finish(problem.duals.multiply(Math.max(t, 0)));
  await rebuildWeights(problem, pacer);
  return true;
}
