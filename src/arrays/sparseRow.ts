/** A row of which most entries are zero: the others' columns, ascending, each once, and their values. */
export interface SparseRow {
  readonly indices: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A row of features: d numbers, or the nonzeros among them. */
export type FeatureRow = ArrayLike<number> | SparseRow;

export const isSparse = (row: FeatureRow): row is SparseRow => "indices" in row;

/**
 * Consecutive rows of one matrix: `values` of all of them, d of each row, a typed array if there are several; or,
 * sparse, with their columns, ascending within a row, row r being the entries from indptr[r] - indptr[0] to indptr[r +
 * 1] - indptr[0].
 */
export interface RowBlock extends Partial<SparseRow> {
  readonly values: ArrayLike<number>;
  readonly indptr?: ArrayLike<number>;
}

/** Consecutive sparse rows as they came, of which nothing is known: who takes them has to look at their columns. */
export interface RawBlock {
  readonly values: Float32Array | Float64Array;
  readonly indices: Int32Array | Uint32Array;
  readonly indptr: Int32Array | Uint32Array;
}

/** The values of a row and, where they are not all d, their columns. */
export const entriesOf = (row: FeatureRow): Partial<SparseRow> & Pick<SparseRow, "values"> =>
  isSparse(row) ? row : { values: row };

/** The same row with its columns ascending and each of them once: what stands twice is added up, as scipy does. */
export function sumColumns(indices: ArrayLike<number>, values: ArrayLike<number>): SparseRow {
  const sums: Record<number, number> = {}; // an object has its integer keys in ascending order
  for (let p = 0; p < indices.length; p++) sums[indices[p]] = (sums[indices[p]] ?? 0) + values[p];
  return { indices: Object.keys(sums).map(Number), values: Object.values(sums) };
}

/** Writes a row into the first d of target, which are zero, and returns that. */
export function fillRow<floats extends Float32Array | Float64Array>(row: FeatureRow, target: floats): floats {
  const { indices, values } = entriesOf(row);
  if (indices) for (let p = 0; p < values.length; p++) target[indices[p]] = values[p];
  else target.set(values);
  return target;
}
