import { check, integer, nonnegative, oneOf, type Constraint } from "./constraints.ts";
import { describe, list, meant, refuse } from "./errors.ts";
import type { RankWeights, Variant } from "./types.ts";

/** The family of a loss and the domain of its dual variables, as the kernels name them. */
export type LossFamily = "HINGE" | "ENTROPY" | "TRUNCATED_ENTROPY" | "OVA_HINGE" | "OVA_LOGISTIC";
export type DualDomain = "SIMPLEX" | "TOPK" | "TOPK_INCLUSIVE" | "TOPK_BETA" | "WEIGHTED";

/** What training needs to know of a loss. */
export interface Loss {
  readonly name: string;
  readonly family: LossFamily;
  readonly domain: DualDomain;
  /** Guesses that count; of weighted-topk-hinge, weights above 0. */
  readonly k: number;
  /** Of weighted-topk-hinge: the weights as they were asked for, and those above 0 in numbers. */
  readonly rankWeights?: RankWeights;
  readonly weights?: readonly number[];
  readonly gamma: number;
  /** What is true of an example: one class, a set of classes, or either. */
  readonly label: "class" | "set" | "either";
  /** Whether every class is a problem of its own; otherwise the dual variables of an example sum to zero. */
  readonly oneVsAll: boolean;
}

/** Options that belong to a loss and not to every fit. */
export type LossOption = "k" | "gamma" | "variant" | "rankWeights";
export const lossOptions: readonly LossOption[] = ["k", "gamma", "variant", "rankWeights"];
export const variants: readonly Variant[] = ["alpha", "alpha-inclusive", "beta"];

// What the parameters of losses and proximal maps must be, whichever of them has one.
export const guesses = integer(1, Infinity);
export const aVariant = oneOf(variants);

/** Options of losses as they are given, each of the right kind. */
export interface LossOptionValues {
  readonly k?: number;
  readonly gamma?: number;
  readonly variant?: Variant;
  readonly rankWeights?: RankWeights;
}

/** What the j-th of k weights is in proportion to, j from 1. */
const shapes: Record<string, (j: number, k: number) => number> = {
  flat: () => 1,
  linear: (j, k) => k + 1 - j,
  exp: (j, k) => Math.exp(-j / k),
};

/** What `rankWeights` must be, but for the entries of a list. */
export const rankWeights: Constraint = {
  must: `${list(Object.keys(shapes)).replace(" and", ",")} or an array of numbers`,
  kind: (v) => typeof v === "string" || Array.isArray(v),
  allows: (v: string | unknown[]) => typeof v !== "string" || Object.hasOwn(shapes, v),
};

/** k weights of a named shape, with the sum 1. */
function weightsOf(shape: string, k: number): number[] {
  const shares = Array.from({ length: k }, (_, j) => shapes[shape](j + 1, k));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** Checks the entries of a list of weights, and returns those above 0. */
export function readWeights(caller: string, argument: string, given: ArrayLike<number>): number[] {
  const weights = Array.from(given);
  weights.forEach((weight, j) => {
    check(caller, argument, weight, nonnegative, `entry ${j}`);
    const before = weights[j - 1];
    if (weight > before)
      refuse(RangeError, caller, argument, `must not increase, but entry ${j} is ${weight} after ${before}`);
  });
  if (!(weights[0] > 0)) refuse(RangeError, caller, argument, "must have an entry above 0");
  return weights.filter((weight) => weight > 0);
}

interface LossEntry {
  /** Its own options; "k" is required where it is listed. */
  readonly options: readonly LossOption[];
  readonly variants?: readonly Variant[];
  readonly family: LossFamily;
  readonly domain: (variant: Variant) => DualDomain;
  /** Default "class". */
  readonly label?: Loss["label"];
}

/** Whether the objective is convex, and has a dual that bounds it from below. */
export const isConvex = ({ family }: Loss): boolean => family !== "TRUNCATED_ENTROPY";

const domains = { alpha: "TOPK", "alpha-inclusive": "TOPK_INCLUSIVE", beta: "TOPK_BETA" } as const;
const simplex = (): DualDomain => "SIMPLEX";
/** Dual domain of a variant: the top-k simplex, or what takes its place. */
export const topKDomain = (variant: Variant): DualDomain => domains[variant];
/** The variant that has this dual domain, if one has. */
export const variantOf = (domain: DualDomain): Variant | undefined =>
  variants.find((variant) => domains[variant] === domain);

/** The one table of losses. Formulas and sources stand with the kernels in assembly/loss and in docs/losses.md. */
const table: Record<string, LossEntry> = {
  softmax: { options: [], family: "ENTROPY", domain: simplex },
  hinge: { options: ["gamma"], family: "HINGE", domain: simplex },
  "topk-hinge": { options: ["k", "variant", "gamma"], family: "HINGE", domain: topKDomain },
  "weighted-topk-hinge": { options: ["rankWeights", "k", "gamma"], family: "HINGE", domain: () => "WEIGHTED" },
  "topk-entropy": {
    options: ["k", "variant"],
    variants: ["alpha", "beta"],
    family: "ENTROPY",
    domain: topKDomain,
  },
  "truncated-topk-entropy": { options: ["k"], family: "TRUNCATED_ENTROPY", domain: simplex },
  "ova-hinge": { options: ["gamma"], family: "OVA_HINGE", domain: simplex, label: "either" },
  "ova-logistic": { options: [], family: "OVA_LOGISTIC", domain: simplex, label: "either" },
  "multilabel-hinge": { options: ["gamma"], family: "HINGE", domain: simplex, label: "set" },
  "multilabel-softmax": { options: [], family: "ENTROPY", domain: simplex, label: "set" },
};

/** Kernels count in 32 bits; beyond the number of scores, larger k differ only in the bound C/k. */
export const MAX_K = 0x7fffffff;

export const lossNames: readonly string[] = Object.keys(table);
/** Those that take one label for each example. */
export const classLossNames: readonly string[] = lossNames.filter((name) => table[name].label !== "set");
/** Those that take sets of labels. */
export const setLossNames: readonly string[] = lossNames.filter((name) => (table[name].label ?? "class") !== "class");

/** Those that take nothing else. */
export const onlySetLossNames: readonly string[] = lossNames.filter((name) => table[name].label === "set");

/** The options that belong to a loss. */
export const optionsOf = (name: string): readonly LossOption[] => table[name].options;

/** Those of one label whose dual variables are combinations of vertices, linear in them: Frank-Wolfe solves them. */
export const hasVertices = (name: string): boolean =>
  table[name].family === "HINGE" && (table[name].label ?? "class") === "class";

/**
 * The loss called `name` with its options, which have been checked one by one already; what is left is what goes
 * together.
 */
export function resolveLoss(caller: string, name: unknown, given: LossOptionValues): Loss {
  if (typeof name !== "string") refuse(TypeError, caller, "loss", `must be a string, got ${describe(name)}`);
  if (!lossNames.includes(name)) {
    refuse(
      RangeError,
      caller,
      "loss",
      `must be one of ${list(lossNames, "or")}, got ${describe(name)}${meant(name, lossNames)}`,
    );
  }
  const { options, family, domain, label = "class", variants: allowed } = table[name];
  for (const option of lossOptions) {
    if (given[option] === undefined || options.includes(option)) continue;
    const owners = lossNames.filter((other) => table[other].options.includes(option));
    refuse(TypeError, caller, option, `does not belong to the loss "${name}"; it goes with ${list(owners)}`);
  }
  if (options.includes("rankWeights") && given.rankWeights === undefined) {
    refuse(TypeError, caller, "rankWeights", `must be given with the loss "${name}": ${rankWeights.must}`);
  }
  const listed = typeof given.rankWeights === "object";
  if (listed && given.k !== undefined) {
    refuse(TypeError, caller, "k", `goes with named "rankWeights"; a list has its own length`);
  }
  if (options.includes("k") && given.k === undefined && !listed) {
    refuse(TypeError, caller, "k", `must be given with the loss "${name}": the number of guesses that count`);
  }
  const variant = given.variant ?? "alpha";
  if (allowed && !allowed.includes(variant)) {
    refuse(
      RangeError,
      caller,
      "variant",
      `of the loss "${name}" must be one of ${list(allowed, "or")}, got ${describe(variant)}`,
    );
  }
  const { rankWeights: ranks, k = 1, gamma = 0 } = given;
  const oneVsAll = family.startsWith("OVA");
  const loss = { name, family, domain: domain(variant), k, gamma, label, oneVsAll };
  if (ranks === undefined) return loss;
  if (typeof ranks === "object") {
    const weights = readWeights(caller, "rankWeights", ranks);
    if (!Number.isFinite(weights.reduce((sum, weight) => sum + weight, 0))) {
      refuse(RangeError, caller, "rankWeights", "must have a sum that does not overflow");
    }
    return { ...loss, k: weights.length, rankWeights: Array.from(ranks), weights };
  }
  let weights: readonly number[] | undefined;
  return {
    ...loss,
    rankWeights: ranks,
    // Not before it is known that there are as many classes.
    get weights() {
      return (weights ??= weightsOf(ranks, k));
    },
  };
}

/**
 * Whether most dual variables of a solution are exactly zero: those of hinge losses, with respect to most classes,
 * unless most classes have a weight.
 */
export function hasSparseDuals({ family, weights }: Loss, numClasses: number): boolean {
  return family.endsWith("HINGE") && !(weights && 2 * weights.length > numClasses);
}

/** Whether a loss has all derivatives. */
export const isSmooth = ({ family }: Loss): boolean => family === "ENTROPY" || family === "OVA_LOGISTIC";

/**
 * k counts guesses among m classes: with k = m every guess is right, so it ends at m - 1. A list may weigh all classes.
 */
export function checkGuesses(caller: string, loss: Loss, numClasses: number): void {
  if (typeof loss.rankWeights === "object") return checkRanks(caller, loss, numClasses);
  if (loss.k < numClasses) return;
  refuse(
    RangeError,
    caller,
    "k",
    `must be an integer in [1, ${numClasses - 1}] (classes − 1), got ${describe(loss.k)}`,
  );
}

/** No more weights than classes. */
export function checkRanks(caller: string, { rankWeights, k }: Loss, numClasses: number): void {
  if (typeof rankWeights === "string") check(caller, "k", k, integer(1, numClasses));
  if (typeof rankWeights !== "object" || rankWeights.length <= numClasses) return;
  refuse(
    RangeError,
    caller,
    "rankWeights",
    `must have at most ${numClasses} entries (classes), got ${rankWeights.length}`,
  );
}
