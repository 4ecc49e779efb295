/** Stored figures as pages: tables in README.md and docs/benchmarks.md, and plots. Nothing here measures, and drawing twice gives the same. */
import { updateBlock } from "../../scripts/lib/readme.mjs";
import { markdownTable } from "../../scripts/lib/report.mjs";
import { readAll, writeWhole } from "../lib/files.mjs";
import { lossById } from "../losses.mjs";
import { runsInWords } from "./cells.mjs";
import * as compareTables from "./compareTables.mjs";
import { costsTable } from "./costTables.mjs";
import { goalsInShort, goalsInWords, goalsTable, ratioGoalsTable, runsTable } from "./goals.mjs";
import { growthTable } from "./growthTables.mjs";
import { heldOutTable } from "./heldOutTables.mjs";
import { interceptTable } from "./interceptTables.mjs";
import { kernelsTable } from "./kernelTables.mjs";
import {
  frankWolfeInWords,
  layoutsLegend,
  legend,
  measured,
  measuredWith,
  passesLegend,
  tagsLegend,
  toleranceOf,
  turns,
} from "./legends.mjs";
import { microGoalsTable, microLosses, microTable } from "./microTables.mjs";
import { convergencePlot, frankWolfePlot, growthPlot, microPlot } from "./plots.mjs";
import * as sparseTables from "./sparseTables.mjs";
import { longestTaskInWords, tasksInWords, tasksTable } from "./taskTables.mjs";

const root = new URL("../../", import.meta.url);

/** The workloads of a comparison, one below the other. */
const eachWorkload = (figures) =>
  Object.keys(figures.workloads).flatMap((name) => [
    `### ${name}`,
    markdownTable(compareTables.workloadTable(figures, name)),
    compareTables.workloadNotes(figures, name),
  ]);

/**
 * Blocks of Markdown, by page and marker, and files of plots.
 *
 * @returns {{ blocks: { page: string, name: string, text: string }[], files: { path: string, text: string }[] }}
 */
export function renderReport({
  compare,
  "compare-other": other,
  passes,
  packages,
  sparse,
  tall,
  hard,
  kernels,
  growth,
  costs,
  intercept,
  "held-out": heldOut,
  convergence,
  "frank-wolfe": frankWolfe,
  micro,
  longTasks,
}) {
  const blocks = [];
  const files = [];
  const blockOf =
    (page) =>
    (name, ...paragraphs) =>
      blocks.push({ page, name, text: paragraphs.filter((text) => text).join("\n\n") });
  const readme = blockOf("README.md");
  const benchmarks = blockOf("docs/benchmarks.md");
  const plot = (name, text) => files.push({ path: `docs/figures/${name}.svg`, text });

  if (compare) {
    const native = compareTables.nativeTable(compare);
    readme(
      "bench-table",
      markdownTable(compareTables.overviewTable(compare)),
      native &&
        `Against native programs, one thread, CPU seconds to an objective within ${toleranceOf(compare)} of the optimum:`,
      native && markdownTable(native),
      [
        compareTables.whereWeLose(compare, { "with other C": costs, "on tall tables": tall }),
        packages && compareTables.whereOthersAreMoreAccurate(packages),
      ]
        .filter((text) => text)
        .join(" "),
      goalsInShort(compare),
      compareTables.memoryInWords(compare),
      `${compareTables.runsByWorkload(compare)} ${measured(compare)}`,
    );
    benchmarks(
      "bench-compare",
      markdownTable(compareTables.workloadsTable(compare)),
      ...eachWorkload(compare),
      legend(compare),
      measuredWith(compare),
    );
    benchmarks(
      "bench-goals",
      markdownTable(goalsTable(compare)),
      ...(other
        ? [
            goalsInWords(compare, { [`on another processor, ${other.machine.cpu}`]: other }),
            markdownTable(runsTable([compare, other])),
          ]
        : []),
      "Times as fast as plain SDCA in JavaScript:",
      markdownTable(ratioGoalsTable(compare)),
      measured(compare),
    );
  }
  if (passes) {
    benchmarks(
      "bench-passes",
      passesLegend,
      markdownTable(compareTables.passesTable({ ...passes, peers: {} })),
      `${turns(passes.repeats)} ${measured(passes)}`,
    );
  }
  if (packages) {
    benchmarks(
      "bench-packages",
      markdownTable(compareTables.packagesTable(packages)),
      compareTables.packagesRuns(packages),
      measuredWith(packages),
    );
  }
  if (sparse) {
    const { tags, layouts } = sparse;
    benchmarks(
      "bench-sparse",
      "### Sections",
      sparseTables.sectionsInWords(sparse),
      markdownTable(sparseTables.sectionsTable(sparse)),
      compareTables.workloadNotes(sparse, "sections"),
      legend(sparse),
      ...(tags
        ? [
            "### Tags",
            tagsLegend(sparse),
            markdownTable(sparseTables.tagsTable(sparse)),
            turns(tags.rows[0].runs.length),
          ]
        : []),
      "### Goals",
      markdownTable(sparseTables.sparseGoalsTable(sparse)),
      ...(layouts ? ["### Layouts", `${layoutsLegend(sparse)} ${turns(sparse.repeats)}`] : []),
      ...sparseTables
        .layoutLosses(sparse)
        .flatMap((loss) => [`${lossById(loss).name}:`, markdownTable(sparseTables.layoutsTable(sparse, loss))]),
      layouts && markdownTable(sparseTables.crossingsTable(sparse)),
      measuredWith(sparse),
    );
  }
  for (const [name, figures] of Object.entries({ tall, hard })) {
    if (!figures) continue;
    const workloads = markdownTable(compareTables.workloadsTable(figures));
    benchmarks(`bench-${name}`, workloads, ...eachWorkload(figures), measuredWith(figures));
  }
  if (kernels) {
    const runs = runsInWords(kernels.cells, kernels.peers);
    benchmarks("bench-kernels", markdownTable(kernelsTable(kernels)), `Of each: ${runs}.`, measuredWith(kernels));
  }
  if (growth) {
    benchmarks("bench-growth", markdownTable(growthTable(growth)), turns(growth.repeats), measured(growth));
    plot("growth", growthPlot(growth));
  }
  if (costs) {
    const runs = runsInWords(costs.cells, costs.peers, "");
    benchmarks("bench-costs", markdownTable(costsTable(costs)), `Of each cell: ${runs}.`, measuredWith(costs));
  }
  if (intercept) {
    benchmarks(
      "bench-intercept",
      markdownTable(interceptTable(intercept)),
      turns(intercept.repeats),
      measured(intercept),
    );
  }
  if (heldOut) {
    benchmarks("bench-held-out", markdownTable(heldOutTable(heldOut)), turns(heldOut.repeats), measured(heldOut));
  }
  if (convergence) {
    const { repeats } = convergence;
    const points = repeats > 1 ? `the median of ${repeats} runs` : "one run";
    benchmarks(
      "bench-convergence",
      `Each curve is one run, each point of liblinear and L-BFGS ${points}; the dotted line joins those that no quicker one betters.`,
      measuredWith(convergence),
    );
    plot("convergence", convergencePlot(convergence));
  }
  if (frankWolfe) {
    benchmarks("bench-frank-wolfe", `${frankWolfeInWords(frankWolfe)} One run of each.`, measured(frankWolfe));
    plot("frank-wolfe", frankWolfePlot(frankWolfe));
  }
  if (micro) {
    benchmarks(
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
    readme("bench-longest-task", longestTaskInWords(longTasks));
    benchmarks("bench-tasks", markdownTable(tasksTable(longTasks)), tasksInWords(longTasks), measured(longTasks));
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
