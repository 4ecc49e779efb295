import { entriesOf, fillRow, isSparse, type FeatureRow } from "../arrays/sparseRow.ts";
import type { KernelFunction } from "../kernelOption.ts";
import type { KernelState, ModelState } from "./modelState.ts";
import { rowScaler } from "./scaling.ts";

/** What scores rows: weights, or an expansion in a kernel. */
export type Scoring = Pick<ModelState, "weights" | "expansion" | "intercepts" | "scaling">;

/** Columns of the rows that are scored, and whether they are kernel values. */
export const columnsOf = ({ weights, expansion }: Scoring): { columns: number; gram: boolean } => ({
  columns: weights?.cols ?? expansion!.columns,
  gram: expansion?.kernel.name === "precomputed",
});

/**
 * With a kernel so many rows are scored together: each number of a support vector is read once for all of them, and no
 * sum waits for another. Measured 1.4 to 2.5 times faster than one at a time.
 */
export const SCORED_TOGETHER = 4;

/** ||x - z||^2 for each dense row x, of a dense z: not from products, which where rows are far from 0 have lost it. */
function distances([x0, x1, x2, x3]: readonly Float64Array[], z: ArrayLike<number>, out: Float64Array): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let l = 0; l < z.length; l++) {
    const value = z[l];
    a += (x0[l] - value) ** 2;
    b += (x1[l] - value) ** 2;
    c += (x2[l] - value) ** 2;
    d += (x3[l] - value) ** 2;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

/** <x, z> for each dense row x. */
function products([x0, x1, x2, x3]: readonly Float64Array[], z: FeatureRow, out: Float64Array): void {
  const { indices, values } = entriesOf(z);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let p = 0; p < values.length; p++) {
    const l = indices ? indices[p] : p;
    const value = values[p];
    a += x0[l] * value;
    b += x1[l] * value;
    c += x2[l] * value;
    d += x3[l] * value;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

function squaredNorm(row: FeatureRow): number {
  const { values } = entriesOf(row);
  let sum = 0;
  for (let p = 0; p < values.length; p++) sum += values[p] * values[p];
  return sum;
}

/** ||z||^2 of the support vectors of each expansion in use: its rows may come in many slices. */
const squaredNorms = new WeakMap<KernelState, Float64Array>();

function squaredNormsOf(expansion: KernelState): Float64Array {
  const known = squaredNorms.get(expansion);
  if (known) return known;
  const own = Float64Array.from(expansion.vectors as readonly FeatureRow[], squaredNorm);
  squaredNorms.set(expansion, own);
  return own;
}

/** The kernel at <x, z> and ||x - z||^2. */
function valueAt({ name, gamma, degree, coef0 }: KernelFunction, xz: number, distance2: number): number {
  if (name === "rbf") return Math.exp(-gamma * Math.max(distance2, 0));
  return name === "poly" ? (gamma * xz + coef0) ** degree : xz;
}

/** The sum of a_i k(x_i, x) over the support vectors x_i, and the intercepts. */
export function kernelScores(
  expansion: KernelState,
  { intercepts, scaling }: Scoring,
  rows: readonly FeatureRow[],
): Float64Array {
  const { columns, kernel, vectors, coefficients } = expansion;
  const m = intercepts.length;
  const scores = new Float64Array(rows.length * m);
  const squares = vectors instanceof Int32Array ? undefined : squaredNormsOf(expansion);
  const scale = scaling && rowScaler(scaling);
  const dense = Array.from({ length: SCORED_TOGETHER }, () => new Float64Array(columns));
  const squaresOfRows = new Float64Array(SCORED_TOGETHER);
  const inner = new Float64Array(SCORED_TOGETHER);
  for (let first = 0; first < rows.length; first += SCORED_TOGETHER) {
    const count = Math.min(SCORED_TOGETHER, rows.length - first);
    for (let r = 0; r < count; r++) {
      scores.set(intercepts, (first + r) * m);
      const row = rows[first + r];
      fillRow(scale ? scale(row) : row, dense[r].fill(0));
      squaresOfRows[r] = squaredNorm(dense[r]);
    }
    for (let v = 0; v < vectors.length; v++) {
      const z = vectors[v];
      const near = kernel.name === "rbf" && typeof z !== "number" && !isSparse(z);
      if (near) distances(dense, z, inner);
      else if (typeof z !== "number") products(dense, z, inner);
      for (let r = 0; r < count; r++) {
        const value =
          typeof z === "number"
            ? dense[r][z]
            : valueAt(kernel, inner[r], near ? inner[r] : squaresOfRows[r] + squares![v] - 2 * inner[r]);
        const start = (first + r) * m;
        for (let j = 0; j < m; j++) scores[start + j] += value * coefficients[v * m + j];
      }
    }
  }
  return scores;
}
