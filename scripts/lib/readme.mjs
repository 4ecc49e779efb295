// Generated parts of README.md and other pages: each stands between <!-- NAME:begin --> and <!-- NAME:end -->.
import { readFile, rename, rm, writeFile } from "node:fs/promises";

const README = new URL("../../README.md", import.meta.url);

export const updateReadme = (name, block) => updateBlock(README, name, block);

/** Replaces the block called `name` of a page; written to a neighbour first, so that the page is whole or untouched. */
export async function updateBlock(page, name, block) {
  const text = await readFile(page, "utf8");
  const temporary = new URL(`${page.href}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, replaceBlock(text, name, block, page.pathname.split("/").at(-1)));
    await rename(temporary, page);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** `file` is for the message where the markers are missing. */
export function replaceBlock(text, name, block, file) {
  const begin = `<!-- ${name}:begin -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- ${name}:end -->`);
  if (from < 0 || to < from) throw new Error(`${file} must hold ${begin} and, after it, <!-- ${name}:end -->`);
  return `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`;
}
