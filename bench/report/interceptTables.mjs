/** What the intercept costs, as a table; pure functions of bench/results/intercept.json. */
import { summarise } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { figures, ratio } from "./format.mjs";

export function interceptTable({ cells }) {
  const of = (runs, measure) => summarise(runs.map(measure)).median;
  const rows = cells.map((cell) => {
    const sides = [cell.without, cell.with];
    const ratios = cell.with.map(({ cpuSeconds }, turn) => cpuSeconds / cell.without[turn].cpuSeconds);
    return [
      ...[cell.workload, lossById(cell.loss).name],
      ...sides.map((runs) => of(runs, ({ epochs }) => epochs).toFixed(0)),
      ...sides.map((runs) => figures(of(runs, ({ cpuSeconds }) => cpuSeconds))),
      ratio(summarise(ratios).median),
    ];
  });
  const heading = ["workload", "loss", "epochs without", "with", "CPU s without", "with", "ratio"];
  return [heading, ...rows];
}
