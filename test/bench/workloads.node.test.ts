// The workloads of the benchmark are the same wherever they are made, and are what they claim to be.
import { describe, expect, test } from "vitest";
import { makeWorkload } from "../../bench/workloads/load.mjs";
import { nearestMeanAccuracy } from "../../bench/workloads/nearestMean.mjs";
import { createRandom } from "../../bench/workloads/random.mjs";

const specs = [
  { recipe: "silhouettes", numTrain: 120, numTest: 40, d: 784, m: 5, seed: 3 },
  { recipe: "activations", numTrain: 150, numTest: 40, d: 64, m: 4, seed: 3, separation: 1, rank: 16 },
  { recipe: "prototypes", numTrain: 150, numTest: 50, d: 32, m: 5, seed: 3 },
];

describe.each(specs)("$recipe", (spec) => {
  const made = makeWorkload(spec);

  test("has the shape asked for, classes of equal size and rows of norm 1", () => {
    expect(made.train.features).toMatchObject({ rows: spec.numTrain, cols: spec.d });
    expect(made.test.labels).toHaveLength(spec.numTest);
    const labels = [...made.train.labels, ...made.test.labels];
    const counts = Array.from({ length: spec.m }, (_, j) => labels.filter((y) => y === j).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    for (let i = 0; i < spec.numTrain; i++) {
      const row = made.train.features.data.subarray(i * spec.d, (i + 1) * spec.d);
      expect(Math.hypot(...row)).toBeCloseTo(1, 5);
    }
  });

  test("comes out alike from one seed, and differs for another", () => {
    const bytes = ({ train, test }: typeof made): string =>
      [train, test].map((part) => `${part.features.data.join()};${part.labels.join()}`).join();
    expect(bytes(makeWorkload(spec)) === bytes(made)).toBe(true);
    expect(bytes(makeWorkload({ ...spec, seed: 4 })) === bytes(made)).toBe(false);
  });

  test("can be learnt, but not by heart", () => {
    const accuracy = nearestMeanAccuracy(made, spec.m);
    expect(accuracy[1]).toBeGreaterThan(2 / spec.m);
    expect(accuracy[5]).toBeGreaterThanOrEqual(accuracy[1]);
  });
});

test("a quarter of the activations is nonzero", () => {
  const { features } = makeWorkload(specs[1]).train;
  const nonzero = features.data.filter((value: number) => value > 0).length / features.data.length;
  expect(nonzero).toBeGreaterThan(0.22);
  expect(nonzero).toBeLessThan(0.28);
});

test("normal numbers have the moments of the normal distribution", () => {
  const { normal } = createRandom(1);
  const values = Array.from({ length: 200_000 }, normal);
  const moment = (power: number): number => values.reduce((sum, v) => sum + v ** power, 0) / values.length;
  expect(moment(1)).toBeCloseTo(0, 1);
  expect(moment(2)).toBeCloseTo(1, 1);
  expect(moment(4)).toBeCloseTo(3, 0);
});
