import type { LossSpec } from "../reference/losses.ts";
import type { Variant } from "../reference/topKSimplex.ts";
import knapsackEquality from "../vectors/A1_knapsack_eq.json" with { type: "json" };
import knapsackInequality from "../vectors/A2_knapsack_le.json" with { type: "json" };
import knapsackBiased from "../vectors/A3_knapsack_le_biased.json" with { type: "json" };

/** What the stored reference answers call our losses, as far as the package has them. */
const LOSSES: Record<string, { loss: LossSpec["loss"]; variant?: Variant }> = {
  softmax: { loss: "softmax" },
  svm_multi: { loss: "hinge" },
  topk_svm_alpha: { loss: "topk-hinge", variant: "alpha" },
  topk_svm_alpha_incl: { loss: "topk-hinge", variant: "alpha-inclusive" },
  topk_svm_beta: { loss: "topk-hinge", variant: "beta" },
  wtopk_svm: { loss: "weighted-topk-hinge" },
  topk_ent_alpha: { loss: "topk-entropy", variant: "alpha" },
  topk_ent_beta: { loss: "topk-entropy", variant: "beta" },
};

/** The fields that say which loss a stored case is about. */
export interface LossCase {
  loss: string;
  k?: number | null;
  gamma?: number | null;
  norm?: string | null;
  weights?: string | null;
}

/** Our name and options of the loss of a case; null for a loss or a smoothing norm that is not ours. */
export function lossSpecOf({ loss, k, gamma, norm, weights }: LossCase): LossSpec | null {
  const known = LOSSES[loss];
  if (known === undefined) return null;
  if (loss === "wtopk_svm") {
    return { ...known, rankWeights: weights as LossSpec["rankWeights"], k: k as number, gamma: gamma ?? 0 };
  }
  if (norm === "full") return null;
  return {
    ...known,
    ...(known.loss.startsWith("topk-") ? { k: k as number } : {}),
    ...(known.loss.endsWith("hinge") ? { gamma: gamma ?? 0 } : {}),
  };
}

/** A stored projection onto lo <= x_j <= hi with sum x = r, or sum x <= r; x is null where there is no such x. */
interface KnapsackCase {
  name: string;
  a: number[];
  r: number;
  lo: number | null;
  hi: number | null;
  rho?: number;
  x: number[] | null;
  atol: number;
}

const knapsackSuites: [name: string, equality: boolean, cases: KnapsackCase[]][] = [
  ["sum x = r", true, knapsackEquality],
  ["sum x <= r", false, knapsackInequality],
  ["sum x <= r, rho > 0", false, knapsackBiased],
];

/** The stored knapsack projections, in suites, with the options as ours are called. */
export const knapsackCases = knapsackSuites.map(([name, equality, cases]) => {
  const ours = cases.map(({ name, a, r, lo, hi, rho, x, atol }) => ({
    ...{ name, a, x, atol },
    options: { lo: lo ?? -Infinity, hi: hi ?? Infinity, radius: r, equality, rho },
  }));
  return [name, ours] as const;
});
