import type { Shape } from "../wasm/layout.ts";
import { Rounds, WORTH_A_VISIT, type Next, type Pass, type Schedule } from "./schedule.ts";

/** A round ends when a pass gains this part of what its first one did ... */
const MUCH_LESS = 0.0003;
/** ... or when its work is that of so many evaluations. */
const MOST_EVALUATIONS = 8;
/** Gains fall slowly if a pass gains more than this part, per visit, of what the one before it did. */
const SLOWLY = 0.5;
/**
 * Where a detour would be at hand, so many passes of the second round tell how fast the gap falls; if gains do so
 * slowly, it is evaluated.
 */
const PASSES_TO_TELL = 3;
/** The least gap term worth a visit, as a part of what the mean will be after a round as good as the last one. */
const WORTH_IT_LATER = 0.1;
/** An evaluation is due, and certified at once, if its gap is predicted to be this much of what is asked for. */
const CONFIDENCE = 0.7;
/** The gap is mostly 0.4 to 1.1 times the gain of the pass before it. */
const GAP_PER_GAIN = 1;
/** A pass seldom makes it smaller by more than this factor. */
const MOST_FALL = 16;

/**
 * The schedule where dual variables are dense. There are no candidates, and nearly all examples are active: an
 * evaluation has little to say, and passes gain less because the optimum is near. A round ends when the gap is probably
 * small enough, when passes gain so little that the examples left out might matter by now, or when evaluations have
 * become cheap beside it.
 */
export class DenseSchedule implements Schedule {
  readonly rounds: Rounds;
  slow = false;
  readonly #detours: boolean;
  #gapPerGain = GAP_PER_GAIN;
  /** Gain per visit of the last pass. */
  #rate = Infinity;

  /** `detours`: whether there is a quicker way where many rounds would be needed, see detour.ts. */
  constructor(shape: Shape, detours = false) {
    this.rounds = new Rounds(shape);
    this.#detours = detours;
  }

  get worthAVisit(): number {
    return Math.min(WORTH_A_VISIT, WORTH_IT_LATER / this.rounds.fall);
  }

  afterPass(pass: Pass, target: number): Next {
    const { rounds } = this;
    const { visits, movement: gain } = pass;
    rounds.notePass(pass);
    this.slow = gain > SLOWLY * this.#rate * visits;
    this.#rate = gain / visits;
    // The first evaluation says little before the second pass.
    if (rounds.mustEnd || (rounds.count === 0 && rounds.passes > 1)) return "evaluate";
    const solved = this.likelySolved(target);
    if (rounds.steady) return rounds.mayEnd || rounds.exhausted || solved ? "evaluate" : "active";
    // After a gap that was not what had been predicted, predictions count for nothing until it may end.
    if (!rounds.mayEnd) return "active";
    const long = rounds.work >= MOST_EVALUATIONS;
    const tells = this.#detours && this.slow && rounds.count === 1 && rounds.passes >= PASSES_TO_TELL;
    return solved || long || tells || gain <= MUCH_LESS * rounds.firstGain ? "evaluate" : "active";
  }

  mayReach(target: number): boolean {
    const { count, passes, gap } = this.rounds;
    if (count === 0) return passes > 0; // there is no telling where the first pass leads
    return (passes > 0 ? this.#predictedGap : gap) <= MOST_FALL * target;
  }

  likelySolved(target: number): boolean {
    return this.rounds.lastGain > 0 && this.#predictedGap <= CONFIDENCE * target;
  }

  /** After a pass. */
  get #predictedGap(): number {
    return this.#gapPerGain * this.rounds.lastGain;
  }

  afterEvaluation(dualityGap: number, doubtful: boolean): void {
    const { lastGain } = this.rounds;
    if (lastGain > 0) this.#gapPerGain = dualityGap / lastGain;
    this.rounds.noteEvaluation(dualityGap, doubtful);
  }
}
