import { others, type LossSpec } from "./losses.ts";
import { dot, sum } from "./sum.ts";

/**
 * How far x (one entry per class but the true one) lies outside the dual domain of radius r, as the largest violation of
 * one constraint, divided by r; 0 inside.
 *
 *     softmax, hinge              x >= 0, sum x <= r
 *     topk-hinge alpha            and x_j <= (sum x)/k
 *     topk-hinge alpha-inclusive  and x_j <= r/k, x_j <= (sum x)/(k-1) if k > 1
 *     topk-hinge beta             and x_j <= r/k
 */
export function domainViolation(spec: LossSpec, x: readonly number[], r = 1): number {
  const total = sum(x);
  const violations = [total - r, ...x.map((entry) => -entry)];
  if (spec.loss === "topk-hinge") {
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

/** z log z, 0 at 0; what rounding left below 0 counts as 0. */
function entropyTerm(z: number): number {
  return z > 0 ? z * Math.log(z) : 0;
}

/**
 * The conjugate where it is finite, at v_y = -sum x and v_j = x_j; no check of the domain.
 * Hinge losses: -sum x + gamma/2 ||x||^2 (Lapin, Hein, Schiele, PAMI 2018, Prop. 2);
 * softmax: <x, log x> + (1 - sum x) log(1 - sum x) (Prop. 3).
 */
export function conjugateValue(spec: LossSpec, x: readonly number[]): number {
  if (spec.loss === "softmax") return sum([...x, sum([1, ...x.map((entry) => -entry)])].map(entropyTerm));
  return sum([...x.map((entry) => -entry), ((spec.gamma ?? 0) / 2) * dot(x, x)]);
}

/** L*(v) for v with one entry per class, or Infinity outside the domain by more than `tolerance`. */
export function conjugate(spec: LossSpec, v: readonly number[], y: number, tolerance = 0): number {
  const x = others(v, y);
  const isInside = Math.abs(sum(v)) <= tolerance && domainViolation(spec, x) <= tolerance;
  return isInside ? conjugateValue(spec, x) : Infinity;
}
