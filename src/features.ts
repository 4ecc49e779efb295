import { describe } from "./errors.ts";
import type { Features } from "./types.ts";

/** Feature rows behind one face, whatever form they came in. Shape is checked at once, values when they are copied. */
export interface Rows {
  readonly count: number;
  readonly cols: number;
  /** Row i, and where in it column 0 is. */
  row(i: number): { values: ArrayLike<number>; offset: number };
}

type Row = readonly number[] | Float32Array | Float64Array;

const isFloats = (value: unknown): value is Float32Array | Float64Array =>
  value instanceof Float32Array || value instanceof Float64Array;

/** Checks the shape of rows given as an array of arrays or as a dense matrix. `argument` is the name for messages. */
export function readRows(caller: string, argument: string, input: unknown): Rows {
  if (Array.isArray(input)) return readArrays(caller, argument, input);
  if (typeof input === "object" && input !== null && "data" in input) return readDense(caller, argument, input);
  throw new TypeError(
    `${caller}: "${argument}" must be an array of rows or { data, rows, cols }, got ${describe(input)}`,
  );
}

function readArrays(caller: string, argument: string, input: readonly unknown[]): Rows {
  if (input.length === 0) throw new RangeError(`${caller}: "${argument}" is empty; it needs at least one row`);
  const rowAt = (i: number): Row => {
    const row = input[i];
    if (Array.isArray(row) || isFloats(row)) return row;
    const hint = typeof row === "number" ? "; one example is [[...]]" : "";
    throw new TypeError(
      `${caller}: "${argument}" row ${i} must be an array, Float32Array or Float64Array, got ${describe(row)}${hint}`,
    );
  };
  const cols = rowAt(0).length;
  if (cols === 0) throw new RangeError(`${caller}: "${argument}" row 0 has no columns`);
  for (let i = 1; i < input.length; i++) {
    const { length } = rowAt(i);
    if (length !== cols) {
      throw new RangeError(`${caller}: "${argument}" row ${i} has ${length} columns but row 0 has ${cols}`);
    }
  }
  return { count: input.length, cols, row: (i) => ({ values: input[i] as Row, offset: 0 }) };
}

function readDense(caller: string, argument: string, input: object): Rows {
  const { data, rows, cols } = input as { data: unknown; rows: unknown; cols: unknown };
  if (!isFloats(data)) {
    throw new TypeError(`${caller}: "${argument}" data must be a Float32Array or Float64Array, got ${describe(data)}`);
  }
  for (const [name, value] of Object.entries({ rows, cols })) {
    if (typeof value !== "number") {
      throw new TypeError(`${caller}: "${argument}" ${name} must be an integer >= 1, got ${describe(value)}`);
    }
    if (!Number.isSafeInteger(value) || value < 1) {
      const empty = value === 0 && name === "rows" ? "; it is empty" : "";
      throw new RangeError(`${caller}: "${argument}" ${name} must be an integer >= 1, got ${describe(value)}${empty}`);
    }
  }
  const shape = { rows: rows as number, cols: cols as number };
  if (data.length !== shape.rows * shape.cols) {
    throw new RangeError(
      `${caller}: "${argument}" has ${data.length} values but rows x cols is ${shape.rows} x ${shape.cols}`,
    );
  }
  return { count: shape.rows, cols: shape.cols, row: (i) => ({ values: data, offset: i * shape.cols }) };
}

/** Says what is wrong with the value at row i, column l. */
export function badValue(caller: string, argument: string, i: number, l: number, value: unknown): Error {
  const place = `${caller}: "${argument}" row ${i}, column ${l}`;
  if (typeof value !== "number") return new TypeError(`${place} must be a number, got ${describe(value)}`);
  return new RangeError(`${place} is ${value}; ${argument} must be finite`);
}

/** Rows of features or scores whose values are checked at once: for prediction and metrics. */
export function readFiniteRows(caller: string, argument: string, input: Features): Rows {
  const rows = readRows(caller, argument, input);
  for (let i = 0; i < rows.count; i++) {
    const { values, offset } = rows.row(i);
    for (let l = 0; l < rows.cols; l++) {
      const v: unknown = values[offset + l];
      if (!Number.isFinite(v)) throw badValue(caller, argument, i, l, v);
    }
  }
  return rows;
}
