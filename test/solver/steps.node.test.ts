import { beforeAll, describe, expect, test } from "vitest";
import { init, losses as lossTable } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { EPS, expectAtMost, expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import { allLosses, nameOf } from "../helpers/losses.ts";
import { copyOf, openProblem } from "../helpers/problem.ts";
import { isOneVsAll, lossValue, type LossSpec } from "../reference/losses.ts";
import { dualObjective, infeasibility } from "../reference/objective.ts";

/** The solver's steps one at a time, which `fit` never shows. */

beforeAll(() => init());

const m = 14;
const { features, labels } = clouds(28, 4, m, 11);
// A zero row, and rows of quite different lengths.
features[3].fill(0);
features[5] = features[5].map((v) => v * 1e-3);
features[9] = features[9].map((v) => v * 30);

async function open(
  spec: (typeof allLosses)[number],
  C: number,
  precision: "float32" | "float64" = "float64",
): Promise<ResidentProblem> {
  const { loss: name, ...parameters } = spec;
  const loss = resolveLoss("test", name, parameters);
  const shape = { numExamples: features.length, numFeatures: 4, numClasses: m, precision } as const;
  const problem = await ResidentProblem.create("test", shape, loss, 1);
  problem.y.set(labels);
  problem.C.fill(C);
  features.forEach((row, i) => problem.features.dense(i).set(row));
  problem.measureRows(0, features.length);
  return problem;
}

const rowsOf = (data: ArrayLike<number>): number[][] =>
  features.map((_, i) => Array.from({ length: m }, (_, j) => data[i * m + j]));

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each([0.01, 1, 50])("no step lowers the dual, and every step is feasible: C = %s", async (C) => {
    const problem = await open(spec, C);
    let before = -Infinity;
    for (let epoch = 0; epoch < 4; epoch++) {
      finish(problem.visits.shuffle(features.length));
      for (let e = 0; e < features.length; e++) {
        problem.sweep(e, 1, true);
        const A = rowsOf(copyOf(problem.duals));
        const now = dualObjective(A, features, labels, C, spec);
        expectAtMost(infeasibility(A, labels, C, spec), 16 * m * EPS, "infeasibility");
        // Rounding of the terms of D, of which the largest are the C_i times the entropy or the margin.
        const rounding = 16 * features.length * EPS * Math.max(Math.abs(now), C * features.length);
        expectAtMost(before - rounding, now, "D before");
        before = now;
      }
    }
    expect(before).toBeGreaterThan(0);
  });

  test.each([1, 50, 3000])("nor one in float32, but for rounding: C = %s", async (C) => {
    const problem = await open(spec, C, "float32");
    const rounded = features.map((row) => row.map(Math.fround));
    let before = -Infinity;
    for (let epoch = 0; epoch < 6; epoch++) {
      finish(problem.visits.shuffle(features.length));
      for (let e = 0; e < features.length; e++) {
        problem.sweep(e, 1, true);
        const now = dualObjective(rowsOf(copyOf(problem.duals)), rounded, labels, C, spec);
        const rounding = 1e-6 * Math.max(Math.abs(now), C * features.length);
        expectAtMost(before - rounding, now, "D before");
        before = now;
      }
    }
    expect(before).toBeGreaterThan(0);
  });

  test.each([0.01, 1, 50])(
    "a step ends in one place, wherever the example's own dual variables are: C = %s",
    async (C) => {
      const problem = await open(spec, C);
      const everything = features.length;
      const random = uniforms(3);
      for (let epoch = 0; epoch < 2; epoch++) problem.sweep(0, everything, true);
      const others = copyOf(problem.duals);
      for (let i = 0; i < everything; i++) {
        const starts = [0, 1, 2].map((size) => Array.from({ length: m }, () => size * C * (random() - 0.5)));
        const ends = starts.map((own) => {
          problem.duals.restore(others);
          problem.duals.restore(Float64Array.from(own), i);
          problem.project(i, 1);
          problem.clear(true);
          problem.rebuild(0, everything);
          problem.settle();
          problem.sweep(i, 1, true);
          return rowsOf(copyOf(problem.duals))[i];
        });
        for (const end of ends) expectVectorWithin(end, ends[0], 1e-12 * C);
      }
    },
  );

  test("nor does a step over an example's candidates, and they end where steps over every class do", async () => {
    const C = 2;
    const [restricted, full] = [await open(spec, C), await open(spec, C)];
    const everything = features.length;
    for (let epoch = 0; epoch < 2000; epoch++) full.sweep(0, everything, true);
    restricted.sweep(0, everything, true);
    let before = -Infinity;
    for (let round = 0; round < 200; round++) {
      restricted.clear(false);
      restricted.measure();
      restricted.estimate(0, everything);
      for (let epoch = 0; epoch < 10; epoch++) {
        restricted.sweep(0, everything, false);
        if (round >= 10 && epoch < 9) continue; // the long tail is looked at once a round
        const A = rowsOf(copyOf(restricted.duals));
        expectAtMost(infeasibility(A, labels, C, spec), 16 * m * EPS, "infeasibility");
        const now = dualObjective(A, features, labels, C, spec);
        expectAtMost(before - 16 * everything * EPS * Math.max(Math.abs(now), C * everything), now, "D before");
        before = now;
      }
    }
    const best = dualObjective(rowsOf(copyOf(full.duals)), features, labels, C, spec);
    expect(Math.abs(before - best)).toBeLessThanOrEqual(1e-12 * best);
  });

  test("nor does one whose candidates a step over every class has outrun", async () => {
    const C = 50;
    const problem = await open(spec, C);
    const everything = features.length;
    let before = -Infinity;
    const step = (everyClass: boolean): void => {
      problem.sweep(0, everything, everyClass);
      const A = rowsOf(copyOf(problem.duals));
      expectAtMost(infeasibility(A, labels, C, spec), 16 * m * EPS, "infeasibility");
      const now = dualObjective(A, features, labels, C, spec);
      expectAtMost(before - 16 * everything * EPS * Math.max(Math.abs(now), C * everything), now, "D before");
      before = now;
    };
    problem.clear(false);
    problem.measure();
    problem.estimate(0, everything); // lists from no weights at all
    for (let epoch = 0; epoch < 10; epoch++) {
      step(true);
      step(false);
    }
  });

  test("a second visit in a row changes nothing", async () => {
    const problem = await open(spec, 1);
    problem.sweep(0, features.length, true);
    problem.sweep(features.length - 1, 1, true);
    const once = copyOf(problem.duals);
    problem.sweep(features.length - 1, 1, true);
    const twice = copyOf(problem.duals);
    expectVectorWithin(twice, once, 64 * EPS);
  });

  test("a certificate changes neither feasible duals nor the sums of a second certificate", async () => {
    const problem = await open(spec, 1);
    for (let epoch = 0; epoch < 3; epoch++) problem.sweep(0, features.length, true);
    const certify = () => {
      problem.clear(true);
      problem.rebuild(0, features.length);
      problem.settle();
      problem.evaluate(0, features.length);
      return problem.sums;
    };
    const first = certify();
    const duals = copyOf(problem.duals);
    expect(certify()).toEqual(first);
    expect(copyOf(problem.duals)).toEqual(duals);
  });

  test("gap terms are what the loss and its conjugate leave between them, and add up to the gap", async () => {
    const problem = await open(spec, 2);
    for (let epoch = 0; epoch < 3; epoch++) problem.sweep(0, features.length, true);
    problem.clear(true);
    problem.rebuild(0, features.length);
    problem.settle();
    problem.evaluate(0, features.length);
    const { primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2 } = problem.sums;
    const gap = primalLoss + weightsNorm2 / 2 - (dualLoss - dualWeightsNorm2 / 2);
    const total = problem.gaps.reduce((sum, term) => sum + term, 0);
    expect(Math.abs(total - gap)).toBeLessThanOrEqual(64 * features.length * EPS * primalLoss);
    expect(problem.gaps.every((term) => term >= 0)).toBe(true);
    // Once more from the weights, with the public loss.
    const W = problem.weights.copy();
    const values = features.map((row, i) => {
      const scores = Array.from({ length: m }, (_, j) => row.reduce((s, x, l) => s + x * W[j * 4 + l], 0));
      const { loss, ...parameters } = spec;
      return lossTable.value(loss, scores, labels[i], parameters);
    });
    const primal = 2 * values.reduce((a, b) => a + b, 0);
    expect(Math.abs(primal - primalLoss)).toBeLessThanOrEqual(64 * features.length * EPS * primalLoss);
  });
});

test("float32 duals violated by rounding are repaired into the domain, once", async () => {
  for (const spec of allLosses) {
    const { loss: name, ...parameters } = spec;
    const shape = { numExamples: features.length, numFeatures: 4, numClasses: m, precision: "float32" } as const;
    const problem = await ResidentProblem.create("test", shape, resolveLoss("test", name, parameters), 1);
    problem.y.set(labels);
    problem.C.fill(1);
    features.forEach((row, i) => problem.features.dense(i).set(row));
    problem.measureRows(0, features.length);
    problem.sweep(0, features.length, true);
    // Push every entry off by a relative 1e-6, up or down.
    const pushed = copyOf(problem.duals).map((a, e) => a * (1 + (e % 3) * 1e-6));
    problem.duals.restore(pushed);
    problem.clear(true);
    problem.rebuild(0, features.length);
    const A = rowsOf(copyOf(problem.duals)).map((row, i) => {
      const y = labels[i];
      if (isOneVsAll(spec)) return row; // no entry that stands for the others
      return row.map((a, j) => (j === y ? -row.reduce((s, v, c) => (c === y ? s : s + v), 0) : a));
    });
    expect(infeasibility(A, labels, 1, spec), nameOf(spec)).toBeLessThanOrEqual(4 * m * EPS);
    const repaired = copyOf(problem.duals);
    problem.clear(true);
    problem.rebuild(0, features.length);
    expect(copyOf(problem.duals), nameOf(spec)).toEqual(repaired);
    expectVectorWithin(repaired, pushed, 1e-5);
  }
});

// Scores are all 0, margins all 1: D is highest where sum x is, and of such points the step takes that with equal entries.
test.each([
  ["alpha", 2, 2 / 3],
  ["alpha", 4, 0], // 4 x <= sum x
  ["alpha-inclusive", 2, 2 / 3],
  ["alpha-inclusive", 4, 2 / 4], // x <= C/4, and 3 x <= sum x
  ["beta", 2, 2 / 3],
  ["beta", 4, 2 / 4],
] as const)("a step on a zero row of 4 classes: %s, k = %d", async (variant, k, x) => {
  const problem = await openProblem({ loss: "topk-hinge", variant, k } as never, [[0, 0]], [1], { numClasses: 4 });
  problem.sweep(0, 1, true);
  expectVectorWithin(copyOf(problem.duals), [-x, 3 * x, -x, -x], 4 * EPS);
});

test("a step on a zero row of 4 classes: rank weights, of which the true class takes the last", async () => {
  const spec = { loss: "weighted-topk-hinge", rankWeights: [4, 3, 2, 1] };
  const problem = await openProblem(spec as never, [[0, 0]], [1], { numClasses: 4 });
  problem.sweep(0, 1, true);
  expectVectorWithin(copyOf(problem.duals), [-6, 18, -6, -6], 32 * EPS); // C = 2 times the mean of 4, 3 and 2
});

test.each([
  ["alpha", 3],
  ["alpha-inclusive", 4],
] as const)(
  "what is above the mean of three by the rounding of their sum alone is left as it is: %s",
  async (variant, k) => {
    const duals = Float64Array.of(-0.25 - 2 ** -54, 0.75, -0.25, -0.25);
    const problem = await openProblem({ loss: "topk-hinge", variant, k } as never, [[1]], [1], { numClasses: 4 });
    problem.duals.restore(duals);
    problem.clear(true);
    problem.rebuild(0, 1);
    expect(copyOf(problem.duals)).toEqual(duals);
  },
);

test.each(["float32", "float64"] as const)(
  "a repair that leaves the others as they are gives the true class their sum: %s",
  async (precision) => {
    const shape = { numClasses: 4, precision };
    const problem = await openProblem({ loss: "hinge" }, [[1]], [1], shape);
    const from = precision === "float32" ? Float32Array : Float64Array;
    for (const own of [0, 0.5, 2]) {
      problem.duals.restore(from.of(-0.25, own, -0.375, -0.125));
      problem.clear(true);
      problem.rebuild(0, 1);
      expect(copyOf(problem.duals)).toEqual(from.of(-0.25, 0.75, -0.375, -0.125));
    }
  },
);

test.each([
  { loss: "hinge" },
  { loss: "topk-hinge", k: 3 },
  { loss: "topk-hinge", k: 3, variant: "alpha-inclusive" },
  { loss: "topk-hinge", k: 3, variant: "beta" },
  { loss: "weighted-topk-hinge", rankWeights: [3, 2, 2, 1] },
  { loss: "weighted-topk-hinge", rankWeights: [4, 3, 3, 2, 2, 2, 2, 1, 1, 1] },
])("float64 duals whose sums are too large by rounding are repaired once: %o", async (spec) => {
  const [n, m] = [400, 10];
  const uniform = uniforms(5);
  const labels = Array.from({ length: n }, (_, i) => i % m);
  const problem = await openProblem(
    spec as never,
    labels.map(() => [1]),
    labels,
    { numClasses: m },
  );
  const most = spec.rankWeights?.reduce((sum, weight) => sum + weight, 0) ?? 1;
  const rows = labels.map((y) => {
    const x = Array.from({ length: m }, (_, j) => (j === y ? 0 : 0.2 + uniform() ** 3));
    const total = x.reduce((sum, v) => sum + v, 0);
    return x.map((v) => (-2 * most * (1 + 1e-6 * uniform()) * v) / total);
  });
  problem.duals.restore(Float64Array.from(rows.flat()));
  const repaired = (): ArrayLike<number> => {
    problem.clear(true);
    problem.rebuild(0, n);
    return copyOf(problem.duals);
  };
  const once = repaired();
  expect(repaired()).toEqual(once);
});

test.each<LossSpec>([
  { loss: "hinge" },
  { loss: "topk-hinge", k: 2 },
  { loss: "topk-hinge", k: 2, variant: "beta" },
  { loss: "weighted-topk-hinge", rankWeights: [1, 0.5] },
])("a step on a row so short that one over its square overflows has all there is to gain: %o", async (spec) => {
  const [m, C] = [5, 1e100];
  const problem = await openProblem(spec, [[1e-155]], [1], { numClasses: m });
  problem.C.fill(C);
  problem.sweep(0, 1, true);
  const A = [Array.from(copyOf(problem.duals))];
  expectAtMost(infeasibility(A, [1], C, spec), 16 * m * EPS);
  const wanted = C * lossValue(spec, new Array<number>(m).fill(0), 1);
  expectWithin(dualObjective(A, [[1e-155]], [1], C, spec), wanted, 16 * m * EPS * wanted);
});

test.each<LossSpec>([
  { loss: "hinge" },
  { loss: "softmax" },
  { loss: "topk-hinge", k: 2 },
  { loss: "topk-hinge", k: 2, variant: "beta" },
  { loss: "topk-hinge", k: 3, variant: "alpha-inclusive" },
])("the one dual variable that is out of its bounds is brought back wherever it stands: %o", async (spec) => {
  for (const precision of ["float32", "float64"] as const) {
    for (const m of [6, 7, 8, 9]) {
      // Above 0, though the sum of all is not; above a bound, the sum being in its own or not.
      for (const [out, small] of [
        [0.25, 2 ** -3],
        [-1.75, 2 ** -10],
        [-2.25, 2 ** -10],
      ]) {
        const places = Array.from({ length: m }, (_, j) => j);
        const y = places.map((place) => (place + 2) % m);
        const rows = places.map((place) => places.map((j) => (j === place ? out : j === y[place] ? 0 : -small)));
        const problem = await openProblem(
          spec,
          places.map(() => [1]),
          y,
          { numClasses: m, precision },
        );
        problem.duals.restore((precision === "float32" ? Float32Array : Float64Array).from(rows.flat()));
        problem.clear(true);
        problem.rebuild(0, m);
        const repaired = Array.from(copyOf(problem.duals));
        const A = places.map((i) => repaired.slice(i * m, (i + 1) * m));
        expectAtMost(infeasibility(A, y, 2, spec), (precision === "float32" ? 2 ** -23 : 16 * EPS) * m);
        // All places are alike, and what is below 0 but within bounds is left as it is.
        A.forEach((a, i) => expect([a[i], a[y[i]]]).toEqual([A[0][0], A[0][y[0]]]));
        if (out > 0) A.forEach((a) => expect(a.filter((v) => v === -small)).toHaveLength(m - 2));
      }
    }
  }
});

test("in float64 the true class gets the sum of the others, rounded once, in whatever order they stand", async () => {
  const small = -(2 ** -54);
  const problem = await openProblem({ loss: "hinge" }, [[1]], [1], { numClasses: 5 });
  for (let place = 0; place < 4; place++) {
    const others = Array.from({ length: 4 }, (_, j) => (j === place ? -1 : small));
    const [first, ...rest] = others;
    problem.duals.restore(Float64Array.of(first, 0, ...rest));
    problem.clear(true);
    problem.rebuild(0, 1);
    expect(copyOf(problem.duals)).toEqual(Float64Array.of(first, 1 + 2 ** -52, ...rest));
  }
});
