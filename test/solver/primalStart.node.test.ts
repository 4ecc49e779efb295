import { afterEach, describe, expect, test, vi } from "vitest";
import type { Interruption } from "../../src/certificate.ts";
import { fit, type FitOptions, type HistoryRecord, type LossOptions, type Model } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { CoordinateAscent } from "../../src/solver/coordinateAscent.ts";
import { PrimalStart } from "../../src/solver/primalStart.ts";
import type { SolverParts } from "../../src/solver/solver.ts";
import { Watch } from "../../src/solver/watch.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { recomputeSets } from "../helpers/certifiedSets.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { nameOf } from "../helpers/losses.ts";
import { copyOf, dualOf, openProblem } from "../helpers/problem.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Many rows for each weight: Newton's method on P before any steps. */

const tall = clouds(4000, 6, 3, 17, 3);
const specs: LossSpec[] = [
  { loss: "softmax" },
  { loss: "topk-entropy", k: 2 },
  { loss: "topk-entropy", k: 2, variant: "beta" },
  { loss: "ova-logistic" },
];
const taken = vi.spyOn(PrimalStart.prototype, "take");
/** What each start of the last fits has led to. */
const results = (): Promise<(boolean | undefined)[]> => Promise.all(taken.mock.results.map(({ value }) => value));
afterEach(() => {
  taken.mockClear();
});

describe.each(specs.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const solve = (options: Partial<FitOptions> = {}, given: Parameters<typeof fit>[0] = tall.features): Promise<Model> =>
    fit(given, tall.labels, {
      ...(spec as LossOptions),
      ...{ C: 10, intercept: false, precision: "float64", ...options },
    } as FitOptions);

  test("solved at the first evaluation, in float32 and float64, dense and sparse", async () => {
    for (const precision of ["float32", "float64"] as const) {
      for (const given of [tall.features, csrOf(tall.features)]) {
        const model = await solve({ precision }, given);
        expect(model.certificate.status).toBe("solved");
        expect(model.history).toHaveLength(1);
        expect(model.certificate.epochs).toBeLessThanOrEqual(12);
        expectCertified(model, { ...tall, loss: spec, C: 10, precision });
      }
    }
    expect(await results()).toEqual([true, true, true, true]);
  });

  test("down to 1e-9, and D never falls", async () => {
    const model = await solve({ tolerance: 1e-9 });
    expect(model.certificate.status).toBe("solved");
    expectNeverFalls(model.history, 1e-12);
    expectCertified(model, { ...tall, loss: spec, C: 10, precision: "float64" });
  });

  test("with weights and around other weights", async () => {
    const random = uniforms(3);
    const sampleWeight = tall.labels.map(() => (random() < 0.3 ? 1e-6 : 3 * random()));
    const weighted = await solve({ sampleWeight, classWeight: "balanced" });
    expect(weighted.certificate.status).toBe("solved");
    const around = await solve({ anchor: weighted, C: 30 });
    expect(around.certificate.status).toBe("solved");
    expect((await results())[1]).toBe(true);
    expect(around.certificate.dualObjective).toBeLessThanOrEqual(around.certificate.primalObjective);
  });

  test("from a model of another C: it is evaluated first, and D does not fall", async () => {
    const initial = await solve({ C: 0.3 });
    taken.mockClear();
    const model = await solve({ initial, tolerance: 1e-5 });
    expect(model.certificate.status).toBe("solved");
    expect(model.history[0].epoch).toBe(0);
    expect(taken).toHaveBeenCalled();
    expectNeverFalls(model.history, 1e-12);
    expectCertified(model, { ...tall, loss: spec, C: 10, precision: "float64" });
  });

  test("where control is handed back changes no bit", async () => {
    const weights: unknown[] = [];
    for (const yieldEvery of ["never", "auto", 1] as const) weights.push((await solve({ yieldEvery })).weights);
    expect(weights[1]).toEqual(weights[0]);
    expect(weights[2]).toEqual(weights[0]);
  });
});

test("label sets", async () => {
  const random = uniforms(4);
  const classes = [0, 1, 2];
  const sets = tall.labels.map((y) => classes.filter((j) => (j === y ? random() < 0.8 : random() < 0.2)));
  for (const loss of ["multilabel-softmax", "ova-logistic"] as const) {
    const model = await fit(tall.features, sets, { loss, C: 10, classes, intercept: false, precision: "float64" });
    expect(model.certificate.status).toBe("solved");
    expect(model.history).toHaveLength(1);
    const costs = sets.map(() => 10);
    const { features } = tall;
    const { primal, dual } = recomputeSets(model, { features, sets, loss: { loss }, costs, precision: "float64" });
    const { primalObjective, dualObjective } = model.certificate;
    expect(Math.abs(primal - primalObjective)).toBeLessThanOrEqual(1e-13 * primal);
    expect(Math.abs(dual - dualObjective!)).toBeLessThanOrEqual(1e-13 * primal);
  }
  expect(await results()).toEqual([true, true]);
});

test("where one feature outweighs the others it goes on from where it has been", async () => {
  const features = tall.features.map((row) => row.map((v, l) => (l === 0 ? 300 * (v + 3) : v)));
  const model = await fit(features, tall.labels, { intercept: false, precision: "float64", tolerance: 1e-6 });
  expect(model.certificate.status).toBe("solved");
  expect(taken.mock.calls.length).toBeGreaterThan(1);
  expect((await results()).at(-1)).toBe(true);
  expect(model.certificate.epochs).toBeLessThanOrEqual(40);
  expectCertified(model, { features, labels: tall.labels, loss: { loss: "softmax" }, C: 1, precision: "float64" });
});

test("rows whose classes repeat as often as rows are looked at", async () => {
  const labels = tall.labels.map((_, i) => Math.floor(i / 8) % 3);
  const features = labels.map((y, i) => tall.features[(i % 1333) * 3 + y]);
  const model = await fit(features, labels, { C: 10, intercept: false, precision: "float64" });
  expect(model.certificate.status).toBe("solved");
  expect(await results()).toContain(true);
  expectCertified(model, { features, labels, loss: { loss: "softmax" }, C: 10, precision: "float64" });
});

test("where classes are apart it gives up after a few looks, and steps begin as if nothing had been", async () => {
  const apart = clouds(4000, 6, 3, 5, 0.05);
  const options = { C: 100, intercept: false, precision: "float64", tolerance: 1e-6 } as const;
  const model = await fit(apart.features, apart.labels, options);
  expect(await results()).toEqual([undefined]);
  const suits = vi.spyOn(PrimalStart, "suits").mockReturnValue(false);
  const without = await fit(apart.features, apart.labels, options);
  suits.mockRestore();
  expect(model.weights).toEqual(without.weights);
  expect(model.certificate.epochs - without.certificate.epochs).toBeLessThanOrEqual(8);
});

test("few epochs are for steps, and no more are taken than may be", async () => {
  for (const maxEpochs of [1, 20, 48]) {
    const { certificate } = await fit(tall.features, tall.labels, { C: 10, tolerance: 1e-12, maxEpochs });
    expect(certificate.epochs).toBeLessThanOrEqual(maxEpochs);
  }
  expect(taken).not.toHaveBeenCalled();
  for (const maxEpochs of [49, 60, 100]) {
    const { certificate, history } = await fit(tall.features, tall.labels, { C: 10, tolerance: 1e-12, maxEpochs });
    expect(certificate.epochs).toBeLessThanOrEqual(maxEpochs);
    expect(history.at(-1)!.visits).toBeLessThanOrEqual(maxEpochs + 1);
  }
  expect(taken).toHaveBeenCalled();
});

test("onProgress hears of the epochs on the way once there is an evaluation", async () => {
  const told: HistoryRecord[] = [];
  const initial = await fit(tall.features, tall.labels, { C: 0.3, precision: "float64" });
  const options = { C: 1000, tolerance: 1e-10, precision: "float64", initial } as const;
  const { history } = await fit(tall.features, tall.labels, { ...options, onProgress: (record) => told.push(record) });
  told.slice(1).forEach(({ epoch, visits }, r) => {
    expect(epoch).toBeGreaterThanOrEqual(told[r].epoch);
    expect(visits).toBeGreaterThanOrEqual(told[r].visits);
  });
  expect(told.at(-1)).toEqual(history.at(-1));
});

describe("by itself", () => {
  async function open(stopsAfter = Infinity, why: Interruption = "aborted") {
    const problem = await openProblem({ loss: "softmax" }, tall.features, tall.labels, { numClasses: 3 });
    const pacer = new Pacer("never");
    let asked = 0;
    const interruption = () => (++asked > stopsAfter ? why : undefined);
    const settings = { loss: resolveLoss("test", "softmax", {}), tolerance: 1e-3, maxEpochs: 1000 };
    const watch = new Watch(1e-3, "float64");
    const tell = () => Promise.resolve();
    const parts = { problem, pacer, settings, watch, interruption, tell, warm: false } as unknown as SolverParts;
    return { problem, parts, start: new PrimalStart(parts), asked: () => asked };
  }
  const place = { epoch: 0, visits: 0 };

  test("its passes are as many as it looks at examples, for gradients and for products", async () => {
    const { problem, start } = await open();
    const gradients = vi.spyOn(problem.derivatives, "addGradient");
    const products = vi.spyOn(problem.derivatives, "addCurvature");
    await start.take(place, () => Promise.resolve(true));
    const visits = [...gradients.mock.calls, ...products.mock.calls].reduce((sum, [, count]) => sum + count, 0);
    expect(start.passes * tall.labels.length).toBeCloseTo(visits, 6);
    expect(start.passes).toBeGreaterThan(1);
  });

  test("wherever it is stopped, all is as it was", async () => {
    const whole = await open();
    expect(await whole.start.take(place, () => Promise.resolve(true))).toBe(true);
    const most = whole.asked();
    expect(most).toBeGreaterThan(20);
    for (let after = 0; after < most; after += 7) {
      const { problem, start } = await open(after);
      expect(await start.take(place, () => Promise.resolve(false))).toBeUndefined();
      expect(Math.max(...copyOf(problem.duals))).toBe(0);
      expect(Math.max(...problem.weights.take().map(Math.abs))).toBe(0);
      expect(start.mayBeTaken(0)).toBe(false);
    }
  });

  test("once time is up there is an even start at least, and after an abort nothing", async () => {
    for (const [why, asks] of [
      ["max-seconds", 30],
      ["aborted", 30],
    ] as const) {
      const { problem, parts, asked } = await open(asks, why);
      const solver = new CoordinateAscent(parts);
      expect(await solver.round()).toBe(why);
      expect(asked()).toBeGreaterThan(asks);
      if (why === "max-seconds") expect(dualOf(problem)).toBeGreaterThan(0);
      else expect(dualOf(problem)).toBe(0);
    }
  });

  test("it suits tall tables of few classes, of smooth losses, without a kernel, that steps are short for", () => {
    const suits = (given: object, loss: LossOptions = {}, cost = 10): boolean => {
      const shape = { numExamples: 4000, numFeatures: 6, numClasses: 3, ...given };
      const C = new Float64Array(shape.numExamples).fill(cost);
      const problem = { shape, C, takeNorms: () => ({ weightedNorms: cost * shape.numExamples }) };
      const { loss: name = "softmax", ...parameters } = loss;
      return PrimalStart.suits({
        problem: { ...problem, kernel: (given as { kernel?: object }).kernel },
        settings: { loss: resolveLoss("test", name, parameters) },
      } as never);
    };
    expect(suits({})).toBe(true);
    expect(suits({ numExamples: 144 })).toBe(true); // 8 rows for each of 18 weights
    expect(suits({ numExamples: 143 })).toBe(false);
    expect(suits({ numClasses: 10 })).toBe(true);
    expect(suits({ numClasses: 11 })).toBe(false);
    expect(suits({ kernel: {} })).toBe(false);
    expect(suits({}, {}, 2)).toBe(false);
    expect(suits({}, { loss: "hinge" })).toBe(false);
    expect(suits({}, { loss: "hinge", gamma: 1 })).toBe(false);
    expect(suits({}, { loss: "ova-logistic" })).toBe(true);
    // With many features only where steps take long: above 100/16, and twice the 34 passes over a fifth or a 98th for moments.
    const wide = { numFeatures: 100 };
    expect(suits({ ...wide, numExamples: 1e5 }, {}, 7)).toBe(true);
    expect(suits({ ...wide, numExamples: 1e5 }, {}, 6)).toBe(false);
    expect(suits({ ...wide, numExamples: 5e3 }, {}, 14)).toBe(true);
    expect(suits({ ...wide, numExamples: 5e3 }, {}, 13)).toBe(false);
  });
});
