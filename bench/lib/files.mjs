/** Figures as files. */
import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Of full runs: the figures of README.md and docs/. */
export const resultsFolder = fileURLToPath(new URL("../results/", import.meta.url));
/** Of quick runs: for a look, kept apart. */
export const quickFolder = fileURLToPath(new URL("../../build/bench/quick/", import.meta.url));

/** Writes a file as a whole or not at all. */
export async function writeWhole(file, text) {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
}

/** Numbers to five digits: more is noise, and the files are kept. Objectives are told apart by more. */
function shorter(key, value) {
  if (typeof value !== "number" || Number.isInteger(value) || /primal|dual/i.test(key)) return value;
  return Number(value.toPrecision(5));
}

export const resultFile = (folder, part) => join(folder, `${part}.json`);

export const writeResults = (folder, part, results) =>
  writeWhole(resultFile(folder, part), `${JSON.stringify(results, shorter, 1)}\n`);

/** The figures of one part, or undefined where it has not been run. */
export async function readResults(folder, part) {
  try {
    return JSON.parse(await readFile(resultFile(folder, part), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The figures of a folder, by part: of the parts that are named, or of all that are there. */
export async function readAll(folder, parts) {
  const files = await readdir(folder);
  const there = files.filter((name) => name.endsWith(".json")).map((name) => basename(name, ".json"));
  const wanted = there.filter((part) => parts?.includes(part) ?? true);
  return Object.fromEntries(await Promise.all(wanted.map(async (part) => [part, await readResults(folder, part)])));
}
