/** npm run bench: measures, prints tables and writes the figures as JSON, from which `npm run bench:report` redraws everything. */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "../scripts/lib/report.mjs";
import { quickFolder, readResults, resultFile, resultsFolder, writeResults } from "./lib/files.mjs";
import { lossById } from "./losses.mjs";
import { parts, quickParts } from "./parts/index.mjs";
import { writeReport } from "./report/pages.mjs";
import { printReport } from "./report/terminal.mjs";
import { workloads } from "./workloads/catalogue.mjs";

const usage = `Usage: npm run bench -- [options]

  --quick          about two minutes: small workloads, one run of each; the figures go to build/bench/quick
                   (a full run takes one to two hours)
  --only a,b       some of the parts: ${Object.keys(parts).join(", ")}
  --workloads a,b  compare on these alone (${Object.keys(workloads).join(", ")}), and keep the stored figures of the others
  --losses a,b     compare these losses alone, by their ids in bench/losses.mjs, likewise
  --repeats N      runs of each, in turns (default 3, with --quick 1)
  --readme         afterwards the tables and plots of README.md and docs/benchmarks.md, too
  --help

Peers that are not installed are left out, with a line that says how to install them.`;

const { quick, only, readme, repeats, names, ids } = readArguments();
const folder = quick ? quickFolder : resultsFolder;
const given = process.argv.slice(2).filter((argument) => argument !== "--readme");
const command = `npm run bench${given.length > 0 ? ` -- ${given.join(" ")}` : ""}`;
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

/** What the command line asks for; if it asks for help or for what there is not, says so and ends. */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        repeats: { type: "string" },
        workloads: { type: "string" },
        losses: { type: "string" },
        readme: { type: "boolean", default: false },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const { quick, readme } = values;
    if (quick && readme) throw new RangeError("--readme wants the figures of a full run, not --quick");
    const repeats = Number(values.repeats ?? (quick ? 1 : 3));
    if (!Number.isInteger(repeats) || repeats < 1)
      throw new RangeError(`--repeats must be an integer >= 1, got ${values.repeats}`);
    return {
      ...{ quick, readme, repeats },
      only: listed("--only", values.only, parts) ?? (quick ? quickParts : Object.keys(parts)),
      names: listed("--workloads", values.workloads, workloads),
      ids: values.losses?.split(",").map((id) => lossById(id).id),
    };
  } catch (error) {
    console.error(`bench: ${error.message}\n\n${usage}`);
    process.exit(1);
  }
}

/** The names that an option lists, which are to be keys of `known`. */
function listed(option, value, known) {
  const names = value?.split(",");
  const unknown = names?.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new RangeError(`${option} takes ${Object.keys(known).join(", ")}, got ${JSON.stringify(unknown)}`);
  }
  return names;
}
