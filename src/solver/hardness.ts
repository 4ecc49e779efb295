import { sum } from "../arrays/vectors.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/** Up to such a hardness steps alone take a dozen epochs. */
export const EASY = 8;

/** C ||x||^2 of a typical example: by so many margins a step may move its scores. */
export function hardnessOf(problem: ResidentProblem): number {
  const costs = sum(problem.C);
  const norm = problem.takeNorms().weightedNorms / costs;
  return (costs / problem.C.length) * norm * norm;
}
