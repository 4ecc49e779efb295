import type { HistoryRecord } from "../index.ts";

export interface Budgets {
  readonly tolerance: number;
  readonly maxEpochs: number;
  readonly maxSeconds: number;
}

/**
 * Seconds until a fit ends, if it goes on as it did: the logarithm of the gap falls as over the second half of the time
 * so far, epochs take as long as they did on average. Undefined while nothing can be said.
 */
export function secondsLeft(
  history: readonly Pick<HistoryRecord, "seconds" | "epoch" | "relativeGap">[],
  { tolerance, maxEpochs, maxSeconds }: Budgets,
): number | undefined {
  const last = history.at(-1);
  if (!last) return undefined;
  const candidates = [maxSeconds - last.seconds];
  if (last.epoch > 0) candidates.push((maxEpochs - last.epoch) * (last.seconds / last.epoch));
  const before = history.filter(({ seconds }) => seconds <= last.seconds / 2).at(-1) ?? history[0];
  const [gap, gapBefore] = [last.relativeGap ?? NaN, before.relativeGap ?? NaN];
  const rate = Math.log(gapBefore / gap) / (last.seconds - before.seconds);
  if (gap <= tolerance) candidates.push(0);
  else if (rate > 0 && Number.isFinite(rate) && tolerance > 0) candidates.push(Math.log(gap / tolerance) / rate);
  const least = Math.min(...candidates);
  return Number.isFinite(least) ? Math.max(0, least) : undefined;
}

/** `8 s`, `3 min`, `2.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 99.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 99.5 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
