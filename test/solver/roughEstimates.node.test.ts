import { beforeAll, describe, expect, test } from "vitest";
import { certify, estimate } from "../../src/solver/evaluate.ts";
import { init } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds } from "../helpers/data.ts";
import { openProblem } from "../helpers/problem.ts";

/** Evaluations on the way take scores from numbers of 16 bits, which make P too large where losses are at their kinks. */

beforeAll(() => init());

const [n, d, m] = [1200, 200, 12];
const { features: points, labels } = clouds(n, d, m, 3, 3);
const features = points.map((row) => row.map((v) => v / Math.hypot(...row)));
const pacer = new Pacer("never");

/** A problem whose steps have come near the optimum, all but for the lists of the first evaluation. */
async function nearOptimum(spec: { loss: string; k?: number }): Promise<ResidentProblem> {
  const problem = await openProblem(spec, features, labels, { numClasses: m, precision: "float32" });
  problem.sweep(0, n, true);
  for (let round = 0; round < 2; round++) {
    await estimate(problem, pacer);
    problem.visits.activateAll();
    for (let pass = 0; pass < 200; pass++) {
      finish(problem.visits.shuffle(problem.visits.visitActive()));
      problem.sweep(0, n, false);
    }
  }
  return problem;
}

describe.each([{ loss: "hinge" }, { loss: "topk-hinge", k: 3 }])("near the optimum, $loss", (spec) => {
  test("what an estimate has too much is about what it says", async () => {
    const problem = await nearOptimum(spec);
    const rough = await estimate(problem, pacer);
    const { excess } = problem.sums;
    const exact = await certify(problem, pacer);
    expect(problem.sums.excess).toBe(0);
    expect(exact.dualityGap).toBeLessThan(0.2 * excess); // else it would not be near
    const found = rough.primalObjective - exact.primalObjective;
    expect(found).toBeGreaterThan(0.2 * excess);
    expect(found).toBeLessThanOrEqual(1.3 * excess);
  });

  test("that leaves no example out that is worth a visit: active are those with more than a part of the rest", async () => {
    const problem = await nearOptimum(spec);
    const activeAt = (fraction: number): number => {
      problem.visits.activate(fraction, problem.sums.excess);
      return problem.visits.visitActive();
    };
    await estimate(problem, pacer);
    const terms = [...problem.gaps];
    const total = terms.reduce((sum, term) => sum + term, 0);
    const rest = Math.max(0, total - problem.sums.excess);
    for (const fraction of [0.01, 0.5]) {
      expect(activeAt(fraction)).toBe(terms.filter((term) => term > (fraction * rest) / n).length);
    }
    expect(activeAt(0.5)).toBeGreaterThan(terms.filter((term) => term > (0.5 * total) / n).length);
  });
});

test("nothing is too much where scores are not rough, or losses have no kinks", async () => {
  const few = features.map((row) => row.slice(0, 20));
  const excessOf = async (
    spec: { loss: string; gamma?: number },
    rows: number[][],
    shape: Partial<Parameters<typeof openProblem>[3]>,
  ): Promise<number> => {
    const problem = await openProblem(spec, rows, labels, { numClasses: m, precision: "float32", ...shape });
    problem.sweep(0, n, true);
    await estimate(problem, pacer);
    return problem.sums.excess;
  };
  expect(await excessOf({ loss: "hinge" }, features, {})).toBeGreaterThan(0);
  expect(await excessOf({ loss: "hinge" }, features, { precision: "float64" })).toBe(0);
  expect(await excessOf({ loss: "hinge" }, few, {})).toBe(0);
  expect(await excessOf({ loss: "softmax" }, features, {})).toBe(0);
  expect(await excessOf({ loss: "hinge", gamma: 1 }, features, {})).toBe(0);
});
