import { beforeAll, describe, expect, test, vi } from "vitest";
import { fit, init } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { startFromSums, startEvenly } from "../../src/solver/evenStart.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import { nameOf } from "../helpers/losses.ts";
import { copyOf, dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Where steps begin: the best point between the true classes and all classes alike. */

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
      expectWithin(a, wanted, 1e-15, `dual variable ${i}, ${j}`);
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
      const start = copyOf(problem.duals);
      const weights = problem.weights.copy();
      const alpha = alphaOf(rowsOf(start, m), truth);
      expect(alpha).toBeGreaterThan(0);
      expect(alpha).toBeLessThan(1);

      const best = dualOf(problem);
      const left = truth === sets ? 2 * Math.log(m) : 0; // of the example with all classes, C_i = 2
      expect(Math.abs(best - left - dual)).toBeLessThanOrEqual(1e-12 * best);
      expectVectorWithin(copyOf(problem.duals), start, 1e-15); // feasible
      expectVectorWithin(problem.weights.copy(), weights, 1e-12);
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

test("with a kernel, of as many examples as there are: what is behind their classes is not read", async () => {
  const odd = 69; // a row of scores is padded
  const kernel = { name: "rbf", gamma: 0.3, degree: 0, coef0: 0, constant: 1, columns: d } as const;
  const start = async (behind: number): Promise<number> => {
    const shape = { numClasses: m, kernel };
    const problem = await openProblem({ loss: "softmax" }, features.slice(0, odd), labels.slice(0, odd), shape);
    new Int32Array(problem.y.buffer, problem.y.byteOffset + 4 * odd, 3).fill(behind);
    return startEvenly(problem, new Pacer("never"), () => false);
  };
  expect(await start(1e6)).toBe(await start(0));
});

test("stopped on the way: nothing has moved", async () => {
  const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: m });
  let looks = 0;
  expect(await startEvenly(problem, new Pacer("never"), () => ++looks > 1)).toBe(0);
  expect(looks).toBe(2);
  expect(copyOf(problem.duals).every((a) => a === 0)).toBe(true);
  expect(problem.weights.copy().every((w) => w === 0)).toBe(true);
});

test("no example with other classes than its own: nothing to start with", async () => {
  const truth = labels.map((_, i) => (i % 2 ? [] : [...Array(m).keys()]));
  const problem = await openProblem({ loss: "multilabel-softmax" }, features, truth, { numClasses: m });
  await startEvenly(problem, new Pacer("never"), () => false);
  expect(copyOf(problem.duals).every((a) => a === 0)).toBe(true);
});

describe("hinge losses, which look at differences of scores alone", () => {
  const hinges = [
    { loss: "hinge", truth: labels },
    { loss: "hinge", gamma: 1, truth: labels },
    { loss: "topk-hinge", k: 3, truth: labels },
    { loss: "topk-hinge", k: 2, variant: "alpha-inclusive" as const, gamma: 0.5, truth: labels },
    { loss: "topk-hinge", k: 3, variant: "beta" as const, gamma: 1, truth: labels },
    { loss: "weighted-topk-hinge", rankWeights: [3, 2, 1], gamma: 1, truth: labels },
    { loss: "multilabel-hinge", truth: sets },
    { loss: "multilabel-hinge", gamma: 1, truth: sets },
  ];
  const forms: [string, Partial<Shape>][] = [
    ["dense", { inBlocks: true }],
    ["anchored", { inBlocks: true, anchored: true }],
    ["float32", { inBlocks: true, precision: "float32" }],
  ];
  const never = (): boolean => false;
  const evenlyOf = (truth: readonly (number | number[])[], alpha: number): number[][] =>
    truth.map((y) => {
      const Y = [y].flat();
      const trivial = Y.length === 0 || Y.length === m;
      return Array.from({ length: m }, (_, j) =>
        trivial ? 0 : alpha * 2 * (Number(Y.includes(j)) / Y.length - 1 / m),
      );
    });

  describe.each(hinges.map((one) => [`${one.loss}, k = ${one.k}, gamma = ${one.gamma}`, one] as const))(
    "%s",
    (_, { truth, ...spec }) => {
      const open = async (shape: Partial<Shape>): Promise<ResidentProblem> => {
        const problem = await openProblem(spec, features, truth, { numClasses: m, ...shape });
        if (shape.anchored) {
          anchor.forEach((row, j) => problem.weights.setAnchorRow(j, row));
          problem.weights.startAtAnchor();
        }
        return problem;
      };
      const start = (problem: ResidentProblem): Promise<number> =>
        startFromSums(problem, resolveLoss("test", spec.loss, spec), new Pacer("never"), never);
      const evenly = (alpha: number): number[][] => evenlyOf(truth, alpha);

      test.each(forms)(
        "%s: the first step is that from the even point, which is the best there is",
        async (_, shape) => {
          const problem = await open(shape);
          const alpha = await start(problem);
          expect(alpha).toBeGreaterThan(0);
          expect(alpha).toBeLessThan(1);
          const rounding = shape.precision === "float32" ? 1e-6 : 1e-12;

          const even = await open(shape);
          const dualAt = (share: number): number => {
            even.duals.restore(Float64Array.from(evenly(share).flat()));
            return dualOf(even);
          };
          const best = dualAt(alpha);
          for (const factor of [0, 0.9, 1.1]) expect(dualAt(factor * alpha)).toBeLessThan(best);
          dualAt(alpha); // and W with it
          for (const one of [problem, even]) {
            one.visits.visitActive();
            one.sweep(7, 1, true);
          }
          const [stepped, wanted] = [problem, even].map((one) => rowsOf(copyOf(one.duals), m)[7]);
          expect(far([stepped], [wanted])).toBeLessThanOrEqual(rounding);
          expect(wanted).not.toEqual(evenly(alpha)[7]);
        },
      );

      test.each(forms)("%s: after a pass all is feasible and consistent", async (_, shape) => {
        const problem = await open(shape);
        await start(problem);
        problem.visits.visitActive();
        problem.sweep(0, n, true);
        const stepped = rowsOf(copyOf(problem.duals), m);
        const weights = rowsOf(problem.weights.copy(), d);
        dualOf(problem); // repairs and rebuilds
        const rounding = shape.precision === "float32" ? 1e-6 : 1e-12;
        expect(far(rowsOf(copyOf(problem.duals), m), stepped)).toBeLessThanOrEqual(rounding);
        expect(far(rowsOf(problem.weights.copy(), d), weights)).toBeLessThanOrEqual(rounding);
      });

      test("an example without a class, or without another, has no part in it", async () => {
        const problem = await open({ inBlocks: true });
        const alpha = await start(problem);
        const costs = truth.map((y) => [y].flat()).map((Y) => (Y.length % m === 0 ? 0 : 2 / Y.length));
        const own = truth.map((y, i) => Array.from({ length: m }, (_, j) => ([y].flat().includes(j) ? costs[i] : 0)));
        const sums = Array.from({ length: m }, (_, j) =>
          Array.from({ length: d }, (_, l) => features.reduce((sum, row, i) => sum + own[i][j] * row[l], 0)),
        );
        const scaled = (rows: number[][]): number[][] => rows.map((row) => row.map((v) => alpha * v));
        expect(far(rowsOf(problem.weights.copy(), d), scaled(sums))).toBeLessThanOrEqual(1e-12);
        if (truth === sets) expect(far(rowsOf(copyOf(problem.duals), m), scaled(own))).toBeLessThanOrEqual(1e-15);
      });

      test("after a part of a pass what has not been visited counts as zero", async () => {
        const problem = await open({ inBlocks: true });
        await start(problem);
        problem.visits.visitActive();
        problem.sweep(0, 32, true);
        const dual = dualOf(problem);
        const found = rowsOf(copyOf(problem.duals), m);
        expect(found.slice(0, 32).some((row) => row.some((a) => a !== 0))).toBe(true);
        if (truth === labels)
          expect(
            found
              .slice(32)
              .flat()
              .every((a) => a === 0),
          ).toBe(true);
        const again = await open({ inBlocks: true });
        again.duals.restore(Float64Array.from(found.flat()));
        expect(Math.abs(dualOf(again) - dual)).toBeLessThanOrEqual(1e-12 * dual);
      });
    },
  );

  // With small features it is the smoothing that says how far to go.
  test.each(hinges.filter(({ gamma }) => gamma).map((one) => [nameOf(one as LossSpec), one] as const))(
    "the share is the best one where smoothing is most of what there is: %s",
    async (_, { truth, ...given }) => {
      const small = features.map((row) => row.map((v) => v / 20));
      const spec = { ...given, gamma: 8 };
      const open = () => openProblem(spec, small, truth, { numClasses: m, inBlocks: true });
      const loss = resolveLoss("test", spec.loss, spec);
      const alpha = await startFromSums(await open(), loss, new Pacer("never"), never);
      expect(alpha).toBeLessThan(1);
      const even = await open();
      const dualAt = (share: number): number => {
        even.duals.restore(Float64Array.from(evenlyOf(truth, share).flat()));
        return dualOf(even);
      };
      const best = dualAt(alpha);
      for (const factor of [0, 0.99, 1.01]) expect(dualAt(factor * alpha)).toBeLessThan(best);
    },
  );

  test("a fit from there is nearer to the optimum after a pass", async () => {
    const { features: X, labels: y } = clouds(900, 70, 80, 3);
    const unit = X.map((row) => row.map((v) => v / Math.hypot(...row)));
    for (const precision of ["float32", "float64"] as const) {
      const options = { loss: "hinge", gamma: 1, intercept: false, precision } as const;
      const { history } = await fit(unit, y, { ...options, maxEpochs: 1 });
      expect(history[0].visits).toBe(1);
      expect(history[0].relativeGap).toBeLessThan(0.3); // 0.46 from A = 0
      const { certificate } = await fit(unit, y, options);
      expect(certificate.status).toBe("solved");
    }
  });

  test("where most classes have a part in a smoothed loss the first pass sees all of them, and else lists, for two passes", async () => {
    const { features: X, labels: y } = clouds(600, 70, 80, 3);
    const unit = X.map((row) => row.map((v) => Math.fround(v / Math.hypot(...row))));
    const spec = { loss: "hinge", gamma: 1 } as const;
    for (const [C, gamma, passes] of [
      [1e-3, 1, 1],
      [1e-3, 0, 2],
      [1, 1, 2],
      [1, 100, 1],
    ]) {
      const options = { ...spec, C, gamma, intercept: false } as const;
      const model = await fit(unit, y, options);
      const { history, certificate } = model;
      expect(history[0].visits, `C = ${C}, gamma = ${gamma}`).toBe(passes);
      expect(certificate.status).toBe("solved");
      expectCertified(model, { features: unit, labels: y, loss: { ...spec, gamma }, C, precision: "float32" });
      if (C < 1) expect(certificate.epochs).toBeLessThanOrEqual(2); // of the first, 7 over lists
    }
  });

  test("stopped on the way: nothing has moved", async () => {
    const problem = await openProblem({ loss: "hinge" }, features, labels, { numClasses: m, inBlocks: true });
    expect(await startFromSums(problem, resolveLoss("test", "hinge", {}), new Pacer("never"), () => true)).toBe(0);
    expect(copyOf(problem.duals).every((a) => a === 0)).toBe(true);
    expect(problem.weights.copy().every((w) => w === 0)).toBe(true);
  });

  test("stopped in the first pass: the certificate is of what has been visited", async () => {
    const { features: X, labels: y } = clouds(3000, 64, 70, 3);
    const stop = new AbortController();
    const sweep = vi.spyOn(ResidentProblem.prototype, "sweep").mockImplementationOnce(function (
      this: ResidentProblem,
      ...args
    ) {
      stop.abort();
      this.sweep(...args);
    });
    const model = await fit(X, y, { loss: "hinge", yieldEvery: 1, signal: stop.signal });
    sweep.mockRestore();
    expect(model.certificate.status).toBe("aborted");
    expect(model.history[0].visits).toBeGreaterThan(0);
    expect(model.history[0].visits).toBeLessThan(1);
    expectCertified(model, {
      features: X,
      labels: y,
      loss: { loss: "hinge" },
      C: 1,
      precision: "float32",
      interceptScale: 1,
    });
  });
});
