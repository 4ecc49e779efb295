import { addScaled, dot } from "./linearAlgebra.ts";
import { overExamples } from "./overExamples.ts";
import type { Pacer } from "./pace.ts";
import { Preconditioner } from "./preconditioner.ts";
import type { Directions, Point } from "./primalDescent.ts";
import type { SolverParts } from "./solver.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

/** The residual is to fall to this part, in the norm of the preconditioner: less exactly costs more points, more exactly more products. */
const ACCURACY = 0.25;
/** Unless the gradient that is expected at the next point, minus the residual, is short enough: 1/2 of its square by this part. */
const SURELY = 0.5;
/** And if it does not in so many passes, what there is has to do. */
const MOST_PASSES = 200;

/**
 * Newton's directions -H^-1 g for a P with a Hessian H, by preconditioned conjugate gradients: of H only products are needed, and few, since a
 * direction need not be exact. Nocedal and Wright, *Numerical Optimization* (2006), Algorithms 7.1 and 5.3.
 *
 * H consists of the dual variables of the problem, those of the gradients at the point, C_i p_i; its weights are lost.
 */
export class Newton implements Directions {
  passes = 0;
  readonly onDuals = true;
  readonly #problem: ResidentProblem;
  readonly #pacer: Pacer;
  readonly #stops: () => boolean;
  readonly #preconditioner: Preconditioner;

  constructor(parts: SolverParts) {
    const { problem, pacer, interruption } = parts;
    this.#problem = problem;
    this.#pacer = pacer;
    this.#stops = () => !!interruption();
    this.#preconditioner = new Preconditioner(parts);
  }

  async direction({ gradient }: Point, mostPasses: number, enough: number): Promise<Float64Array | undefined> {
    const end = this.passes + Math.min(mostPasses, MOST_PASSES);
    if (!(await this.#preconditioner.prepare())) return undefined;
    const direction = new Float64Array(gradient.length);
    const residual = gradient.map((v) => -v);
    let solved = this.#preconditioner.solve(residual);
    let norm2 = dot(residual, solved);
    const accurate = ACCURACY ** 2 * norm2;
    const conjugate = solved.slice();
    while (norm2 > accurate && 0.5 * dot(residual, residual) > SURELY * enough && this.passes < end) {
      const image = await this.#multiply(conjugate);
      if (!image) return undefined;
      const share = norm2 / dot(conjugate, image);
      if (!(share > 0 && share < Infinity)) break; // by rounding, where C ||x||^2 is all digits there are; or it is beyond float32
      addScaled(direction, share, conjugate);
      addScaled(residual, -share, image);
      solved = this.#preconditioner.solve(residual);
      const before = norm2;
      norm2 = dot(residual, solved);
      for (let l = 0; l < conjugate.length; l++) conjugate[l] = solved[l] + (norm2 / before) * conjugate[l];
    }
    return direction;
  }

  /** H times a direction; undefined if it was stopped. */
  async #multiply(direction: Float64Array): Promise<Float64Array | undefined> {
    const problem = this.#problem;
    this.passes++;
    problem.weights.put(direction);
    problem.clear(true);
    const add = (from: number, count: number): void => problem.addCurvature(from, count);
    if (!(await overExamples(problem, this.#pacer, "curvature", add, this.#stops))) return undefined;
    const image = problem.takeCurvature();
    addScaled(image, 1, direction); // of 1/2 ||W - W0||^2
    return image;
  }
}
