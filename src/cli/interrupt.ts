import { removeTemporaries } from "./writeWhole.ts";

/** Under npm one Ctrl-C arrives twice, from the terminal and from npm: within this time it is the same. */
const SAME_PRESS_MS = 100;

let stop: (() => void) | undefined;
let stoppedAt = -Infinity;

/** From now on the first interruption calls `callback`, which is to wind up; the next one ends the process. */
export function onInterrupt(callback: () => void): void {
  stop = callback;
}

/**
 * Listens to Ctrl-C, SIGTERM and a terminal that goes away. With nothing to keep, the first one ends the process
 * already.
 */
export function watchInterrupts(beforeExit: () => void): void {
  const interrupt = (): void => {
    const now = performance.now();
    if (now - stoppedAt < SAME_PRESS_MS) return;
    if (stop) {
      stoppedAt = now;
      const windUp = stop;
      stop = undefined;
      return windUp();
    }
    removeTemporaries();
    beforeExit();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
}
