import { entriesOf, isSparse, type FeatureRow } from "../arrays/sparseRow.ts";
import { eachOf, type Steps } from "../pace/steps.ts";
import type { DenseMatrix } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { KernelState } from "./modelState.ts";

/**
 * What the dual variables A: n x m of a problem with a kernel predict with: its support vectors and their rows of A;
 * and what the constant in the kernel adds to every score, the intercepts.
 */
export function* expansionOf(
  { kernel, shape }: ResidentProblem,
  A: Float64Array,
): Steps<{ expansion: KernelState; intercepts: Float64Array }> {
  const { numExamples: n, numClasses: m, precision } = shape;
  const { name, gamma, degree, coef0, constant, columns } = kernel!.shape;
  const rowOf = (i: number): Float64Array => A.subarray(i * m, (i + 1) * m);
  const found: number[] = [];
  yield* eachOf(n, m, (i) => {
    if (rowOf(i).some((a) => a !== 0)) found.push(i);
  });
  const places = Int32Array.from(found);
  const coefficients = new Float64Array(places.length * m);
  const intercepts = new Float64Array(m);
  yield* eachOf(places.length, m, (v) => {
    const row = rowOf(places[v]);
    coefficients.set(row, v * m);
    for (let j = 0; j < m; j++) intercepts[j] += constant * row[j];
  });
  const given = name === "precomputed";
  const shared = { kernel: { name, gamma, degree, coef0 }, precision, coefficients };
  if (given) return { expansion: { ...shared, columns: n, vectors: places }, intercepts };
  const Floats = precision === "float32" ? Float32Array : Float64Array;
  const vectors: FeatureRow[] = [];
  yield* eachOf(places.length, columns, (v) => {
    const row = kernel!.storedRow(places[v]);
    vectors.push(isSparse(row) ? { indices: row.indices.slice(), values: new Floats(row.values) } : new Floats(row));
  });
  return { expansion: { ...shared, columns, vectors }, intercepts };
}

/** The weights that an expansion in the linear kernel comes to: the sum of a_i x_i^T, in float64. */
export function* weightsOf({ columns: d, vectors, coefficients }: KernelState, m: number): Steps<DenseMatrix> {
  const data = new Float64Array(m * d);
  yield* eachOf(vectors.length, m * d, (v) => {
    const { indices, values } = entriesOf((vectors as readonly FeatureRow[])[v]);
    for (let j = 0; j < m; j++) {
      const a = coefficients[v * m + j];
      if (a === 0) continue;
      for (let p = 0; p < values.length; p++) data[j * d + (indices ? indices[p] : p)] += a * values[p];
    }
  });
  return { data, rows: m, cols: d };
}
