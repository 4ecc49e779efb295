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
  const { length } = indices;
  // Column and place in one number, exact up to 2^53, which is sorted without a function that compares.
  const keys = new Float64Array(length);
  for (let p = 0; p < length; p++) keys[p] = indices[p] * length + p;
  keys.sort();
  const columns: number[] = [];
  const sums: number[] = [];
  for (const key of keys) {
    const p = key % length;
    const column = (key - p) / length;
    if (column === columns[columns.length - 1]) sums[sums.length - 1] += values[p];
    else {
      columns.push(column);
      sums.push(values[p]);
    }
  }
  return { indices: columns, values: sums };
}

/** Writes a row into the first d of target, which are zero, and returns that. */
export function fillRow<floats extends Float32Array | Float64Array>(row: FeatureRow, target: floats): floats {
  const { indices, values } = entriesOf(row);
  if (indices) for (let p = 0; p < values.length; p++) target[indices[p]] = values[p];
  else target.set(values);
  return target;
}
