/** Tables and plots out of stored figures: nothing here measures, and drawing twice gives the same. */
import { describeMachine, markdownTable, textTable } from "../../scripts/lib/report.mjs";
import { updateBlock } from "../../scripts/lib/readme.mjs";
import { readResults, writeWhole } from "../lib/files.mjs";
import { describeMissing } from "../lib/peers.mjs";
import { lossById } from "../losses.mjs";
import * as compareTables from "./compareTables.mjs";
import { costsTable } from "./costTables.mjs";
import { goalsTable, ratioGoalsTable } from "./goals.mjs";
import { inWords, runsInWords } from "./cells.mjs";
import { growthTable } from "./growthTables.mjs";
import { interceptTable } from "./interceptTables.mjs";
import { microGoalsTable, microLosses, microTable } from "./microTables.mjs";
import { convergencePlot, frankWolfePlot, growthPlot, microPlot } from "./plots.mjs";
import * as sparseTables from "./sparseTables.mjs";
import { longestTaskInWords, tasksInWords, tasksTable } from "./taskTables.mjs";

const root = new URL("../../", import.meta.url);
const PARTS = [
  ...["compare", "packages", "sparse", "growth", "costs", "intercept"],
  ...["convergence", "frank-wolfe", "micro", "longTasks"],
];

/** All figures of a folder, by part; of those that are there. */
export async function readAll(folder, parts = PARTS) {
  const entries = await Promise.all(parts.map(async (part) => [part, await readResults(folder, part)]));
  return Object.fromEntries(entries.filter(([, figures]) => figures));
}

const measured = ({ machine, command }) => `Measured by \`${command}\` on ${describeMachine(machine)}.`;

/** Which peers there were, under the figures that have them. */
function peersInWords({ peers }) {
  const present = Object.entries(peers ?? {}).filter(([, { missing }]) => !missing);
  const words = present.map(
    ([, { name, version, warning }]) => `${name} (${version}${warning ? "; slower than it need be" : ""})`,
  );
  return words.length > 0 ? `With ${inWords(words)}. ` : "";
}

/** As `measured`, with the peers. */
const measuredWith = (figures) => `${peersInWords(figures)}${measured(figures)}`;

const turns = (repeats) => (repeats > 1 ? `Median of ${repeats} runs.` : "One run.");

/** What the columns of the comparison mean. */
const legend = ({ cells }) =>
  "Every fit in a process of its own, in turns. Ratio: CPU seconds by those of ours, turn by turn. " +
  "liblinear and L-BFGS: to an objective within 1e-3 of the optimum, reading of files taken off. " +
  (cells.some(({ entries }) => entries.ours.runs.some(({ warm }) => warm))
    ? "Second fit: the same once more in the same process, where code is compiled. "
    : "") +
  "Ms per epoch: CPU time by epochs (of L-BFGS: steps), evaluations and all else included; an epoch of ours may go over " +
  "candidate classes, or be a round of fewer steps, one of plain SDCA goes over everything. " +
  '"> x": stopped there, not done. MB: peak memory beyond a process that only holds the data, also per byte of the data.';

const tagsLegend = ({ maxEpochs, workloads: { tags } }) =>
  `${tags.n} rows, ${tags.d} words; tolerance 0, ${maxEpochs} epochs at most, a round of few updates being one, too. An epoch in the ` +
  "table is n example updates: CPU time by their number. The first epoch goes over every class and has loading and the first " +
  "evaluation on it; later ones are with the evaluations among them. What comes after the last one, copies and on label sets the " +
  "threshold, belongs to no epoch. The yardstick is the hinge loss on the same rows and as many classes, one of the tags of each " +
  "package, drawn at random, being its class.";

const layoutsLegend = ({ n, d, m }) =>
  `CPU milliseconds with n = ${n}, d = ${d}, m = ${m}: dense / sparse for a pass of steps over all examples, dense / dense skipping ` +
  "zeros / sparse for evaluations and for a fit to 1e-3. An estimate is an evaluation on the way. The layout that `fit` takes, with " +
  "its time by that of the quickest.";

const frankWolfeInWords = ({ workload, loss: { loss, rankWeights, k }, settings: { C, tolerance, maxSeconds } }) =>
  `${workload}, \`${loss}\` with ${rankWeights} weights, k = ${k}, C = ${C}: until a relative gap of ${tolerance} or for ${maxSeconds} s. ` +
  "An epoch of coordinate ascent is n updates or a round of fewer, one of Frank-Wolfe a step.";

const passesLegend =
  "A pass of steps over all examples and every class, from dense float32 rows, in milliseconds of CPU time: the same work of both " +
  "programs, without evaluations, lists or anything else that they do differently. What the ratio of the fits has beyond this one is the algorithm.";

const layoutLosses = ({ layouts }) => Object.keys(layouts?.points[0]?.milliseconds ?? {});

/**
 * Blocks of Markdown, by page and marker, and files of plots.
 *
 * @returns {{ blocks: { page: string, name: string, text: string }[], files: { path: string, text: string }[] }}
 */
export function renderReport({
  compare,
  packages,
  sparse,
  growth,
  costs,
  intercept,
  convergence,
  "frank-wolfe": frankWolfe,
  micro,
  longTasks,
}) {
  const blocks = [];
  const files = [];
  const block = (page, name, ...paragraphs) =>
    blocks.push({ page, name, text: paragraphs.filter((text) => text).join("\n\n") });
  const plot = (name, text) => files.push({ path: `docs/figures/${name}.svg`, text });

  if (compare) {
    const native = compareTables.nativeTable(compare);
    block(
      "README.md",
      "bench-table",
      markdownTable(compareTables.overviewTable(compare)),
      native && `Against native programs, one thread, CPU seconds to an objective within 1e-3 of the optimum:`,
      native && markdownTable(native),
      [compareTables.whereWeLose(compare, costs), packages && compareTables.whereOthersAreMoreAccurate(packages)]
        .filter((text) => text)
        .join(" "),
      compareTables.memoryInWords(compare),
      `${compareTables.runsByWorkload(compare)} ${measured(compare)}`,
    );
    const passes = compareTables.passesTable(compare);
    block(
      "docs/benchmarks.md",
      "bench-compare",
      markdownTable(compareTables.workloadsTable(compare)),
      ...Object.keys(compare.workloads).flatMap((name) => [
        `### ${name}`,
        markdownTable(compareTables.workloadTable(compare, name)),
        compareTables.workloadNotes(compare, name),
      ]),
      ...(passes ? ["### Steps alone", passesLegend, markdownTable(passes)] : []),
      legend(compare),
      measuredWith(compare),
    );
    block(
      "docs/benchmarks.md",
      "bench-goals",
      markdownTable(goalsTable(compare)),
      markdownTable(ratioGoalsTable(compare)),
      measured(compare),
    );
  }
  if (packages) {
    block(
      "docs/benchmarks.md",
      "bench-packages",
      markdownTable(compareTables.packagesTable(packages)),
      compareTables.packagesRuns(packages),
      measuredWith(packages),
    );
  }
  if (sparse) {
    const { tags, layouts } = sparse;
    block(
      "docs/benchmarks.md",
      "bench-sparse",
      "### Sections",
      sparseTables.sectionsInWords(sparse),
      markdownTable(sparseTables.sectionsTable(sparse)),
      compareTables.workloadNotes(sparse, "sections"),
      legend(sparse),
      ...(tags
        ? ["### Tags", tagsLegend(tags), markdownTable(sparseTables.tagsTable(sparse)), turns(tags.rows[0].runs.length)]
        : []),
      "### Goals",
      markdownTable(sparseTables.sparseGoalsTable(sparse)),
      ...(layouts ? ["### Layouts", `${layoutsLegend(layouts)} ${turns(sparse.repeats)}`] : []),
      ...layoutLosses(sparse).flatMap((loss) => [
        `${lossById(loss).name}:`,
        markdownTable(sparseTables.layoutsTable(sparse, loss)),
      ]),
      layouts && markdownTable(sparseTables.crossingsTable(sparse)),
      measuredWith(sparse),
    );
  }
  if (growth) {
    block(
      "docs/benchmarks.md",
      "bench-growth",
      markdownTable(growthTable(growth)),
      turns(growth.repeats),
      measured(growth),
    );
    plot("growth", growthPlot(growth));
  }
  if (costs) {
    const runs = runsInWords(costs.cells, costs.peers, "");
    block(
      "docs/benchmarks.md",
      "bench-costs",
      markdownTable(costsTable(costs)),
      `Of each cell: ${runs}.`,
      measuredWith(costs),
    );
  }
  if (intercept) {
    block(
      "docs/benchmarks.md",
      "bench-intercept",
      markdownTable(interceptTable(intercept)),
      turns(intercept.repeats),
      measured(intercept),
    );
  }
  if (convergence) {
    const { repeats } = convergence;
    const points = repeats > 1 ? `the median of ${repeats} runs` : "one run";
    block(
      "docs/benchmarks.md",
      "bench-convergence",
      `Each curve is one run, each point of liblinear and L-BFGS ${points}; the dotted line joins those that no quicker one betters.`,
      measuredWith(convergence),
    );
    plot("convergence", convergencePlot(convergence));
  }
  if (frankWolfe) {
    block(
      "docs/benchmarks.md",
      "bench-frank-wolfe",
      `${frankWolfeInWords(frankWolfe)} One run of each.`,
      measured(frankWolfe),
    );
    plot("frank-wolfe", frankWolfePlot(frankWolfe));
  }
  if (micro) {
    block(
      "docs/benchmarks.md",
      "bench-micro",
      markdownTable(microTable(micro)),
      microLosses(micro),
      micro.turns && `Median of ${micro.turns} turns of many vectors each.`,
      "Goals, as set on another machine, of the kernel; the public function has none:",
      markdownTable(microGoalsTable(micro)),
      measured(micro),
    );
    plot("micro", microPlot(micro));
  }
  if (longTasks) {
    block("README.md", "bench-longest-task", longestTaskInWords(longTasks));
    block(
      "docs/benchmarks.md",
      "bench-tasks",
      markdownTable(tasksTable(longTasks)),
      tasksInWords(longTasks),
      measured(longTasks),
    );
  }
  return { blocks, files };
}

/** Writes what has been measured into README.md, docs/benchmarks.md and docs/figures/. */
export async function writeReport(folder) {
  const { blocks, files } = renderReport(await readAll(folder));
  for (const { page, name, text } of blocks) await updateBlock(new URL(page, root), name, text);
  for (const { path, text } of files) await writeWhole(new URL(path, root), text);
  return [...new Set(blocks.map(({ page }) => page)), ...files.map(({ path }) => path)];
}

/** The same for a terminal, and the goals. */
export async function printReport(folder, parts = PARTS) {
  const { compare, packages, sparse, growth, costs, intercept, micro, convergence } = await readAll(folder, parts);
  const show = (heading, table) => table && console.log(`\n${heading}\n\n${textTable(table)}`);
  if (compare) {
    show(
      "Seconds to a certified relative gap of 1e-3; CPU time of plain SDCA in JavaScript by ours",
      compareTables.overviewTable(compare),
    );
    show("CPU seconds against native programs", compareTables.nativeTable(compare));
    for (const name of Object.keys(compare.workloads)) {
      show(name, compareTables.workloadTable(compare, name));
      console.log(`\n${compareTables.workloadNotes(compare, name)}`);
    }
    show("CPU milliseconds per pass over every class", compareTables.passesTable(compare));
    console.log(`\n${legend(compare)}`);
    console.log(`\n${compareTables.whereWeLose(compare)}\n${compareTables.memoryInWords(compare)}`);
    show("Goals", goalsTable(compare));
    show("Goals against plain SDCA in JavaScript", ratioGoalsTable(compare));
  }
  if (packages) show("Packages on npm", compareTables.packagesTable(packages));
  if (sparse) {
    show("Sections of Debian packages", sparseTables.sectionsTable(sparse));
    console.log(`\n${sparseTables.sectionsInWords(sparse)}`);
    if (sparse.tags) show("Tags of Debian packages", sparseTables.tagsTable(sparse));
    show("Goals", sparseTables.sparseGoalsTable(sparse));
    for (const loss of layoutLosses(sparse)) {
      show(`Layouts, ${lossById(loss).name}, milliseconds`, sparseTables.layoutsTable(sparse, loss));
    }
    if (sparse.layouts) show("Layouts", sparseTables.crossingsTable(sparse));
  }
  if (growth) show("Growth", growthTable(growth));
  if (costs) show("By C", costsTable(costs));
  if (intercept) show("Without an intercept and with one", interceptTable(intercept));
  if (micro) {
    show("Microseconds per vector: kernel / through prox / plain JavaScript", microTable(micro));
    console.log(`\n${microLosses(micro)}`);
  }
  const missing = [compare, packages, sparse, costs].flatMap((figures) =>
    figures ? describeMissing(figures.peers) : [],
  );
  if (missing.length > 0) console.log(`\n${missing.join("\n")}`);
  const any = compare ?? packages ?? sparse ?? growth ?? costs ?? intercept ?? micro ?? convergence;
  if (any) console.log(`\n${describeMachine(any.machine)}`);
}
