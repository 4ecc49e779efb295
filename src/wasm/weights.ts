import { roundUp } from "./arena.ts";
import { CLASSES_AT_ONCE, type Kernels } from "./kernels.ts";
import type { Layout, Shape } from "./layout.ts";

type Floats = Float32Array | Float64Array;

/**
 * The weights of a resident problem, m x numFeatures: how they come in and out. With a kernel they are the scores of
 * the examples.
 */
export class ResidentWeights {
  readonly #shape: Shape;
  readonly #tile: number;
  readonly #ld: number;
  readonly #W: Floats;
  readonly #W64: Float64Array;
  readonly #W0: Float64Array;
  #anchorNorm2 = 0;
  readonly #pack: () => void;
  /** Where W64 lies, which is scratch between evaluations. */
  readonly scratch: Floats;

  constructor(
    shape: Shape,
    { at, sizeW, ld, tile }: Layout,
    kernels: Kernels,
    buffer: ArrayBuffer,
    Floats: Float32ArrayConstructor | Float64ArrayConstructor,
  ) {
    this.#shape = shape;
    this.#tile = tile;
    this.#ld = ld;
    this.#W = new (shape.kernel ? Float64Array : Floats)(buffer, at.W, sizeW);
    this.#W64 = new Float64Array(buffer, at.W64, sizeW);
    this.scratch = new Floats(buffer, at.W64, sizeW);
    this.#W0 = new Float64Array(buffer, at.W0, shape.anchored ? sizeW : 0);
    this.#pack = () => kernels.packWeights(at.problem, shape.numFeatures);
  }

  /** Where the weight of class j and feature 0 is, and how far it is from there to the next feature's. */
  #placeOf(j: number): { start: number; stride: number } {
    const { numFeatures: d, numClasses: m, nonzeros } = this.#shape;
    if (nonzeros === undefined) return { start: j * this.#ld, stride: 1 };
    const first = j - (j % this.#tile);
    return { start: first * d + (j - first), stride: Math.min(this.#tile, roundUp(m, CLASSES_AT_ONCE) - first) };
  }

  /** Sets those of class j, numFeatures values, for a descent; the dual variables then have nothing to do with them. */
  setRow(j: number, values: ArrayLike<number>): void {
    this.writeRow(this.#W, j, values);
  }

  /** Sets row j of the proximal centre likewise, once. Call `startAtAnchor` after the last. */
  setAnchorRow(j: number, values: ArrayLike<number>): void {
    this.writeRow(this.#W0, j, values);
    for (let l = 0; l < values.length; l++) this.#anchorNorm2 += values[l] * values[l];
  }

  /** The norm of the proximal centre, 0 where there is none. */
  get anchorNorm(): number {
    return Math.sqrt(this.#anchorNorm2);
  }

  /** Row j of what lies as the weights do: numFeatures values. */
  readRow(source: Floats, j: number): Float64Array {
    const { start, stride } = this.#placeOf(j);
    // Not Float64Array.from, which takes two to eight times as long.
    const row = new Float64Array(this.#shape.numFeatures);
    for (let l = 0; l < row.length; l++) row[l] = source[start + l * stride];
    return row;
  }

  writeRow(target: Floats, j: number, values: ArrayLike<number>): void {
    const { start, stride } = this.#placeOf(j);
    for (let l = 0; l < values.length; l++) target[start + l * stride] = values[l];
  }

  /** W = W0, the weights of A = 0. */
  startAtAnchor(): void {
    this.#W.set(this.#W0);
  }

  /** A copy without padding, row by row. */
  copy(): Floats {
    const { numClasses: m, numFeatures: d } = this.#shape;
    this.#pack();
    return this.scratch.slice(0, m * d);
  }

  /** A copy as they lie in memory. */
  take(): Float64Array {
    return new Float64Array(this.#W);
  }

  /** W0, zero without an anchor, as it lies. */
  takeAnchor(): Float64Array {
    return this.#W0.length > 0 ? new Float64Array(this.#W0) : new Float64Array(this.#W.length);
  }

  /** Puts weights that lie as `take` gives them. */
  put(weights: Float64Array): void {
    this.#W.set(weights);
  }

  /** What kernels have added up where W64 is: it lies as the weights do. */
  takeSums(): Float64Array {
    return this.#W64.slice();
  }

  /** Row j of that. */
  takeRowOfSums(j: number): Float64Array {
    return this.readRow(this.#W64, j);
  }
}
