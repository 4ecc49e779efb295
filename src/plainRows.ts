import { mustBe } from "./errors.ts";
import type { RowReader } from "./features.ts";

/** What features.ts reads, in fewer words, for the entry that is to be small. A matrix is looked at as its rows. */
export const readFeatures: RowReader = (caller, features, d) => {
  const { data, rows, cols } = Object(features) as { data: Float64Array; rows: number; cols: number };
  const input: readonly ArrayLike<number>[] =
    ArrayBuffer.isView(data) && Number.isSafeInteger(rows) && data.length === rows * cols
      ? Array.from({ length: rows }, (_, i) => data.subarray(i * cols, (i + 1) * cols))
      : (features as readonly Float64Array[]);
  if (!Array.isArray(input) || input.length === 0) {
    mustBe(caller, "features", "an array of rows or { data, rows, cols }", features);
  }
  for (const [i, row] of input.entries()) {
    const { length } = Object(row) as ArrayLike<number>;
    if (length !== d) mustBe(caller, "features", `${d}`, length, `row ${i} length`);
    for (let l = 0; l < d; l++) {
      if (!Number.isFinite(row[l])) mustBe(caller, "features", "a finite number", row[l], `row ${i}, column ${l}`);
    }
  }
  return input;
};
