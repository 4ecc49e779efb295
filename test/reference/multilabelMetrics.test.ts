import { expect, test } from "vitest";
import { EPS, expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import cases from "../vectors/D2_metrics_multilabel.json" with { type: "json" };
import * as reference from "./multilabelMetrics.ts";

test.each(cases)("multilabel metrics, $name", ({ scores, Y, m, threshold, ks, ...wanted }) => {
  const close = (got: reference.Fraction, value: number | null, what: string) =>
    expectWithin(reference.toNumber(got), value ?? 0, 4 * EPS, what);
  close(reference.rankLoss(scores, Y), wanted.rank_loss_skip, "rank loss");
  close(reference.meanAveragePrecision(scores, Y), wanted.mAP, "mAP");
  const atK = (metric: typeof reference.recallAtK) => ks.map((k) => reference.toNumber(metric(scores, Y, k)));
  expectVectorWithin(atK(reference.precisionAtK), wanted.precision_at_k, 4 * EPS, "precision");
  const recall = wanted.recall_at_k.map((value) => value ?? 0);
  expectVectorWithin(atK(reference.recallAtK), recall, 4 * EPS, "recall");
  const h = reference.predict(scores, threshold);
  const stored = {
    "f1-micro": wanted.f1_micro_zd0,
    "f1-macro": wanted.f1_macro_zd0,
    "f1-instance": wanted.f1_inst_zd0,
    jaccard: wanted.accuracy_zd0,
    subset: wanted.subset_accuracy,
    hamming: wanted.hamming_loss,
  };
  for (const [metric, value] of Object.entries(stored)) close(reference.partition[metric](h, Y, m), value, metric);
});

test("of equally good cuts the highest", () => {
  const scores = [
    [3, 2],
    [1, 0],
  ];
  expect(reference.bestCut(scores, [[0], []], "hamming")).toEqual({ above: 3, below: 2, value: [0n, 1n] });
  expect(reference.bestCut(scores, [[], []], "f1-micro")).toEqual({ above: Infinity, below: 3, value: [0n, 1n] });
  expect(reference.bestCut(scores, [[1], []], "hamming")).toMatchObject({ above: Infinity });
});
