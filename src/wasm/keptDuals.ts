import { like } from "../like.ts";

type Floats = Float32Array | Float64Array;

/** The same numbers, with room for `length` of them. */
function grown<array extends Floats | Uint32Array>(array: array, length: number): array {
  const room = like(array, length);
  room.set(array);
  return room;
}

/** Finds dual variables that are not zero, as many at once as there is room for. */
export interface NonzeroFinder {
  /** Of the dual variables [from, from + count), count being at most the length of `values`: how many are not zero. Which, say `values` and `places` from then on. */
  find(from: number, count: number): number;
  readonly values: Floats;
  readonly places: Uint32Array;
}

/**
 * Dual variables put aside. Of a loss whose dual variables are sparse those that are not zero, with their places: a copy of all would be as
 * large as everything else that a fit with many classes holds.
 */
export class KeptDuals {
  readonly #finder: NonzeroFinder | undefined;
  /** All of them, ... */
  #all: Floats | undefined;
  /** ... or the first `count` of these, at these places. */
  #values: Floats | undefined;
  #places = new Uint32Array(0);
  #count = 0;

  /** @param finder of a loss whose dual variables are sparse. */
  constructor(finder: NonzeroFinder | undefined) {
    this.#finder = finder;
  }

  get empty(): boolean {
    return !this.#all && !this.#values;
  }

  /** Keeps these in the place of those kept before. */
  keep(duals: Floats): void {
    if (this.#finder && this.#keepNonzeros(duals, this.#finder)) {
      this.#all = undefined;
      return;
    }
    this.#values = undefined;
    if (this.#all) this.#all.set(duals);
    else this.#all = duals.slice();
  }

  /** Whether there were few enough for it to pay. */
  #keepNonzeros(duals: Floats, finder: NonzeroFinder): boolean {
    const atOnce = finder.places.length;
    let values = this.#values ?? like(duals, duals.length >> 5);
    let places = this.#values ? this.#places : new Uint32Array(values.length);
    let count = 0;
    for (let from = 0; from < duals.length; from += atOnce) {
      const found = finder.find(from, Math.min(atOnce, duals.length - from));
      if (count + found > places.length) {
        if (count > duals.length >> 3) return false;
        values = grown(values, 2 * count + atOnce);
        places = grown(places, 2 * count + atOnce);
      }
      values.set(finder.values.subarray(0, found), count);
      places.set(finder.places.subarray(0, found), count);
      count += found;
    }
    this.#values = values;
    this.#places = places;
    this.#count = count;
    return true;
  }

  /** Writes those kept to `duals`. */
  restore(duals: Floats): void {
    if (this.#all) {
      duals.set(this.#all);
      return;
    }
    duals.fill(0);
    for (let e = 0; e < this.#count; e++) duals[this.#places[e]] = this.#values![e];
  }
}
