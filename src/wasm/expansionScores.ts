import { roundUp } from "./arena.ts";
import { BLOCK_SIZE, CLASSES_AT_ONCE, COPIES_APART } from "./kernels.ts";
import { fitting, pays, strideOf, takeScores, writeRows } from "./rowScores.ts";
import { borrow } from "./shared.ts";

/**
 * Sums over dense support vectors, as src/model/kernelScores.ts adds them up, to the last bit, by the kernels: in a
 * quarter of the time. See assembly/linalg/otherRows.ts.
 */

/** sum_i a_i k(x_i, x): support vectors x_i of so many columns, and m coefficients a_i of each. */
interface Expansion {
  readonly vectors: readonly ArrayLike<number>[];
  readonly coefficients: Float64Array;
  readonly columns: number;
  /** Whether k follows from ||x_i - x||^2, and not from <x_i, x>. */
  readonly distances: boolean;
  /** Makes k of those, in place. */
  readonly evaluate: (products: Float64Array) => void;
}

/** Support vectors that are taken together. */
export const VECTORS_TOGETHER = BLOCK_SIZE;

/** So many rows share what they fetch of the support vectors, as far as there is room. */
const ROWS_SHARING = 128;
export const rowsSharing = (columns: number): number => fitting(8 * strideOf(columns), ROWS_SHARING);

/** Whether it pays for so many rows, the kernels being there. */
export const sumsPay = (rows: number, vectors: number, columns: number): boolean => pays(rows * vectors, columns);

/**
 * Adds the terms of the support vectors [from, end), one after the other, to the sums, m for each of the first `count`
 * rows.
 */
export function addByKernels(
  { vectors, coefficients, columns: d, distances, evaluate }: Expansion,
  { rows, count, sums }: { rows: readonly Float64Array[]; count: number; sums: Float64Array },
  from: number,
  end: number,
): void {
  const m = sums.length / count;
  const stride = strideOf(d);
  const ld = strideOf(m);
  const padded = roundUp(count, CLASSES_AT_ONCE);
  const most = fitting(8 * stride, VECTORS_TOGETHER);
  const apart = ld + COPIES_APART / 8;
  const lengths = [padded * stride, most * stride, most * stride, most * padded, most * apart, padded * ld];
  const { instance, at } = borrow("scores", lengths);
  const { kernels, memory } = instance;
  const [rowsAt, vectorsAt, packedAt, valuesAt, coefficientsAt, sumsAt] = at;
  const [ownRows, ownVectors, , values, ownCoefficients, ownSums] = at.map(
    (offset, r) => new Float64Array(memory.buffer, offset, lengths[r]),
  );
  ownRows.fill(0);
  writeRows(rows.slice(0, count), ownRows, stride);
  for (let i = 0; i < count; i++) ownSums.set(sums.subarray(i * m, (i + 1) * m), i * ld);
  const compare = distances ? kernels.distancesOfRows : kernels.scoreRowsFloat64;
  for (let v = from; v < end; v += most) {
    const size = Math.min(most, end - v);
    writeRows(vectors.slice(v, v + size), ownVectors, stride);
    compare(rowsAt, stride, count, vectorsAt, size, stride, packedAt, valuesAt);
    evaluate(values.subarray(0, size * padded));
    for (let e = 0; e < size; e++) ownCoefficients.set(coefficients.subarray((v + e) * m, (v + e + 1) * m), e * apart);
    kernels.addExpansion(sumsAt, ld, count, valuesAt, coefficientsAt, size);
  }
  takeScores({ out: ownSums, apart: ld, size: count, m }, sums, 0, m);
}
