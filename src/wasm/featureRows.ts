import { entriesOf, type FeatureRow, type RawBlock, type RowBlock } from "../arrays/sparseRow.ts";

type Floats = Float32Array | Float64Array;

/** The nonzeros of a row, in ascending columns. */
export interface Entries<floats extends Floats> {
  readonly indices: Uint32Array;
  readonly values: floats;
}

/**
 * Appends those of values[from ... to) that are not zero, and their columns, from place `end` on; returns where they
 * end now. Without branches, which could not be foreseen: what is written for a zero is written over by what comes
 * next. And alone: inside of a loop over rows V8 makes it half as fast.
 */
function appendNonzeros(
  values: ArrayLike<number>,
  indices: ArrayLike<number> | undefined,
  from: number,
  to: number,
  numbers: Floats,
  columns: Uint32Array,
  end: number,
): number {
  for (let p = from; p < to; p++) {
    const value = values[p];
    columns[end] = indices ? indices[p] : p - from;
    numbers[end] = value;
    end += Number(value !== 0);
  }
  return end;
}

/** Rows of features in memory, dense with `stride` numbers from one row to the next, or sparse. */
export class FeatureRows<floats extends Floats> {
  readonly #values: floats;
  readonly #columns: number;
  readonly #stride: number;
  readonly #indices: Uint32Array;
  readonly #indptr: Uint32Array;

  constructor(values: floats, columns: number, stride: number, indices: Uint32Array, indptr: Uint32Array) {
    this.#values = values;
    this.#columns = columns;
    this.#stride = stride;
    this.#indices = indices;
    this.#indptr = indptr;
  }

  get sparse(): boolean {
    return this.#indptr.length > 0;
  }

  /** Where the numbers of row i begin. */
  #startOf(i: number): number {
    return this.sparse ? this.#indptr[i] : i * this.#stride;
  }

  /** Row i of dense features, to be written or read; the padding behind it stays zero. */
  dense(i: number): floats {
    const start = this.#startOf(i);
    return this.#values.subarray(start, start + this.#columns) as floats;
  }

  /** Row i of sparse features. */
  entries(i: number): Entries<floats> {
    const start = this.#startOf(i);
    const end = this.#startOf(i + 1);
    return { indices: this.#indices.subarray(start, end), values: this.#values.subarray(start, end) as floats };
  }

  /**
   * Whether rows up to `end`, sparse ones, have had more nonzeros than there is room for: what was too much is counted,
   * and not there.
   */
  overflows(end: number): boolean {
    return this.sparse && this.#indptr[end] > this.#values.length;
  }

  /**
   * Writes row i, of sparse features what is not zero, rows coming in order; behind it the constant feature where there
   * is one, and where `rounds` in numbers of float32.
   */
  store(i: number, row: FeatureRow, constant?: number, rounds = false): void {
    const { indices, values } = entriesOf(row);
    this.storeBlock(i, 1, { values, indices, indptr: indices && [0, values.length] }, constant, rounds);
  }

  /**
   * Puts sparse rows from row `first` on as they came, `gap` places behind the end of the row before; what is left to
   * do does assembly/data/loading.ts.
   */
  putRaw(first: number, { values, indices, indptr }: RawBlock, gap: number): void {
    const start = this.#startOf(first) + gap;
    this.#values.set(values, start);
    this.#indices.set(indices, start);
    this.#indptr.set(indptr.subarray(1), first + 1);
  }

  /**
   * Puts `count` dense rows from row `first` on, one after the other, to the end of where they are to be; the rest does
   * loading.ts, too.
   */
  putDense(first: number, count: number, values: ArrayLike<number>): void {
    this.#values.set(values, this.#startOf(first + count) - values.length);
  }

  /** Of sparse features, once all are stored. */
  get nonzeros(): number | undefined {
    return this.sparse ? this.#indptr[this.#indptr.length - 1] : undefined;
  }

  /** Writes `count` rows from row `first` on likewise. */
  storeBlock(first: number, count: number, block: RowBlock, constant?: number, rounds = false): void {
    const { values, indices, indptr } = block;
    const width = values.length / count;
    const numbers = this.#values;
    const columns = this.#indices;
    const stride = this.#stride;
    const sparse = this.sparse;
    const start = this.#startOf(first);
    let end = start;
    for (let i = 0; i < count; i++) {
      const from = indptr ? indptr[i] - indptr[0] : i * width;
      const to = indptr ? indptr[i + 1] - indptr[0] : from + width;
      if (!sparse) {
        end = start + i * stride;
        if (indices) for (let p = from; p < to; p++) numbers[end + indices[p]] = values[p];
        else numbers.set(count === 1 ? values : (values as Floats).subarray(from, to), end);
        end += this.#columns;
        if (constant !== undefined) numbers[end - 1] = constant;
        continue;
      }
      end = appendNonzeros(values, indices, from, to, numbers, columns, end);
      if (constant !== undefined) {
        columns[end] = this.#columns - 1;
        numbers[end++] = constant;
      }
      this.#indptr[first + i + 1] = end;
    }
    if (rounds) for (let p = start; p < end; p++) numbers[p] = Math.fround(numbers[p]);
  }
}
