import type { Loss } from "../losses.ts";
import type { Kernels } from "./kernels.ts";

/**
 * Fills the kernels' description of a loss, at `loss`. Its rank weights, if it has any, go to f64[m]; scratch for m
 * classes is f64[m + 2], f64[m + 2] and f64[4 m + 8]. float32: whether dual variables are stored so.
 */
export function describeLoss(
  kernels: Kernels,
  buffer: ArrayBuffer,
  { family, domain, k, gamma, weights }: Loss,
  m: number,
  { loss, rankWeights, margins, duals, work }: Record<"loss" | "rankWeights" | "margins" | "duals" | "work", number>,
  float32 = false,
): void {
  if (weights) new Float64Array(buffer, rankWeights, m).fill(0).set(weights);
  const [kind, set] = [kernels[family].value, kernels[domain].value];
  kernels.describeLoss(loss, kind, set, k, gamma, float32, rankWeights, margins, duals, work);
}
