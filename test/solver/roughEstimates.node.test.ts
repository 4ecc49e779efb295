import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { certify, estimate } from "../../src/solver/evaluate.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds, normals } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { openProblem } from "../helpers/problem.ts";
import { lossValue, type LossSpec } from "../reference/losses.ts";

/** Evaluations on the way take scores from numbers of 16 bits, which make P too large where losses are at their kinks. */

beforeAll(() => init());

const [n, d, m] = [1200, 200, 12];
const { features: points, labels } = clouds(n, d, m, 3, 3);
const features = points.map((row) => row.map((v) => v / Math.hypot(...row)));
const pacer = new Pacer("never");

/** A problem whose steps have come near the optimum, all but for the lists of the first evaluation. */
async function nearOptimum(spec: { loss: string; k?: number }): Promise<ResidentProblem> {
  const problem = await openProblem(spec, features, labels, { numClasses: m, precision: "float32" });
  problem.sweep(0, n, true);
  for (let round = 0; round < 2; round++) {
    await estimate(problem, pacer);
    problem.visits.activateAll();
    for (let pass = 0; pass < 200; pass++) {
      finish(problem.visits.shuffle(problem.visits.visitActive()));
      problem.sweep(0, n, false);
    }
  }
  return problem;
}

describe.each([{ loss: "hinge" }, { loss: "topk-hinge", k: 3 }])("near the optimum, $loss", (spec) => {
  test("what an estimate has too much is about what it says", async () => {
    const problem = await nearOptimum(spec);
    const rough = await estimate(problem, pacer);
    const { excess } = problem.sums;
    const exact = await certify(problem, pacer);
    expect(problem.sums.excess).toBe(0);
    expect(exact.dualityGap).toBeLessThan(0.2 * excess); // else it would not be near
    const found = rough.primalObjective - exact.primalObjective;
    expect(found).toBeGreaterThan(0.2 * excess);
    expect(found).toBeLessThanOrEqual(1.3 * excess);
  });

  test("that leaves no example out that is worth a visit: active are those with more than a part of the rest", async () => {
    const problem = await nearOptimum(spec);
    const activeAt = (fraction: number): number => {
      problem.visits.activate(fraction, problem.sums.excess);
      return problem.visits.visitActive();
    };
    await estimate(problem, pacer);
    const terms = [...problem.gaps];
    const total = terms.reduce((sum, term) => sum + term, 0);
    const rest = Math.max(0, total - problem.sums.excess);
    for (const fraction of [0.01, 0.5]) {
      expect(activeAt(fraction)).toBe(terms.filter((term) => term > (fraction * rest) / n).length);
    }
    expect(activeAt(0.5)).toBeGreaterThan(terms.filter((term) => term > (0.5 * total) / n).length);
  });
});

test("nothing is too much where scores are not rough, or losses have no kinks", async () => {
  const few = features.map((row) => row.slice(0, 20));
  const excessOf = async (
    spec: { loss: string; gamma?: number },
    rows: number[][],
    shape: Partial<Parameters<typeof openProblem>[3]>,
  ): Promise<number> => {
    const problem = await openProblem(spec, rows, labels, { numClasses: m, precision: "float32", ...shape });
    problem.sweep(0, n, true);
    await estimate(problem, pacer);
    return problem.sums.excess;
  };
  expect(await excessOf({ loss: "hinge" }, features, {})).toBeGreaterThan(0);
  expect(await excessOf({ loss: "hinge" }, features, { precision: "float64" })).toBe(0);
  expect(await excessOf({ loss: "hinge" }, few, {})).toBe(0);
  expect(await excessOf({ loss: "softmax" }, features, {})).toBe(0);
  expect(await excessOf({ loss: "hinge", gamma: 1 }, features, {})).toBe(0);
});

test("roundings to 16 bits that all go the same way hide no class", async () => {
  const [d, m] = [50, 64];
  const unit = 32000 / Math.sqrt(d); // 4525.483: what the entries of a row of ones become
  const weights = Array.from({ length: m }, () => new Array<number>(d).fill(0));
  weights[1].fill(-1); // the longest, which makes the scale
  weights[2].fill(4500.49 / unit); // the highest score, all entries rounded down
  for (const j of [3, 4]) weights[j] = weights[j].map((_, l) => (4500.245 + (l % 2 ? 0.5 : -0.5)) / unit); // a little lower
  const { certificate } = await fit([new Array<number>(d).fill(1)], [0], {
    ...{ loss: "hinge", classes: [...Array(m).keys()], intercept: false, maxEpochs: 0, anchor: { weights } },
  });
  const loss = 1 + (d * 4500.49) / unit;
  expect(Math.abs(certificate.primalObjective - loss)).toBeLessThanOrEqual(1e-6 * loss);
});

test("nor one with a small loss, where those that are looked at have none", async () => {
  const [d, m] = [50, 64];
  const unit = 32000 / (1.1 * Math.sqrt(d));
  const rowOf = (entry: (l: number) => number): number[] => Array.from({ length: d }, (_, l) => Math.fround(entry(l)));
  const weights = classesOf(m).map(() => rowOf(() => 0));
  weights[1] = rowOf(() => -1.1); // the longest, which makes the scale
  weights[2] = rowOf(() => 4000.49 / unit); // the highest score but that of the true class, all entries rounded down
  for (const j of [3, 4]) weights[j] = rowOf((l) => (4000.245 + (l % 2 ? 0.5 : -0.5)) / unit); // a little lower
  weights[0] = rowOf(() => 4000.3675 / unit + 1 / d); // by 1 between those
  const features = [new Array<number>(d).fill(1)];
  const { certificate } = await fit(features, [0], {
    ...{ loss: "hinge", classes: classesOf(m), intercept: false, precision: "float32", maxEpochs: 0 },
    anchor: { weights },
  });
  const loss = hingeAt(features, [0], weights);
  expect(loss).toBeGreaterThan(1e-3);
  expect(hingeAt(features, [0], weights.map((w, j) => (j === 2 ? weights[5] : w)))).toBe(0); // prettier-ignore
  expect(Math.abs(certificate.primalObjective - loss)).toBeLessThanOrEqual(1e-12);
});

test("of top-k losses no fewer than k classes are looked at", async () => {
  const normal = normals(3);
  const [n, d, m] = [24, 40, 70];
  const features = Array.from({ length: n }, () => Array.from({ length: d }, () => Math.fround(normal())));
  const labels = features.map((_, i) => (7 * i) % m);
  const classes = [...Array(m).keys()];
  const weights = classes.map(() => Array.from({ length: d }, () => Math.fround(0.1 * normal())));
  for (const variant of ["alpha", "alpha-inclusive", "beta"] as const) {
    for (const gamma of [0, 0.5]) {
      for (const k of [3, 5, 8]) {
        const spec: LossSpec = { loss: "topk-hinge", k, variant, gamma };
        const anchored = { classes, intercept: false, maxEpochs: 0, anchor: { weights } };
        const { certificate } = await fit(features, labels, { ...spec, ...anchored } as FitOptions);
        const scores = features.map((x) => weights.map((w) => w.reduce((sum, v, l) => sum + v * x[l], 0)));
        const loss = scores.reduce((sum, u, i) => sum + lossValue(spec, u, labels[i]), 0);
        expect(Math.abs(certificate.primalObjective - loss), JSON.stringify(spec)).toBeLessThanOrEqual(d * EPS * loss);
      }
    }
  }
});

const classesOf = (m: number): number[] => [...Array(m).keys()];

/** P of the hinge loss at given weights, by itself: C = 1, all classes. */
function hingeAt(features: readonly number[][], labels: readonly number[], weights: readonly number[][]): number {
  const dot = (x: readonly number[], w: readonly number[]): number => w.reduce((sum, v, l) => sum + v * x[l], 0);
  return features.reduce((sum, x, i) => {
    const u = weights.map((w) => dot(x, w));
    return sum + Math.max(...u.map((score, j) => (j === labels[i] ? 0 : 1 + score - u[labels[i]])));
  }, 0);
}

test("rough scores of 16 bits of more features than are taken at once", async () => {
  const normal = normals(9);
  const [n, d, m] = [24, 1100, 70];
  const features = Array.from({ length: n }, () => Array.from({ length: d }, () => Math.fround(normal())));
  const labels = features.map((_, i) => (7 * i) % m);
  const weights = classesOf(m).map(() => Array.from({ length: d }, () => Math.fround(0.1 * normal())));
  const { certificate } = await fit(features, labels, {
    ...{ loss: "hinge", classes: classesOf(m), intercept: false, precision: "float32", maxEpochs: 0 },
    anchor: { weights },
  });
  const loss = hingeAt(features, labels, weights);
  expect(Math.abs(certificate.primalObjective - loss)).toBeLessThanOrEqual(d * EPS * loss);
});

test("float32 scores of few features whose roundings all go the same way hide no class", async () => {
  const [d, m] = [28, 260]; // so many that certificates take float32 scores first
  const weights = classesOf(m).map(() => new Array<number>(d).fill(0));
  // Each but the first adds to the float32 sum of those before what is rounded down by almost as much as can be.
  let low = 0;
  weights[2] = Array.from({ length: d }, () => {
    const unit = 2 ** (Math.floor(Math.log2(low + 1)) - 23);
    const w = Math.fround(1 + (unit > 2 ** -22 ? unit / 2 - 2 ** -23 : 0));
    low = Math.fround(low + w);
    return w;
  });
  const high = weights[2].reduce((sum, w) => sum + w, 0);
  // Others are a little lower, and sums of theirs are not rounded.
  const between = low + 2 ** -19 * Math.floor((0.8 * (high - low)) / 2 ** -19);
  for (let j = 3; j < 24; j++) {
    weights[j].fill(1);
    weights[j][d - 1] += between - d;
  }
  const features = [new Array<number>(d).fill(1)];
  const { certificate } = await fit(features, [0], {
    ...{ loss: "hinge", classes: classesOf(m), intercept: false, precision: "float32", maxEpochs: 0 },
    anchor: { weights },
  });
  expect(Math.abs(certificate.primalObjective - (1 + high))).toBeLessThanOrEqual(d * EPS * high);
});

test("what a row of odd nonzeros leaves over is filled with 0", async () => {
  const [n, d, m] = [64, 64, 64];
  const nonzeros = (i: number): number[] => (i < 32 ? [1, 5, 9, 13, 17, 21, 25, 29] : [1, 60, 61, 62, 63]);
  const features = Array.from({ length: n }, (_, i) =>
    Array.from({ length: d }, (_, l) => (nonzeros(i).includes(l) ? 1 : 0)),
  );
  const weights = classesOf(m).map(() =>
    Array.from({ length: d }, (_, l): number => (l === 0 ? -10 : l === 63 ? 1 : 0)),
  );
  weights[0].fill(0);
  weights[2][63] = 1.5;
  for (const j of [3, 4, 5, 6, 7, 8, 9]) [weights[j][0], weights[j][63]] = [0, 1.2];
  const labels = features.map(() => 0);
  const { certificate } = await fit(features, labels, {
    ...{ loss: "hinge", classes: classesOf(m), intercept: false, precision: "float32", maxEpochs: 0 },
    anchor: { weights },
  });
  const loss = hingeAt(features, labels, weights);
  expect(Math.abs(certificate.primalObjective - loss)).toBeLessThanOrEqual(d * EPS * loss);
});
