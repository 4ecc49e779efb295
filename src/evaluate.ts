import { objectives, type Objectives } from "./certificate.ts";
import { overExamples } from "./overExamples.ts";
import type { Pacer } from "./pace.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

/** The evaluations of a problem at its dual variables or weights of the moment, in slices: see assembly/solver/evaluate.ts. */

/** W = W0 + A^T X, recomputed in float64 and rounded to the storage precision; A is repaired on the way. */
export async function rebuildWeights(problem: ResidentProblem, pacer: Pacer): Promise<void> {
  problem.clear(true);
  await forAll(problem, pacer, "rebuild");
  problem.settle();
}

/** Both objectives, recomputed in float64 from the dual variables alone. */
export async function certify(problem: ResidentProblem, pacer: Pacer): Promise<Objectives> {
  await rebuildWeights(problem, pacer);
  await forAll(problem, pacer, "evaluate");
  return objectives(problem.sums);
}

/** Both objectives at the weights as the steps have left them: good to the rounding of `precision`, in half the time. */
export async function estimate(problem: ResidentProblem, pacer: Pacer): Promise<Objectives> {
  problem.clear(false);
  problem.measure();
  await forAll(problem, pacer, "estimate");
  return objectives(problem.sums);
}

/** The scores of a kernel's own examples, m for each: where others have W, the last certificate has left them. */
export async function exampleScores({ shape, weights }: ResidentProblem, pacer: Pacer): Promise<Float64Array> {
  const { numExamples: n, numClasses: m } = shape;
  const scores = new Float64Array(n * m);
  await pacer.run("take scores", m, (from, count) => {
    for (let j = from; j < from + count; j++) {
      const ofClass = weights.takeRowOfSums(j);
      for (let i = 0; i < n; i++) scores[i * m + j] = ofClass[i];
    }
  });
  return scores;
}

function forAll(problem: ResidentProblem, pacer: Pacer, work: "rebuild" | "evaluate" | "estimate"): Promise<boolean> {
  return overExamples(problem, pacer, work, (from, count) => problem[work](from, count));
}
