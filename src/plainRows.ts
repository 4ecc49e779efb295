import { mustBe } from "./errors.ts";
import type { RowReader } from "./features.ts";
import { isSparse, sortRow, type FeatureRow } from "./sparseRow.ts";
import type { CsrMatrix } from "./types.ts";

/** What features.ts reads, in fewer words, for the entry that is to be small. A matrix is looked at as its rows. */
export const readFeatures: RowReader = (caller, features, d) => {
  const refuse = (must: string, value: unknown, place?: string): never =>
    mustBe(caller, "features", must, value, place);
  const { data, indices, indptr, rows, cols } = Object(features) as CsrMatrix;
  const isIntegers = (v: unknown): boolean => v instanceof Int32Array || v instanceof Uint32Array;
  const size = indptr ? indptr[rows] : rows * cols;
  const sound =
    ArrayBuffer.isView(data) &&
    Number.isSafeInteger(rows) &&
    data.length === size &&
    (!indptr ||
      (isIntegers(indptr) &&
        isIntegers(indices) &&
        indices.length === size &&
        indptr.length === rows + 1 &&
        indptr.every((p, i) => (i ? p >= indptr[i - 1] : !p))));
  const input: readonly FeatureRow[] = sound
    ? Array.from({ length: rows }, (_, i) =>
        indptr
          ? sortRow(indices.subarray(indptr[i], indptr[i + 1]), data.subarray(indptr[i], indptr[i + 1]))
          : data.subarray(i * cols, (i + 1) * cols),
      )
    : (features as readonly Float64Array[]);
  if (!Array.isArray(input) || input.length === 0) {
    refuse("an array of rows, { data, rows, cols } or CSR", features);
  }
  for (const [i, given] of input.entries()) {
    const row = Object(given) as FeatureRow;
    const sparse = isSparse(row);
    const values = sparse ? row.values : row;
    const width = sparse ? cols : values.length;
    if (width !== d) refuse(`${d}`, width, `row ${i} length`);
    for (let p = 0; p < values.length; p++) {
      const l = sparse ? row.indices[p] : p;
      if (!(l >= 0 && l < d)) refuse(`in [0, ${d - 1}]`, l, `row ${i}, column`);
      if (!Number.isFinite(values[p])) refuse("a finite number", values[p], `row ${i}, column ${l}`);
    }
  }
  return input;
};
