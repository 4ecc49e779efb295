import type { Shape } from "../wasm/layout.ts";

/**
 * When to look at everything again. Passes over a few examples and, for each, a few classes are cheap, and become less
 * and less worth it until an evaluation says which examples and classes matter now. So a fit runs in rounds: passes,
 * then an evaluation, which lists each example's candidate classes and finds the active examples. How long a round goes
 * on depends on what is skipped: see listSchedule.ts and denseSchedule.ts.
 *
 * Nothing here looks at a clock, and nothing here can make a certificate wrong: a bad schedule costs time.
 */
export interface Schedule {
  /** The rounds so far, and what is known of the next one. */
  readonly rounds: Rounds;
  /** The least gap term of an active example, as a part of the mean. */
  readonly worthAVisit: number;
  /** Whether passes gain about as much as those before them: as it is, it will take many more. */
  readonly slow: boolean;
  /**
   * Takes note of a pass, once it has gone through or as far as it is to, and says what comes next; `target` is the gap
   * that would end the fit.
   */
  afterPass(pass: Pass, target: number): Next;
  /** Whether the pass to come may bring the gap down to `target` before it has gone through. */
  mayReach(target: number): boolean;
  /** Whether the coming evaluation will probably show a gap within `target`. */
  likelySolved(target: number): boolean;
  /** Takes note of an evaluation, `doubtful` if the gap has not fallen: a new round begins. */
  afterEvaluation(dualityGap: number, doubtful: boolean): void;
}

/** What a pass has done; see `SweepProgress.take`. */
export interface Pass {
  /** What it counts for: with a kernel, steps that were taken back for a part of one each. */
  readonly visits: number;
  /** Its gain: sum K_i ||change of a_i||^2, twice the rise of the dual objective where steps end inside the domain. */
  readonly movement: number;
  /** Scores computed. */
  readonly work: number;
}

/**
 * "active": visit all active examples; "moving": those of the last pass that still move; "evaluate": look at
 * everything.
 */
export type Next = "active" | "moving" | "evaluate";

/** The least gap term worth a visit, as a part of the mean. Measured on the workloads of bench/. */
export const WORTH_A_VISIT = 0.01;
/** What a step costs beside its scores, in multiply-adds: as much as so many scores of one feature. */
export const STEP_OVERHEAD = 160;

/** Work of passes, in evaluations. */
class Work {
  readonly #evaluation: number;
  readonly #overhead: number;

  constructor({ numExamples, numFeatures, numClasses, nonzeros = numExamples * numFeatures }: Shape) {
    this.#overhead = STEP_OVERHEAD / Math.max(1, nonzeros / numExamples);
    this.#evaluation = numExamples * (numClasses + this.#overhead);
  }

  of({ work, visits }: Pass): number {
    return (work + this.#overhead * visits) / this.#evaluation;
  }
}

/** Passes of a round at most, unless it is a long one. */
export const MOST_PASSES = 256;
/**
 * So many rounds find out which classes and examples matter; from then on they are slow if the gap falls by less than
 * this factor.
 */
const FIRST_ROUNDS = 3;
const SLOW_FALL = 2;
/**
 * The visits of a long round, as a part of all before it. So evaluations become rare, and the last one comes late by no
 * more than that.
 */
const LONG = 1 / 4;
/**
 * The active examples have nothing left to gain, but for what the others would change, if a pass gains this part of the
 * round's first.
 */
const NOTHING_LEFT = 1e-3;

/**
 * What the rounds so far have done, and what the next one is to be like.
 *
 * Where C ||x||^2 is large a round does little. Momentum would do more, but the speed it gathers is lost with every
 * evaluation, which makes other lists and other examples active: then rounds are long, and become longer. Where a few
 * examples hold each other back, as two with the same features and different classes do, those that are active soon
 * have nothing left to gain, and the gap has moved to the others: then all are active.
 */
export class Rounds {
  count = 0;
  gap = Infinity;
  /** By which factor the gap fell in the last one: Infinity after the first, 1 if it did not fall. */
  fall = Infinity;
  /** Whether this one is long, of passes over all active examples, for momentum to gather speed in. */
  steady = false;
  /** Whether all examples are active in it, whatever part of the gap they hold. */
  everyExample = false;
  /** Of this one so far, `work` in evaluations. */
  passes = 0;
  work = 0;
  /** Of all so far. */
  workSoFar = 0;
  firstGain = 0;
  lastGain = 0;
  /** Work of the one before. */
  #workBefore = 0;
  /** Of the one before that: its work, and the logarithm of its fall. */
  #earlier = { work: 0, fall: 0 };
  readonly #work: Work;
  readonly #always: boolean;
  #visits = 0;
  #leastVisits = 0;
  #mostPasses = MOST_PASSES;
  #coupled = false;
  readonly #before = { passes: 0, visits: 0 };

  /** `always`: they are all steady. */
  constructor(shape: Shape, always = false) {
    this.#work = new Work(shape);
    this.#always = always;
  }

  /** Returns its work. */
  notePass(pass: Pass): number {
    const { visits, movement } = pass;
    if (this.passes++ === 0) this.firstGain = movement;
    this.lastGain = movement;
    this.#visits += visits;
    const work = this.#work.of(pass);
    this.work += work;
    this.workSoFar += work;
    return work;
  }

  /** Whether it has as many visits as it is to have. */
  get mayEnd(): boolean {
    return this.#visits >= this.#leastVisits;
  }

  /** Whether it has gone on for too long, or cannot go on: nothing moves. */
  get mustEnd(): boolean {
    return this.lastGain === 0 || this.passes >= this.#mostPasses;
  }

  /** Whether there is nothing left to gain in it. */
  get exhausted(): boolean {
    return this.passes > 0 && this.lastGain <= NOTHING_LEFT * this.firstGain;
  }

  /**
   * The work that the gap would need to fall to `target` if it went on falling as in the last two rounds: one alone may
   * have been short, and with lists short and long ones often take turns.
   */
  workTo(target: number): number {
    const { work, fall } = this.#earlier;
    return (Math.log(this.gap / target) * (this.#workBefore + work)) / (Math.log(this.fall) + fall);
  }

  /** The end of this one and the beginning of the next: see `Schedule.afterEvaluation`. */
  noteEvaluation(dualityGap: number, doubtful: boolean): void {
    const exhausted = this.steady && this.exhausted;
    const before = this.#before;
    before.passes += this.passes;
    before.visits += this.#visits;
    if (this.count > 1) this.#earlier = { work: this.#workBefore, fall: Math.log(this.fall) };
    this.fall = this.gap > dualityGap ? this.gap / dualityGap : 1;
    this.gap = dualityGap;
    this.count++;
    this.steady = this.#always || (this.count > FIRST_ROUNDS && this.fall < SLOW_FALL);
    this.#coupled = this.steady && (this.#coupled || exhausted);
    this.everyExample = doubtful || this.#coupled;
    this.#leastVisits = doubtful || this.steady ? LONG * before.visits : 0;
    this.#mostPasses = this.steady ? Math.max(LONG * before.passes, MOST_PASSES) : MOST_PASSES;
    if (this.passes > 0) this.#workBefore = this.work;
    this.passes = this.work = this.#visits = this.lastGain = 0;
  }
}
