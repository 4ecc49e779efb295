import { afterEach, describe, expect, test, vi } from "vitest";
import type { Objectives } from "../../src/certificate.ts";
import { fit, type FitOptions, type LossOptions } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { CentralPath } from "../../src/solver/centralPath.ts";
import { ClassEquations } from "../../src/solver/classEquations.ts";
import type { DualDomains } from "../../src/solver/dualDomains.ts";
import { estimate, rebuildWeights } from "../../src/solver/evaluate.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { factorKernel } from "../../src/solver/kernelFactor.ts";
import { SimplexDomains } from "../../src/solver/simplexDomains.ts";
import type { Place, SolverParts } from "../../src/solver/solver.ts";
import { Watch } from "../../src/solver/watch.ts";
import { WeightedDomains } from "../../src/solver/weightedDomains.ts";
import { expectCertified, expectNeverFalls, recompute } from "../helpers/certified.ts";
import { recomputeSets } from "../helpers/certifiedSets.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds, normals, uniforms } from "../helpers/data.ts";
import { asGram, expectKernelCertified, kernels } from "../helpers/kernels.ts";
import { nameOf } from "../helpers/losses.ts";
import { copyOf, openProblem } from "../helpers/problem.ts";
import { conjugate } from "../reference/conjugates.ts";
import { gramOf, type KernelSpec } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import { infeasibility } from "../reference/objective.ts";
import { rankWeightsOf } from "../reference/permutahedron.ts";

/** Hinge losses of small tables where C is so large that steps get nowhere: an interior point method. */

/** Few rows for each weight: no path from smaller C leads there. */
const table = clouds(60, 6, 4, 3, 3);
const C = 1000;
const specs: LossSpec[] = [
  { loss: "hinge" },
  { loss: "hinge", gamma: 1e-3 },
  { loss: "topk-hinge", k: 2 },
  { loss: "topk-hinge", k: 3 }, // all other classes alike
  { loss: "topk-hinge", k: 2, variant: "beta" },
  { loss: "topk-hinge", k: 2, variant: "beta", gamma: 1e-3 },
  { loss: "topk-hinge", k: 1, variant: "alpha-inclusive" },
  { loss: "topk-hinge", k: 2, variant: "alpha-inclusive" },
  { loss: "topk-hinge", k: 3, variant: "alpha-inclusive" },
  { loss: "topk-hinge", k: 3, variant: "alpha-inclusive", gamma: 1e-3 },
  { loss: "weighted-topk-hinge", k: 2, rankWeights: "linear" },
  { loss: "weighted-topk-hinge", k: 3, rankWeights: "exp", gamma: 1e-3 },
  { loss: "weighted-topk-hinge", rankWeights: [0.9, 0.5, 0.5, 0.1] },
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 1e-3 },
];
const taken = vi.spyOn(InteriorPoint.prototype, "take");
/** The gaps to which those of the last fits have led. */
const gaps = (): Promise<number[]> => Promise.all(taken.mock.results.map(({ value }) => value));
afterEach(() => {
  taken.mockClear();
});

describe.each(specs.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const solve = (options: Partial<FitOptions> = {}, features: Parameters<typeof fit>[0] = table.features) =>
    fit(features, table.labels, {
      ...(spec as LossOptions),
      ...{ C, intercept: false, precision: "float64", maxEpochs: 400, ...options },
    } as FitOptions);

  test("is solved in float32 and float64, dense and sparse", async () => {
    for (const precision of ["float32", "float64"] as const) {
      for (const given of [table.features, csrOf(table.features)]) {
        const model = await solve({ precision }, given);
        expect(model.certificate.status).toBe("solved");
        expectNeverFalls(model.history, precision === "float32" ? 1e-6 : 1e-12);
        expectCertified(model, { ...table, loss: spec, C, precision });
      }
    }
    for (const gap of await gaps()) expect(gap).toBeLessThan(Infinity);
    expect(taken).toHaveBeenCalledTimes(4);
  });

  test("down to 1e-9", async () => {
    const model = await solve({ tolerance: 1e-9 });
    expect(model.certificate.status).toBe("solved");
    expectNeverFalls(model.history, 1e-12);
    expectCertified(model, { ...table, loss: spec, C, precision: "float64" });
    expect(taken).toHaveBeenCalledTimes(1);
  });

  test("with weights and around other weights", async () => {
    const random = uniforms(3);
    const sampleWeight = table.labels.map(() => (random() < 0.3 ? 1e-6 : 3 * random()));
    const weighted = await solve({ sampleWeight });
    expect(weighted.certificate.status).toBe("solved");
    const around = await solve({ anchor: weighted, C: 3 * C });
    expect(around.certificate.status).toBe("solved");
    expect(Math.max(...(await gaps()))).toBeLessThan(Infinity);
    expect(taken).toHaveBeenCalledTimes(2);
  });

  test("where control is handed back changes no bit", async () => {
    const weights: unknown[] = [];
    for (const yieldEvery of ["never", "auto", 1] as const) weights.push((await solve({ yieldEvery })).weights);
    expect(weights[1]).toEqual(weights[0]);
    expect(weights[2]).toEqual(weights[0]);
  });
});

test("label sets, of which some hold nothing or everything", async () => {
  const random = uniforms(4);
  const classes = [0, 1, 2, 3];
  const sets = table.labels.map((y) => classes.filter((j) => (j === y ? random() < 0.8 : random() < 0.2)));
  sets[0] = [];
  sets[1] = classes;
  const { features } = table;
  for (const loss of ["multilabel-hinge", "ova-hinge"] as const) {
    const options = { loss, C, classes, intercept: false, precision: "float64", maxEpochs: 400 } as const;
    const model = await fit(features, sets, options);
    expect(model.certificate.status).toBe("solved");
    const costs = sets.map(() => C);
    const { primal, dual } = recomputeSets(model, { features, sets, loss: { loss }, costs, precision: "float64" });
    const { primalObjective, dualObjective } = model.certificate;
    expect(Math.abs(primal - primalObjective)).toBeLessThanOrEqual(1e-13 * primal);
    expect(Math.abs(dual - dualObjective!)).toBeLessThanOrEqual(1e-13 * primal);
  }
  expect(taken).toHaveBeenCalledTimes(2);
});

test("tables of all kinds are solved, however large C or features", async () => {
  const random = uniforms(5);
  const normal = normals(6);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)];
  const unsolved: unknown[] = [];
  for (let seed = 0; seed < 120; seed++) {
    const [n, d, m] = [pick([5, 20, 60]), pick([1, 3, 8]), pick([4, 5])];
    const size = pick([1, 1, 1e-3, 30]);
    const { features, labels } = clouds(n, d, m, seed + 1, pick([0.3, 1, 3]));
    const rows = features.map((row) => row.map((v) => size * v));
    // Rows twice, with other classes, and rows of zeros.
    for (let i = m; i < n; i += 7) rows[i] = [...rows[i - 1]];
    rows[n - 1] = rows[n - 1].map(() => 0);
    // The constant beside features that small is more than float32 has digits for.
    const precision = size < 1 ? "float64" : undefined;
    const options = { ...(pick(specs) as LossOptions), C: pick([1, 100, 1e4, 1e5]), seed, precision } as FitOptions;
    const sampleWeight = pick([undefined, rows.map(() => 0.1 + Math.abs(normal()))]);
    const model = await fit(rows, labels, { ...options, ...(options.loss === "topk-hinge" && { k: 2 }), sampleWeight });
    if (model.certificate.status !== "solved") unsolved.push([seed, n, d, m, size, options, model.certificate]);
  }
  expect(unsolved).toEqual([]);
  expect(taken.mock.calls.length).toBeGreaterThan(20);
});

describe("with a kernel", () => {
  const rows = clouds(60, 2, 3, 9, 2);
  const cases: [string, KernelSpec | undefined][] = [...kernels.map((k): [string, KernelSpec] => [k.name, k])];
  cases.push(["a Gram matrix", undefined]);

  test.each(cases)("%s, in float32 and float64", async (_, kernel) => {
    const K = kernel ? undefined : gramOf(rows.features, rows.features, kernels[1]);
    for (const precision of ["float32", "float64"] as const) {
      for (const loss of [{ loss: "hinge" }, { loss: "ova-hinge" }] as const) {
        const common = { ...loss, C: 300, precision, maxEpochs: 300, tolerance: precision === "float32" ? 1e-2 : 1e-6 };
        const model = K
          ? await fit(asGram(K), rows.labels, common)
          : await fit(rows.features, rows.labels, { ...common, kernel: kernel! } as FitOptions);
        expect(model.certificate.status).toBe("solved");
        const features = K ? {} : { features: rows.features, kernel: kernel! };
        const fitted = {
          ...features,
          ...(K && { K }),
          labels: rows.labels,
          loss,
          C: 300,
          precision,
          interceptScale: 1,
        };
        expectKernelCertified(model, fitted);
      }
    }
    expect(taken.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(Math.min(...(await gaps()))).toBeLessThan(Infinity);
  });

  test("its factor: as many columns as the matrix has ranks, and no more than may be", () => {
    const normal = normals(11);
    const X = Array.from({ length: 30 }, () => Array.from({ length: 4 }, normal));
    X[7] = X[3];
    const K = gramOf(X, X, { name: "linear" });
    const some = Int32Array.from({ length: 20 }, (_, e) => e + 5);
    for (const precision of ["float32", "float64"] as const) {
      const rowOf = (i: number) => (precision === "float32" ? new Float32Array(K[i]) : K[i]);
      const { X: factor, columns } = finish(factorKernel(rowOf, some, precision, 4))!;
      expect(columns).toBe(4);
      some.forEach((i, e) =>
        some.forEach((j, f) => {
          let product = 0;
          for (let c = 0; c < columns; c++) product += factor[e * columns + c] * factor[f * columns + c];
          expect(Math.abs(product - K[i][j])).toBeLessThan(precision === "float32" ? 1e-4 : 1e-12);
        }),
      );
      expect(finish(factorKernel(rowOf, some, precision, 3))).toBeUndefined();
    }
  });
});

test("if it leads nowhere, all is as it was, and rounds go on", async () => {
  const options = { loss: "hinge", C, precision: "float64", intercept: false, maxEpochs: 700 } as const;
  const stuck = vi.spyOn(CentralPath.prototype, "step").mockReturnValue(false);
  const model = await fit(table.features, table.labels, options);
  stuck.mockRestore();
  expect(await gaps()).toEqual([Infinity]);
  expect(model.certificate.status).toBe("max-epochs");
  expectNeverFalls(model.history.slice(0, -1), 1e-12);
  expect(model.history.at(-2)!.dualObjective).toBeGreaterThan(1.5 * model.history[3].dualObjective!);
  expectCertified(model, { ...table, loss: { loss: "hinge" }, C, precision: "float64" });
});

test("no more epochs are taken than may be", async () => {
  for (const maxEpochs of [40, 100, 150, ...Array.from({ length: 12 }, (_, e) => 195 + 3 * e)]) {
    taken.mockClear();
    const options = { loss: "hinge", C: 1e5, tolerance: 1e-14, precision: "float64", maxEpochs } as const;
    const { certificate, history } = await fit(table.features, table.labels, options);
    expect(certificate.epochs).toBeLessThanOrEqual(maxEpochs);
    expect(history.at(-1)!.visits).toBeLessThanOrEqual(maxEpochs + 1);
    expect(taken).toHaveBeenCalledTimes(maxEpochs < 160 ? 0 : 1);
  }
});

test.each([2, 3, 4])("a detour leaves the epochs it takes, clouds %i", async (seed) => {
  const { features, labels } = clouds(100, 10, 10, seed);
  const rows = features.map((row) => row.map((v, l) => 3 * v * 10 ** (l / 10)));
  const model = await fit(rows, labels, { loss: "ova-hinge", gamma: 1, C: 100 });
  expect(await gaps()).toHaveLength(1);
  expect(model.certificate.status).toBe("solved");
});

test("where the last steps there are do not get there, the point they lead to is kept", async () => {
  const options = { loss: "hinge", C: 1e5, tolerance: 1e-12, precision: "float64", maxEpochs: 195 } as const;
  const { certificate } = await fit(table.features, table.labels, options);
  expect((await gaps())[0]).toBeLessThan(Infinity);
  expect(certificate.relativeGap).toBeLessThan(1e-6);
});

test("where D is lower at the point that it leads to, but the gap smaller, the fit ends there", async () => {
  const apart = clouds(60, 15, 5, 3, 0.3);
  const options = { loss: "topk-hinge", k: 2, C: 100, tolerance: 1e-10, precision: "float64", maxEpochs: 400 } as const;
  const model = await fit(apart.features, apart.labels, options);
  expect(await gaps()).toEqual([Infinity]); // steps went on from before
  const { certificate, history } = model;
  const others = history.slice(0, -1);
  expect(certificate.relativeGap).toBeLessThan(0.5 * Math.min(...others.map(({ relativeGap }) => relativeGap!)));
  expect(certificate.dualObjective).toBeLessThan(Math.max(...others.map(({ dualObjective }) => dualObjective!)));
  const fitted = { ...apart, loss: { loss: "topk-hinge", k: 2 } as LossSpec, C: 100, interceptScale: 1 };
  const found = recompute(model, { ...fitted, precision: "float64" });
  expect(found.infeasibility).toBeLessThan(1e-14);
  expect(found.gap).toBeLessThanOrEqual(certificate.dualityGap!);
  // And the next one goes on from where it had come to.
  const next = await fit(apart.features, apart.labels, { ...options, initial: model, maxEpochs: 5 });
  expect(next.certificate.dualityGap).toBeLessThanOrEqual(certificate.dualityGap! * (1 + 1e-9));
  expect(next.history.some(({ dualObjective }) => dualObjective! > certificate.dualObjective!)).toBe(true);
});

test("it suits tables with few weights, of hinge losses whose domains it knows", () => {
  const suits = (shape: object, loss: string, parameters: object = {}, kernel?: object): boolean =>
    InteriorPoint.suits({
      problem: { shape, kernel },
      settings: { loss: resolveLoss("test", loss, parameters) },
    } as unknown as SolverParts);
  const small = { numExamples: 60, numFeatures: 6, numClasses: 4 };
  for (const loss of ["hinge", "ova-hinge", "multilabel-hinge"]) expect(suits(small, loss), loss).toBe(true);
  for (const variant of ["alpha", "beta"]) expect(suits(small, "topk-hinge", { k: 3, variant })).toBe(true);
  for (const k of [1, 2, 3]) expect(suits(small, "topk-hinge", { k, variant: "alpha-inclusive" })).toBe(true);
  for (const loss of ["softmax", "ova-logistic", "multilabel-softmax"]) expect(suits(small, loss), loss).toBe(false);
  expect(suits(small, "topk-entropy", { k: 2 })).toBe(false);
  expect(suits(small, "weighted-topk-hinge", { k: 2, rankWeights: "flat" })).toBe(true);
  // Two numbers for each variable of an example, of which there are m for each level of weights.
  const many = { numExamples: 2 ** 16, numFeatures: 2, numClasses: 4 };
  expect(suits(many, "weighted-topk-hinge", { k: 2, rankWeights: "flat" })).toBe(true);
  expect(suits(many, "weighted-topk-hinge", { k: 2, rankWeights: "linear" })).toBe(false);
  // And where it is smoothed a factor.
  const wide = { numExamples: 1000, numFeatures: 1, numClasses: 60 };
  expect(suits(wide, "topk-hinge", { k: 3, variant: "alpha-inclusive" })).toBe(true);
  expect(suits(wide, "topk-hinge", { k: 3, variant: "alpha-inclusive", gamma: 1 })).toBe(false);
  expect(suits({ ...small, weighsLabels: true }, "ova-hinge")).toBe(false);
  expect(suits(small, "hinge", {}, {})).toBe(true);
  expect(suits({ ...small, numFeatures: 256 }, "hinge")).toBe(true);
  expect(suits({ ...small, numFeatures: 257 }, "hinge")).toBe(false);
  expect(suits({ ...small, numFeatures: 257 }, "hinge", {}, {})).toBe(true); // a kernel of lower rank
  expect(suits({ ...small, numClasses: 128 }, "hinge")).toBe(true);
  expect(suits({ ...small, numClasses: 129 }, "hinge")).toBe(false);
  expect(suits({ numExamples: 2 ** 16, numFeatures: 4, numClasses: 2 }, "ova-hinge")).toBe(true);
  expect(suits({ numExamples: 2 ** 16 + 1, numFeatures: 4, numClasses: 2 }, "ova-hinge")).toBe(false);
  expect(suits({ numExamples: 4000, numFeatures: 100, numClasses: 10 }, "hinge")).toBe(false); // too much work
  for (const numFeatures of [16, 17]) {
    const tall = { numExamples: 2 ** 16, numFeatures, numClasses: 2 };
    expect(suits(tall, "ova-hinge"), "too many numbers").toBe(numFeatures === 16);
  }
});

describe("by itself", () => {
  async function open(stopsAfter = Infinity, tolerance = 1e-3, dual = (now: Objectives) => now.dualObjective) {
    const problem = await openProblem({ loss: "hinge" }, table.features, table.labels, { numClasses: 4 });
    const pacer = new Pacer("never");
    problem.C.fill(C);
    problem.visits.activateAll();
    for (let pass = 0; pass < 5; pass++) problem.sweep(0, problem.visits.visitActive(), true);
    await rebuildWeights(problem, pacer); // which repairs them to the last bit
    let asked = 0;
    const interruption = () => (++asked > stopsAfter ? ("aborted" as const) : undefined);
    const settings = {
      ...{ loss: resolveLoss("test", "hinge", {}), tolerance, maxEpochs: 1000, precision: "float64" },
    };
    const watch = new Watch(tolerance, "float64");
    const now = await estimate(problem, pacer);
    watch.note({ ...now, dualObjective: dual(now) });
    const tell = vi.fn<(place: Place) => Promise<void>>(() => Promise.resolve());
    const found = { watch, leftAside: {}, warm: false };
    const parts = { problem, pacer, settings, interruption, tell, ...found } as unknown as SolverParts;
    return { problem, interior: new InteriorPoint(parts), tell, asked: () => asked };
  }
  const place = { epoch: 5, visits: 5 };

  test("tells of every step", async () => {
    const { interior, tell } = await open();
    await interior.take(place);
    const epochs = tell.mock.calls.map(([{ epoch }]) => epoch);
    expect(epochs.length).toBeGreaterThan(8);
    expect(epochs).toEqual(epochs.map((_, step) => place.epoch + 4 * (step + 1)));
    expect(interior.passes).toBe(4 * epochs.length);
  });

  test("wherever it is stopped, all is as it was", async () => {
    const whole = await open();
    const before = copyOf(whole.problem.duals);
    expect(await whole.interior.take(place)).toBeLessThan(Infinity);
    const most = whole.asked();
    expect(most).toBeGreaterThan(50);
    for (let after = 0; after < most; after += 11) {
      const { problem, interior } = await open(after);
      expect(await interior.take(place)).toBe(Infinity);
      expect(copyOf(problem.duals)).toEqual(before);
      expect(interior.mayBeTaken(5)).toBe(false);
    }
  });

  test("and so it is where that is after points were put in its place", async () => {
    const whole = await open(Infinity, 1e-15);
    const before = copyOf(whole.problem.duals);
    expect(await whole.interior.take(place)).toBeLessThan(Infinity);
    for (let after = whole.asked() - 30; after < whole.asked(); after += 4) {
      const { problem, interior } = await open(after, 1e-15);
      expect(await interior.take(place)).toBe(Infinity);
      expect(copyOf(problem.duals)).toEqual(before);
    }
  });

  test("and where D was higher", async () => {
    const { problem, interior } = await open(Infinity, 1e-3, (now) => now.primalObjective);
    const before = copyOf(problem.duals);
    const weights = problem.weights.copy();
    expect(await interior.take(place)).toBe(Infinity);
    expect(copyOf(problem.duals)).toEqual(before);
    expect(problem.weights.copy()).toEqual(weights);
  });
});

describe("domains", () => {
  const open = async (spec: LossSpec, truth: number[] | number[][]): Promise<DualDomains> => {
    const problem = await openProblem(spec, [[1], [2], [3]], truth, { numClasses: 4 });
    problem.C.set([0.5, 1, 2]);
    const { loss, ...parameters } = spec;
    const resolved = resolveLoss("test", loss, parameters);
    return new (WeightedDomains.suits(resolved) ? WeightedDomains : SimplexDomains)(problem, resolved);
  };
  const flat = { loss: "weighted-topk-hinge", rankWeights: [1, 1, 1, 1] } as const;
  const cases: [string, LossSpec, number[] | number[][]][] = [
    ...specs.map((spec): [string, LossSpec, number[]] => [nameOf(spec), spec, [2, 0, 3]]),
    ["ranks that all count alike", flat, [2, 0, 3]],
    ["the same, smoothed", { ...flat, gamma: 0.5 }, [2, 0, 3]],
    ["multilabel-hinge", { loss: "multilabel-hinge" } as unknown as LossSpec, [[0, 2], [1], [0, 1, 3]]],
    ["ova-hinge of sets", { loss: "ova-hinge", gamma: 0.5 }, [[0, 2], [], [0, 1, 2, 3]]],
  ];
  const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    Array.from(a).reduce((sum, v, l) => sum + v * b[l], 0);

  test.each(cases)("%s: G, M, what is transposed, and the inverse of second derivatives", async (_, spec, truth) => {
    const domains = await open(spec, truth);
    const { numClasses: m, size, width, coupled } = domains;
    const { loss, k, rankWeights } = spec;
    const random = uniforms(7);
    const randoms = (length: number): Float64Array => Float64Array.from({ length }, () => random() - 0.5);
    expect(domains.examples.length).toBe(3);
    for (let e = 0; e < 3; e++) {
      const slacks = new Float64Array(3 * width);
      const z = new Float64Array(3 * size);
      domains.putCentre(e, z);
      domains.putSlacks(e, z, slacks);
      expect(Math.min(...slacks.subarray(e * width, (e + 1) * width))).toBeGreaterThan(0);

      const dualsOf = (z: Float64Array): Float64Array => {
        const whole = new Float64Array(3 * size);
        whole.set(z, e * size);
        const a = new Float64Array(m);
        domains.putDuals(e, whole, a);
        return a;
      };
      const units = Array.from({ length: size }, (_, v) =>
        Float64Array.from({ length: size }, (_, l) => Number(l === v)),
      );
      // Column by column.
      const G = units.map((unit) => {
        const whole = new Float64Array(3 * size);
        whole.set(unit, e * size);
        const changes = new Float64Array(3 * width);
        domains.putSlacks(e, whole, changes, true);
        return Array.from(changes.subarray(e * width, (e + 1) * width), (v) => -v);
      });
      const M = units.map(dualsOf);
      const multipliers = randoms(width);
      const transposed = new Float64Array(size);
      domains.addTransposed(e, multipliers, transposed);
      G.forEach((column, v) => expect(transposed[v]).toBeCloseTo(product(column, multipliers), 10));
      const onDuals = randoms(m);
      const forces = new Float64Array(size);
      domains.addForces(e, 2, onDuals, forces);
      M.forEach((column, v) => expect(forces[v]).toBeCloseTo(2 * product(column, onDuals), 10));

      const ratios = Float64Array.from({ length: width }, () => Math.exp(4 * random() - 2));
      domains.differentiate(e, ratios);
      const responses = domains.responses.slice(domains.responseAt(e));
      const changesBy = (forces: Float64Array): Float64Array => {
        const changes = new Float64Array(3 * size);
        domains.putChanges(e, forces, changes);
        return changes.slice(e * size, (e + 1) * size);
      };
      const times = (columns: readonly ArrayLike<number>[], by: Float64Array): number[] =>
        Array.from(columns[0], (_, c) => columns.reduce((sum, column, v) => sum + column[c] * by[v], 0));
      /** by^T (G^T ratios G + M^T smoothing M) other. */
      const form = (by: Float64Array, other: Float64Array): number => {
        const [a, b] = [times(G, by), times(G, other)];
        const barrier = a.reduce((sum, v, c) => sum + ratios[c] * v * b[c], 0);
        const [x, y] = [times(M, by), times(M, other)];
        return x.reduce((sum, v, j) => sum + domains.smoothing(e, j) * v * y[j], barrier);
      };

      // Changes by forces are where the quadratic is least, among what the domain leaves free: that they span.
      const force = randoms(size);
      const change = changesBy(force);
      const free: Float64Array[] = [];
      for (let turn = 0; turn < 2 * size; turn++) {
        const other = changesBy(randoms(size));
        expect(form(change, other)).toBeCloseTo(product(force, other), 8);
        let left = other;
        for (const by of free) left = left.map((v, l) => v - product(left, by) * by[l]);
        const length = Math.sqrt(product(left, left));
        if (length > 1e-8 * Math.sqrt(product(other, other))) free.push(left.map((v) => v / length));
      }
      const levels = rankWeights === undefined ? Number(loss === "topk-hinge" && k === 3) : (size - 1) / m;
      const tied = loss === "topk-hinge" && k === 3 && spec.variant === undefined;
      const isWeighted = domains instanceof WeightedDomains;
      const freedom = isWeighted ? levels * (m - 1) + 1 : tied ? 1 : m - Number(coupled);
      expect(free.length).toBe(freedom);

      // And what they are in a is the response.
      const onA = randoms(m);
      const ofA = new Float64Array(size);
      domains.addForces(e, 1, onA, ofA);
      const a = dualsOf(changesBy(ofA));
      if (coupled) expect(a.reduce((sum, v) => sum + v, 0)).toBeCloseTo(0, 12);
      a.forEach((v, j) => {
        const row = coupled ? product(responses.subarray(j * m, j * m + m), onA) : responses[j] * onA[j];
        expect(v).toBeCloseTo(row, 10);
      });
    }
  });

  test.each(cases.filter(([, , truth]) => typeof truth[0] === "number"))(
    "%s: they are the domain of the conjugate",
    async (_, spec, truth) => {
      const domains = await open(spec, truth);
      const { numClasses: m, size, width } = domains;
      const random = uniforms(3);
      let outside = 0;
      for (let turn = 0; turn < 300; turn++) {
        const e = turn % 3;
        const z = new Float64Array(3 * size);
        domains.putCentre(e, z);
        // From the centre towards the boundary along what the domain leaves free, and not far beyond.
        domains.differentiate(e, new Float64Array(width).fill(1));
        const step = new Float64Array(3 * size);
        domains.putChanges(
          e,
          Float64Array.from({ length: size }, () => random() - 0.5),
          step,
        );
        const [slacks, changes] = [new Float64Array(3 * width), new Float64Array(3 * width)];
        domains.putSlacks(e, z, slacks);
        domains.putSlacks(e, step, changes, true);
        let share = Infinity;
        for (let c = e * width; c < (e + 1) * width; c++) {
          if (changes[c] < 0) share = Math.min(share, -slacks[c] / changes[c]);
        }
        const violation = (by: number): number => {
          const a = new Float64Array(m);
          domains.putDuals(
            e,
            z.map((v, l) => v + by * share * step[l]),
            a,
          );
          return infeasibility([Array.from(a)], [truth[e] as number], domains.C[e], spec);
        };
        expect(violation(1 - 1e-9)).toBeLessThanOrEqual(1e-12);
        // And what D has of a there.
        const a = new Float64Array(m);
        domains.putDuals(
          e,
          z.map((v, l) => v + 0.5 * share * step[l]),
          a,
        );
        let value = 0;
        for (let j = 0; j < m; j++) {
          value += domains.gain * domains.signs[e * m + j] * a[j] - 0.5 * domains.smoothing(e, j) * a[j] ** 2;
        }
        const cost = domains.C[e];
        const v = Array.from(a, (entry) => -entry / cost);
        expect(value).toBeCloseTo(-cost * conjugate(spec, v, truth[e] as number, 1e-9), 10);
        outside += Number(violation(1.05) > 1e-6);
      }
      // Of weighted losses it may still be the sum of other points: see below.
      if (!(domains instanceof WeightedDomains)) expect(outside).toBeGreaterThan(250);
    },
  );

  const weighted = cases.filter(([, { loss, k, variant }]) => {
    return loss === "weighted-topk-hinge" || (variant === "alpha-inclusive" && k === 3);
  });

  test.each(weighted)("%s: every vertex of that is in them", async (_, spec, truth) => {
    const domains = await open(spec, truth);
    const { numClasses: m, size, width } = domains;
    const weights = rankWeightsOf(spec.rankWeights ?? "flat", spec.k, m);
    const drops = weights.map((weight, l) => ({ count: l + 1, weight: weight - (weights[l + 1] ?? 0) }));
    const levels = drops.filter(({ count, weight }) => weight > 0 && count < m);
    expect(size).toBe(levels.length * m + 1);
    for (let e = 0; e < 3; e++) {
      const C = domains.C[e];
      for (let first = 0; first < m; first++) {
        for (const turn of [1, 3]) {
          const ranked = Array.from({ length: m }, (_, rank) => (first + turn * rank) % m);
          const q = levels.map(({ count, weight }) => {
            return Array.from({ length: m }, (_, j) => (ranked.indexOf(j) < count ? C * weight : 0));
          });
          const z = new Float64Array(3 * size);
          z.set([...q.flat(), C], e * size);
          const slacks = new Float64Array(3 * width);
          domains.putSlacks(e, z, slacks);
          expect(Math.min(...slacks.subarray(e * width, (e + 1) * width))).toBeGreaterThanOrEqual(-1e-15);
          const a = new Float64Array(m);
          domains.putDuals(e, z, a);
          const own = truth[e] as number;
          const others = ranked.map((j, rank) => (j === own ? 0 : C * weights[rank]));
          ranked.forEach((j, rank) => {
            const expected = j === own ? others.reduce((sum, v) => sum + v, 0) : -others[rank];
            expect(a[j]).toBeCloseTo(expected, 12);
          });
        }
      }
    }
  });
});

test.each([true, false])("equations of classes that are coupled: %s", (coupled) => {
  const [n, m, d] = [7, 4, 3];
  const normal = normals(8);
  const X = Float64Array.from({ length: n * d }, normal);
  const equations = new ClassEquations(m, d, coupled);
  const S: number[][][] = [];
  for (let i = 0; i < n; i++) {
    const B = Array.from({ length: m }, () => Array.from({ length: m }, normal));
    const mean = B[0].map((_, c) => B.reduce((sum, row) => sum + row[c], 0) / m);
    const rows = coupled ? B.map((row) => row.map((v, c) => v - mean[c])) : B;
    S.push(
      rows.map((row, j) =>
        rows.map((other, l) => (coupled || j === l ? row.reduce((sum, v, c) => sum + v * other[c], 0) : 0)),
      ),
    );
  }
  for (let times = 0; times < 2; times++) {
    equations.clear();
    S.forEach((s, i) => {
      const entries = Float64Array.from(coupled ? s.flat() : s.map((row, j) => row[j]));
      equations.add(X, i * d, entries, 0);
    });
    equations.finish();
    for (let row = 0; row < equations.rows; row++) equations.factorise(row, 1);
  }
  const R = Array.from({ length: m }, () => Array.from({ length: d }, normal));
  if (coupled) for (let f = 0; f < d; f++) R[m - 1][f] = -R[0][f] - R[1][f] - R[2][f];
  const D = Float64Array.from(R.flat());
  equations.solve(D);
  const left = R.map((_, j) => Array.from(D.subarray(j * d, j * d + d)));
  for (let i = 0; i < n; i++) {
    const x = X.subarray(i * d, i * d + d);
    const scores = R.map((_, j) => x.reduce((sum, v, f) => sum + v * D[j * d + f], 0));
    S[i].forEach((row, j) => {
      const share = row.reduce((sum, s, l) => sum + s * scores[l], 0);
      x.forEach((v, f) => (left[j][f] += share * v));
    });
  }
  left.forEach((row, j) => row.forEach((v, f) => expect(v).toBeCloseTo(R[j][f], 9)));
});
