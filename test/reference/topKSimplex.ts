import { lastWhere } from "./bisect.ts";
import { equalityThreshold, knapsack, type Threshold } from "./knapsack.ts";
import { sum } from "./sum.ts";

export type Variant = "alpha" | "alpha-inclusive" | "beta";

export interface TopKOptions {
  k: number;
  radius?: number;
  rho?: number;
  variant?: Variant;
}

/** Below this the bound s/k of the search would be subnormal and lose digits. */
const SMALLEST_SUM = 2 ** -1000;

/** Sum of the k largest entries. */
export function sumOfLargest(a: readonly number[], k: number): number {
  return sum([...a].sort((s, t) => t - s).slice(0, k));
}

/**
 * argmin 1/2 ||x||^2 + rho/2 (sum x)^2 - <a, x>  over  0 <= x_j <= (sum x)/k, the top-k cone.
 * Zeros where k exceeds the length: sum x <= n (sum x)/k leaves nothing else.
 */
export function topKCone(a: readonly number[], options: { k: number; rho?: number }): number[] {
  return topKSimplex(a, { ...options, radius: Infinity });
}

/**
 * argmin 1/2 ||x||^2 + rho/2 (sum x)^2 - <a, x>  over  x >= 0, sum x <= r  and, by variant,
 *
 *     alpha            x_j <= (sum x)/k
 *     alpha-inclusive  x_j <= r/k,  x_j <= (sum x)/(k-1) if k > 1
 *     beta             x_j <= r/k
 *
 * For alpha and alpha-inclusive by bisection on s = sum x. At a fixed s the bound hi(s) is fixed and x(s) is a knapsack
 * projection with threshold t; the optimal value is convex in s and has the slope
 *
 *     rho s - t - hi'(s) sum_j max(0, a_j - t - hi(s))
 *
 * (differentiate the Lagrangian; the multiplier of x_j <= hi is max(0, a_j - t - hi)). s is where the slope changes
 * sign, or the end of its range. Domains: Lapin, Hein, Schiele, NIPS 2015, Prop. 5 and Lemmas 3-5.
 */
export function topKSimplex(a: readonly number[], options: TopKOptions): number[] {
  const { k, radius = 1, rho = 0, variant = "alpha" } = options;
  if (variant === "beta") return knapsack(a, { hi: radius / k, radius, rho }) as number[];

  const isInclusive = variant === "alpha-inclusive" && k > 1; // k = 1: both are the simplex
  const share = isInclusive ? k - 1 : k; // x_j <= s/share
  const box = isInclusive ? radius / k : Infinity;
  // Zero is optimal iff no direction of the cone ascends: the best one puts 1/share on the `share` largest entries.
  const x = a.map(() => 0);
  if (share > a.length || sumOfLargest(a, share) <= 0) return x;

  // Entries up to the threshold are 0 and have no part in the slope: the largest few give the whole answer if none of the others exceeds it.
  const falling = a.map((_, j) => j).sort((i, j) => a[j] - a[i]);
  for (let count = 4 * share + 4; ; count *= 2) {
    const largest = falling.slice(0, count);
    const found = solveBySum(
      largest.map((j) => a[j]),
      { share, box, radius, rho },
    );
    // Which the sum of pivot and offset, rounded, would not tell of an entry just above it.
    if (count < a.length && a[falling[count]] - found.pivot > found.offset) continue;
    largest.forEach((j, p) => (x[j] = found.x[p]));
    return x;
  }
}

/** The answer and its threshold, by bisection on s. */
function solveBySum(
  a: readonly number[],
  { share, box, radius, rho }: { share: number; box: number; radius: number; rho: number },
): Threshold {
  const n = a.length;
  const solve = (s: number) => equalityThreshold(a, 0, Math.min(s / share, box), s);
  const slope = (s: number): number => {
    const { pivot, offset } = solve(s);
    const hi = s / share;
    const cut = hi <= box ? a.map((entry) => Math.max(0, entry - pivot - offset - hi)) : [];
    return rho * s - (pivot + offset) - sum(cut) / share;
  };
  const reach = n * Math.max(...a); // ||x||^2 <= <a, x> and (sum x)^2 <= n ||x||^2 give sum x <= n max a
  const limit = Math.min(radius, n * box, reach);
  return solve(lastWhere((s) => slope(s) <= 0, Math.min(SMALLEST_SUM, limit), limit));
}
