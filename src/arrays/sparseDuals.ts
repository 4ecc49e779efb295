import { copyInto, type Steps } from "../pace/steps.ts";
import { like } from "./like.ts";
import { precisionOf } from "./precisionOf.ts";

type Floats = Float32Array | Float64Array;

/**
 * Finds dual variables that are not zero, in rows of `numClasses`, as many rows at once as `values` and `places` have
 * room for.
 */
export interface NonzeroFinder {
  readonly numClasses: number;
  /** How many there are in the rows [first, first + count). Which they are, `values` and `places` say from then on. */
  find(first: number, count: number): number;
  readonly values: Floats;
  readonly places: Uint32Array;
}

/** The first `count` numbers of an array, with room for `length`. */
function* resized<array extends Floats | Uint32Array>(array: array, count: number, length: number): Steps<array> {
  const room = like(array, length);
  yield* copyInto(array.subarray(0, count) as array, room);
  return room;
}

/** More than this part of them are better stored one by one. */
const MANY = 1 / 8;

/**
 * Dual variables of which most are zero: the others, with their places. Plain data, which can be sent to a worker and
 * back.
 */
export interface SparseDuals {
  /** Of all of them. */
  readonly length: number;
  readonly values: Floats;
  /** Row after row, in any order within a row. */
  readonly places: Uint32Array;
}

/** Dual variables one by one or as those that are not zero. */
export type StoredDuals = Floats | SparseDuals;

export const hasPlaces = (duals: StoredDuals): duals is SparseDuals => !ArrayBuffer.isView(duals);

/** Whether there are numbers among them that float32 does not hold. */
export function areFine(duals: StoredDuals): boolean {
  const values = hasPlaces(duals) ? duals.values : duals;
  return precisionOf(values) === "float64" && values.some((v) => Math.fround(v) !== v);
}

/** Those that `finder` finds in `rows` of them; undefined if too many are not zero for it to pay. */
export function* findNonzeros(rows: number, finder: NonzeroFinder): Steps<SparseDuals | undefined> {
  const length = rows * finder.numClasses;
  const most = finder.values.length;
  const atOnce = most / finder.numClasses;
  let values = like(finder.values, length >> 5);
  let places = new Uint32Array(values.length);
  let count = 0;
  for (let first = 0; first < rows; first += atOnce) {
    yield;
    const found = finder.find(first, Math.min(atOnce, rows - first));
    if (count + found > MANY * length) return undefined;
    if (count + found > values.length) {
      const room = 2 * count + most;
      values = yield* resized(values, count, room);
      places = yield* resized(places, count, room);
    }
    values.set(finder.values.subarray(0, found), count);
    places.set(finder.places.subarray(0, found), count);
    count += found;
  }
  return { length, values: yield* resized(values, count, count), places: yield* resized(places, count, count) };
}

/** Where the first of those kept stands that is at `place`, where a row begins, or behind it. */
function findPlace(places: Uint32Array, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Writes whole rows from place `from` on, zeros among them, over all of `target`. */
export function writeDuals(duals: StoredDuals, target: Floats, from = 0): void {
  if (!hasPlaces(duals)) {
    target.set(duals.subarray(from, from + target.length));
    return;
  }
  const { values, places } = duals;
  target.fill(0);
  const end = findPlace(places, from + target.length);
  for (let e = findPlace(places, from); e < end; e++) target[places[e] - from] = values[e];
}

/** The dual variables [from, to), whole rows, one by one in float64: a copy. */
export function float64Of(duals: StoredDuals, from = 0, to = duals.length): Float64Array {
  const all = new Float64Array(to - from);
  writeDuals(duals, all, from);
  return all;
}

/** One by one; not a copy if that is how they are stored. */
export function allOf(duals: StoredDuals): Floats {
  if (!hasPlaces(duals)) return duals;
  const all = like(duals.values, duals.length);
  writeDuals(duals, all);
  return all;
}

/**
 * Dual variables in no larger buffer than they need: what is sent takes its whole buffer with it, and that may be a
 * problem's memory.
 */
export function alone(duals: StoredDuals): StoredDuals {
  return !hasPlaces(duals) && duals.byteLength < duals.buffer.byteLength ? duals.slice() : duals;
}
