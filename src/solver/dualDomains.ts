import type { Loss } from "../losses.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/**
 * The domains of the dual variables of a hinge loss, as inequalities G z <= h in variables z of which those of an
 * example, a, are a linear function M z. In a the dual objective is
 *
 *     gain sum_j sign_j a_j - 1/2 smoothing ||a||^2,
 *
 * the smoothing being that of each class, less what all examples have in common, the norm of W.
 */
export abstract class DualDomains {
  /** The examples that have dual variables: of the others no class counts, or none is true, or all are. */
  readonly examples: Int32Array;
  /** C_i of each. */
  readonly C: Float64Array;
  /** 1 for true classes, -1 for the others: a has that sign, m for each example. */
  readonly signs: Int8Array;
  /** Where variables are coupled, as a sums to zero: a true class, whose entry follows from the others; else -1. */
  readonly own: Int32Array;
  readonly numClasses: number;
  readonly coupled: boolean;
  protected readonly loss: Loss;

  /** Variables of an example, and inequalities. */
  abstract readonly size: number;
  abstract readonly width: number;
  /** What `differentiate` has found: m x m numbers, or m, at `responseAt`. */
  abstract readonly responses: Float64Array;

  protected constructor(problem: ResidentProblem, loss: Loss) {
    const { y, offsets, shape, C } = problem;
    const { numExamples: n, numClasses: m } = shape;
    this.loss = loss;
    this.coupled = !loss.oneVsAll;
    const sets = offsets.length > 0;
    const all = new Int32Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      const truths = sets ? offsets[i + 1] - offsets[i] : 1;
      if (C[i] > 0 && !(this.coupled && (truths === 0 || truths === m))) all[count++] = i;
    }
    this.examples = all.subarray(0, count);
    this.C = new Float64Array(count);
    this.numClasses = m;
    this.signs = new Int8Array(count * m).fill(-1);
    this.own = new Int32Array(count).fill(-1);
    for (let e = 0; e < count; e++) {
      const i = all[e];
      this.C[e] = C[i];
      const [from, end] = sets ? [offsets[i], offsets[i + 1]] : [i, i + 1];
      for (let p = from; p < end; p++) this.signs[e * m + y[p]] = 1;
      if (this.coupled) this.own[e] = y[from];
    }
  }

  get gain(): number {
    return this.coupled ? 0.5 : 1;
  }

  /** What times C_i a true class's dual variable may be. */
  get largest(): number {
    return 1;
  }

  abstract smoothing(e: number, j: number): number;

  /** Puts a point well inside of the domain of example e into z. */
  abstract putCentre(e: number, z: Float64Array): void;

  /** Puts h - G z of example e there, or -G z: what is left of its inequalities, or how that changes along z. */
  abstract putSlacks(e: number, z: Float64Array, slacks: Float64Array, changes?: boolean): void;

  /** Puts M z of example e into m numbers. */
  abstract putDuals(e: number, z: Float64Array, a: Float64Array): void;

  /** Adds G^T times multipliers of the inequalities of example e to as many numbers as it has variables. */
  abstract addTransposed(e: number, multipliers: Float64Array, result: Float64Array): void;

  /** Adds M^T times m forces on its a, times that, to them. */
  abstract addForces(e: number, times: number, onDuals: Float64Array, result: Float64Array): void;

  /**
   * Takes note of the second derivatives of smoothing and barrier, sum of ratio_c g_c g_c^T over the inequalities of
   * example e. `responses` then has what a change of a_j is by a force on a_l, rows summing to zero, or a diagonal.
   */
  abstract differentiate(e: number, ratios: Float64Array): void;

  /** Where they are for that example. */
  abstract responseAt(e: number): number;

  /** Puts what z of example e changes by forces on it into `changes`, where a sums to zero to the last bit. */
  abstract putChanges(e: number, forces: Float64Array, changes: Float64Array): void;
}
