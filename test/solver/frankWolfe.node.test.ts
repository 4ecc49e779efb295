import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, load, type FitOptions, type HistoryRecord } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { FrankWolfe } from "../../src/solver/frankWolfe.ts";
import type { SolverParts } from "../../src/solver/solver.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { csrOf, spread } from "../helpers/csr.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { asGram, expectKernelCertified } from "../helpers/kernels.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import { copyOf } from "../helpers/problem.ts";
import { lossSpecOf, type LossCase } from "../helpers/vectors.ts";
import { gramOf } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import { dualObjective, infeasibility } from "../reference/objective.ts";
import cases from "../vectors/C1_training_linear.json" with { type: "json" };

beforeAll(() => init());

const directions = ["standard", "away", "pairwise"] as const;
const losses = allLosses.filter(({ loss }) => loss.endsWith("hinge") && !loss.startsWith("ova"));
const m = 5;
const { features, labels } = clouds(60, 4, m, 9);
features[7].fill(0);
const solver = "frank-wolfe" as const;

describe.each(losses.map((loss) => [nameOf(loss), loss] as const))("%s", (_, loss) => {
  const options: FitOptions = { ...optionsOf(loss), solver, intercept: false, C: 0.1, maxEpochs: 400 };

  test.each(directions)("%s: the certificate holds, dense and sparse, in both precisions", async (direction) => {
    for (const precision of ["float32", "float64"] as const) {
      const wide = spread(features, 40);
      const problem = { labels, loss, C: 0.1, precision };
      const model = await fit(features, labels, { ...options, direction, precision, tolerance: 1e-2 });
      expect(model.certificate.status).toBe("solved");
      expectCertified(model, { ...problem, features });
      const sparse = await fit(csrOf(wide), labels, { ...options, direction, precision, tolerance: 1e-2 });
      expect(sparse.certificate.status).toBe("solved");
      expectCertified(sparse, { ...problem, features: wide });
    }
  });

  test("with a kernel and on its Gram matrix", async () => {
    const kernel = { name: "rbf", gamma: 0.3 } as const;
    const K = gramOf(features, features, kernel);
    for (const direction of directions) {
      const own = { ...options, direction, C: 1, tolerance: 1e-2, precision: "float64" } as const;
      const problem = { labels, loss, C: 1, precision: "float64", interceptScale: 0 } as const;
      const byRows = await fit(features, labels, { ...own, kernel });
      expectKernelCertified(byRows, { ...problem, features, kernel });
      const byGram = await fit(asGram(K), labels, own);
      expectKernelCertified(byGram, { ...problem, K });
      expect([byRows, byGram].map(({ certificate }) => certificate.status)).toEqual(["solved", "solved"]);
    }
  });

  test("coordinate ascent finds the same optimum", async () => {
    const base = { ...options, precision: "float64" } as const;
    const other = await fit(features, labels, { ...base, solver: "sdca", tolerance: 1e-8, maxEpochs: 10_000 });
    for (const direction of directions) {
      const { certificate } = await fit(features, labels, { ...base, direction, tolerance: 1e-3 });
      expect(certificate.dualObjective).toBeLessThanOrEqual(other.certificate.primalObjective * (1 + 64 * EPS));
      expect(other.certificate.dualObjective).toBeLessThanOrEqual(certificate.primalObjective * (1 + 64 * EPS));
    }
  });

  test.each(directions)(
    "%s: steps are feasible, none lowers the dual, and the step size is the best",
    async (direction) => {
      const C = 0.5;
      const { loss: name, ...parameters } = loss;
      const shape = { numExamples: 60, numFeatures: 4, numClasses: m, precision: "float64", direction } as const;
      const problem = await ResidentProblem.create("test", shape, resolveLoss("test", name, parameters), 0);
      problem.y.set(labels);
      problem.C.fill(C);
      features.forEach((row, i) => problem.features.dense(i).set(row));
      problem.measureRows(0, features.length);
      const atoms = problem.atoms!;
      const rowsOf = (data: ArrayLike<number>): number[][] =>
        features.map((_, i) => Array.from({ length: m }, (_, j) => data[i * m + j]));
      const dual = (data: ArrayLike<number>): number => dualObjective(rowsOf(data), features, labels, C, loss);
      let before = 0;
      // More steps than there are atoms: some have joined the rest.
      for (let step = 0; step < 40; step++) {
        const start = copyOf(problem.duals);
        atoms.begin();
        atoms.findVertices(0, 60);
        atoms.combine(0, 60);
        atoms.addStepNorm();
        const { slope, curvature, gap } = atoms.sums;
        const stepSize = Math.min(slope / curvature, 1);
        // In slices, as it may come.
        atoms.moveDuals(0, 25, stepSize);
        atoms.moveDuals(25, 35, stepSize);
        atoms.moveWeights(stepSize);
        const end = copyOf(problem.duals);
        const now = dual(end);
        const rounding = 64 * 60 * EPS * Math.max(now, C * 60);
        expect(infeasibility(rowsOf(end), labels, C, loss)).toBeLessThanOrEqual(64 * m * EPS);
        expect(end.every((a, e) => a <= 0 || e % m === labels[Math.floor(e / m)])).toBe(true); // not even by rounding
        // The parabola says by how much, and from nowhere else on the line D is higher.
        expect(Math.abs(now - before - stepSize * (slope - 0.5 * stepSize * curvature))).toBeLessThanOrEqual(rounding);
        for (const other of [0.9 * stepSize, Math.min(1.1 * stepSize, 1)]) {
          expect(dual(start.map((a, e) => a + (other / stepSize) * (end[e] - a)))).toBeLessThanOrEqual(now + rounding);
        }
        expect(slope).toBeGreaterThanOrEqual(0);
        if (direction === "standard") expect(gap).toBe(slope);
        before = now;
      }
      expect(before).toBeGreaterThan(0);
    },
  );
});

test("with atoms a smoothed fit converges linearly: certified optima to 1e-6", async () => {
  let solved = 0;
  for (const { name, lam, m, X, y, P, ...which } of cases) {
    const loss = lossSpecOf(which as LossCase);
    if (!loss?.gamma || !loss.loss.endsWith("hinge") || lam < 0.1) continue;
    for (const direction of ["away", "pairwise"] as const) {
      const model = await fit(X, y as number[], {
        ...optionsOf(loss),
        ...{ solver, direction, lambda: lam, classes: Array.from({ length: m }, (_, j) => j), intercept: false },
        ...{ precision: "float64", tolerance: 1e-6, maxEpochs: 2000, yieldEvery: "never" },
      });
      const { status, primalObjective, dualObjective } = model.certificate;
      expect(status, `${name}, ${direction}`).toBe("solved");
      expect(Math.abs(primalObjective * lam - P)).toBeLessThanOrEqual(2e-6 * P);
      expect(dualObjective! * lam).toBeLessThanOrEqual(P * (1 + 1e-9));
      solved++;
    }
  }
  expect(solved).toBeGreaterThan(20);
});

describe("around a fit", () => {
  const loss: LossSpec = { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2, gamma: 0.1 };
  const options: FitOptions = { ...optionsOf(loss), solver, tolerance: 1e-3 };

  test("pairwise is the direction that is meant without one", async () => {
    const model = await fit(features, labels, options);
    expect(model.dualVariables).toEqual(
      (await fit(features, labels, { ...options, direction: "pairwise" })).dualVariables,
    );
    expect(load(model.toBytes()).weights).toEqual(model.weights);
  });

  test("same bits, however a fit yields", async () => {
    const runs = await Promise.all(
      (["auto", 1, "never"] as const).map((yieldEvery) => fit(features, labels, { ...options, yieldEvery })),
    );
    for (const run of runs.slice(1)) expect(run.dualVariables).toEqual(runs[0].dualVariables);
  });

  test("records: an epoch is a step, and the dual never falls", async () => {
    const records: HistoryRecord[] = [];
    const { certificate, history } = await fit(features, labels, {
      ...{ ...options, precision: "float64", direction: "standard", tolerance: 0, maxEpochs: 40 },
      onProgress: (record) => records.push(record),
      validation: { features, labels },
    });
    expect(certificate).toMatchObject({ status: "max-epochs", epochs: 40 });
    expect(records).toEqual(history);
    // The last record may be that of the best point of all, gone back to.
    const steps = history.filter(({ epoch }, i) => i === 0 || epoch > history[i - 1].epoch);
    expect(steps.map(({ epoch }) => epoch)).toEqual([1, 2, 4, 8, 16, 24, 32, 40]);
    steps.forEach(({ epoch, visits, validation }) => {
      expect(visits).toBe(epoch);
      expect(validation![0].rows).toBe(60);
    });
    expectNeverFalls(steps, 64 * EPS);
  });

  test("budgets and signals end it with a true certificate", async () => {
    const problem = { features, labels, loss, C: 1, precision: "float32", interceptScale: 1 } as const;
    const stop = new AbortController();
    const ends: [string, FitOptions][] = [
      ["max-epochs", { ...options, tolerance: 0, maxEpochs: 3 }],
      ["max-seconds", { ...options, tolerance: 0, maxSeconds: 0 }],
      ["aborted", { ...options, signal: AbortSignal.abort() }],
      ["aborted", { ...options, tolerance: 0, signal: stop.signal, onProgress: () => stop.abort() }],
    ];
    for (const [status, own] of ends) {
      const model = await fit(features, labels, own);
      expect(model.certificate.status).toBe(status);
      expectCertified(model, problem);
    }
  });

  test("from coordinate ascent's end there is no step to take; another C starts there", async () => {
    const first = await fit(features, labels, { ...options, solver: "sdca", tolerance: 1e-5 });
    expect((await fit(features, labels, { ...options, initial: first })).certificate).toMatchObject({
      ...{ status: "solved", epochs: 0 },
    });
    const next = { ...options, C: 1.2 };
    const [warm, cold] = [await fit(features, labels, { ...next, initial: first }), await fit(features, labels, next)];
    expect(warm.certificate.status).toBe("solved");
    expect(warm.certificate.epochs).toBeLessThan(cold.certificate.epochs);
    const around = await fit(features, labels, { ...options, anchor: first });
    expect(around.certificate.status).toBe("solved");
  });

  test("what has no vertices is refused by name", async () => {
    for (const name of ["softmax", "ova-hinge", "topk-entropy"] as const) {
      const given = { loss: name, solver, ...(name === "topk-entropy" && { k: 2 }) } as FitOptions;
      await expect(fit(features, labels, given)).rejects.toThrow(
        new RangeError(
          `fit: "solver" "frank-wolfe" goes with "hinge", "topk-hinge" and "weighted-topk-hinge", not with the loss "${name}"`,
        ),
      );
    }
    const sets = labels.map((label) => [label]);
    await expect(fit(features, sets, { loss: "multilabel-hinge", solver })).rejects.toThrow('not with the loss "multi');
  });
});

test("after an evaluation that doubts the bound of the directions a step is taken first", async () => {
  let moves = 0;
  const parts = {
    problem: {
      ...{ shape: { numExamples: 1 }, rowsAtOnce: 1 },
      atoms: {
        ...{ sums: { slope: 1, curvature: 1, gap: 0 }, begin() {}, findVertices() {}, combine() {}, addStepNorm() {} },
        ...{ moveDuals() {}, moveWeights: () => moves++ },
      },
    },
    ...{ settings: { maxEpochs: 10 }, watch: { target: 1 }, pacer: new Pacer("never") },
    ...{ interruption: () => undefined, warm: false },
  } as unknown as SolverParts;
  const solver = new FrankWolfe(parts);
  for (let round = 1; round <= 3; round++) {
    await solver.round();
    expect(moves).toBeGreaterThanOrEqual(round);
  }
});

test.each(["away", "pairwise"] as const)(
  "of more vertices than there is room for none is lost: %s",
  async (direction) => {
    for (const seed of [2, 3]) {
      const uniform = uniforms(seed);
      const features = Array.from({ length: 5 }, () => Array.from({ length: 3 }, () => 2 * uniform() - 1));
      const { history, certificate } = await fit(features, [0, 1, 2, 3, 4], {
        ...{ loss: "topk-hinge", k: 5, gamma: 0.5, C: 3, precision: "float64", solver, direction, intercept: false },
        ...{ classes: [...Array(60).keys()], tolerance: 1e-7, maxEpochs: 3000, seed },
      });
      expectNeverFalls(history, 1e-10);
      expect(certificate.status, `seed ${seed}`).toBe("solved");
    }
  },
);
