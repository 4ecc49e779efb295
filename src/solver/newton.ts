import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { addScaled, dot } from "./linearAlgebra.ts";
import { overExamples } from "./overExamples.ts";
import { Preconditioner } from "./preconditioner.ts";
import type { Directions, Point } from "./primalDescent.ts";
import { groupsOf, partOf, type Groups } from "./sampling.ts";
import type { SolverParts } from "./solver.ts";

/**
 * The residual is to fall to this part, in the norm of the preconditioner: less exactly costs more points, more exactly
 * more products.
 */
const ACCURACY = 0.25;
/**
 * Or until the residual, minus which is the gradient to expect at the next point, is short enough: half its square
 * below this part of `enough`.
 */
const SURELY = 0.5;
/** Conjugate gradients end after so many passes, whatever the residual: what there is has to do. */
const MOST_PASSES = 200;
/**
 * Products are over so many examples for each weight at first, or this part of all if that is more; over all of them if
 * it would be `MOST_SAMPLED` or more.
 */
const PER_WEIGHT = 8;
const LEAST_SAMPLED = 1 / 32;
const MOST_SAMPLED = 0.5;
/** Twice as many from then on if 1/2 ||g||^2 has not fallen to this part from one point to the next. */
const FALLS = 1 / 2;

/**
 * Newton's directions -H^-1 g for a P with a Hessian H, by preconditioned conjugate gradients: of H only products are
 * needed, and few, since a direction need not be exact. Nocedal and Wright, *Numerical Optimization* (2006), Algorithms
 * 7.1 and 5.3. Nor does H: where examples are many beside the weights, some of them, at equal distances, stand for all
 * (Byrd, Chin, Neveitt and Nocedal, *On the use of stochastic Hessian information in optimization methods for machine
 * learning*, SIAM Journal on Optimization 21, 2011).
 *
 * A direction begins with a preconditioner that costs next to nothing. Once its products have taken as many passes as
 * it takes to sharpen that, it is sharpened: so no direction takes more than twice as long for it as it might.
 *
 * H is given by the dual variables of the problem, those of the gradients at the point, C_i p_i; its weights are lost.
 */
export class Newton implements Directions {
  passes = 0;
  readonly onDuals = true;
  readonly #problem: ResidentProblem;
  readonly #pacer: Pacer;
  readonly #stops: () => boolean;
  readonly #preconditioner: Preconditioner;
  /** How many examples products are over; for each direction others. */
  #sample: number;
  #turn = 0;
  /** 1/2 ||g||^2 at the last point. */
  #before = Infinity;

  constructor(parts: SolverParts) {
    const { problem, pacer, interruption } = parts;
    this.#problem = problem;
    this.#pacer = pacer;
    this.#stops = () => !!interruption();
    this.#preconditioner = new Preconditioner(parts);
    const { numExamples: n, numFeatures: d, numClasses: m } = problem.shape;
    this.#sample = Math.max(PER_WEIGHT * m * d, LEAST_SAMPLED * n);
  }

  /** Has products be over all examples from now on; returns whether they have been over some. */
  takeAll(): boolean {
    const some = this.#sample < MOST_SAMPLED * this.#problem.shape.numExamples;
    this.#sample = Infinity;
    return some;
  }

  async direction({ gradient, some }: Point, mostPasses: number, enough: number): Promise<Float64Array | undefined> {
    if (mostPasses <= 0) return undefined;
    const budget = this.passes + mostPasses;
    let end = this.passes + Math.min(mostPasses, MOST_PASSES);
    if (!(await this.#preconditioner.prepare(some))) return undefined;
    const distance = 0.5 * dot(gradient, gradient);
    if (!some) {
      if (distance > FALLS * this.#before) this.#sample *= 2;
      this.#before = distance;
    }
    this.#turn++;
    const direction = new Float64Array(gradient.length);
    const residual = gradient.map((v) => -v);
    let solved = this.#preconditioner.solve(residual);
    let norm2 = dot(residual, solved);
    let accurate = ACCURACY ** 2 * norm2;
    const conjugate = solved.slice();
    const those = some ?? this.#someOf();
    const toSharpen = this.#preconditioner.passesToSharpen * partOf(those);
    let sharpenAt = this.passes + toSharpen;
    while (norm2 > accurate && 0.5 * dot(residual, residual) > SURELY * enough && this.passes < end) {
      const image = await this.#multiply(conjugate, those);
      if (!image) return undefined;
      const share = norm2 / dot(conjugate, image);
      // By rounding, where C ||x||^2 is all digits there are; or it is beyond float32.
      if (!(share > 0 && share < Infinity)) break;
      addScaled(direction, share, conjugate);
      addScaled(residual, -share, image);
      let before = norm2;
      if (this.passes > sharpenAt && this.passes + toSharpen < budget) {
        sharpenAt = Infinity;
        this.passes += toSharpen;
        end = Math.min(end + toSharpen, budget);
        if (!(await this.#preconditioner.sharpen(those))) return undefined;
        accurate = ACCURACY ** 2 * dot(gradient, this.#preconditioner.solve(gradient));
        before = Infinity; // conjugate to none before
      }
      solved = this.#preconditioner.solve(residual);
      norm2 = dot(residual, solved);
      for (let l = 0; l < conjugate.length; l++) conjugate[l] = solved[l] + (norm2 / before) * conjugate[l];
    }
    return direction;
  }

  /** The examples that products for this direction are over, if not over all. */
  #someOf(): Groups | undefined {
    const { numExamples: n } = this.#problem.shape;
    return this.#sample < MOST_SAMPLED * n ? groupsOf(n, this.#sample, this.#turn) : undefined;
  }

  /** H times a direction; undefined if it was stopped. */
  async #multiply(direction: Float64Array, some: Groups | undefined): Promise<Float64Array | undefined> {
    const problem = this.#problem;
    problem.weights.put(direction);
    problem.clear(true);
    const part = partOf(some);
    this.passes += part;
    const add = (from: number, count: number): void => problem.derivatives.addCurvature(from, count);
    if (!(await overExamples(problem, this.#pacer, "curvature", add, this.#stops, some))) return undefined;
    const image = problem.derivatives.takeHessianProduct();
    for (let l = 0; l < image.length; l++) image[l] = image[l] / part + direction[l]; // that is of 1/2 ||W - W0||^2
    return image;
  }
}
