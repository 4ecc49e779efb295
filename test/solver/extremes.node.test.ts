import { describe, expect, test } from "vitest";
import { fit, type Label } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, type Data } from "../helpers/data.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";

interface Extreme extends Data {
  classes?: Label[];
  C?: number;
  /** Well-posed enough to be solved to 1e-6 in float64; the others must only be told apart from that. */
  solvable: boolean;
}

const ordinary = clouds(40, 3, 4, 7);
const separable = clouds(8, 10, 4, 3);
const scaled = (factors: number[]): Data => ({
  features: ordinary.features.map((row, i) => row.map((v) => v * factors[i % factors.length])),
  labels: ordinary.labels.map((_, i) => (i * 7) % 4),
});

const extremes: Record<string, Extreme> = {
  "a zero row": {
    features: [[0, 0, 0], ...ordinary.features],
    labels: [2, ...ordinary.labels],
    solvable: true,
  },
  "only zero rows": { features: [[0, 0], [0, 0], [0, 0], [0, 0]], labels: [0, 1, 2, 3], solvable: true }, // prettier-ignore
  "rows of norm 1e-8 and 1e8": { ...scaled([1e-8, 1e8]), solvable: false },
  "rows of norm 1e-8, 1 and 1e8": { ...scaled([1e-8, 1, 1e8]), solvable: false },
  "rows of norm 1e-8": { ...scaled([1e-8]), solvable: true },
  "rows of norm 1e-200": { ...scaled([1e-200]), solvable: true },
  "one example": { features: [[1, 2]], labels: [1], classes: [0, 1, 2, 3], solvable: true },
  "identical rows with different labels": {
    features: Array.from({ length: 12 }, () => [1, -1]),
    labels: Array.from({ length: 12 }, (_, i) => i % 4),
    solvable: true,
  },
  "a class without examples": {
    features: ordinary.features,
    labels: ordinary.labels.map((y) => y % 3),
    classes: [0, 1, 2, 3],
    solvable: true,
  },
  "C = 1e-6": { ...ordinary, C: 1e-6, solvable: true },
  "C = 1e6, classes that overlap": { ...ordinary, C: 1e6, solvable: false },
  "C = 1e6, classes apart": { ...separable, C: 1e6, solvable: true },
};

const losses: LossSpec[] = [
  { loss: "softmax" },
  { loss: "hinge" },
  { loss: "hinge", gamma: 1 },
  { loss: "hinge", gamma: 1e-12 },
  ...(["alpha", "alpha-inclusive", "beta"] as const).flatMap((variant) =>
    [1, 2, 3].flatMap((k) => [0, 0.5].map((gamma): LossSpec => ({ loss: "topk-hinge", k, variant, gamma }))),
  ),
  ...[0, 0.5].flatMap((gamma): LossSpec[] => [
    { loss: "weighted-topk-hinge", rankWeights: "flat", k: 3, gamma },
    { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2, gamma },
    { loss: "weighted-topk-hinge", rankWeights: [1, 0.5, 1e-6, 1e-9], gamma },
    { loss: "weighted-topk-hinge", rankWeights: [0.25, 0.25, 0.25, 0.25], gamma },
  ]),
  ...(["alpha", "beta"] as const).flatMap((variant) =>
    [1, 2, 3].map((k): LossSpec => ({ loss: "topk-entropy", k, variant })),
  ),
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 1 },
  { loss: "ova-hinge", gamma: 1e-12 },
  { loss: "ova-logistic" },
];

for (const [name, { features, labels, classes, C = 1, solvable }] of Object.entries(extremes)) {
  describe(name, () => {
    for (const precision of ["float64", "float32"] as const) {
      test.each(losses.map((loss) => [nameOf(loss), loss] as const))(`${precision}, %s`, async (_, loss) => {
        const model = await fit(features, labels, {
          ...optionsOf(loss),
          C,
          classes,
          precision,
          intercept: false,
          tolerance: precision === "float64" ? 1e-6 : 1e-4,
          maxEpochs: solvable ? 10_000 : 500,
          yieldEvery: "never",
        });
        // The terms of P: with huge C and small loss they cancel nowhere, but scores of 1e8 carry their own rounding.
        const n = features.length;
        const norms = features.map((row) => Math.hypot(...row));
        const weight = Math.hypot(...model.weights.data);
        const scale = (C * norms.reduce((sum, norm) => sum + 1 + norm * weight, 0)) / n;
        expectCertified(model, { features, labels, loss, C, precision }, scale);
        if (solvable && precision === "float64") expect(model.certificate.status).toBe("solved");
      });
    }
  });
}
