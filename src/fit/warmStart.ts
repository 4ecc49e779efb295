import { float64Of } from "../arrays/sparseDuals.ts";
import { refuse } from "../errors.ts";
import type { DualState } from "../model/modelState.ts";
import type { Pacer } from "../pace/pace.ts";
import { adoptDuals } from "../solver/evaluate.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { GivenWeights } from "./checkStart.ts";
import { RANGE } from "./range.ts";

/** What weights are for: the value of the constant feature, and the largest norm of a row. */
export interface Scale {
  readonly constant: number;
  readonly largestNorm: number;
}

/** Puts the starting point into the problem: A from the old duals, W = W0 + A^T X. */
export async function adoptStart(
  problem: ResidentProblem,
  initial: DualState | undefined,
  anchor: GivenWeights | undefined,
  scale: Scale,
  pacer: Pacer,
): Promise<void> {
  const { numExamples: n, numClasses: m } = problem.shape;
  if (anchor) {
    forEachClass(problem, anchor, scale, (j, row) => problem.weights.setAnchorRow(j, row));
    problem.weights.startAtAnchor();
  }
  if (!initial) return;
  // Dual rows live in C_i times a fixed set, so scaling by the ratio keeps them feasible for the same loss; other class
  // weights of label sets are the projection's business.
  await pacer.run("rescale", n, (from, count) => {
    const scaled = float64Of(initial.stored, from * m, (from + count) * m);
    for (let i = from, e = 0; i < from + count; i++) {
      const factor = problem.C[i] / initial.costs[i];
      for (let j = 0; j < m; j++) scaled[e++] *= factor;
    }
    problem.duals.restore(scaled, from);
  });
  await adoptDuals(problem, pacer);
}

/** Puts weights into the problem, for a descent. */
export function adoptWeights(problem: ResidentProblem, given: GivenWeights, scale: Scale): void {
  forEachClass(problem, given, scale, (j, row) => problem.weights.setRow(j, row));
}

/**
 * The weights of each class as the problem has them, the constant feature's among them. The row is the same one every
 * time.
 */
function forEachClass(
  { shape: { numClasses, numFeatures, precision } }: ResidentProblem,
  { option, rows, intercepts }: GivenWeights,
  { constant, largestNorm }: Scale,
  put: (j: number, row: Float64Array) => void,
): void {
  const row = new Float64Array(numFeatures);
  for (let j = 0; j < numClasses; j++) {
    row.set(rows.row(j));
    if (rows.cols < numFeatures) row[rows.cols] = (intercepts?.[j] ?? 0) / constant;
    const size = row.reduce((sum, w) => sum + Math.abs(w), 0);
    if (!(size * Math.max(largestNorm, 1) < RANGE[precision])) {
      refuse(RangeError, "fit", option, `has weights of class ${j} so large that scores could overflow ${precision}`);
    }
    put(j, row);
  }
}
