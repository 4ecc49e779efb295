import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Objectives } from "../certificate.ts";
import { estimate, rebuildWeights } from "./evaluate.ts";
import { overExamples } from "./overExamples.ts";
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
  await overExamples(problem, pacer, "project", (from, count) => problem.project(from, count)); // it may be of another precision
  await rebuildWeights(problem, pacer);
  if ((await estimate(problem, pacer)).dualObjective > now.dualObjective) return true;
  await pacer.finish(duals.restoreAll(before));
  await rebuildWeights(problem, pacer);
  await estimate(problem, pacer); // candidates and gap terms are those of the start again
  return false;
}
