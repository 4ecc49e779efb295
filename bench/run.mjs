/**
 * npm run bench: measures, prints tables and writes the figures as JSON, from which `npm run bench:report` redraws everything.
 *
 *   --quick          about two minutes: small workloads, one run of each; the figures go to build/bench/quick
 *                    (a full run takes one to two hours)
 *   --only a,b       some of the parts: compare, packages, sparse, growth, costs, convergence, frank-wolfe, micro
 *   --workloads a,b  compare on these alone, and keep the stored figures of the others
 *   --losses a,b     compare these losses alone, by their ids in bench/losses.mjs, likewise
 *   --repeats N      runs of each, in turns (default 3, with --quick 1)
 *   --readme         afterwards the tables and plots of README.md and docs/benchmarks.md, too
 *
 * Peers that are not installed are left out, with a line that says how to install them.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "../scripts/lib/report.mjs";
import { quickFolder, readResults, resultFile, resultsFolder, writeResults } from "./lib/files.mjs";
import { lossById } from "./losses.mjs";
import { parts, quickParts } from "./parts/index.mjs";
import { printReport, writeReport } from "./report/index.mjs";

const { quick, only, readme, repeats, names, ids } = readArguments();
const folder = quick ? quickFolder : resultsFolder;
const command = `npm run bench${quick ? " -- --quick" : ""}`;
const began = performance.now();
const log = (text) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}\n`);
// Measured processes are no members of the terminal's group: leaving by `exit` ends them, too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

for (const part of only) {
  // A run of an hour and more leaves what it has measured also when it is broken off.
  const save = (figures) => writeResults(folder, part, { machine: machine(), command, ...figures });
  const previous = await readResults(folder, part);
  await save(await parts[part]({ quick, repeats, log, save, names, ids, previous }));
}
await printReport(folder, only);
console.log(
  `\nThe figures are in ${only.map((part) => relative(process.cwd(), resultFile(folder, part))).join(", ")}.`,
);
if (readme) await writeReport(folder);

function readArguments() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean" },
      only: { type: "string" },
      repeats: { type: "string" },
      workloads: { type: "string" },
      losses: { type: "string" },
      readme: { type: "boolean" },
    },
  });
  const only = values.only?.split(",") ?? (values.quick ? quickParts : Object.keys(parts));
  for (const part of only) {
    if (!parts[part]) throw new RangeError(`bench: --only takes ${Object.keys(parts).join(", ")}, got ${part}`);
  }
  if (values.quick && values.readme)
    throw new RangeError("bench: --readme wants the figures of a full run, not --quick");
  const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new RangeError(`bench: --repeats must be an integer >= 1, got ${values.repeats}`);
  return {
    repeats,
    quick: values.quick ?? false,
    only,
    readme: values.readme ?? false,
    names: values.workloads?.split(","),
    ids: values.losses?.split(",").map((id) => lossById(id).id),
  };
}
