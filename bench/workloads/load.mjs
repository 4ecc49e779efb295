/**
 * Workloads as files: made once, into build/ (which git ignores), then only read, so that the process that is measured
 * holds the data and nothing of how they were made.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makePackages } from "./packages.mjs";
import { recipes } from "./recipes.mjs";

/** Raise it when a recipe's code changes: files of older versions are then left alone. */
const RECIPES = 1;

export const cacheFolder = fileURLToPath(new URL("../../build/bench/", import.meta.url));

/** Where files that belong to a workload are kept: the name says all that decides the numbers. */
export function cachePath(spec, suffix) {
  const { recipe, numTrain, numTest, d, m } = spec;
  const settings = Object.entries(spec).filter(([key]) => key !== "made");
  const hash = createHash("sha256")
    .update(JSON.stringify([RECIPES, settings]))
    .digest("hex")
    .slice(0, 8);
  return join(cacheFolder, "workloads", `${recipe}-${numTrain}+${numTest}x${d}-${m}-${hash}.${suffix}`);
}

/**
 * @returns {{ train: Split, test: Split }} Split is { features: { data: Float32Array, rows, cols }, labels: Int32Array }; of a
 *   sparse workload features have `indices` and `indptr`, too, and of one of label sets labels are lists
 */
export function makeWorkload(spec) {
  if (spec.recipe === "packages") return makePackages(spec);
  const { recipe, numTrain, numTest, d } = spec;
  const { data, labels } = recipes[recipe]({ ...spec, n: numTrain + numTest });
  const split = (from, to) => ({
    features: { data: data.subarray(from * d, to * d), rows: to - from, cols: d },
    labels: labels.subarray(from, to),
  });
  return { train: split(0, numTrain), test: split(numTrain, numTrain + numTest) };
}

/** Makes the files of a workload unless they are there. */
export function prepareWorkload(spec) {
  const parts = ["train", "test"];
  if (parts.every((part) => Object.values(filesOf(spec, part)).every(({ path }) => existsSync(path)))) return;
  mkdirSync(join(cacheFolder, "workloads"), { recursive: true });
  const made = makeWorkload(spec);
  for (const part of parts) {
    const arrays = toArrays(made[part], spec);
    for (const [name, { path }] of Object.entries(filesOf(spec, part))) writeWhole(path, arrays[name]);
  }
}

/** One part, "train" or "test", of a workload that has been prepared. */
export function readPart(spec, part) {
  const arrays = {};
  for (const [name, { path, Numbers }] of Object.entries(filesOf(spec, part)))
    arrays[name] = readNumbers(path, Numbers);
  const { features: data, labels, indices, indptr, offsets } = arrays;
  const cols = spec.d;
  return {
    features: spec.sparse
      ? { data, indices, indptr, rows: indptr.length - 1, cols }
      : { data, rows: data.length / cols, cols },
    labels: spec.sets ? listsOf(labels, offsets) : labels,
  };
}

/** Where the training rows are, for programs that read them by themselves. */
export const trainFile = (spec, what) => filesOf(spec, "train")[what].path;

/** The files of a part, and the numbers in each. */
function filesOf(spec, part) {
  const file = (suffix, Numbers) => ({ path: cachePath(spec, `${part}.${suffix}`), Numbers });
  return {
    features: file("f32", Float32Array),
    labels: file("i32", Int32Array),
    ...(spec.sparse && { indices: file("indices.i32", Int32Array), indptr: file("indptr.i32", Int32Array) }),
    ...(spec.sets && { offsets: file("offsets.i32", Int32Array) }),
  };
}

function toArrays({ features: { data, indices, indptr }, labels }, { sets }) {
  if (!sets) return { features: data, labels, indices, indptr };
  const offsets = new Int32Array(labels.length + 1);
  labels.forEach((set, i) => (offsets[i + 1] = offsets[i] + set.length));
  return { features: data, labels: Int32Array.from(labels.flat()), indices, indptr, offsets };
}

const listsOf = (flat, offsets) =>
  Array.from({ length: offsets.length - 1 }, (_, i) => [...flat.subarray(offsets[i], offsets[i + 1])]);

function readNumbers(file, Numbers) {
  const bytes = readFileSync(file);
  const aligned = bytes.byteOffset % Numbers.BYTES_PER_ELEMENT === 0 ? bytes : Uint8Array.from(bytes);
  return new Numbers(aligned.buffer, aligned.byteOffset, aligned.byteLength / Numbers.BYTES_PER_ELEMENT);
}

function writeWhole(file, numbers) {
  writeFileSync(`${file}.tmp`, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  renameSync(`${file}.tmp`, file);
}
