import { like } from "../like.ts";
import { STEP } from "../steps.ts";
import {
  findNonzeros,
  hasPlaces,
  writeDuals,
  type NonzeroFinder,
  type SparseDuals,
  type StoredDuals,
} from "../sparseDuals.ts";
import type { PrecisionKernels } from "./kernels.ts";
import type { Layout } from "./layout.ts";

type Floats = Float32Array | Float64Array;

/** Dual variables of fewer bytes are quick to copy. */
const MANY_BYTES = 2 ** 24;

/** Exchanges two arrays of a length, with next to no memory. */
function exchange(one: Floats, other: Floats): void {
  const part = like(one, Math.min(one.length, STEP));
  for (let from = 0; from < one.length; from += STEP) {
    const [a, b] = [one, other].map((array) => array.subarray(from, from + STEP));
    part.set(a);
    a.set(b);
    b.set(part.subarray(0, a.length));
  }
}

/** The dual variables of a resident problem, n x m: how they come in and out. */
export class ResidentDuals {
  readonly #A: Floats;
  /** Those of before, or nothing. */
  readonly #B: Floats;
  /** Of a loss whose dual variables are sparse; then lists may hold them, and A is not all there is. */
  readonly #finder: NonzeroFinder | undefined;
  readonly #listed: Int32Array;
  readonly #numExamples: number;
  readonly #numClasses: number;
  readonly #copyRows: (first: number, count: number) => void;
  readonly #remember: (first: number, count: number) => void;
  #kept: StoredDuals | undefined;
  #remembered = false;

  constructor(
    { at, extra, readAtOnce }: Layout,
    kernels: PrecisionKernels,
    buffer: ArrayBuffer,
    n: number,
    m: number,
    Floats: Float32ArrayConstructor | Float64ArrayConstructor,
  ) {
    this.#A = new Floats(buffer, at.A, n * m);
    this.#B = new Floats(buffer, at.B, at.B > 0 ? n * m : 0);
    this.#listed = new Int32Array(buffer, at.listed, n);
    this.#numExamples = n;
    this.#numClasses = m;
    this.#copyRows = (first, count) => kernels.copyDuals(at.problem, first, count, at.read);
    this.#remember = (first, count) => kernels.remember(at.problem, first, count);
    if (extra > 0) {
      this.#finder = {
        numClasses: m,
        find: (first, count) => kernels.nonzeroDuals(at.problem, first, count, at.places, at.read),
        values: new Floats(buffer, at.read, readAtOnce * m),
        places: new Uint32Array(buffer, at.places, readAtOnce * m),
      };
    }
  }

  /** A copy of them as stored. */
  copy(all = like(this.#A, this.#A.length)): Floats {
    if (!this.#finder) {
      all.set(this.#A);
      return all;
    }
    const m = this.#numClasses;
    const { values } = this.#finder;
    const atOnce = values.length / m;
    for (let first = 0; first < this.#numExamples; first += atOnce) {
      const count = Math.min(atOnce, this.#numExamples - first);
      this.#copyRows(first, count);
      all.set(values.subarray(0, count * m), first * m);
    }
    return all;
  }

  /**
   * Adds C_i p (1 - p), p = |a|/C_i, of the rows [from, from + count), which no lists hold, to those of each class. As 0 where p > 1, as it
   * can be with a class weight.
   */
  addVariances(from: number, count: number, C: Float64Array, variances: Float64Array): void {
    const m = this.#numClasses;
    for (let i = from; i < from + count; i++) {
      if (C[i] === 0) continue;
      for (let j = 0; j < m; j++) {
        const a = Math.abs(this.#A[i * m + j]);
        variances[j] += a * Math.max(1 - a / C[i], 0);
      }
    }
  }

  /** Puts back what `copy` gave, or a part of it, from row `from` on. W is stale until the next certificate. */
  restore(source: Floats, from = 0): void {
    const m = this.#numClasses;
    this.#A.set(source, from * m);
    this.#listed.fill(0, from, from + source.length / m);
  }

  /** Those that are not zero, if it pays to tell them apart. */
  #sparse(): SparseDuals | undefined {
    return this.#finder && findNonzeros(this.#numExamples, this.#finder);
  }

  /** Keeps them as they are, in the place of those kept before, for `exchangeKept`. */
  keep(): void {
    this.#kept = this.#sparse() ?? this.copy(this.#kept && !hasPlaces(this.#kept) ? this.#kept : undefined);
  }

  /** Puts back those kept, and keeps those of the moment in their place. W is stale until the next certificate. */
  exchangeKept(): void {
    const kept = this.#kept!;
    if (hasPlaces(kept) || this.#finder) {
      this.#kept = this.#sparse() ?? this.copy();
      writeDuals(kept, this.#A);
    } else exchange(kept, this.#A);
    this.#listed.fill(0);
  }

  /**
   * All of them, once the problem is not needed any more: those that are not zero, if they are few; or, as they lie in its memory, if
   * they are many and most of what it holds; or a copy.
   */
  take(): StoredDuals {
    const sparse = this.#sparse();
    if (sparse) return sparse;
    if (this.#finder) return this.copy();
    const { buffer, byteLength } = this.#A;
    const untouched = this.#remembered ? 0 : this.#B.byteLength; // takes no memory
    const rest = buffer.byteLength - byteLength - untouched;
    return byteLength >= MANY_BYTES && rest <= byteLength ? this.#A : this.copy();
  }

  /** Whether there is room for those of before, which `ResidentProblem.extrapolate` needs. */
  get remembers(): boolean {
    return this.#B.length > 0;
  }

  /** Takes note of those of some examples as they are, for `ResidentProblem.extrapolate`. */
  remember(first: number, count: number): void {
    this.#remembered = true;
    this.#remember(first, count);
  }
}
