import { like } from "../like.ts";

type Floats = Float32Array | Float64Array;

/** The same numbers, with room for `length` of them. */
function grown<array extends Floats | Uint32Array>(array: array, length: number): array {
  const room = like(array, length);
  room.set(array);
  return room;
}

/**
 * Dual variables put aside. Of a loss whose dual variables are sparse those that are not zero, with their places: a copy of all would be as
 * large as everything else that a fit with many classes holds.
 */
export class KeptDuals {
  readonly #sparse: boolean;
  /** All of them, ... */
  #all: Floats | undefined;
  /** ... or the first `count` of these, at these places. */
  #values: Floats | undefined;
  #places = new Uint32Array(0);
  #count = 0;

  constructor(sparse: boolean) {
    this.#sparse = sparse;
  }

  get empty(): boolean {
    return !this.#all && !this.#values;
  }

  /** Keeps these in the place of those kept before. */
  keep(duals: Floats): void {
    if (this.#sparse && this.#keepNonzeros(duals)) {
      this.#all = undefined;
      return;
    }
    this.#values = undefined;
    if (this.#all) this.#all.set(duals);
    else this.#all = duals.slice();
  }

  /** Whether there were few enough for it to pay. */
  #keepNonzeros(duals: Floats): boolean {
    let values = this.#values ?? like(duals, duals.length >> 5);
    let places = this.#values ? this.#places : new Uint32Array(values.length);
    let count = 0;
    for (let p = 0; p < duals.length; p++) {
      if (duals[p] === 0) continue;
      if (count === places.length) {
        if (count > duals.length >> 3) return false;
        values = grown(values, 2 * count + 16);
        places = grown(places, 2 * count + 16);
      }
      places[count] = p;
      values[count++] = duals[p];
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
