import { like } from "./like.ts";

type Floats = Float32Array | Float64Array;

/** Finds dual variables that are not zero, in rows of `numClasses`, as many rows at once as `values` and `places` have room for. */
export interface NonzeroFinder {
  readonly numClasses: number;
  /** How many there are in the rows [first, first + count). Which they are, `values` and `places` say from then on. */
  find(first: number, count: number): number;
  readonly values: Floats;
  readonly places: Uint32Array;
}

/** The first `count` numbers of an array, with room for `length`. */
function resized<array extends Floats | Uint32Array>(array: array, count: number, length: number): array {
  const room = like(array, length);
  room.set(array.subarray(0, count));
  return room;
}

/** More than this part of them are better stored one by one. */
const MANY = 1 / 8;

/** Dual variables of which most are zero: the others, with their places. */
export class SparseDuals {
  /** All of them. */
  readonly length: number;
  readonly #values: Floats;
  /** Row after row, in any order within a row. */
  readonly #places: Uint32Array;

  private constructor(length: number, values: Floats, places: Uint32Array) {
    this.length = length;
    this.#values = values;
    this.#places = places;
  }

  /** Those that `finder` finds in `rows` of them; undefined if too many are not zero for it to pay. */
  static from(rows: number, finder: NonzeroFinder): SparseDuals | undefined {
    const length = rows * finder.numClasses;
    const most = finder.values.length;
    const atOnce = most / finder.numClasses;
    let values = like(finder.values, length >> 5);
    let places = new Uint32Array(values.length);
    let count = 0;
    for (let first = 0; first < rows; first += atOnce) {
      const found = finder.find(first, Math.min(atOnce, rows - first));
      if (count + found > MANY * length) return undefined;
      if (count + found > values.length) {
        const room = 2 * count + most;
        values = resized(values, count, room);
        places = resized(places, count, room);
      }
      values.set(finder.values.subarray(0, found), count);
      places.set(finder.places.subarray(0, found), count);
      count += found;
    }
    return new SparseDuals(length, resized(values, count, count), resized(places, count, count));
  }

  /** Where the first of those kept stands that is at `place`, where a row begins, or behind it. */
  #find(place: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#places[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Writes the dual variables of whole rows from place `from` on, zeros among them, over all of `target`. */
  writeTo(target: Floats, from = 0): void {
    target.fill(0);
    const end = this.#find(from + target.length);
    for (let e = this.#find(from); e < end; e++) target[this.#places[e] - from] = this.#values[e];
  }

  /** The dual variables [from, to), whole rows, as a new array. */
  slice(from = 0, to = this.length): Floats {
    const all = like(this.#values, to - from);
    this.writeTo(all, from);
    return all;
  }
}

/** Dual variables one by one or as those that are not zero. */
export type StoredDuals = Floats | SparseDuals;

/** One by one, in float64: a copy. */
export function float64Of(duals: StoredDuals): Float64Array {
  const all = new Float64Array(duals.length);
  if (duals instanceof SparseDuals) duals.writeTo(all);
  else all.set(duals);
  return all;
}

/** One by one; not a copy if that is how they are stored. */
export const allOf = (duals: StoredDuals): Floats => (duals instanceof SparseDuals ? duals.slice() : duals);
