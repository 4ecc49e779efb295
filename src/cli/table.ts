import type { CsrMatrix, DenseMatrix, Label } from "../index.ts";
import type { DataReader, DataRow } from "./dataFile.ts";
import { Numbers, readInteger } from "./numbers.ts";

/** Rows of a data file as `fit` and the model take them. */
export interface Table {
  /** Of a LIBSVM file sparse, of a CSV file dense. */
  readonly features: DenseMatrix | CsrMatrix;
  /** As text; empty where the file has none. */
  readonly labels: readonly string[];
  /** Line on which each row begins. */
  readonly lines: readonly number[];
}

class TableBuilder {
  readonly #values = new Numbers(Float64Array);
  /** Of sparse rows: column of each value, and where each row begins. */
  readonly #columns = new Numbers(Int32Array);
  readonly #starts: number[] = [];
  #sparse = false;
  readonly #lines: number[] = [];
  readonly #labels: string[] = [];
  /** One copy of each distinct label: a text cut out of a file holds on to the piece of file around it. */
  readonly #distinct = new Map<string, string>();
  #cols = 0;

  add({ line, label = "", values, indices }: DataRow): void {
    this.#starts.push(this.#values.length);
    this.#values.push(values);
    this.#sparse = indices !== undefined;
    if (indices) this.#columns.push(indices);
    this.#cols = Math.max(this.#cols, indices ? (indices.at(-1) ?? -1) + 1 : values.length);
    this.#lines.push(line);
    let known = this.#distinct.get(label);
    if (known === undefined) this.#distinct.set(label, (known = label));
    this.#labels.push(known);
  }

  get rows(): number {
    return this.#lines.length;
  }

  /** Everything added so far, with as many columns as there are, or `cols`. */
  build(cols = Math.max(this.#cols, 1)): Table {
    const { rows } = this;
    const dense = { data: this.#values.view, rows, cols };
    const indptr = Int32Array.from([...this.#starts, this.#values.length]);
    const features = this.#sparse ? { ...dense, indices: this.#columns.view, indptr } : dense;
    return { features, labels: this.#labels, lines: this.#lines };
  }
}

/** A dense matrix of sparse rows, with the zeros that these leave out. */
export function writtenOut({ data, indices, indptr, rows, cols }: CsrMatrix): DenseMatrix {
  const all = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let p = indptr[i]; p < indptr[i + 1]; p++) all[i * cols + indices[p]] = data[p];
  }
  return { data: all, rows, cols };
}

/** All rows of a file. */
export async function readTable({ rows }: DataReader, cols?: number): Promise<Table> {
  const builder = new TableBuilder();
  for await (const row of rows) builder.add(row);
  return builder.build(cols);
}

/** So many rows are in memory at a time where they can be worked on in turn. */
const BATCH_ROWS = 1024;

/** The rows of a file, a thousand at a time. */
export async function* readBatches({ rows }: DataReader, cols: number): AsyncGenerator<Table> {
  let builder = new TableBuilder();
  for await (const row of rows) {
    builder.add(row);
    if (builder.rows < BATCH_ROWS) continue;
    yield builder.build(cols);
    builder = new TableBuilder();
  }
  if (builder.rows > 0) yield builder.build(cols);
}

/** Integers if every label is one in canonical form, else strings. */
export function typedLabels(labels: readonly string[]): Label[] {
  const integers: number[] = [];
  for (const label of labels) {
    const value = readInteger(label);
    if (value === undefined) return [...labels];
    integers.push(value);
  }
  return integers;
}
