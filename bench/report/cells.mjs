/** What the figures of the comparison say about one contender in one cell (a workload and a loss): pure functions of the JSON. */
import { summarise } from "../lib/statistics.mjs";

const finished = ({ status }) => status === "solved" || status === "stopped";

export const findCell = (cells, workload, loss) =>
  cells.find((cell) => cell.workload === workload && cell.loss === loss);

/**
 * @returns {{ seconds, cpuSeconds, epochs }} medians and spreads of the runs that finished; or { atLeast: seconds } where a
 *   limit of time was hit, or { note } where it could not take part
 */
export function timesOf(entry) {
  if (!entry) return { note: "-" };
  const runs = entry.runs.filter(finished);
  if (runs.length === 0) {
    return entry.runs.length > 0
      ? { atLeast: Math.max(...entry.runs.map((run) => run.seconds)) }
      : { note: entry.note ?? "-" };
  }
  const of = (measure) => summarise(runs.map((run) => run[measure]));
  return { seconds: of("seconds"), cpuSeconds: of("cpuSeconds"), epochs: of("epochs") };
}

/**
 * How many times as much processor time as `mine` the `other` took, turn by turn; { atLeast } where it hit its limit, undefined
 * without figures. Not the wall clock: on a machine with other work that says more about the other work.
 */
export function ratioOf(mine, other) {
  if (!mine || !other) return undefined;
  const ratios = [];
  let atLeast;
  mine.runs.forEach((run, turn) => {
    const rival = other.runs[turn];
    if (!rival || !finished(run)) return;
    const value = (rival.cpuSeconds ?? rival.seconds) / run.cpuSeconds; // one that was ended leaves only its limit
    if (finished(rival)) ratios.push(value);
    else atLeast = Math.max(atLeast ?? 0, value);
  });
  if (ratios.length > 0) return summarise(ratios);
  return atLeast === undefined ? undefined : { atLeast };
}

/** Peak memory of the fits beyond that of a process that only loads the data, in bytes and per byte of the data. */
export function memoryOf(entry, { loadedBytes, inputBytes }) {
  const peak = summarise((entry?.runs ?? []).map((run) => run.peakBytes));
  if (!peak) return undefined;
  const bytes = Math.max(peak.median - loadedBytes, 0);
  return { bytes, perInputByte: bytes / inputBytes };
}
