// What the benchmark computes from its measurements.
import { describe, expect, test } from "vitest";
import { findSetting } from "../../bench/contenders/findSetting.mjs";
import { describeBlas } from "../../bench/contenders/lbfgs.mjs";
import { readWeights } from "../../bench/contenders/liblinear.mjs";
import { score } from "../../bench/lib/score.mjs";
import { fitPower, geometricMean, summarise, upperPower } from "../../bench/lib/statistics.mjs";
import { thin } from "../../bench/parts/convergence.mjs";
import { bestByTime } from "../../bench/report/plots.mjs";
import { makeWorkload } from "../../bench/workloads/load.mjs";
import { fit } from "../../src/index.ts";

test("median and spread", () => {
  expect(summarise([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  expect(summarise([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4 });
  expect(summarise([undefined])).toBeUndefined();
  expect(geometricMean([1, 4])).toBeCloseTo(2);
});

test("a power is found again, and its upper half where fixed costs fade", () => {
  const points = [10, 100, 1000].map((x) => ({ x, y: 3 * x ** 1.5 }));
  expect(fitPower(points).exponent).toBeCloseTo(1.5);
  expect(fitPower(points).scale).toBeCloseTo(3);
  const withFixedCost = [1, 4, 16, 64, 256, 1024, 4096].map((x) => ({ x, y: 50 + x }));
  expect(upperPower(withFixedCost)?.exponent).toBeGreaterThan(fitPower(withFixedCost).exponent);
  expect(upperPower(withFixedCost)?.from).toBe(64);
  expect(upperPower(withFixedCost.slice(1)), "three points").toBeUndefined();
});

test("a long history is thinned, its ends kept", () => {
  const history = Array.from({ length: 500 }, (_, i) => ({ seconds: 0.01 * (i + 1) }));
  const kept = thin(history, 20);
  expect(kept.length).toBeLessThanOrEqual(21);
  expect(kept[0]).toBe(history[0]);
  expect(kept.at(-1)).toBe(history.at(-1));
  expect(thin(history.slice(0, 5), 20)).toHaveLength(5);
});

describe("a peer's setting", () => {
  const ladder = [1, 2, 3, 4, 5, 6, 7].map((rung) => ({ rung }));

  test.each([1, 3, 7])("is the loosest that is good enough: %i", async (good) => {
    const run = async ({ rung }: { rung: number }) => ({ status: "stopped", primal: rung >= good ? 10 : 11 });
    expect((await findSetting(ladder, 10, run as any)).settings).toEqual({ rung: good });
  });

  test("is none where all are too loose or too slow, and then it says so", async () => {
    const loose = await findSetting(ladder, 10, (async () => ({ status: "stopped", primal: 11 })) as any);
    expect(loose).toEqual({ note: "not within the tolerance at its tightest setting" });
    const slow = await findSetting(ladder, 10, (async () => ({ status: "over-budget" })) as any);
    expect(slow).toEqual({ note: "not within the limit of time" });
  });
});

test("of independent runs those count that no quicker one betters", () => {
  const [loose, slow, good] = [
    { seconds: 1, gap: 0.1 },
    { seconds: 3, gap: 0.02 },
    { seconds: 2, gap: 0.01 },
  ];
  expect(bestByTime([loose, slow, good])).toEqual([loose, good]);
});

test("the BLAS library is named, and the slow one warned of", () => {
  expect(describeBlas(["openblas 0.3.21"])).toEqual({ blas: "openblas 0.3.21" });
  expect(describeBlas(["/usr/lib/libblas.so.3", "/usr/lib/libopenblas.so.0"])).toEqual({ blas: "libopenblas.so.0" });
  expect(describeBlas(["/usr/lib/blas/libblas.so.3"]).warning).toContain("libopenblas0");
  expect(describeBlas([])).toMatchObject({ blas: "unknown BLAS" });
});

test("liblinear's weights, classes in any order", () => {
  const text = "solver_type MCSVM_CS\nnr_class 3\nlabel 2 0 1\nnr_feature 2\nbias -1\nw\n5 1 3 \n6 2 4 \n";
  expect([...readWeights(text, { m: 3, d: 2 })]).toEqual([1, 2, 3, 4, 5, 6]);
});

test.each(["hinge", "ova-hinge", "softmax"] as const)("the objective of weights, recomputed: %s", async (loss) => {
  const workload = { recipe: "prototypes", numTrain: 200, numTest: 0, d: 12, m: 11, seed: 5 };
  const { train } = makeWorkload(workload);
  const model = await fit(train.features, train.labels, { loss, C: 0.7, intercept: false });
  const { primal } = score({ weights: model.weights.data, workload, data: train, loss: { id: loss }, C: 0.7 } as any);
  expect(primal! / model.certificate.primalObjective).toBeCloseTo(1, 5);
});
