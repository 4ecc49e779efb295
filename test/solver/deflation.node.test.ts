import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { fit, init, type FitOptions, type Model } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { Deflation } from "../../src/solver/deflation.ts";
import { ResidentMultipliers } from "../../src/wasm/multipliers.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { SweepProgress } from "../../src/wasm/progress.ts";
import { expectCertified, expectNeverFalls, recordsOnTheWay } from "../helpers/certified.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import { dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Steps that leave what features have in common to multipliers: what they do to D, and what passes of them do to a fit. */

beforeAll(() => init());
afterEach(() => vi.restoreAllMocks());

const [n, d, m] = [1000, 20, 8];
const { features: scattered, labels } = clouds(n, d, m, 3, 2);
/** Most of each row is what all of them have in common. */
const features = scattered.map((row) => row.map((v, l) => (v + 3 + (l % 4)) / 5));

/** Those whose steps go over lists, with weights of fewer ranks than make lists too long. */
const dense = ["softmax", "topk-entropy", "ova-logistic"];
const specs = allLosses.filter(({ loss, rankWeights }) => !dense.includes(loss) && !Array.isArray(rankWeights));

/** Few features of each row, so that what they have in common is the constant one behind them. */
const sparseRows = scattered.map((row, i) => row.map((v, l) => ((i + l) % 3 === 0 ? v / 5 : 0)));
const constant = 1.5;

describe.each(specs.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each([
    ["float32", "dense"],
    ["float64", "dense"],
    ["float32", "sparse"],
    ["float64", "sparse"],
  ] as const)("D rises by what is known, and weights stay those of A: %s, %s", async (precision, storage) => {
    const sparse = storage === "sparse";
    const rows = sparse ? sparseRows.map((row) => [...row, constant]) : features;
    const shape = sparse ? { nonzeros: n * (d + 1), hasConstant: true } : {};
    const problem = await openProblem(spec, rows, labels, { numClasses: m, precision, ...shape });
    expect(problem.multipliers.possible).toBe(true);
    finish(problem.visits.shuffle(n));
    problem.sweep(0, n, true);
    let before = dualOf(problem);
    expect(problem.multipliers.findDirections(64)).toBeGreaterThan(0.5);
    for (let from = 0; from < n; from += 300) problem.multipliers.takeCoordinates(from, Math.min(300, n - from));
    for (let round = 0; round < 3; round++) {
      const plainPenalty = problem.takePenalty();
      problem.multipliers.deflate(true);
      const near = (precision === "float32" ? 1e-5 : 1e-12) * plainPenalty;
      expect(Math.abs(problem.takePenalty() - plainPenalty)).toBeLessThanOrEqual(near);
      problem.progress.take();
      let lost = 0;
      for (let pass = 0; pass < 2; pass++) {
        finish(problem.visits.shuffle(n));
        for (let from = 0; from < n; from += 250) {
          problem.sweep(from, 250, false);
          const above = problem.takePenalty();
          const fallen = problem.multipliers.move(false);
          expect(Math.abs(problem.takePenalty() - above - fallen)).toBeLessThanOrEqual(near);
          lost += fallen;
        }
      }
      lost += problem.multipliers.move(true);
      problem.multipliers.deflate(false);
      const gained = 0.5 * problem.progress.take().movement;
      expect(gained).toBeGreaterThan(0);
      expect(lost).toBeGreaterThan(0);
      const carried = rowsOf(problem.weights.take(), m);
      const now = dualOf(problem);
      const rounding = (precision === "float32" ? 1e-5 : 1e-11) * Math.abs(now);
      expect(now - before).toBeGreaterThanOrEqual(gained - lost - rounding);
      const weights = rowsOf(problem.weights.take(), m);
      const largest = Math.max(...weights.flat().map(Math.abs));
      expect(far(carried, weights)).toBeLessThanOrEqual((precision === "float32" ? 1e-4 : 1e-11) * largest);
      before = now;
    }
  });
});

test.each([
  ["dense", features, {}],
  ["sparse", sparseRows.map((row) => [...row, constant]), { nonzeros: n * (d + 1), hasConstant: true }],
] as const)("a step that is taken twice is the same as one: it maximises D_B, %s", async (_, rows, shape) => {
  const spec: LossSpec = { loss: "hinge", gamma: 1 };
  const problem = await openProblem(spec, rows, labels, { numClasses: m, ...shape });
  const whole = problem.visits.visitActive();
  problem.sweep(0, whole, true);
  dualOf(problem);
  problem.multipliers.findDirections(64);
  problem.multipliers.takeCoordinates(0, n);
  problem.multipliers.deflate(true);
  let [once, again] = [0, 0];
  for (let i = 0; i < n; i++) {
    problem.progress.take();
    problem.sweep(i, 1, false);
    once += problem.progress.take().movement;
    problem.sweep(i, 1, false);
    again += problem.progress.take().movement;
  }
  expect(once).toBeGreaterThan(0.1);
  expect(again).toBeLessThanOrEqual(1e-20 * once);
});

test.each([0, 0.5])("of sparse rows it is the constant feature's part of K + gamma/C, gamma = %d", async (gamma) => {
  const rows = sparseRows.map((row) => [...row, constant]);
  const shape = { numClasses: m, nonzeros: n * (d + 1), hasConstant: true };
  const spec: LossSpec = { loss: "hinge", gamma };
  const problem = await openProblem(spec, rows, labels, shape);
  problem.C.fill(0, 0, 9); // of examples that count for nothing
  const all = rows.slice(9).reduce((sum, row) => sum + Math.hypot(...row) ** 2 + gamma / 2, 0);
  expect(problem.multipliers.findDirections(64)).toBeCloseTo(((n - 9) * constant ** 2) / all, 12);
});

test.each(["float32", "float64"] as const)(
  "rows of rank one have one direction, whatever rounding leaves: %s",
  async (precision) => {
    const rows = features.map((_, i) => Array.from({ length: d }, (_, l) => (1 + (i % 3)) * Math.fround(1 / (l + 3))));
    const problem = await openProblem({ loss: "hinge" }, rows, labels, { numClasses: m, precision });
    problem.sweep(0, problem.visits.visitActive(), true);
    const D = dualOf(problem);
    expect(Math.abs(problem.multipliers.findDirections(64) - 1)).toBeLessThanOrEqual(1e-5);
    problem.multipliers.takeCoordinates(0, n);
    const before = problem.takePenalty();
    problem.multipliers.deflate(true);
    expect(Math.abs(problem.takePenalty() - before)).toBeLessThanOrEqual(1e-5 * before);
    problem.multipliers.deflate(false);
    expect(Math.abs(dualOf(problem) - D)).toBeLessThanOrEqual(1e-6 * Math.abs(D));
  },
);

const C = 1;
const solve = (spec: LossSpec, options: Partial<FitOptions> = {}): Promise<Model> =>
  fit(features, labels, { ...optionsOf(spec), C, intercept: false, precision: "float64", ...options } as FitOptions);

const plain = (): unknown => vi.spyOn(ResidentMultipliers.prototype, "possible", "get").mockReturnValue(false);

const hinge: LossSpec = { loss: "hinge" };
const someLosses: LossSpec[] = [
  hinge,
  { loss: "hinge", gamma: 1 },
  { loss: "topk-hinge", k: 3, variant: "beta", gamma: 0.5 },
  { loss: "ova-hinge" },
];

describe.each(someLosses.map((spec) => [nameOf(spec), spec] as const))("a fit with %s", (_, spec) => {
  test("takes fewer epochs, is certified, and D never falls", async () => {
    const deflate = vi.spyOn(ResidentMultipliers.prototype, "deflate");
    const model = await solve(spec);
    expect(deflate).toHaveBeenCalled();
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features, labels, loss: spec, C, precision: "float64" });
    expectNeverFalls(model.history, 1e-10);
    plain();
    const slower = await solve(spec);
    expect(model.certificate.epochs).toBeLessThanOrEqual(0.8 * slower.certificate.epochs);
  });

  test("the same bits whatever yieldEvery is", async () => {
    const [one, other] = [await solve(spec, { yieldEvery: 1 }), await solve(spec, { yieldEvery: "never" })];
    expect(one.dualVariables).toEqual(other.dualVariables);
    expect(one.weights).toEqual(other.weights);
  });

  test("small C, where multipliers would move too far, and large C", async () => {
    for (const some of [1e-4, 0.01, 30]) {
      const model = await solve(spec, { C: some, tolerance: 1e-2, maxEpochs: 5000 });
      expect(model.certificate.status).toBe("solved");
      expectNeverFalls(model.history, 1e-10);
    }
  });
});

describe.each(someLosses.map((spec) => [nameOf(spec), spec] as const))(
  "sparse rows and an intercept: %s",
  (_, spec) => {
    const given = csrOf(sparseRows);
    const solveSparse = (options: Partial<FitOptions> = {}): Promise<Model> =>
      fit(given, labels, {
        ...optionsOf(spec),
        C,
        precision: "float64",
        interceptScale: constant,
        ...options,
      } as FitOptions);

    test("takes fewer epochs, is certified, and D never falls", async () => {
      const deflate = vi.spyOn(ResidentMultipliers.prototype, "deflate");
      const model = await solveSparse();
      expect(deflate).toHaveBeenCalled();
      expect(model.certificate.status).toBe("solved");
      const problem = { features: sparseRows, labels, loss: spec, C, interceptScale: constant };
      expectCertified(model, { ...problem, precision: "float64" });
      expectNeverFalls(model.history, 1e-10);
      const rough = await solveSparse({ precision: "float32" });
      expect(rough.certificate.status).toBe("solved");
      expectCertified(rough, { ...problem, precision: "float32" });
      plain();
      const slower = await solveSparse();
      expect(model.certificate.epochs).toBeLessThanOrEqual(0.8 * slower.certificate.epochs);
    });

    test("of any scale that is allowed, and near another model", async () => {
      for (const precision of ["float32", "float64"] as const) {
        for (const interceptScale of [1e-44, 1e-3, 1e12]) {
          const options = { precision, interceptScale, tolerance: 1e-2, maxEpochs: 30 };
          const model = await solveSparse(options);
          expectCertified(model, { features: sparseRows, labels, loss: spec, C, interceptScale, precision });
          // The last record may be that of the best evaluation, once more.
          expectNeverFalls(recordsOnTheWay(model), 1e-10);
        }
      }
      const first = await solveSparse({ C: 0.3 });
      const near = await solveSparse({ anchor: first });
      expect(near.certificate.status).toBe("solved");
      expectNeverFalls(near.history, 1e-10);
      plain();
      const { primalObjective } = (await solveSparse({ anchor: first })).certificate;
      const apart = Math.abs(near.certificate.primalObjective - primalObjective);
      expect(apart).toBeLessThanOrEqual(1e-3 * primalObjective);
    });
  },
);

test("stopped anywhere, the best certified model so far is what there is", async () => {
  const { history } = await solve(hinge, { tolerance: 1e-5 });
  const { movement } = Object.getOwnPropertyDescriptors(SweepProgress.prototype);
  let deep = 0;
  for (let stop = 20; stop < 200; stop += 25) {
    const controller = new AbortController();
    let parts = 0;
    const progress = vi.spyOn(SweepProgress.prototype, "movement", "get").mockImplementation(function (
      this: SweepProgress,
    ) {
      if (++parts === stop) controller.abort();
      return movement.get!.call(this) as number;
    });
    const model = await solve(hinge, { tolerance: 1e-5, signal: controller.signal });
    progress.mockRestore();
    expect(model.certificate.status).toBe("aborted");
    expectCertified(model, { features, labels, loss: hinge, C, precision: "float64" });
    const before = history
      .filter(({ epoch }) => epoch <= model.certificate.epochs - 1)
      .map((record) => record.dualityGap!);
    if (before.length > 0) deep++;
    expect(model.certificate.dualityGap!).toBeLessThanOrEqual((before.at(-1) ?? Infinity) * (1 + 1e-9));
  }
  expect(deep).toBeGreaterThan(2);
});

test("where D might have fallen the round is taken back", async () => {
  const moved = vi.fn();
  const { move } = ResidentMultipliers.prototype;
  vi.spyOn(ResidentMultipliers.prototype, "move").mockImplementation(function (this: ResidentMultipliers, toTheEnd) {
    moved();
    return move.call(this, toTheEnd) + 1e9;
  });
  const model = await solve(hinge);
  expect(moved).toHaveBeenCalledTimes(2); // the first part, and the way out
  expect(model.certificate.status).toBe("solved");
  expectCertified(model, { features, labels, loss: hinge, C, precision: "float64" });
  expectNeverFalls(model.history, 1e-10);
  const [first, second] = model.history.slice(0, 2);
  const again = model.history.filter(
    ({ dualObjective }) => Math.abs(dualObjective! - first.dualObjective!) < 1e-9 * first.dualObjective!,
  );
  expect(again.length).toBe(2);
  expect(second.dualObjective).toBeCloseTo(first.dualObjective!, 6);
});

test("features in a plane, with none left beside it, and rows that are zero", async () => {
  const flat = features.map(([a, b], i) => (i % 50 === 0 ? [0, 0, 0, 0] : [a, b, a + b, a - b]));
  for (const precision of ["float32", "float64"] as const) {
    const model = await fit(flat, labels, { loss: "hinge", C: 0.1, precision, tolerance: 1e-2, maxEpochs: 10_000 });
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features: flat, labels, loss: hinge, C: 0.1, precision, interceptScale: 1 });
  }
});

test("label sets, and a model to start from and to stay near", async () => {
  const sets = labels.map((y, i) => (i % 3 === 0 ? [y, (y + 1) % m] : [y]));
  const model = await fit(features, sets, { loss: "multilabel-hinge", C, precision: "float64" });
  expect(model.certificate.status).toBe("solved");
  expectNeverFalls(model.history, 1e-10);
  const first = await solve(hinge, { C: 0.3 });
  const warm = await solve(hinge, { initial: first });
  expect(warm.certificate.status).toBe("solved");
  const near = await solve(hinge, { anchor: first });
  expect(near.certificate.status).toBe("solved");
  expectNeverFalls(near.history, 1e-10);
  plain();
  const reference = await solve(hinge, { anchor: first });
  const { primalObjective } = near.certificate;
  expect(Math.abs(reference.certificate.primalObjective - primalObjective)).toBeLessThanOrEqual(1e-3 * primalObjective);
});

test("a round that ends in the pass that mends has been cut short", async () => {
  const problem = {
    shape: { numExamples: 4, numFeatures: 2 },
    multipliers: { possible: true, findDirections: () => 1, takeCoordinates() {}, deflate() {}, move: () => 0 },
  } as unknown as ResidentProblem;
  const deflation = new Deflation(problem, new Pacer("never"));
  await deflation.beforePass(true);
  deflation.notePass(1);
  expect(deflation.afterLastPass()).toBe(true); // the next pass is to mend
  expect(deflation.close()).toBe(true); // and has not been made
  expect(deflation.close()).toBe(false);
});
