import { entriesOf, type FeatureRow } from "../sparseRow.ts";

type Floats = Float32Array | Float64Array;

/** The nonzeros of a row, in ascending columns. */
export interface Entries<floats extends Floats> {
  readonly indices: Uint32Array;
  readonly values: floats;
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

  /** The same, and how many are stored. */
  extent(i: number): { start: number; count: number } {
    const start = this.#startOf(i);
    return { start, count: this.sparse ? this.#indptr[i + 1] - start : this.#stride };
  }

  /** Row i of dense features, to be written or read; the padding behind it stays zero. */
  dense(i: number): floats {
    const start = this.#startOf(i);
    return this.#values.subarray(start, start + this.#columns) as floats;
  }

  /** Row i of sparse features. */
  entries(i: number): Entries<floats> {
    const { start, count } = this.extent(i);
    const end = start + count;
    return { indices: this.#indices.subarray(start, end), values: this.#values.subarray(start, end) as floats };
  }

  /**
   * Writes row i, of sparse features what is not zero, rows coming in order; behind it the constant feature where there is one, and
   * where `rounds` in numbers of float32.
   */
  store(i: number, row: FeatureRow, constant?: number, rounds = false): void {
    const { indices, values } = entriesOf(row);
    const numbers = this.#values;
    const columns = this.#indices;
    const start = this.#startOf(i);
    let end = start;
    if (this.sparse) {
      // Without branches, which could not be foreseen: what is written for a zero is written over by what comes next.
      for (let p = 0; p < values.length; p++) {
        const value = values[p];
        columns[end] = indices ? indices[p] : p;
        numbers[end] = value;
        end += Number(value !== 0);
      }
      if (constant !== undefined) {
        columns[end] = this.#columns - 1;
        numbers[end++] = constant;
      }
      this.#indptr[i + 1] = end;
    } else {
      end += this.#columns;
      if (indices) for (let p = 0; p < values.length; p++) numbers[start + indices[p]] = values[p];
      else numbers.set(values, start);
      if (constant !== undefined) numbers[end - 1] = constant;
    }
    if (rounds) for (let p = start; p < end; p++) numbers[p] = Math.fround(numbers[p]);
  }
}
