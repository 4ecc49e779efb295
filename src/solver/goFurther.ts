import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Objectives } from "../certificate.ts";
import { adoptDuals, estimate, restoreDuals } from "./evaluate.ts";
import type { SolverParts } from "./solver.ts";

/**
 * Moves to the last point of the fit before this one, if D is higher there than at this one's start, `now`, or if it
 * solves the problem; returns whether it has. Else, as where the features are others, everything is restored.
 */
export async function goFurther(
  { problem, settings: { tolerance }, pacer }: SolverParts,
  furthest: StoredDuals,
  now: Objectives,
): Promise<boolean> {
  const { duals } = problem;
  const before = await pacer.finish(duals.copied());
  await pacer.finish(duals.put(furthest));
  await adoptDuals(problem, pacer); // they may be of another precision
  const there = await estimate(problem, pacer);
  if (there.dualObjective > now.dualObjective || there.relativeGap <= tolerance) return true;
  await restoreDuals(problem, before, pacer);
  await estimate(problem, pacer); // candidates and gap terms are those of the start again
  return false;
}
