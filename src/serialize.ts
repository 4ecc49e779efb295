/** Whole models saved and loaded, see format.ts. */
import { precisionOf } from "./arrays/precisionOf.ts";
import { allOf } from "./arrays/sparseDuals.ts";
import { check, integer, nonnegative, oneOf, type Constraint } from "./constraints.ts";
import { describe, list, refuse } from "./errors.ts";
import { isLabel, numExamples, type Truth } from "./labels.ts";
import { checkGuesses, lossNames, rankWeights, resolveLoss, variants } from "./losses.ts";
import { assemble } from "./model/binaryForm.ts";
import { decode, fail, floatsOf, readLinear, scalings, type Header, type Next, type Refusals } from "./model/decode.ts";
import { checksumOfJSON, elementsOf, FORMAT_VERSION, HEADER_AT, NAME, padded, UNUSUAL } from "./model/format.ts";
import type { LossState, ModelState } from "./model/modelState.ts";
import { readExpansion, expansionArrays, expansionHeader } from "./model/savedKernel.ts";
import { kindOf } from "./platform/kindOf.ts";

// ------------------------------------------------------------------------------------------------------------ reading

/** A whole saved model, checked to its last number. */
export function decodeModel(source: unknown): ModelState {
  if (typeof source === "string" && FILE_NAME.test(source)) {
    fail(`${describe(source)} is the name of a file; load takes what the file holds`);
  }
  if (typeof source === "string" && BASE64.test(source)) {
    fail("base64 text; load takes the bytes that it stands for, or JSON text");
  }
  return decode(source, refusals, readModel);
}

/** What `toBytes` begins with, in base64. */
const BASE64 = /^VEtTRENB/;
const FILE_NAME = /^[^\s{}[\]"]+\.\w+$/;

const refusals: Refusals = {
  foreign(source, hint) {
    const kind = kindOf(source);
    if (typeof (source as { toBytes?: unknown } | undefined)?.toBytes === "function") fail("this is a model already");
    if (kind === "Object" || kind === "String") fail(`not a ${NAME} model (no "format": "${NAME}")`);
    if (kind === "Uint8Array" || kind === "ArrayBuffer") {
      const first = new Uint8Array(source as ArrayBuffer).subarray(0, 4);
      const text = Array.from(first, (byte) => " " + byte.toString(16).padStart(2, "0")).join("");
      fail(`not a ${NAME} model (first bytes${text || " missing"})${hint}`);
    }
    const must = "a Uint8Array, an ArrayBuffer, JSON text or an object parsed from it";
    refuse(TypeError, "load", "source", `must be ${must}, got ${describe(source)}${hint}`);
  },
  length(length, total) {
    const needed = length < HEADER_AT ? `at least ${total}` : total;
    fail(`${length > total ? "altered" : "truncated"}, ${length} bytes instead of ${needed}`);
  },
  array(name, bytes, entry, value) {
    if (bytes > 0) fail(`"${name}" needs ${bytes} bytes more than there are`);
    fail(`"${name}" entry ${entry} is ${value}; it must be finite`);
  },
};

/** What the fields of a header must be that `readLinear` reads. */
const linearFields = {
  classes: {
    must: "2 or more different integers or strings",
    kind: (v) => Array.isArray(v) && Array.from(v).every(isLabel) && v.length > 1 && new Set(v).size === v.length,
  },
  features: integer(1, Infinity),
  precision: { must: list(Object.keys(floatsOf), "or"), kind: (v) => Object.hasOwn(floatsOf, v as string) },
  scaling: { must: list(scalings, "or"), kind: (v) => scalings.includes(v as Header["scaling"]) },
  threshold: { must: "a finite number", kind: (v) => v === undefined || Number.isFinite(v) },
  certificate: {
    must: "an object with a status",
    kind: (v) => typeof (v as Header["certificate"] | null)?.status === "string",
  },
} satisfies Partial<Record<keyof Header, Constraint>>;

function checkLinear(header: Header): void {
  for (const [name, must] of Object.entries<Constraint>(linearFields)) {
    check("load", name, header[name as keyof Header], must);
  }
  const name = (header.loss as LossState | null)?.name;
  if (!lossNames.includes(name!)) fail(`unknown loss ${describe(name)}`);
}

function readModel(header: Header, next: Next, bytesLeft: () => number): ModelState {
  asContent(() => checkLinear(header));
  const { kernel, precision, interceptScale, examples = 0 } = header;
  const state: ModelState = { ...readLinear(header, next), interceptScale };
  const expansion = kernel && asContent(() => readExpansion(header, next, state.classes.length));
  const m = state.classes.length;
  const loss = lossOf(state.loss);
  asContent(() => checkBeyondPrediction(state, loss, examples));
  const n = examples as number;
  const duals = {
    stored: next("duals", n * m, floatsOf[precision]),
    truth: state.threshold === undefined ? { indices: next("labels", n, Int32Array) } : readSets(next, n, m),
    costs: next("costs", n, Float64Array),
  };
  if (bytesLeft() > 0) fail(`${bytesLeft()} bytes more than the header speaks of`);
  const stray = duals.truth.indices.find((y) => y < 0 || y >= m);
  if (stray !== undefined) fail(`"labels" must be class indices in [0, ${m - 1}], got ${stray}`);
  const worst = duals.costs.find((c) => c <= 0);
  if (worst !== undefined) fail(`"costs" must be above 0, got ${worst}`);
  return { ...state, loss, ...(expansion && { expansion }), ...(n > 0 && { duals }) };
}

/** Of whatever kind a value is, it is the content of the source that is wrong. */
function asContent<result>(read: () => result): result {
  try {
    return read();
  } catch (error) {
    throw new RangeError((error as Error).message);
  }
}

function readSets(next: Next, n: number, m: number): Truth {
  if (n === 0) return { indices: new Int32Array(0), offsets: new Uint32Array(1) };
  const offsets = next("offsets", n + 1, Int32Array);
  const wrong = offsets.findIndex((offset, i) =>
    i === 0 ? offset !== 0 : offset - offsets[i - 1] > m || offset < offsets[i - 1],
  );
  if (wrong >= 0) fail(`"offsets" entry ${wrong} cannot be ${offsets[wrong]}`);
  const indices = next("labels", offsets[n], Int32Array);
  for (let i = 0; i < n; i++) {
    for (let p = offsets[i] + 1; p < offsets[i + 1]; p++) {
      if (indices[p] <= indices[p - 1]) fail(`"labels" of example ${i} must be ascending`);
    }
  }
  return { indices, offsets: Uint32Array.from(offsets) };
}

function checkBeyondPrediction(
  { classes, interceptScale, certificate }: ModelState,
  loss: LossState,
  examples: unknown,
): void {
  const { name, k, gamma, variant, rankWeights: weights } = loss;
  const m = classes.length;
  if (examples !== 0) check("load", "examples", examples, integer(1, Infinity));
  check("load", "interceptScale", interceptScale, nonnegative);
  for (const field of measured) check("load", `certificate.${field}`, certificate[field], numberOrNull);
  if (k !== undefined) check("load", "k", k, integer(1, m - 1));
  if (gamma !== undefined) check("load", "gamma", gamma, nonnegative);
  if (variant !== undefined) check("load", "variant", variant, oneOf(variants));
  if (weights !== undefined) check("load", "rankWeights", weights, rankWeights);
  checkGuesses("load", resolveLoss("load", name, loss), m);
}

/** In this order, without the options that do not belong to it. */
const lossOf = ({ name, k, gamma, variant, rankWeights }: LossState): LossState =>
  JSON.parse(JSON.stringify({ name, k, gamma, variant, rankWeights })) as LossState;

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

function headerOf(state: ModelState): object {
  const { classes, loss, weights, expansion, interceptScale, scaling, threshold, certificate, duals } = state;
  return {
    classes,
    features: weights?.cols ?? expansion!.columns,
    precision: expansion?.precision ?? precisionOf(weights!.data),
    ...(expansion && { kernel: expansionHeader(expansion) }),
    interceptScale,
    loss: lossOf(loss),
    scaling: scaling?.kind ?? "none",
    ...(threshold !== undefined && { threshold }),
    ...(duals && { examples: numExamples(duals.truth) }),
    certificate: JSON.parse(JSON.stringify(certificate, asJSON)) as object,
  };
}

function asJSON(_: string, value: unknown): unknown {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return typeof value === "number" && UNUSUAL.test(text) ? text : value;
}

/** The arrays one after the other, in a new array from `offset` on. */
function writeBody(
  { weights, intercepts, scaling, expansion, duals }: ModelState,
  offset: number,
): Uint8Array<ArrayBuffer> {
  const arrays = [
    ...(weights ? [weights.data] : []),
    intercepts,
    ...(scaling ? [scaling.shift, scaling.factor] : []),
    ...(expansion ? expansionArrays(expansion) : []),
    ...(duals ? [allOf(duals.stored), ...arraysOf(duals.truth), duals.costs] : []),
  ];
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + padded(byteLength), offset));
  const view = new DataView(bytes.buffer);
  let start = offset;
  for (const array of arrays) {
    const set = `set${elementsOf(array.constructor)}` as const;
    array.forEach((value, p) => view[set](start + p * array.BYTES_PER_ELEMENT, value, true));
    start += padded(array.byteLength);
  }
  return bytes;
}

const arraysOf = ({ indices, offsets }: Truth): Int32Array[] => [
  ...(offsets ? [Int32Array.from(offsets)] : []),
  indices,
];

const versionOf = ({ expansion }: ModelState): number => (expansion ? FORMAT_VERSION : 1);

/** The binary form. */
export const encodeBytes = (state: ModelState): Uint8Array<ArrayBuffer> =>
  assemble(headerOf(state), versionOf(state), (bodyAt) => writeBody(state, bodyAt));

/** The JSON form: plain data that shares nothing with the state. */
export function encodeJSON(state: ModelState): object {
  const body = writeBody(state, 0);
  const header = JSON.parse(JSON.stringify({ format: NAME, version: versionOf(state), ...headerOf(state) })) as object;
  let binary = "";
  const step = 0x2000; // as many arguments as any engine takes
  for (let i = 0; i < body.length; i += step) binary += String.fromCharCode(...body.subarray(i, i + step));
  return { ...header, data: btoa(binary), checksum: checksumOfJSON(header, body) };
}
