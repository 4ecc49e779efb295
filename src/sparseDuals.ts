import { like } from "./like.ts";

type Floats = Float32Array | Float64Array;

/** Finds dual variables that are not zero, as many at once as there is room for. */
export interface NonzeroFinder {
  /**
   * How many of the dual variables [from, from + count) are not zero, count being at most the length of `values`. Which they are,
   * `values` and `places` say from then on.
   */
  find(from: number, count: number): number;
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
  /** Ascending. */
  readonly #places: Uint32Array;

  private constructor(length: number, values: Floats, places: Uint32Array) {
    this.length = length;
    this.#values = values;
    this.#places = places;
  }

  /** Those that `finder` looks through, `length` of them; undefined if too many are not zero for it to pay. */
  static from(length: number, finder: NonzeroFinder): SparseDuals | undefined {
    const atOnce = finder.values.length;
    let values = like(finder.values, length >> 5);
    let places = new Uint32Array(values.length);
    let count = 0;
    for (let from = 0; from < length; from += atOnce) {
      const found = finder.find(from, Math.min(atOnce, length - from));
      if (count + found > MANY * length) return undefined;
      if (count + found > values.length) {
        const room = 2 * count + atOnce;
        values = resized(values, count, room);
        places = resized(places, count, room);
      }
      values.set(finder.values.subarray(0, found), count);
      places.set(finder.places.subarray(0, found), count);
      count += found;
    }
    return new SparseDuals(length, resized(values, count, count), resized(places, count, count));
  }

  /** Where the first of those kept stands that is at `place` or behind it. */
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

  /** Writes the dual variables from place `from` on, zeros among them, over all of `target`. */
  writeTo(target: Floats, from = 0): void {
    target.fill(0);
    const end = this.#find(from + target.length);
    for (let e = this.#find(from); e < end; e++) target[this.#places[e] - from] = this.#values[e];
  }

  /** The dual variables [from, to) as a new array. */
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
