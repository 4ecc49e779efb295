import type { Evaluations } from "./evaluations.ts";
import { addScaled, dot, Lbfgs } from "./lbfgs.ts";
import type { Pacer } from "./pace.ts";
import type { Settings } from "./settings.ts";
import type { Interruption } from "./solver.ts";
import type { Status } from "./types.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

/** Sufficient decrease and curvature: a step is taken where P and its slope have both fallen by such parts. */
const DECREASE = 1e-4;
const CURVATURE = 0.9;
/** Points that a line search looks at. */
const MOST_TRIALS = 40;
/** Differences of P below this part of it are rounding; then slopes decide alone. */
const ROUNDING = 1e-14;

/** A point with P and its gradient there. */
interface Point {
  readonly weights: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
}

interface Parts {
  readonly problem: ResidentProblem;
  readonly settings: Settings;
  readonly evaluations: Evaluations;
  readonly pacer: Pacer;
  readonly interruption: () => Interruption | undefined;
  /** Epochs that the start has taken. */
  readonly epochs: number;
}

/** Where a descent has ended: at the problem's weights of the moment. */
export interface Descended {
  readonly status: Status;
  readonly epochs: number;
  readonly primalObjective: number;
  readonly gradientNorm: number;
}

/**
 * Minimises P by L-BFGS where it is not convex, from the problem's weights on. Where it ends, the gradient is small: nothing
 * says how far that is from the optimum. A line search takes P and its slope below Wolfe's bounds, by doubling and bisection
 * (Lewis and Overton, *Nonsmooth optimization via quasi-Newton methods*, 2013, Algorithm 2.6): the truncated loss is the least
 * of several smooth ones, and has kinks between them.
 *
 * Weights are float64 on the way and rounded to `precision` at the end, where P and the gradient are taken once more.
 */
export async function descend({
  problem,
  settings,
  evaluations,
  pacer,
  interruption,
  epochs,
}: Parts): Promise<Descended> {
  const { tolerance, maxEpochs, precision } = settings;
  const n = problem.shape.numExamples;
  // Rounding at the end adds to the gradient.
  const goal = precision === "float32" ? 0.5 * tolerance : tolerance;

  /** P and its gradient at these weights; undefined if it was interrupted. */
  async function look(weights: Float64Array, stops = true): Promise<Point | undefined> {
    problem.putWeights(weights);
    problem.clear(true);
    const done = await pacer.run(
      "gradient",
      n,
      (from, count) => problem.addGradient(from, count),
      () => stops && !!interruption(),
      problem.rowsAtOnce,
    );
    if (done < n) return undefined;
    const gradient = problem.takeGradient();
    const { primalLoss, weightsNorm2 } = problem.sums;
    return { weights, gradient, value: primalLoss + 0.5 * weightsNorm2 };
  }

  /** The next point along a direction of descent; undefined if there is none, or if it was interrupted. */
  async function search({ weights, value, gradient }: Point, direction: Float64Array): Promise<Point | undefined> {
    const slope = dot(gradient, direction);
    let lower = 0;
    let upper = Infinity;
    let share = 1;
    let best: Point | undefined;
    for (let trial = 0; trial < MOST_TRIALS && epochs < maxEpochs; trial++) {
      const aim = weights.slice();
      addScaled(aim, share, direction);
      const there = await look(aim);
      if (!there) return best;
      epochs++;
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

  const memory = new Lbfgs();
  const norm = (gradient: Float64Array): number => Math.sqrt(dot(gradient, gradient));
  const record = (value: number): Promise<void> => evaluations.note(value, { epoch: epochs, visits: epochs });
  const ended = ({ gradient }: Point): Status | undefined => {
    if (norm(gradient) <= goal) return "stationary";
    return interruption() ?? (epochs >= maxEpochs ? "max-epochs" : undefined);
  };
  let now = (await look(problem.takeWeights(), false))!;
  await record(now.value);
  let status = ended(now);
  while (!status) {
    let direction = memory.direction(now.gradient);
    // Pairs across a kink may point uphill.
    if (!(dot(direction, now.gradient) < 0)) {
      memory.forget();
      direction = memory.direction(now.gradient);
    }
    const next = await search(now, direction);
    if (!next) {
      status = ended(now) ?? (memory.forget() ? undefined : "no-progress");
      continue;
    }
    const step = next.weights.slice();
    addScaled(step, -1, now.weights);
    const change = next.gradient.slice();
    addScaled(change, -1, now.gradient);
    memory.update(step, change);
    now = next;
    problem.putWeights(now.weights);
    await record(now.value);
    status = ended(now);
  }

  const rounded = precision === "float32" ? now.weights.map(Math.fround) : now.weights;
  const spent = epochs;
  now = (await look(rounded, false))!;
  const gradientNorm = norm(now.gradient);
  if (status === "stationary" && gradientNorm > tolerance) status = "no-progress";
  return { status, epochs: spent, primalObjective: now.value, gradientNorm };
}
