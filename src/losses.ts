import { describe, list, nearest } from "./errors.ts";
import type { Variant } from "./types.ts";
import type { KernelConstant } from "./wasm/kernels.ts";

/** What the kernels need to know of a loss, and what the model needs to know of its scores. */
export interface Loss {
  readonly name: string;
  /** Names of the kernel constants of the loss family and of its dual domain. */
  readonly family: KernelConstant;
  readonly domain: KernelConstant;
  readonly k: number;
  readonly gamma: number;
  /** Whether softmax of the scores is a probability. */
  readonly probabilistic: boolean;
}

/** Options that belong to a loss and not to every fit. */
export type LossOption = "k" | "gamma" | "variant";
export const lossOptions: readonly LossOption[] = ["k", "gamma", "variant"];
export const variants: readonly Variant[] = ["alpha", "alpha-inclusive", "beta"];

interface LossEntry {
  /** Its own options; "k" is required where it is listed. */
  readonly options: readonly LossOption[];
  readonly family: KernelConstant;
  readonly probabilistic: boolean;
  readonly domain: (variant: Variant) => KernelConstant;
}

/** The one table of losses. Formulas and sources stand with the kernels in assembly/loss and in the README. */
const table: Record<string, LossEntry> = {
  softmax: { options: [], family: "SOFTMAX", probabilistic: true, domain: () => "SIMPLEX" },
  hinge: { options: ["gamma"], family: "HINGE", probabilistic: false, domain: () => "SIMPLEX" },
  "topk-hinge": {
    options: ["k", "variant", "gamma"],
    family: "HINGE",
    probabilistic: false,
    domain: (variant) =>
      (({ alpha: "TOPK", "alpha-inclusive": "TOPK_INCLUSIVE", beta: "TOPK_BETA" }) as const)[variant],
  },
};

export const lossNames: readonly string[] = Object.keys(table);

/** The loss called `name` with its options, which have been checked one by one already; what is left is what goes together. */
export function resolveLoss(
  caller: string,
  name: unknown,
  given: { k?: number; gamma?: number; variant?: Variant },
): Loss {
  if (typeof name !== "string") throw new TypeError(`${caller}: "loss" must be a string, got ${describe(name)}`);
  if (!lossNames.includes(name)) {
    throw new RangeError(
      `${caller}: "loss" must be one of ${list(lossNames, "or")}, got ${describe(name)}; did you mean "${nearest(name, lossNames)}"?`,
    );
  }
  const { options, family, domain, probabilistic } = table[name];
  for (const option of lossOptions) {
    if (given[option] === undefined || options.includes(option)) continue;
    const owners = lossNames.filter((other) => table[other].options.includes(option));
    throw new TypeError(`${caller}: "${option}" does not belong to the loss "${name}"; it goes with ${list(owners)}`);
  }
  if (options.includes("k") && given.k === undefined) {
    throw new TypeError(`${caller}: "k" must be given with the loss "${name}": the number of guesses that count`);
  }
  return {
    name,
    family,
    domain: domain(given.variant ?? "alpha"),
    k: given.k ?? 1,
    gamma: given.gamma ?? 0,
    probabilistic,
  };
}

/** The losses for which `Model.probabilities` has a meaning. */
export const probabilisticLosses: readonly string[] = lossNames.filter((name) => table[name].probabilistic);

/** k counts guesses among m classes: with k = m every guess is right, so it ends at m - 1. */
export function checkGuesses(caller: string, loss: Loss, numClasses: number): void {
  if (loss.k < numClasses) return;
  throw new RangeError(
    `${caller}: "k" must be an integer in [1, ${numClasses - 1}] (classes − 1), got ${describe(loss.k)}`,
  );
}
