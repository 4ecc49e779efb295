import type { Deflation } from "./deflation.ts";
import type { EarlyEnd } from "./earlyEnd.ts";
import type { Next } from "./schedule.ts";
import type { SolverParts } from "./solver.ts";
import { StepThreshold } from "./stepThreshold.ts";

/** What a pass is to be like. */
interface Plan {
  /** Over which examples. */
  readonly over: Exclude<Next, "evaluate">;
  readonly everyClass: boolean;
  /** Whether it is the first of all, in which classes take turns. */
  readonly first: boolean;
  /** Whether an evaluation has told which examples matter. Until then every step is taken. */
  readonly evaluated: boolean;
  readonly mayEndEarly: boolean;
  /** So many examples will do, about. */
  readonly most: number;
}

/** How it has gone. */
interface Passed {
  /** What it counts for. */
  readonly visits: number;
  /** Whether nothing has stopped it: it has gone through, or has ended early. */
  readonly ended: boolean;
}

/** Passes of steps in random order, cut into slices, and what happens between these. */
export class Passes {
  /** How many examples the last one was over. */
  active: number;
  readonly #parts: SolverParts;
  readonly #earlyEnd: EarlyEnd;
  readonly #deflation: Deflation;
  /** With a kernel, where steps go over lists. */
  readonly #threshold: StepThreshold | undefined;

  constructor(parts: SolverParts, earlyEnd: EarlyEnd, deflation: Deflation, overLists: boolean) {
    const { numExamples: n } = parts.problem.shape;
    this.active = n;
    this.#parts = parts;
    this.#earlyEnd = earlyEnd;
    this.#deflation = deflation;
    if (parts.problem.kernel && overLists) this.#threshold = new StepThreshold(n);
  }

  async run({ over, everyClass, first, evaluated, mayEndEarly, most }: Plan): Promise<Passed> {
    const { problem, settings, pacer } = this.#parts;
    const { visits: examples, progress } = problem;
    const earlyEnd = this.#earlyEnd;
    const active = over === "active" ? examples.visitActive() : examples.visitMoving(this.active);
    this.active = active;
    await pacer.finish(examples.shuffle(active));
    // Of one-vs-all, measured, it makes hard fits longer.
    if (first && !settings.loss.oneVsAll) await pacer.finish(examples.balance(active));
    earlyEnd.begin(mayEndEarly);
    // Slices, and what comes between looks, are whole blocks: what a block computes together may depend on what is in
    // it.
    const block = problem.stepsAtOnce(everyClass);
    const blocks = Math.ceil(Math.min(active, most) / block);
    if (this.#threshold) progress.leastMovement = evaluated ? this.#threshold.least : 0;
    const movedBefore = progress.movement;
    let done = 0;
    while (done < blocks && !earlyEnd.reached) {
      const due = Math.ceil(earlyEnd.due * blocks);
      done = await this.#sweep(done, due, block, everyClass);
      if (done < due) break;
      if (done < blocks && done >= earlyEnd.due * blocks) await earlyEnd.look(done * block, active);
    }
    const visits = Math.min(done * block, active);
    const movement = progress.movement - movedBefore;
    const counted = this.#threshold?.notePass({ visits, taken: progress.takeTaken(), movement });
    return { visits: counted ?? visits, ended: done === blocks || earlyEnd.reached };
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
