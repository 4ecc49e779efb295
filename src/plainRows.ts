import { mustBe } from "./errors.ts";
import type { RowReader } from "./features.ts";
import { isSparse, sortRow, type FeatureRow } from "./sparseRow.ts";
import type { CsrMatrix } from "./types.ts";

/** What features.ts reads, in fewer words, for the entry that is to be small. A matrix is looked at as its rows. */
export const readFeatures: RowReader = (caller, features, d) => {
  const { data, indices, indptr, rows, cols } = Object(features) as CsrMatrix;
  const size = indptr ? indptr[rows] : rows * cols;
  const input: readonly FeatureRow[] =
    ArrayBuffer.isView(data) && Number.isSafeInteger(rows) && data.length === size
      ? Array.from({ length: rows }, (_, i) =>
          indptr
            ? sortRow(indices.subarray(indptr[i], indptr[i + 1]), data.subarray(indptr[i], indptr[i + 1]))
            : data.subarray(i * cols, (i + 1) * cols),
        )
      : (features as readonly Float64Array[]);
  if (!Array.isArray(input) || input.length === 0) {
    mustBe(caller, "features", "an array of rows or { data, rows, cols }", features);
  }
  for (const [i, given] of input.entries()) {
    const row = Object(given) as FeatureRow;
    const sparse = isSparse(row);
    const values = sparse ? row.values : row;
    const width = sparse ? cols : values.length;
    if (width !== d) mustBe(caller, "features", `${d}`, width, `row ${i} length`);
    for (let p = 0; p < values.length; p++) {
      const l = sparse ? row.indices[p] : p;
      const v = l >= 0 && l < d ? values[p] : NaN;
      if (!Number.isFinite(v)) mustBe(caller, "features", "a finite number", v, `row ${i}, column ${l}`);
    }
  }
  return input;
};
