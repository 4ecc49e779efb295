/** The comparison as tables: arrays of strings, the headings first; pure functions of bench/results/compare.json. */
import { lossById } from "../losses.mjs";
import { findCell, inWords, memoryOf, msPerEpochOf, nameOf, ratioOf, runsInWords, timesOf } from "./cells.mjs";
import { figures, megabytes, percent, ratio, spread } from "./format.mjs";

const showRatio = (r) => (r === undefined ? "-" : r.atLeast === undefined ? ratio(r.median) : `> ${ratio(r.atLeast)}`);

const lossesOf = ({ cells }) => [...new Set(cells.map(({ loss }) => loss))];

/** Losses down, workloads across: seconds of ours, and how many times as much processor time the baseline takes. */
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
  const own = cells.filter(({ workload }) => workload === name);
  const again = own.some(({ entries }) => timesOf(entries.ours).warm);
  const rows = own.flatMap(({ loss, entries }) =>
    Object.entries(entries).map(([who, entry]) => {
      const { seconds, cpuSeconds, epochs, warm, atLeast, note } = timesOf(entry);
      const perEpoch = msPerEpochOf(entry);
      // The others hold the data in forms and programs of their own.
      const memory = who === "ours" || who === "baseline" ? memoryOf(entry, facts) : undefined;
      return [
        lossById(loss).name,
        nameOf(who, peers),
        seconds ? spread(seconds) : atLeast === undefined ? note : `> ${figures(atLeast)}`,
        ...(again ? [warm ? figures(warm.median) : "-"] : []),
        cpuSeconds ? figures(cpuSeconds.median) : "-",
        who === "ours" ? "" : showRatio(ratioOf(entries.ours, entry)),
        epochs ? epochs.median.toFixed(0) : "-",
        perEpoch === undefined ? "-" : figures(perEpoch),
        percent(entry.accuracy?.[1]),
        percent(entry.accuracy?.[5]),
        megabytes(memory?.bytes),
        memory ? figures(memory.perInputByte, 2) : "-",
      ];
    }),
  );
  const times = ["seconds", ...(again ? ["second fit, s"] : []), "CPU s", "ratio", "epochs", "ms per epoch"];
  return [["loss", "by", ...times, "top-1 %", "top-5 %", "MB", "per byte"], ...rows];
}

/** Below it: how many runs, and where top-k entropy is softmax by another name. */
export function workloadNotes({ cells, peers }, name) {
  const own = cells.filter(({ workload }) => workload === name);
  const notes = [sentence(runsInWords(own, peers))];
  const [softmax, topK] = ["softmax", "top5-entropy"].map((loss) => findCell(own, name, loss)?.entries.ours.runs[0]);
  const apart = softmax && topK ? Math.abs(softmax.primalObjective / topK.primalObjective - 1) : Infinity;
  if (apart < 5e-6) {
    notes.push(
      "Top-5 entropy is softmax here in all but name: of the same seed P agrees to six digits, the bounds that tell them apart " +
        "being active next to nowhere.",
    );
  }
  return notes.join(" ");
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** How many runs stand behind each workload's figures, the workloads with as many together. */
export function runsByWorkload({ cells, workloads, peers }) {
  const byPhrase = new Map();
  for (const name of Object.keys(workloads)) {
    const own = cells.filter(({ workload }) => workload === name);
    const phrase = runsInWords(own, peers, "");
    byPhrase.set(phrase, [...(byPhrase.get(phrase) ?? []), name]);
  }
  return sentence([...byPhrase].map(([phrase, names]) => `${names.join(", ")}: ${phrase}`).join("; "));
}

/** Steps over every class alone, of both programs; undefined where they were not measured. */
export function passesTable({ cells, peers }) {
  const rows = cells
    .filter(({ passes }) => passes)
    .map(({ workload, loss, passes: { ours, baseline, ratio: byTurn } }) => [
      ...[workload, lossById(loss).name, spread(ours), spread(baseline)],
      `${ratio(byTurn.median)} (${ratio(byTurn.min)} - ${ratio(byTurn.max)})`,
    ]);
  if (rows.length === 0) return undefined;
  return [["workload", "loss", "ours, ms", `${nameOf("baseline", peers)}, ms`, "ratio"], ...rows];
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
        who === "ours" ? `ours, ${lossById(loss).name}` : nameOf(who, peers),
        seconds ? spread(seconds) : atLeast === undefined ? note : `> ${figures(atLeast)}`,
        percent(entry.accuracy?.[1]),
      ];
    }),
  );
  return [["data", "by", "seconds", "top-1 %"], ...rows];
}

/** The cells in which somebody is faster than we are. */
function lostCells({ cells, peers }) {
  return cells.flatMap(({ workload, loss, entries }) =>
    Object.entries(entries)
      .filter(([who]) => who !== "ours")
      .flatMap(([who, entry]) => {
        const against = ratioOf(entries.ours, entry);
        if (!(against?.median < 1)) return [];
        return [`${lossById(loss).name} on ${workload} (${nameOf(who, peers)}, ${ratio(against.median)})`];
      }),
  );
}

/** Peers that say nothing in these cells: missing, or failed. */
function withoutFigures({ cells, peers }) {
  const failed = Object.keys(peers ?? {}).filter((who) => cells.some(({ entries }) => entries[who]?.note === "failed"));
  const missing = Object.keys(peers ?? {}).filter((who) => peers[who].missing);
  const words = [
    ...failed.map((who) => `${nameOf(who, peers)} failed`),
    ...missing.map((who) => `${nameOf(who, peers)} is missing`),
  ];
  return words.length > 0 ? ` Without figures: ${words.join(", ")}.` : "";
}

/** These in words; `elsewhere`: figures of docs/benchmarks.md, as far as there are any, by where that is, in words. */
export const whereWeLose = (compare, elsewhere = {}) => lossesInWords(compare, elsewhere) + withoutFigures(compare);

function lossesInWords(compare, elsewhere) {
  const here = lostCells(compare);
  const measured = Object.entries(elsewhere).filter(([, figures]) => figures);
  const lost = measured.map(([where, figures]) => [where, lostCells(figures)]).filter(([, cells]) => cells.length > 0);
  const won = measured.map(([where]) => where).filter((where) => !lost.some(([other]) => other === where));
  const nor = won.length > 0 ? `, nor ${won.join(" or ")} (docs/benchmarks.md)` : "";
  return [
    here.length > 0 ? `Where we lose: ${here.join("; ")}.` : `Slower than a peer: in none of these cells${nor}.`,
    ...lost.map(
      ([where, cells]) => `${sentence(where).slice(0, -1)} (docs/benchmarks.md) we lose: ${cells.join("; ")}.`,
    ),
  ].join(" ");
}

/** In words: the packages on npm whose accuracy is above all of ours on the same data; an empty text where there are none. */
export function whereOthersAreMoreAccurate({ cells, peers }) {
  const lost = cells.flatMap(({ workload, entries }) => {
    const top1 = ({ accuracy }) => accuracy?.[1] ?? 0;
    const best = Math.max(...entries.filter(({ who }) => who === "ours").map(top1));
    return entries
      .filter((entry) => entry.who !== "ours" && top1(entry) > best)
      .map(
        (entry) =>
          `${peers[entry.who].name} on ${workload}, ${percent(top1(entry))} % top-1 against ${percent(best)} %`,
      );
  });
  return lost.length > 0 ? `In accuracy, with other models: ${inWords(lost)}.` : "";
}

/** How many runs stand behind the figures of the packages. */
export const packagesRuns = ({ cells, peers }) =>
  sentence(
    runsInWords(
      cells.flatMap(({ entries }) => entries.map(({ who, ...entry }) => ({ entries: { [who]: entry } }))),
      peers,
    ),
  );

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
