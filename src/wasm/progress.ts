import { PROGRESS } from "./kernels.ts";
import type { Layout } from "./layout.ts";

const LEAST_MOVEMENT = PROGRESS.indexOf("leastMovement");
const TAKEN = PROGRESS.indexOf("taken");

/** What the sweeps of a resident problem have done, and which of their steps are to be taken. */
export class SweepProgress {
  readonly #numbers: Float64Array;

  constructor({ at }: Layout, buffer: ArrayBuffer) {
    this.#numbers = new Float64Array(buffer, at.progress, PROGRESS.length);
  }

  /** The movement that `take` would take. */
  get movement(): number {
    return this.#numbers[0];
  }

  /** What they have done since the last call: sum of K_i ||change of a_i||^2, and scores computed. */
  take(): { movement: number; work: number } {
    const [movement, work] = this.#numbers;
    this.#numbers.fill(0, 0, LEAST_MOVEMENT);
    return { movement, work };
  }

  /** With a kernel, steps over lists that would move by less than that are taken back. 0 unless it is set. */
  set leastMovement(least: number) {
    this.#numbers[LEAST_MOVEMENT] = least;
  }

  /** How many steps have not been taken back, with a kernel, since the last call. */
  takeTaken(): number {
    const taken = this.#numbers[TAKEN];
    this.#numbers[TAKEN] = 0;
    return taken;
  }
}
