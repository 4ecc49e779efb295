/**
 * Saved models, format 1: a header, plain JSON data, and a body, the bytes of some arrays. Two forms:
 *
 *   bytes  offset  0  "TKSDCA", u16 version
 *                  8  u64 number of bytes of the whole
 *                 16  u32 number of bytes of the header
 *                 20  u32 CRC-32 of all bytes but these four
 *                 24  header: JSON in UTF-8, padded with spaces to a multiple of 8
 *                     body
 *   JSON   { format: "topk-sdca", version, ...header, data: body in base64, checksum }
 *          checksum: CRC-32 of the UTF-8 text of everything but data and checksum, without spaces and with the keys of
 *          every object sorted, and then of the body; so a database may reorder and reformat it
 *
 * The body holds, little-endian, each padded with zeros to a multiple of 8 bytes: weights (m x d) and intercepts (m); for the
 * scalings of columns shift and factor (d each); if the header counts `examples`, dual variables (n x m), class indices (n,
 * int32) and costs C_i (n). Weights and dual variables are in `precision`, everything else is float64.
 *
 * In JSON the body is base64, not decimal numbers: those take twice the space in float64 and four times in float32, and
 * JSON.stringify loses the sign of -0. Readers ignore header fields they do not know.
 */
import { fromBase64 } from "./base64.ts";
import { check, integer, number, oneOf, type Constraint } from "./constraints.ts";
import { describe, list } from "./errors.ts";
import { links } from "./links.ts";
import { checkGuesses, resolveLoss, variants } from "./losses.ts";
import type { LossState, ModelState } from "./modelState.ts";
import type { Scaling } from "./scaling.ts";
import type { Certificate, Label } from "./types.ts";

const NAME = "topk-sdca";
const MAGIC = "TKSDCA";
export const FORMAT_VERSION = 1;
const HEADER_AT = 24;
const CHECKSUM_AT = 20;

type Fields = Record<string, unknown>;
type Floats = Float32Array | Float64Array;
type Precision = "float32" | "float64";

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** CRC-32 as in zip and PNG, of the bytes after those that gave `crc`. */
function crc32(bytes: Uint8Array, crc = 0): number {
  const table = Int32Array.from({ length: 256 }, (_, c) => {
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 && 0xedb88320);
    return c;
  });
  crc = ~crc;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

const checksumOfBytes = (bytes: Uint8Array): number =>
  crc32(bytes.subarray(HEADER_AT), crc32(bytes.subarray(0, CHECKSUM_AT)));

function checksumOfJSON(content: object, body: Uint8Array): number {
  const sorted = JSON.stringify(content, (_, value: unknown) =>
    Object.prototype.toString.call(value) === "[object Object]"
      ? Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return crc32(body, crc32(new TextEncoder().encode(sorted)));
}

// ------------------------------------------------------------------------------------------------------------ reading

/** Reads the next array of the body, finite numbers only. `name` is for messages. */
interface Next {
  (name: string, kind: Precision, length: number): Floats;
  (name: string, kind: "float64", length: number): Float64Array;
  (name: string, kind: "int32", length: number): Int32Array;
}

/** Adds to a state what prediction does not need. */
type Complete = (state: ModelState, header: Fields, next: Next, bytesLeft: () => number) => ModelState;

function refuse(what: string): never {
  throw new RangeError(`load: ${what}`);
}

function expect(valid: boolean, name: string, must: string, value: unknown): asserts valid {
  if (!valid) refuse(`"${name}" must be ${must}, got ${describe(value)}`);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/**
 * What a saved model needs for prediction; `complete` reads on. No array is allocated before its bytes are found to be there.
 * Whatever is wrong with the source is a TypeError (its kind) or a RangeError (its content) that starts with "load: ".
 */
export function decode(source: unknown, complete: Complete = (state) => state): ModelState {
  const kind = Object.prototype.toString.call(source).slice(8, -1); // not instanceof: it may come from another realm
  try {
    if (kind === "Uint8Array") return readState(openBytes(source as Uint8Array), complete);
    if (kind === "ArrayBuffer") return readState(openBytes(new Uint8Array(source as ArrayBuffer)), complete);
    if (kind === "String") return readState(openJSON(JSON.parse(source as string)), complete);
    if (kind === "Object") return readState(openJSON(source), complete);
  } catch (error) {
    if (String(error).startsWith("RangeError: load: ")) throw error;
    throw new RangeError(`load: truncated, or not a ${NAME} model`, { cause: error });
  }
  const must = "a Uint8Array, an ArrayBuffer, JSON text or an object parsed from it";
  throw new TypeError(`load: "source" must be ${must}, got ${describe(source)}`);
}

interface Opened {
  readonly header: Fields;
  readonly body: Uint8Array;
}

function openBytes(bytes: Uint8Array): Opened {
  const view = viewOf(bytes);
  if (String.fromCharCode(...bytes.subarray(0, 6)) !== MAGIC) {
    const first = Array.from(bytes.subarray(0, 4), (byte) => " " + byte.toString(16).padStart(2, "0"));
    refuse(`not a ${NAME} model (first bytes${first.join("") || " missing"})`);
  }
  if (bytes.length > 7) checkVersion(view.getUint16(6, true));
  const total = bytes.length < HEADER_AT ? Infinity : Number(view.getBigUint64(8, true));
  if (bytes.length !== total) {
    const wanted = total === Infinity ? `at least ${HEADER_AT}` : total;
    refuse(`${bytes.length > total ? "altered" : "truncated"}, ${bytes.length} bytes instead of ${wanted}`);
  }
  checkSum(checksumOfBytes(bytes), view.getUint32(CHECKSUM_AT, true));
  const bodyAt = HEADER_AT + view.getUint32(16, true);
  const text = new TextDecoder().decode(bytes.subarray(HEADER_AT, bodyAt));
  return { header: Object(JSON.parse(text)) as Fields, body: bytes.subarray(bodyAt) };
}

function openJSON(source: unknown): Opened {
  const { checksum, data, ...header } = Object(source) as Fields;
  if (header.format !== NAME) refuse(`not a ${NAME} model (no "format": "${NAME}")`);
  checkVersion(header.version);
  const body = fromBase64(data as string);
  checkSum(checksumOfJSON(header, body), checksum);
  return { header, body };
}

function checkVersion(version: unknown): void {
  if (version !== FORMAT_VERSION) refuse(`model format v${String(version)}, this build reads v${FORMAT_VERSION}`);
}

function checkSum(found: number, stored: unknown): void {
  if (found !== stored) refuse("altered, the checksum does not match");
}

const scalings = ["none", "standard", "minmax", "unit-rows"];

function readState({ header, body }: Opened, complete: Complete): ModelState {
  const { classes, features: d, precision, loss, interceptScale, scaling: kind, certificate } = header;
  const labels: Label[] = Array.isArray(classes) ? [...(classes as Label[])] : [];
  const m = labels.length;
  const legal = labels.filter((label) => typeof label === "string" || Number.isSafeInteger(label));
  expect(m > 1 && new Set(legal).size === m, "classes", "2 or more different integers or strings", classes);
  expect(isCount(d), "features", "an integer >= 1", d);
  expect(precision === "float32" || precision === "float64", "precision", '"float32" or "float64"', precision);
  expect(scalings.includes(kind as string), "scaling", list(scalings, "or"), kind);
  const { name } = Object(loss) as LossState;
  if (!Object.hasOwn(links, name)) refuse(`unknown loss ${describe(name)}`);
  const { status } = Object(certificate) as Certificate;
  expect(typeof status === "string", "certificate", "an object with a status", certificate);

  const view = viewOf(body);
  let end = 0;
  const next = ((name: string, kind: Precision | "int32", length: number) => {
    const width = kind === "float64" ? 8 : 4;
    let at = end;
    end += padded(width * length);
    if (end > body.length) refuse(`"${name}" needs ${end - body.length} bytes more than there are`);
    const out = new { float32: Float32Array, float64: Float64Array, int32: Int32Array }[kind](length);
    for (let p = 0; p < length; p++, at += width) {
      out[p] = width > 4 ? view.getFloat64(at, true) : kind === "int32" ? view.getInt32(at, true) : view.getFloat32(at, true); // prettier-ignore
      if (!Number.isFinite(out[p])) refuse(`"${name}" entry ${p} is ${out[p]}; it must be finite`);
    }
    return out;
  }) as Next;
  const columns = kind === "unit-rows" ? 0 : d;
  const state = {
    classes: labels,
    loss: loss as LossState,
    weights: { data: next("weights", precision, m * d), rows: m, cols: d },
    intercepts: next("intercepts", "float64", m),
    interceptScale: interceptScale as number,
    ...(kind !== "none" && {
      scaling: {
        kind: kind as Scaling["kind"],
        shift: next("shift", "float64", columns),
        factor: next("factor", "float64", columns),
      },
    }),
    certificate: mapValues(certificate as object, (value) => (UNUSUAL.test(value as string) ? Number(value) : value)),
  };
  return complete(state, header, next, () => body.length - end);
}

/** Numbers that JSON does not have, and that a certificate may: saved as text. */
const UNUSUAL = /^(-?Infinity|NaN|-0)$/;

function mapValues(object: object, change: (value: unknown) => unknown): Certificate {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value)]),
  ) as unknown as Certificate;
}

/** A whole saved model, checked to its last number. */
export function decodeModel(source: unknown): ModelState {
  return decode(source, (state, header, next, bytesLeft) => {
    const { classes, interceptScale, certificate } = state;
    const m = classes.length;
    const { examples = 0 } = header;
    expect(examples === 0 || isCount(examples), "examples", "an integer >= 1", examples);
    const n = examples as number;
    const loss = lossOf(state.loss);
    const { name, k, gamma, variant } = loss;
    try {
      check("load", "interceptScale", interceptScale, number("[", 0, Infinity, ")"));
      for (const field of measured) check("load", `certificate.${field}`, certificate[field], numberOrNull);
      if (k !== undefined) check("load", "k", k, integer(1, m - 1));
      if (gamma !== undefined) check("load", "gamma", gamma, number("[", 0, Infinity, ")"));
      if (variant !== undefined) check("load", "variant", variant, oneOf(variants));
      checkGuesses("load", resolveLoss("load", name, loss), m);
    } catch (error) {
      throw new RangeError((error as Error).message); // of whatever kind the value is, it is the content that is wrong
    }

    const precision = state.weights.data instanceof Float32Array ? "float32" : "float64";
    const duals = {
      stored: next("duals", precision, n * m),
      labels: next("labels", "int32", n),
      costs: next("costs", "float64", n),
    };
    if (bytesLeft() > 0) refuse(`${bytesLeft()} bytes more than the header speaks of`);
    const stray = duals.labels.find((y) => y < 0 || y >= m);
    expect(stray === undefined, "labels", `class indices in [0, ${m - 1}]`, stray);
    const worst = duals.costs.find((c) => c <= 0);
    expect(worst === undefined, "costs", "above 0", worst);
    return { ...state, loss, ...(n > 0 && { duals }) };
  });
}

/** In this order, without the options that do not belong to it. */
const lossOf = ({ name, k, gamma, variant }: LossState): LossState =>
  JSON.parse(JSON.stringify({ name, k, gamma, variant })) as LossState;

const numberOrNull: Constraint = { must: "a number or null", kind: (v) => typeof v === "number" || v === null };
const measured = [
  "epochs",
  "primalObjective",
  "dualObjective",
  "dualityGap",
  "relativeGap",
  "tolerance",
  "solveSeconds",
  "evaluateSeconds",
] as const;

// ------------------------------------------------------------------------------------------------------------ writing

function headerOf({ classes, loss, weights, interceptScale, scaling, certificate, duals }: ModelState): object {
  return {
    classes,
    features: weights.cols,
    precision: weights.data instanceof Float32Array ? "float32" : "float64",
    interceptScale,
    loss: lossOf(loss),
    scaling: scaling?.kind ?? "none",
    ...(duals && { examples: duals.labels.length }),
    certificate: mapValues(certificate, (value) => {
      const text = Object.is(value, -0) ? "-0" : String(value);
      return typeof value === "number" && UNUSUAL.test(text) ? text : value;
    }),
  };
}

/** The arrays one after the other, in a new array from `offset` on. */
function writeBody({ weights, intercepts, scaling, duals }: ModelState, offset: number): Uint8Array<ArrayBuffer> {
  const arrays = [
    weights.data,
    intercepts,
    scaling?.shift,
    scaling?.factor,
    duals?.stored,
    duals?.labels,
    duals?.costs,
  ];
  const present = arrays.filter((array) => array !== undefined);
  const bytes = new Uint8Array(present.reduce((sum, { byteLength }) => sum + padded(byteLength), offset));
  const view = viewOf(bytes);
  let start = offset;
  for (const array of present) {
    let at = start;
    for (let p = 0; p < array.length; p++, at += array.BYTES_PER_ELEMENT) {
      if (array instanceof Float64Array) view.setFloat64(at, array[p], true);
      else if (array instanceof Float32Array) view.setFloat32(at, array[p], true);
      else view.setInt32(at, array[p], true);
    }
    start += padded(array.byteLength);
  }
  return bytes;
}

/** The binary form. */
export function encodeBytes(state: ModelState): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(headerOf(state)));
  const bodyAt = HEADER_AT + padded(text.length);
  const bytes = writeBody(state, bodyAt);
  const view = viewOf(bytes);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint16(6, FORMAT_VERSION, true);
  view.setBigUint64(8, BigInt(bytes.length), true);
  view.setUint32(16, bodyAt - HEADER_AT, true);
  bytes.fill(0x20, HEADER_AT, bodyAt);
  bytes.set(text, HEADER_AT);
  view.setUint32(CHECKSUM_AT, checksumOfBytes(bytes), true);
  return bytes;
}

/** The JSON form: plain data that shares nothing with the state. */
export function encodeJSON(state: ModelState): object {
  const body = writeBody(state, 0);
  const header = JSON.parse(JSON.stringify({ format: NAME, version: FORMAT_VERSION, ...headerOf(state) })) as object;
  let binary = "";
  const step = 0x2000; // as many arguments as any engine takes
  for (let i = 0; i < body.length; i += step) binary += String.fromCharCode(...body.subarray(i, i + step));
  return { ...header, data: btoa(binary), checksum: checksumOfJSON(header, body) };
}
