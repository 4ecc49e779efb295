import type { DataReader, DataRow, ReadOptions } from "./dataFile.ts";
import { InputError } from "./errors.ts";
import { readCell } from "./numbers.ts";

/** What an Int32Array of columns can hold. */
const MAX_INDEX = 2 ** 31;

/**
 * Reads LIBSVM text, one row at a time: `label index:value ...`, indices from 1 and increasing, `#` begins a comment.
 */
export function readLibsvm(bytes: AsyncIterable<Buffer>, options: ReadOptions): DataReader {
  return { rows: readRows(bytes, options), columnName: (feature) => `index ${feature + 1}`, names: () => undefined };
}

async function* readRows(
  bytes: AsyncIterable<Buffer>,
  { name, labels, expected }: ReadOptions,
): AsyncGenerator<DataRow> {
  let line = 0;
  let rows = 0;
  let empty: number | undefined; // the first empty line
  for await (const text of readLines(bytes)) {
    line++;
    const place = `${name} line ${line}`;
    const tokens = text
      .replace(/(^|\s)#[^]*/, "")
      .split(/\s+/)
      .filter(Boolean);
    if (tokens.length === 0) {
      if (text.trim() === "") empty ??= line;
      continue;
    }
    const label = tokens[0].includes(":") ? undefined : withoutPlus(tokens.shift()!);
    if (label === undefined && empty !== undefined) {
      throw new InputError(
        `${name} line ${empty}: an empty line, which among rows without labels may be a row; write one of zeros as 1:0`,
      );
    }
    if (labels === "needed" && label === undefined) throw new InputError(`${place}: the label is missing`);
    if (labels === "needed" && label!.includes(",")) {
      throw new InputError(
        `${place}: ${JSON.stringify(label)} are several labels; this command takes one for each row`,
      );
    }
    const values: number[] = [];
    const indices: number[] = [];
    let last = 0;
    for (const token of tokens) {
      const [, digits, cell] = /^(\d+):(.*)$/.exec(token) ?? [];
      if (digits === undefined) throw new InputError(`${place}: ${JSON.stringify(token)} is not index:value`);
      const index = Number(digits);
      if (index === 0) throw new InputError(`${place}: index 0; indices begin at 1`);
      if (index <= last) throw new InputError(`${place}: index ${index} after ${last}; indices must increase`);
      if (expected && index > expected.features) {
        throw new InputError(`${place}: index ${index}, but ${expected.by} has ${expected.features} features`);
      }
      if (index > MAX_INDEX) throw new InputError(`${place}: index ${digits}; the largest possible is ${MAX_INDEX}`);
      const value = readCell(cell);
      if (typeof value === "string") throw new InputError(`${place}, index ${index}: ${value}`);
      values.push(value);
      indices.push(index - 1);
      last = index;
    }
    rows++;
    yield { line, label, values, indices };
  }
  if (rows === 0) throw new InputError(`${name}: the file is empty`);
}

/** LIBSVM's own data say +1 and -1, others 1. */
const withoutPlus = (label: string): string => label.replace(/^\+(?=\d+$)/, "");

async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = []; // of a line, which may be long
  for await (const chunk of bytes) {
    const [end, ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    rest.push(end);
    if (lines.length === 0) continue;
    yield rest.join("");
    rest = [lines.pop()!];
    yield* lines;
  }
  const last = rest.join("") + decoder.decode();
  if (last !== "") yield last;
}
