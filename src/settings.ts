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
import { resolveKernel, type KernelSetting } from "./kernelOption.ts";
import {
  aVariant,
  guesses,
  hasVertices,
  isConvex,
  lossNames,
  rankWeights,
  resolveLoss,
  type Loss,
  type LossOption,
  type LossOptionValues,
} from "./losses.ts";
import { kindOf } from "./platform/kindOf.ts";
import type { CommonOptions, FitOptions, HistoryRecord, Label } from "./types.ts";
import type { Direction } from "./wasm/atoms.ts";

/** Options of `fit` with every default filled in. */
export interface Settings {
  readonly loss: Loss;
  /** One of the two. */
  readonly C: number | undefined;
  readonly lambda: number | undefined;
  readonly classes: readonly Label[] | undefined;
  readonly sampleWeight: FitOptions["sampleWeight"];
  readonly classWeight: FitOptions["classWeight"];
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
  readonly initial: FitOptions["initial"];
  readonly anchor: FitOptions["anchor"];
  readonly validation: FitOptions["validation"];
  readonly onProgress: ((record: HistoryRecord) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly yieldEvery: "auto" | number | "never";
}

type OptionName = keyof CommonOptions | LossOption | "loss";

/** The options of `fit` that are given, each what the table says that it must be. */
type Given = { readonly [name in keyof CommonOptions]: Exclude<CommonOptions[name], undefined> } & LossOptionValues & {
    readonly loss?: string;
  };

/**
 * The one table of options: what each must be by itself. What they mean is said in types.ts, what goes together in
 * losses.ts, kernelOption.ts and below.
 */
const table: Readonly<Record<OptionName, Constraint>> = {
  loss: { must: "a string", kind: (v) => typeof v === "string" },
  k: guesses,
  gamma: nonnegative,
  variant: aVariant,
  rankWeights,
  C: positive,
  lambda: positive,
  classes: { must: "an array of labels", kind: Array.isArray },
  sampleWeight: { must: "an array, Float32Array or Float64Array", kind: (v) => Array.isArray(v) || isFloats(v) },
  classWeight: {
    must: '"balanced", a Map or an array of [label, weight] pairs',
    kind: (v) => typeof v === "string" || kindOf(v) === "Map" || Array.isArray(v),
    allows: (v: unknown) => typeof v !== "string" || v === "balanced",
    hint: (v) =>
      isRecord(v)
        ? "; Object.entries makes one where labels are strings, and [[0, 1], [1, 2]] is one where they are numbers"
        : "",
  },
  intercept: boolean,
  interceptScale: positive,
  scaling: oneOf(["none", "standard", "minmax", "unit-rows"]),
  kernel: { must: 'an object such as { name: "rbf", gamma: 1 }', kind: isRecord },
  precision: oneOf(["float32", "float64"]),
  tolerance: nonnegative,
  solver: oneOf(["sdca", "frank-wolfe"]),
  direction: oneOf(["standard", "away", "pairwise"]),
  maxEpochs: integer(0, Infinity),
  maxSeconds: number("[", 0, Infinity, "]"),
  seed: integer(0, 0xffffffff),
  initial: { must: "a model", kind: isRecord },
  anchor: { must: "a model or { weights, intercepts }", kind: isRecord },
  validation: { must: "{ features, labels } or an array of them", kind: (v) => isRecord(v) || Array.isArray(v) },
  onProgress: aFunction,
  signal: abortSignal,
  yieldEvery: {
    must: '"auto", "never" or a number of milliseconds in [1, ∞)',
    kind: (v) => typeof v === "string" || isNumber(v),
    allows: (v: unknown) => v === "auto" || v === "never" || (isNumber(v) && (v as number) >= 1 && v !== Infinity),
  },
};

/** The defaults. C has 1, unless `lambda` is given; `direction` has "pairwise", with Frank-Wolfe. */
const defaults = {
  loss: "softmax",
  sampleWeight: undefined,
  classWeight: undefined,
  intercept: true,
  interceptScale: 1,
  scaling: "none",
  precision: "float32",
  tolerance: 1e-3,
  solver: "sdca",
  maxEpochs: 1000,
  maxSeconds: Infinity,
  seed: 0,
  initial: undefined,
  anchor: undefined,
  validation: undefined,
  onProgress: undefined,
  signal: undefined,
  yieldEvery: "auto",
} as const;

const names = Object.keys(table) as OptionName[];
export const settingNames: readonly string[] = names;

/** The constant feature as it is stored, which intercepts are multiples of; 0 where there is none. */
export const constantFeature = ({ intercept, interceptScale, precision }: Settings): number =>
  intercept ? (precision === "float32" ? Math.fround(interceptScale) : interceptScale) : 0;

/** Checks the options of `fit` against the table, one by one and then together, and fills in the defaults. */
export function resolveSettings(caller: string, options: FitOptions | undefined): Settings {
  if (isRecord(options) && Object.hasOwn(options, "transfer")) {
    refuse(TypeError, caller, "transfer", 'goes with `fit` of what `connect` of "topk-sdca/worker" returns');
  }
  const { k, gamma, variant, rankWeights, ...given } = checked(caller, options);
  const { C, lambda, solver, direction } = given;
  if (C !== undefined && lambda !== undefined) {
    refuse(TypeError, caller, "C", `and "lambda" say the same thing, C = 1/(lambda n); give one of them`);
  }
  const loss = resolveLoss(caller, given.loss ?? defaults.loss, { k, gamma, variant, rankWeights });
  const settings: Settings = {
    ...defaults,
    ...given,
    loss,
    C: lambda === undefined ? (C ?? 1) : undefined,
    lambda,
    classes: given.classes && Array.from(given.classes), // a copy: the caller may change theirs during the fit
    kernel: resolveKernel(caller, given.kernel),
    direction: solver === "frank-wolfe" ? (direction ?? "pairwise") : direction,
  };
  if (settings.intercept && constantFeature(settings) === 0) {
    refuse(RangeError, caller, "interceptScale", `is ${settings.interceptScale}, which is 0 in float32`);
  }
  if (solver === "frank-wolfe") {
    const owners = lossNames.filter(hasVertices);
    if (!owners.includes(loss.name)) {
      refuse(RangeError, caller, "solver", `"frank-wolfe" goes with ${list(owners)}, not with the loss "${loss.name}"`);
    }
  } else if (direction !== undefined) {
    refuse(TypeError, caller, "direction", 'goes with solver: "frank-wolfe"');
  }
  if (settings.kernel && !isConvex(loss)) {
    refuse(RangeError, caller, "kernel", `does not go with the loss "${loss.name}", which has no dual`);
  }
  return settings;
}

/** The options that are given, each what the table says it must be. */
function checked(caller: string, options: FitOptions | undefined): Given {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(readOptions<object>(caller, options, names as never[]))) {
    if (value === undefined) continue;
    check(caller, name, value, table[name as OptionName]);
    given[name] = value === 0 ? 0 : value; // -0 is no other number
  }
  return given as Given;
}
