// The distribution of the demo "Two guesses" is the first reading of the stored reference answers.
import { expect, test } from "vitest";
import { createRandom } from "../../bench/workloads/random.mjs";
import {
  accuracy,
  BEST_LINEAR_TOP1,
  bestAccuracy,
  CLASSES,
  classProbabilities,
  drawPoints,
  GRID,
  rankGrid,
  toFeatures,
} from "../../demo/two-guesses/circle.js";
import { fit } from "../../src/index.ts";
import readings from "../vectors/E_circle.json" with { type: "json" };

interface Reading {
  class_prob_given_segment: number[][];
  segment_mass: number[];
  segment_length: number[];
  bayes_top1_accuracy: number;
  bayes_top2_accuracy: number;
  best_linear_top1_top2: number[];
}
const [uniform] = readings as unknown as Reading[];

test("classes follow the table, in segments as often as they are long", () => {
  let start = 0;
  uniform.segment_length.forEach((length, s) => {
    expect(length / 7).toBeCloseTo(uniform.segment_mass[s], 12);
    const expected = uniform.class_prob_given_segment.map((row) => row[s]);
    for (const inside of [0, 0.5, 0.999]) expect(classProbabilities((start + inside * length) / 7)).toEqual(expected);
    start += length;
  });
});

test("the best accuracies are the reference's", () => {
  const sums = 1400 * 2 ** -53; // of rounding, over as many positions
  expect(Math.abs(bestAccuracy(1) - uniform.bayes_top1_accuracy)).toBeLessThan(sums);
  expect(Math.abs(bestAccuracy(2) - uniform.bayes_top2_accuracy)).toBeLessThan(sums);
  expect(bestAccuracy(3)).toBeCloseTo(1, 12);
  expect(BEST_LINEAR_TOP1).toBeCloseTo(uniform.best_linear_top1_top2[0], 12);
});

test("drawn points have the distribution, and the same seed draws the same", () => {
  const n = 20_000;
  const points = drawPoints(n, createRandom(3).uniform);
  expect(drawPoints(5, createRandom(3).uniform)).toEqual(points.slice(0, 5));
  const share = uniform.class_prob_given_segment.map((row) =>
    row.reduce((sum, p, s) => sum + p * uniform.segment_mass[s], 0),
  );
  CLASSES.forEach((name, j) => {
    const found = points.filter(({ label }) => label === name);
    const deviation = Math.sqrt((share[j] * (1 - share[j])) / n);
    expect(Math.abs(found.length / n - share[j])).toBeLessThan(4 * deviation);
    expect(found.every(({ turns }) => classProbabilities(turns)[j] > 0)).toBe(true);
  });
});

test("the accuracy of a ranking is that of many points", async () => {
  const points = drawPoints(200, createRandom(7).uniform);
  const labels = points.map(({ label }) => label);
  const positions = points.map(({ turns }) => turns);
  const model = await fit(toFeatures(positions), labels, { loss: "softmax", classes: CLASSES, intercept: false });
  const ranks = rankGrid(model);
  expect(ranks).toHaveLength(GRID.length);
  const n = 20_000;
  const fresh = drawPoints(n, createRandom(8).uniform);
  const features = toFeatures(fresh.map(({ turns }) => turns));
  const { topKAccuracy } = model.evaluate(
    features,
    fresh.map(({ label }) => label),
    { k: [1, 2] },
  );
  for (const k of [1, 2]) {
    const expected = accuracy(ranks, k);
    expect(Math.abs(topKAccuracy![k] - expected)).toBeLessThan(
      4 * Math.sqrt((expected * (1 - expected)) / n) + 1 / GRID.length,
    );
  }
});
