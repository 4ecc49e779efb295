// Generated parts of README.md: each stands between <!-- NAME:begin --> and <!-- NAME:end -->.
import { readFile, rename, rm, writeFile } from "node:fs/promises";

const README = new URL("../../README.md", import.meta.url);

/** Replaces the block called `name`; written to a neighbour first, so that README.md is whole or untouched. */
export async function updateReadme(name, block) {
  const text = await readFile(README, "utf8");
  const begin = `<!-- ${name}:begin -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- ${name}:end -->`);
  if (from < 0 || to < from) throw new Error(`README.md must hold ${begin} and, after it, <!-- ${name}:end -->`);
  const temporary = new URL(`${README.href}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`);
    await rename(temporary, README);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
