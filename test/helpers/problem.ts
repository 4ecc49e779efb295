import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import type { ResidentDuals } from "../../src/wasm/duals.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";

/** A problem in float64 as `fit` loads it, C_i = 2, before the first step; `truth` holds the class of each example or its set. */
export async function openProblem(
  { loss, ...parameters }: { loss: string },
  features: readonly number[][],
  truth: readonly number[] | readonly number[][],
  shape: Pick<Shape, "numClasses"> & Partial<Shape>,
): Promise<ResidentProblem> {
  const sets = truth.every(Array.isArray);
  const [n, d] = [features.length, features[0].length];
  const problem = await ResidentProblem.create(
    "test",
    {
      ...{ numExamples: n, numFeatures: shape.kernel ? n : d, precision: "float64" },
      ...(sets && { numLabels: truth.flat().length }),
      ...shape,
    },
    resolveLoss("test", loss, parameters),
    1,
  );
  problem.y.set(truth.flat());
  let end = 0;
  if (sets) problem.offsets.set([0, ...truth.map((set) => (end += (set as number[]).length))]);
  problem.C.fill(2);
  features.forEach((row, i) => {
    (problem.kernel ?? problem).features.store(i, row);
  });
  problem.measureRows(0, n);
  return problem;
}

/** Dual variables as they are stored. */
export const copyOf = (duals: ResidentDuals): Float32Array | Float64Array => finish(duals.copied());

export const rowsOf = (data: ArrayLike<number>, columns: number): number[][] =>
  Array.from({ length: data.length / columns }, (_, i) =>
    Array.from({ length: columns }, (_, j) => data[i * columns + j]),
  );

/** The largest difference between two entries at the same place. */
export const far = (a: readonly number[][], b: readonly number[][]): number =>
  Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i][j]))));

/** D as an evaluation finds it. */
export function dualOf(problem: ResidentProblem): number {
  const { numExamples: n } = problem.shape;
  problem.clear(true);
  problem.rebuild(0, n);
  problem.settle();
  problem.evaluate(0, n);
  const { dualLoss, dualWeightsNorm2, anchorProduct } = problem.sums;
  return dualLoss - anchorProduct - 0.5 * dualWeightsNorm2;
}
