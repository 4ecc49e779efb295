import type { KernelState, ModelState } from "./modelState.ts";
import { scoreRows } from "./predictor.ts";
import { rowScaler } from "./scaling.ts";
import { entriesOf, fillRow, type FeatureRow } from "./sparseRow.ts";
import type { KernelFunction } from "./wasm/kernelMatrix.ts";

/** What scores rows: weights, or an expansion in a kernel. */
export type Scoring = Pick<ModelState, "weights" | "expansion" | "intercepts" | "scaling">;

/** Columns of the rows that are scored, and whether they are kernel values. */
export const columnsOf = ({ weights, expansion }: Scoring): { columns: number; gram: boolean } => ({
  columns: weights?.cols ?? expansion!.columns,
  gram: expansion?.kernel.name === "precomputed",
});

/** Scores of rows, m for each. */
export function scoresOf(scoring: Scoring, rows: readonly FeatureRow[]): Float64Array {
  const { weights, expansion, intercepts, scaling } = scoring;
  return expansion
    ? kernelScores(expansion, scoring, rows)
    : scoreRows({ weights: weights!, intercepts, scaling }, rows);
}

/** <x, z> of a dense row and any. */
function product(x: Float64Array, z: FeatureRow): number {
  const { indices, values } = entriesOf(z);
  let sum = 0;
  for (let p = 0; p < values.length; p++) sum += x[indices ? indices[p] : p] * values[p];
  return sum;
}

/** The kernel at <x, z> and ||x - z||^2. */
function valueAt({ name, gamma, degree, coef0 }: KernelFunction, xz: number, distance2: number): number {
  if (name === "rbf") return Math.exp(-gamma * Math.max(distance2, 0));
  return name === "poly" ? (gamma * xz + coef0) ** degree : xz;
}

/** The sum of a_i k(x_i, x) over the support vectors x_i, and the intercepts. */
function kernelScores(
  { columns, kernel, vectors, coefficients }: KernelState,
  { intercepts, scaling }: Scoring,
  rows: readonly FeatureRow[],
): Float64Array {
  const m = intercepts.length;
  const scores = new Float64Array(rows.length * m);
  const dense = new Float64Array(columns);
  const places = vectors instanceof Int32Array ? vectors : undefined;
  const square = (z: FeatureRow): number => product(fillRow(z, dense.fill(0)), z);
  const squares = places ? [] : Array.from(vectors as readonly FeatureRow[], square);
  const scale = scaling && rowScaler(scaling);
  rows.forEach((row, i) => {
    const out = scores.subarray(i * m, (i + 1) * m);
    out.set(intercepts);
    const x = fillRow(scale ? scale(row) : row, dense.fill(0));
    const xx = product(x, x);
    for (let v = 0; v < vectors.length; v++) {
      const z = vectors[v];
      let value: number;
      if (typeof z === "number") value = x[z];
      else {
        const xz = product(x, z);
        value = valueAt(kernel, xz, xx + squares[v] - 2 * xz);
      }
      for (let j = 0; j < m; j++) out[j] += value * coefficients[v * m + j];
    }
  });
  return scores;
}
