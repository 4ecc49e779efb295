import { like } from "../arrays/like.ts";
import {
  findNonzeros,
  hasPlaces,
  writeDuals,
  type NonzeroFinder,
  type SparseDuals,
  type StoredDuals,
} from "../arrays/sparseDuals.ts";
import { copyInto, STEP, type Steps } from "../pace/steps.ts";
import type { Kernels } from "./kernels.ts";
import type { Layout } from "./layout.ts";

type Floats = Float32Array | Float64Array;

/** Dual variables of fewer bytes are quick to copy. */
const MANY_BYTES = 2 ** 24;

/** Exchanges two arrays of a length, with next to no memory. */
function* exchange(one: Floats, other: Floats): Steps<void> {
  const part = like(one, Math.min(one.length, STEP));
  for (let from = 0; from < one.length; from += STEP) {
    yield;
    const [a, b] = [one, other].map((array) => array.subarray(from, from + STEP));
    part.set(a);
    a.set(b);
    b.set(part.subarray(0, a.length));
  }
}

/**
 * The dual variables of a resident problem, n x m, or none of a loss that has no dual: how they come in and out, in
 * steps where all of them do.
 */
export class ResidentDuals {
  readonly #A: Floats;
  /** Those of before, or nothing. */
  readonly #B: Floats;
  /** Of a loss whose dual variables are sparse; then lists may hold them, and A is not all there is. */
  readonly #finder: NonzeroFinder | undefined;
  readonly #listed: Int32Array;
  readonly #norm2: Float64Array;
  readonly #numExamples: number;
  readonly #numClasses: number;
  readonly #copyRows: (first: number, count: number) => void;
  readonly #remember: (first: number, count: number) => void;
  #kept: StoredDuals | undefined;
  #remembered = false;

  constructor(
    { at, extra, readAtOnce }: Layout,
    kernels: Kernels,
    buffer: ArrayBuffer,
    n: number,
    m: number,
    Floats: Float32ArrayConstructor | Float64ArrayConstructor,
  ) {
    this.#A = new Floats(buffer, at.A, at.A > 0 ? n * m : 0);
    this.#B = new Floats(buffer, at.B, at.B > 0 ? n * m : 0);
    this.#listed = new Int32Array(buffer, at.listed, n);
    this.#norm2 = new Float64Array(buffer, at.norm2, n);
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

  /** A copy of them as they are stored; or to `all`, which has room for them. */
  *copied(all = like(this.#A, this.#A.length)): Steps<Floats> {
    const m = this.#numClasses;
    if (this.#finder) yield* this.#read((values, first) => all.set(values, first * m));
    else yield* copyInto(this.#A, all);
    return all;
  }

  /** Tells `take` all of them, some rows at a time from the first on, wherever they are held. */
  *#read(take: (values: Floats, first: number) => void): Steps<void> {
    const m = this.#numClasses;
    const atOnce = this.#finder ? this.#finder.values.length / m : this.#rowsAtOnce;
    for (let first = 0; first < this.#numExamples; first += atOnce) {
      yield;
      const count = Math.min(atOnce, this.#numExamples - first);
      if (this.#finder) this.#copyRows(first, count);
      take(
        this.#finder ? this.#finder.values.subarray(0, count * m) : this.#A.subarray(first * m, (first + count) * m),
        first,
      );
    }
  }

  /**
   * Adds C_i p (1 - p), p = |a|/C_i, of the rows [from, from + count), which no lists hold, to those of each class. As
   * 0 where p > 1, as it can be with a class weight.
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

  /** The sum of |a_ij| of each class, or that of |a_ij| ||x_i||. */
  *masses(of: "duals" | "summands" = "duals"): Steps<Float64Array> {
    const m = this.#numClasses;
    const masses = new Float64Array(m);
    yield* this.#read((values, first) => {
      for (let i = first, e = 0; e < values.length; i++) {
        const norm = of === "duals" ? 1 : Math.sqrt(this.#norm2[i]);
        for (let j = 0; j < m; j++) masses[j] += norm * Math.abs(values[e++]);
      }
    });
    return masses;
  }

  /** Multiplies them. They may have to be projected; W is stale until the next certificate. */
  *multiply(factor: number): Steps<void> {
    const m = this.#numClasses;
    yield* this.#read((values, first) => {
      const target = this.#A.subarray(first * m, first * m + values.length);
      for (let e = 0; e < target.length; e++) target[e] = factor * values[e];
      this.#listed.fill(0, first, first + values.length / m);
    });
  }

  /** Puts back what `copied` gave, or a part of it, from row `from` on. W is stale until the next certificate. */
  restore(source: Floats, from = 0): void {
    const m = this.#numClasses;
    this.#A.set(source, from * m);
    this.#listed.fill(0, from, from + source.length / m);
  }

  /** So many make a step of numbers. */
  get #rowsAtOnce(): number {
    return Math.ceil(STEP / this.#numClasses);
  }

  /** Those that are not zero, if it pays to tell them apart. */
  *#sparse(): Steps<SparseDuals | undefined> {
    return this.#finder && (yield* findNonzeros(this.#numExamples, this.#finder));
  }

  /** Keeps them as they are, in the place of those kept before, for `exchangeKept`. */
  *keep(): Steps<void> {
    const room = this.#kept && !hasPlaces(this.#kept) ? this.#kept : undefined;
    this.#kept = (yield* this.#sparse()) ?? (yield* this.copied(room));
  }

  /** Puts back those kept, and keeps those of the moment in their place. W is stale until the next certificate. */
  *exchangeKept(): Steps<void> {
    const kept = this.#kept!;
    if (hasPlaces(kept) || this.#finder) {
      this.#kept = (yield* this.#sparse()) ?? (yield* this.copied());
      yield* this.#write(kept);
    } else yield* exchange(kept, this.#A);
    this.#listed.fill(0);
  }

  /** Those kept, which are not to be used here any more. */
  get kept(): StoredDuals | undefined {
    return this.#kept;
  }

  /** Puts others in their place. W is stale until the next certificate. */
  *put(duals: StoredDuals): Steps<void> {
    yield* this.#write(duals);
    this.#listed.fill(0);
  }

  *#write(duals: StoredDuals): Steps<void> {
    const atOnce = this.#rowsAtOnce * this.#numClasses;
    for (let from = 0; from < this.#A.length; from += atOnce) {
      yield;
      writeDuals(duals, this.#A.subarray(from, from + atOnce), from);
    }
  }

  /**
   * All of them, once the problem is not needed any more: those that are not zero, if they are few; or, as they lie in
   * its memory, if they are many and most of what it holds; or a copy.
   */
  *take(): Steps<StoredDuals> {
    const sparse = yield* this.#sparse();
    if (sparse) return sparse;
    if (this.#finder) return yield* this.copied();
    const { buffer, byteLength } = this.#A;
    const untouched = this.#remembered ? 0 : this.#B.byteLength; // takes no memory
    const rest = buffer.byteLength - byteLength - untouched;
    return byteLength >= MANY_BYTES && rest <= byteLength ? this.#A : yield* this.copied();
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
