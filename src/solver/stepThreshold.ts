/**
 * With a kernel a step that is taken costs a row of the matrix, n numbers for each dual variable that it changes. What
 * comes before it, and the part that an example has in momentum, cost as much as so many of them: measured.
 */
const VISIT = 600;
/**
 * A step that is not taken counts as this part of a visit. It costs less where there are many examples, but it is to
 * count: so passes that take next to none come to an end.
 */
const NOT_TAKEN = 1 / 16;

/** What a pass has done; `movement` as `Pass` has it. */
interface Visited {
  readonly visits: number;
  readonly taken: number;
  readonly movement: number;
}

/**
 * Which steps are worth a row of a kernel's matrix. Scores are at hand: what a step would gain is known for next to
 * nothing, and what is left out is still there in the next pass. By the marginal value theorem gains come fastest where
 * a row gains as much for what it costs as a whole pass does. So a step is to move by no less than
 *
 *     (movement of the last pass) / (steps it has taken + what all visits cost, in rows),
 *
 * the steps standing for their rows. In a pass that takes all steps some have changed nothing and need none; counting
 * rows instead took more epochs.
 */
export class StepThreshold {
  /** The least movement of a step that is taken. */
  least = 0;
  readonly #costOfVisit: number;

  constructor(numExamples: number) {
    this.#costOfVisit = VISIT / numExamples;
  }

  /** Takes note of a pass; returns how many visits it is to count for. */
  notePass({ visits, taken, movement }: Visited): number {
    this.least = movement / (taken + this.#costOfVisit * visits) || 0;
    return taken + NOT_TAKEN * (visits - taken);
  }
}
