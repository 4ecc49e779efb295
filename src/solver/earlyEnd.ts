import { sampleGap, type Sampled } from "./evaluate.ts";
import type { SolverParts } from "./solver.ts";

/**
 * A sample is this part of all examples, and at least so many; where that is more than this part of them, none is
 * taken.
 */
const PART = 1 / 64;
const LEAST = 256;
const MOST = 1 / 16;
/** After this part of a pass P has come down, and the first sample is due. */
const FIRST = 1 / 5;
/** The next one after so much of the way to where it is foreseen to show enough, and at least this part of the pass. */
const APPROACH = 0.8;
const SPACING = 1 / 32;
/**
 * A sample tells nothing where a few examples hold most of the gap: it is to have so many like those that do, see
 * `concentration`.
 */
const LEAST_ALIKE = 64;
/** Else it is to show a gap that is less by this factor. */
const MISSED = 10;
/** What would be left of a pass after this is not worth a sample. */
const LAST = 0.85;
/**
 * A pass ends if the gap is probably no more than this much of the target; of less, by this factor, each time when that
 * has been wrong.
 */
const CONFIDENCE = 0.9;
const DOUBT = 0.75;

/**
 * The end of a pass before it has gone through, where the gap is small enough by then. In random order the steps of a
 * tenth of the examples bring P near to what it will be after all of them. From then on the gap is what those hold who
 * wait for their turn, and falls with their number: gap = (waiting) (their mean term) + (others) (theirs), two means
 * that samples tell.
 */
export class EarlyEnd {
  /** After which part of the pass the next sample is due; 1 if none is. */
  due = 1;
  /** Whether the last one of the pass has shown a gap that is small enough. */
  reached = false;
  readonly #parts: SolverParts;
  readonly #size: number;
  /** Whether samples are cheap, and whether they tell. */
  readonly #cheap: boolean;
  #suits: boolean;
  #confidence = CONFIDENCE;
  #taken = 0;
  /** What the last sample of the pass has shown of those who waited. */
  #before: Sampled | undefined;

  constructor(parts: SolverParts) {
    const { numExamples: n } = parts.problem.shape;
    this.#parts = parts;
    this.#size = Math.max(LEAST, Math.ceil(PART * n));
    this.#cheap = this.#size <= MOST * n && parts.watch.estimatesTell;
    this.#suits = this.#cheap;
  }

  /** Before a pass, which may end early or is to go through. */
  begin(mayEnd: boolean): void {
    this.due = mayEnd && this.#suits ? FIRST : 1;
    this.reached = false;
    this.#before = undefined;
  }

  /** Takes a sample after so many visits of the pass's `active` examples. */
  async look(visited: number, active: number): Promise<void> {
    const { problem } = this.#parts;
    const { numExamples: n } = problem.shape;
    const { marked, others } = await this.#sample(problem.visits.marksOf(visited, active));
    const waiting = likelyMost(marked, this.#before);
    this.#before = marked;
    const target = this.#target;
    const part = visited / active;
    const wait = (active - visited) / n;
    this.reached = wait * waiting + (1 - wait) * others.gap <= target;
    if (this.reached) return;
    this.due = 1;
    if (others.gap >= target) return;
    const due = 1 - (((target - others.gap) / (waiting - others.gap)) * n) / active;
    if (due < LAST) this.due = part + Math.max(APPROACH * (due - part), SPACING);
  }

  /**
   * When another pass is to come: the gap may be smaller than what the last one has gained would say. An intercept,
   * say, settles once for all, and with that the terms of all examples fall.
   */
  async lookBeforeNext(): Promise<void> {
    if (!this.#cheap) return;
    const { others } = await this.#sample(new Uint8Array(this.#parts.problem.shape.numExamples));
    const most = this.#suits ? others.gap * (1 + 2 / Math.sqrt(others.count)) : MISSED * others.gap;
    this.reached = most <= this.#target;
  }

  #sample(marks: Uint8Array): Promise<{ marked: Sampled; others: Sampled }> {
    const { problem, pacer } = this.#parts;
    return sampleGap(problem, pacer, { count: this.#size, turn: this.#taken++, marks });
  }

  get #target(): number {
    return this.#confidence * this.#parts.settings.tolerance;
  }

  /** Takes note of one after which the fit goes on, and which has left the gap terms of all examples. */
  afterEvaluation(): void {
    if (this.reached) this.#confidence *= DOUBT;
    this.reached = false;
    if (this.#suits) this.#suits = concentration(this.#parts.problem.gaps) * this.#size >= LEAST_ALIKE;
  }
}

/** Which part of all terms would have the same sum and the same sum of squares if they were alike, and the others 0. */
function concentration(terms: Float64Array): number {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < terms.length; i++) {
    sum += terms[i];
    squares += terms[i] * terms[i];
  }
  return squares > 0 ? sum ** 2 / squares / terms.length : 1;
}

/** Of two samples together, and more by as much as that may be off: terms of the gap scatter by about their mean. */
function likelyMost(now: Sampled, before: Sampled = { count: 0, gap: 0 }): number {
  const count = now.count + before.count;
  return count === 0 ? 0 : ((now.count * now.gap + before.count * before.gap) / count) * (1 + 1 / Math.sqrt(count));
}
