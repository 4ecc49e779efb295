import { describe, expect, test } from "vitest";
import { fit, type FitOptions } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";

/**
 * With many classes a certificate in float32 takes most scores in float32, and the losses from those of a few candidates in float64
 * where that is as good: every objective has to be what an independent recomputation over all classes finds.
 */

const m = 300;
const hinges = [
  ...[0, 1e-3, 1, 50].map((gamma): LossSpec => ({ loss: "hinge", gamma })),
  ...(["alpha", "alpha-inclusive", "beta"] as const).flatMap((variant) =>
    [0, 1].map((gamma): LossSpec => ({ loss: "topk-hinge", k: 4, variant, gamma })),
  ),
];

/** Rows of 5 numbers: clouds that lie `apart`, a tenth of the rows zero, one row and one class many times. */
function problem(n: number, apart: number): { features: number[][]; labels: number[] } {
  const { features, labels } = clouds(n, 5, m, 7);
  const rows = features.map((row, i) => row.map((v) => (i % 10 === 3 ? 0 : i % 10 === 4 ? features[4][0] : v * apart)));
  return { features: rows, labels: labels.map((y, i) => (i % 10 === 4 ? 17 : y)) };
}

describe.each(hinges.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each([
    ["separate clouds", 400, 30, { C: 1, maxEpochs: 12 }],
    ["clouds that overlap", 330, 1, { C: 10, maxEpochs: 4 }],
    ["every score 0", 64, 1, { C: 1, maxEpochs: 0 }],
    ["large numbers", 150, 1e9, { C: 1e-3, maxEpochs: 3 }],
    ["tiny numbers", 150, 1e-9, { C: 1, maxEpochs: 3 }],
  ])("%s", async (_, n, apart, settings) => {
    const { features, labels } = problem(n, apart);
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
    expectCertified(model, { features, labels, loss: spec, C: settings.C, precision: "float32" });
  });
});
