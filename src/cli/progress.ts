import cliProgress from "cli-progress";
import type { HistoryRecord } from "../index.ts";
import type { Colors } from "./console.ts";
import { formatSeconds, secondsLeft, type Budgets } from "./timeLeft.ts";

/** What `train` says on standard error while it works. */
interface Progress {
  note(text: string): void;
  update(record: HistoryRecord): void;
  /** Takes the bar away. */
  stop(): void;
}

/** Without a terminal a line after 2 s, then whenever half as much time again has passed. */
const FIRST_LINE_SECONDS = 2;
const LINE_RATIO = 1.5;

/** A bar on a terminal, else a few lines; nothing if `quiet`. */
export function createProgress(stream: NodeJS.WriteStream, colors: Colors, quiet: boolean, budgets: Budgets): Progress {
  if (quiet) return { note() {}, update() {}, stop() {} };
  const history: HistoryRecord[] = [];
  const terminal = stream.isTTY && process.env.TERM !== "dumb";
  const bar = terminal ? createBar(stream, colors) : undefined;
  let started = false;
  let stopped = false;
  let done = 0;
  let nextLine = FIRST_LINE_SECONDS;

  const stop = (): void => {
    stopped = true;
    if (bar && started) bar.stop();
    started = false;
  };
  return {
    note(text) {
      stop();
      stopped = false;
      stream.write(`${text}\n`);
    },
    update(record) {
      if (stopped) return;
      history.push(record);
      const left = secondsLeft(history, budgets);
      const text = describe(record, budgets.tolerance, left);
      if (bar) {
        if (left !== undefined) done = Math.max(done, record.seconds / (record.seconds + left || 1));
        if (!started) bar.start(1000, 0, { text });
        started = true;
        bar.update(Math.round(1000 * done), { text });
      } else if (record.seconds >= nextLine) {
        nextLine = LINE_RATIO * record.seconds;
        stream.write(`${text}\n`);
      }
    },
    stop,
  };
}

function createBar(stream: NodeJS.WriteStream, colors: Colors): cliProgress.SingleBar {
  return new cliProgress.SingleBar({
    stream,
    format: `${colors.cyan("{bar}")} {text}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 20,
    clearOnComplete: true,
    hideCursor: false, // nothing to restore when the process is ended
    linewrap: false,
  });
}

function describe(record: HistoryRecord, tolerance: number, left: number | undefined): string {
  const { epoch, primalObjective, relativeGap, validation } = record;
  const stand =
    relativeGap === null
      ? `objective ${primalObjective.toPrecision(6)}`
      : `relative gap ${formatGap(relativeGap)}, tolerance ${formatGap(tolerance)}`;
  const parts = [`epoch ${epoch}`, stand];
  const accuracy = validation?.[0]?.topKAccuracy?.[1];
  if (accuracy !== undefined) parts.push(`validation top-1 ${(100 * accuracy).toFixed(1)} %`);
  if (left !== undefined) parts.push(`about ${formatSeconds(left)} left`);
  return parts.join(", ");
}

/** `8.1e-4` */
export const formatGap = (gap: number): string =>
  gap > 0 && gap < 0.995 ? gap.toExponential(1).replace(/\.0e/, "e") : String(Number(gap.toPrecision(2)));
