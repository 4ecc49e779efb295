import type { Shape } from "../wasm/layout.ts";
import { Rounds, WORTH_A_VISIT, type Next, type Pass, type Schedule } from "./schedule.ts";

/** A pass over so many of the active examples tells what one over all of them would gain. */
const COVERS = 0.75;
/** An evaluation is due if its gap is predicted to be this much of what is asked for. */
const CONFIDENCE = 0.9;
/**
 * It is certified at once, without an estimate before, if its gap is predicted to be this much. Predictions that are
 * off are mostly too high, and a certificate instead of an estimate loses no more time than an estimate before a
 * certificate.
 */
const WORTH_CERTIFYING = 1.4;
/**
 * What an evaluation finds outside the lists and the active examples, as a part of the round's first gain: at first,
 * least and most.
 */
const OUTSIDE = { first: 0.03, least: 0.01, most: 0.1 };
/** With smoothing, what it adds to the gap, as a part of the gap before. */
const GAP_OUTSIDE = 0.01;
/**
 * Without smoothing the gap falls as the square root of gains does: D is quadratic at the optimum, P has a kink there.
 */
const KINKED = 0.5;
/** Gains that have fallen by less say nothing about how the gap goes with them. */
const MUCH_LESS = 0.5;
/** A round ends when its work is that of so many evaluations. */
const MOST_EVALUATIONS = 16;
/** The first round's passes where the first of them makes lists: those do for another. */
const PASSES_ON_FIRST_LISTS = 2;

/**
 * The schedule where dual variables are sparse: steps go over lists of candidates. A round is made of cycles:
 *
 *     cycle:  one pass over the active examples, then passes over those of them that still move
 *
 * By the marginal value theorem a cycle has gone on for long enough when a pass gains less for its work than the first
 * pass of the cycle did. Passes gain less and less of what can be had inside the lists, an evaluation takes up what
 * waits outside. Where gains fall by some factor from one pass to the next, the gap falls most per time if the round
 * ends when the next pass would gain about what waits outside, be an evaluation cheap or dear; how much that is shows
 * in the first gain of the next round.
 *
 * Gaps are predicted by the gains: gap = (last gap) (next gain / gain then)^power.
 */
export class ListSchedule implements Schedule {
  readonly rounds: Rounds;
  readonly slow = false;
  readonly worthAVisit = WORTH_A_VISIT;
  readonly #smooth: boolean;
  readonly #lists: { readonly listsFirst: boolean };
  #outside = OUTSIDE.first;
  /** Of a smoothed loss: between KINKED, far from the optimum if gamma is small, and 1, near it. */
  #power: number;
  /** The gain of the last pass that covered the active examples, and what part of it the next one would gain. */
  #gain = 0;
  #ratio = 1;
  /** That part after the first pass of a round. */
  #firstRatio = 1;
  /** What the pass after the last evaluation would have gained without it. */
  #gainThen = 0;
  /** Of the round. */
  #active = 0;
  #covered = false;
  /** Gain per work of the first pass of the cycle. */
  #rate: number | undefined;

  /** `lists`: tell after a pass over every class whether it has made lists that do for another one. */
  constructor(shape: Shape, smooth: boolean, lists: { readonly listsFirst: boolean }) {
    // Scores of a kernel are at hand, whatever the lists are, and momentum goes on from one round to the next.
    this.rounds = new Rounds(shape, shape.kernel !== undefined);
    this.#lists = lists;
    this.#smooth = smooth;
    this.#power = smooth ? 1 : KINKED;
  }

  afterPass(pass: Pass, target: number): Next {
    const { rounds } = this;
    const { visits, movement: gain } = pass;
    const before = rounds.firstGain;
    const work = rounds.notePass(pass);
    if (rounds.passes === 1) this.#begin(pass, before);
    else if (visits >= COVERS * this.#active) this.#note(gain);
    else this.#covered = false;

    if (rounds.mustEnd) return "evaluate";
    if (rounds.count === 0) {
      const passes = this.#lists.listsFirst ? PASSES_ON_FIRST_LISTS : 1;
      return rounds.passes < passes ? "active" : "evaluate";
    }
    const { mayEnd } = rounds;
    if (rounds.steady) return mayEnd || rounds.exhausted ? "evaluate" : "active";
    // After a gap that was not what had been predicted, predictions count for nothing until it may end.
    const solved = this.#predicts(CONFIDENCE * target);
    const enough = this.#nextGain <= this.#outside * this.rounds.firstGain || solved;
    if (mayEnd && this.#covered && enough) return "evaluate";
    if (this.#rate === undefined || gain > this.#rate * work) {
      this.#rate ??= gain / work;
      return "moving";
    }
    this.#rate = undefined;
    const long = rounds.work >= MOST_EVALUATIONS;
    return mayEnd && (long || solved) ? "evaluate" : "active";
  }

  /** A pass is a small part of a fit here, and the gap falls by less in it. */
  mayReach(): boolean {
    return false;
  }

  likelySolved(target: number): boolean {
    return this.#predicts(WORTH_CERTIFYING * target);
  }

  /** Whether the gap is predicted to be no larger than that. */
  #predicts(gap: number): boolean {
    return this.rounds.count > 0 && this.rounds.passes > 0 && this.#predictedGap <= gap;
  }

  afterEvaluation(dualityGap: number, doubtful: boolean): void {
    const before = this.rounds.gap;
    this.#gainThen = 0;
    if (this.rounds.count > 0) {
      this.#gainThen = this.#nextGain;
      if (this.#smooth) this.#learnPower(dualityGap / before, this.#nextGain / this.rounds.firstGain);
    }
    this.rounds.noteEvaluation(dualityGap, doubtful);
    this.#rate = undefined;
  }

  /** Takes note of the first pass of a round; that of the round before gained `firstGain`. */
  #begin({ visits, movement: gain }: Pass, firstGain: number): void {
    if (this.rounds.count > 1 && firstGain > 0) {
      const more = (gain - this.#gainThen) / firstGain;
      this.#outside = Math.min(Math.max(more, OUTSIDE.least), OUTSIDE.most);
    }
    this.#active = visits;
    this.#gain = gain;
    this.#ratio = this.#firstRatio;
    this.#covered = true;
  }

  /** Takes note of a later pass that has covered the active examples. */
  #note(gain: number): void {
    if (this.#covered) this.#ratio = Math.min(gain / this.#gain, 1);
    if (this.rounds.passes === 2) this.#firstRatio = this.#ratio;
    this.#gain = gain;
    this.#covered = true;
  }

  #learnPower(gapLeft: number, gainLeft: number): void {
    if (!(gainLeft > 0 && gainLeft < MUCH_LESS)) return;
    this.#power = Math.min(Math.max(Math.log(gapLeft) / Math.log(gainLeft), KINKED), 1);
  }

  /** What a pass over the active examples would gain now. */
  get #nextGain(): number {
    return this.#gain * this.#ratio;
  }

  get #predictedGap(): number {
    // What waited outside weighs more on gains than on the gap where that is kinked.
    const then = this.#smooth ? this.rounds.firstGain : this.#gainThen || this.rounds.firstGain;
    const left = Math.min(this.#nextGain / then, 1) ** this.#power;
    return this.rounds.gap * (left + (this.#smooth ? GAP_OUTSIDE : 0));
  }
}
