import { objectives, type Objectives, type Rounding } from "../certificate.ts";
import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { overExamples, overGroups } from "./overExamples.ts";
import { groupsOf } from "./sampling.ts";

/**
 * The evaluations of a problem at its dual variables or weights of the moment, in slices: see
 * assembly/solver/certificate.ts.
 */

/**
 * W = W0 + A^T X, recomputed in float64 and rounded to the storage precision; A is repaired on the way. `exactly`:
 * values of a kernel are not rounded to it before that.
 */
export async function rebuildWeights(problem: ResidentProblem, pacer: Pacer, exactly = false): Promise<void> {
  problem.clear(true);
  const kind = exactly ? "rebuild exactly" : "rebuild"; // not at the same speed
  await overExamples(problem, pacer, kind, (from, count) => problem.rebuild(from, count, exactly));
  problem.settle();
}

/** Brings dual variables into the domain of the loss, and W to them. */
export async function adoptDuals(problem: ResidentProblem, pacer: Pacer): Promise<void> {
  await overExamples(problem, pacer, "project", (from, count) => problem.project(from, count));
  await rebuildWeights(problem, pacer);
}

/** So many dual variables may be copied, for a way back: 64 MB, or twice that in float64. */
export const MOST_COPIED = 2 ** 24;

/** Back to dual variables that were copied, and W to them; to list candidates again takes an evaluation. */
export async function restoreDuals(
  problem: ResidentProblem,
  duals: Float32Array | Float64Array,
  pacer: Pacer,
): Promise<void> {
  await pacer.finish(problem.duals.put(duals));
  await rebuildWeights(problem, pacer);
}

/** Both objectives, recomputed in float64 from the dual variables alone; `rounding` says what that may hide. */
export async function certify(
  problem: ResidentProblem,
  pacer: Pacer,
  rounding?: Rounding,
  exactly = false,
): Promise<Objectives> {
  await rebuildWeights(problem, pacer, exactly);
  const takes = rounding?.takesSummands(problem.sums);
  const summands = takes ? await pacer.finish(problem.duals.masses("summands")) : undefined;
  problem.doubt = rounding?.doubt(problem.sums, summands) ?? 0;
  await forAll(problem, pacer, "evaluate");
  problem.doubt = 0;
  if (!rounding) return objectives(problem.sums);
  const { costs, unseen } = rounding;
  return objectives(problem.sums, { hidden: rounding.hidden(problem.sums, summands), costs, unseen });
}

/**
 * Both objectives at the weights as the steps have left them, in half the time: good to the rounding of `precision`;
 * where scores of a hinge loss come from numbers of 16 bits, which near the optimum makes P too large by about 1e-5
 * ||w|| ||x|| for each example, to that.
 */
export async function estimate(problem: ResidentProblem, pacer: Pacer): Promise<Objectives> {
  problem.clear(false);
  problem.measure();
  await forAll(problem, pacer, "estimate");
  return objectives(problem.sums);
}

/**
 * Of some examples of a sample: how many they are, and what the relative gap would be if all of the problem were like
 * them.
 */
export interface Sampled {
  readonly count: number;
  readonly gap: number;
}

/**
 * The gap of the marked examples, and of the others, as `count` of all and a few more tell, in groups at equal
 * distances, elsewhere each time that `turn` is another. The terms of the gap are added up, which are not negative: the
 * objectives of a sample are off by more than they differ by.
 */
export async function sampleGap(
  problem: ResidentProblem,
  pacer: Pacer,
  { count, turn, marks }: { count: number; turn: number; marks: Uint8Array },
): Promise<{ marked: Sampled; others: Sampled }> {
  const n = problem.shape.numExamples;
  const groups = groupsOf(n, count, turn + 1);
  const counts = [0, 0];
  const terms = [0, 0];
  problem.clear(false);
  problem.measure();
  await overGroups(groups, pacer, "sample", (first, size) => {
    problem.estimate(first, size);
    for (let i = first; i < first + size; i++) {
      counts[marks[i]]++;
      terms[marks[i]] += problem.gaps[i];
    }
  });
  const { primalLoss, weightsNorm2 } = problem.sums;
  const scale = 1 / groups.part;
  // With a kernel the norm is a sum over examples, too.
  const primalObjective = scale * primalLoss + 0.5 * (problem.kernel ? scale : 1) * weightsNorm2;
  const of = (mark: 0 | 1): Sampled => ({
    count: counts[mark],
    gap: (n * terms[mark]) / Math.max(counts[mark], 1) / primalObjective,
  });
  return { marked: of(1), others: of(0) };
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

function forAll(problem: ResidentProblem, pacer: Pacer, work: "evaluate" | "estimate"): Promise<boolean> {
  return overExamples(problem, pacer, work, (from, count) => problem[work](from, count));
}
