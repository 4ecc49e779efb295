import type { Kernels } from "./kernels.ts";
import type { Layout } from "./layout.ts";

/**
 * Moves of the dual point of a problem with a kernel, and of its scores: see assembly/solver/kernelMomentum.ts. One is
 * made of `moveScores` of all classes and, once that has gone through, `carry` of all examples; taken back it is by
 * `takeScoresBack` and `takeBack`.
 */
export class ScoreMoves {
  readonly #kernels: Kernels;
  readonly #problem: number;

  constructor(kernels: Kernels, { at }: Layout) {
    this.#kernels = kernels;
    this.#problem = at.problem;
  }

  /** Takes note of the dual variables of some examples as they are; of scores `moveScores` with beta = 0 does. */
  remember(from: number, count: number): void {
    this.#kernels.rememberDuals(this.#problem, from, count);
  }

  /** Those of the classes [from, from + count). */
  moveScores(from: number, count: number, beta: number): void {
    this.#kernels.moveScores(this.#problem, from, count, beta);
  }

  takeScoresBack(from: number, count: number): void {
    this.#kernels.takeScoresBack(this.#problem, from, count);
  }

  /** Adds to `sums.dualLoss` what dual losses change by. */
  carry(from: number, count: number, beta: number): void {
    this.#kernels.carryDuals(this.#problem, from, count, beta);
  }

  takeBack(from: number, count: number): void {
    this.#kernels.takeDualsBack(this.#problem, from, count);
  }

  /** By how much the penalty is larger than before. */
  penaltyRise(from: number, count: number): number {
    return this.#kernels.penaltyRise(this.#problem, from, count);
  }
}
