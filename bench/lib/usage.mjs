/** What this process has used. */
import { readFileSync } from "node:fs";

/** Starts a clock; calling it gives the seconds since, of the wall and of the processor (all threads of this process). */
export function startClock() {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

/**
 * Largest resident size of a process so far, in bytes. On Linux from /proc: getrusage there starts from the size of the
 * process that forked this one. `pid` of another process gives undefined where there is no /proc, or once it has ended.
 */
export function peakBytes(pid = process.pid) {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // no /proc, or no such process
  }
  return pid === process.pid ? process.resourceUsage().maxRSS * 1024 : undefined;
}
