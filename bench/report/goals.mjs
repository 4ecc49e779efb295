/**
 * The goals of the benchmark, in processor seconds of the machine they were set on, brought to the machine of a run by what
 * liblinear (for the hinge losses) and L-BFGS (for the entropy losses) took on either. Where a peer was not run there, the
 * factor is the mean of those of the other workloads.
 */
import { geometricMean } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { findCell, ratioOf, timesOf } from "./cells.mjs";
import { figures, ratio } from "./format.mjs";

const workloads = ["letter", "caltech", "indoor", "aloi", "wide"];
const smooth = [0.05, 0.1, 0.3, 2, 5];
const entropy = [0.12, 0.2, 0.5, 3.5, 6];
const goals = {
  hinge: [0.05, 0.15, 0.45, 3, 7],
  "smooth-hinge": smooth,
  top5: [0.07, 0.15, 0.45, 3, 7],
  "smooth-top5": smooth,
  "smooth-top5-beta": smooth,
  softmax: entropy,
  "top5-entropy": entropy,
};
const yardsticks = {
  hinge: { who: "liblinear", loss: "hinge", seconds: { letter: 0.22, caltech: 0.95, indoor: 1.96, aloi: 38.5 } },
  entropy: { who: "lbfgs", loss: "softmax", seconds: { letter: 0.28, caltech: 0.42, indoor: 1.82, aloi: 7.7 } },
};

/** @returns {(workload: string) => number | undefined} how much longer a program takes here; undefined without any figure */
export function scaling({ cells }, family) {
  const { who, loss, seconds } = yardsticks[family];
  const factors = {};
  for (const [name, there] of Object.entries(seconds)) {
    const here = timesOf(findCell(cells, name, loss)?.entries[who]).cpuSeconds?.median;
    if (here !== undefined) factors[name] = here / there;
  }
  const known = Object.values(factors);
  const mean = known.length > 0 ? geometricMean(known) : undefined;
  return (workload) => factors[workload] ?? mean;
}

/** Every goal of a comparison with what was reached, in CPU seconds: losses in turn, and of each the workloads. */
function goalsOf(compare) {
  return Object.entries(goals).flatMap(([loss, seconds]) => {
    const factorOf = scaling(compare, lossById(loss).family);
    return workloads.flatMap((workload, i) => {
      const reached = timesOf(findCell(compare.cells, workload, loss)?.entries.ours).cpuSeconds?.median;
      const factor = factorOf(workload);
      const scaled = seconds[i] * (factor ?? 1);
      if (reached === undefined) return [];
      return [{ loss, workload, goal: seconds[i], factor, scaled, reached, isMet: reached <= scaled }];
    });
  });
}

export function goalsTable(compare) {
  const rows = [["loss", "workload", "goal, CPU s", "factor", "scaled", "reached", ""]];
  for (const { loss, workload, goal, factor, scaled, reached, isMet } of goalsOf(compare)) {
    rows.push([
      ...[lossById(loss).name, workload, figures(goal, 2), factor === undefined ? "-" : figures(factor, 2)],
      ...[figures(scaled, 2), figures(reached, 2), isMet ? "met" : "missed"],
    ]);
  }
  return rows;
}

/** What was reached, by the scaled goal, in each of some comparisons: at most 1 is met. */
export function runsTable(compares) {
  const runs = compares.map(goalsOf);
  const share = (run, workload, loss) => {
    const found = findCell(run, workload, loss);
    return found ? (found.reached / found.scaled).toFixed(2) : "-";
  };
  const rows = Object.keys(goals).map((loss) => [
    lossById(loss).name,
    ...workloads.map((workload) => runs.map((run) => share(run, workload, loss)).join(", ")),
  ]);
  return [["loss", ...workloads], ...rows];
}

/** "11 of 35" */
function metOf(compare) {
  const all = goalsOf(compare);
  return `${all.filter(({ isMet }) => isMet).length} of ${all.length}`;
}

/** How many goals are met, in a sentence of its own. */
export const goalsInShort = (compare) =>
  `Of the processor seconds set as goals before the work began, ${metOf(compare)} are reached; which are not, and why: docs/benchmarks.md.`;

/** How many goals each of them meets, in words; `others` by what tells them from the first. */
export function goalsInWords(compare, others) {
  const runs = Object.entries(others).map(
    ([what, other]) => `; on ${other.machine.date}, ${what}, with ${metOf(other)}`,
  );
  return `How much of the scaled goals was used: above, with ${metOf(compare)} met${runs.join("")}. At most 1 is met.`;
}

/** The other goal: so many times as fast as the baseline, in float32. */
export function ratioGoalsTable({ cells, workloads: facts }) {
  const rows = [["loss", "workload", "goal", "reached", ""]];
  for (const { workload, loss, entries } of cells) {
    const goal = loss === "softmax" ? 3 : loss === "hinge" && facts[workload].d >= 128 ? 10 : undefined;
    const reached = ratioOf(entries.ours, entries.baseline);
    if (goal === undefined || !reached) continue;
    const value = reached.median ?? reached.atLeast;
    // Stopped at a limit of time before the goal: the figure is too low by an unknown amount.
    const verdict = value >= goal ? "met" : reached.median === undefined ? "open" : "missed";
    const shown = `${reached.median === undefined ? "> " : ""}${ratio(value)}`;
    rows.push([lossById(loss).name, workload, ratio(goal), shown, verdict]);
  }
  return rows;
}
