import {
  entriesOf,
  sumColumns,
  type FeatureRow,
  type RawBlock,
  type RowBlock,
  type SparseRow,
} from "./arrays/sparseRow.ts";
import {
  aNumber,
  check,
  conversion,
  floats,
  integer,
  isFloats,
  isIntegers,
  isNumber,
  isRecord,
  type Constraint,
} from "./constraints.ts";
import { refuse, refuseChanged } from "./errors.ts";
import { finish, STEP, type Steps } from "./pace/steps.ts";
import type { CsrMatrix, DenseMatrix, Features } from "./types.ts";

/**
 * Feature rows behind one face, whatever form they came in. Shape is checked at once, values when they are copied,
 * columns of sparse rows when `row` is called.
 */
export interface Rows<row extends FeatureRow = FeatureRow> {
  readonly count: number;
  readonly cols: number;
  /** Number of values, if the rows are sparse. */
  readonly nonzeros?: number;
  /** The whole matrix, if the rows hold kernel values against the training examples. */
  readonly gram?: Float32Array | Float64Array;
  readonly row: (i: number) => row;
  /**
   * Rows that came as one matrix, `count` of them from one on: to go through all together is several times as quick as
   * one by one. Nothing if columns of sparse rows are out of order or repeated, which `row` mends.
   */
  readonly block?: (from: number, count: number) => RowBlock | undefined;
  /** Sparse ones as they came. */
  readonly raw?: (from: number, count: number) => RawBlock;
}

/** Reads rows of d features for the method `caller` of a model, and refuses all others. */
export type RowReader = (caller: string, features: Features, d: number) => readonly FeatureRow[];

type Row = readonly number[] | Float32Array | Float64Array;

const aRow: Constraint = {
  must: "an array, Float32Array or Float64Array",
  kind: (v) => Array.isArray(v) || isFloats(v),
  hint(v) {
    if (isNumber(v)) return "; one example is [[...]]";
    return isRecord(v) ? "; Object.values(row) makes one" : conversion(v, "row");
  },
};
export const rowsOrMatrix: Constraint = {
  must: "an array of rows, { data, rows, cols } or { data, indices, indptr, rows, cols }",
  kind: (v) => Array.isArray(v) || (typeof v === "object" && v !== null && "data" in v),
  hint: (v) => (isFloats(v) ? "; one example is [row]" : ""),
};
const isCsr = (v: unknown): boolean => !Array.isArray(v) && ("indptr" in (v as object) || "indices" in (v as object));
const rowsOrDense: Constraint = {
  must: "an array of rows or { data, rows, cols }",
  kind: (v) => rowsOrMatrix.kind(v) && !isCsr(v),
};
const integers: Constraint = {
  must: "an Int32Array or Uint32Array",
  kind: isIntegers,
};
const atLeastOne: Constraint = { ...integer(1, Infinity), hint: (v) => (v === 0 ? "; it is empty" : "") };

/**
 * Checks the shape of rows given as an array of arrays or as a matrix, dense or CSR. `argument` is the name for
 * messages.
 */
export function readRows(caller: string, argument: string, input: unknown): Rows {
  check(caller, argument, input, rowsOrMatrix);
  return isCsr(input) ? readCsr(caller, argument, input as CsrMatrix) : readDenseRows(caller, argument, input);
}

/** `readRows` where sparse rows are out of place. */
function readDenseRows(caller: string, argument: string, input: unknown): Rows<ArrayLike<number>> {
  check(caller, argument, input, rowsOrDense);
  return Array.isArray(input)
    ? readArrays(caller, argument, input as Row[])
    : readDense(caller, argument, input as DenseMatrix);
}

function readArrays(caller: string, argument: string, input: readonly Row[]): Rows<ArrayLike<number>> {
  if (input.length === 0) refuse(RangeError, caller, argument, "is empty; it needs at least one row");
  for (const [i, row] of input.entries()) {
    check(caller, argument, row, aRow, `row ${i}`);
    const { length: cols } = input[0];
    if (row.length !== cols) {
      refuse(RangeError, caller, argument, `row ${i} has ${row.length} columns but row 0 has ${cols}`);
    }
    if (cols === 0) refuse(RangeError, caller, argument, "row 0 has no columns");
  }
  const { length: cols } = input[0];
  const row = (i: number): Row => {
    const found = input[i];
    return found?.length === cols ? found : refuseChanged(caller, argument);
  };
  return { count: input.length, cols, row };
}

function checkMatrix(
  caller: string,
  argument: string,
  matrix: DenseMatrix & { dims?: unknown; shape?: unknown },
): void {
  const { data, rows, cols } = matrix;
  check(caller, argument, data, floats, "data");
  const sides = matrix.dims ? "dims" : "shape";
  const ofTensor = `; of a tensor t, { data: t.data, rows: t.${sides}[0], cols: t.${sides}[1] }`;
  check(caller, argument, rows, matrix[sides] ? { ...atLeastOne, hint: () => ofTensor } : atLeastOne, "rows");
  check(caller, argument, cols, atLeastOne, "cols");
}

function readDense(caller: string, argument: string, matrix: DenseMatrix): Rows<ArrayLike<number>> {
  checkMatrix(caller, argument, matrix);
  const { data, rows, cols } = matrix;
  if (data.length !== rows * cols) {
    refuse(RangeError, caller, argument, `has ${data.length} values but rows x cols is ${rows} x ${cols}`);
  }
  const block = (from: number, count: number): RowBlock => {
    // Its buffer may have been handed to a worker since, or have shrunk.
    if (data.length !== rows * cols) refuseChanged(caller, argument);
    return { values: data.subarray(from * cols, (from + count) * cols) };
  };
  return { count: rows, cols, row: (i) => block(i, 1).values, block };
}

/** Where the first number is that is below the one before it, or 0. */
function firstDescent(numbers: ArrayLike<number>): number {
  for (let i = 1; i < numbers.length; i++) if (numbers[i] < numbers[i - 1]) return i;
  return 0;
}

function readCsr(caller: string, argument: string, matrix: CsrMatrix): Rows {
  checkMatrix(caller, argument, matrix);
  const { data, indices, indptr, rows, cols } = matrix;
  check(caller, argument, indices, integers, "indices");
  check(caller, argument, indptr, integers, "indptr");
  const nonzeros = data.length;
  if (indices.length !== nonzeros) {
    refuse(RangeError, caller, argument, `has ${nonzeros} values but ${indices.length} indices`);
  }
  if (indptr.length !== rows + 1) {
    refuse(RangeError, caller, argument, `indptr has length ${indptr.length} but rows + 1 is ${rows + 1}`);
  }
  if (indptr[0] !== 0) refuse(RangeError, caller, argument, `indptr entry 0 must be 0, got ${indptr[0]}`);
  const i = firstDescent(indptr);
  if (i > 0) {
    refuse(
      RangeError,
      caller,
      argument,
      `indptr entry ${i} is ${indptr[i]}, below the one before it, ${indptr[i - 1]}`,
    );
  }
  if (indptr[rows] !== nonzeros) {
    refuse(RangeError, caller, argument, `indptr ends with ${indptr[rows]} but there are ${nonzeros} values`);
  }
  /** Checks the columns of the rows in [from, end), and says whether they are ascending. */
  const areAscending = (from: number, end: number): boolean => {
    let ascending = true;
    for (let i = from; i < end; i++) {
      let last = -1;
      for (let p = indptr[i]; p < indptr[i + 1]; p++) {
        const column = indices[p];
        if (!(column >= 0 && column < cols)) {
          const place = `row ${i}, indices entry ${p}`;
          refuse(RangeError, caller, argument, `${place} must be an integer in [0, ${cols - 1}], got ${column}`);
        }
        ascending &&= column > last;
        last = column;
      }
    }
    return ascending;
  };
  const raw = (from: number, count: number): RawBlock => {
    if (data.length !== nonzeros) refuseChanged(caller, argument);
    const [start, end] = [indptr[from], indptr[from + count]];
    const ends = indptr.subarray(from, from + count + 1);
    return { indices: indices.subarray(start, end), values: data.subarray(start, end), indptr: ends };
  };
  const row = (i: number): SparseRow => {
    const found = raw(i, 1);
    return areAscending(i, i + 1) ? found : sumColumns(found.indices, found.values);
  };
  const block = (from: number, count: number): RowBlock | undefined =>
    areAscending(from, from + count) ? raw(from, count) : undefined;
  return { count: rows, cols, nonzeros, row, block, raw };
}

/** How many values are not zero. */
export function countNonzeros(values: ArrayLike<number>): number {
  let count = 0;
  for (let p = 0; p < values.length; p++) count += Number(values[p] !== 0);
  return count;
}

/** `count` of the rows, from one on. */
export const slice = ({ row }: Rows, from: number, count: number): FeatureRow[] =>
  Array.from({ length: count }, (_, i) => row(from + i));

/** Says what is wrong with the value at row i, column l, which is no finite number. */
function refuseValue(caller: string, argument: string, i: number, l: number, value: unknown): never {
  const place = `row ${i}, column ${l}`;
  const isMissing = value === null || value === undefined || Number.isNaN(value);
  const missing = isMissing ? "; what is missing has to be filled in, say by the mean of its column" : "";
  check(caller, argument, value, { ...aNumber, hint: () => missing }, place);
  refuse(RangeError, caller, argument, `${place} is ${value as number}; ${argument} must be finite${missing}`);
}

/** Refuses a row with a value that is no finite number. */
export function checkValues(caller: string, argument: string, i: number, row: FeatureRow): void {
  const { indices, values } = entriesOf(row);
  for (let p = 0; p < values.length; p++) {
    if (!Number.isFinite(values[p])) refuseValue(caller, argument, i, indices ? indices[p] : p, values[p]);
  }
}

/** The same rows, every value of them checked: for prediction, held-out rows and metrics. */
export function* checkRows<rows extends Rows>(caller: string, argument: string, rows: rows): Steps<rows> {
  let left = 0;
  for (let i = 0; i < rows.count; i++) {
    if (left <= 0) {
      yield;
      left = STEP / 4; // columns out of order are sorted
    }
    const row = rows.row(i);
    checkValues(caller, argument, i, row);
    left -= entriesOf(row).values.length + 1;
  }
  return rows;
}

/** Scores or weights whose values are checked at once. */
export const readFiniteDenseRows = (caller: string, argument: string, input: unknown): Rows<ArrayLike<number>> =>
  finish(checkRows(caller, argument, readDenseRows(caller, argument, input)));
