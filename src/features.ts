import { aNumber, check, integer, isFloats, isNumber, type Constraint } from "./constraints.ts";
import { refuse } from "./errors.ts";
import type { DenseMatrix, Features } from "./types.ts";

/** Feature rows behind one face, whatever form they came in. Shape is checked at once, values when they are copied. */
export interface Rows {
  readonly count: number;
  readonly cols: number;
  readonly row: (i: number) => ArrayLike<number>;
}

/** Reads rows of d features for the method `caller` of a model, and refuses all others. */
export type RowReader = (caller: string, features: Features, d: number) => readonly ArrayLike<number>[];

type Row = readonly number[] | Float32Array | Float64Array;

const aRow: Constraint = {
  must: "an array, Float32Array or Float64Array",
  kind: (v) => Array.isArray(v) || isFloats(v),
  hint: (v) => (isNumber(v) ? "; one example is [[...]]" : ""),
};
const rowsOrMatrix: Constraint = {
  must: "an array of rows or { data, rows, cols }",
  kind: (v) => Array.isArray(v) || (typeof v === "object" && v !== null && "data" in v),
};
const floats: Constraint = { must: "a Float32Array or Float64Array", kind: isFloats };
const atLeastOne: Constraint = { ...integer(1, Infinity), hint: (v) => (v === 0 ? "; it is empty" : "") };

/** Checks the shape of rows given as an array of arrays or as a dense matrix. `argument` is the name for messages. */
export function readRows(caller: string, argument: string, input: unknown): Rows {
  check(caller, argument, input, rowsOrMatrix);
  return Array.isArray(input)
    ? readArrays(caller, argument, input as Row[])
    : readDense(caller, argument, input as DenseMatrix);
}

function readArrays(caller: string, argument: string, input: readonly Row[]): Rows {
  if (input.length === 0) refuse(RangeError, caller, argument, "is empty; it needs at least one row");
  for (const [i, row] of input.entries()) {
    check(caller, argument, row, aRow, `row ${i}`);
    const { length: cols } = input[0];
    if (row.length !== cols) {
      refuse(RangeError, caller, argument, `row ${i} has ${row.length} columns but row 0 has ${cols}`);
    }
    if (cols === 0) refuse(RangeError, caller, argument, "row 0 has no columns");
  }
  return { count: input.length, cols: input[0].length, row: (i) => input[i] };
}

function readDense(caller: string, argument: string, { data, rows, cols }: DenseMatrix): Rows {
  check(caller, argument, data, floats, "data");
  check(caller, argument, rows, atLeastOne, "rows");
  check(caller, argument, cols, atLeastOne, "cols");
  if (data.length !== rows * cols) {
    refuse(RangeError, caller, argument, `has ${data.length} values but rows x cols is ${rows} x ${cols}`);
  }
  return { count: rows, cols, row: (i) => data.subarray(i * cols, (i + 1) * cols) };
}

/** `count` of the rows, from one on. */
export const slice = ({ row }: Rows, from: number, count: number): ArrayLike<number>[] =>
  Array.from({ length: count }, (_, i) => row(from + i));

/** Says what is wrong with the value at row i, column l, which is no finite number. */
export function refuseValue(caller: string, argument: string, i: number, l: number, value: unknown): never {
  const place = `row ${i}, column ${l}`;
  check(caller, argument, value, aNumber, place);
  refuse(RangeError, caller, argument, `${place} is ${value as number}; ${argument} must be finite`);
}

export const readFeatures: RowReader = (caller, features, d) => {
  const rows = readFiniteRows(caller, "features", features);
  if (rows.cols !== d) {
    refuse(RangeError, caller, "features", `has ${rows.cols} columns but the model was fitted on ${d}`);
  }
  return slice(rows, 0, rows.count);
};

/** Rows of features or scores whose values are checked at once: for prediction and metrics. */
export function readFiniteRows(caller: string, argument: string, input: Features): Rows {
  const rows = readRows(caller, argument, input);
  for (let i = 0; i < rows.count; i++) {
    const row = rows.row(i);
    for (let l = 0; l < rows.cols; l++) {
      if (!Number.isFinite(row[l])) refuseValue(caller, argument, i, l, row[l]);
    }
  }
  return rows;
}
