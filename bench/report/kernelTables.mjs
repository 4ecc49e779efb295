/** Fits with a kernel, as a table; pure functions of bench/results/kernels.json. */
import { nameOf, ratioOf, timesOf } from "./cells.mjs";
import { figures, ratio, spread } from "./format.mjs";

export function kernelsTable({ cells, peers }) {
  const rows = cells.flatMap(({ n, d, C, gamma, entries }) =>
    Object.entries(entries).map(([who, entry]) => {
      const { seconds, cpuSeconds, epochs, atLeast, note } = timesOf(entry);
      const own = [String(n), String(d), String(C), String(gamma), nameOf(who, peers)];
      if (!seconds) return [...own, note ?? `> ${figures(atLeast)}`, "-", "-", "-", "-"];
      const gaps = entry.runs.map(({ relativeGap }) => relativeGap);
      const times = who === "ours" ? undefined : ratioOf(entries.ours, entry);
      return [
        ...[
          ...own,
          spread(seconds),
          figures(cpuSeconds.median),
          times ? ratio(times.median) : "",
          epochs.median.toFixed(0),
        ],
        Math.max(...gaps).toExponential(1),
      ];
    }),
  );
  return [["n", "d", "C", "gamma", "by", "seconds", "CPU s", "ratio", "epochs", "largest gap"], ...rows];
}
