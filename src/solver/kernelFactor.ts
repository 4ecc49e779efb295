import { eachOf, type Steps } from "../pace/steps.ts";
import { addScaled } from "./linearAlgebra.ts";

/** Rows of features that stand for those of a kernel. */
export interface Rows {
  /** Row by row. */
  readonly X: Float64Array;
  readonly columns: number;
}

/** What is left of the matrix is rounding once no entry of its diagonal is above this part of the largest. */
const ROUNDING = { float32: 1e-6, float64: 1e-14 };

/**
 * Rows X with X X^T = K, the matrix of a kernel for some examples, but for its rounding: by Cholesky's factorisation,
 * which takes the largest entry left on the diagonal first, until next to nothing is left. Many a matrix is done with
 * few columns then (Fine and Scheinberg, *Efficient SVM training using low-rank kernel representations*, JMLR 2, 2001).
 * Undefined where these would be more than `most`.
 */
export function* factorKernel(
  rowOf: (i: number) => ArrayLike<number>,
  examples: Int32Array,
  precision: "float32" | "float64",
  most: number,
): Steps<Rows | undefined> {
  const { length: count } = examples;
  const left = new Float64Array(count);
  yield* eachOf(count, count, (e) => (left[e] = rowOf(examples[e])[examples[e]]));
  const least = ROUNDING[precision] * left.reduce((a, b) => Math.max(a, b), 0);
  const columns: Float64Array[] = [];
  for (;;) {
    let pivot = 0;
    for (let e = 1; e < count; e++) if (left[e] > left[pivot]) pivot = e;
    if (!(left[pivot] > least)) break;
    if (columns.length === most) return undefined;
    const row = rowOf(examples[pivot]);
    const column = Float64Array.from(examples, (i) => row[i]);
    yield* eachOf(columns.length, count, (c) => addScaled(column, -columns[c][pivot], columns[c]));
    const root = Math.sqrt(left[pivot]);
    for (let e = 0; e < count; e++) {
      column[e] /= root;
      left[e] -= column[e] ** 2;
    }
    left[pivot] = 0;
    columns.push(column);
  }
  const X = new Float64Array(count * columns.length);
  yield* eachOf(columns.length, count, (c) => columns[c].forEach((v, e) => (X[e * columns.length + c] = v)));
  return { X, columns: columns.length };
}
