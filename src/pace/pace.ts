import type { Steps } from "./steps.ts";

/** Time on the clock that only goes forward, in seconds. */
export const seconds = (): number => performance.now() / 1000;

/** Lets the page or event loop run once, without the 4 ms that nested timers cost. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const immediate = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate;
    if (immediate) return immediate(resolve);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** How long work goes on between two yields: half a frame of 60 Hz, the other half being the page's. */
const AUTO_SECONDS = 0.008;
/** Without yielding, budgets and signals are still looked at this often. */
const UNYIELDING_SECONDS = 0.05;

/**
 * Cuts long work into slices and hands control back between them. How it cuts follows the clock, so nothing that it
 * runs may depend on where the cuts are.
 */
export class Pacer {
  readonly #yields: boolean;
  readonly #period: number;
  readonly #throwIfAborted: () => void;
  #resumed = seconds();
  /** Items per second of each kind of work so far. */
  readonly #rates = new Map<string, number>();

  /** `throwIfAborted` ends whatever is under way, after control was handed back. */
  constructor(yieldEvery: "auto" | number | "never", throwIfAborted = () => {}) {
    this.#throwIfAborted = throwIfAborted;
    this.#yields = yieldEvery !== "never";
    this.#period =
      yieldEvery === "auto" ? AUTO_SECONDS : yieldEvery === "never" ? UNYIELDING_SECONDS : yieldEvery / 1000;
  }

  /**
   * Runs `slice(from, count)` until `total` items are done, or until `stop()`, asked between slices, is true. Returns
   * the number of items done. `kind` is the key of the speed that is remembered, one for each loop: with that of a
   * quicker one, slices would be too long. Of work that is done quicker in blocks of `block` items, a slice is whole
   * blocks, or one as far as it fits between two yields.
   */
  async run(
    kind: string,
    total: number,
    slice: (from: number, count: number) => void,
    stop?: () => boolean,
    block = 1,
  ): Promise<number> {
    let done = 0;
    while (done < total) {
      await this.breathe();
      if (stop?.()) break;
      const began = seconds();
      const rate = this.#rates.get(kind);
      // The first slice is one item: nothing is known yet, and cold code is several times slower. Later ones are a
      // quarter of what lies between two yields, as the next items may cost many times as much.
      const fitting = rate ? rate * this.#period : 0;
      const blocks = Math.floor(fitting / 4 / block) * block;
      const count = Math.min(total - done, blocks || Math.max(1, Math.min(block, Math.floor(fitting))));
      slice(done, count);
      done += count;
      const took = seconds() - began;
      // Clocks of pages are coarse, up to a millisecond: a shorter slice only says that its work is at least so fast.
      const least = this.#period / 16;
      const measured = count / Math.max(took, least);
      if (!rate || took > least || measured > rate) {
        this.#rates.set(kind, rate ? Math.min(0.5 * (rate + measured), 4 * rate) : measured);
      }
    }
    return done;
  }

  /** Does work that comes in steps. */
  async finish<result>(steps: Steps<result>): Promise<result> {
    for (;;) {
      await this.breathe();
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** Hands control back if it is time. */
  async breathe(): Promise<void> {
    if (seconds() - this.#resumed < this.#period) return;
    if (this.#yields) await nextTask();
    this.#throwIfAborted();
    this.#resumed = seconds();
  }
}
