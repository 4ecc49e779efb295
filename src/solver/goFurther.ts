import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Objectives } from "../certificate.ts";
import { adoptDuals, estimate, restoreDuals } from "./evaluate.ts";
import type { SolverParts } from "./solver.ts";

/**
 * Goes to where the fit before this one had come to, if D is higher there than where this one has started, at `now`. Else, as where features
 * are others, all is as it was.
 */
export async function goFurther(
  { problem, pacer }: SolverParts,
  furthest: StoredDuals,
  now: Objectives,
): Promise<boolean> {
  const { duals } = problem;
  const before = await pacer.finish(duals.copied());
  await pacer.finish(duals.put(furthest));
  await adoptDuals(problem, pacer); // they may be of another precision
  if ((await estimate(problem, pacer)).dualObjective > now.dualObjective) return true;
  await restoreDuals(problem, before, pacer);
  await estimate(problem, pacer); // candidates and gap terms are those of the start again
  return false;
}
