// npm run papers: published figures beside ours. Measures, stores the figures in docs/papers.json and writes docs/papers.md from
// them and from bench/results; with --report only the latter. --section NAME, any number of times, measures those sections only;
// with --only TEXT the methods whose names hold it are measured again.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { machine } from "./lib/report.mjs";
import { runCircle } from "./papers/circle.mjs";
import { runLetter, runReadings, runTruncated } from "./papers/letter.mjs";
import { page } from "./papers/page.mjs";
import { runWeighted } from "./papers/weighted.mjs";

const sections = {
  letter: (options) => runLetter({ ...options, maxSeconds: 5 }),
  readings: (options) => runReadings({ ...options, maxSeconds: 3 }),
  truncated: (options) => runTruncated({ ...options, maxSeconds: 2 }),
  weighted: (options) => runWeighted({ ...options, maxSeconds: 2 }),
  circle: (options) => runCircle({ ...options, seeds: [1, 2, 3], maxSeconds: 0.2 }),
};
const file = (name) => new URL(`../${name}`, import.meta.url);
const readJson = async (name) => JSON.parse(await readFile(file(name), "utf8"));
const { values: given } = parseArgs({
  options: { report: { type: "boolean" }, only: { type: "string" }, section: { type: "string", multiple: true } },
});
const unknown = given.section?.find((name) => !Object.hasOwn(sections, name));
if (unknown !== undefined) {
  throw new RangeError(`--section must be one of ${Object.keys(sections).join(", ")}, got "${unknown}"`);
}

if (!given.report) {
  const log = (text) => console.error(text);
  const wanted = ([name]) => name.includes(given.only ?? "");
  for (const name of given.section ?? Object.keys(sections)) {
    const found = { machine: machine(), ...(await sections[name]({ log, wanted })) };
    const figures = await readJson("docs/papers.json");
    figures[name] = given.only === undefined ? found : merge(figures[name], found);
    await writeFile(file("docs/papers.json"), `${JSON.stringify(figures, null, 1)}\n`);
  }
}
const [figures, micro, compare, convergence] = await Promise.all(
  ["docs/papers.json", ...["micro", "compare", "convergence"].map((part) => `bench/results/${part}.json`)].map(
    readJson,
  ),
);
await writeFile(file("docs/papers.md"), page({ ...figures, micro, compare, convergence }));

/** The section before, rows measured again in their places. */
function merge(before, again) {
  const mergeRows = (old, found) => old.map((row) => found.find(({ name }) => name === row.name) ?? row);
  if (again.rows) return { ...again, rows: mergeRows(before.rows, again.rows) };
  const results = again.results.map((result, r) => ({
    ...result,
    rows: mergeRows(before.results[r].rows, result.rows),
  }));
  return { ...again, results };
}
