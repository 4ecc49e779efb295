import { addScaled, difference, dot } from "./linearAlgebra.ts";
import type { Directions, Point } from "./primalDescent.ts";

/**
 * Pairs of steps and changes of the gradient that are kept; more have made no difference that pays for their memory.
 */
const PAIRS = 10;
/** A pair whose curvature is below this part of what it could be would spoil the directions. */
const LEAST_CURVATURE = 1e-12;

interface Pair {
  readonly step: Float64Array;
  readonly change: Float64Array;
  /** <step, change> */
  readonly curvature: number;
}

/**
 * The limited-memory BFGS method: descent directions from the gradients of the last points.
 * Nocedal and Wright, *Numerical Optimization* (2006), Algorithms 7.4 and 7.5.
 */
export class Lbfgs implements Directions {
  readonly passes = 0;
  readonly onDuals = false;
  #pairs: Pair[] = [];
  #before: Point | undefined;

  direction(now: Point): Promise<Float64Array> {
    const before = this.#before;
    this.#before = now;
    if (before && before !== now)
      this.#update(difference(now.weights, before.weights), difference(now.gradient, before.gradient));
    let direction = this.#solve(now.gradient);
    // Pairs across a kink may point uphill.
    if (!(dot(direction, now.gradient) < 0)) {
      this.forget();
      direction = this.#solve(now.gradient);
    }
    return Promise.resolve(direction);
  }

  /** Takes note of a step and of the change of the gradient along it. Both are kept. */
  #update(step: Float64Array, change: Float64Array): void {
    const curvature = dot(step, change);
    if (!(curvature > LEAST_CURVATURE * Math.sqrt(dot(step, step) * dot(change, change)))) return;
    this.#pairs.push({ step, change, curvature });
    if (this.#pairs.length > PAIRS) this.#pairs.shift();
  }

  /** Forgets what it knows of curvature; returns whether that was anything. */
  forget(): boolean {
    const any = this.#pairs.length > 0;
    this.#pairs = [];
    return any;
  }

  /** Minus an approximation of the inverse Hessian times the gradient. */
  #solve(gradient: Float64Array): Float64Array {
    const r = gradient.map((v) => -v);
    const pairs = this.#pairs;
    const alphas: number[] = [];
    for (let p = pairs.length - 1; p >= 0; p--) {
      const { step, change, curvature } = pairs[p];
      alphas[p] = dot(step, r) / curvature;
      addScaled(r, -alphas[p], change);
    }
    const last = pairs.at(-1);
    if (last) {
      const scale = last.curvature / dot(last.change, last.change);
      for (let l = 0; l < r.length; l++) r[l] *= scale;
    }
    pairs.forEach(({ step, change, curvature }, p) => addScaled(r, alphas[p] - dot(change, r) / curvature, step));
    return r;
  }
}
