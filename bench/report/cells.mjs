/** What the figures of a comparison say about one contender in one cell (a workload and a loss): pure functions of the JSON. */
import { baseline } from "../contenders/baseline.mjs";
import { summarise } from "../lib/statistics.mjs";

export const nameOf = (who, peers) => (who === "ours" ? who : who === "baseline" ? baseline.name : peers[who].name);

const finished = ({ status }) => status === "solved" || status === "stopped";

export const findCell = (cells, workload, loss) =>
  cells.find((cell) => cell.workload === workload && cell.loss === loss);

/**
 * @returns {{ seconds, cpuSeconds, epochs, warm? }} medians and spreads of the runs that finished, `warm` of the seconds of a second
 *   fit in the same process; or { atLeast: seconds } where a limit of time was hit, or { note } where it could not take part
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
  const warm = summarise(runs.map((run) => run.warm?.seconds));
  return { seconds: of("seconds"), cpuSeconds: of("cpuSeconds"), epochs: of("epochs"), warm };
}

/** Processor milliseconds by epochs, evaluations and everything else included; also of runs that were stopped. */
export function msPerEpochOf(entry) {
  const runs = (entry?.runs ?? []).filter(({ epochs, cpuSeconds }) => epochs > 0 && cpuSeconds !== undefined);
  return summarise(runs.map(({ epochs, cpuSeconds }) => (1000 * cpuSeconds) / epochs))?.median;
}

/**
 * How many runs stand behind the figures of some cells: "median of 3 runs (min - max)", or where contenders differ
 * "median of 3 runs (min - max) of ours, one run of liblinear".
 */
export function runsInWords(cells, peers, spread = " (min - max)") {
  const counts = new Map(); // by contender
  for (const { entries } of cells) {
    for (const [who, { runs }] of Object.entries(entries)) {
      const count = runs.filter(finished).length;
      if (count > 0) counts.set(who, (counts.get(who) ?? new Set()).add(count));
    }
  }
  const byPhrase = new Map();
  for (const [who, set] of counts) {
    const [least, most] = [Math.min(...set), Math.max(...set)];
    const several = `${least === most ? "" : `${least} to `}${most}`;
    const phrase = most === 1 ? "one run" : `median of ${several} runs${spread}`;
    byPhrase.set(phrase, [...(byPhrase.get(phrase) ?? []), nameOf(who, peers)]);
  }
  if (byPhrase.size === 1) return [...byPhrase.keys()][0];
  return [...byPhrase].map(([phrase, names]) => `${phrase} of ${inWords(names)}`).join(", ");
}

/** "a, b and c" */
export const inWords = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/**
 * How many times as much processor time as `mine` the `other` took, turn by turn or, where that ran only once, by the median of mine;
 * { atLeast } where it hit its limit, undefined without figures. Not the wall clock: on a machine with other work that says more about the other work.
 */
export function ratioOf(mine, other) {
  if (!mine || !other) return undefined;
  const ratios = [];
  let atLeast;
  const typical = summarise(mine.runs.filter(finished).map(({ cpuSeconds }) => cpuSeconds))?.median;
  mine.runs.forEach((run, turn) => {
    const rival = other.runs[turn];
    if (!rival || !finished(run)) return;
    const own = other.runs.length === 1 ? typical : run.cpuSeconds;
    const value = (rival.cpuSeconds ?? rival.seconds) / own; // one that was ended leaves only its limit
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
