/**
 * Workloads as files: made once, into build/ (which git ignores), then only read, so that the process that is measured
 * holds the data and nothing of how they were made.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** @returns {{ train: Split, test: Split }} Split is { features: { data: Float32Array, rows, cols }, labels: Int32Array } */
export function makeWorkload(spec) {
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
  const parts = Object.keys(fileNames(spec));
  if (parts.every((part) => Object.values(fileNames(spec)[part]).every((file) => existsSync(file)))) return;
  mkdirSync(join(cacheFolder, "workloads"), { recursive: true });
  const made = makeWorkload(spec);
  for (const part of parts) {
    const { features, labels } = fileNames(spec)[part];
    writeWhole(features, made[part].features.data);
    writeWhole(labels, made[part].labels);
  }
}

/** One part, "train" or "test", of a workload that has been prepared. */
export function readPart(spec, part) {
  const files = fileNames(spec)[part];
  const data = readNumbers(files.features, Float32Array);
  return {
    features: { data, rows: data.length / spec.d, cols: spec.d },
    labels: readNumbers(files.labels, Int32Array),
  };
}

/** Where the training rows are, for programs that read them by themselves. */
export const trainFile = (spec, what) => fileNames(spec).train[what];

const fileNames = (spec) => ({
  train: { features: cachePath(spec, "train.f32"), labels: cachePath(spec, "train.i32") },
  test: { features: cachePath(spec, "test.f32"), labels: cachePath(spec, "test.i32") },
});

function readNumbers(file, Numbers) {
  const bytes = readFileSync(file);
  const aligned = bytes.byteOffset % Numbers.BYTES_PER_ELEMENT === 0 ? bytes : Uint8Array.from(bytes);
  return new Numbers(aligned.buffer, aligned.byteOffset, aligned.byteLength / Numbers.BYTES_PER_ELEMENT);
}

function writeWhole(file, numbers) {
  writeFileSync(`${file}.tmp`, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  renameSync(`${file}.tmp`, file);
}
