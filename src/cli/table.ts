import type { DenseMatrix, Label } from "../index.ts";
import type { DataReader, DataRow } from "./dataFile.ts";
import { Numbers, readInteger } from "./numbers.ts";

/** Rows of a data file as `fit` and the model take them. */
export interface Table {
  readonly features: DenseMatrix;
  /** As text; empty where the file has none. */
  readonly labels: readonly string[];
  /** Line on which each row begins. */
  readonly lines: readonly number[];
}

class TableBuilder {
  readonly #values = new Numbers();
  /** Of sparse rows: column of each value, and where each row begins. */
  readonly #columns = new Numbers();
  readonly #starts: number[] = [];
  readonly #lines: number[] = [];
  readonly #labels: string[] = [];
  /** One copy of each distinct label: a text cut out of a file holds on to the piece of file around it. */
  readonly #distinct = new Map<string, string>();
  #cols = 0;

  add({ line, label = "", values, indices }: DataRow): void {
    this.#starts.push(this.#values.length);
    this.#values.push(values);
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
    const values = this.#values.view;
    let data = values;
    if (values.length !== rows * cols || this.#columns.length > 0) {
      data = new Float64Array(rows * cols);
      const columns = this.#columns.view;
      for (let i = 0; i < rows; i++) {
        const end = this.#starts[i + 1] ?? values.length;
        for (let p = this.#starts[i]; p < end; p++) data[i * cols + columns[p]] = values[p];
      }
    }
    return { features: { data, rows, cols }, labels: this.#labels, lines: this.#lines };
  }
}

/** All rows of a file, dense. */
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
