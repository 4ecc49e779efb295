import { estimate, rebuildWeights } from "./evaluate.ts";
import type { Loss } from "./losses.ts";
import { PrimalDescent, type Point } from "./primalDescent.ts";
import type { SolverParts } from "./solver.ts";

/** Trials of a detour, at first: twice as many after one in vain. */
const FIRST_TRIALS = 40;
/** Passes that a new dual point has before it is judged: measured, many a good one is behind after the first. */
const PASSES = 2;
/** L-BFGS keeps 20 vectors of weights: of so many they take 40 MB. And dual variables are put aside: so many take 64 MB, or twice that. */
const MOST_WEIGHTS = 2 ** 18;
const MOST_DUALS = 2 ** 24;

/** Losses whose P is smooth and whose dual variables are those of the gradients of scores. */
const SMOOTH: readonly Loss["family"][] = ["ENTROPY", "OVA_LOGISTIC"];

/**
 * A detour by the primal problem, where D rises slowly and P is smooth. Steps are short in directions in which the scores of many examples
 * move together with little of P changing; L-BFGS on P is quick there. The dual point of the gradients at its weights W,
 *
 *     a_i = -C_i grad L_i(W x_i),
 *
 * stands for the weights W - grad P(W), off by the gradient, which is longest where P is curved most: what a pass of steps mends at once.
 * So: some points of L-BFGS, the dual point, two passes. It is kept if D has risen, and else all is as it was. The next detour goes on from
 * where L-BFGS has been.
 */
export class Detour {
  readonly #parts: SolverParts;
  readonly #descent: PrimalDescent;
  #now: Point | undefined;
  #trials = FIRST_TRIALS;
  /** L-BFGS has come as far as it can. */
  #ended = false;

  constructor(parts: SolverParts) {
    this.#parts = parts;
    this.#descent = new PrimalDescent(parts.problem, parts.pacer, () => !!parts.interruption());
  }

  /** Whether there may be one. */
  static suits({ problem: { shape, kernel }, settings: { loss } }: SolverParts): boolean {
    const { numExamples: n, numFeatures: d, numClasses: m } = shape;
    const small = m * d <= MOST_WEIGHTS && n * m <= MOST_DUALS;
    return small && SMOOTH.includes(loss.family) && shape.numLabels === undefined && !kernel;
  }

  /** From a point of that D, in at most so many epochs, `pass` over all examples being one; returns how many others, trials, it took. */
  async take(dualObjective: number, mostEpochs: number, pass: () => Promise<boolean>): Promise<number> {
    const mostTrials = mostEpochs - PASSES;
    if (this.#ended || mostTrials < 1) return 0;
    const { problem, pacer, interruption } = this.#parts;
    const before = this.#descent.trials;
    await this.#descend(before + Math.min(this.#trials, mostTrials));
    const duals = problem.duals.copy();
    let went = !interruption() && (await this.#project());
    for (let p = 0; p < PASSES; p++) went &&= await pass();
    problem.takeProgress(); // which is not that of a round
    if (!went || !((await estimate(problem, pacer)).dualObjective > dualObjective)) {
      problem.duals.restore(duals);
      await rebuildWeights(problem, pacer);
      this.#trials *= 2;
    }
    return this.#descent.trials - before;
  }

  /** On, until so many trials have been made. */
  async #descend(end: number): Promise<void> {
    const { problem, interruption } = this.#parts;
    const descent = this.#descent;
    this.#now ??= await descent.look(problem.takeWeights());
    while (this.#now && descent.trials < end) {
      const next = await descent.next(this.#now, end - descent.trials);
      if (!next) {
        this.#ended = !interruption() && descent.trials < end;
        return;
      }
      this.#now = next;
    }
  }

  /** Makes the dual point that of the gradients where L-BFGS is; returns whether it is anywhere. */
  async #project(): Promise<boolean> {
    if (!this.#now) return false;
    const { problem, pacer } = this.#parts;
    const { numExamples } = problem.shape;
    const take = (from: number, count: number): void => problem.takeDualsOfGradient(from, count);
    problem.putWeights(this.#now.weights);
    await pacer.run("duals of gradient", numExamples, take, undefined, problem.rowsAtOnce);
    await rebuildWeights(problem, pacer);
    return true;
  }
}
