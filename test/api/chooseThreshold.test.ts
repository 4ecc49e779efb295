import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sortTagged } from "../../src/arrays/radixSort.ts";
import { metrics, type ThresholdMetric } from "../../src/index.ts";
import { finish } from "../../src/pace/steps.ts";
import { RUNS, shuffled } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectWithin } from "../helpers/expect.ts";
import { labelledScores } from "../helpers/labelledScores.ts";
import { bestCut, toNumber } from "../reference/multilabelMetrics.ts";

type Rows = readonly (readonly number[])[];

/** The metric at a threshold, through the function of its own. */
const at: Record<ThresholdMetric, (scores: Rows, sets: Rows, threshold: number) => number> = {
  "f1-micro": (s, y, threshold) => metrics.f1(s, y, { threshold, average: "micro" }),
  "f1-macro": (s, y, threshold) => metrics.f1(s, y, { threshold, average: "macro" }),
  "f1-instance": (s, y, threshold) => metrics.f1(s, y, { threshold, average: "instance" }),
  jaccard: (s, y, threshold) => metrics.jaccardAccuracy(s, y, { threshold }),
  subset: (s, y, threshold) => metrics.subsetAccuracy(s, y, { threshold }),
  hamming: (s, y, threshold) => metrics.hammingLoss(s, y, { threshold }),
};
const names = Object.keys(at) as ThresholdMetric[];

describe.each(names)("%s", (metric) => {
  test("the best of all cuts, of equally good ones the highest, midway between its neighbours", () => {
    fc.assert(
      fc.property(labelledScores(), ({ scores, sets }) => {
        const { threshold, value } = metrics.chooseThreshold(scores, sets, { metric });
        const wanted = bestCut(scores, sets, metric);
        expect(value).toBe(at[metric](scores, sets, threshold));
        expectWithin(value, toNumber(wanted.value), 4 * (scores.length + scores[0].length) * EPS, "value");
        const { above, below } = wanted;
        expect(threshold > below || below === -Infinity).toBe(true);
        expectAtMost(threshold, above, "threshold");
        const { MAX_VALUE } = Number;
        const next = (from: number, way: number): number =>
          Math.min(Math.max(from + way * Math.max(1, Math.abs(from)), -MAX_VALUE), MAX_VALUE);
        if (above === Infinity) expect(threshold).toBe(below === MAX_VALUE ? Infinity : next(below, 1));
        else if (below === -Infinity) expect(threshold).toBe(next(above, -1));
        else expectWithin(threshold, below / 2 + above / 2, EPS * Math.abs(above) + 5e-324, "threshold");
      }),
      { ...RUNS, numRuns: 500, examples: [[everything]] },
    );
  });

  test("many rows: no cut on a grid is better, and the order of rows does not matter", () => {
    const m = 7;
    const noise = shuffled(Array.from({ length: 400 * m }, (_, p) => (p % 997) / 997));
    const sets = Array.from({ length: 400 }, (_, i) => [i % m, (i + 1 + (i % 5)) % m].slice(0, (i % 4) % 3));
    const scores = sets.map((set, i) =>
      Array.from({ length: m }, (_, j) => noise[i * m + j] + (set.includes(j) ? 0.3 : 0)),
    );
    const best = metrics.chooseThreshold(scores, sets, { metric });
    const sign = metric === "hamming" ? -1 : 1;
    for (let t = -0.1; t < 1.4; t += 0.01) {
      expectAtMost(sign * at[metric](scores, sets, t), sign * best.value + 400 * EPS, `at ${t}`);
    }
    const order = shuffled(
      sets.map((_, i) => i),
      7,
    );
    const again = metrics.chooseThreshold(
      order.map((i) => scores[i]),
      order.map((i) => sets[i]),
      { metric },
    );
    expect(again.threshold).toBe(best.threshold);
    expectWithin(again.value, best.value, 400 * EPS, "value");
  });
});

/** Ties of unequal terms that sum to the same: thirds and halves. */
const everything = {
  scores: [
    [3, 2, 1],
    [3, 2, 1],
    [1, 2, 3],
  ],
  sets: [[0, 1, 2], [0], [1, 2]],
  threshold: 0,
};

describe("where the threshold lies", () => {
  test("midway between the lowest score predicted and the next", () => {
    const chosen = metrics.chooseThreshold([[3, 1, -2]], [[0, 1]]);
    expect(chosen).toEqual({ threshold: -0.5, value: 1 });
  });

  test("f1-micro is the default", () => {
    const { scores, sets } = everything;
    const wanted = metrics.chooseThreshold(scores, sets, { metric: "f1-micro" });
    expect(metrics.chooseThreshold(scores, sets)).toEqual(wanted);
    expect(metrics.chooseThreshold(scores, sets, {})).toEqual(wanted);
    expect(metrics.chooseThreshold(scores, sets, { metric: undefined })).toEqual(wanted);
  });

  test("everything: below the smallest score by max(1, |score|)", () => {
    expect(metrics.chooseThreshold([[0.5, 0.25]], [[0, 1]])).toEqual({ threshold: -0.75, value: 1 });
    expect(metrics.chooseThreshold([[50, 40]], [[1, 0]])).toEqual({ threshold: 0, value: 1 });
    expect(metrics.chooseThreshold([[7]], [[0]])).toEqual({ threshold: 0, value: 1 });
  });

  test("nothing: above the largest score as far", () => {
    for (const metric of names) {
      const value = metric === "subset" ? 1 : 0;
      expect(
        metrics.chooseThreshold(
          [
            [0.5, 3],
            [1, 2],
          ],
          [[], []],
          { metric },
        ),
      ).toEqual({ threshold: 6, value });
    }
    expect(metrics.chooseThreshold([[0.5, 0]], [[1]], { metric: "hamming" })).toEqual({ threshold: 1.5, value: 0.5 });
    expect(metrics.chooseThreshold([[1e20, 0]], [[]])).toEqual({ threshold: 2e20, value: 0 });
  });

  test("neighbouring doubles and halves that overflow", () => {
    const [low, high] = [1, 1 + EPS];
    expect(metrics.chooseThreshold([[low, high]], [[1]])).toEqual({ threshold: high, value: 1 });
    expect(metrics.chooseThreshold([[0, 5e-324]], [[1]])).toEqual({ threshold: 5e-324, value: 1 });
    const { MAX_VALUE } = Number;
    expect(metrics.chooseThreshold([[-MAX_VALUE, MAX_VALUE]], [[1]])).toEqual({ threshold: 0, value: 1 });
    expect(metrics.chooseThreshold([[MAX_VALUE, MAX_VALUE / 2]], [[0]]).threshold).toBe(0.75 * MAX_VALUE);
    expect(metrics.chooseThreshold([[MAX_VALUE, -MAX_VALUE]], [[0, 1]]).value).toBe(1);
    expect(metrics.chooseThreshold([[MAX_VALUE, -MAX_VALUE]], [[]], { metric: "subset" }).value).toBe(1);
    const half = MAX_VALUE / 1.5;
    expect(metrics.chooseThreshold([[half, -half]], [[]], { metric: "subset" }).threshold).toBe(MAX_VALUE);
    expect(metrics.chooseThreshold([[half, -half]], [[0, 1]]).threshold).toBe(-MAX_VALUE);
  });

  // Of each row the F1 goes 2/3, 1/2, 2/5, 2/3 and the accuracy 1/2, 1/3, 1/4, 1/2; thousands of roundings must not part them.
  test.each(["f1-instance", "jaccard"] as const)("cuts far apart that are equally good: %s", (metric) => {
    for (const n of [1000, 3000, 10000]) {
      const scores = Array.from({ length: n }, (_, i) => [4, 3, 2, 1].map((s) => s + i / (2 * n)));
      const sets = scores.map(() => [0, 3]);
      const { threshold } = metrics.chooseThreshold(scores, sets, { metric });
      expectWithin(threshold, (4 + scores[n - 1][1]) / 2, 8 * EPS, `${n} rows`);
    }
  });

  test("equal scores are cut together", () => {
    expect(metrics.chooseThreshold([[2, 2, -0, 0]], [[0, 2, 3]])).toEqual({ threshold: -1, value: 6 / 7 });
    // Between 0 and -0 there would be a better cut than any.
    const scores = [0, 0, 0, -0, -0, -0, -0, -0, -0, -1, ...new Array<number>(20).fill(-5)];
    expect(metrics.chooseThreshold([scores], [[0, 1, 2, 9]])).toEqual({ threshold: -3, value: 8 / 14 });
  });
});

test("numbers sort with their tags, ties as given", () => {
  const doubles = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }), fc.constant(-0)));
  fc.assert(
    fc.property(doubles, (list) => {
      const given = { keys: Float64Array.from(list), tags: Uint32Array.from(list, (_, p) => p) };
      const { keys, tags } = finish(sortTagged(given));
      const number = (s: number, t: number) => (Object.is(s, t) ? 0 : s - t || (Object.is(s, -0) ? -1 : 1));
      const wanted = list
        .map((s, p) => [s, p])
        .sort(([s, p], [t, q]) => (s < t ? -1 : s > t ? 1 : number(s, t) || p - q));
      expect(Array.from(keys, (s, p) => [s, tags[p]])).toEqual(wanted);
    }),
    RUNS,
  );
});
