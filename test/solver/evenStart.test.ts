import { beforeAll, describe, expect, test } from "vitest";
import { fit, init } from "../../src/index.ts";
import { startEvenly } from "../../src/evenStart.ts";
import { Pacer } from "../../src/pace.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds } from "../helpers/data.ts";
import { dualOf, openProblem, rowsOf } from "../helpers/problem.ts";

/** Where the steps of the entropy losses begin: the best point between the true classes and all classes alike. */

beforeAll(() => init());

const n = 70; // more than two blocks
const d = 4;
const m = 9;
const { features, labels } = clouds(n, d, m, 7);
features[3].fill(0);
const sets = labels.map((y, i) => {
  if (i === 5) return [];
  if (i === 6) return [...Array(m).keys()];
  return [...new Set([y, (y + i) % m])].sort((a, b) => a - b);
});
const anchor = Array.from({ length: m }, (_, j) => Array.from({ length: d }, (_, l) => Math.sin(j * d + l) / 4));

const losses = [
  { loss: "softmax", truth: labels },
  { loss: "topk-entropy", k: 3, truth: labels },
  { loss: "topk-entropy", k: 3, variant: "beta", truth: labels },
  { loss: "topk-entropy", k: m - 1, truth: labels },
  { loss: "multilabel-softmax", truth: sets },
];
const layouts: [string, Partial<Shape>][] = [
  ["dense", {}],
  ["dense in blocks", { inBlocks: true }],
  ["sparse", { nonzeros: n * d }],
  ["in blocks", { nonzeros: n * d, inBlocks: true }],
  ["anchored", { anchored: true }],
  ["sparse and anchored", { nonzeros: n * d, anchored: true }],
  ["kernel", { kernel: { name: "rbf", gamma: 0.3, degree: 0, coef0: 0, constant: 1, columns: d } }],
];

/** alpha of a dual point a_i = alpha C_i (1_Y/t - 1/m), once it is known to be one. */
function alphaOf(duals: number[][], truth: readonly (number | number[])[]): number {
  const alpha = -duals[0][(labels[0] + 1) % m] * (m / 2);
  duals.forEach((row, i) => {
    const Y = [truth[i]].flat();
    const trivial = Y.length === 0 || Y.length === m;
    row.forEach((a, j) => {
      const wanted = trivial ? 0 : alpha * 2 * (Number(Y.includes(j)) / Y.length - 1 / m);
      expect(Math.abs(a - wanted)).toBeLessThanOrEqual(1e-15);
    });
  });
  return alpha;
}

describe.each(losses.map((one) => [`${one.loss}, k = ${one.k}, ${one.variant}`, one] as const))(
  "%s",
  (_, { truth, ...spec }) => {
    test.each(layouts)("%s: even, consistent, and the best there is", async (_, shape) => {
      const problem: ResidentProblem = await openProblem(spec, features, truth, { numClasses: m, ...shape });
      if (shape.anchored) {
        anchor.forEach((row, j) => problem.weights.setAnchorRow(j, row));
        problem.weights.startAtAnchor();
      }
      const dual = await startEvenly(problem, new Pacer("never"), () => false);
      const start = problem.duals.copy();
      const weights = problem.weights.copy();
      const alpha = alphaOf(rowsOf(start, m), truth);
      expect(alpha).toBeGreaterThan(0);
      expect(alpha).toBeLessThan(1);

      const best = dualOf(problem);
      const left = truth === sets ? 2 * Math.log(m) : 0; // of the example with all classes, C_i = 2
      expect(Math.abs(best - left - dual)).toBeLessThanOrEqual(1e-12 * best);
      problem.duals.copy().forEach((a, e) => expect(Math.abs(a - start[e])).toBeLessThanOrEqual(1e-15)); // feasible
      problem.weights.copy().forEach((w, e) => expect(Math.abs(w - weights[e])).toBeLessThanOrEqual(1e-12));
      for (const factor of [0, 0.5, 0.999, Math.min(1.001, 1 / alpha)]) {
        problem.duals.restore(start.map((a) => factor * a));
        expect(dualOf(problem)).toBeLessThan(best);
      }
    });
  },
);

test("a fit from there: fewer epochs where classes are many, nothing lost where C is large", async () => {
  const { features: X, labels: y } = clouds(900, 30, 60, 3);
  const unit = X.map((row) => row.map((v) => v / Math.hypot(...row)));
  const options = { loss: "softmax", C: 1, intercept: false, tolerance: 1e-3 } as const;
  const easy = await fit(unit, y, options);
  expect(easy.certificate.status).toBe("solved");
  const { history } = await fit(unit, y, { ...options, maxEpochs: 1 });
  expect(history[0].visits).toBe(1);
  expect(history[0].relativeGap).toBeLessThan(0.02); // 0.16 from A = 0
  const hard = await fit(features, labels, { loss: "softmax", C: 1e3, tolerance: 1e-6, precision: "float64" });
  expect(hard.certificate.status).toBe("solved");
});

test("stopped on the way: nothing has moved", async () => {
  const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: m });
  let looks = 0;
  expect(await startEvenly(problem, new Pacer("never"), () => ++looks > 1)).toBe(0);
  expect(looks).toBe(2);
  expect(problem.duals.copy().every((a) => a === 0)).toBe(true);
  expect(problem.weights.copy().every((w) => w === 0)).toBe(true);
});

test("no example with other classes than its own: nothing to start with", async () => {
  const truth = labels.map((_, i) => (i % 2 ? [] : [...Array(m).keys()]));
  const problem = await openProblem({ loss: "multilabel-softmax" }, features, truth, { numClasses: m });
  await startEvenly(problem, new Pacer("never"), () => false);
  expect(problem.duals.copy().every((a) => a === 0)).toBe(true);
});
