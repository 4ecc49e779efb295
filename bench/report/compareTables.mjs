/** The comparison as tables: arrays of strings, the headings first; pure functions of bench/results/compare.json. */
import { lossById } from "../losses.mjs";
import { findCell, memoryOf, ratioOf, timesOf } from "./cells.mjs";
import { figures, megabytes, percent, ratio, spread } from "./format.mjs";

const showRatio = (r) => (r === undefined ? "-" : r.atLeast === undefined ? ratio(r.median) : `> ${ratio(r.atLeast)}`);

const lossesOf = ({ cells }) => [...new Set(cells.map(({ loss }) => loss))];

/** Losses down, workloads across: seconds of ours, and how many times as much processor time plain JavaScript takes. */
export function overviewTable(compare) {
  const names = Object.keys(compare.workloads);
  const show = (cell) => {
    const time = timesOf(cell?.entries.ours);
    if (!time.seconds) return "-";
    const against = ratioOf(cell.entries.ours, cell.entries.baseline);
    return `${figures(time.seconds.median, 2)} s${against ? `, ${showRatio(against)}` : ""}`;
  };
  return [
    ["loss", ...names],
    ...lossesOf(compare).map((loss) => [
      lossById(loss).name,
      ...names.map((name) => show(findCell(compare.cells, name, loss))),
    ]),
  ];
}

/** Workloads down: processor seconds of ours, liblinear and L-BFGS to the same objective within the tolerance. */
export function nativeTable({ cells, workloads, peers }) {
  const pairs = [
    ["hinge", "liblinear"],
    ["softmax", "lbfgs"],
  ].filter(([, who]) => peers[who] && !peers[who].missing);
  if (pairs.length === 0) return undefined;
  const show = (entry) => {
    const { cpuSeconds, atLeast, note } = timesOf(entry);
    return cpuSeconds ? figures(cpuSeconds.median) : atLeast === undefined ? note : `> ${figures(atLeast)}`;
  };
  return [
    ["workload", ...pairs.flatMap(([loss, who]) => [`${loss}, ours`, peers[who].name, "ratio"])],
    ...Object.keys(workloads).map((name) => [
      name,
      ...pairs.flatMap(([loss, who]) => {
        const entries = findCell(cells, name, loss)?.entries ?? {};
        const against = ratioOf(entries.ours, entries[who]);
        return [show(entries.ours), show(entries[who]), showRatio(against)];
      }),
    ]),
  ];
}

/** Everything measured on one workload. */
export function workloadTable({ cells, workloads, peers }, name) {
  const facts = workloads[name];
  const rows = cells
    .filter(({ workload }) => workload === name)
    .flatMap(({ loss, entries }) =>
      Object.entries(entries).map(([who, entry]) => {
        const { seconds, cpuSeconds, epochs, atLeast, note } = timesOf(entry);
        const own = who === "ours" || who === "baseline"; // the others hold the data in forms and programs of their own
        const memory = own ? memoryOf(entry, facts) : undefined;
        return [
          lossById(loss).name,
          who === "ours" ? "ours" : who === "baseline" ? "plain JavaScript" : peers[who].name,
          seconds ? spread(seconds) : atLeast === undefined ? note : `> ${figures(atLeast)}`,
          cpuSeconds ? figures(cpuSeconds.median) : "-",
          who === "ours" ? "" : showRatio(ratioOf(entries.ours, entry)),
          epochs ? epochs.median.toFixed(0) : "-",
          percent(entry.accuracy?.[1]),
          percent(entry.accuracy?.[5]),
          megabytes(memory?.bytes),
          memory ? figures(memory.perInputByte, 2) : "-",
        ];
      }),
    );
  const headings = ["loss", "by", "seconds", "CPU s", "ratio", "epochs", "top-1 %", "top-5 %", "MB", "per byte"];
  return [headings, ...rows];
}

export function workloadsTable({ workloads }) {
  return [
    ["workload", "n", "d", "m", "nearest mean, top-1 %", "top-5 %", "made as"],
    ...Object.entries(workloads).map(([name, { n, d, m, nearestMean, made }]) => [
      ...[name, String(n), String(d), String(m), percent(nearestMean[1]), percent(nearestMean[5]), made],
    ]),
  ];
}

/** Time against accuracy for the packages on npm, which minimise other objectives. */
export function packagesTable({ cells, peers }) {
  const rows = cells.flatMap(({ workload, n, d, m, entries }) =>
    entries.map(({ who, loss, ...entry }) => {
      const { seconds, atLeast, note } = timesOf(entry);
      return [
        `${workload}, ${n} x ${d}, ${m} classes`,
        who === "ours" ? `ours, ${lossById(loss).name}` : peers[who].name,
        seconds ? spread(seconds) : atLeast === undefined ? note : `> ${figures(atLeast)}`,
        percent(entry.accuracy?.[1]),
      ];
    }),
  );
  return [["data", "by", "seconds", "top-1 %"], ...rows];
}

/** In words: the cells in which somebody is faster than we are. */
export function whereWeLose({ cells, peers }) {
  const lost = cells.flatMap(({ workload, loss, entries }) =>
    Object.entries(entries)
      .filter(([who]) => who !== "ours")
      .flatMap(([who, entry]) => {
        const against = ratioOf(entries.ours, entry);
        if (!(against?.median < 1)) return [];
        const name = who === "baseline" ? "plain JavaScript" : peers[who].name;
        return [`${lossById(loss).name} on ${workload} (${name}, ${ratio(against.median)})`];
      }),
  );
  return lost.length > 0 ? `Where we lose: ${lost.join("; ")}.` : "Slower than a peer: in none of these cells.";
}

/** Memory of a fit in words, one figure for each workload: the largest over the losses. */
export function memoryInWords({ cells, workloads }) {
  const most = Object.entries(workloads).map(([name, facts]) => {
    const each = cells
      .filter(({ workload }) => workload === name)
      .map(({ entries }) => memoryOf(entries.ours, facts))
      .filter((memory) => memory);
    return `${name} ${figures(Math.max(...each.map(({ perInputByte }) => perInputByte)), 2)}`;
  });
  return `Peak memory of a fit beyond the process that holds the data, in bytes per byte of the data: ${most.join(", ")}.`;
}
