import { entriesOf, isSparse, type FeatureRow } from "../arrays/sparseRow.ts";
import type { DenseMatrix } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { KernelState } from "./modelState.ts";

/**
 * What the dual variables A: n x m of a problem with a kernel predict with: its support vectors and their rows of A;
 * and what the constant in the kernel adds to every score, the intercepts.
 */
export function expansionOf(
  { kernel, shape }: ResidentProblem,
  A: Float64Array,
): { expansion: KernelState; intercepts: Float64Array } {
  const { numExamples: n, numClasses: m, precision } = shape;
  const { name, gamma, degree, coef0, constant, columns } = kernel!.shape;
  const rowOf = (i: number): Float64Array => A.subarray(i * m, (i + 1) * m);
  const places = Int32Array.from({ length: n }, (_, i) => i).filter((i) => rowOf(i).some((a) => a !== 0));
  const coefficients = new Float64Array(places.length * m);
  const intercepts = new Float64Array(m);
  places.forEach((i, v) => {
    const row = rowOf(i);
    coefficients.set(row, v * m);
    for (let j = 0; j < m; j++) intercepts[j] += constant * row[j];
  });
  const Floats = precision === "float32" ? Float32Array : Float64Array;
  const copy = (row: FeatureRow): FeatureRow =>
    isSparse(row) ? { indices: Uint32Array.from(row.indices), values: Floats.from(row.values) } : Floats.from(row);
  const given = name === "precomputed";
  const expansion = {
    kernel: { name, gamma, degree, coef0 },
    columns: given ? n : columns,
    ...{ precision, coefficients, vectors: given ? places : Array.from(places, (i) => copy(kernel!.storedRow(i))) },
  };
  return { expansion, intercepts };
}

/** The weights that an expansion in the linear kernel comes to: the sum of a_i x_i^T, in float64. */
export function weightsOf({ columns: d, vectors, coefficients }: KernelState, m: number): DenseMatrix {
  const data = new Float64Array(m * d);
  (vectors as readonly FeatureRow[]).forEach((x, v) => {
    const { indices, values } = entriesOf(x);
    for (let j = 0; j < m; j++) {
      const a = coefficients[v * m + j];
      if (a === 0) continue;
      for (let p = 0; p < values.length; p++) data[j * d + (indices ? indices[p] : p)] += a * values[p];
    }
  });
  return { data, rows: m, cols: d };
}
