import { describe, list, nearest, refuse } from "./errors.ts";
import type { Variant } from "./types.ts";
import type { DualDomain, LossFamily } from "./wasm/kernels.ts";

/** What training needs to know of a loss. */
export interface Loss {
  readonly name: string;
  /** Names of the kernel constants of the loss family and of its dual domain. */
  readonly family: LossFamily;
  readonly domain: DualDomain;
  readonly k: number;
  readonly gamma: number;
  /** What is true of an example: one class, a set of classes, or either. */
  readonly label: "class" | "set" | "either";
  /** Whether every class is a problem of its own; otherwise the dual variables of an example sum to zero. */
  readonly oneVsAll: boolean;
  /** Whether most dual variables of a solution are exactly zero: those of hinge losses, with respect to most classes. */
  readonly sparse: boolean;
}

/** Options that belong to a loss and not to every fit. */
export type LossOption = "k" | "gamma" | "variant";
export const lossOptions: readonly LossOption[] = ["k", "gamma", "variant"];
export const variants: readonly Variant[] = ["alpha", "alpha-inclusive", "beta"];

interface LossEntry {
  /** Its own options; "k" is required where it is listed. */
  readonly options: readonly LossOption[];
  readonly variants?: readonly Variant[];
  readonly family: LossFamily;
  readonly domain: (variant: Variant) => DualDomain;
  /** Default "class". */
  readonly label?: Loss["label"];
}

const domains = { alpha: "TOPK", "alpha-inclusive": "TOPK_INCLUSIVE", beta: "TOPK_BETA" } as const;
const simplex = (): DualDomain => "SIMPLEX";
const topK = (variant: Variant): DualDomain => domains[variant];

/** The one table of losses. Formulas and sources stand with the kernels in assembly/loss and in the README. */
const table: Record<string, LossEntry> = {
  softmax: { options: [], family: "ENTROPY", domain: simplex },
  hinge: { options: ["gamma"], family: "HINGE", domain: simplex },
  "topk-hinge": { options: ["k", "variant", "gamma"], family: "HINGE", domain: topK },
  "topk-entropy": {
    options: ["k", "variant"],
    variants: ["alpha", "beta"],
    family: "ENTROPY",
    domain: topK,
  },
  "ova-hinge": { options: ["gamma"], family: "OVA_HINGE", domain: simplex, label: "either" },
  "ova-logistic": { options: [], family: "OVA_LOGISTIC", domain: simplex, label: "either" },
  "multilabel-hinge": { options: ["gamma"], family: "HINGE", domain: simplex, label: "set" },
  "multilabel-softmax": { options: [], family: "ENTROPY", domain: simplex, label: "set" },
};

export const lossNames: readonly string[] = Object.keys(table);
/** Those that take sets of labels. */
export const setLossNames: readonly string[] = lossNames.filter((name) => (table[name].label ?? "class") !== "class");

/** The loss called `name` with its options, which have been checked one by one already; what is left is what goes together. */
export function resolveLoss(
  caller: string,
  name: unknown,
  given: { k?: number; gamma?: number; variant?: Variant },
): Loss {
  if (typeof name !== "string") refuse(TypeError, caller, "loss", `must be a string, got ${describe(name)}`);
  if (!lossNames.includes(name)) {
    refuse(
      RangeError,
      caller,
      "loss",
      `must be one of ${list(lossNames, "or")}, got ${describe(name)}; did you mean "${nearest(name, lossNames)}"?`,
    );
  }
  const { options, family, domain, label = "class", variants: allowed } = table[name];
  for (const option of lossOptions) {
    if (given[option] === undefined || options.includes(option)) continue;
    const owners = lossNames.filter((other) => table[other].options.includes(option));
    refuse(TypeError, caller, option, `does not belong to the loss "${name}"; it goes with ${list(owners)}`);
  }
  if (options.includes("k") && given.k === undefined) {
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
  return {
    name,
    family,
    domain: domain(variant),
    k: given.k ?? 1,
    gamma: given.gamma ?? 0,
    label,
    oneVsAll: family.startsWith("OVA"),
    sparse: family.endsWith("HINGE"),
  };
}

/** k counts guesses among m classes: with k = m every guess is right, so it ends at m - 1. */
export function checkGuesses(caller: string, loss: Loss, numClasses: number): void {
  if (loss.k < numClasses) return;
  refuse(
    RangeError,
    caller,
    "k",
    `must be an integer in [1, ${numClasses - 1}] (classes − 1), got ${describe(loss.k)}`,
  );
}
