// The plain JavaScript that the benchmark compares with solves the same problems: its own code, checked against the kernels.
import { expect, test } from "vitest";
import { createEntropyWork, topKEntropyLoss, topKEntropyStep } from "../../bench/baseline/topKEntropy.mjs";
import { createRandom } from "../../bench/workloads/random.mjs";
import { init, losses, prox } from "../../src/index.ts";

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
