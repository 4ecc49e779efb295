import type { Interruption } from "../certificate.ts";
import type { ResidentAtoms } from "../wasm/atoms.ts";
import { overExamples } from "./overExamples.ts";
import type { Solver, SolverParts } from "./solver.ts";

/** Most steps from one evaluation, which costs two thirds of one, to the next: rounds are of 1, 1, 2, 4, 8 steps. */
const MOST_STEPS = 8;

/**
 * The Frank-Wolfe algorithm in batches: a step moves the dual variables of all examples at once along their directions,
 * which are in closed form, by the common step size at which the dual objective is highest,
 *
 *     stepSize = slope / curvature, at most 1.
 *
 * With it comes a bound on the gap, sum_i <h_i, s_i - x_i>: the gap itself without smoothing, and no less with it.
 * Hirohashi and Kato, *Learning Weighted Top-k Support Vector Machine* (2020), Eqs 25 to 33. Directions:
 * assembly/solver/frankWolfe.ts.
 */
export class FrankWolfe implements Solver {
  visits = 0;
  likelyExacting = false;
  readonly brokenOff = false;
  readonly #parts: SolverParts;
  readonly #atoms: ResidentAtoms;
  #evaluates: boolean;

  constructor(parts: SolverParts) {
    this.#parts = parts;
    this.#atoms = parts.problem.atoms!;
    this.#evaluates = parts.warm;
  }

  /** A step visits every example once. */
  get epochs(): number {
    return this.visits / this.#parts.problem.shape.numExamples;
  }

  async round(): Promise<Interruption | undefined> {
    const { settings, watch, interruption } = this.#parts;
    const steps = Math.min(Math.max(this.epochs, 1), MOST_STEPS);
    this.likelyExacting = false;
    for (let step = 0; step < steps && !this.#evaluates && !interruption(); step++) {
      if (this.epochs >= settings.maxEpochs) break;
      const gap = await this.#findVertices();
      if (gap === undefined) break;
      // A bound that is small enough needs no further step, but where it has been doubted one is taken first.
      this.likelyExacting = step > 0 && gap <= watch.target;
      if (this.likelyExacting || !(await this.#move())) break;
      this.visits += this.#parts.problem.shape.numExamples;
    }
    this.#evaluates = false;
    return interruption();
  }

  /** Directions of all examples, and the bound on the gap; undefined if it was interrupted. */
  async #findVertices(): Promise<number | undefined> {
    this.#atoms.begin();
    return (await this.#forAll("find vertices", (from, count) => this.#atoms.findVertices(from, count), true))
      ? this.#atoms.sums.gap
      : undefined;
  }

  /** The step along them; false if it was interrupted, and then nothing has moved. */
  async #move(): Promise<boolean> {
    const atoms = this.#atoms;
    if (!(await this.#forAll("combine", (from, count) => atoms.combine(from, count), true))) return false;
    if (this.#parts.problem.kernel) {
      await this.#forAll("curvature of step", (from, count) => atoms.addKernelStepNorm(from, count));
    } else atoms.addStepNorm();
    const { slope, curvature } = atoms.sums;
    const stepSize = slope > 0 ? Math.min(slope / curvature, 1) : 0;
    await this.#forAll("move duals", (from, count) => atoms.moveDuals(from, count, stepSize));
    atoms.moveWeights(stepSize);
    return true;
  }

  #forAll(kind: string, slice: (from: number, count: number) => void, stops = false): Promise<boolean> {
    const { problem, pacer, interruption } = this.#parts;
    return overExamples(problem, pacer, kind, slice, stops ? () => !!interruption() : undefined);
  }

  afterEvaluation(): void {
    // The next round depends on nothing but the point.
  }
}
