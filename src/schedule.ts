import type { Shape } from "./wasm/layout.ts";

/**
 * When to look at everything again. Passes over a few examples and, for each, a few classes are cheap, and become less and
 * less worth it until an evaluation says which examples and classes matter now. So a fit runs in rounds: passes, then an
 * evaluation, which lists each example's candidate classes and finds the active examples. How long a round goes on depends on
 * what is skipped: see listSchedule.ts and denseSchedule.ts.
 *
 * Nothing here looks at a clock, and nothing here can make a certificate wrong: a bad schedule costs time.
 */
export interface Schedule {
  /** By which factor the gap fell in the last round: Infinity after the first one, 1 if it did not fall. */
  readonly fall: number;
  /** The least gap term of an active example, as a part of the mean. */
  readonly worthAVisit: number;
  /** Whether passes gain about as much as those before them: as it is, it will take many more. */
  readonly slow: boolean;
  /** Takes note of a whole pass and says what comes next; `target` is the gap that would end the fit. */
  afterPass(pass: Pass, target: number): Next;
  /** Whether the coming evaluation will probably show a gap within `target`. */
  likelySolved(target: number): boolean;
  /** Takes note of an evaluation: a new round begins, of at least so many visits. */
  afterEvaluation(dualityGap: number, leastVisits: number): void;
}

/** What a pass has done; see `ResidentProblem.takeProgress`. */
export interface Pass {
  readonly visits: number;
  /** Its gain: sum K_i ||change of a_i||^2, twice the rise of the dual objective where steps end inside the domain. */
  readonly movement: number;
  /** Scores computed. */
  readonly work: number;
}

/** "active": visit all active examples; "moving": those of the last pass that still move; "evaluate": look at everything. */
export type Next = "active" | "moving" | "evaluate";

/** Passes of a round at most. */
export const MOST_PASSES = 256;
/** The least gap term worth a visit, as a part of the mean. Measured on the workloads of bench/. */
export const WORTH_A_VISIT = 0.01;
/** What a step costs beside its scores, in multiply-adds: as much as so many scores of one feature. */
const STEP_OVERHEAD = 160;

/** Work of passes and evaluations, in scores. */
export class Work {
  /** Of an evaluation. */
  readonly evaluation: number;
  readonly #overhead: number;

  constructor({ numExamples, numFeatures, numClasses, nonzeros = numExamples * numFeatures }: Shape) {
    this.#overhead = STEP_OVERHEAD / Math.max(1, nonzeros / numExamples);
    this.evaluation = numExamples * (numClasses + this.#overhead);
  }

  of({ work, visits }: Pass): number {
    return work + this.#overhead * visits;
  }
}

/** How the gap falls from one evaluation to the next. */
export class Gaps {
  last = Infinity;
  fall = Infinity;

  note(dualityGap: number): void {
    this.fall = this.last > dualityGap ? this.last / dualityGap : 1;
    this.last = dualityGap;
  }
}
