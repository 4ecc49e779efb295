import type { Kernels } from "./kernels.ts";
import type { Layout } from "./layout.ts";

/**
 * The multipliers of a resident problem, for directions that most of its features lie in: steps that leave these to
 * them are deflated. Directions, and what rows have along them, are found before the first such steps. See
 * assembly/solver/deflation.ts.
 */
export class ResidentMultipliers {
  readonly #kernels: Kernels;
  readonly #problem: number;
  readonly #columns: number;

  constructor(kernels: Kernels, { at }: Layout) {
    this.#kernels = kernels;
    this.#problem = at.problem;
    this.#columns = at.deflatedNorm2;
  }

  /** Whether there is room for the columns of deflated steps; else the rest is not to be called. */
  get possible(): boolean {
    return this.#columns > 0;
  }

  /**
   * Finds the directions from a sample of examples; returns which part of K + gamma/C they take off. Uses scratch, as
   * does what follows.
   */
  findDirections(samples: number): number {
    return this.#kernels.findDirections(this.#problem, samples);
  }

  /** What steps of rows need of them. */
  takeCoordinates(from: number, count: number): void {
    this.#kernels.takeCoordinates(this.#problem, from, count);
  }

  /** From now on steps over lists are deflated, or no longer so; before, `move(true)`. */
  deflate(on: boolean): void {
    this.#kernels.deflate(this.#problem, on);
  }

  /** Between deflated steps, or after the last of them, to the end; returns by how much what they maximise falls. */
  move(toTheEnd: boolean): number {
    return this.#kernels.moveMultipliers(this.#problem, toTheEnd);
  }
}
