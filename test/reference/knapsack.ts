import { lastWhere } from "./bisect.ts";
import { compensated, sum } from "./sum.ts";

export interface KnapsackOptions {
  lo?: number;
  hi?: number;
  radius?: number;
  equality?: boolean;
  rho?: number;
}

/** x_j = clamp(a_j - pivot - offset, lo, hi): the threshold is kept in two parts because their sum may round. */
export interface Threshold {
  x: number[];
  pivot: number;
  offset: number;
}

const clamp = (value: number, lo: number, hi: number): number => Math.min(Math.max(value, lo), hi);

/**
 * The projection of a onto { sum x = r, lo <= x_j <= hi } and its threshold t = pivot + offset, by brute force over the
 * breakpoints: S(t) = sum clamp(a_j - t, lo, hi) is piecewise linear and falls in t, with corners at a_j - hi and
 * a_j - lo; sort them, find the piece that crosses r, and solve the linear equation there.
 *
 * a is measured from the entry nearest to t, so the error is relative to r and the bounds and not to |a|.
 * The caller sees to n lo <= r <= n hi; where that fails by rounding, the nearer corner is returned.
 */
export function equalityThreshold(a: readonly number[], lo: number, hi: number, radius: number): Threshold {
  let pivot = Math.max(...a);
  for (let round = 0; ; round++) {
    const shifted = a.map((entry) => entry - pivot);
    const offset = crossing(shifted, lo, hi, radius);
    const distances = shifted.map((entry) => Math.abs(entry - offset));
    const nearest = a[distances.indexOf(Math.min(...distances))];
    if (nearest === pivot || round === 5) {
      return { x: shifted.map((entry) => clamp(entry - offset, lo, hi)), pivot, offset };
    }
    pivot = nearest;
  }
}

function crossing(a: readonly number[], lo: number, hi: number, radius: number): number {
  const mass = (t: number): number => compensated(a.length, (j) => clamp(a[j] - t, lo, hi));
  const corners = Float64Array.from([...a.map((entry) => entry - hi), ...a.map((entry) => entry - lo)]);
  const edges = [Infinity, ...corners.filter(Number.isFinite).sort().reverse(), -Infinity];

  let low = 0;
  let high = edges.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (mass(edges[middle]) <= radius) low = middle;
    else high = middle;
  }
  const top = edges[low];
  const bottom = edges[Math.min(low + 1, edges.length - 1)];
  const isFree = (entry: number): boolean => entry - hi <= bottom && entry - lo >= top;
  const free = a.filter(isFree);
  // No slope between two corners: an entry's own two corners may have fallen together at this scale. Where they did is the
  // place to go on from, with that entry as pivot.
  const collapsed = (t: number): boolean => a.some((entry) => entry - hi === t && entry - lo === t);
  if (free.length === 0 && !collapsed(top) && collapsed(bottom) && exceeds(radius, mass(top), a.length)) return bottom;
  if (free.length === 0) return Number.isFinite(top) ? top : top > 0 ? edges[1] : edges[edges.length - 2];
  const fixed = a.filter((entry) => !isFree(entry)).map((entry) => (entry - hi >= top ? hi : lo));
  return sum([...free, ...fixed, -radius]) / free.length;
}

/**
 * argmin 1/2 ||x||^2 + rho/2 (sum x)^2 - <a, x>  over  lo <= x_j <= hi,  sum x = r (equality) or sum x <= r.
 *
 * The inequality: x_j = clamp(a_j - t, lo, hi) with t = rho sum x (bisection), unless that sum exceeds r: then
 * sum x = r, and rho no longer matters. Lapin, Hein, Schiele, NIPS 2015, Eq. 10. Null where the set is empty.
 */
export function knapsack(a: readonly number[], options: KnapsackOptions = {}): number[] | null {
  const { lo = 0, hi = Infinity, radius = 1, equality = false, rho = 0 } = options;
  const n = a.length;
  if (lo > hi || exceeds(n * lo, radius, n) || (equality && exceeds(radius, n * hi, n))) return null;
  if (!equality) {
    const boxed = (t: number): number[] => a.map((entry) => clamp(entry - t, lo, hi));
    const reach = 2 * Math.max(...a.map(Math.abs), Math.abs(lo)) * (1 + n * rho);
    const t = rho === 0 ? 0 : lastWhere((t) => rho * sum(boxed(t)) >= t, -reach, reach);
    const x = boxed(t);
    if (sum(x) <= radius) return x;
  }
  return equalityThreshold(a, lo, hi, radius).x;
}

/** left > right beyond the rounding of the n-term products and quotients that bounds come from, such as n (r / n) > r. */
function exceeds(left: number, right: number, n: number): boolean {
  return left - right > 4 * n * Number.EPSILON * Math.min(Math.abs(left), Math.abs(right));
}
