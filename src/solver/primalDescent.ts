import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { addScaled, dot } from "./linearAlgebra.ts";
import { overExamples } from "./overExamples.ts";
import { partOf, type Groups } from "./sampling.ts";

/** Sufficient decrease and curvature: a step is taken where P and its slope have both fallen by such parts. */
const DECREASE = 1e-4;
const CURVATURE = 0.9;
/** Points that a line search looks at. */
const MOST_TRIALS = 40;
/** Differences of P below this part of it are rounding; then slopes decide alone. */
const ROUNDING = 1e-14;

/** A point with P and its gradient there. */
export interface Point {
  readonly weights: Float64Array;
  /** The examples that stand for all in P, if not all do. */
  readonly some?: Groups | undefined;
  readonly value: number;
  readonly gradient: Float64Array;
}

/** With what a descent would be content. */
interface Enough {
  /** 1/2 ||gradient||^2 at the next point. */
  readonly distance?: number;
  /**
   * What a step along its direction would lower P by, were P the parabola that the direction takes it for: of Newton's
   * method half the square of the Newton decrement.
   */
  readonly decrement?: number;
}

/** Where to go from a point. */
export interface Directions {
  /** Passes over the examples that it has taken to find out. */
  readonly passes: number;
  /**
   * Whether they go by the dual point of the gradients, which the problem's is to be then: a_i = -C_i grad L_i(W x_i).
   */
  readonly onDuals: boolean;
  /**
   * A direction of descent, in so many passes at most, and no better than to where 1/2 ||gradient||^2 is `enough`;
   * undefined if it was stopped, or if there is none in so few. It may leave anything in the problem's weights.
   */
  direction(now: Point, mostPasses: number, enough: number): Promise<Float64Array | undefined>;
}

interface LookOptions {
  readonly some?: Groups | undefined;
  readonly stoppable?: boolean;
}

/**
 * Descent on P, point by point. A line search takes P and its slope below Wolfe's bounds, by doubling and bisection
 * (Lewis and Overton, *Nonsmooth optimization via quasi-Newton methods*, 2013, Algorithm 2.6), which also gets along
 * with kinks. Weights are float64 and lie as `ResidentWeights.take` gives them; P is taken at them as stored.
 */
export class PrimalDescent {
  /** For points that line searches have looked at, and for dual points. */
  #passes = 0;
  #decrement = Infinity;
  /** The weights whose gradients the problem's dual variables are. */
  #dualsAt: Float64Array | undefined;
  readonly #problem: ResidentProblem;
  readonly #directions: Directions;
  readonly #pacer: Pacer;
  readonly #stops: () => boolean;

  constructor(problem: ResidentProblem, directions: Directions, pacer: Pacer, stops: () => boolean) {
    this.#problem = problem;
    this.#directions = directions;
    this.#pacer = pacer;
    this.#stops = stops;
  }

  /** Passes over the examples so far: for points, and for directions. */
  get passes(): number {
    return this.#passes + this.#directions.passes;
  }

  /** What the last direction would have lowered P by: see `Enough`. */
  get decrement(): number {
    return this.#decrement;
  }

  /** The problem's dual variables may have become others. */
  forgetDuals(): void {
    this.#dualsAt = undefined;
  }

  /**
   * Makes the dual point that of the gradients at a point, if it is not that already; returns whether nothing stopped
   * it.
   */
  async takeDualPoint({ weights, some }: Point): Promise<boolean> {
    if (this.#dualsAt === weights) return true;
    const problem = this.#problem;
    this.#passes += partOf(some);
    this.#dualsAt = undefined;
    problem.weights.put(weights);
    const take = (from: number, count: number): void => problem.derivatives.takeDualsOfGradient(from, count);
    if (!(await overExamples(problem, this.#pacer, "duals of gradient", take, this.#stops, some))) return false;
    this.#dualsAt = weights;
    return true;
  }

  /**
   * P and its gradient at these weights, which the problem then has, and their dual point where directions go by that,
   * over all examples or as some of them have it; undefined if it was stopped, unless that is not to be.
   */
  async look(weights: Float64Array, { some, stoppable = true }: LookOptions = {}): Promise<Point | undefined> {
    const problem = this.#problem;
    const { onDuals } = this.#directions;
    this.#dualsAt = undefined;
    problem.weights.put(weights);
    problem.clear(true);
    const add = (from: number, count: number): void => problem.derivatives.addGradient(from, count, onDuals);
    const stops = stoppable ? this.#stops : undefined;
    const part = partOf(some);
    if (!(await overExamples(problem, this.#pacer, "gradient", add, stops, some))) return undefined;
    if (onDuals) this.#dualsAt = weights;
    const gradient = problem.derivatives.takeGradient(1 / part);
    const { primalLoss, weightsNorm2 } = problem.sums;
    return { weights, some, gradient, value: primalLoss / part + 0.5 * weightsNorm2 };
  }

  /**
   * The next point, after at most so many passes; the same if the `decrement` is small `enough`, and undefined if there
   * is none, which may be for want of passes, or if it was stopped.
   */
  async next(now: Point, mostPasses: number, enough: Enough = {}): Promise<Point | undefined> {
    const before = this.passes;
    const left = (): number => mostPasses - (this.passes - before);
    if (this.#directions.onDuals && !(await this.takeDualPoint(now))) return undefined;
    const direction = await this.#directions.direction(now, left() - partOf(now.some), enough.distance ?? 0);
    if (!direction) return undefined;
    const slope = dot(now.gradient, direction);
    this.#decrement = -0.5 * slope;
    if (enough.decrement !== undefined && this.#decrement <= enough.decrement) return now;
    return this.#search(now, direction, slope, Math.min(left() / partOf(now.some), MOST_TRIALS));
  }

  /** The next point along a direction of descent. */
  async #search(
    { weights, some, value }: Point,
    direction: Float64Array,
    slope: number,
    most: number,
  ): Promise<Point | undefined> {
    let lower = 0;
    let upper = Infinity;
    let share = 1;
    let best: Point | undefined;
    for (let trial = 0; trial < most; trial++) {
      const aim = weights.slice();
      addScaled(aim, share, direction);
      if (aim.every((w, l) => w === weights[l])) return best; // too short a step for any weight
      const there = await this.look(aim, { some });
      if (!there) return best;
      this.#passes += partOf(some);
      const slopeThere = dot(there.gradient, direction);
      const alike = Math.abs(there.value - value) <= ROUNDING * Math.abs(value);
      const low = alike ? slopeThere <= (2 * DECREASE - 1) * slope : there.value <= value + DECREASE * share * slope;
      if (low && !(there.value > (best ?? there).value)) best = there;
      if (!low) upper = share;
      else if (slopeThere < CURVATURE * slope) lower = share;
      else return there;
      share = upper < Infinity ? 0.5 * (lower + upper) : 2 * lower;
    }
    return best;
  }
}
