import { beforeAll, describe, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { allOf } from "../../src/arrays/sparseDuals.ts";
import { finish } from "../../src/pace/steps.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { allLosses, nameOf } from "../helpers/losses.ts";
import { dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import { infeasibility, weightsOf } from "../reference/objective.ts";

/** Dual variables are in rows, in lists, or in lists no more: nobody who reads them is to see a difference. */

beforeAll(() => init());

const n = 40;
const d = 5;
const m = 9;
const { features, labels } = clouds(n, d, m, 5);
features[7].fill(0);
/** So many that lists are long at first and shortened by evaluations. */
const many = 70;

const withLists = allLosses.filter(({ loss }) => loss.endsWith("hinge"));
const estimate = (problem: ResidentProblem): void => {
  problem.clear(false);
  problem.measure();
  problem.estimate(0, n);
};

describe.each(withLists.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each([
    ["dense", { numClasses: m }],
    ["sparse", { numClasses: m, nonzeros: n * d }],
    ["many classes", { numClasses: many }],
  ] as const)("weights are those of the dual variables after whatever has been done: %s", async (_how, shape) => {
    const { numClasses: m } = shape;
    const problem = await openProblem(spec, features, labels, shape);
    const uniform = uniforms(11);
    const steps = [
      () => problem.sweep(0, n, true),
      () => problem.sweep(0, n, false),
      () => problem.sweep(0, 11, true),
      () => estimate(problem),
      () => dualOf(problem),
      () => {
        problem.duals.remember(0, problem.shape.numExamples);
        problem.sweep(0, n, false);
        problem.clear(false);
        problem.extrapolate(0, n, 0.5);
      },
      () => {
        finish(problem.duals.keep());
        problem.sweep(0, n, false);
        finish(problem.duals.exchangeKept());
        dualOf(problem);
      },
    ];
    for (let e = 0; e < 35; e++) {
      finish(problem.visits.shuffle(n));
      steps[Math.floor(uniform() * steps.length)]();
      const A = rowsOf(problem.duals.copy(), m);
      expect(far(rowsOf(problem.weights.copy(), d), weightsOf(A, features))).toBeLessThanOrEqual(1e-11);
      expect(infeasibility(A, labels, 2, spec)).toBeLessThanOrEqual(16 * m * EPS);
      expect(far(rowsOf(allOf(finish(problem.duals.take())), m), A)).toBe(0);
    }
  });
});
