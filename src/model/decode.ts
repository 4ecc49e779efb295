/** Reads saved models, see format.ts, as far as prediction needs them. */
import { fromBase64 } from "../platform/base64.ts";
import { kindOf } from "../platform/kindOf.ts";
import type { Certificate, Label } from "../types.ts";
import { takeApart } from "./binaryForm.ts";
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
import type { LinearState, LossState } from "./modelState.ts";
import type { Scaling } from "./scaling.ts";

/** Refuses what is wrong with the content of a source. */
export function fail(what: string): never {
  throw new RangeError(`load: ${what}`);
}

/** What is said of a source that cannot be read at all. */
export const unreadable = `truncated, or not a ${NAME} model`;

interface ArrayType<array> {
  new (length: number): array;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
}

/** The arrays of each storage precision. */
export const floatsOf: Readonly<Record<string, ArrayType<Float32Array | Float64Array>>> = {
  float32: Float32Array,
  float64: Float64Array,
};

/** What the header calls the scalings of prediction. */
export const scalings: readonly Header["scaling"][] = ["none", "standard", "minmax", "unit-rows"];

/**
 * What a header must hold for prediction. A header has been written by anyone, so nothing of this is known before a
 * check.
 */
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

/** Reads the next array of the body, allocated once its bytes are known to be there. `name` is for messages. */
export type Next = <array extends Float32Array | Float64Array | Int32Array>(
  name: string,
  length: number,
  Type: ArrayType<array>,
) => array;

/** How one of the entries words what is wrong with a source, beyond what both say alike. */
export interface Refusals {
  /** It is of another kind, or not marked as a model. */
  foreign(source: unknown, hint: string): never;
  /**
   * The binary form has another length than it says; if it is too short to say, `total` is what that takes. The
   * checksum is looked at next.
   */
  length(length: number, total: number): void;
  /** An array needs more bytes than there are, or has an entry that is not finite. */
  array(name: string, bytes: number, entry?: number, value?: number): never;
}

/**
 * What is likely in the place of a model: an answer of a server whose bytes are not read yet, or its page for what it
 * lacks.
 */
function mistakenFor(source: unknown): string {
  const kind = kindOf(source);
  if (/^(Response|Blob|File)$/.test(kind)) return "; await its arrayBuffer()";
  const start = kind === "String" ? (source as string) : isBytes(kind) ? startOf(source as ArrayBuffer) : "";
  return /^\s*</.test(start) ? "; it begins as a web page does: is the address right?" : "";
}

/** What `read` makes of a saved model. Whatever is wrong with the source is an error that starts with "load: ". */
export function decode<state>(
  source: unknown,
  refusals: Refusals,
  read: (header: Header, next: Next, bytesLeft: () => number) => state,
): state {
  try {
    const { header, body } = open(source, refusals) ?? refusals.foreign(source, mistakenFor(source));
    let end = 0;
    const bytesLeft = (): number => body.byteLength - end;
    const next: Next = (name, length, Type) => {
      const at = end;
      const width = Type.BYTES_PER_ELEMENT;
      end += padded(width * length);
      if (bytesLeft() < 0) refusals.array(name, -bytesLeft());
      const get = `get${elementsOf(Type)}` as const;
      const array = new Type(length);
      for (let p = 0; p < length; p++) {
        array[p] = body[get](at + p * width, true);
        if (!Number.isFinite(array[p])) refusals.array(name, 0, p, array[p]);
      }
      return array;
    };
    return read(header, next, bytesLeft);
  } catch (cause) {
    if (/^load: /.test((Object(cause) as Error).message)) throw cause;
    const hint = typeof source === "string" ? mistakenFor(source) : "";
    throw new RangeError(`load: ${unreadable}${hint}`, { cause });
  }
}

/** What a model as JSON text begins with. */
const JSON_START = /^\s*{/;

const isBytes = (kind: string): boolean => kind === "Uint8Array" || kind === "ArrayBuffer";

/** What bytes begin with, if they are text. */
const startOf = (bytes: ArrayBuffer | Uint8Array): string =>
  new TextDecoder().decode(new Uint8Array(bytes as ArrayBuffer).subarray(0, 64));

/** Nothing, where a source is not marked as a model. */
function open(source: unknown, refusals: Refusals): Saved | undefined {
  const kind = kindOf(source);
  if (kind === "Object") return openJSON(source);
  if (kind === "String") return openText(source as string);
  if (!isBytes(kind)) return undefined;
  const bytes = new Uint8Array(source as ArrayBuffer);
  const saved = openBytes(bytes, refusals);
  if (saved) return saved;
  return JSON_START.test(startOf(bytes)) ? openText(new TextDecoder().decode(bytes)) : undefined;
}

/** What is trimmed includes a byte order mark. */
const openText = (text: string): Saved | undefined => openJSON(JSON.parse(text.trim()));

function openBytes(bytes: Uint8Array<ArrayBuffer>, refusals: Refusals): Saved | undefined {
  const { length } = bytes;
  const view = new DataView(bytes.buffer);
  if (String.fromCharCode(...bytes.subarray(0, 6)) !== MAGIC) return undefined;
  if (length > 7) checkVersion(view.getUint16(6, true));
  const total = length < HEADER_AT ? HEADER_AT : Number(view.getBigUint64(8, true));
  if (length !== total) refusals.length(length, total);
  checkSum(checksumOfBytes(bytes), view.getUint32(CHECKSUM_AT, true));
  return takeApart(bytes) as Saved;
}

function openJSON(source: unknown): Saved | undefined {
  const { checksum, data, ...header } = Object(source) as Header & Record<string, unknown>;
  if (header.format !== NAME) return undefined;
  checkVersion(header.version);
  const body = fromBase64(data as string);
  checkSum(checksumOfJSON(header, body), checksum);
  return { header, body: new DataView(body.buffer) };
}

function checkVersion(version: unknown): void {
  if (version === 1 || version === FORMAT_VERSION) return;
  fail(
    `model format ${version === undefined ? "without version" : `v${version as string}`}, this build reads v1–v${FORMAT_VERSION}`,
  );
}

function checkSum(found: number, stored: unknown): void {
  if (found !== stored) fail("altered, the checksum does not match");
}

/**
 * What a model needs for prediction, of a header that has been checked: the first arrays of the body. With a kernel it
 * has no weights.
 */
export function readLinear(header: Header, next: Next): LinearState {
  const { classes, features: d, precision, loss, scaling: kind, threshold, certificate, kernel } = header;
  const m = classes.length;
  const columns = kind === "unit-rows" ? 0 : d;
  const floats = (name: string, length: number): Float64Array => next(name, length, Float64Array);
  return {
    classes: [...classes], // not those of a source in JSON
    loss,
    ...(!kernel && { weights: { data: next("weights", m * d, floatsOf[precision]), rows: m, cols: d } }),
    intercepts: floats("intercepts", m),
    scaling: kind === "none" ? undefined : { kind, shift: floats("shift", columns), factor: floats("factor", columns) },
    threshold,
    certificate: JSON.parse(JSON.stringify(certificate), (_, value) =>
      UNUSUAL.test(value as string) ? Number(value) : value,
    ) as Certificate,
  } as LinearState;
}
