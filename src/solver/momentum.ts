import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { type Carrier, carrierOf } from "./carrier.ts";

/**
 * After one rejected move there is none for 0 passes, after another in a row for 1, then 2, 4 and so on, at most so
 * many.
 */
const LONGEST_REST = 64;

/**
 * Nesterov's acceleration around passes of dual coordinate ascent. After each of them the dual point is moved on in the
 * direction it has taken since the pass before,
 *
 *     A + beta (A - A_before),   beta = k/(k + 3) at the k-th move in a row,
 *
 * brought back into the domain, and kept only if the dual objective has risen; otherwise k starts again. So D never
 * falls, and where it rises slowly, as with a large C or few features, a fit takes two to three times fewer epochs;
 * where it rises fast as it is, moves are rejected and become rare. Nesterov, *Soviet Mathematics Doklady* 27 (1983);
 * O'Donoghue and Candes, *Adaptive restart for accelerated gradient schemes* (Foundations of Computational Mathematics
 * 15, 2015), section 3.2.
 */
export class Momentum {
  readonly #problem: ResidentProblem;
  readonly #carrier: Carrier;
  #running = false;
  #fresh = true;
  #moves = 0;
  /** Passes still to let pass, and how many that will be at the next rejection. */
  #rest = 0;
  #nextRest = 0;

  constructor(problem: ResidentProblem, pacer: Pacer) {
    this.#problem = problem;
    this.#carrier = carrierOf(problem, pacer);
  }

  /** Whether it goes on where an evaluation has made other lists. */
  get outlastsEvaluations(): boolean {
    return this.#carrier.outlastsEvaluations;
  }

  /** From now on there are moves: unless there have been before, the first of them after one more pass. */
  resume(): void {
    if (this.#running) return;
    this.#running = this.#problem.duals.remembers;
    this.#fresh = true;
  }

  pause(): void {
    this.#running = false;
  }

  /** Forgets the direction, as what it has been taken from is gone, but not how long moves are by now. */
  restart(): void {
    this.#fresh = true;
  }

  /** Before a pass: moves the first `count` examples of the order on, which the pass before has visited. */
  async moveOn(count: number): Promise<void> {
    if (!this.#running) return;
    const carrier = this.#carrier;
    if (this.#fresh || this.#rest > 0) {
      if (!this.#fresh) this.#rest--;
      this.#fresh = false;
      if (this.#rest === 0) await carrier.remember();
      return;
    }
    this.#moves++;
    if (await carrier.carry(count, this.#moves / (this.#moves + 3))) {
      this.#nextRest = 0;
      return;
    }
    await carrier.takeBack(count);
    this.#moves = 0;
    this.#rest = this.#nextRest;
    this.#nextRest = Math.min(2 * this.#rest || 1, LONGEST_REST);
    if (this.#rest === 0) await carrier.remember();
  }
}
