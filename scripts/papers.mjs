// npm run papers: published figures beside ours. Measures, stores the figures in docs/papers.json and writes docs/papers.md from
// them and from bench/results; with --report only the latter. --section NAME, any number of times, measures those sections only;
// with --only TEXT the methods whose names hold it are measured again.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { machine } from "./lib/report.mjs";
import { readJson, storedPage } from "./papers/stored.mjs";

const file = (name) => new URL(`../${name}`, import.meta.url);
const { values: given } = parseArgs({
  options: { report: { type: "boolean" }, only: { type: "string" }, section: { type: "string", multiple: true } },
});
if (!given.report) {
  const { sections } = await import("./papers/sections.mjs"); // needs dist/
  const unknown = given.section?.find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined) {
    throw new RangeError(`--section must be one of ${Object.keys(sections).join(", ")}, got "${unknown}"`);
  }
  const log = (text) => console.error(text);
  const wanted = ([name]) => name.includes(given.only ?? "");
  for (const name of given.section ?? Object.keys(sections)) {
    const found = { machine: machine(), ...(await sections[name]({ log, wanted })) };
    const figures = await readJson("docs/papers.json");
    figures[name] = given.only === undefined ? found : merge(figures[name], found);
    await writeFile(file("docs/papers.json"), `${JSON.stringify(figures, null, 1)}\n`);
  }
}
await writeFile(file("docs/papers.md"), await storedPage());

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
