import { entriesOf, sumColumns, type FeatureRow } from "../arrays/sparseRow.ts";
import type { RowReader } from "../features.ts";
import { kindOf } from "../platform/kindOf.ts";
import type { CsrMatrix } from "../types.ts";
import { mustBe } from "./plainErrors.ts";

/** What features.ts reads, in fewer words, for the entry that is to be small. A matrix is looked at as its rows. */
export const readFeatures: RowReader = (caller, features, d) => {
  const { data, indices, indptr, rows, cols } = Object(features) as CsrMatrix;
  const start = (i: number): number => (indptr ? indptr[i] : i * cols);
  const part = <array extends CsrMatrix["data"] | CsrMatrix["indices"]>(array: array, i: number): array =>
    array.subarray(start(i), start(i + 1)) as array;
  const isFloats = (v: unknown): boolean => /^Float(32|64)Array$/.test(kindOf(v));
  const isMatrix =
    isFloats(data) &&
    Number.isSafeInteger(rows) &&
    data.length === start(rows) &&
    (!(indptr ?? indices) ||
      ([indices, indptr].every((v) => /^(Int|Uint)32Array$/.test(kindOf(v))) &&
        indices.length === data.length &&
        indptr.length === rows + 1 &&
        indptr.every((p, i) => (i ? p >= indptr[i - 1] : !p))));
  const input = isMatrix
    ? Array.from({ length: rows }, (_, i) => (indptr ? sumColumns(part(indices, i), part(data, i)) : part(data, i)))
    : (features as readonly FeatureRow[]);
  if (!Array.isArray(input))
    mustBe(caller, "features", "an array of rows, or { data, rows, cols } or CSR whose lengths agree", features);
  if (!input.length) mustBe(caller, "features length", "at least 1", 0);
  // Array.from does not pass over what an array has no entry for.
  return Array.from(input, (row: FeatureRow, i) => {
    if (!(isMatrix || Array.isArray(row) || isFloats(row)))
      mustBe(caller, `features row ${i}`, `an array of ${d} numbers`, row);
    const { indices, values } = entriesOf(row);
    const width = indices ? cols : values.length;
    if (width !== d) mustBe(caller, `features row ${i} length`, `${d}`, width);
    for (let p = 0; p < values.length; p++) {
      const l = indices ? indices[p] : p;
      if (!(l >= 0 && l < d)) mustBe(caller, `features row ${i} columns`, `in [0, ${d})`, l);
      if (!Number.isFinite(values[p])) mustBe(caller, `features row ${i}, column ${l}`, "a finite number", values[p]);
    }
    return row;
  });
};
