import { describe, expect, test } from "vitest";
import { fit } from "../../src/index.ts";
import { bounded, expectCertified } from "../helpers/certified.ts";
import { EPS, expectAtMost, expectWithin } from "../helpers/expect.ts";
import type { LossSpec } from "../reference/losses.ts";
import { primalObjective } from "../reference/objective.ts";
import { dot, sum } from "../reference/sum.ts";
import golden from "./liblinear.json" with { type: "json" };

/** Weights of liblinear, of which the file says command and version, against our optimum of the same problem. */

const TOLERANCE = 1e-9;

test("liblinear has converged on most", () => {
  const models = golden.problems.flatMap((problem) => problem.models);
  for (const loss of ["hinge", "ova-hinge", "ova-logistic"]) {
    expect(models.filter((model) => model.loss === loss && model.converged).length).toBeGreaterThan(1);
  }
});

describe.each(golden.problems.map((problem) => [problem.name, problem] as const))("%s", (_, problem) => {
  const { features, labels, numClasses, models } = problem;

  test.each(models.map((model) => [model.command, model] as const))("%s", async (_, stored) => {
    const { loss: name, C, weights, converged } = stored;
    const loss = { loss: name } as LossSpec & { loss: "hinge" };
    const model = await fit(features, labels, {
      ...loss,
      C,
      classes: Array.from({ length: numClasses }, (_, j) => j),
      intercept: false,
      precision: "float64",
      tolerance: TOLERANCE,
      maxEpochs: 200_000,
      yieldEvery: "never",
    });
    const { status, dualObjective, primalObjective: ours, dualityGap } = bounded(model.certificate);
    expect(status).toBe("solved");
    expectCertified(model, { features, labels, loss, C, precision: "float64" });

    const theirs = primalObjective(features, labels, weights, C, loss);
    const rounding = 64 * features.length * EPS * theirs;
    expectAtMost(dualObjective, theirs + rounding, "our dual objective against their primal one");
    expectAtMost(ours, theirs * (1 + 1e-6), "our primal objective");
    if (converged) expectAtMost(theirs, dualObjective * (1 + 1e-6), "their primal objective");

    // P is strongly convex: ||W - W*||^2 <= 2 (P(W) - P*), and D <= P*.
    const distance = Math.sqrt(2 * (theirs - dualObjective + rounding)) + Math.sqrt(2 * (dualityGap + rounding));
    const scores = model.scores(features);
    let apart = 0;
    features.forEach((row, i) => {
      const reach = Math.sqrt(sum(row.map((x) => x * x))) * distance;
      weights.forEach((w, j) => {
        const score = scores[i * numClasses + j];
        expectWithin(score, dot(w, row), reach, `score of example ${i} for class ${j}`);
        apart = Math.max(apart, Math.abs(score));
      });
    });
    if (converged) expectAtMost(distance, 1e-2 * apart, "what the scores may differ by");
  });
});
