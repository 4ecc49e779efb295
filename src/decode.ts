/** Reads saved models, see format.ts, as far as prediction needs them. */
import { fromBase64 } from "./base64.ts";
import { describe, refuse } from "./errors.ts";
import {
  CHECKSUM_AT,
  checksumOfBytes,
  checksumOfJSON,
  elementsOf,
  FORMAT_VERSION,
  HEADER_AT,
  MAGIC,
  NAME,
  padded,
  UNUSUAL,
} from "./format.ts";
import { links } from "./links.ts";
import type { LinearState, LossState } from "./modelState.ts";
import type { Scaling } from "./scaling.ts";
import type { Certificate, Label } from "./types.ts";

/** Refuses what is wrong with the content of a source. */
export function fail(what: string): never {
  throw new RangeError(`load: ${what}`);
}

/** The arrays of each storage precision. */
export const floatsOf: Readonly<Record<string, new (length: number) => Float32Array | Float64Array>> = {
  float32: Float32Array,
  float64: Float64Array,
};

/** What a header must hold for prediction. A header has been written by anyone, so nothing of this is known before a check. */
export interface Header {
  readonly classes: readonly Label[];
  readonly features: number;
  readonly precision: "float32" | "float64";
  readonly interceptScale: number;
  readonly loss: LossState;
  readonly scaling: Scaling["kind"] | "none";
  readonly threshold?: number;
  readonly certificate: Certificate;
  readonly examples?: unknown;
  /** Of a model without weights. */
  readonly kernel?: object;
}

/** A saved model, whichever form it has. */
interface Saved {
  readonly header: Header;
  /** Arrays one after the other. */
  readonly body: DataView;
}

type Numbers = Float32Array | Float64Array | Int32Array;

/** Reads the next array of the body, allocated once its bytes are known to be there. `name` is for messages. */
export type Next = <array extends Numbers>(name: string, Type: new (length: number) => array, length: number) => array;

/**
 * What `read` makes of a saved model. Whatever is wrong with the source is a TypeError (its kind) or a RangeError (its
 * content) that starts with "load: ".
 */
export function decode<state>(
  source: unknown,
  read: (header: Header, next: Next, bytesLeft: () => number) => state,
): state {
  try {
    const { header, body } = open(source);
    let end = 0;
    const bytesLeft = (): number => body.byteLength - end;
    const next: Next = (name, Type, length) => {
      const at = end;
      const width = (Type as unknown) === Float64Array ? 8 : 4;
      end += padded(width * length);
      if (bytesLeft() < 0) fail(`"${name}" needs ${-bytesLeft()} bytes more than there are`);
      const get = `get${elementsOf(Type)}` as const;
      const array = new Type(length);
      for (let p = 0; p < length; p++) {
        array[p] = body[get](at + p * width, true);
        if (!Number.isFinite(array[p])) fail(`"${name}" entry ${p} is ${array[p]}; it must be finite`);
      }
      return array;
    };
    return read(header, next, bytesLeft);
  } catch (cause) {
    if (/^load: /.test((Object(cause) as Error).message)) throw cause;
    throw new RangeError(`load: truncated, or not a ${NAME} model`, { cause });
  }
}

function open(source: unknown): Saved {
  const form = Object.prototype.toString.call(source).slice(8, -1); // not instanceof: it may come from another realm
  if (form === "Object") return openJSON(source);
  if (form === "String") return openJSON(JSON.parse(source as string));
  if (/^(Uint8Array|ArrayBuffer)$/.test(form)) return openBytes(new Uint8Array(source as ArrayBuffer));
  const must = "a Uint8Array, an ArrayBuffer, JSON text or an object parsed from it";
  refuse(TypeError, "load", "source", `must be ${must}, got ${describe(source)}`);
}

function openBytes(bytes: Uint8Array<ArrayBuffer>): Saved {
  const { buffer, length } = bytes;
  const view = new DataView(buffer);
  if (String.fromCharCode(...bytes.subarray(0, 6)) !== MAGIC) {
    const first = Array.from(bytes.subarray(0, 4), (byte) => " " + byte.toString(16).padStart(2, "0"));
    fail(`not a ${NAME} model (first bytes${first.join("") || " missing"})`);
  }
  if (length > 7) checkVersion(view.getUint16(6, true));
  const total = length < HEADER_AT ? `at least ${HEADER_AT}` : Number(view.getBigUint64(8, true));
  if (length !== total)
    fail(`${length > Number(total) ? "altered" : "truncated"}, ${length} bytes instead of ${total}`);
  checkSum(checksumOfBytes(bytes), view.getUint32(CHECKSUM_AT, true));
  const bodyAt = HEADER_AT + view.getUint32(16, true);
  const text = new TextDecoder().decode(bytes.subarray(HEADER_AT, bodyAt));
  return { header: JSON.parse(text) as Header, body: new DataView(buffer, bodyAt) };
}

function openJSON(source: unknown): Saved {
  const { checksum, data, ...header } = Object(source) as Header & Record<string, unknown>;
  if (header.format !== NAME) fail(`not a ${NAME} model (no "format": "${NAME}")`);
  checkVersion(header.version);
  const body = fromBase64(data as string);
  checkSum(checksumOfJSON(header, body), checksum);
  return { header, body: new DataView(body.buffer) };
}

function checkVersion(version: unknown): void {
  if (version === 1 || version === FORMAT_VERSION) return;
  fail(`model format v${version as string}, this build reads v1–v${FORMAT_VERSION}`);
}

function checkSum(found: number, stored: unknown): void {
  if (found !== stored) fail("altered, the checksum does not match");
}

/** What a model needs for prediction, but for a kernel: the first arrays of the body. `must` says in words what fields of the header are to be. */
export function readLinear(header: Header, next: Next, must?: Readonly<Record<string, string>>): LinearState {
  const { classes, features: d, precision, loss, scaling: kind, threshold, certificate } = header;
  const labels = Array.isArray(classes) ? classes.filter((v) => typeof v === "string" || Number.isSafeInteger(v)) : [];
  const m = new Set(labels).size;
  const valid = {
    classes: m > 1 && m === classes.length,
    features: Number.isSafeInteger(d) && d > 0,
    precision: Object.hasOwn(floatsOf, precision),
    scaling: ["none", "standard", "minmax", "unit-rows"].includes(kind),
    threshold: threshold === undefined || Number.isFinite(threshold),
    certificate: typeof certificate?.status === "string",
  };
  for (const [name, isValid] of Object.entries(valid)) {
    const value = header[name as keyof Header];
    if (!isValid) fail(`"${name}" ${must ? `must be ${must[name]}, got` : "cannot be"} ${describe(value)}`);
  }
  const name = loss?.name;
  if (!Object.hasOwn(links, name)) fail(`unknown loss ${describe(name)}`);
  const columns = kind === "unit-rows" ? 0 : d;
  const floats = (name: string, length: number): Float64Array => next(name, Float64Array, length);
  return {
    classes: labels,
    loss,
    ...(!header.kernel && { weights: { data: next("weights", floatsOf[precision], m * d), rows: m, cols: d } }),
    intercepts: floats("intercepts", m),
    scaling: kind === "none" ? undefined : { kind, shift: floats("shift", columns), factor: floats("factor", columns) },
    threshold,
    certificate: JSON.parse(JSON.stringify(certificate), (_, value) =>
      UNUSUAL.test(value as string) ? Number(value) : value,
    ) as Certificate,
  } as LinearState;
}
