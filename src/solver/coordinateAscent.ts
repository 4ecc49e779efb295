import type { Interruption, Objectives } from "../certificate.ts";
import { hasSparseDuals } from "../losses.ts";
import { Deflation } from "./deflation.ts";
import { DenseSchedule } from "./denseSchedule.ts";
import type { Detour } from "./detour.ts";
import { EarlyEnd } from "./earlyEnd.ts";
import { startFromSums, startEvenly, isWorthSums } from "./evenStart.ts";
import type { InteriorPoint } from "./interiorPoint.ts";
import { ListSchedule } from "./listSchedule.ts";
import { Momentum } from "./momentum.ts";
import { Passes } from "./passes.ts";
import { PrimalStart } from "./primalStart.ts";
import type { Next, Schedule } from "./schedule.ts";
import { shorten } from "./shorten.ts";
import type { Place, Solver, SolverParts } from "./solver.ts";
import { WaysRound } from "./waysRound.ts";

/**
 * Where dual variables are sparse and so many more rounds will do, the fit is quicker without momentum: it costs a
 * third of a pass.
 */
const FEW_ROUNDS = 2;
/**
 * Every class that misses its margin has a part in a one-vs-all loss, and lists grow by a few of them a round. So if
 * the gap has not fallen by this factor, the next round begins with every class: hinge on the tags of bench/, without
 * an intercept, takes a tenth of the time for it.
 */
const LISTS_TOO_SHORT = 2;

/**
 * Stochastic dual coordinate ascent: a step maximises the dual objective exactly in one example's dual variables.
 *
 * A fit begins at zero dual variables or, for the entropy losses and the hinge losses of dense rows, at the even start
 * (evenStart.ts), unless it is told where; of a tall table near the minimum of P (primalStart.ts). The first pass takes
 * a step for every example, classes taking turns, over every class or over candidates among all of them. Then each
 * round goes to the examples and classes that the last evaluation has found to matter. What makes rounds quicker:
 * momentum between passes (momentum.ts), multipliers for what features have in common (deflation.ts), and in the place
 * of steps a descent on P (detour.ts) or an interior point method (interiorPoint.ts). When a round ends is for a
 * schedule to say (schedule.ts), and for earlyEnd.ts within a pass (passes.ts).
 *
 * What comes next, `#next`:
 *
 *     active      a pass over all active examples; after an evaluation
 *     moving      a pass over those of the last one that still move, or one that mends what multipliers are off by
 *     evaluate    the round is over: the schedule or an early end says so, it is the last call for a way round, one or
 *                 the primal start has led somewhere, the start is one that was told, or the round was taken back
 */
export class CoordinateAscent implements Solver {
  brokenOff = false;
  readonly #parts: SolverParts;
  readonly #schedule: Schedule;
  readonly #momentum: Momentum;
  readonly #deflation: Deflation;
  readonly #waysRound: WaysRound;
  readonly #earlyEnd: EarlyEnd;
  readonly #sparse: boolean;
  readonly #passes: Passes;
  readonly #primalStart: PrimalStart | undefined;
  #rounds = 0;
  /** Whether steps may begin where they are. */
  #started = false;
  #everyClass = true;
  #next: Next;
  /** Whether a way round has led to where the gap probably is small enough. */
  #ledToEnd = false;
  /** Whether the round may be deflated: if D falls there is to be a way back. */
  #mayDeflate = false;
  /** Whether the weights are not those of the dual variables. */
  #stale = false;
  /** What D is known not to be below. */
  #leastDual = 0;

  constructor(parts: SolverParts) {
    const { problem, settings, pacer, warm } = parts;
    this.#parts = parts;
    this.#waysRound = new WaysRound(parts);
    this.#sparse = hasSparseDuals(settings.loss, problem.shape.numClasses);
    const shape = { ...problem.shape, nonzeros: problem.features.nonzeros };
    this.#schedule = this.#sparse
      ? new ListSchedule(shape, settings.loss.gamma > 0, problem)
      : new DenseSchedule(shape, this.#waysRound.hasQuickDetours);
    this.#momentum = new Momentum(problem, pacer);
    this.#deflation = new Deflation(problem, pacer);
    this.#earlyEnd = new EarlyEnd(parts);
    this.#passes = new Passes(parts, this.#schedule.rounds, this.#earlyEnd, this.#deflation, this.#sparse);
    if (PrimalStart.suits(parts)) this.#primalStart = new PrimalStart(parts);
    this.#next = warm ? "evaluate" : "active";
  }

  get visits(): number {
    return this.#passes.visits;
  }

  /** n updates make an epoch, and so does a round of fewer. */
  get epochs(): number {
    return Math.max(Math.floor(this.visits / this.#parts.problem.shape.numExamples), this.#rounds);
  }

  get #place(): Place {
    return { epoch: this.epochs, visits: this.visits / this.#parts.problem.shape.numExamples };
  }

  /** The gap that would end the fit; before the first evaluation, which tells, it is no smaller. */
  get #target(): number {
    const { watch, settings } = this.#parts;
    return watch.target || settings.tolerance * this.#leastDual;
  }

  /** How many more it takes if the gap goes on falling as in the last one. */
  get #roundsLeft(): number {
    const { fall, gap } = this.#schedule.rounds;
    return Math.log(gap / this.#parts.watch.target) / Math.log(fall);
  }

  async round(): Promise<Interruption | undefined> {
    const { problem, settings, interruption, warm } = this.#parts;
    const most = settings.maxEpochs * problem.shape.numExamples;
    let interrupted = interruption();
    const goesOn = (): boolean => this.#next !== "evaluate" && this.visits < most && !interrupted;
    if (goesOn()) {
      if (!this.#started) {
        this.#started = true;
        if (warm && (await shorten(problem, settings.loss, this.#parts.pacer))) {
          this.#next = "evaluate"; // no round yet
          return interruption();
        }
        if (!(await this.#takePrimalStart()) && !warm) await this.#start();
      } else await this.#takePrimalStart();
      interrupted = interruption();
      this.#rounds++;
    }
    const way = goesOn() ? this.#waysRound.due(this.epochs, this.#schedule.rounds) : undefined;
    if (way) {
      await this.#takeWayRound(way);
      interrupted = interruption();
    }
    while (goesOn()) {
      await this.#moveOn();
      // There is to be room for a pass that mends.
      if (this.#mayDeflate && !this.#everyClass) {
        await this.#deflation.beforePass(this.visits + problem.shape.numExamples < most);
      }
      const before = this.visits;
      const mayEndEarly = this.#schedule.mayReach(this.#target);
      const ended = await this.#pass(mayEndEarly);
      interrupted = interruption();
      if (ended) {
        this.#noteProgress(before);
        if (mayEndEarly && goesOn()) await this.#earlyEnd.lookBeforeNext();
        if (this.#earlyEnd.reached) this.#next = "evaluate";
        if (this.#next === "evaluate" && this.#deflation.afterLastPass()) this.#next = "moving";
      }
      this.#everyClass = false;
      if (goesOn()) await this.#parts.tell(this.#place);
    }
    this.brokenOff = this.#deflation.close();
    if (this.#deflation.mayHaveFallen) await this.#takeBack();
    return interrupted;
  }

  /** Momentum before a pass, where it pays. */
  async #moveOn(): Promise<void> {
    if (!this.#sparse) {
      // It costs a third of a pass; where there are quick detours, these gain more for that.
      const { slow, rounds } = this.#schedule;
      if (rounds.steady || (slow && !this.#waysRound.hasQuickDetours)) this.#momentum.resume();
      else this.#momentum.pause();
    }
    // A pass over every class may change lists, and what is remembered lies as they do.
    const listsStay = !(this.#sparse && this.#everyClass);
    if (listsStay || this.#momentum.outlastsEvaluations) await this.#momentum.moveOn(this.#passes.active);
  }

  /** After a pass that has begun at so many visits: what is next by what it has done. */
  #noteProgress(before: number): void {
    const progress = this.#parts.problem.progress.take();
    this.#leastDual += 0.5 * progress.movement; // D rises by half of that at least
    const mended = this.#deflation.notePass(progress.movement);
    this.#next = mended
      ? "evaluate"
      : this.#schedule.afterPass({ visits: this.visits - before, ...progress }, this.#target);
    if (this.#waysRound.isLastCall(this.epochs)) this.#next = "evaluate";
  }

  /** Goes back to where the last evaluation was, as D may have fallen since. */
  async #takeBack(): Promise<void> {
    const { problem, pacer } = this.#parts;
    const { duals } = problem;
    this.#deflation.renounce();
    await pacer.finish(duals.exchangeKept());
    await pacer.finish(duals.keep());
    this.#momentum.restart();
    this.#next = "evaluate";
    this.#stale = true;
  }

  /** Moves to where the first steps begin, if that is not where everything is zero. */
  async #start(): Promise<void> {
    const { problem, settings, pacer, interruption } = this.#parts;
    const { loss } = settings;
    // Where it is quick it is better than nothing once time is up, as the primal start may have taken it all.
    const stops = (): boolean => (problem.kernel ? !!interruption() : interruption() === "aborted");
    if (loss.family === "ENTROPY") this.#leastDual = await startEvenly(problem, pacer, stops);
    // D is not known until every example has been visited, and not needed before.
    else if (loss.family === "HINGE" && isWorthSums(problem)) {
      await startFromSums(problem, loss, pacer, stops);
      problem.decideOnLists();
    }
  }

  /** Newton's method before any steps, where that is worth it; returns whether it has led anywhere. */
  async #takePrimalStart(): Promise<boolean> {
    const start = this.#primalStart;
    if (!start?.mayBeTaken(this.epochs)) return false;
    const enough = await this.#descend(start, (place) => start.take(place, (most) => this.#pass(false, most)));
    if (enough === undefined) {
      if (this.#parts.watch.last) this.#activate();
      return false;
    }
    this.#ledToEnd = enough;
    this.#next = "evaluate";
    return true;
  }

  /** A way round, and if it has led anywhere it is time to evaluate. */
  async #takeWayRound(way: Detour | InteriorPoint): Promise<void> {
    const gap = await this.#descend(way, (place) => way.take(place, () => this.#pass()));
    this.#ledToEnd = gap <= Math.max(this.#target, this.#parts.watch.leastEstimate);
    if (gap < Infinity) this.#next = "evaluate";
    else this.#activate();
  }

  /** What is no steps, with all examples at hand, whose passes count as visits. */
  async #descend<result>(way: { passes: number }, take: (place: Place) => Promise<result>): Promise<result> {
    const { problem } = this.#parts;
    const before = way.passes;
    problem.visits.activateAll();
    const led = await take(this.#place);
    this.#passes.visits += (way.passes - before) * problem.shape.numExamples;
    this.#momentum.restart();
    return led;
  }

  /** Active are the examples that the last evaluation has found to matter. */
  #activate(): void {
    const { problem } = this.#parts;
    if (this.#schedule.rounds.everyExample) problem.visits.activateAll();
    else problem.visits.activate(this.#schedule.worthAVisit, problem.sums.excess);
  }

  /** A pass over the examples that are next, or over about `most` of them; returns whether nothing has stopped it. */
  #pass(mayEndEarly = false, most = Infinity): Promise<boolean> {
    return this.#passes.run(this.#next, this.#everyClass, mayEndEarly, most);
  }

  get likelyExacting(): boolean {
    const target = Math.max(this.#target, this.#parts.watch.leastEstimate);
    return this.#stale || this.#earlyEnd.reached || this.#ledToEnd || this.#schedule.likelySolved(target);
  }

  afterEvaluation({ dualityGap }: Objectives, kept: boolean): void {
    const { watch, settings } = this.#parts;
    this.#mayDeflate = kept;
    this.#stale = false;
    this.#primalStart?.noteGap(dualityGap);
    this.#ledToEnd = false;
    if (!this.#sparse) this.#earlyEnd.afterEvaluation();
    this.#schedule.afterEvaluation(dualityGap, watch.doubtful);
    // Where a round has not made the gap smaller, the next one looks at everything, and for longer.
    this.#everyClass = watch.doubtful || (settings.loss.oneVsAll && this.#schedule.rounds.fall < LISTS_TOO_SHORT);
    this.#activate();
    if (this.#sparse) {
      // What the examples of the last round were about to do does not go with the steps of others: measured, nearly
      // every first move of a round that went on with it was rejected.
      if (!this.#momentum.outlastsEvaluations) this.#momentum.pause();
      // The first round on lists falls less than those to come: its lists are of weights that one pass has made.
      const fewLeft = this.#roundsLeft >= 0 && this.#roundsLeft <= FEW_ROUNDS;
      if (this.#momentum.outlastsEvaluations || (this.#rounds > 2 && !fewLeft)) this.#momentum.resume();
    }
    this.#next = "active";
  }
}
