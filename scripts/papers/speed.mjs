// PAMI Figures 3a and 3d and Table 2 beside the benchmark's figures: pure functions of bench/results/*.json.
import { findCell, ratioOf, timesOf } from "../../bench/report/cells.mjs";
import { figures, powerOfTen, ratio } from "../../bench/report/format.mjs";
import { projections as published } from "./published.mjs";

/** Projections of 1000 vectors in seconds, which is milliseconds for each: maps down, dimensions across. */
export function projectionTable({ rows }) {
  const dimensions = [...new Set([...published.dimensions, ...rows.map(({ n }) => n)])].sort((a, b) => a - b);
  const ours = (name) => {
    const of = (d) => rows.find((row) => row.name === name && row.n === d)?.kernel;
    return [`${name}, ours`, ...dimensions.map((d) => (of(d) ? figures(of(d).median / 1000) : "-"))];
  };
  const theirs = ({ name, seconds }) => [
    `${name}, published`,
    ...dimensions.map((d) => seconds[published.dimensions.indexOf(d)]?.toString() ?? "-"),
  ];
  return [
    ["projection", ...dimensions.map(powerOfTen)],
    ...["knapsack, sum = 1", ...[1, 5, 10].map((k) => `top-k simplex, k = ${k}`)].map(ours),
    ours("bipartite simplex, halves"),
    ...published.rows.map(theirs),
  ];
}

const workloadsOf = ({ cells }) => cells.filter(({ loss }) => loss === "softmax").map(({ workload }) => workload);

/** Softmax to the tolerance of the comparison: processor seconds of both, and their ratio. */
export function softmaxTable(compare) {
  const show = (entry) => {
    const { cpuSeconds, atLeast, note } = timesOf(entry);
    return cpuSeconds ? figures(cpuSeconds.median) : atLeast === undefined ? (note ?? "-") : `> ${figures(atLeast)}`;
  };
  return [
    ["workload", "SDCA", "L-BFGS", "L-BFGS over SDCA"],
    ...workloadsOf(compare).map((workload) => {
      const { ours, lbfgs } = findCell(compare.cells, workload, "softmax").entries;
      const times = ratioOf(ours, lbfgs);
      return [
        workload,
        show(ours),
        show(lbfgs),
        times?.median ? ratio(times.median) : times ? `> ${ratio(times.atLeast)}` : "-",
      ];
    }),
  ];
}

/** Beyond this ratio one is faster; below, turns on a shared machine differ as much. */
const CLEAR = 1.1;

/** The answer to Figure 3d's question, in a sentence. */
export function softmaxAnswer(compare) {
  const found = workloadsOf(compare).map((workload) => {
    const { ours, lbfgs } = findCell(compare.cells, workload, "softmax").entries;
    const times = ratioOf(ours, lbfgs);
    return { workload, times: times?.median ?? times?.atLeast, bounded: times?.median === undefined };
  });
  const names = (test) => found.filter(test).map(({ workload }) => workload);
  const groups = [
    ["SDCA is faster on", names(({ times }) => times > CLEAR)],
    ["L-BFGS is faster on", names(({ times, bounded }) => !bounded && times < 1 / CLEAR)],
    ["they are about equal on", names(({ times, bounded }) => !bounded && times >= 1 / CLEAR && times <= CLEAR)],
    [
      "there are no times of both on",
      names(({ times, bounded }) => times === undefined || (bounded && times <= CLEAR)),
    ],
  ];
  const said = groups.filter(([, workloads]) => workloads.length > 0);
  return `To this tolerance, ${said.map(([what, workloads]) => `${what} ${workloads.join(", ")}`).join("; ")}.`;
}

const GAPS = [1e-3, 1e-4, 1e-5, 1e-6];

/** Softmax of the convergence figure: wall-clock seconds until the gap is below each of a few. */
export function gapTable({ panels }) {
  // Of L-BFGS every point is a run of its own.
  const least = (curve = [], gap) =>
    Math.min(...curve.filter((point) => point.gap <= gap).map(({ seconds }) => seconds));
  const show = (seconds) => (Number.isFinite(seconds) ? figures(seconds) : "-");
  return [
    ["workload", "solver", ...GAPS.map((gap) => gap.toExponential(0))],
    ...panels
      .filter(({ loss }) => loss === "softmax")
      .flatMap(({ workload, curves }) =>
        [
          ["SDCA", curves.ours],
          ["L-BFGS", curves.lbfgs],
        ].map(([name, curve]) => [workload, name, ...GAPS.map((gap) => show(least(curve, gap)))]),
      ),
  ];
}
