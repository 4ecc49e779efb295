// The Letter data set as matrices; data/README.md states source, licence and conventions.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const NUM_TRAIN = 15000;
const NUM_MEASURED = 16;

/**
 * Reads data/letter.csv.gz.
 *
 * @returns {{ train: Split, test: Split }} where Split is { features: { data: Float64Array, rows, cols: 17 }, labels: string[] }:
 *   row-major, each feature mapped to [-1, 1] by its range over the training rows, a constant 1 as the last column.
 */
export function loadLetter() {
  const csv = gunzipSync(readFileSync(new URL("../../data/letter.csv.gz", import.meta.url))).toString("latin1");
  const rows = csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.trimEnd().split(","));

  const lo = new Array(NUM_MEASURED).fill(Infinity);
  const hi = new Array(NUM_MEASURED).fill(-Infinity);
  for (const row of rows.slice(0, NUM_TRAIN)) {
    for (let j = 0; j < NUM_MEASURED; j++) {
      lo[j] = Math.min(lo[j], Number(row[j + 1]));
      hi[j] = Math.max(hi[j], Number(row[j + 1]));
    }
  }

  const split = (part) => {
    const cols = NUM_MEASURED + 1;
    const data = new Float64Array(part.length * cols);
    part.forEach((row, i) => {
      for (let j = 0; j < NUM_MEASURED; j++) {
        data[i * cols + j] = (2 * (Number(row[j + 1]) - lo[j])) / (hi[j] - lo[j]) - 1;
      }
      data[i * cols + NUM_MEASURED] = 1;
    });
    return { features: { data, rows: part.length, cols }, labels: part.map((row) => row[0]) };
  };
  return { train: split(rows.slice(0, NUM_TRAIN)), test: split(rows.slice(NUM_TRAIN)) };
}
