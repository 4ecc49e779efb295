import type { FeatureRow } from "../../src/arrays/sparseRow.ts";
import { createModel } from "../../src/model.ts";
import type { KernelState, LossState, ModelState } from "../../src/model/modelState.ts";
import type { Scaling } from "../../src/model/scaling.ts";
import type { Label, Model } from "../../src/types.ts";
import { normals } from "./data.ts";

/** Saved models taken apart and put together by the description in src/model/format.ts alone, with none of its code. */

/** A model of made-up numbers. `duals`: number of examples. */
export function inventModel(
  o: {
    classes?: readonly Label[];
    d?: number;
    precision?: "float32" | "float64";
    interceptScale?: number;
    scaling?: Scaling["kind"];
    loss?: LossState;
    duals?: number;
    seed?: number;
    /** Support vectors instead of weights; `vectors` of them, 3 if not said. */
    expansion?: "dense" | "sparse" | "gram";
    vectors?: number;
  } = {},
): Model {
  const { classes = ["a", "b", 3], d = 5, precision = "float32", interceptScale = 1, scaling, duals: n = 4 } = o;
  const normal = normals(o.seed ?? 1);
  const m = classes.length;
  const Floats = precision === "float32" ? Float32Array : Float64Array;
  const random = (length: number): Float64Array => Float64Array.from({ length }, normal);
  const data = Floats.from(random(m * d));
  data[1] = -0;
  const columns = scaling === "unit-rows" ? 0 : d;
  const { expansion: form, vectors = 3 } = o;
  const rowOf = (v: number): KernelState["vectors"][number] => {
    const row = Floats.from(random(d));
    if (form === "dense") return row;
    const indices = Uint32Array.from({ length: d }, (_, l) => l).filter((l) => (l + v) % 2 === 0);
    return { indices, values: Floats.from(Array.from(indices, (l) => row[l])) };
  };
  const state: ModelState = {
    classes,
    loss: o.loss ?? { name: "softmax" },
    ...(form
      ? {
          expansion: {
            kernel: {
              ...{ name: form === "gram" ? "precomputed" : "poly", gamma: form === "gram" ? 0 : 1 / 3 },
              ...{ degree: form === "gram" ? 0 : 3, coef0: form === "gram" ? 0 : 0.1 },
            } as KernelState["kernel"],
            ...{ columns: d, precision, coefficients: random(vectors * m) },
            vectors:
              form === "gram"
                ? Int32Array.from({ length: vectors }, (_, v) => v)
                : (Array.from({ length: vectors }, (_, v) => rowOf(v)) as readonly FeatureRow[]),
          },
        }
      : { weights: { data, rows: m, cols: d } }),
    intercepts: interceptScale > 0 ? random(m) : new Float64Array(m),
    interceptScale,
    ...(scaling && { scaling: { kind: scaling, shift: random(columns), factor: random(columns).map(Math.exp) } }),
    certificate: {
      status: "solved",
      epochs: 3,
      primalObjective: 1 / 3,
      dualObjective: 0.1 + 0.2,
      dualityGap: 1e-300,
      relativeGap: 5e-324,
      tolerance: 1e-3,
      solveSeconds: 0.012345678901234567,
      evaluateSeconds: 0,
    },
    duals: {
      stored: Floats.from(random(n * m)),
      truth: { indices: Int32Array.from({ length: n }, (_, i) => i % m) },
      costs: random(n).map(Math.exp),
    },
  };
  return createModel({ state, history: [] });
}

/** CRC-32 bit by bit. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** One after the other. */
export const join = (...parts: Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Writes the true length and checksum into the bytes of a model. */
export function repair(bytes: Uint8Array): Uint8Array {
  const whole = bytes.slice();
  if (whole.length < 24) return whole;
  const view = new DataView(whole.buffer);
  view.setBigUint64(8, BigInt(whole.length), true);
  view.setUint32(20, crc32(join(whole.subarray(0, 20), whole.subarray(24))), true);
  return whole;
}

export interface Unpacked {
  version: number;
  header: any;
  body: Uint8Array;
}

export function unpack(bytes: Uint8Array): Unpacked {
  const bodyAt = 24 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(16, true);
  return {
    version: bytes[6],
    header: JSON.parse(new TextDecoder().decode(bytes.slice(24, bodyAt))),
    body: bytes.slice(bodyAt),
  };
}

/** `header`: text is taken as it is. */
export function pack({
  version = 1,
  header,
  body,
}: {
  version?: number;
  header: unknown;
  body: Uint8Array;
}): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const padding = new Uint8Array((8 - (text.length % 8)) % 8).fill(32);
  const prelude = new Uint8Array(24);
  prelude.set(new TextEncoder().encode("TKSDCA"));
  prelude[6] = version;
  new DataView(prelude.buffer).setUint32(16, text.length + padding.length, true);
  return repair(join(prelude, text, padding, body));
}

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Compact JSON text with sorted keys. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (!isPlain(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted((value as Record<string, unknown>)[key])}`).join()}}`;
}

/** The JSON form with its true checksum. */
export function seal(json: object): object {
  const { data, ...rest } = JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
  delete rest.checksum;
  const body = Uint8Array.from(atob(String(data)), (c) => c.charCodeAt(0));
  return { ...rest, data, checksum: crc32(join(new TextEncoder().encode(sorted(rest)), body)) };
}

/** All keys of all objects the other way round. */
export function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, reversed(item)])
      .reverse(),
  );
}
