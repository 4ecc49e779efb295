import {
  abortSignal,
  aFunction,
  boolean,
  check,
  integer,
  isFloats,
  isNumber,
  isRecord,
  nonnegative,
  number,
  oneOf,
  positive,
  readOptions,
  type Constraint,
} from "./constraints.ts";
import { list, refuse } from "./errors.ts";
import { kindOf } from "./platform/kindOf.ts";
import { resolveKernel, type KernelSetting } from "./kernelOption.ts";
import {
  aVariant,
  guesses,
  hasVertices,
  isConvex,
  lossNames,
  lossOptions,
  rankWeights,
  resolveLoss,
  type Loss,
  type LossOptionValues,
} from "./losses.ts";
import type { FitOptions, HistoryRecord, Label } from "./types.ts";
import type { Direction } from "./wasm/atoms.ts";

type Given<name extends keyof FitOptions> = FitOptions[name];

/** Options of `fit` with every default filled in. */
export interface Settings {
  readonly loss: Loss;
  readonly C: number | undefined; // as given; see `lambda`
  readonly lambda: number | undefined;
  readonly classes: readonly Label[] | undefined;
  readonly sampleWeight: Given<"sampleWeight">;
  readonly classWeight: Given<"classWeight">;
  readonly intercept: boolean;
  readonly interceptScale: number;
  readonly scaling: "none" | "standard" | "minmax" | "unit-rows";
  readonly kernel: KernelSetting | undefined;
  readonly precision: "float32" | "float64";
  readonly tolerance: number;
  readonly solver: "sdca" | "frank-wolfe";
  /** Of Frank-Wolfe. */
  readonly direction: Direction | undefined;
  readonly maxEpochs: number;
  readonly maxSeconds: number;
  readonly seed: number;
  readonly initial: Given<"initial">;
  readonly anchor: Given<"anchor">;
  readonly validation: Given<"validation">;
  readonly onProgress: ((record: HistoryRecord) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly yieldEvery: "auto" | number | "never";
}

/** The one table of options: what each must be, and its default. What they mean is said in types.ts. */
const table: Record<string, { readonly must: Constraint; readonly fallback?: unknown }> = {
  loss: { must: { must: "a string", kind: (v) => typeof v === "string" }, fallback: "softmax" },
  k: { must: guesses },
  gamma: { must: nonnegative },
  variant: { must: aVariant },
  rankWeights: { must: rankWeights },
  C: { must: positive },
  lambda: { must: positive },
  classes: { must: { must: "an array of labels", kind: Array.isArray } },
  sampleWeight: {
    must: { must: "an array, Float32Array or Float64Array", kind: (v) => Array.isArray(v) || isFloats(v) },
  },
  classWeight: {
    must: {
      must: '"balanced", a Map or an array of [label, weight] pairs',
      kind: (v) => typeof v === "string" || kindOf(v) === "Map" || Array.isArray(v),
      allows: (v: unknown) => typeof v !== "string" || v === "balanced",
    },
  },
  intercept: { must: boolean, fallback: true },
  interceptScale: { must: positive, fallback: 1 },
  scaling: { must: oneOf(["none", "standard", "minmax", "unit-rows"]), fallback: "none" },
  kernel: { must: { must: 'an object such as { name: "rbf", gamma: 1 }', kind: isRecord } },
  precision: { must: oneOf(["float32", "float64"]), fallback: "float32" },
  tolerance: { must: nonnegative, fallback: 1e-3 },
  solver: { must: oneOf(["sdca", "frank-wolfe"]), fallback: "sdca" },
  direction: { must: oneOf(["standard", "away", "pairwise"]) },
  maxEpochs: { must: integer(0, Infinity), fallback: 1000 },
  maxSeconds: { must: number("[", 0, Infinity, "]"), fallback: Infinity },
  seed: { must: integer(0, 0xffffffff), fallback: 0 },
  initial: { must: { must: "a model", kind: isRecord } },
  anchor: { must: { must: "a model or { weights, intercepts }", kind: isRecord } },
  validation: {
    must: { must: "{ features, labels } or an array of them", kind: (v) => isRecord(v) || Array.isArray(v) },
  },
  onProgress: { must: aFunction },
  signal: { must: abortSignal },
  yieldEvery: {
    must: {
      must: '"auto", "never" or a number of milliseconds in [1, ∞)',
      kind: (v) => typeof v === "string" || isNumber(v),
      allows: (v: unknown) => v === "auto" || v === "never" || (isNumber(v) && (v as number) >= 1 && v !== Infinity),
    },
    fallback: "auto",
  },
};

const names = Object.keys(table);
export const settingNames: readonly string[] = names;

/** The constant feature as it is stored, which intercepts are multiples of; 0 where there is none. */
export const constantFeature = ({ intercept, interceptScale, precision }: Settings): number =>
  intercept ? (precision === "float32" ? Math.fround(interceptScale) : interceptScale) : 0;

/** Checks the options of `fit` against the table, one by one and then together, and fills in the defaults. */
export function resolveSettings(caller: string, options: FitOptions | undefined): Settings {
  const given: Record<string, unknown> = {};
  if (isRecord(options) && Object.hasOwn(options, "transfer")) {
    refuse(TypeError, caller, "transfer", 'goes with `fit` of what `connect` of "topk-sdca/worker" returns');
  }
  for (const [name, value] of Object.entries(readOptions<object>(caller, options, names as never[]))) {
    if (value === undefined) continue;
    check(caller, name, value, table[name].must);
    given[name] = value === 0 ? 0 : value; // -0 is no other number
  }
  if (given.C !== undefined && given.lambda !== undefined) {
    refuse(TypeError, caller, "C", `and "lambda" say the same thing, C = 1/(lambda n); give one of them`);
  }
  const settings: Record<string, unknown> = {};
  for (const name of names) settings[name] = given[name] ?? table[name].fallback;
  if (settings.classes) settings.classes = Array.from(settings.classes as Label[]); // of now
  if (settings.intercept && constantFeature(settings as unknown as Settings) === 0) {
    refuse(RangeError, caller, "interceptScale", `is ${settings.interceptScale as number}, which is 0 in float32`);
  }
  const parameters = Object.fromEntries(lossOptions.map((name) => [name, given[name]]));
  settings.loss = resolveLoss(caller, settings.loss, parameters as LossOptionValues);
  settings.kernel = resolveKernel(caller, given.kernel);
  if (settings.solver === "frank-wolfe") {
    const { name } = settings.loss as Loss;
    const owners = lossNames.filter(hasVertices);
    if (!owners.includes(name)) {
      refuse(RangeError, caller, "solver", `"frank-wolfe" goes with ${list(owners)}, not with the loss "${name}"`);
    }
    settings.direction ??= "pairwise";
  } else if (settings.direction !== undefined) {
    refuse(TypeError, caller, "direction", 'goes with solver: "frank-wolfe"');
  }
  if (settings.kernel && !isConvex(settings.loss as Loss)) {
    refuse(
      RangeError,
      caller,
      "kernel",
      `does not go with the loss "${(settings.loss as Loss).name}", which has no dual`,
    );
  }
  return settings as unknown as Settings;
}
