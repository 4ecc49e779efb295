import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  BLOCK_SIZE,
  CLASSES_AT_ONCE,
  COPIES_APART,
  DIRECTIONS,
  NONZEROS_CHUNK,
  PROGRESS,
  KERNEL_ROWS_TOGETHER,
  STEP_BLOCK,
  SUMS,
  WORTH_LISTING,
} from "../../src/wasm/kernels.ts";

/** primalLoss is PRIMAL_LOSS there. */
const nameThere = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What src/ lays memory out by has to be what the kernels count with: of most, if it were less, they would write beyond what is theirs. */
test.each([
  ["linalg/scores.ts", "CLASSES_AT_ONCE", CLASSES_AT_ONCE],
  ["linalg/scores.ts", "BLOCK_SIZE", BLOCK_SIZE],
  ["data/block.ts", "STEP_BLOCK", STEP_BLOCK],
  ["data/problem.ts", "DIRECTIONS", DIRECTIONS],
  ["data/kernelMatrix.ts", "TOGETHER", KERNEL_ROWS_TOGETHER],
  ["data/sums.ts", "NUM_SUMS", SUMS.length],
  ...SUMS.map((name, s): [string, string, number] => ["data/sums.ts", nameThere(name), s]),
  ["data/progress.ts", "NUM_PROGRESS", PROGRESS.length],
  ...PROGRESS.map((name, p): [string, string, number] => ["data/progress.ts", nameThere(name), p]),
  ["solver/firstLists.ts", "WORTH_LISTING", WORTH_LISTING],
  ["linalg/blockDense.ts", "COPIES_APART", COPIES_APART],
  ["linalg/blockNonzeros.ts", "NONZEROS_CHUNK", NONZEROS_CHUNK],
])("assembly/%s: %s is %i", async (path, name, value) => {
  const source = await readFile(new URL(`../../assembly/${path}`, import.meta.url), "utf8");
  const declared = [...source.matchAll(new RegExp(`^(?:export )?const ${name}: i32 = (.*);$`, "gm"))];
  expect(declared.map(([, number]) => number)).toEqual([`${value}`]);
});
