/** How long fits take with other C, as a table; pure functions of bench/results/costs.json. */
import { lossById } from "../losses.mjs";
import { ratioOf, timesOf } from "./cells.mjs";
import { figures, ratio } from "./format.mjs";

export function costsTable({ cells, peers }) {
  const rows = cells.map(({ data, loss, C, entries }) => {
    const { cpuSeconds, epochs, atLeast } = timesOf(entries.ours);
    const [who, peer] = Object.entries(entries).find(([who]) => who !== "ours") ?? [];
    const theirs = timesOf(peer);
    const against = ratioOf(entries.ours, peer);
    return [
      ...[data, lossById(loss).name, String(C), epochs ? epochs.median.toFixed(0) : "-"],
      cpuSeconds ? figures(cpuSeconds.median) : `> ${figures(atLeast)}`,
      who ? peers[who].name : "-",
      theirs.cpuSeconds ? figures(theirs.cpuSeconds.median) : (theirs.note ?? `> ${figures(theirs.atLeast)}`),
      against?.median ? ratio(against.median) : "-",
    ];
  });
  return [["workload", "loss", "C", "epochs", "CPU s", "against", "CPU s", "ratio"], ...rows];
}
