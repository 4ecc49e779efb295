import { sum } from "../arrays/vectors.ts";
import { isSmooth } from "../losses.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Shape } from "../wasm/layout.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { addScaled, factorise, solveFactorised } from "./linearAlgebra.ts";
import { overExamples } from "./overExamples.ts";
import { groupsOf, partOf, type Groups } from "./sampling.ts";
import type { SolverParts } from "./solver.ts";

/**
 * Second moments are worth their d/(2 m) products with the Hessian, and factors for each class theirs, d^2/(12 n),
 * within such bounds.
 */
const MOST_PER_CLASS = 64;
const MOST_PER_EXAMPLE = 16;
/** Fewer examples take next to no time anyway. */
const FEW_EXAMPLES = 1024;
/** Factors take 16 MB at most: then none takes so long that a page would notice. */
const MOST_ENTRIES = 2 ** 21;
/**
 * Moments are those of so many examples for each feature, and at least of so many, if that is less than half of all:
 * with few classes a pass takes those of as few features.
 */
const SAMPLE = { perFeature: 8, least: 1024, part: 0.5 };

/**
 * A stand-in for the Hessian of P, easily inverted: class by class the block
 *
 *     B_j = I + s_j sum_i C_i x_i x_i^T,   s_j the mean of p (1 - p), weighted by C_i,   p = |a_ij|/C_i,
 *
 * which is that of softmax with its second derivatives p (1 - p) replaced by their mean. It knows how features are
 * scaled and correlated, which is most of what makes a problem hard. Where there are too many features it is I.
 *
 * But for the one-vs-all losses, all that counts is how scores differ: the Hessian is I where all classes move alike,
 * and the rest keeps to itself. So does the inverse, which with Q for taking off the mean over the classes is Q B^-1
 * Q + (I - Q).
 */
export class Preconditioner {
  readonly #problem: ResidentProblem;
  readonly #pacer: Pacer;
  readonly #stops: () => boolean;
  /** Whether second derivatives are known by class. */
  readonly #maySharpen: boolean;
  /** Whether only differences of scores count. */
  readonly #balanced: boolean;
  /** sum_i C_i x_i x_i^T, row by row. */
  #moments: Float64Array[] | undefined;
  #factors: Float64Array[] = [];

  constructor({ problem, pacer, settings, interruption }: SolverParts) {
    this.#problem = problem;
    this.#pacer = pacer;
    this.#stops = () => !!interruption();
    this.#maySharpen = Preconditioner.suits(problem.shape) && isSmooth(settings.loss);
    this.#balanced = !settings.loss.oneVsAll;
  }

  /** Whether there are few enough features for one. */
  static suits({ numExamples: n, numFeatures: d, numClasses: m }: Shape): boolean {
    const most = MOST_PER_EXAMPLE * Math.max(n, FEW_EXAMPLES);
    return d <= MOST_PER_CLASS * m && d * d <= most && m * d * d <= MOST_ENTRIES;
  }

  /**
   * Makes it that of the problem's dual variables, or of those of some examples; W64 is overwritten. Returns whether
   * nothing stopped it.
   */
  async prepare(some?: Groups): Promise<boolean> {
    if (!Preconditioner.suits(this.#problem.shape)) return true;
    const moments = (this.#moments ??= await this.#takeMoments());
    const variances = await this.#takeVariances(some);
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

  /** What it takes to make it, in passes over the examples. */
  static passesToMake(shape: Shape): number {
    return Math.ceil(shape.numFeatures / shape.numClasses) * partOf(Preconditioner.#sampleOf(shape));
  }

  static #sampleOf({ numExamples: n, numFeatures: d }: Shape): Groups | undefined {
    const sample = Math.max(SAMPLE.least, SAMPLE.perFeature * d);
    return sample < SAMPLE.part * n ? groupsOf(n, sample, 0) : undefined;
  }

  async #takeMoments(): Promise<Float64Array[] | undefined> {
    const { numFeatures: d, numClasses: m } = this.#problem.shape;
    const some = Preconditioner.#sampleOf(this.#problem.shape);
    const times = 1 / partOf(some);
    const moments: Float64Array[] = [];
    for (let first = 0; first < d; first += m) {
      const rows = await this.#momentsFrom(first, false, some);
      if (!rows) return undefined;
      moments.push(...rows.map((row) => row.map((v) => v * times)));
    }
    return moments;
  }

  /** Of all examples or of some, m rows from that one on, or as many as there are; undefined if it was stopped. */
  async #momentsFrom(first: number, byClass: boolean, some?: Groups): Promise<Float64Array[] | undefined> {
    const { derivatives } = this.#problem;
    this.#problem.clear(true);
    const add = (from: number, count: number): void => derivatives.addMoments(first, byClass, from, count);
    if (!(await overExamples(this.#problem, this.#pacer, "moments", add, this.#stops, some))) return undefined;
    return derivatives.takeMoments(first, byClass);
  }

  async #takeVariances(some: Groups | undefined): Promise<Float64Array | undefined> {
    const problem = this.#problem;
    const variances = new Float64Array(problem.shape.numClasses);
    const add = (from: number, count: number): void => problem.duals.addVariances(from, count, problem.C, variances);
    if (!(await overExamples(problem, this.#pacer, "variances", add, this.#stops, some))) return undefined;
    const total = partOf(some) * sum(problem.C);
    return variances.map((v) => v / total);
  }

  /** What it takes to sharpen it, in passes over so many examples as it is to be made of; Infinity if it cannot be. */
  get passesToSharpen(): number {
    return this.#maySharpen ? 0.5 * this.#problem.shape.numFeatures : Infinity;
  }

  /**
   * Puts second derivatives as they are, each example's for each class, in the place of their means: the blocks are
   * those of the Hessian, which of a one-vs-all loss has no others. By the problem's dual variables, over all examples
   * or over some; W64 is overwritten. Returns whether nothing stopped it.
   */
  async sharpen(some?: Groups): Promise<boolean> {
    const { numFeatures: d, numClasses: m } = this.#problem.shape;
    const factors: Float64Array[] = [];
    let block: Float64Array[] = [];
    for (let first = 0; first < m * d; first += m) {
      const rows = await this.#momentsFrom(first, true, some);
      if (!rows) return false;
      for (const row of rows) {
        if (block.push(row) < d) continue;
        factors.push(factorise(block, 1 / partOf(some)));
        block = [];
        await this.#pacer.breathe();
      }
    }
    this.#factors = factors;
    return true;
  }

  /** Its inverse times weights that lie as `ResidentWeights.take` gives them. */
  solve(weights: Float64Array): Float64Array {
    if (this.#factors.length === 0) return weights.slice();
    const resident = this.#problem.weights;
    const rows = this.#factors.map((_, j) => resident.readRow(weights, j));
    const mean = this.#takeOffMean(rows);
    this.#factors.forEach((factor, j) => solveFactorised(factor, rows[j]));
    this.#takeOffMean(rows);
    const solution = new Float64Array(weights.length);
    rows.forEach((row, j) => {
      addScaled(row, 1, mean);
      resident.writeRow(solution, j, row);
    });
    return solution;
  }

  /** Takes off the mean of the rows, and returns it; 0 where scores count by themselves. */
  #takeOffMean(rows: Float64Array[]): Float64Array {
    const mean = new Float64Array(rows[0].length);
    if (!this.#balanced) return mean;
    for (const row of rows) addScaled(mean, 1 / rows.length, row);
    for (const row of rows) addScaled(row, -1, mean);
    return mean;
  }
}
