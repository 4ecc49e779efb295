import { dot, sum } from "../reference/sum.ts";
import { sumOfLargest, type Variant } from "../reference/topKSimplex.ts";
import { EPS, maxAbs } from "./expect.ts";

/** A set over which a linear form can be maximised exactly: `support(g)` = max <g, v>. */
export interface ConvexSet {
  support(g: readonly number[]): number;
}

/** lo <= v_j <= hi with sum v = r or sum v <= r: start at lo and hand out the rest, best entries first. */
export function knapsackSet(lo: number, hi: number, radius: number, equality: boolean): ConvexSet {
  return {
    support(g) {
      let left = radius - g.length * lo;
      const terms = g.map((slope) => slope * lo);
      for (const slope of [...g].sort((s, t) => t - s)) {
        if (left <= 0 || (!equality && slope <= 0)) break;
        const amount = Math.min(left, hi - lo);
        terms.push(slope * amount);
        left -= amount;
      }
      return sum(terms);
    },
  };
}

/** The domain of a top-k loss: its support function is the loss itself, as a function of the margins. */
export function topKSet(variant: Variant, k: number, radius: number): ConvexSet {
  return {
    support(g) {
      if (variant === "beta")
        return (
          (radius / k) *
          sumOfLargest(
            g.map((slope) => Math.max(0, slope)),
            k,
          )
        );
      const slopes = variant === "alpha" ? g : [...g, 0];
      return k > slopes.length ? 0 : Math.max(0, (radius / k) * sumOfLargest(slopes, k));
    },
  };
}

/**
 * How far x is from minimising 1/2 ||v||^2 + rho/2 (sum v)^2 - <a, v> over the set: max <a - x - rho (sum x) 1, v - x>
 * over its v. The minimiser is the one point of the set where this is 0, and elsewhere it bounds the excess of the objective.
 */
export function excess(set: ConvexSet, a: readonly number[], x: ArrayLike<number>, rho: number): number {
  const point = Array.from(x);
  const total = sum(point);
  const g = a.map((entry, j) => entry - point[j] - rho * total);
  return set.support(g) - dot(g, point);
}

/**
 * The same for alpha/2 (||v||^2 + s^2) - <b, v> + <v, log v> + (1-s) log(1-s), s = sum v, over a top-k domain, with the
 * tolerance that goes with it. Entries that have underflowed are left out: there the gradient is infinite. The rounding of z
 * is that of 1 - s too, where it counts by its logarithm; no statement where 1 - s is lost in it.
 */
export function entropyExcess(
  set: ConvexSet,
  b: readonly number[],
  z: ArrayLike<number>,
  alpha: number,
): { excess: number; tolerance: number } {
  const kept = b.map((_, j) => j).filter((j) => z[j] >= 2 ** -1022);
  const point = kept.map((j) => z[j]);
  const s = sum(point);
  const own = sum([1, ...point.map((entry) => -entry)]);
  const unit = 16 * b.length * EPS;
  if (own <= unit || point.length === 0) return { excess: 0, tolerance: 0 };
  const g = kept.map((j, i) => sum([b[j], -alpha * point[i], -alpha * s, -Math.log(point[i]), Math.log(own)]));
  return { excess: set.support(g) - dot(g, point), tolerance: unit * (1 + maxAbs(b) + alpha + 1 / own) };
}
