import { leavesNothing, Rounds, Work, WORTH_A_VISIT, type Next, type Pass, type Schedule } from "./schedule.ts";
import type { Shape } from "./wasm/layout.ts";

/** A round ends when a pass gains this part of what its first one did ... */
const MUCH_LESS = 0.0003;
/** ... or when its work is that of so many evaluations. */
const MOST_EVALUATIONS = 8;
/** Gains fall slowly if a pass gains more than this part, per visit, of what the one before it did. */
const SLOWLY = 0.5;
/** The least gap term worth a visit, as a part of what the mean will be after a round as good as the last one. */
const WORTH_IT_LATER = 0.1;
/** An evaluation is due, and certified at once, if its gap is predicted to be this much of what is asked for. */
const CONFIDENCE = 0.7;
/** The gap is mostly 0.4 to 1.1 times the gain of the pass before it. */
const GAP_PER_GAIN = 1;

/**
 * The schedule where dual variables are dense. There are no candidates, and nearly all examples are active: an evaluation has little to
 * say, and passes gain less because the optimum is near. A round ends when the gap is probably small enough, when passes gain so little
 * that the examples left out might matter by now, or when evaluations have become cheap beside it.
 */
export class DenseSchedule implements Schedule {
  readonly rounds = new Rounds();
  slow = false;
  readonly #work: Work;
  #gapPerGain = GAP_PER_GAIN;
  /** Gain per visit of the last pass. */
  #rate = Infinity;
  /** Of the round. */
  #passes = 0;
  #visits = 0;
  #done = 0;
  #firstGain = 0;
  #lastGain = 0;

  constructor(shape: Shape) {
    this.#work = new Work(shape);
  }

  get worthAVisit(): number {
    return Math.min(WORTH_A_VISIT, WORTH_IT_LATER / this.rounds.fall);
  }

  afterPass(pass: Pass, target: number): Next {
    const { visits, movement: gain } = pass;
    this.#done += this.#work.of(pass);
    this.#visits += visits;
    this.slow = gain > SLOWLY * this.#rate * visits;
    this.#rate = gain / visits;
    if (this.#passes++ === 0) this.#firstGain = gain;
    this.#lastGain = gain;
    const { rounds } = this;
    // The first evaluation says little before the second pass. A pass without movement leaves nothing to go on with.
    if ((rounds.count === 0 && this.#passes > 1) || gain === 0 || this.#passes >= rounds.mostPasses) return "evaluate";
    const mayEnd = this.#visits >= rounds.leastVisits;
    if (rounds.steady) return mayEnd || leavesNothing(gain, this.#firstGain) ? "evaluate" : "active";
    // A round that is to be long has followed one whose gap was not what had been predicted.
    if (!mayEnd) return "active";
    const long = this.#done >= MOST_EVALUATIONS * this.#work.evaluation;
    return this.likelySolved(target) || long || gain <= MUCH_LESS * this.#firstGain ? "evaluate" : "active";
  }

  likelySolved(target: number): boolean {
    return this.#lastGain > 0 && this.#gapPerGain * this.#lastGain <= CONFIDENCE * target;
  }

  afterEvaluation(dualityGap: number, visits: number, doubtful: boolean): void {
    const nothingLeft = leavesNothing(this.#lastGain, this.#firstGain);
    this.rounds.note(dualityGap, visits, doubtful, this.#passes, nothingLeft);
    if (this.#lastGain > 0) this.#gapPerGain = dualityGap / this.#lastGain;
    this.#visits = this.#passes = this.#done = this.#lastGain = 0;
  }
}
