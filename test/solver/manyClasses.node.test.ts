import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions } from "../../src/index.ts";
import type { Sums } from "../../src/wasm/sums.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, normals, uniforms } from "../helpers/data.ts";
import { expectWithin } from "../helpers/expect.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import { openProblem, rowsOf } from "../helpers/problem.ts";
import { lossValue, type LossSpec } from "../reference/losses.ts";
import { primalObjective } from "../reference/objective.ts";
import { dot } from "../reference/sum.ts";

/**
 * With many classes a certificate in float32 takes most scores in float32, or from numbers of 16 bits where there are more than a few
 * features, and the losses from those of a few candidates in float64 where that is as good: every objective has to be what an
 * independent recomputation over all classes finds.
 */

beforeAll(() => init());

const m = 300;
const hinges = [
  ...[0, 1e-3, 1, 50].map((gamma): LossSpec => ({ loss: "hinge", gamma })),
  ...(["alpha", "alpha-inclusive", "beta"] as const).flatMap((variant) =>
    [0, 1].map((gamma): LossSpec => ({ loss: "topk-hinge", k: 4, variant, gamma })),
  ),
];

/**
 * Rows of d numbers, one in `every` not zero: clouds that lie `apart`, a tenth of the rows zero, one row and one class many times.
 */
function problem(n: number, apart: number, d: number, every: number): { features: number[][]; labels: number[] } {
  const { features, labels } = clouds(n, d, m, 7);
  const isZero = (i: number, l: number): boolean => i % 10 === 3 || (i * 5 + l * 7 + (l >> 4)) % every !== 0;
  const rows = features.map((row, i) =>
    row.map((v, l) => (isZero(i, l) ? 0 : i % 10 === 4 ? features[4][0] : v * apart)),
  );
  return { features: rows, labels: labels.map((y, i) => (i % 10 === 4 ? 17 : y)) };
}

describe.each(hinges.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const cases = [
    ["separate clouds", 400, 30, { C: 1, maxEpochs: 12 }],
    ["clouds that overlap", 330, 1, { C: 10, maxEpochs: 4 }],
    ["scores that hardly differ", 200, 1, { C: 1e-3, maxEpochs: 4 }],
    ["every score 0", 64, 1, { C: 1, maxEpochs: 0 }],
    ["large numbers", 150, 1e9, { C: 1e-3, maxEpochs: 3 }],
    ["tiny numbers", 150, 1e-9, { C: 1, maxEpochs: 3 }],
    ["numbers too large to be scaled", 150, 1e17, { C: 1e-3, maxEpochs: 3 }],
    ["numbers too small to be scaled", 150, 1e-17, { C: 1, maxEpochs: 3 }],
  ] as const;
  // 5: scores in float32. 36, the last four of which do not fill a vector: in 16 bits. 300, in more than one chunk: without their zeros.
  const rounded = [
    [36, 1],
    [300, 4],
  ] as const;
  const layouts = [[5, 1] as const, ...(spec.gamma === 0 || spec === hinges[3] ? rounded : [])];
  describe.each(layouts)("%i features, one in %i not zero", (d, every) => {
    test.each(cases)("%s", async (_, most, apart, settings) => {
      const n = most >> (d === 5 ? 1 : 2);
      const { features, labels } = problem(n, apart, d, every);
      const classes = Array.from({ length: m }, (_, j) => j);
      const options = {
        ...optionsOf(spec),
        ...settings,
        classes,
        tolerance: 1e-6,
        precision: "float32",
        intercept: false,
      };
      const model = await fit(features, labels, options as FitOptions);
      expect(model.classes).toHaveLength(m);
      // Scores of so many numbers are what is left of much larger sums where the numbers are large.
      const sums = features.map((x) => x.reduce((sum, v) => sum + Math.abs(v), 0));
      const scale = d === 300 ? settings.C * Math.max(...sums) * Math.max(...model.weights.data.map(Math.abs)) : 0;
      expectCertified(model, { features, labels, loss: spec, C: settings.C, precision: "float32" }, scale);
    });
  });
});

const sizes = [
  [5, 1],
  [70, 1],
  [70, 3],
] as const;
test.each(sizes)("slices of the work change no bit: %i features, one in %i not zero", async (d, every) => {
  const { features, labels } = problem(400, 3, d, every);
  const classes = Array.from({ length: m }, (_, j) => j);
  const run = (yieldEvery: 1 | "never") =>
    fit(features, labels, {
      ...{ loss: "hinge", classes, precision: "float32", maxEpochs: 6, tolerance: 0 },
      yieldEvery,
    });
  const whole = await run("never");
  for (let turn = 0; turn < 3; turn++) {
    const sliced = await run(1);
    expect(sliced.weights).toEqual(whole.weights);
    const { dualObjective, primalObjective } = whole.certificate;
    expect(sliced.certificate).toMatchObject({ dualObjective, primalObjective });
  }
});

describe("scores closer than rough ones can tell", () => {
  const d = 40;
  const n = 192;
  const random = uniforms(5);
  // All rows lie about one direction, and the weights of the classes of the first 64 are equal but for the last bits.
  const features = Array.from({ length: n }, (_, i) =>
    Array.from({ length: d }, (_, l) => Math.fround(1 + 1e-3 * Math.sin(7 * i + 3 * l))),
  );
  const labels = features.map((_, i) => 40 + i);
  const duals = labels.map((y, i) => {
    const share = i < 64 ? Math.fround((1 + 1e-5 * random()) / 40) : 0;
    return Array.from({ length: m }, (_, j) => (j === y ? 40 * share : j < 40 ? -share : 0));
  });

  const cases = hinges.flatMap((spec) => [false, true].map((skipsZeros) => [nameOf(spec), skipsZeros, spec] as const));
  test.each(cases)("%s, skipping zeros: %s", async (_, skipsZeros, spec) => {
    const shape = { numClasses: m, precision: "float32" as const, skipsZeros };
    const problem = await openProblem(spec, features, labels, shape);
    problem.duals.restore(Float32Array.from(duals.flat()));
    const certify = (size: number): Sums => {
      problem.clear(true);
      problem.rebuild(0, n);
      problem.settle();
      for (let from = 0; from < n; from += size) problem.evaluate(from, Math.min(size, n - from));
      return problem.sums;
    };
    const whole = certify(n);
    for (const size of [1, 5, 32, 100]) expect(certify(size)).toEqual(whole);
    const { primalLoss, weightsNorm2 } = whole;
    const weights = rowsOf(problem.weights.take(), d);
    const expected = primalObjective(features, labels, weights, 2, spec);
    expect(Math.abs(primalLoss + 0.5 * weightsNorm2 - expected)).toBeLessThanOrEqual(1e-13 * expected);
  });
});

test.each([8, 15, 23, 28])("scores closer than float32 can tell, of %i features", async (d) => {
  const n = 40;
  const spec: LossSpec = { loss: "hinge", gamma: 0 };
  const random = uniforms(d);
  const numbers = (): number[] => Array.from({ length: d }, () => Math.fround(2 * random() - 1));
  const features = Array.from({ length: n }, numbers);
  const common = numbers();
  const weights = Array.from({ length: m }, () => common.map((w) => Math.fround(w * (1 + 2e-7 * random()))));
  const labels = features.map((_, i) => 7 * i);
  const problem = await openProblem(spec, features, labels, { numClasses: m, precision: "float32" });
  weights.forEach((row, j) => problem.weights.setRow(j, row));
  problem.clear(false);
  problem.measure();
  problem.evaluate(0, n);
  features.forEach((x, i) => {
    const wanted = 2 * lossValue(spec, weights.map((w) => dot(w, x)), labels[i]); // prettier-ignore
    expectWithin(problem.gaps[i], wanted, 1e-13, `C_i L_i of example ${i}`);
  });
});

// One margin is high, and which of the others are the next highest decides whether the loss is 0: rough scores cannot tell these.
test.each(["alpha", "alpha-inclusive"] as const)("a loss just above 0 is not taken for 0: %s", async (variant) => {
  const [n, d] = [64, 40];
  const spec: LossSpec = { loss: "topk-hinge", k: 4, variant, gamma: 0 };
  const normal = normals(9);
  const features = Array.from({ length: n }, () =>
    Array.from({ length: d }, (_, l) => Math.fround(l === 0 ? 1 : normal())),
  );
  // 1 + the margin is about 0.3 of class 1, and about -0.1 of each other.
  const scores = Array.from({ length: m }, (_, j) => (j === 0 ? 1 : j === 1 ? 0.3 : -0.1 - 1e-4));
  const weights = scores.map((score) =>
    Array.from({ length: d }, (_, l) => Math.fround(l === 0 ? score : 1e-5 * normal())),
  );
  const labels = features.map(() => 0);
  const problem = await openProblem(spec, features, labels, { numClasses: m, precision: "float32" });
  weights.forEach((row, j) => problem.weights.setRow(j, row));
  problem.clear(false);
  problem.measure();
  problem.evaluate(0, n);
  const { primalLoss, weightsNorm2 } = problem.sums;
  const expected = primalObjective(features, labels, weights, 2, spec);
  expect(expected - 0.5 * weightsNorm2).toBeGreaterThan(1e-5);
  expect(Math.abs(primalLoss + 0.5 * weightsNorm2 - expected)).toBeLessThanOrEqual(1e-13 * expected);
});

// How classes are tiled depends on what is left of them after whole tiles of 32 and of 8.
describe.each([28, 29, 30, 31, 32, 33, 36].map((rest) => 96 + rest))("%s classes", (m) => {
  const [n, d] = [64, 40];
  const random = uniforms(m);
  // Some are so small beside the others that rounded to 16 bits they are 0.
  const size = (): number => (random() < 0.2 ? 1e-6 : 1);
  const features = Array.from({ length: n }, () =>
    Array.from({ length: d }, () => (random() < 0.3 ? Math.fround((random() - 0.5) * size()) : 0)),
  );
  const labels = features.map((_, i) => (7 * i) % m);
  const duals = labels.map((y, i) => {
    const row = new Array<number>(m).fill(0);
    for (let e = 1; e < 6; e++) {
      const share = Math.fround(0.39 * random());
      row[(y + e * (1 + i)) % m === y ? (y + 1) % m : (y + e * (1 + i)) % m] -= share;
      row[y] += share;
    }
    return row;
  });

  // Scores are the same whatever the loss: one with few candidates, one with many, and one of the k largest.
  const some = hinges.filter(({ k, gamma }) => (k ? gamma === 1 : gamma === 0 || gamma === 50));
  test.each(some.flatMap((spec) => [false, true].map((skipsZeros) => [nameOf(spec), skipsZeros, spec] as const)))(
    "P is that of the weights: %s, skipping zeros: %s",
    async (_, skipsZeros, spec) => {
      const shape = { numClasses: m, precision: "float32" as const, skipsZeros };
      const problem = await openProblem(spec, features, labels, shape);
      problem.duals.restore(Float32Array.from(duals.flat()));
      problem.clear(true);
      problem.rebuild(0, n);
      problem.settle();
      problem.evaluate(0, n);
      const certified = problem.sums.primalLoss + 0.5 * problem.sums.weightsNorm2;
      const expected = primalObjective(features, labels, rowsOf(problem.weights.copy(), d), 2, spec);
      expect(Math.abs(certified - expected)).toBeLessThanOrEqual(1e-12 * expected);
      problem.clear(false);
      problem.measure();
      problem.estimate(0, n);
      const estimated = problem.sums.primalLoss + 0.5 * problem.sums.weightsNorm2;
      expect(Math.abs(estimated - expected)).toBeLessThanOrEqual(1e-3 * expected);
    },
  );
});
