import { sum } from "../arrays/vectors.ts";
import type { Interruption, Objectives } from "../certificate.ts";
import { CoordinateAscent } from "./coordinateAscent.ts";
import { Detour } from "./detour.ts";
import { estimate, MOST_COPIED, rebuildWeights, restoreDuals } from "./evaluate.ts";
import { EASY, hardnessOf } from "./hardness.ts";
import { InteriorPoint } from "./interiorPoint.ts";
import type { Solver, SolverParts } from "./solver.ts";
import { Watch } from "./watch.ts";
import { EPOCHS_TO_TELL } from "./waysRound.ts";

/**
 * A fit is lost if after so many epochs, more where a detour may help, the relative gap is as large as that, P has
 * never been below that part of sum C_i, and D has risen by that factor in the latter half of them. Where C is large
 * but classes are apart P is far off for as long, but smaller, or D soon is where it ends; and there the path is no
 * easier than where it leads.
 */
const LOST = { epochs: { first: 32, afterDetours: 256 }, gap: 0.5, losses: 0.05, rise: 1.1 };
/**
 * There are to be so many examples for each weight: with fewer it is not C alone that makes a problem hard, and the
 * path is no easier than where it leads.
 */
const EXAMPLES_PER_WEIGHT = 4;
/** From one C to the next: a power of two, by which C_i and dual variables are multiplied without rounding. */
const STEP = 8;
/** The path begins where it is easy, or so many steps away. */
const MOST_STEPS = 12;
/** The relative gap that a stage goes down to: with ten times as much, later ones take longer than that saves. */
const STAGE_TOLERANCE = 1e-3;
/** The epochs of a stage at most, and the gap that will do then: with a larger one there is no way along this path. */
const LONG_STAGE = { epochs: 256, gap: 0.05 };
/** The part of the epochs left that all stages take at most, less where an interior point method may need them. */
const SHARE = { most: 0.8, beforeInteriorPoint: 0.5 };
/** Where an interior point method takes the work of fewer evaluations, it is quicker than a path, and surer. */
const SHORT = 250;
/** With fewer left it is not begun. */
const LEAST_EPOCHS = 64;

/** How a stage has ended: "hard" if far from solved. */
type Stage = "solved" | "hard" | Interruption;

/**
 * Coordinate ascent, and where C is so large that it gets nowhere, continuation: along the path of the problems with a
 * smaller C, each solved from where the one before has led.
 *
 * With C ||x||^2 in the thousands a step moves the scores of its example by many margins, those of others with them,
 * and what is left of many such steps is little. But along the path a_i / C_i changes little, so dual variables that
 * solve one problem, multiplied by the ratio of both C, are nearly those of the next. Tables of thousands of rows whose
 * classes overlap take one to a few hundred epochs for C from 100 to 10^4, where steps alone take a thousand to
 * hundreds of thousands.
 *
 * A path is one round, and taken once. If D is not higher at its end, everything is as it was.
 */
export class Continuation implements Solver {
  readonly #parts: SolverParts;
  #solver: CoordinateAscent;
  /** What solvers before this one have done. */
  #before = { epochs: 0, visits: 0 };
  /** D at evaluations, as long as there may be a path. */
  #rise: { readonly epochs: number; readonly dual: number }[] | undefined;
  #leastPrimal = Infinity;
  #due = false;

  constructor(parts: SolverParts) {
    this.#parts = parts;
    this.#solver = new CoordinateAscent(parts);
    if (Continuation.#suits(parts)) this.#rise = [];
  }

  /** Other losses have detours, which do not mind a large C; with a kernel there are as many weights as examples. */
  static #suits(parts: SolverParts): boolean {
    const { shape, kernel } = parts.problem;
    const { loss } = parts.settings;
    const interior = InteriorPoint.suits(parts) ? new InteriorPoint(parts) : undefined;
    if (interior && interior.work < SHORT && interior.mayBeTaken(EPOCHS_TO_TELL)) return false;
    const { numExamples: n, numFeatures: d, numClasses: m } = shape;
    const enough = n >= EXAMPLES_PER_WEIGHT * d * m;
    return loss.family.endsWith("HINGE") && !kernel && enough && n * m <= MOST_COPIED;
  }

  /** Of all solvers together, whose parts of an epoch add up. */
  get epochs(): number {
    const whole = Math.floor(this.visits / this.#parts.problem.shape.numExamples);
    return Math.max(whole, this.#before.epochs + this.#solver.epochs);
  }

  get visits(): number {
    return this.#before.visits + this.#solver.visits;
  }

  get likelyExacting(): boolean {
    return this.#solver.likelyExacting;
  }

  get brokenOff(): boolean {
    return this.#solver.brokenOff;
  }

  async round(): Promise<Interruption | undefined> {
    if (!this.#due) return this.#solver.round();
    this.#due = false;
    this.#rise = undefined;
    const { watch } = this.#parts;
    const interrupted = await this.#follow(watch.last!.dualObjective);
    this.#solver = this.#next(watch, this.#epochsLeft);
    return interrupted;
  }

  afterEvaluation(now: Objectives, kept: boolean): void {
    this.#solver.afterEvaluation(now, kept);
    this.#due = this.#isLost(now);
  }

  #isLost({ relativeGap, primalObjective, dualObjective: dual }: Objectives): boolean {
    if (!this.#rise || this.#epochsLeft < LEAST_EPOCHS) return false;
    const { epochs } = this;
    this.#rise.push({ epochs, dual });
    this.#leastPrimal = Math.min(this.#leastPrimal, primalObjective);
    const half = this.#rise.filter((earlier) => earlier.epochs <= epochs / 2).pop();
    const rises = half !== undefined && dual > LOST.rise * half.dual;
    const from = LOST.epochs[Detour.suits(this.#parts) ? "afterDetours" : "first"];
    if (!rises || epochs < from || !(relativeGap > LOST.gap)) return false;
    return this.#leastPrimal >= LOST.losses * sum(this.#parts.problem.C);
  }

  /** A part of an epoch counts, as a solver may go on for one more. */
  get #epochsLeft(): number {
    const { problem, settings } = this.#parts;
    return Math.max(settings.maxEpochs - Math.max(this.epochs, this.visits / problem.shape.numExamples), 0);
  }

  /** The solver that goes on from where the dual variables are, in so many epochs. */
  #next(watch: Watch, maxEpochs: number, onTheWay = false): CoordinateAscent {
    const { epochs, visits } = this;
    this.#before = { epochs, visits };
    const { settings, problem, tell } = this.#parts;
    const before = visits / problem.shape.numExamples;
    return new CoordinateAscent({
      ...{ ...this.#parts, watch, warm: true, onTheWay, settings: { ...settings, maxEpochs } },
      tell: (there) => tell({ epoch: epochs + there.epoch, visits: before + there.visits }),
    });
  }

  /** The parts of C on the way, from the least to 1. */
  #stages(): number[] {
    const hardness = hardnessOf(this.#parts.problem);
    const stages = [1];
    do stages.unshift(stages[0] / STEP);
    while (stages[0] * hardness > EASY && stages.length <= MOST_STEPS);
    return stages;
  }

  /** From small C to all of it, where D is to be above `dual`: else, or if interrupted, back to where it began. */
  async #follow(dual: number): Promise<Interruption | undefined> {
    const { problem, pacer, interruption } = this.#parts;
    const C = problem.C.slice();
    const before = await pacer.finish(problem.duals.copied());
    const stages = this.#stages();
    const share = InteriorPoint.suits(this.#parts) ? SHARE.beforeInteriorPoint : SHARE.most;
    const most = this.epochs + Math.floor(share * this.#epochsLeft);
    let part = 1;
    let ended: Stage = "solved";
    while (ended === "solved" && stages.length > 0) {
      const next = stages.shift()!;
      problem.C.set(C.map((cost) => cost * next));
      await pacer.finish(problem.duals.multiply(next / part));
      await rebuildWeights(problem, pacer);
      part = next;
      if (part < 1) ended = await this.#solveStage(most - this.epochs);
    }
    problem.C.set(C);
    if (ended === "solved" && (await estimate(problem, pacer)).dualObjective > dual) return interruption();
    await restoreDuals(problem, before, pacer);
    this.#parts.watch.startOver();
    return ended === "solved" || ended === "hard" ? interruption() : ended;
  }

  /** Rounds until the problem of the moment is solved well enough, or for so many epochs. */
  async #solveStage(epochs: number): Promise<Stage> {
    const { problem, settings, pacer, tell } = this.#parts;
    const { numExamples: n } = problem.shape;
    const watch = new Watch(STAGE_TOLERANCE, settings.precision);
    const most = Math.max(Math.min(LONG_STAGE.epochs, epochs), 1);
    this.#solver = this.#next(watch, most, true);
    for (;;) {
      const interrupted = await this.#solver.round();
      if (interrupted) return interrupted;
      const now = await estimate(problem, pacer);
      await tell({ epoch: this.epochs, visits: this.visits / n });
      watch.note(now);
      if (now.relativeGap <= STAGE_TOLERANCE) return "solved";
      const over = watch.stalled || this.#solver.epochs >= most;
      if (over) return now.relativeGap <= LONG_STAGE.gap ? "solved" : "hard";
      this.#solver.afterEvaluation(now, false); // nothing to take it back to
    }
  }
}
