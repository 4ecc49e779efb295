import { entriesOf, fillRow, isSparse, type FeatureRow } from "../arrays/sparseRow.ts";

/**
 * What is done to a feature row before the model sees it: (x - shift) * factor column by column, or x / ||x|| for unit
 * rows (a zero row stays zero). Learned on the training rows, stored in the model, applied by prediction. Learned on
 * sparse rows it has no shift, which would fill their zeros.
 */
export interface Scaling {
  readonly kind: "standard" | "minmax" | "unit-rows";
  /** d values each; empty for unit rows. */
  readonly shift: Float64Array;
  readonly factor: Float64Array;
}

/** x / ||x|| in place. The largest entry goes first, so that squares neither overflow nor vanish. */
function normalise(values: Float64Array): void {
  let largest = 0;
  for (let l = 0; l < values.length; l++) largest = Math.max(largest, Math.abs(values[l]));
  let norm = 0;
  for (let l = 0; l < values.length; l++) norm += (values[l] /= largest || 1) ** 2;
  norm = Math.sqrt(norm) || 1; // V8 would leave it in the loop: twice the time
  for (let l = 0; l < values.length; l++) values[l] /= norm;
}

/** Scales rows one at a time. A shift, where there is one, fills a sparse row. */
export function rowScaler({ kind, shift, factor }: Scaling): (row: FeatureRow) => FeatureRow {
  const fills = shift.some(Boolean);
  return (row) => {
    const { indices, values: given } = entriesOf(
      isSparse(row) && fills ? fillRow(row, new Float64Array(shift.length)) : row,
    );
    const values = new Float64Array(given);
    if (kind === "unit-rows") normalise(values);
    else {
      for (let p = 0; p < values.length; p++) {
        const l = indices ? indices[p] : p;
        const moved = values[p] - shift[l];
        // Of values near the largest there are, the difference may be larger, and what is made of it not.
        values[p] = Number.isFinite(moved) ? moved * factor[l] : (values[p] / 2 - shift[l] / 2) * factor[l] * 2;
      }
    }
    return indices ? { indices, values } : values;
  };
}
