import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metrics } from "../../src/index.ts";
import { RUNS } from "../helpers/arbitraries.ts";
import { EPS, expectWithin } from "../helpers/expect.ts";
import cases from "../vectors/D1_metrics_multiclass.json" with { type: "json" };

/** Share of rows whose k-th largest score is not above the score of the label; ties count as correct. By sorting. */
function bySorting(rows: readonly (readonly number[])[], labels: readonly number[], k: number): number {
  const correct = rows.filter((row, i) => [...row].sort((s, t) => t - s)[k - 1] <= row[labels[i]]);
  return correct.length / rows.length;
}

test("stored exact answers", () => {
  for (const { name, scores, y, ks, topk_accuracy, atol } of cases) {
    ks.forEach((k, j) => expectWithin(metrics.topKAccuracy(scores, y, k), topk_accuracy[j], atol, `${name} k ${k}`));
  }
});

const problems = fc
  .record({ rows: fc.integer({ min: 1, max: 12 }), cols: fc.integer({ min: 1, max: 8 }) })
  .chain(({ rows, cols }) =>
    fc.record({
      scores: fc.array(
        fc.oneof(
          fc.array(fc.integer({ min: -2, max: 2 }), { minLength: cols, maxLength: cols }),
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: cols, maxLength: cols }),
        ),
        { minLength: rows, maxLength: rows },
      ),
      labels: fc.array(fc.nat(cols - 1), { minLength: rows, maxLength: rows }),
      k: fc.integer({ min: 1, max: cols }),
    }),
  );

describe("properties", () => {
  test("equals sorting, ties included", () => {
    fc.assert(
      fc.property(problems, ({ scores, labels, k }) => {
        expectWithin(metrics.topKAccuracy(scores, labels, k), bySorting(scores, labels, k), EPS, "accuracy");
      }),
      RUNS,
    );
  });

  test("grows with k, to 1 at k = m", () => {
    fc.assert(
      fc.property(problems, ({ scores, labels }) => {
        const m = scores[0].length;
        let last = 0;
        for (let k = 1; k <= m; k++) {
          const accuracy = metrics.topKAccuracy(scores, labels, k);
          expect(accuracy).toBeGreaterThanOrEqual(last);
          last = accuracy;
        }
        expect(last).toBe(1);
      }),
      RUNS,
    );
  });

  test("lists, typed rows and matrices give the same, and stay as they were", () => {
    fc.assert(
      fc.property(problems, ({ scores, labels, k }) => {
        const single = scores.map((row) => Float32Array.from(row));
        const lists = single.map((row) => Array.from(row));
        const double = lists.map((row) => Float64Array.from(row));
        const shape = { rows: lists.length, cols: lists[0].length };
        const wanted = metrics.topKAccuracy(lists, labels, k);
        const data = Float64Array.from(lists.flat());
        expect(metrics.topKAccuracy(single, labels, k)).toBe(wanted);
        expect(metrics.topKAccuracy(double, labels, k)).toBe(wanted);
        expect(metrics.topKAccuracy({ data, ...shape }, labels, k)).toBe(wanted);
        expect(metrics.topKAccuracy({ data: Float32Array.from(data), ...shape }, labels, k)).toBe(wanted);
        expect(data).toEqual(Float64Array.from(lists.flat()));
        expect(single).toEqual(lists.map((row) => Float32Array.from(row)));
      }),
      RUNS,
    );
  });
});

describe("ties count as correct", () => {
  test("all scores equal: every label is among the first", () => {
    for (const label of [0, 1, 2]) expect(metrics.topKAccuracy([[5, 5, 5]], [label], 1)).toBe(1);
  });

  test("a tie with the k-th largest is enough, a score just below is not", () => {
    expect(metrics.topKAccuracy([[3, 2, 2, 1]], [2], 2)).toBe(1);
    expect(metrics.topKAccuracy([[3, 2, 2 - EPS, 1]], [2], 2)).toBe(0);
    expect(metrics.topKAccuracy([[3, 3, 2]], [2], 2)).toBe(0);
    expect(metrics.topKAccuracy([[-0, 0]], [0], 1)).toBe(1);
  });

  test("a share of the rows", () => {
    const scores = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 1],
    ];
    expect(metrics.topKAccuracy(scores, [0, 1, 2, 0], 1)).toBe(0.75);
  });
});

describe("refused", () => {
  const scores = [
    [1, 2],
    [3, 4],
  ];
  const calls: [string, string, ErrorConstructor, (m: any) => unknown][] = [
    ["no scores", "scores", TypeError, (m) => m.topKAccuracy(undefined, [0], 1)],
    ["scores that are no matrix", "scores", TypeError, (m) => m.topKAccuracy("12", [0], 1)],
    ["a row that is no vector", "scores", TypeError, (m) => m.topKAccuracy([[1, 2], 3], [0, 0], 1)],
    ["a score that is no number", "scores", TypeError, (m) => m.topKAccuracy([[1, "2"]], [0], 1)],
    ["NaN among the scores", "scores", RangeError, (m) => m.topKAccuracy([[1, NaN]], [0], 1)],
    ["rows of different length", "scores", RangeError, (m) => m.topKAccuracy([[1, 2], [3]], [0, 0], 1)],
    [
      "a matrix with too little data",
      "scores",
      RangeError,
      (m) => m.topKAccuracy({ data: new Float64Array(3), rows: 2, cols: 2 }, [0, 0], 1),
    ],
    ["labels that are no list", "labels", TypeError, (m) => m.topKAccuracy(scores, 0, 1)],
    ["a label that is no number", "labels", TypeError, (m) => m.topKAccuracy(scores, [0, "1"], 1)],
    ["too few labels", "labels", RangeError, (m) => m.topKAccuracy(scores, [0], 1)],
    ["too many labels", "labels", RangeError, (m) => m.topKAccuracy(scores, [0, 1, 0], 1)],
    ["a label beyond the classes", "labels", RangeError, (m) => m.topKAccuracy(scores, [0, 2], 1)],
    ["a negative label", "labels", RangeError, (m) => m.topKAccuracy(scores, [0, -1], 1)],
    ["a fractional label", "labels", RangeError, (m) => m.topKAccuracy(scores, [0, 0.5], 1)],
    ["no k", "k", TypeError, (m) => m.topKAccuracy(scores, [0, 1])],
    ["k as a string", "k", TypeError, (m) => m.topKAccuracy(scores, [0, 1], "1")],
    ["k = 0", "k", RangeError, (m) => m.topKAccuracy(scores, [0, 1], 0)],
    ["k = 1.5", "k", RangeError, (m) => m.topKAccuracy(scores, [0, 1], 1.5)],
  ];
  test.each(calls)("%s", (_, argument, kind, call) => {
    expect(() => call(metrics)).toThrow(kind);
    expect(() => call(metrics)).toThrow(`metrics.topKAccuracy: "${argument}"`);
  });
});
