import type { Deflation } from "./deflation.ts";
import type { EarlyEnd } from "./earlyEnd.ts";
import type { Next, Rounds } from "./schedule.ts";
import type { SolverParts } from "./solver.ts";
import { StepThreshold } from "./stepThreshold.ts";

/** Passes of steps in random order, cut into slices, and what happens between these. */
export class Passes {
  /** Example updates so far, and what else counts as such. */
  visits = 0;
  /** How many examples the last one was over. */
  active: number;
  readonly #parts: SolverParts;
  readonly #rounds: Rounds;
  readonly #earlyEnd: EarlyEnd;
  readonly #deflation: Deflation;
  /** With a kernel, where steps go over lists. */
  readonly #threshold: StepThreshold | undefined;

  /** `sparse`: dual variables are, and steps go over lists. */
  constructor(parts: SolverParts, rounds: Rounds, earlyEnd: EarlyEnd, deflation: Deflation, sparse: boolean) {
    const { numExamples: n } = parts.problem.shape;
    this.active = n;
    this.#parts = parts;
    this.#rounds = rounds;
    this.#earlyEnd = earlyEnd;
    this.#deflation = deflation;
    if (parts.problem.kernel && sparse) this.#threshold = new StepThreshold(n);
  }

  /**
   * One over the examples that are `next`, over as many as it takes or over about `most` of them; returns whether
   * nothing has stopped it.
   */
  async run(next: Next, everyClass: boolean, mayEndEarly: boolean, most: number): Promise<boolean> {
    const { problem, settings, pacer } = this.#parts;
    const rounds = this.#rounds;
    const earlyEnd = this.#earlyEnd;
    this.active = next === "active" ? problem.visits.visitActive() : problem.visits.visitMoving(this.active);
    await pacer.finish(problem.visits.shuffle(this.active));
    const first = rounds.count === 0 && rounds.passes === 0 && most === Infinity;
    // Of one-vs-all, measured, it makes hard fits longer.
    if (first && !settings.loss.oneVsAll) await pacer.finish(problem.visits.balance(this.active));
    earlyEnd.begin(mayEndEarly);
    // Slices, and what comes between looks, are whole blocks: what a block computes together may depend on what is in
    // it.
    const block = problem.stepsAtOnce(everyClass);
    const blocks = Math.ceil(Math.min(this.active, most) / block);
    // Until an evaluation has told which examples matter, every step is taken.
    if (this.#threshold) problem.progress.leastMovement = rounds.count > 0 ? this.#threshold.least : 0;
    const movedBefore = problem.progress.movement;
    let done = 0;
    while (done < blocks && !earlyEnd.reached) {
      const due = Math.ceil(earlyEnd.due * blocks);
      done = await this.#sweep(done, due, block, everyClass);
      if (done < due) break;
      if (done < blocks && done >= earlyEnd.due * blocks) await earlyEnd.look(done * block, this.active);
    }
    const visits = Math.min(done * block, this.active);
    const movement = problem.progress.movement - movedBefore;
    this.visits += this.#threshold?.notePass({ visits, taken: problem.progress.takeTaken(), movement }) ?? visits;
    return done === blocks || earlyEnd.reached;
  }

  /** Its blocks [from, to) of so many examples each; returns where that has ended. */
  async #sweep(from: number, to: number, block: number, everyClass: boolean): Promise<number> {
    const { pacer, interruption } = this.#parts;
    const done = await pacer.run(
      everyClass ? "pass over every class" : "pass",
      to - from,
      (begun, count) => {
        const first = (from + begun) * block;
        this.#sweepInParts(first, Math.min(first + count * block, this.active), everyClass);
      },
      () => !!interruption(),
    );
    return from + done;
  }

  /** Its visits [from, to), where multipliers move at the ends of parts, wherever slices end. */
  #sweepInParts(from: number, to: number, everyClass: boolean): void {
    const { problem } = this.#parts;
    const deflation = this.#deflation;
    while (from < to) {
      const { part } = deflation;
      const end = Math.min((Math.floor(from / part) + 1) * part, to);
      problem.sweep(from, end - from, everyClass);
      if (end % part === 0 || end === this.active) deflation.notePart(problem.progress.movement);
      from = end;
    }
  }
}
