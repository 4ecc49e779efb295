import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { DataReader, ReadOptions } from "./dataFile.ts";
import { fileError, InputError } from "./errors.ts";
import { readCsv } from "./readCsv.ts";
import { readLibsvm } from "./readLibsvm.ts";

/** What the command line says of the data files. */
export interface DataOptions extends Pick<ReadOptions, "label" | "header"> {
  readonly format?: "csv" | "libsvm";
}

/** A path as messages name it. */
export const nameOf = (path: string): string => (path === "-" ? "standard input" : path);

/** Refuses "-" for more than one of the files that are read. */
export function checkStandardInput(...paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === "-").length < 2) return;
  throw new InputError("standard input can be only one of the files");
}

/** Opens a data file, "-" for `stdin`, compressed or not, and finds out its format. */
export async function openData(
  path: string,
  stdin: AsyncIterable<Buffer>,
  { format, ...rest }: DataOptions & Omit<ReadOptions, "name">,
): Promise<DataReader> {
  const options = { ...rest, name: nameOf(path) };
  const { head, all } = await peek(
    checkUtf8(await openBytes(path, stdin), options.name),
    (bytes) => bytes.length >= 65536 || WHOLE_LINE.test(bytes.toString("latin1").replace(BOM_AS_LATIN1, "")),
  );
  const line = firstLine(head);
  if ((format ?? formatByName(path) ?? formatByLook(line)) === "csv") {
    return readCsv(all, delimiterOf(path, line), options);
  }
  for (const flag of ["label", "header"] as const) {
    if (options[flag] === undefined) continue;
    const given = flag === "label" ? "--label" : options.header ? "--header" : "--no-header";
    throw new InputError(
      `${given} goes with CSV, but ${options.name} is read as LIBSVM text, whose rows begin with the label`,
    );
  }
  return readLibsvm(all, options);
}

/** Commas, unless there are none in the first line, but tabs or semicolons. */
function delimiterOf(path: string, line: string): string {
  if (/\.tsv(\.gz)?$/i.test(path)) return "\t";
  return line.includes(",") ? "," : (["\t", ";"].find((other) => line.includes(other)) ?? ",");
}

function formatByName(path: string): "csv" | "libsvm" | undefined {
  const [, extension] = /\.(\w+)(?:\.gz)?$/i.exec(path) ?? [];
  if (/^(csv|tsv)$/i.test(extension ?? "")) return "csv";
  return /^(svm|libsvm)$/i.test(extension ?? "") ? "libsvm" : undefined;
}

/** Where characters may be cut, bytes are looked at one by one; a byte order mark, being a blank, says nothing. */
const BOM_AS_LATIN1 = /^\xef\xbb\xbf/;
/** A line that says something, with its end. */
const WHOLE_LINE = /(?:^|[\r\n])[ \t]*[^\s#][^\r\n]*[\r\n]/;
const PAIR = /^\d+:\S+$/;

function formatByLook(line: string): "csv" | "libsvm" {
  const [first = "", ...others] = line.replace(/\s#.*/, "").trim().split(/\s+/);
  return others.length > 0
    ? others.every((token) => PAIR.test(token))
      ? "libsvm"
      : "csv"
    : PAIR.test(first)
      ? "libsvm"
      : "csv";
}

/** The first line that says something, of LIBSVM text with what comes after it. */
function firstLine(head: Buffer): string {
  const lines = head.toString("utf8").split(/\r\n|\n|\r/);
  return lines.find((line) => /^\s*[^\s#]/.test(line)) ?? "";
}

/** The bytes of a file, "-" for `stdin`, decompressed if they begin as gzip does. */
export async function openBytes(path: string, stdin: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const name = nameOf(path);
  const source: AsyncIterable<Buffer> = path === "-" ? stdin : createReadStream(path);
  const { head, all } = await peek(renameErrors(source, name), (bytes) => bytes.length >= 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return all;
  const gunzip = createGunzip();
  pipeline(Readable.from(all), gunzip, () => {}); // an error of either comes out when the bytes are read
  return renameErrors(gunzip, name);
}

async function* renameErrors(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (/^Z_/.test((error as NodeJS.ErrnoException).code ?? "")) {
      throw new InputError(`${name}: the gzip data are damaged or not whole (${(error as Error).message})`);
    }
    throw fileError(name, error);
  }
}

/** Refuses what is not UTF-8, in which names of classes are told apart. */
async function* checkUtf8(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let begun: Buffer[] = []; // of the line that the last chunk ends in
  const check = (chunk?: Buffer): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      const lines = Buffer.concat(chunk ? [...begun, chunk] : begun)
        .toString("latin1")
        .split("\n");
      const bad = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1")));
      throw new InputError(
        `${name} line ${line + Math.max(bad, 0)}: not UTF-8; iconv -f ENCODING -t utf-8 converts it`,
      );
    }
  };
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst && chunk.toString("latin1", 0, 4) === "PK\x03\x04") {
      throw new InputError(`${name}: a zip archive, as spreadsheets are; save the sheet as CSV, or unpack it`);
    }
    if (isFirst && chunk.subarray(0, 64).includes(0)) {
      throw new InputError(`${name}: not text; if it is UTF-16, iconv -f UTF-16 -t utf-8 converts it`);
    }
    isFirst = false;
    check(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) line++;
    const last = chunk.lastIndexOf(10);
    if (last >= 0) begun = [];
    begun.push(chunk.subarray(last + 1));
    yield chunk;
  }
  check();
}

/** Reads until `enough`, and gives back what was read together with an iterable over everything. */
async function peek(
  bytes: AsyncIterable<Buffer>,
  enough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (!enough(head)) {
    const { done, value } = await iterator.next();
    if (done) break;
    head = Buffer.concat([head, value as Buffer]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head, all: all() };
}
