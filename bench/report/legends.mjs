/** What stands above, below and between tables, in words. */
import { describeMachine } from "../../scripts/lib/report.mjs";
import { inWords } from "./cells.mjs";

/** The relative gap that was to be reached, as 1e-3. */
export const toleranceOf = ({ settings }) => settings.tolerance.toExponential();

/** The command and the machine, which stand under every table. */
export const measured = ({ machine, command, cells }) =>
  `Measured by \`${command}\` on ${describeMachine(machine)}.${keptInWords(cells)}`;

/** Which cells are of an earlier run, where a later one was of some alone. */
function keptInWords(cells = []) {
  const byMachine = new Map();
  for (const { keptFrom, loss, workload } of cells) {
    if (!keptFrom) continue;
    const where = describeMachine(keptFrom);
    byMachine.set(where, [...(byMachine.get(where) ?? []), `${loss} on ${workload}`]);
  }
  return [...byMachine].map(([where, names]) => ` Kept from a run on ${where}: ${names.join(", ")}.`).join("");
}

/** Which peers there were, under the figures that have them. */
function peersInWords({ peers }) {
  const present = Object.entries(peers ?? {}).filter(([, { missing }]) => !missing);
  const words = present.map(
    ([, { name, version, warning }]) => `${name} (${version}${warning ? "; slower than it need be" : ""})`,
  );
  return words.length > 0 ? `With ${inWords(words)}. ` : "";
}

/** As `measured`, with the peers. */
export const measuredWith = (figures) => `${peersInWords(figures)}${measured(figures)}`;

export const turns = (repeats) => (repeats > 1 ? `Median of ${repeats} runs.` : "One run.");

/** What the columns of the comparison mean. */
export const legend = ({ cells, settings }) =>
  "Every fit in a process of its own, in turns. Ratio: CPU seconds by those of ours, turn by turn, or of a single run by our median. " +
  `liblinear and L-BFGS: to an objective within ${toleranceOf({ settings })} of the optimum, reading of files taken off. ` +
  (cells.some(({ entries }) => entries.ours.runs.some(({ warm }) => warm))
    ? "Second fit: the same once more in the same process, where code is compiled. "
    : "") +
  "Ms per epoch: CPU time by epochs (of L-BFGS: steps), evaluations and all else included; an epoch of ours may go over " +
  "candidate classes, or be a round of fewer steps, one of plain SDCA goes over everything. " +
  '"> x": stopped there, not done. MB: peak memory beyond a process that only holds the data, also per byte of the data.';

export const tagsLegend = ({ settings, tags: { maxEpochs, workloads } }) =>
  `${workloads.tags.n} rows, ${workloads.tags.d} words; tolerance 0, ${maxEpochs} epochs at most, a round of few updates being one, too. An epoch in the ` +
  "table is n example updates: CPU time by their number. The first epoch goes over every class and has loading and the first " +
  "evaluation on it; later ones are with the evaluations among them. What comes after the last one, copies and on label sets the " +
  "threshold, belongs to no epoch. The yardstick is the hinge loss on the same rows and as many classes, one of the tags of each " +
  `package, drawn at random, being its class. The last columns: fits by themselves, to ${toleranceOf({ settings })}.`;

export const layoutsLegend = ({ settings, layouts: { n, d, m } }) =>
  `CPU milliseconds with n = ${n}, d = ${d}, m = ${m}: dense / sparse for a pass of steps over all examples, dense / dense skipping ` +
  `zeros / sparse for evaluations and for a fit to ${toleranceOf({ settings })}. An estimate is an evaluation on the way. The layout that \`fit\` takes, with ` +
  "its time by that of the quickest.";

export const frankWolfeInWords = ({
  workload,
  loss: { loss, rankWeights, k },
  settings: { C, tolerance, maxSeconds },
}) =>
  `${workload}, \`${loss}\` with ${rankWeights} weights, k = ${k}, C = ${C}: until a relative gap of ${tolerance} or for ${maxSeconds} s. ` +
  "An epoch of coordinate ascent is n updates or a round of fewer, one of Frank-Wolfe a step.";

export const passesLegend =
  "A pass of steps over all examples and every class, from dense float32 rows, in milliseconds of CPU time: the same work of both " +
  "programs, without evaluations, lists or anything else that they do differently. In turns, each in a process of its own, behind passes in which " +
  "code is compiled.";
