/** docs/papers.md out of stored figures: nothing is measured. */
import { readFile } from "node:fs/promises";
import { page } from "./page.mjs";

const root = new URL("../../", import.meta.url);
export const readJson = async (name) => JSON.parse(await readFile(new URL(name, root), "utf8"));

export async function storedPage() {
  const parts = ["micro", "compare", "convergence"].map((part) => `bench/results/${part}.json`);
  const [figures, micro, compare, convergence] = await Promise.all(["docs/papers.json", ...parts].map(readJson));
  return page({ ...figures, micro, compare, convergence });
}
