import { CsvError, parse, type InfoRecord } from "csv-parse";
import { Readable, pipeline } from "node:stream";
import { meant } from "../errors.ts";
import type { ColumnNames, DataReader, DataRow, ReadOptions } from "./dataFile.ts";
import { count, InputError } from "./errors.ts";
import { isDecimal, isText, readCell } from "./numbers.ts";

/** A row longer than this is a quote that was never closed. */
const MAX_ROW_BYTES = 2 ** 26;

interface Column {
  /** `column "x-box"`, or `column 3` without a name. */
  readonly title: string;
  readonly name: string;
}

/** Reads CSV by RFC 4180, one row at a time. Line ends may be of any kind, empty lines are passed over. */
export function readCsv(bytes: AsyncIterable<Buffer>, delimiter: string, options: ReadOptions): DataReader {
  let features: Column[] = [];
  let label: Column | undefined;
  const tell = (columns: Column[], labels: Column | undefined): void => {
    features = columns;
    label = labels;
  };
  const names = (): ColumnNames | undefined =>
    haveNames(features) ? { features: features.map(({ name }) => name), label: label?.name || undefined } : undefined;
  return {
    rows: readRows(bytes, delimiter, options, tell),
    columnName: (feature) => features[feature].title,
    names,
  };
}

/** What the first line says. */
interface Header {
  readonly columns: Column[];
  /** The columns but that of labels. */
  readonly features: Column[];
  /** -1 if there is none. */
  readonly labelAt: number;
  /** The column of labels, if only its place says that it is. */
  readonly guessed: Column | undefined;
}

async function* readRows(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  options: ReadOptions,
  tell: (features: Column[], label: Column | undefined) => void,
): AsyncGenerator<DataRow> {
  const { name, labels } = options;
  const fail = (line: number, what: string): never => refuseLine(name, line, what);
  let header: Header | undefined;
  let rows = 0;

  for await (const { cells, line, skipped } of readRecords(bytes, delimiter, name)) {
    if (!header) {
      header = readHeader(cells, line, delimiter, options);
      tell(header.features, header.columns[header.labelAt]);
      if (options.header ?? true) continue;
    }
    const { columns, labelAt, guessed } = header;
    if (cells.length !== columns.length) {
      fail(line, `: ${count(cells.length, "cell")}, but the first line has ${columns.length}`);
    }
    // The only cell of a row may be what is missing.
    if (columns.length === 1 && skipped) fail(line - 1, ` is empty: ${readCell("")}`);
    const values: number[] = [];
    for (let j = 0; j < cells.length; j++) {
      if (j === labelAt) continue;
      const value = readCell(cells[j]);
      if (typeof value === "string") {
        const text = rows === 0 && isText(cells[j]);
        const asText = text
          ? "; a column of text is to be left out, or made columns of 0 and 1, one for each value"
          : "";
        const hint = guessed ? `; if this is the label, give --label ${flagFor(columns, j)}` : asText;
        fail(line, `, ${columns[j].title}: ${value}${hint}`);
      }
      values.push(value as number);
    }
    const label = labels === "needed" ? cells[labelAt] : undefined;
    if (label === "") fail(line, `, ${columns[labelAt].title}: the label is missing`);
    if (guessed && isFraction(cells[labelAt])) {
      const last = flagFor(columns, columns.length - 1);
      const what = `${cells[labelAt]} looks measured, not like a label; give --label COLUMN (the last is ${last})`;
      fail(line, `, ${guessed.title}: ${what}`);
    }
    rows++;
    yield { line, label, values };
  }
  if (!header) throw new InputError(`${name}: the file is empty`);
  if (rows === 0) throw new InputError(`${name}: there are no rows below the header`);
}

function refuseLine(name: string, line: number, what: string): never {
  throw new InputError(`${name} line ${line}${what}`);
}

/** Columns by the cells of the first line, refused if it is not what is expected; what is guessed is noted. */
function readHeader(cells: readonly string[], line: number, delimiter: string, options: ReadOptions): Header {
  const { name, expected, note } = options;
  const columns = cells.map((cell, j): Column => {
    const named = (options.header ?? true) && cell.trim() !== "";
    return { name: named ? cell : "", title: named ? `column ${JSON.stringify(cell)}` : `column ${j + 1}` };
  });
  const { at: labelAt, by } = findLabel(columns, line, options);
  const features = columns.filter((_, j) => j !== labelAt);
  if (options.header === undefined) {
    refuseData(features, by === "name" && !isDecimal(columns[labelAt].name), line, name);
    const last = columns[columns.length - 1];
    // Where nothing says that the first is the label, it may be the last.
    if (by === "place" && last.name && !isDecimal(last.name)) {
      refuseData(columns.slice(0, -1), false, line, name, ` --label ${columns.length}`);
    }
  }
  if (features.length === 0) {
    const marks = { ",": "commas", "\t": "tabs", ";": "semicolons" }[delimiter];
    const libsvm = "for rows of index:value give --format libsvm";
    refuseLine(name, line, `: there is no column beside the label, with ${marks} between columns; ${libsvm}`);
  }
  if (expected && features.length !== expected.features) {
    const what = `${count(features.length, "feature column")}, but ${expected.by} has ${expected.features}`;
    refuseLine(name, line, `: ${what}${difference(features, expected.names?.features)}`);
  }
  compareNames(features, options);
  const guessed = by === "place" ? columns[labelAt] : undefined;
  if (guessed) note?.(`label: ${guessed.title}, the first (--label names another)`);
  const index = features.find((column, l) => (l === 0 && column.name === "") || /^(?:id|index)$/i.test(column.name));
  if (!expected && index && haveNames(features)) {
    const nameless = index.name === "" ? "has no name and " : "";
    note?.(`${index.title} ${nameless}counts as a feature; is it an index?`);
  }
  if (by === "others") note?.(`label: ${columns[labelAt].title}, the only one that is no feature of ${expected!.by}`);
  if (labelAt < 0 && options.label !== undefined) {
    note?.("there is no such column as --label says: all of them are taken for features");
  }
  return { columns, features, labelAt, guessed };
}

interface LocatedRecord {
  readonly cells: readonly string[];
  readonly line: number;
  /** Whether there are empty lines before it. */
  readonly skipped: boolean;
}

/**
 * The records with the line on which each begins: csv-parse counts \r\n within quotes twice, so its count of lines is
 * not used.
 */
async function* readRecords(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  name: string,
): AsyncGenerator<LocatedRecord> {
  let next = 1;
  let emptyLines = 0;
  const parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    // The types speak of records with names only.
    on_record: ((cells: string[], { empty_lines }: InfoRecord): LocatedRecord => {
      const skipped = empty_lines > emptyLines;
      const line = next + empty_lines - emptyLines;
      emptyLines = empty_lines;
      next = line + 1;
      for (const cell of cells) next += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
      return { cells, line, skipped };
    }) as never,
  });
  pipeline(Readable.from(bytes), parser, () => {}); // an error of either comes out of the iteration
  try {
    yield* parser as AsyncIterable<LocatedRecord>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InputError(`${name} line ${next + parser.info.empty_lines - emptyLines}: ${explain(error)}`);
  }
}

function explain({ code, message }: CsvError): string {
  if (code === "CSV_QUOTE_NOT_CLOSED") return 'a quote (") that opens in this row is never closed';
  if (code === "CSV_MAX_RECORD_SIZE") return `the row has more than ${MAX_ROW_BYTES} bytes; is a quote (") not closed?`;
  if (code === "CSV_INVALID_CLOSING_QUOTE")
    return 'there is text after a closing quote ("); a quote within quotes is written ""';
  if (code === "INVALID_OPENING_QUOTE") return 'there is a quote (") within a cell that is not quoted';
  return message;
}

const haveNames = (columns: readonly Column[]): boolean => columns.some(({ name }) => name);

/** The first column that is missing, or that is one too many, where names tell. */
function difference(features: readonly Column[], names: readonly string[] | undefined): string {
  if (!names || !haveNames(features)) return "";
  const there = new Set(features.map(({ name }) => name));
  const missing = names.find((name) => name && !there.has(name));
  if (missing !== undefined) return `; column ${JSON.stringify(missing)} is missing`;
  const other = features.find(({ name }) => name && !names.includes(name));
  return other ? `; ${other.title} is none of them` : "";
}

/** Refuses features with the names that are expected, in another order, and tells of other names. */
function compareNames(features: readonly Column[], { name, expected, note }: ReadOptions): void {
  const names = expected?.names?.features;
  if (!names || !haveNames(features)) return;
  const at = features.findIndex((column, j) => column.name !== names[j]);
  if (at < 0) return;
  const here = features[at].title;
  const there = names[at] ? `column ${JSON.stringify(names[at])}` : "one without a name";
  const known = new Set(names);
  if (features.every((column) => known.has(column.name))) {
    const other = `the columns stand in another order than in ${expected.by}`;
    throw new InputError(`${name}: ${other}: ${here} where that has ${there}`);
  }
  note?.(`the columns have other names than in ${expected.by}, and are taken in their order: ${here} for ${there}`);
}

/** A column as `--label` takes it. */
const flagFor = (columns: readonly Column[], j: number): string => {
  const { name } = columns[j];
  return name ? JSON.stringify(name) : String(j + 1);
};

/** Measured, not counted: what a column has that nobody has said is the label. */
const isFraction = (cell: string): boolean => isDecimal(cell) && !Number.isInteger(Number(cell));

/** Where the label stands, -1 for none, and what says so: its name, its place, or that all others are expected. */
interface FoundLabel {
  readonly at: number;
  readonly by?: "name" | "place" | "others";
}

/** The rule is in the help texts. */
function findLabel(columns: readonly Column[], line: number, options: ReadOptions): FoundLabel {
  const { name, labels, label, expected } = options;
  if (label === undefined) return findLabelUnnamed(columns, line, options);
  const named = findNamed(columns, line, name, (column) => column.name === label);
  if (named) return named;
  if (/^[1-9]\d*$/.test(label) && Number(label) <= columns.length) return { at: Number(label) - 1 };
  if (labels === "ignored" && columns.length === expected!.features) return { at: -1 };
  const names = columns.map((column) => column.name).filter(Boolean);
  const counted = /^-?\d+$/.test(label) ? "; columns count from 1" : "";
  const hint = names.length > 0 ? meant(label, names) || counted : counted || "; without a header it is a number";
  throw new InputError(
    `${name} line ${line}: no column ${JSON.stringify(label)} among ${columns.length} (--label)${hint}`,
  );
}

/** Without --label. */
function findLabelUnnamed(
  columns: readonly Column[],
  line: number,
  { name: file, labels, expected }: ReadOptions,
): FoundLabel {
  const known = new Set(expected?.names?.features);
  const oneMore = columns.length === (expected?.features ?? 0) + 1;
  const others = columns.flatMap(({ name }, j) => (known.has(name) ? [] : [j]));
  const calledSo = [
    (name: string) => name === expected?.names?.label,
    (name: string) => name === "label",
    (name: string) => name.trim().toLowerCase() === "label",
  ];
  for (const isCalledSo of calledSo) {
    const named = findNamed(columns, line, file, ({ name }) => !known.has(name) && isCalledSo(name));
    if (named) return named;
  }
  if (oneMore && others.length === 1) return { at: others[0], by: "others" };
  if (labels === "needed" && known.size > 0 && others.length === 0 && columns.length === expected!.features) {
    const what = `there is no label column, all ${columns.length} are features of ${expected!.by}`;
    throw new InputError(`${file} line ${line}: ${what}`);
  }
  return labels === "needed" || oneMore ? { at: 0, by: "place" } : { at: -1 };
}

/** The only column that is called so, if there is one. */
function findNamed(
  columns: readonly Column[],
  line: number,
  file: string,
  isCalledSo: (column: Column) => boolean,
): FoundLabel | undefined {
  const [at, second] = columns.flatMap((column, j) => (isCalledSo(column) ? [j] : []));
  if (second !== undefined) {
    throw new InputError(
      `${file} line ${line}: columns ${at + 1} and ${second + 1} are both named ${JSON.stringify(columns[at].name)}; give --label a number`,
    );
  }
  return at === undefined ? undefined : { at, by: "name" };
}

/** Fewer numbers may count up by chance. */
const LEAST_COUNTED = 8;

/**
 * A first line of numbers is likely data, which would be lost; 0, 1, 2, ... and 1, 2, 3, ... are names that programs
 * give, where there are many, or the label has a name.
 */
function refuseData(features: readonly Column[], named: boolean, line: number, name: string, flags = ""): void {
  // A value may be missing, and a column without a name.
  const names = features.map((column) => column.name).filter(Boolean);
  if (names.length === 0 || !names.every(isDecimal)) return;
  const first = Number(names[0]);
  const counts = (first === 0 || first === 1) && names.every((text, j) => Number(text) === first + j);
  if (counts && (named || names.length >= LEAST_COUNTED)) return;
  throw new InputError(
    `${name} line ${line} looks like data, not like column names; give --no-header${flags}, or --header if these are names`,
  );
}
