import { describe, expect, test } from "vitest";
import { fit, type LossOptions } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { nameOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Where C ||x||^2 is large, a step moves an example's scores by little of what they have to move. */

const specs: LossSpec[] = [
  { loss: "softmax" },
  { loss: "hinge" },
  { loss: "hinge", gamma: 1 },
  { loss: "topk-hinge", k: 2 },
  { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2 },
  { loss: "topk-entropy", k: 2 },
  { loss: "ova-hinge" },
  { loss: "ova-logistic" },
];
const precision = "float64";

describe.each(specs.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const solve = async (features: number[][], labels: number[], C: number, tolerance: number, maxEpochs: number) => {
    const options = { ...(spec as LossOptions), C, tolerance, maxEpochs, intercept: false, precision } as const;
    const model = await fit(features, labels, { ...options, classes: [0, 1, 2, 3, 4] });
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features, labels, loss: spec, C, precision });
  };

  test("two and three examples with the same features and different classes", async () => {
    const row = [30, -20];
    await solve([row, row], [0, 1], 1, 1e-3, 1000);
    await solve([row, row, row], [0, 1, 2], 1, 1e-3, 1000);
  });

  test("features of all sizes, far from the origin", async () => {
    const { features, labels } = clouds(60, 4, 3, 5);
    const sizes = [100, 10, 1, 30];
    const far = features.map((row) => row.map((v, l) => sizes[l] * (5 + v)));
    await solve(far, labels, 0.01, 1e-2, 2000);
  });
});
