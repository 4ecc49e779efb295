import { sum } from "../arrays/vectors.ts";

/** A problem of `boxKnapsack`. */
interface Box {
  readonly lo: number;
  readonly hi: number;
  readonly radius: number;
  readonly equality: boolean;
  readonly rho: number;
}

/**
 * Continuous quadratic knapsack between any bounds:   min 1/2 ||x - a||^2 + rho/2 (sum x)^2   over  lo <= x_j <=
 * hi,  sum x <= radius, or sum x = radius with `equality`. The kernel for lo = 0 would do after a shift by lo, but a -
 * lo and radius - n lo lose what x is made of where lo is only there to be far away.
 *
 * x_j = min(max(a_j - t, lo), hi), with t = rho sum x unless the sum reaches the radius first.
 */
export function boxKnapsack(a: ArrayLike<number>, box: Box): Float64Array {
  const { radius, equality, rho } = box;
  if (!equality) {
    const x = fixVariables(a, box, Infinity, (free, count, fixed) => (rho * (free + fixed)) / (1 + rho * count));
    if (sum(x) <= radius) return x;
  }
  const { pivot, reach } = findPivot(a, box);
  const shifted = Float64Array.from(a, (v) => v - pivot);
  return fixVariables(shifted, box, reach, (free, count, fixed) => (free + (fixed - radius)) / count);
}

/**
 * At a fixed sum a common shift of a changes nothing, so an entry next to t goes first: a - t would cancel where they
 * are far off. So many entries have room above their lower bound for what the radius leaves, in full; the largest
 * behind them is next to t, and those further from it than `reach` are at a bound.
 */
function findPivot(a: ArrayLike<number>, { lo, hi, radius }: Box): { pivot: number; reach: number } {
  const rest = Math.max(radius - a.length * lo, 0);
  const width = Math.min(hi - lo, rest);
  const full = width < rest ? Math.min(Math.floor(rest / width), a.length - 1) : 0;
  return { pivot: Float64Array.from(a).sort()[a.length - 1 - full], reach: 2 * width };
}

/**
 * Variable fixing (Kiwiel 2008): t as if no bounds counted for those that are free; of the entries that are then out of
 * bounds, those on the side that weighs more are so in the solution, too, and are fixed there. Every time round fixes
 * one at least.
 *
 * reach: entries with |a_j| above it are fixed from the start; levelOf: t, from the sum and the count of the free a_j
 * and the sum of the fixed x_j.
 */
function fixVariables(
  a: ArrayLike<number>,
  { lo, hi }: Box,
  reach: number,
  levelOf: (free: number, count: number, fixed: number) => number,
): Float64Array {
  const x = Float64Array.from(a, (v) => (v > reach ? hi : lo));
  let free = Array.from(x.keys()).filter((j) => Math.abs(a[j]) <= reach);
  let fixed = sum(x.filter((_, j) => !(Math.abs(a[j]) <= reach)));
  while (free.length > 0) {
    let total = 0;
    for (const j of free) total += a[j];
    const t = levelOf(total, free.length, fixed);
    let below = 0;
    let above = 0;
    for (const j of free) {
      x[j] = a[j] - t;
      below += Math.max(lo - x[j], 0);
      above += Math.max(x[j] - hi, 0);
    }
    const rest: number[] = [];
    for (const j of free) {
      if (x[j] <= lo && below >= above) x[j] = lo;
      else if (x[j] >= hi && above >= below) x[j] = hi;
      else {
        rest.push(j);
        continue;
      }
      fixed += x[j];
    }
    if (rest.length === free.length) break;
    free = rest;
  }
  return x;
}
