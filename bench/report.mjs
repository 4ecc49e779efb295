/**
 * npm run bench:report: redraws every table and plot from the figures that `npm run bench` has stored; measures nothing.
 *
 *   --from DIR   where the figures are (default bench/results)      --print   on the terminal instead
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { resultsFolder } from "./lib/files.mjs";
import { writeReport } from "./report/pages.mjs";
import { printReport } from "./report/terminal.mjs";

const { values } = parseArgs({ options: { from: { type: "string" }, print: { type: "boolean" } } });
const folder = values.from ? resolve(values.from) : resultsFolder;
if (values.print) await printReport(folder);
else for (const path of await writeReport(folder)) console.log(path);
