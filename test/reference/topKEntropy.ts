import { lastWhere } from "./bisect.ts";
import { solveEntropic } from "./lambert.ts";
import { sum } from "./sum.ts";

export interface TopKEntropyOptions {
  k: number;
  /** Weight of the quadratic term; 0 is the loss problem. */
  alpha: number;
  variant?: "alpha" | "beta";
}

export interface EntropyPoint {
  z: number[];
  /** 1 - sum z, without cancellation. */
  oneMinusS: number;
}

/** Beyond any threshold; differences of two of them stay finite. */
const FAR = 1e307;
const TINY = 1e-290;

/**
 * argmin alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1-s) log(1-s),  s = sum z <= 1,  over
 *
 *     alpha   0 <= z_j <= s/k;  zeros where k exceeds the length
 *     beta    0 <= z_j <= 1/k
 *
 * the dual step of the top-k entropy loss and, at alpha = 0, the point that gives its value. By brute force over the number
 * u of entries at their bound, which are the largest b_j (their set U, the rest M). Let w = 1 - s and let t be the multiplier
 * of s = sum z. Stationarity, with mu_j >= 0 the multiplier of the bound, which depends on s for `alpha` only:
 *
 *     alpha z_j + log z_j = b_j - t                              on M
 *     alpha bound + log bound + mu_j = b_j - t                   on U
 *     alpha w + log w = alpha - t                                beta
 *     alpha w + log w = alpha - t - (1/k) sum_U mu_j             alpha
 *
 * At a given u both sum_M z and w fall in t, and bisection finds where all adds up to 1. The right u is the first for which
 * the largest entry of M stays below the bound. Lapin, Hein, Schiele, PAMI 2018, Props 15 to 17.
 */
export function topKEntropy(b: readonly number[], options: TopKEntropyOptions): EntropyPoint {
  const { k, alpha, variant = "alpha" } = options;
  const n = b.length;
  if (variant === "alpha" && k > n) return { z: b.map(() => 0), oneMinusS: 1 };
  if (variant === "alpha" && k === n) return allAtBound(b, alpha);

  const order = b.map((_, j) => j).sort((i, j) => b[j] - b[i]);
  const sorted = order.map((j) => b[j]);
  const last = Math.min(k - 1, n);
  for (let u = 0; ; u++) {
    const { rest, bound, oneMinusS } = (variant === "beta" ? fixedBeta : fixedAlpha)(sorted, u, k, alpha);
    if (rest.length > 0 && rest[0] > bound && u < last) continue;
    const z = b.map(() => bound);
    rest.forEach((entry, i) => (z[order[u + i]] = Math.min(entry, bound)));
    return { z, oneMinusS };
  }
}

/** z_j on M (largest first), the bound, and w, for a given number of entries at the bound. */
interface Fixed {
  rest: number[];
  bound: number;
  oneMinusS: number;
}

function fixedBeta(sorted: readonly number[], u: number, k: number, alpha: number): Fixed {
  if (u === sorted.length) return { rest: [], bound: 1 / k, oneMinusS: (k - u) / k };
  const pivot = Math.max(sorted[u], alpha);
  const side = sorted.slice(u).map((entry) => entry - pivot);
  const restAt = (t: number): number[] => side.map((entry) => solveEntropic(alpha, entry - t));
  const ownAt = (t: number): number => solveEntropic(alpha, alpha - pivot - t);
  const t = lastWhere((t) => sum([...restAt(t), ownAt(t)]) >= (k - u) / k, -FAR, FAR);
  return { rest: restAt(t), bound: 1 / k, oneMinusS: ownAt(t) };
}

function fixedAlpha(sorted: readonly number[], u: number, k: number, alpha: number): Fixed {
  const pivot = u === 0 ? Math.max(sorted[0], alpha) : sorted[u]; // what t is nearest to
  const side = sorted.slice(u).map((entry) => entry - pivot);
  const logSide = Math.log(sum(side.map(Math.exp))); // side[0] = 0 where u > 0
  // alpha - t - (1/k) sum_U mu_j, without what depends on t and s.
  const own = sum([alpha, -pivot, ...sorted.slice(0, u).map((entry) => -(entry - pivot) / k)]);
  const at = (t: number): Fixed & { s: number } => {
    const rest = side.map((entry) => solveEntropic(alpha, entry - t));
    const s = (sum(rest) * k) / (k - u); // sum_M z = (1 - u/k) s
    const bound = s / k;
    if (!(s < 1)) return { rest, bound, s, oneMinusS: 0 };
    // Where s underflows its logarithm need not: there alpha z is nothing, and z_j = exp(side_j - t).
    const logBound = bound > TINY ? Math.log(bound) : logSide - t - Math.log(k - u);
    const multipliers = u === 0 ? 0 : (u / k) * (alpha * bound + logBound);
    const w = solveEntropic(alpha, own - ((k - u) / k) * t + multipliers);
    return { rest, bound, s, oneMinusS: Math.min(w, 1) }; // neighbouring t may be far apart
  };
  const isFull = (t: number): boolean => {
    const { s, oneMinusS } = at(t);
    return s + oneMinusS >= 1;
  };
  return at(lastWhere(isFull, -FAR, FAR));
}

/** k = n: all z_j = s/n, and log(s/(1-s)) = y solves alpha (1 + 1/n) s + y = mean b + log n. */
function allAtBound(b: readonly number[], alpha: number): EntropyPoint {
  const n = b.length;
  const target = sum([...b.map((entry) => entry / n), Math.log(n)]);
  const slope = alpha * (1 + 1 / n);
  const y = lastWhere((y) => sum([slope * sigmoid(y), y, -target]) <= 0, -FAR, FAR);
  return { z: b.map(() => sigmoid(y) / n), oneMinusS: sigmoid(-y) };
}

/** 1/(1 + e^-y), with all digits on both sides. */
export function sigmoid(y: number): number {
  return y < 0 ? Math.exp(y) / (1 + Math.exp(y)) : 1 / (1 + Math.exp(-y));
}
