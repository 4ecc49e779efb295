/**
 * When to look at everything again. Passes over a few examples and, for each, a few classes are cheap, and become less and
 * less worth it until an evaluation says which examples and classes matter now. So a fit runs in rounds:
 *
 *     round:  cycles, then an evaluation, which lists each example's candidate classes and finds the active examples
 *     cycle:  one pass over the active examples, then passes over those of them that still move
 *
 * By the marginal value theorem a cycle has gone on for long enough when a pass gains less for its work than the first pass of
 * the cycle did, and a round when a cycle gains less than the round on average, its evaluation included. A pass's gain is
 * sum K_i ||change of a_i||^2, twice the rise of the dual objective where steps end inside the domain. Nothing here looks at
 * a clock, and nothing here can make a certificate wrong: a bad schedule costs time.
 *
 * Where dual variables are dense there are no candidates, and nearly all examples are active: an evaluation has little to say, and
 * passes gain less because the optimum is near. There a cycle is one pass, and a round ends when the gap is probably small enough, when
 * passes gain so little that the examples left out might matter by now, or when evaluations have become cheap beside it.
 */

import type { Shape } from "./wasm/layout.ts";

/** What a step costs beside its scores, in multiply-adds: as much as so many scores of one feature. */
const STEP_OVERHEAD = 160;
/** Passes of a round at most. */
const MOST_PASSES = 256;
/** Where dual variables are dense, a round ends when a pass gains this part of what its first one did ... */
const MUCH_LESS = 0.0003;
/** ... or when its work is that of so many evaluations. */
const MOST_EVALUATIONS = 8;
/** Gains fall slowly if a pass gains more than this part, per visit, of what the one before it did. */
const SLOWLY = 0.5;
/** The least gap term worth a visit, as a part of the mean. Measured on the workloads of bench/. */
const WORTH_A_VISIT = 0.01;
/** Where dual variables are dense, as a part of what the mean will be after a round as good as the last one, too. */
const WORTH_IT_LATER = 0.1;
/** An evaluation is due, and certified at once, if its gap is predicted to be this much of what is asked for. */
const CONFIDENCE = { sparse: 0.4, dense: 0.7 };
/** Where dual variables are dense, the gap is mostly 0.4 to 1.1 times the gain of the pass before it. */
const GAP_PER_GAIN = 1;

/** What a pass has done; see `ResidentProblem.takeProgress`. */
interface Pass {
  readonly visits: number;
  readonly movement: number;
  /** Scores computed. */
  readonly work: number;
}

/** "active": visit all active examples; "moving": those of the last pass that still move; "evaluate": look at everything. */
export type Next = "active" | "moving" | "evaluate";

/** Gain and work of some passes. */
class Account {
  gain = 0;
  work = 0;
  add(gain: number, work: number): this {
    this.gain += gain;
    this.work += work;
    return this;
  }
}

export class Schedule {
  readonly #sparse: boolean;
  readonly #overhead: number;
  readonly #evaluationWork: number;
  #rounds = 0;
  #passes = 0;
  #visits = 0;
  #leastVisits = 0;
  #round = new Account();
  #cycle = new Account();
  #firstOfCycle: Account | undefined;
  #firstGain = 0;
  /** Of the last pass, per visit. */
  #rate = Infinity;
  #slow = false;
  /** The gain of the last cycle of this round, and the gap at the last evaluation over that of the cycle before it. */
  #lastGain = 0;
  #gapPerGain: number;
  #gap = Infinity;
  #fall = Infinity;

  /** @param sparse whether dual variables are, so that few examples go on moving. */
  constructor({ numExamples, numFeatures, numClasses, nonzeros = numExamples * numFeatures }: Shape, sparse: boolean) {
    this.#sparse = sparse;
    this.#gapPerGain = sparse ? Infinity : GAP_PER_GAIN;
    this.#overhead = STEP_OVERHEAD / Math.max(1, nonzeros / numExamples);
    this.#evaluationWork = numExamples * (numClasses + this.#overhead);
  }

  /** By which factor the gap fell in the last round: Infinity after the first one, 1 if it did not fall. */
  get fall(): number {
    return this.#fall;
  }

  /** The least gap term of an active example, as a part of the mean. */
  get worthAVisit(): number {
    return this.#sparse ? WORTH_A_VISIT : Math.min(WORTH_A_VISIT, WORTH_IT_LATER / this.#fall);
  }

  /** Whether the passes gain about as much as those before them: as it is, it will take many more. */
  get slow(): boolean {
    return this.#slow;
  }

  /** Takes note of a whole pass and says what comes next; `target` is the gap that would end the fit. */
  afterPass({ visits, movement: gain, work: scores }: Pass, target: number): Next {
    const work = scores + this.#overhead * visits;
    const cycle = this.#cycle;
    const round = this.#round;
    cycle.add(gain, work);
    round.add(gain, work);
    if (this.#passes++ === 0) this.#firstGain = gain;
    this.#slow = gain > SLOWLY * this.#rate * visits;
    this.#rate = gain / visits;

    const begun = this.#firstOfCycle;
    const goesOn = begun === undefined ? this.#sparse : gain * begun.work > begun.gain * work;
    this.#lastGain = cycle.gain;
    this.#visits += visits;
    // There are no lists before the first evaluation, and one says little before the second pass where there are none at all. A pass
    // without movement leaves nothing to go on with.
    const enough = this.#rounds === 0 && (this.#sparse || this.#passes > 1);
    if (enough || gain === 0 || this.#passes >= MOST_PASSES) return "evaluate";
    if (goesOn) {
      this.#firstOfCycle ??= new Account().add(gain, work);
      return "moving";
    }
    this.#cycle = new Account();
    this.#firstOfCycle = undefined;
    // A round that is to be long has followed one whose gap was not what had been predicted.
    if (this.#visits < this.#leastVisits) return "active";
    if (this.likelySolved(target)) return "evaluate";
    if (!this.#sparse) {
      const long = round.work >= MOST_EVALUATIONS * this.#evaluationWork;
      return long || gain <= MUCH_LESS * this.#firstGain ? "evaluate" : "active";
    }
    const paysLess = cycle.gain * (round.work + this.#evaluationWork) <= round.gain * cycle.work;
    return paysLess ? "evaluate" : "active";
  }

  /** Whether the coming evaluation will probably show a gap within `target`. */
  likelySolved(target: number): boolean {
    const enough = target * (this.#sparse ? CONFIDENCE.sparse : CONFIDENCE.dense);
    return this.#lastGain > 0 && this.#gapPerGain * this.#lastGain <= enough;
  }

  /** Takes note of an evaluation: a new round begins, of at least so many visits. */
  afterEvaluation(dualityGap: number, leastVisits: number): void {
    this.#fall = this.#gap > dualityGap ? this.#gap / dualityGap : 1;
    this.#gap = dualityGap;
    this.#leastVisits = leastVisits;
    this.#visits = 0;
    if (this.#lastGain > 0) this.#gapPerGain = dualityGap / this.#lastGain;
    this.#rounds++;
    this.#passes = 0;
    this.#lastGain = 0;
    this.#round = new Account();
    this.#cycle = new Account();
    this.#firstOfCycle = undefined;
  }
}
