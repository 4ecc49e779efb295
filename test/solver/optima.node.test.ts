import { describe, expect, test } from "vitest";
import { fit } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { optionsOf } from "../helpers/losses.ts";
import { lossSpecOf } from "../helpers/vectors.ts";
import cases from "../vectors/C1_training_linear.json" with { type: "json" };

/** Stored optima of P/C/n, certified in exact or 60-digit arithmetic. */
describe("certified optima are reached in float64", () => {
  for (const { name, lam, m, X, y, P, ...spec } of cases) {
    const loss = lossSpecOf(spec);
    if (loss === null || typeof y === "undefined") continue;
    test(name, async () => {
      const n = X.length;
      const C = 1 / (lam * n);
      const model = await fit(X, y as number[], {
        ...optionsOf(loss),
        lambda: lam,
        classes: Array.from({ length: m }, (_, j) => j),
        intercept: false,
        precision: "float64",
        tolerance: 1e-8,
        maxEpochs: 20_000, // weighted-topk-hinge with gamma = 0 and C = 20 takes 13000
        yieldEvery: "never",
      });
      const { status, primalObjective, dualObjective, relativeGap } = model.certificate;
      expect(status).toBe("solved");
      expect(relativeGap).toBeLessThanOrEqual(1e-8);
      expect(Math.abs(primalObjective * lam - P)).toBeLessThanOrEqual(2e-8 * P);
      expect(dualObjective! * lam).toBeLessThanOrEqual(P * (1 + 1e-9));
      expectCertified(model, { features: X, labels: y as number[], loss, C, precision: "float64" });
    });
  }
});

/** A stored case of label sets. */
interface SetCase {
  readonly name: string;
  readonly loss: string;
  readonly gamma: number;
  readonly lam: number;
  readonly m: number;
  readonly X: number[][];
  readonly Y: number[][];
  readonly P: number;
}

const ofSets = (cases as { name: string; loss: string }[]).filter(({ loss }) => loss.startsWith("ml_"));

test.each(ofSets.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const { loss, gamma, lam, m, X, Y, P } = one as SetCase;
  const model = await fit(X, Y, {
    ...(loss === "ml_svm" ? { loss: "multilabel-hinge", gamma } : { loss: "multilabel-softmax" }),
    ...{ lambda: lam, classes: Array.from({ length: m }, (_, j) => j), intercept: false },
    ...{ precision: "float64", tolerance: 1e-8, maxEpochs: 10_000, yieldEvery: "never" },
  });
  const { status, primalObjective, dualObjective } = model.certificate;
  expect(status).toBe("solved");
  expect(Math.abs(primalObjective * lam - P)).toBeLessThanOrEqual(2e-8 * P);
  expect(dualObjective! * lam).toBeLessThanOrEqual(P * (1 + 1e-9));
});
