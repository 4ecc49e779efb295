import { sum } from "./sum.ts";

/**
 * argmin <x, log x> - <a, x>  over  sum x = r,  0 <= x_j <= hi,  by brute force over how many of the largest entries are at
 * hi: the others share what is left in proportion to exp(a_j), and the first count for which none of them exceeds hi is
 * the right one. a is measured from the largest entry that is not at hi.
 * Null where n hi < r by more than rounding.
 */
export function entropicSimplex(a: readonly number[], options: { radius?: number; hi?: number } = {}): number[] | null {
  const { radius = 1, hi = Infinity } = options;
  const n = a.length;
  if (n * hi < radius * (1 - 4 * n * Number.EPSILON)) return null;
  if (n * hi <= radius) return a.map(() => hi);
  const order = a.map((_, j) => j).sort((i, j) => a[j] - a[i]);
  for (let count = 0; ; count++) {
    const rest = order.slice(count);
    const left = sum([radius, ...order.slice(0, count).map(() => -hi)]);
    const weights = rest.map((j) => Math.exp(a[j] - a[rest[0]]));
    const total = sum(weights);
    const isLast = count === n - 1 || left <= hi;
    if (left / total > hi && !isLast) continue;
    const x = a.map(() => hi);
    rest.forEach((j, i) => (x[j] = Math.min((left * weights[i]) / total, hi)));
    return x;
  }
}
