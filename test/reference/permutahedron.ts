import { lastWhere } from "./bisect.ts";
import { sum } from "./sum.ts";

/**
 * The hull of 0 and the permutahedron P(w) of w, w_1 >= w_2 >= ... >= 0: { s z : z in P(w), 0 <= s <= r }. A vector is in s P(w) if its
 * l largest entries sum to at most s (w_1 + ... + w_l), and all entries to s times all weights. Found by bisection on s, and with
 * the formula of all averages in the place of pooling.
 */

/** The weights by name, or as they are, filled up with zeros to one for each of m classes. */
export function rankWeightsOf(given: string | readonly number[], k: number | undefined, m: number): number[] {
  const ranks = Array.from({ length: k ?? 0 }, (_, i) => i + 1);
  const size = k as number;
  const shares: Record<string, number[]> = {
    flat: ranks.map(() => 1 / size),
    linear: ranks.map((j) => (2 * (size + 1 - j)) / (size * (size + 1))),
    exp: ranks.map((j) => Math.exp(-j / size) / sum(ranks.map((i) => Math.exp(-i / size)))),
  };
  const weights = typeof given === "string" ? shares[given] : given;
  return Array.from({ length: m }, (_, j) => weights[j] ?? 0);
}

/** sum w_j z_(j): the support function of P(w). */
export function weighed(z: readonly number[], w: readonly number[]): number {
  const sorted = [...z].sort((a, b) => b - a);
  return sum(sorted.map((entry, j) => entry * w[j]));
}

/**
 * The projection of z onto s P(w): z less the nonincreasing sequence nearest to z - s w, both sorted, which is at i the least over starts
 * at or before i of the largest average over ends at or after i. Averages are of what is left when z_i is taken off.
 */
function projectOnto(z: readonly number[], w: readonly number[], s: number): number[] {
  const order = z.map((_, j) => j).sort((i, j) => z[j] - z[i]);
  const x = z.map(() => 0);
  const rest = new Float64Array(z.length);
  order.forEach((i, rank) => {
    for (let l = 0; l < z.length; l++) rest[l] = z[order[l]] - z[i] - s * w[l];
    let least = Infinity;
    let before = 0; // from the start to the one before i
    for (let start = rank; start >= 0; start--) {
      if (start < rank) before += rest[start];
      let largest = -Infinity;
      let total = before;
      for (let end = rank; end < z.length && largest < least; end++) {
        total += rest[end];
        largest = Math.max(largest, total / (end + 1 - start));
      }
      least = Math.min(least, largest);
    }
    x[i] = 0 - least;
  });
  return x;
}

/** The least s in [0, r] from which on `slope`, which does not fall, is positive. */
const root = (slope: (s: number) => number, r: number): number => lastWhere((s) => slope(s) <= 0, 0, r);

/** argmin 1/2 ||x - a||^2 over the hull: the derivative of that in s is -<a - x(s), w>, entries and weights sorted alike. */
export function projectHull(a: readonly number[], w: readonly number[], r = 1): number[] {
  const slope = (s: number): number => {
    const x = projectOnto(a, w, s);
    const order = a.map((_, j) => j).sort((i, j) => a[j] - a[i]);
    return -sum(order.map((j, rank) => (a[j] - x[j]) * w[rank]));
  };
  return projectOnto(a, w, root(slope, r));
}

/**
 * argmin 1/2 ||x||^2 + 1/2 (sum x)^2 - <a, x> over the x for which some share v >= 0 of the true class gives (x, v) in s P(w), s <= r.
 * There is one more weight than entries. sum x = s sum w - v, so (x, v) is the projection of (a, s sum w) onto s P(w).
 */
export function projectWeighted(a: readonly number[], w: readonly number[], r: number): number[] {
  const R = sum(w);
  const full = (s: number): number[] => projectOnto([...a, s * R], w, s);
  const slope = (s: number): number => {
    const z = [...a, s * R];
    const x = full(s);
    const order = z.map((_, j) => j).sort((i, j) => z[j] - z[i]);
    const own = z[a.length] - x[a.length];
    return sum(order.map((j, rank) => (own - (z[j] - x[j])) * w[rank]));
  };
  return full(root(slope, r)).slice(0, -1);
}

/**
 * How far x >= 0 is from being in s P(w) with some share of the true class and some s <= r: by how much the least s that the sums of its
 * largest entries need exceeds r, or what the sums of its smallest entries allow.
 */
export function hullViolation(x: readonly number[], w: readonly number[], r: number): number {
  const sorted = [...x].sort((a, b) => b - a);
  const needed = sorted.map((_, l) => sum(sorted.slice(0, l + 1)) / sum(w.slice(0, l + 1)));
  const allowed = sorted.map((_, l) => {
    const left = sum(w.slice(l + 1));
    return left > 0 ? sum(sorted.slice(l)) / left : Infinity;
  });
  return Math.max(0, ...needed) - Math.min(r, ...allowed);
}
