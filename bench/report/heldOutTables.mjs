/** What held-out rows cost, as a table; pure functions of bench/results/held-out.json. */
import { summarise } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { figures, ratio } from "./format.mjs";

export function heldOutTable({ cells }) {
  const rows = cells.map(({ workload, loss, kernel, turns }) => {
    const of = (measure) => summarise(turns.map(measure)).median;
    const isPlain = turns.every(({ plain }) => plain !== undefined);
    return [
      ...[workload, kernel ? `${lossById(loss).name}, ${kernel}` : lossById(loss).name],
      ...[of(({ rows }) => rows).toFixed(0), of(({ evaluations }) => evaluations).toFixed(0)],
      ...[figures(of((turn) => turn.without)), figures(of((turn) => turn.with))],
      ratio(of((turn) => turn.with / turn.without)),
      figures(of(({ kernels }) => kernels)),
      ...(isPlain
        ? [figures(of(({ plain }) => plain)), ratio(of(({ plain, kernels }) => plain / kernels))]
        : ["-", "-"]),
    ];
  });
  const fits = ["rows", "evaluations", "CPU s without", "with", "ratio"];
  return [["workload", "loss", ...fits, "scores, ms", "plain JavaScript", "ratio"], ...rows];
}
