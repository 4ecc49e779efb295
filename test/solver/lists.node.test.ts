import { beforeAll, describe, expect, test } from "vitest";
import { allOf } from "../../src/arrays/sparseDuals.ts";
import { fit, init } from "../../src/index.ts";
import { finish } from "../../src/pace/steps.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { EPS, expectWithin } from "../helpers/expect.ts";
import { allLosses, nameOf } from "../helpers/losses.ts";
import { copyOf, dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import { lossValue } from "../reference/losses.ts";
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
    ["lists with no room to spare", { numClasses: 16 }],
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
      const A = rowsOf(copyOf(problem.duals), m);
      expect(far(rowsOf(problem.weights.copy(), d), weightsOf(A, features))).toBeLessThanOrEqual(1e-11);
      expect(infeasibility(A, labels, 2, spec)).toBeLessThanOrEqual(16 * m * EPS);
      expect(far(rowsOf(allOf(finish(problem.duals.take())), m), A)).toBe(0);
    }
  });
});

const hinge = { loss: "hinge" } as const;
describe("first steps over every class list candidates by their own scores", () => {
  test.each([
    ["sparse rows, many classes", hinge, { numClasses: 200, nonzeros: n * d }, true],
    ["losses of other kinds", { loss: "topk-hinge", k: 3 }, { numClasses: 200, nonzeros: n * d }, true],
    ["not with few classes", hinge, { numClasses: 60, nonzeros: n * d }, false],
    ["not with smoothing", { ...hinge, gamma: 1 }, { numClasses: 200, nonzeros: n * d }, false],
    ["not of one-vs-all losses", { loss: "ova-hinge" }, { numClasses: 200, nonzeros: n * d }, false],
    ["not in float64", hinge, { numClasses: 200, nonzeros: n * d, precision: "float64" }, false],
    ["not of dense rows", hinge, { numClasses: 200 }, false],
  ] as const)("%s", async (_, spec, shape, lists) => {
    const { numClasses: m } = shape;
    const { features, labels } = clouds(n, d, m, 5);
    const rows = features.map((row) => row.map(Math.fround));
    const problem = await openProblem(spec, rows, labels, { precision: "float32", ...shape });
    problem.sweep(0, 1, true);
    const first = rowsOf(copyOf(problem.duals), m)[0];
    // With weights of zero nothing tells one class from another: all have their parts.
    expect(first.filter((a) => a < 0)).toHaveLength(m - 1);

    problem.sweep(1, n - 1, true);
    const { movement, work } = problem.progress.take();
    expect(work).toBeGreaterThanOrEqual(n * m);
    const A = rowsOf(copyOf(problem.duals), m);
    expect(infeasibility(A, labels, 2, spec)).toBeLessThanOrEqual(1e-5);
    expect(far(rowsOf(problem.weights.copy(), d), weightsOf(A, rows))).toBeLessThanOrEqual(1e-5);

    problem.sweep(0, n, false);
    expect(problem.progress.take().work < (n * m) / 2).toBe(lists);
    expect(dualOf(problem)).toBeGreaterThan(movement / 2); // each step lets D rise by half of what it moves, or more
  });
});

test("a one-vs-all loss, of which more classes have a part than lists have room for, sees every class again", async () => {
  const { features, labels } = clouds(900, 20, 200, 3);
  const unit = features.map((row) => row.map((v) => Math.fround(v / Math.hypot(...row))));
  const loss = { loss: "ova-hinge" } as const;
  const model = await fit(unit, labels, { ...loss, C: 1, intercept: false, tolerance: 1e-3 });
  expect(model.certificate.status).toBe("solved");
  expect(model.certificate.epochs).toBeLessThanOrEqual(25); // over lists alone 97
  expectCertified(model, { features: unit, labels, loss, C: 1, precision: "float32" });
});

// A score has its class in its last bits while the highest are looked for: of those that differ by nothing else the last classes come first.
test.each([
  ["dense rows", 130, false],
  ["sparse ones, more classes", 520, true],
] as const)("a class that is left out by the last bits of its score counts: %s", async (_, m, sparse) => {
  const [n, far] = [40, 2 ** 20];
  const spec = { loss: "hinge", gamma: 1e-3 } as const;
  const random = uniforms(m);
  const bits = Math.ceil(Math.log2(m));
  const lastBits = Array.from({ length: m }, () => Array.from({ length: n }, () => Math.floor(random() * 2 ** bits)));
  const labels = lastBits[0].map(() => Math.floor(m * random()));
  // All scores are 2^40 and something, exactly; that of the true class is higher by 1, and most others are lower by as much.
  const unit = 2 ** -12;
  const rows = labels.map((_, i) => [far, ...labels.map((_, e) => Number(e === i))]);
  const weights = lastBits.map((row, j) => [
    far,
    ...row.map((b, i) => unit * b + (j === labels[i] ? 1 : j < 40 ? 0 : -1)),
  ]);
  const shape = { numClasses: m, precision: "float32", ...(sparse && { nonzeros: 2 * n }) } as const;
  const problem = await openProblem(spec, rows, labels, shape);
  weights.forEach((row, j) => problem.weights.setRow(j, row));
  problem.clear(true);
  problem.evaluate(0, n);
  labels.forEach((y, i) => {
    const scores = weights.map((row) => row[i + 1]);
    expectWithin(problem.gaps[i], 2 * lossValue(spec, scores, y), 1e-12, `C_i L_i of example ${i}`);
  });
});
