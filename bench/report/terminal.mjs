/** Stored figures on a terminal: the tables of the pages, all goals, and which peers were not there. */
import { describeMachine, textTable } from "../../scripts/lib/report.mjs";
import { readAll } from "../lib/files.mjs";
import { describeMissing } from "../lib/peers.mjs";
import { lossById } from "../losses.mjs";
import * as compareTables from "./compareTables.mjs";
import { costsTable } from "./costTables.mjs";
import { goalsTable, ratioGoalsTable } from "./goals.mjs";
import { growthTable } from "./growthTables.mjs";
import { heldOutTable } from "./heldOutTables.mjs";
import { interceptTable } from "./interceptTables.mjs";
import { kernelsTable } from "./kernelTables.mjs";
import { legend, toleranceOf } from "./legends.mjs";
import { microLosses, microTable } from "./microTables.mjs";
import * as sparseTables from "./sparseTables.mjs";

/** Of the parts that are named, or all that are there. */
export async function printReport(folder, parts) {
  const {
    compare,
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
    micro,
    convergence,
  } = await readAll(folder, parts);
  const show = (heading, table) => table && console.log(`\n${heading}\n\n${textTable(table)}`);
  if (compare) {
    show(
      `Seconds to a certified relative gap of ${toleranceOf(compare)}; CPU time of plain SDCA in JavaScript by ours`,
      compareTables.overviewTable(compare),
    );
    show("CPU seconds against native programs", compareTables.nativeTable(compare));
    for (const name of Object.keys(compare.workloads)) {
      show(name, compareTables.workloadTable(compare, name));
      console.log(`\n${compareTables.workloadNotes(compare, name)}`);
    }
    console.log(`\n${legend(compare)}`);
    console.log(`\n${compareTables.whereWeLose(compare)}\n${compareTables.memoryInWords(compare)}`);
    show("Goals", goalsTable(compare));
    show("Goals against plain SDCA in JavaScript", ratioGoalsTable(compare));
  }
  if (passes) {
    show("CPU milliseconds per pass over every class", compareTables.passesTable({ ...passes, peers: {} }));
  }
  if (packages) show("Packages on npm", compareTables.packagesTable(packages));
  if (sparse) {
    show("Sections of Debian packages", sparseTables.sectionsTable(sparse));
    console.log(`\n${sparseTables.sectionsInWords(sparse)}`);
    if (sparse.tags) show("Tags of Debian packages", sparseTables.tagsTable(sparse));
    show("Goals", sparseTables.sparseGoalsTable(sparse));
    for (const loss of sparseTables.layoutLosses(sparse)) {
      show(`Layouts, ${lossById(loss).name}, milliseconds`, sparseTables.layoutsTable(sparse, loss));
    }
    if (sparse.layouts) show("Layouts", sparseTables.crossingsTable(sparse));
  }
  for (const figures of [tall, hard].filter(Boolean)) {
    for (const name of Object.keys(figures.workloads)) {
      show(name, compareTables.workloadTable(figures, name));
      console.log(`\n${compareTables.workloadNotes(figures, name)}`);
    }
  }
  if (kernels) show("With a kernel", kernelsTable(kernels));
  if (growth) show("Growth", growthTable(growth));
  if (costs) show("By C", costsTable(costs));
  if (intercept) show("Without an intercept and with one", interceptTable(intercept));
  if (heldOut) show("Without held-out rows and with them, and their scores", heldOutTable(heldOut));
  if (micro) {
    show("Microseconds per vector: kernel / through prox / plain JavaScript", microTable(micro));
    console.log(`\n${microLosses(micro)}`);
  }
  const missing = [compare, packages, sparse, costs].flatMap((figures) =>
    figures ? describeMissing(figures.peers) : [],
  );
  if (missing.length > 0) console.log(`\n${missing.join("\n")}`);
  const any = compare ?? packages ?? sparse ?? growth ?? costs ?? intercept ?? heldOut ?? micro ?? convergence;
  if (any) console.log(`\n${describeMachine(any.machine)}`);
}
