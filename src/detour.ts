import { estimate, rebuildWeights } from "./evaluate.ts";
import { dot } from "./linearAlgebra.ts";
import type { Loss } from "./losses.ts";
import { Newton } from "./newton.ts";
import { PrimalDescent, takeDualPoint, type Point } from "./primalDescent.ts";
import type { SolverParts } from "./solver.ts";

/** Passes over the examples that the descent of a detour takes at most. */
const MOST_PASSES = 400;
/** Steps on all examples that a new dual point has before it is judged: measured, many a good one is behind after the first. */
const PASSES_AFTER = 2;
/** Points between which P has fallen by less than this part of it, and 1/2 ||g||^2 not by half, differ by rounding. */
const ROUNDING = 1e-13;
/** Where the last descent has come near enough, but the detour has not, the next one is to come nearer by this factor. */
const NEARER = 0.1;
/** A descent keeps a dozen vectors of weights: of so many they take 24 MB. And dual variables are put aside: so many take 64 MB, or twice that. */
const MOST_WEIGHTS = 2 ** 18;
const MOST_DUALS = 2 ** 24;

/** With less smoothing a hinge loss has too many kinks for Newton's method. */
const LEAST_SMOOTHING = 0.5;
/** Domains whose curvature assembly/loss/curvature.ts knows. */
const DOMAINS: readonly Loss["domain"][] = ["SIMPLEX", "TOPK", "TOPK_BETA"];

/** Whether a loss, of label sets or not, has second derivatives that are known, with not too many jumps. */
function suitsNewton({ family, domain, gamma }: Loss, sets: boolean): boolean {
  if (family === "ENTROPY" || family === "OVA_LOGISTIC") return true;
  if (gamma < LEAST_SMOOTHING) return false;
  return family === "OVA_HINGE" || (!sets && DOMAINS.includes(domain));
}

/**
 * A detour by the primal problem, where many more rounds would be needed and P is smooth. Steps are short in directions in which the scores of
 * many examples move together with little of P changing; Newton's method on P does not mind. The dual point of the gradients at its weights W,
 *
 *     a_i = -C_i grad L_i(W x_i),
 *
 * stands for the weights W - g, g = grad P(W), and since Fenchel-Young holds with equality for every example
 *
 *     P(W) - D(A) = 1/2 ||g||^2.
 *
 * So the descent ends when that would solve the problem. P at the weights of the dual point may still be larger, since g is longest where P
 * is curved most: what a pass of steps mends at once. The dual point is kept if after two of them D has risen, and else all is as it was. The
 * next detour goes on from where the descent has been.
 */
export class Detour {
  readonly #parts: SolverParts;
  readonly #descent: PrimalDescent;
  #now: Point | undefined;
  /** The descent has come as far as it can. */
  #ended = false;

  constructor(parts: SolverParts) {
    const { problem, pacer, interruption } = parts;
    this.#parts = parts;
    this.#descent = new PrimalDescent(problem, new Newton(parts), pacer, () => !!interruption());
  }

  /** Whether there may be one. */
  static suits({ problem: { shape, kernel }, settings: { loss } }: SolverParts): boolean {
    const { numExamples: n, numFeatures: d, numClasses: m } = shape;
    const small = m * d <= MOST_WEIGHTS && n * m <= MOST_DUALS;
    return small && !kernel && suitsNewton(loss, shape.numLabels !== undefined);
  }

  /** Passes over the examples that the descent has taken so far. */
  get passes(): number {
    return this.#descent.passes;
  }

  /**
   * From the last evaluation on, in at most so many epochs, `pass` over all examples being one. Returns the gap where it has led, as good as an
   * estimate is; Infinity if all is as it was.
   */
  async take(mostEpochs: number, pass: () => Promise<boolean>): Promise<number> {
    const mostPasses = mostEpochs - PASSES_AFTER;
    if (this.#ended || mostPasses < 1) return Infinity;
    const { problem, pacer, watch, interruption } = this.#parts;
    const duals = problem.duals.copy();
    await this.#descend(this.passes + Math.min(MOST_PASSES, mostPasses));
    let went = !interruption() && (await this.#project());
    for (let p = 0; p < PASSES_AFTER; p++) went &&= await pass();
    problem.takeProgress(); // which is not that of a round
    if (went) {
      const { dualObjective, dualityGap } = await estimate(problem, pacer);
      if (dualObjective > watch.last!.dualObjective) return dualityGap;
    }
    problem.duals.restore(duals);
    await rebuildWeights(problem, pacer);
    if (!interruption()) await estimate(problem, pacer); // which lists candidates again: with the dual variables their lists have gone
    return Infinity;
  }

  /** On, until P - D would be small enough or so many passes have been made. */
  async #descend(end: number): Promise<void> {
    const { problem, watch, interruption } = this.#parts;
    const descent = this.#descent;
    const distance = ({ gradient }: Point): number => 0.5 * dot(gradient, gradient);
    const same = (now: Point, next: Point): boolean =>
      next.value > now.value - ROUNDING * Math.abs(now.value) && distance(next) > 0.5 * distance(now);
    const goal = Math.min(watch.target, this.#now ? NEARER * distance(this.#now) : Infinity);
    this.#now ??= await descent.look(problem.weights.take());
    while (this.#now && distance(this.#now) > goal && descent.passes < end) {
      const next = await descent.next(this.#now, end - descent.passes);
      if (!next || same(this.#now, next)) {
        this.#ended = !interruption() && descent.passes < end;
        return;
      }
      this.#now = next;
    }
  }

  /** Makes the dual point that of the gradients where the descent is; returns whether it is anywhere. */
  async #project(): Promise<boolean> {
    if (!this.#now) return false;
    const { problem, pacer } = this.#parts;
    await takeDualPoint(problem, pacer, this.#now.weights);
    await rebuildWeights(problem, pacer);
    return true;
  }
}
