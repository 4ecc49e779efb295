import type { Kernels } from "./kernels.ts";
import type { Shape } from "./layout.ts";
import type { ResidentWeights } from "./weights.ts";

/**
 * Gradient and Hessian of P at the weights of a resident problem, which has no kernel. Each after `clear(true)`, row by
 * row.
 */
export class ResidentDerivatives {
  readonly #kernels: Kernels;
  readonly #problem: number;
  readonly #shape: Shape;
  readonly #weights: ResidentWeights;

  constructor(kernels: Kernels, problem: number, shape: Shape, weights: ResidentWeights) {
    this.#kernels = kernels;
    this.#problem = problem;
    this.#shape = shape;
    this.#weights = weights;
  }

  /** Adds the losses and the gradients of rows: see assembly/solver/gradient.ts. */
  addGradient(from: number, count: number, keepsDuals = false): void {
    this.#kernels.addGradient(this.#problem, from, count, keepsDuals);
  }
  /**
   * The gradient of P, after the last row, which lies as the weights do, if all rows are `times` as many; with it comes
   * `sums.weightsNorm2`.
   */
  takeGradient(times = 1): Float64Array {
    this.#kernels.finishGradient(this.#problem, times);
    return this.#weights.takeSums();
  }
  /** Makes the dual variables of rows those of the gradients of their losses. W is stale until the next certificate. */
  takeDualsOfGradient(from: number, count: number): void {
    this.#kernels.takeDualsOfGradient(this.#problem, from, count);
  }

  /** After all rows: the Hessian at the weights of those dual variables times the problem's weights, less these. */
  addCurvature(from: number, count: number): void {
    this.#kernels.addCurvature(this.#problem, from, count);
  }
  takeHessianProduct(): Float64Array {
    return this.#weights.takeSums();
  }

  /**
   * After all rows: from row `first` on, as many rows as there are classes of sum C_i x_i x_i^T or, `byClass`, of what
   * stands for the diagonal blocks of the Hessian at the weights of those dual variables, less 1, of an entropy or a
   * logistic loss, class after class.
   */
  addMoments(first: number, byClass: boolean, from: number, count: number): void {
    this.#kernels.addMoments(this.#problem, first, this.#shape.numFeatures, byClass, from, count);
  }
  takeMoments(first: number, byClass: boolean): Float64Array[] {
    const { numFeatures: d, numClasses: m } = this.#shape;
    const count = Math.min(m, (byClass ? m * d : d) - first);
    return Array.from({ length: count }, (_, j) => this.#weights.takeRowOfSums(j));
  }
}
