/** A row of which most entries are zero: the others' columns, ascending, each once, and their values. */
export interface SparseRow {
  readonly indices: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A row of features: d numbers, or the nonzeros among them. */
export type FeatureRow = ArrayLike<number> | SparseRow;

export const isSparse = (row: FeatureRow): row is SparseRow => "indices" in row;

/** The same row with its columns ascending and each of them once: what stands twice is added up, as scipy does. */
export function sortRow(indices: ArrayLike<number>, values: ArrayLike<number>): SparseRow {
  let p = 1;
  while (p < indices.length && indices[p - 1] < indices[p]) p++;
  if (p >= indices.length) return { indices, values };
  const sums = new Map<number, number>();
  for (p = 0; p < indices.length; p++) sums.set(indices[p], (sums.get(indices[p]) ?? 0) + values[p]);
  const sorted = [...sums.keys()].sort((a, b) => a - b);
  return { indices: sorted, values: sorted.map((l) => sums.get(l)!) };
}

/** Writes all d entries of a row into the first d of target, and returns that. */
export function fillRow<floats extends Float32Array | Float64Array>(row: FeatureRow, target: floats): floats {
  if (isSparse(row)) {
    target.fill(0);
    for (let p = 0; p < row.indices.length; p++) target[row.indices[p]] = row.values[p];
  } else {
    target.set(row);
  }
  return target;
}
