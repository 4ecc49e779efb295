import { knapsack } from "./knapsack.ts";
import { projectWeighted, rankWeightsOf, weighed } from "./permutahedron.ts";
import { dot, sum } from "./sum.ts";
import { sigmoid, topKEntropy } from "./topKEntropy.ts";
import { sumOfLargest, topKSimplex, type Variant } from "./topKSimplex.ts";

/** A loss under the names of the public API. k and variant belong to the top-k losses, gamma to the hinges. */
export interface LossSpec {
  loss: "softmax" | "hinge" | "topk-hinge" | "weighted-topk-hinge" | "topk-entropy" | "ova-hinge" | "ova-logistic";
  k?: number;
  variant?: Variant;
  gamma?: number;
  rankWeights?: "flat" | "linear" | "exp" | readonly number[];
}

/** Whether every class is a binary problem of its own. */
export function isOneVsAll({ loss }: LossSpec): boolean {
  return loss.startsWith("ova-");
}

/** The entries but the one of the true class. */
export function others(u: readonly number[], y: number): number[] {
  return u.filter((_, j) => j !== y);
}

/**
 * Value of a multiclass loss at the scores u, true class y; h_j = 1 + u_j - u_y for j != y.
 *
 *     softmax                     log sum_j exp(u_j - u_y)
 *     hinge                       max(0, h_(1))
 *     topk-hinge alpha            max(0, (1/k) sum of the k largest h_j); 0 where there are fewer than k
 *     topk-hinge alpha-inclusive  the same with one more entry 0, the margin of the true class
 *     topk-hinge beta             (1/k) sum of the k largest max(0, h_j)
 *     weighted-topk-hinge         max(0, sum_j rho_j z_(j)), z the h_j and 0 together; gamma > 0: max <h, x> - gamma/2 (||x||^2 +
 *                                 (sum x)^2), the penalty has the true class's entry, too
 *     gamma > 0                   max <h, x> - gamma/2 ||x||^2 over the x of `maximiser`; the penalty has no entry for y
 *     topk-entropy                max <g, z> - <z, log z> - (1-s) log(1-s), s = sum z, g_j = u_j - u_y, over the z of
 *                                 `topKEntropy` with alpha = 0
 *     ova-hinge, ova-logistic     sum over all classes of `binaryValue` at t u: t = +1 for y, -1 for the others
 *
 * Lapin, Hein, Schiele, PAMI 2018, section 3, Props 2 and 4; the two forms of alpha: Hirohashi and Kato 2020.
 */
export function lossValue(spec: LossSpec, u: readonly number[], y: number): number {
  if (isOneVsAll(spec)) return sum(u.map((score, j) => binaryValue(spec, j === y ? score : -score)));
  if (spec.loss === "topk-entropy") return topKEntropyValue(spec, u, y);
  if (spec.loss === "softmax") {
    const top = Math.max(...u);
    const rest = sum(u.filter((_, j) => j !== u.indexOf(top)).map((score) => Math.exp(score - top)));
    return top - u[y] + Math.log1p(rest);
  }
  const h = margins(u, y);
  if ((spec.gamma ?? 0) > 0) {
    const x = maximiser(spec, h);
    return dot(h, x) - ((spec.gamma as number) / 2) * penalty(spec, x);
  }
  if (isWeighted(spec)) return Math.max(0, weighed([...h, 0], weightsOf(spec, h.length + 1)));
  const k = spec.loss === "hinge" ? 1 : (spec.k as number);
  switch (spec.loss === "hinge" ? "alpha" : (spec.variant ?? "alpha")) {
    case "alpha":
      return k > h.length ? 0 : Math.max(0, sumOfLargest(h, k) / k);
    case "alpha-inclusive":
      return k > h.length + 1 ? 0 : Math.max(0, sumOfLargest([...h, 0], k) / k);
    case "beta":
      return (
        sumOfLargest(
          h.map((margin) => Math.max(0, margin)),
          k,
        ) / k
      );
  }
}

/** The gradient in the scores, or a subgradient where there are several: x_j at j != y and -sum x at y, or class by class. */
export function lossGradient(spec: LossSpec, u: readonly number[], y: number): number[] {
  if (isOneVsAll(spec)) {
    return u.map((score, j) => (j === y ? binarySlope(spec, score) : 0 - binarySlope(spec, -score)));
  }
  const x = duals(spec, u, y);
  const gradient = [...x];
  gradient.splice(y, 0, -sum(x));
  return gradient;
}

function duals(spec: LossSpec, u: readonly number[], y: number): number[] {
  if (spec.loss === "softmax") return softmaxOfOthers(u, y);
  if (spec.loss === "topk-entropy") return topKEntropyPoint(spec, u, y).z;
  return maximiser(spec, margins(u, y));
}

const scoresAgainst = (u: readonly number[], y: number): number[] => others(u, y).map((score) => score - u[y]);

function topKEntropyPoint({ k, variant }: LossSpec, u: readonly number[], y: number) {
  return topKEntropy(scoresAgainst(u, y), { k: k as number, alpha: 0, variant: variant as "alpha" | "beta" });
}

function topKEntropyValue(spec: LossSpec, u: readonly number[], y: number): number {
  const { z, oneMinusS } = topKEntropyPoint(spec, u, y);
  const g = scoresAgainst(u, y);
  const terms = z.map((entry, j) => (entry > 0 ? entry * (g[j] - Math.log(entry)) : 0));
  const s = sum(z);
  if (oneMinusS > 0) terms.push(-oneMinusS * (s < 0.5 ? Math.log1p(-s) : Math.log(oneMinusS)));
  return sum(terms);
}

/**
 * A binary loss at t u.
 *
 *     ova-logistic            log(1 + exp(-t u))
 *     ova-hinge               max(0, 1 - t u)
 *     ova-hinge, gamma > 0    0 if t u > 1, (1 - t u)^2/(2 gamma) if 1 - gamma <= t u <= 1, 1 - t u - gamma/2 below
 */
export function binaryValue({ loss, gamma = 0 }: LossSpec, tu: number): number {
  if (loss === "ova-logistic") return Math.max(0, -tu) + Math.log1p(Math.exp(-Math.abs(tu)));
  if (tu > 1) return 0;
  if (1 - tu >= gamma) return 1 - tu - gamma / 2;
  return (1 - tu) ** 2 / (2 * gamma);
}

/** Its derivative in t u; where the hinge has a kink, the one from the right. */
function binarySlope({ loss, gamma = 0 }: LossSpec, tu: number): number {
  if (loss === "ova-logistic") return -sigmoid(-tu);
  if (tu >= 1) return 0;
  return 1 - tu >= gamma ? -1 : -(1 - tu) / gamma;
}

export const isWeighted = ({ loss }: LossSpec): boolean => loss === "weighted-topk-hinge";

/** The weights of weighted-topk-hinge, one for each of m classes. */
export const weightsOf = ({ rankWeights, k }: LossSpec, m: number): number[] => rankWeightsOf(rankWeights!, k, m);

/** ||x||^2, and (sum x)^2 where the true class's entry counts. */
export const penalty = (spec: LossSpec, x: readonly number[]): number =>
  dot(x, x) + (isWeighted(spec) ? sum(x) ** 2 : 0);

function margins(u: readonly number[], y: number): number[] {
  return others(u, y).map((score) => score - u[y] + 1);
}

function softmaxOfOthers(u: readonly number[], y: number): number[] {
  const top = Math.max(...u);
  const weights = u.map((score) => Math.exp(score - top));
  const total = sum(weights);
  return others(weights, y).map((weight) => weight / total);
}

/**
 * argmax <h, x> - gamma/2 ||x||^2 over the dual domain of radius 1. gamma > 0: the projection of h onto the domain of
 * radius gamma, divided by gamma. gamma = 0: the vertex that the k largest margins select.
 */
function maximiser(spec: LossSpec, h: readonly number[]): number[] {
  const gamma = spec.gamma ?? 0;
  if (isWeighted(spec)) {
    const w = weightsOf(spec, h.length + 1);
    if (gamma > 0) return projectWeighted(h, w, gamma).map((entry) => entry / gamma);
    const z = [...h, 0];
    if (weighed(z, w) <= 0) return h.map(() => 0);
    const ranked = z.map((_, j) => j).sort((i, j) => z[j] - z[i]);
    return h.map((_, j) => w[ranked.indexOf(j)]);
  }
  const k = spec.loss === "hinge" ? 1 : (spec.k as number);
  const variant = spec.loss === "hinge" ? "alpha" : (spec.variant ?? "alpha");
  if (gamma > 0) {
    const x = spec.loss === "hinge" ? knapsack(h, { radius: gamma }) : topKSimplex(h, { k, radius: gamma, variant });
    return (x as number[]).map((entry) => entry / gamma);
  }
  const order = h.map((_, j) => j).sort((i, j) => h[j] - h[i]);
  const x = h.map(() => 0);
  let chosen = order.slice(0, k);
  if (variant === "alpha" && (k > h.length || sumOfLargest(h, k) <= 0)) chosen = [];
  if (variant === "beta") chosen = chosen.filter((j) => h[j] > 0);
  if (variant === "alpha-inclusive") {
    if (k > h.length + 1 || sumOfLargest([...h, 0], k) <= 0) chosen = [];
    else if (k > h.length || h[order[k - 1]] <= 0) chosen = order.slice(0, k - 1); // the true class is among the k
  }
  for (const j of chosen) x[j] = 1 / k;
  return x;
}
