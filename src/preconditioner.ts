import { factorise, solveFactorised } from "./cholesky.ts";
import { overExamples } from "./overExamples.ts";
import type { Pacer } from "./pace.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

/** Second moments are worth their d/(2 m) products with the Hessian, and factors for each class theirs, d^2/(12 n), within such bounds. */
const MOST_PER_CLASS = 64;
const MOST_PER_EXAMPLE = 16;
/** Fewer examples take next to no time anyway. */
const FEW_EXAMPLES = 1024;
/** And if they take no more than 16 MB: then none takes so long that a page would notice. */
const MOST_ENTRIES = 2 ** 21;

/**
 * A stand-in for the Hessian of P, easily inverted: class by class the block
 *
 *     I + s_j sum_i C_i x_i x_i^T,   s_j the mean of p (1 - p), p being the example's share |a_ij|/C_i, weighted by C_i,
 *
 * which is that of softmax with its second derivatives p (1 - p) replaced by their mean. It knows how features are scaled and correlated, which
 * is most of what makes a problem hard. Where there are too many features it is I.
 */
export class Preconditioner {
  readonly #problem: ResidentProblem;
  readonly #pacer: Pacer;
  readonly #stops: () => boolean;
  /** sum_i C_i x_i x_i^T, row by row. */
  #moments: Float64Array[] | undefined;
  #factors: Float64Array[] = [];

  constructor(problem: ResidentProblem, pacer: Pacer, stops: () => boolean) {
    this.#problem = problem;
    this.#pacer = pacer;
    this.#stops = stops;
  }

  get #suits(): boolean {
    const { numExamples: n, numFeatures: d, numClasses: m } = this.#problem.shape;
    const most = MOST_PER_EXAMPLE * Math.max(n, FEW_EXAMPLES);
    return d <= MOST_PER_CLASS * m && d * d <= most && m * d * d <= MOST_ENTRIES;
  }

  /** Makes it that of the problem's dual variables; W64 is overwritten. Returns whether nothing stopped it. */
  async prepare(): Promise<boolean> {
    if (!this.#suits) return true;
    const moments = (this.#moments ??= await this.#takeMoments());
    const variances = await this.#takeVariances();
    if (!moments || !variances) return false;
    const factors: Float64Array[] = [];
    const { length: m } = variances;
    const factoriseAll = (from: number, count: number): void => {
      for (let j = from; j < from + count; j++) factors[j] = factorise(moments, variances[j]);
    };
    if ((await this.#pacer.run("factorise", m, factoriseAll, this.#stops)) < m) return false;
    this.#factors = factors;
    return true;
  }

  async #takeMoments(): Promise<Float64Array[] | undefined> {
    const problem = this.#problem;
    const { numFeatures: d, numClasses: m } = problem.shape;
    const moments: Float64Array[] = [];
    for (let feature = 0; feature < d; feature += m) {
      problem.clear(true);
      const add = (from: number, count: number): void => problem.addMoments(feature, from, count);
      if (!(await overExamples(problem, this.#pacer, "moments of features", add, this.#stops))) return undefined;
      moments.push(...problem.takeMoments(feature));
    }
    return moments;
  }

  async #takeVariances(): Promise<Float64Array | undefined> {
    const problem = this.#problem;
    const variances = new Float64Array(problem.shape.numClasses);
    const add = (from: number, count: number): void => problem.duals.addVariances(from, count, problem.C, variances);
    if (!(await overExamples(problem, this.#pacer, "variances", add, this.#stops))) return undefined;
    const total = problem.C.reduce((sum, C) => sum + C, 0);
    return variances.map((v) => v / total);
  }

  /** Its inverse times weights that lie as `ResidentWeights.take` gives them. */
  solve(weights: Float64Array): Float64Array {
    const solution = weights.slice();
    const row = new Float64Array(this.#problem.shape.numFeatures);
    this.#factors.forEach((factor, j) => {
      const { start, stride } = this.#problem.weights.placeOf(j);
      for (let l = 0; l < row.length; l++) row[l] = weights[start + l * stride];
      solveFactorised(factor, row);
      for (let l = 0; l < row.length; l++) solution[start + l * stride] = row[l];
    });
    return solution;
  }
}
