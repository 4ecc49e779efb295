import { downwards, upwards, type Steps } from "../pace/steps.ts";
import type { Kernels } from "./kernels.ts";
import type { Layout } from "./layout.ts";

/** A part of the mean movement in the last pass. Measured on the workloads of bench/. */
const WORTH_ANOTHER = 0.03;

/** Which examples of a resident problem the next pass visits, and in which order. At first all are active. */
export class ResidentVisits {
  readonly #kernels: Kernels;
  readonly #at: Layout["at"];
  readonly #order: Uint32Array;
  readonly #active: Uint32Array;
  #numActive = 0;
  /** Whether each example has one class. */
  readonly #labelled: boolean;

  constructor(kernels: Kernels, { at }: Layout, buffer: ArrayBuffer, numExamples: number, seed: number) {
    this.#kernels = kernels;
    this.#at = at;
    this.#order = new Uint32Array(buffer, at.order, numExamples);
    this.#active = new Uint32Array(buffer, at.active, numExamples);
    this.#labelled = at.sets === 0;
    kernels.seedGenerator(at.random, seed);
    this.activateAll();
    this.visitActive();
  }

  /** Every example is active. */
  activateAll(): void {
    this.#numActive = this.#active.length;
    this.#kernels.listAll(this.#at.active, this.#numActive);
  }

  /**
   * Active are the examples whose gap term at the last evaluation exceeds this part of the mean, `excess`, what is
   * probably rounding in all, taken off.
   */
  activate(worthAVisit: number, excess: number): void {
    this.activateAll();
    const { problem, active } = this.#at;
    this.#numActive = this.#kernels.keepActive(problem, active, this.#numActive, worthAVisit, excess);
  }

  /** The next pass visits all active examples. Returns their number. */
  visitActive(): number {
    this.#order.set(this.#active.subarray(0, this.#numActive));
    return this.#numActive;
  }

  /**
   * The next pass visits those of the last one's `count` that moved by more than a few per cent of the mean. Returns
   * their number.
   */
  visitMoving(count: number): number {
    return this.#kernels.keepActive(this.#at.problem, this.#at.order, count, WORTH_ANOTHER, 0);
  }

  /** 1 for the examples at places [from, to) of the order, and 0 for the others. */
  marksOf(from: number, to: number): Uint8Array {
    const marks = new Uint8Array(this.#order.length);
    for (const i of this.#order.subarray(from, to)) marks[i] = 1;
    return marks;
  }

  /** Draws a fresh order of the `count` visits. */
  *shuffle(count: number): Steps<void> {
    const { order, random } = this.#at;
    yield* downwards(count, (from, end) => this.#kernels.shuffle(order, from, end, random));
  }

  /**
   * Has the classes take turns in that order, where every example has one; before the first evaluation. See
   * assembly/solver/balance.ts.
   */
  *balance(count: number): Steps<void> {
    if (!this.#labelled) return;
    const kernels = this.#kernels;
    const { problem, order, random } = this.#at;
    yield* upwards(count, (from, end) => kernels.countClasses(problem, order, from, end));
    yield* upwards(count, (from, end) => kernels.countStretches(problem, order, from, end, count, random));
    yield;
    kernels.endStretches(problem, count);
    yield* downwards(count, (from, end) => kernels.takeTurns(problem, order, from, end, count));
  }
}
