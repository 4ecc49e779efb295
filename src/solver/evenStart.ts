import type { Loss } from "../losses.ts";
import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { overExamples } from "./overExamples.ts";

/**
 * Where steps begin that are not told where: at the best of the points where every example divides its shares between
 * its true classes and all classes alike (assembly/solver/start.ts), a first guess from sums over classes, which costs
 * as much as the scores of one class. Where classes are many and C is not large it saves about a pass; else alpha is
 * near 0 and nothing is lost.
 */

/** Halvings of [0, 1]: alpha to the last bits of a float32. */
const HALVINGS = 30;

/**
 * Starts the steps of an entropy loss there. Along those points the dual objective is concave in alpha, with Z = A^T X
 * for alpha = 1 and t_i true classes of example i
 *     D'(alpha) = sum_i C_i (1 - t_i/m) log(1 + m/t_i (1/alpha - 1))  -  alpha ||Z||^2 - <Z, W0>.
 *
 * Returns D there, less what it is for examples without a class or with all of them; 0 where `stops` has ended it, as
 * with a kernel those sums take as long as a pass: then nothing has moved.
 */
export async function startEvenly(problem: ResidentProblem, pacer: Pacer, stops: () => boolean): Promise<number> {
  const { numExamples: n, numClasses: m } = problem.shape;
  const sums = await gatherSums(problem, pacer, stops);
  if (!sums) return 0;
  const { norm2, anchorProduct } = sums;
  const costs = costsBySize(problem);
  const slope = (alpha: number): number =>
    costs.reduce(
      (sum, cost, t) => (cost > 0 ? sum + cost * (1 - t / m) * Math.log1p((m / t) * (1 / alpha - 1)) : sum),
      0,
    ) -
    (alpha * norm2 + anchorProduct);

  let [low, high] = [0, 1];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = 0.5 * (low + high);
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  await pacer.run("spread", n, (from, count) => problem.spread(from, count, low));
  problem.scaleSums(low);
  const xLogX = (x: number): number => (x > 0 ? x * Math.log(x) : 0);
  return costs.reduce(
    (sum, cost, t) => {
      const [own, other] = [(1 - low) / t + low / m, low / m];
      return cost > 0 ? sum - cost * (t * xLogX(own) + (m - t) * xLogX(other)) : sum;
    },
    -low * (0.5 * low * norm2 + anchorProduct),
  );
}

/**
 * Whether a hinge loss gains by it: where rows are dense and have many features. With few, alpha is near 0; fits of
 * sparse rows took a tenth longer.
 */
export const isWorthSums = ({ shape, features }: ResidentProblem): boolean => !!shape.inBlocks && !features.sparse;

/**
 * Starts the steps of a hinge loss there, but for what all scores have in common: until a pass has visited every
 * example A is not feasible, and only a certificate may end the fit. The dual objective is a parabola in alpha,
 *     D'(alpha) = sum_i C_i (1 - t_i/m)  -  alpha (gamma sum_i C_i q_i + ||Z||^2)  -  <Z, W0>,
 * q_i being ||a_i||^2 / (alpha C_i)^2 over the classes that the smoothing counts: (m - 1)/m^2 without the true class,
 * with it 1/t_i - 1/m.
 *
 * Returns alpha; 0 where `stops` has ended it, or where nothing is gained: then nothing has moved.
 */
export async function startFromSums(
  problem: ResidentProblem,
  { gamma, label, domain }: Loss,
  pacer: Pacer,
  stops: () => boolean,
): Promise<number> {
  const { numExamples: n, numClasses: m } = problem.shape;
  const sums = await gatherSums(problem, pacer, stops);
  if (!sums) return 0;
  const countsAll = label === "set" || domain === "WEIGHTED";
  let slope = -sums.anchorProduct;
  let curvature = sums.norm2;
  for (const [t, cost] of costsBySize(problem).entries()) {
    if (cost === 0) continue;
    slope += cost * (1 - t / m);
    curvature += gamma * cost * (countsAll ? 1 / t - 1 / m : (m - 1) / m ** 2);
  }
  if (!(slope > 0)) return 0;
  const alpha = Math.min(slope / curvature, 1);
  await pacer.run("spread", n, (from, count) => problem.spread(from, count, alpha));
  problem.scaleSums(alpha);
  return alpha;
}

/** ||Z||^2 and <Z, W0>, once sums over classes are gathered; undefined where `stops` has ended it. */
async function gatherSums(
  problem: ResidentProblem,
  pacer: Pacer,
  stops: () => boolean,
): Promise<{ norm2: number; anchorProduct: number } | undefined> {
  problem.clear(true);
  const gathered = await overExamples(problem, pacer, "gather", (from, count) => problem.gather(from, count), stops);
  return gathered ? problem.measureSums() : undefined;
}

/** Sum of C_i over the examples with t true classes and others besides, for each t. */
function costsBySize({ shape: { numExamples: n, numClasses: m }, C, offsets }: ResidentProblem): number[] {
  const costs = new Array<number>(m).fill(0);
  for (let i = 0; i < n; i++) {
    const t = offsets.length > 0 ? offsets[i + 1] - offsets[i] : 1;
    if (t > 0 && t < m) costs[t] += C[i];
  }
  return costs;
}
