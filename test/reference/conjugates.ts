import { isOneVsAll, isWeighted, others, penalty, weightsOf, type LossSpec } from "./losses.ts";
import { hullViolation } from "./permutahedron.ts";
import { sum } from "./sum.ts";

/**
 * A point v of the dual as the numbers x its domain is about: x_j = v_j of the classes but the true one where v sums to zero
 * anyway; x_j = -t_j v_j of all classes for the one-vs-all losses, t = +1 for the true class and -1 otherwise.
 */
export function dualEntries(spec: LossSpec, v: readonly number[], y: number): number[] {
  return isOneVsAll(spec) ? v.map((entry, j) => (j === y ? -entry : entry)) : others(v, y);
}

/**
 * How far x (see `dualEntries`) lies outside the dual domain of radius r, as the largest violation of one constraint,
 * divided by r; 0 inside.
 *
 *     softmax, hinge               x >= 0, sum x <= r
 *     topk-hinge, -entropy alpha   and x_j <= (sum x)/k
 *     topk-hinge alpha-inclusive   and x_j <= r/k, x_j <= (sum x)/(k-1) if k > 1
 *     topk-hinge, -entropy beta    and x_j <= r/k
 *     weighted-topk-hinge          see `hullViolation`
 *     ova-hinge, ova-logistic      0 <= x_j <= r
 */
export function domainViolation(spec: LossSpec, x: readonly number[], r = 1): number {
  const violations = x.map((entry) => -entry);
  if (isOneVsAll(spec)) return Math.max(0, ...violations, ...x.map((entry) => entry - r)) / r;
  if (isWeighted(spec)) return Math.max(0, hullViolation(x, weightsOf(spec, x.length + 1), r), ...violations) / r;
  const total = sum(x);
  violations.push(total - r);
  if (spec.loss === "topk-hinge" || spec.loss === "topk-entropy") {
    const k = spec.k as number;
    const variant = spec.variant ?? "alpha";
    // Multiplied out, these are exact for dyadic x.
    if (variant === "alpha") violations.push(...x.map((entry) => (k * entry - total) / k));
    else violations.push(...x.map((entry) => (k * entry - r) / k));
    if (variant === "alpha-inclusive" && k > 1) {
      violations.push(...x.map((entry) => ((k - 1) * entry - total) / (k - 1)));
    }
  }
  return Math.max(0, ...violations) / r;
}

/** |sum v|, which has to be 0 but for the one-vs-all losses. */
export function sumViolation(spec: LossSpec, v: readonly number[]): number {
  return isOneVsAll(spec) ? 0 : Math.abs(sum(v));
}

/** z log z, 0 at 0; what rounding left below 0 counts as 0. */
function entropyTerm(z: number): number {
  return z > 0 ? z * Math.log(z) : 0;
}

/**
 * The conjugate where it is finite, at the point that x stands for; no check of the domain.
 *
 *     hinge losses            -sum x + gamma/2 ||x||^2                        (Lapin, Hein, Schiele, PAMI 2018, Prop. 2)
 *     weighted-topk-hinge     -sum x + gamma/2 (||x||^2 + (sum x)^2)                      (Hirohashi and Kato 2020, Eq. 31)
 *     softmax, topk-entropy   <x, log x> + (1 - sum x) log(1 - sum x)         (Props 3 and 4)
 *     ova-logistic            <x, log x> + <1 - x, log(1 - x)>
 */
export function conjugateValue(spec: LossSpec, x: readonly number[]): number {
  switch (spec.loss) {
    case "softmax":
    case "topk-entropy":
      return sum([...x, sum([1, ...x.map((entry) => -entry)])].map(entropyTerm));
    case "ova-logistic":
      return sum([...x, ...x.map((entry) => 1 - entry)].map(entropyTerm));
    default:
      return sum([...x.map((entry) => -entry), ((spec.gamma ?? 0) / 2) * penalty(spec, x)]);
  }
}

/** L*(v) for v with one entry per class, or Infinity outside the domain by more than `tolerance`. */
export function conjugate(spec: LossSpec, v: readonly number[], y: number, tolerance = 0): number {
  const x = dualEntries(spec, v, y);
  const isInside = sumViolation(spec, v) <= tolerance && domainViolation(spec, x) <= tolerance;
  return isInside ? conjugateValue(spec, x) : Infinity;
}
