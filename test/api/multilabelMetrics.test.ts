import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packSets } from "../../src/arrays/packedSets.ts";
import { metrics } from "../../src/index.ts";
import { evaluateMultilabel } from "../../src/metrics/multilabelMetrics.ts";
import { finish } from "../../src/pace/steps.ts";
import { RUNS } from "../helpers/arbitraries.ts";
import { EPS, expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import { labelledScores } from "../helpers/labelledScores.ts";
import * as reference from "../reference/multilabelMetrics.ts";
import cases from "../vectors/D2_metrics_multilabel.json" with { type: "json" };

const averages = ["micro", "macro", "instance"] as const;

/** All metrics through the public functions, in the form of an evaluation. */
function evaluate(scores: readonly (readonly number[])[], sets: readonly number[][], threshold: number, ks: number[]) {
  const byK = (value: (k: number) => number) => Object.fromEntries(ks.map((k) => [k, value(k)]));
  const f1 = averages.map((average) => [average, metrics.f1(scores, sets, { threshold, average })]);
  return {
    rankLoss: metrics.rankLoss(scores, sets),
    meanAveragePrecision: metrics.meanAveragePrecision(scores, sets),
    hammingLoss: metrics.hammingLoss(scores, sets, { threshold }),
    jaccardAccuracy: metrics.jaccardAccuracy(scores, sets, { threshold }),
    subsetAccuracy: metrics.subsetAccuracy(scores, sets, { threshold }),
    f1: Object.fromEntries(f1),
    precisionAtK: byK((k) => metrics.precisionAtK(scores, sets, k)),
    recallAtK: byK((k) => metrics.recallAtK(scores, sets, k)),
  };
}

describe("stored exact answers", () => {
  test.each(cases)("$name", ({ scores, Y, threshold, ks, atol, ...wanted }) => {
    const got = evaluate(scores, Y, threshold, ks);
    const orZero = (value: number | null): number => value ?? 0; // what is averaged over no rows or classes
    expectWithin(got.rankLoss, orZero(wanted.rank_loss_skip), atol, "rank loss");
    expectWithin(got.meanAveragePrecision, orZero(wanted.mAP), atol, "mAP");
    expectVectorWithin(Object.values(got.precisionAtK), wanted.precision_at_k, atol, "precision");
    expectVectorWithin(Object.values(got.recallAtK), wanted.recall_at_k.map(orZero), atol, "recall");
    expectWithin(got.hammingLoss, wanted.hamming_loss, atol, "hamming loss");
    expectWithin(got.jaccardAccuracy, wanted.accuracy_zd0, atol, "accuracy");
    expectWithin(got.subsetAccuracy, wanted.subset_accuracy, atol, "subset accuracy");
    const { f1_micro_zd0, f1_macro_zd0, f1_inst_zd0 } = wanted;
    expectVectorWithin(
      averages.map((a) => got.f1[a]),
      [f1_micro_zd0, f1_macro_zd0, f1_inst_zd0],
      atol,
      "F1",
    );
  });
});

describe("properties", () => {
  test("equal the definitions", () => {
    fc.assert(
      fc.property(labelledScores(), ({ scores, sets, threshold }) => {
        const m = scores[0].length;
        const ks = Array.from({ length: m }, (_, j) => j + 1);
        const got = evaluate(scores, sets, threshold, ks);
        const h = reference.predict(scores, threshold);
        const at = (metric: string) => reference.partition[metric](h, sets, m);
        const tolerance = 4 * (scores.length + m) * EPS;
        const close = (value: number, wanted: reference.Fraction, what: string) =>
          expectWithin(value, reference.toNumber(wanted), tolerance, what);
        close(got.rankLoss, reference.rankLoss(scores, sets), "rank loss");
        close(got.meanAveragePrecision, reference.meanAveragePrecision(scores, sets), "mAP");
        close(got.hammingLoss, at("hamming"), "hamming loss");
        close(got.jaccardAccuracy, at("jaccard"), "accuracy");
        close(got.subsetAccuracy, at("subset"), "subset accuracy");
        for (const average of averages) close(got.f1[average], at(`f1-${average}`), `F1 ${average}`);
        for (const k of ks) {
          close(got.precisionAtK[k], reference.precisionAtK(scores, sets, k), `precision at ${k}`);
          close(got.recallAtK[k], reference.recallAtK(scores, sets, k), `recall at ${k}`);
        }
      }),
      RUNS,
    );
  });

  test("one pass gives the same bits as each metric by itself", () => {
    fc.assert(
      fc.property(labelledScores(), ({ scores, sets, threshold }) => {
        const [count, m] = [scores.length, scores[0].length];
        const ks = [1, m];
        const rows = { count, cols: m, row: (i: number) => scores[i] };
        const together = finish(evaluateMultilabel(rows, packSets("test", sets, count, m), threshold, ks));
        expect(together).toEqual(evaluate(scores, sets, threshold, ks));
      }),
      RUNS,
    );
  });

  test("lists, typed rows and matrices give the same, and stay as they were; so do sets", () => {
    fc.assert(
      fc.property(labelledScores(), ({ scores, sets, threshold }) => {
        const [rows, cols] = [scores.length, scores[0].length];
        const data = Float64Array.from(scores.flat());
        const typed = sets.map((set) => Int32Array.from(set));
        const backwards = sets.map((set) => [...set].reverse());
        const [before, setsBefore] = [structuredClone(scores), structuredClone(sets)];
        const wanted = evaluate(scores, sets, threshold, [1]);
        const forms = [scores.map((row) => Float64Array.from(row)), { data, rows, cols }] as any[];
        for (const form of forms) expect(evaluate(form, typed as any, threshold, [1])).toEqual(wanted);
        expect(evaluate(scores, backwards, threshold, [1])).toEqual(wanted);
        expect(data).toEqual(Float64Array.from(scores.flat()));
        expect([scores, sets]).toEqual([before, setsBefore]);
      }),
      RUNS,
    );
  });
});

describe("extremes", () => {
  const zeroes = { hammingLoss: 0, jaccardAccuracy: 0, f1: { micro: 0, macro: 0, instance: 0 } };

  test("no labels and none predicted: 0/0 is 0, and every set is right", () => {
    const got = evaluate([[-1, -2]], [[]], 0, [1, 2]);
    const none = { rankLoss: 0, meanAveragePrecision: 0, precisionAtK: { 1: 0, 2: 0 }, recallAtK: { 1: 0, 2: 0 } };
    expect(got).toEqual({ ...zeroes, ...none, subsetAccuracy: 1 });
  });

  test("all classes in every set: no pairs to rank", () => {
    const got = evaluate([[1, 1, 1]], [[2, 0, 1]], 1, [1]);
    expect(got).toMatchObject({ rankLoss: 0, meanAveragePrecision: 1, hammingLoss: 0, subsetAccuracy: 1 });
    expect(got).toMatchObject({ f1: { micro: 1, macro: 1, instance: 1 }, precisionAtK: { 1: 1 } });
    expectWithin(got.recallAtK[1], 1 / 3, EPS);
  });

  test("empty and full sets are left out of the rank loss, empty ones of recall, not of precision", () => {
    const scores = [
      [2, 1],
      [1, 2],
      [1, 2],
    ];
    const sets = [[], [0, 1], [0]];
    expect(metrics.rankLoss(scores, sets)).toBe(1);
    expect(metrics.recallAtK(scores, sets, 1)).toBe(0.25);
    expectWithin(metrics.precisionAtK(scores, sets, 1), 1 / 3, EPS);
  });

  test("one class", () => {
    const scores = [[3], [1], [2]];
    const sets = [[0], [], [0]];
    const got = evaluate(scores, sets, 2, [1]);
    expect(got).toMatchObject({ rankLoss: 0, meanAveragePrecision: 1, hammingLoss: 0, recallAtK: { 1: 1 } });
  });

  test("ties: wrong for the rank loss, to the lower index for precision, one step for average precision", () => {
    const scores = [[5, 5, 5, 5]];
    expect(metrics.rankLoss(scores, [[0]])).toBe(1);
    expect([1, 2, 3, 4].map((k) => metrics.recallAtK(scores, [[2]], k))).toEqual([0, 0, 1, 1]);
    expect(metrics.precisionAtK([[-0, 0]], [[0]], 1)).toBe(1);
    expect(metrics.meanAveragePrecision([[7], [7], [7], [7]], [[0], [], [], []])).toBe(0.25);
    expect(metrics.hammingLoss([[-0, 0]], [[0, 1]], { threshold: 0 })).toBe(0);
  });

  test("classes that never occur count in macro F1 and not in mAP", () => {
    const scores = [
      [1, -1],
      [1, -1],
    ];
    const sets = [[0], [0]];
    expect(metrics.f1(scores, sets, { threshold: 0, average: "macro" })).toBe(0.5);
    expect(metrics.meanAveragePrecision(scores, sets)).toBe(1);
  });

  test("the largest doubles, and thresholds at infinity", () => {
    const { MAX_VALUE } = Number;
    const scores = [[MAX_VALUE, -MAX_VALUE, 5e-324]];
    expect(metrics.rankLoss(scores, [[2]])).toBe(0.5);
    expect(metrics.recallAtK(scores, [[2]], 2)).toBe(1);
    expect(metrics.f1(scores, [[0]], { threshold: Infinity, average: "micro" })).toBe(0);
    expect(metrics.hammingLoss(scores, [[0]], { threshold: -Infinity })).toBe(2 / 3);
  });
});

describe("refused", () => {
  const scores = [
    [1, 2],
    [3, 4],
  ];
  const sets = [[0], [1]];
  type Options = { threshold?: unknown; average?: unknown };
  const ofSets: Record<string, (m: any, scores: unknown, sets: unknown) => unknown> = {
    rankLoss: (m, s, y) => m.rankLoss(s, y),
    precisionAtK: (m, s, y) => m.precisionAtK(s, y, 1),
    recallAtK: (m, s, y) => m.recallAtK(s, y, 1),
    meanAveragePrecision: (m, s, y) => m.meanAveragePrecision(s, y),
    hammingLoss: (m, s, y) => m.hammingLoss(s, y, { threshold: 0 }),
    jaccardAccuracy: (m, s, y) => m.jaccardAccuracy(s, y, { threshold: 0 }),
    subsetAccuracy: (m, s, y) => m.subsetAccuracy(s, y, { threshold: 0 }),
    f1: (m, s, y) => m.f1(s, y, { threshold: 0, average: "micro" }),
    chooseThreshold: (m, s, y) => m.chooseThreshold(s, y),
  };
  const inputs: [string, ErrorConstructor, string, unknown, unknown][] = [
    ["no scores", TypeError, '"scores" must be', undefined, sets],
    ["no rows", RangeError, '"scores" is empty', [], []],
    ["rows of different length", RangeError, '"scores" row 1 has 1 columns', [[1, 2], [3]], sets],
    ["NaN among the scores", RangeError, '"scores" row 1, column 0 is NaN', [scores[0], [NaN, 1]], sets],
    ["an infinite score", RangeError, '"scores" row 0, column 1 is Infinity', [[1, Infinity], scores[1]], sets],
    ["no sets", TypeError, '"sets" must be an array of arrays of class indices, got undefined', scores, undefined],
    ["too few sets", RangeError, '"sets" has length 1 but "scores" has 2 rows', scores, [[0]]],
    ["labels instead of sets", TypeError, '"sets" entry 0 must be an array of class indices, got 0', scores, [0, 1]],
    ["a missing set", TypeError, '"sets" entry 1 must be', scores, [[0], null]],
    ["a set of numbers that are no indices", TypeError, '"sets" entry 1 must be', scores, [[0], new Float32Array(1)]],
    [
      "a label beyond the classes",
      RangeError,
      '"sets" entry 1, label 1 must be an integer in [0, 1], got 2',
      scores,
      [[], [0, 2]],
    ],
    ["a negative label", RangeError, '"sets" entry 0, label 0 must be', scores, [[-1], []]],
    ["a fractional label", RangeError, '"sets" entry 0, label 0 must be', scores, [[0.5], []]],
    [
      "a label as a string",
      TypeError,
      '"sets" entry 0, label 0 must be an integer in [0, 1], got "1"',
      scores,
      [["1"], []],
    ],
    ["a label twice", RangeError, '"sets" entry 1, label 2 repeats 0', scores, [[0], [0, 1, 0]]],
  ];
  describe.each(Object.keys(ofSets))("%s", (name) => {
    test.each(inputs)("%s", (_, kind, message, s, y) => {
      expect(() => ofSets[name](metrics, s, y)).toThrow(kind);
      expect(() => ofSets[name](metrics, s, y)).toThrow(`metrics.${name}: ${message}`);
    });
  });

  test.each(["precisionAtK", "recallAtK"])("%s: k", (name) => {
    const call = (k: unknown) => () => (metrics as any)[name](scores, sets, k);
    for (const k of [undefined, "1", null]) expect(call(k)).toThrow(TypeError);
    for (const k of [0, 3, 1.5, NaN]) expect(call(k)).toThrow(RangeError);
    expect(call(3)).toThrow(`metrics.${name}: "k" must be an integer in [1, 2], got 3`);
  });

  test.each(["hammingLoss", "jaccardAccuracy", "subsetAccuracy", "f1"])("%s: threshold", (name) => {
    const call = (o?: Options) => () => (metrics as any)[name](scores, sets, o);
    for (const o of [undefined, {}, { threshold: "0" }]) expect(call(o)).toThrow(TypeError);
    expect(call({ threshold: NaN })).toThrow(RangeError);
    expect(call({ threshold: NaN })).toThrow(`metrics.${name}: "threshold" must be a number in [-∞, ∞], got NaN`);
  });

  test("f1: average", () => {
    const call = (o: Options) => () => metrics.f1(scores, sets, o as any);
    expect(call({ threshold: 0 })).toThrow(TypeError);
    expect(call({ threshold: 0, average: "samples" })).toThrow(RangeError);
    expect(call({ threshold: 0, average: "samples" })).toThrow('metrics.f1: "average" must be one of "micro"');
  });

  test("chooseThreshold: metric", () => {
    const call = (o: unknown) => () => metrics.chooseThreshold(scores, sets, o as any);
    expect(call({ metric: 1 })).toThrow(TypeError);
    expect(call({ metric: "f1" })).toThrow(RangeError);
    expect(call({ metric: "toString" })).toThrow('metrics.chooseThreshold: "metric" must be one of "f1-micro"');
  });
});
