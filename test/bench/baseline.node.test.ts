// The plain SDCA in JavaScript that the benchmark compares with solves the same problems: its own code, checked against ours.
import { expect, test } from "vitest";
import { fitBaseline } from "../../bench/baseline/index.mjs";
import { createEntropyWork, topKEntropyLoss, topKEntropyStep } from "../../bench/baseline/topKEntropy.mjs";
import { losses as compared } from "../../bench/losses.mjs";
import { makeWorkload } from "../../bench/workloads/load.mjs";
import { createRandom } from "../../bench/workloads/random.mjs";
import { fit, init, losses, prox } from "../../src/index.ts";

const workload = { recipe: "prototypes", numTrain: 300, numTest: 0, d: 12, m: 11, seed: 5 };
const inclusive = { name: "top-5 alpha, inclusive", options: { loss: "topk-hinge", k: 5, variant: "alpha-inclusive" } };

test.each(["float32", "float64"] as const)(
  "every loss: the optimum is the one that fit finds, %s",
  async (precision) => {
    const { features, labels } = makeWorkload(workload).train;
    for (const { name, options } of [...compared, inclusive]) {
      const settings = { ...options, C: 2, precision, tolerance: 1e-4, intercept: false };
      const theirs = fitBaseline(features, labels, settings).certificate;
      const ours = (await fit(features, labels, settings as any)).certificate;
      expect(theirs.status, name).toBe("solved");
      expect(ours.status, name).toBe("solved");
      // The optimum is between D and P of either.
      const slack = 1e-9 * ours.primalObjective;
      const apart = Math.abs(theirs.primalObjective - ours.primalObjective);
      expect(apart, name).toBeLessThanOrEqual(Math.max(theirs.dualityGap, ours.dualityGap!) + slack);
      expect(theirs.dualObjective, name).toBeLessThanOrEqual(ours.primalObjective + slack);
      expect(ours.dualObjective, name).toBeLessThanOrEqual(theirs.primalObjective + slack);
    }
  },
);

test("top-k entropy: step and loss", async () => {
  await init();
  const { uniform, normal, integer } = createRandom(11);
  for (let trial = 0; trial < 500; trial++) {
    const m = 8 + integer(40);
    const k = 1 + integer(6);
    const alpha = 10 ** (3 * uniform() - 2);
    const scale = 10 ** (2 * uniform() - 1);
    const b = Float64Array.from({ length: m }, () => scale * normal());
    b[0] = -Infinity; // the true class
    const work = createEntropyWork(m, k);
    const z = new Float64Array(m);
    topKEntropyStep(z, b, k, alpha, trial % 2 === 0 ? NaN : scale * normal(), work);
    const expected = prox.topKEntropy(b.subarray(1), { k, alpha });
    for (let j = 1; j < m; j++) expect(z[j]).toBeCloseTo(expected[j - 1], 10);
    const scores = Float64Array.from(b);
    scores[0] = 0;
    expect(topKEntropyLoss(b, k, work)).toBeCloseTo(losses.value("topk-entropy", scores, 0, { k }), 10);
  }
});
