import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Objectives } from "../../src/certificate.ts";
import { BestPoint } from "../../src/fit/bestPoint.ts";
import { Refinement } from "../../src/fit/refine.ts";
import { fit, init, load, type Features, type FitOptions, type HistoryRecord, type Model } from "../../src/index.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { Watch } from "../../src/solver/watch.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { asGram, expectKernelCertified } from "../helpers/kernels.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import { untimed } from "../helpers/untimed.ts";
import { gramOf } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import { bitsOf } from "../worker/helpers.ts";

/** Float32 is the default; where it does not do, a fit that was not asked for it goes on in float64. */

beforeAll(() => init());
afterEach(() => void vi.restoreAllMocks());

const { features, labels } = clouds(60, 2, 3, 3, 3);
const rows = features.map((row) => row.map(Math.fround));
const tolerance = 1e-7;
const ova: LossSpec = { loss: "ova-hinge" };
const rbf = { name: "rbf", gamma: 10 } as const;
const linear: FitOptions<number> = { loss: "ova-hinge", C: 30, tolerance, intercept: false };

/** Whether each problem that is made from now on is in float64. */
function watchProblems(): boolean[] {
  const finer: boolean[] = [];
  const create = ResidentProblem.create.bind(ResidentProblem);
  vi.spyOn(ResidentProblem, "create").mockImplementation((caller, shape, loss, seed) => {
    finer.push(shape.precision === "float64");
    return create(caller, shape, loss, seed);
  });
  return finer;
}

/** Losses, with C and a tolerance. */
const cases: [LossSpec, number, number][] = [
  [ova, 300, 1e-9],
  [{ loss: "topk-hinge", k: 2 }, 300, 1e-9],
  [{ loss: "hinge", gamma: 1 }, 300, 1e-11],
  [{ loss: "softmax" }, 300, 1e-11],
  [{ loss: "weighted-topk-hinge", k: 2, rankWeights: "linear" }, 1, 1e-7],
];

describe.each(cases.map(([spec, ...rest]) => [nameOf(spec), spec, ...rest] as const))("%s", (_, loss, C, tolerance) => {
  const options: FitOptions<number> = { ...(optionsOf(loss) as FitOptions<number>), C, tolerance };

  test.each<[string, Features]>([
    ["dense", rows],
    ["sparse", csrOf(rows)],
  ])("%s, what float32 cannot solve is solved", async (_, given) => {
    const asked = await fit(given, labels, { ...options, precision: "float32" });
    expect(asked.certificate.status).not.toBe("solved");
    expect(asked.weights.data).toBeInstanceOf(Float32Array);
    const problems = watchProblems();
    const model = await fit(given, labels, options);
    expect(problems).toEqual([false, true]);
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features: rows, labels, loss, C, precision: "float64", interceptScale: 1 });
  });
});

test("features are those that were given, not what float32 has made of them", async () => {
  const model = await fit(features, labels, linear);
  expectCertified(model, { features, labels, loss: ova, C: 30, precision: "float64" });
});

test("with a kernel, or its matrix", async () => {
  const K = gramOf(rows, rows, rbf, 0);
  for (const [given, kernel] of [
    [rows, rbf],
    [asGram(K), undefined],
  ] as const) {
    const asked = await fit(given, labels, { ...linear, kernel, precision: "float32" });
    expect(asked.certificate.status).toBe("no-progress");
    const problems = watchProblems();
    const model = await fit(given, labels, { ...linear, kernel });
    expect(problems).toEqual([false, true]);
    expect(model.certificate.status).toBe("solved");
    const found = kernel ? { features: rows, kernel } : { K };
    expectKernelCertified(model, { ...found, labels, loss: ova, C: 30, precision: "float64" });
    vi.restoreAllMocks();
  }
});

test("where scores of float32 drift, it does not wait for the end", async () => {
  const { features, labels } = clouds(300, 3, 3, 3, 1);
  const kernel = { name: "rbf", gamma: 1 } as const;
  const options: FitOptions<number> = { loss: "hinge", C: 30, tolerance: 2e-6, kernel };
  const asked = await fit(features, labels, { ...options, precision: "float32" });
  expect(asked.certificate.relativeGap).toBeGreaterThan(2e-6);
  const model = await fit(features, labels, options);
  expect(model.certificate.status).toBe("solved");
  expect(model.certificate.epochs).toBeLessThan(asked.certificate.epochs / 2);
});

test("to where an interior point method has been, which float32 could not hold", async () => {
  const table = clouds(200, 2, 4, 3, 1);
  table.features = table.features.map((row) => row.map(Math.fround)); // the same problem in both precisions
  const options: FitOptions<number> = { loss: "hinge", C: 30, tolerance };
  const took = vi.spyOn(InteriorPoint.prototype, "take");
  const { certificate, history } = await fit(table.features, table.labels, options);
  expect(took).toHaveBeenCalledTimes(1);
  expect(certificate.status).toBe("solved");
  const there = history.findIndex(({ relativeGap }) => relativeGap! <= tolerance);
  expect(there).toBe(history.length - 1);
  // There is one record of where it went on, and one of where the method has been: no step in between.
  expect(history[there].visits).toBe(history[there - 1].visits);
});

test("and to where steps had come to, D being higher, also if the fit has gone back from there", async () => {
  const take = Refinement.prototype.take;
  let came = 0;
  vi.spyOn(Refinement.prototype, "take").mockImplementation(async function (this: Refinement, end) {
    const before = ArrayBuffer.isView(end.furthest) ? end.furthest.slice() : undefined;
    const finer = await take.call(this, end);
    if (!before) return finer;
    came++;
    expect(end.furthest).toEqual(before);
    expect(end.furthest).not.toEqual(finer!.loaded.input.initial!.stored);
    return finer;
  });
  for (let seed = 1; seed <= 20; seed++) {
    const { features, labels } = clouds(40, 3, 8, seed, 90);
    await fit(features, labels, { C: 0.4, tolerance: 1e-8, maxEpochs: 200 });
  }
  expect(came).toBeGreaterThan(0);
});

test("float32 that is asked for is kept, with a hint", async () => {
  const problems = watchProblems();
  const { certificate } = await fit(features, labels, { ...linear, precision: "float32" });
  expect(problems).toEqual([false]);
  expect(certificate.status).toBe("no-progress");
  expect(certificate.hint).toContain('use precision: "float64"');
});

test("where there is no memory for it, the fit ends as it was", async () => {
  const create = ResidentProblem.create.bind(ResidentProblem);
  vi.spyOn(ResidentProblem, "create").mockImplementation((caller, shape, loss, seed) => {
    if (shape.precision === "float64") return Promise.reject(new RangeError("no memory"));
    return create(caller, shape, loss, seed);
  });
  const model = await fit(features, labels, linear);
  expect(model.certificate.status).toBe("no-progress");
  expect(model.certificate.hint).toContain('use precision: "float64"');
  expectCertified(model, { features, labels, loss: ova, C: 30, precision: "float32" });
});

test("and where it would have got there, it does", async () => {
  const table = clouds(300, 3, 3, 3, 2);
  const options: FitOptions<number> = { loss: "hinge", C: 30, tolerance: 1e-5, kernel: rbf };
  const finer = await fit(table.features, table.labels, options);
  const asked = await fit(table.features, table.labels, { ...options, precision: "float32" });
  expect(asked.certificate.status).toBe("solved");
  expect(finer.certificate.epochs).toBeLessThan(asked.certificate.epochs);
  const create = ResidentProblem.create.bind(ResidentProblem);
  let tried = 0;
  vi.spyOn(ResidentProblem, "create").mockImplementation((caller, shape, loss, seed) => {
    if (shape.precision === "float64" && ++tried) return Promise.reject(new RangeError("no memory"));
    return create(caller, shape, loss, seed);
  });
  const model = await fit(table.features, table.labels, options);
  expect(tried).toBe(1);
  expect(bitsOf(model)).toEqual(bitsOf(asked));
});

test("other errors are not swallowed", async () => {
  const create = ResidentProblem.create.bind(ResidentProblem);
  vi.spyOn(ResidentProblem, "create").mockImplementation((caller, shape, loss, seed) => {
    if (shape.precision === "float64") return Promise.reject(new Error("a mishap"));
    return create(caller, shape, loss, seed);
  });
  await expect(fit(features, labels, linear)).rejects.toThrow("a mishap");
});

test("both problems give their memory back", async () => {
  const released = vi.spyOn(ResidentProblem.prototype, "release");
  const problems = watchProblems();
  await fit(features, labels, linear);
  expect(problems.length).toBe(2);
  expect(new Set(released.mock.contexts).size).toBe(2);
});

test("and so they do where something throws", async () => {
  const released = vi.spyOn(ResidentProblem.prototype, "release");
  const problems = watchProblems();
  vi.spyOn(BestPoint.prototype, "stretchAtEnd").mockRejectedValue(new Error("a mishap"));
  await expect(fit(features, labels, linear)).rejects.toThrow("a mishap");
  expect(problems).toEqual([false, true]);
  expect(new Set(released.mock.contexts).size).toBe(2);
});

test("without epochs to go on for, the other one is not loaded", async () => {
  vi.spyOn(Watch.prototype, "tooCoarse", "get").mockReturnValue(true);
  const problems = watchProblems();
  const { certificate } = await fit(features, labels, { ...linear, maxEpochs: 1 });
  expect(certificate.status).toBe("max-epochs");
  expect(problems).toEqual([false]);
});

describe("it is one fit", () => {
  const run = async (more: FitOptions<number> = {}): Promise<{ model: Model; told: HistoryRecord[] }> => {
    const told: HistoryRecord[] = [];
    const onProgress = (record: HistoryRecord): void => void told.push({ ...record });
    return { model: await fit(features, labels, { ...linear, onProgress, ...more } as never), told };
  };

  test("with one history, one count of epochs and one clock", async () => {
    const { model, told } = await run({ validation: { features, labels } });
    const { history, certificate } = model;
    for (const records of [history, told]) {
      records.slice(1).forEach(({ epoch, visits, seconds }, h) => {
        expect(epoch).toBeGreaterThanOrEqual(records[h].epoch);
        expect(visits).toBeGreaterThanOrEqual(records[h].visits);
        expect(seconds).toBeGreaterThanOrEqual(records[h].seconds);
      });
      for (const { validation } of records) expect(validation?.length).toBe(1);
    }
    const { epoch, primalObjective, dualObjective } = history.at(-1)!;
    expect(certificate).toMatchObject({ epochs: epoch, primalObjective, dualObjective });
    expect(certificate.solveSeconds).toBeGreaterThanOrEqual(history.at(-1)!.seconds);
    expect(history[0].visits).toBe(1);
    // It was evaluated where it went on, with features that float32 does not round.
    expect(history.filter(({ visits }, h) => visits === history[h - 1]?.visits).length).toBeGreaterThan(0);
    expectNeverFalls(history, 1e-6);
    for (const record of history) expect(told).toContainEqual(record);
  });

  test("whatever the budget of epochs", async () => {
    // Steps alone, which go the same way whatever is left.
    vi.spyOn(InteriorPoint, "suits").mockReturnValue(false);
    const options = { loss: "weighted-topk-hinge", k: 2, rankWeights: "linear", C: 1 } as never;
    const whole = (await run(options)).model.certificate.epochs;
    let last = NaN;
    const finer = new Set<boolean>();
    for (let maxEpochs = whole - 20; maxEpochs <= whole; maxEpochs += 2) {
      const { weights, certificate, history } = (await run({ ...(options as object), maxEpochs })).model;
      expect(certificate.epochs).toBeLessThanOrEqual(maxEpochs);
      expect(history.at(-1)!.epoch).toBe(certificate.epochs);
      last = certificate.relativeGap!;
      finer.add(weights.data instanceof Float64Array);
    }
    expect(finer.size).toBe(2);
    expect(last).toBeLessThanOrEqual(tolerance);
  });

  test("the same every time", async () => {
    const [one, two] = [await run({ seed: 4 }), await run({ seed: 4 })];
    expect(bitsOf(one.model)).toEqual(bitsOf(two.model));
    expect(one.model.history.map(untimed)).toEqual(two.model.history.map(untimed));
  });

  test("stopped anywhere, the model is certified", async () => {
    const { history } = (await run()).model;
    for (let evaluations = 1; evaluations <= history.length; evaluations++) {
      const controller = new AbortController();
      let seen = 0;
      const onProgress = ({ relativeGap }: HistoryRecord): void => {
        if (++seen === evaluations && relativeGap! > tolerance) controller.abort();
      };
      const model = await fit(features, labels, { ...linear, onProgress, signal: controller.signal });
      if (!controller.signal.aborted) continue;
      expect(model.certificate.status).toBe("aborted");
      const precision = model.weights.data instanceof Float32Array ? "float32" : "float64";
      expectCertified(model, { features, labels, loss: ova, C: 30, precision });
    }
  });

  test("once it is aborted it does not begin anew", async () => {
    let problems = watchProblems();
    let coarse = 0;
    const onProgress = (): void => void (coarse += Number(problems.length === 1));
    await run({ onProgress });
    vi.restoreAllMocks();
    problems = watchProblems();
    const controller = new AbortController();
    let seen = 0;
    const aborts = (): void => void (++seen === coarse && controller.abort());
    await run({ onProgress: aborts, signal: controller.signal });
    expect(controller.signal.aborted).toBe(true);
    expect(problems).toEqual([false]);
  });

  test("a budget that ends in float64", async () => {
    vi.spyOn(InteriorPoint, "suits").mockReturnValue(false);
    const table = clouds(60, 2, 3, 3, 1);
    const options: FitOptions<number> = { ...linear, C: 300, tolerance: 1e-7, kernel: rbf };
    const problems = watchProblems();
    let coarse = 0;
    const onProgress = ({ epoch }: HistoryRecord): void => void (problems.length === 1 && (coarse = epoch));
    const whole = (await fit(table.features, table.labels, { ...options, onProgress })).certificate;
    expect(whole.status).toBe("solved");
    expect(whole.epochs).toBeGreaterThan(coarse + 8);
    for (const maxEpochs of [coarse + 2, Math.floor((coarse + whole.epochs) / 2)]) {
      problems.length = 0;
      const { certificate, history } = await fit(table.features, table.labels, { ...options, maxEpochs });
      expect(problems).toEqual([false, true]);
      expect(certificate).toMatchObject({ status: "max-epochs", epochs: maxEpochs });
      expect(history.at(-1)!.epoch).toBe(maxEpochs);
    }
  });

  test("an abort, or the end of time, while it is loaded again", async () => {
    const create = ResidentProblem.create.bind(ResidentProblem);
    const released = vi.spyOn(ResidentProblem.prototype, "release");
    const asked = await run({ precision: "float32" });
    for (const stop of ["signal", "maxSeconds"]) {
      const controller = new AbortController();
      let finer: ResidentProblem | undefined;
      vi.spyOn(ResidentProblem, "create").mockImplementation(async (caller, shape, loss, seed) => {
        const problem = await create(caller, shape, loss, seed);
        if (shape.precision === "float32") return problem;
        finer = problem;
        if (stop === "signal") controller.abort();
        else await new Promise((resolve) => setTimeout(resolve, 600));
        return problem;
      });
      const { model } = await run({ signal: controller.signal, ...(stop === "maxSeconds" && { maxSeconds: 0.5 }) });
      expect(finer).toBeDefined();
      expect(released.mock.contexts).toContain(finer);
      expect(model.weights.data).toBeInstanceOf(Float32Array);
      expect(["aborted", "max-seconds", "no-progress"]).toContain(model.certificate.status);
      const { primalObjective } = asked.model.certificate;
      expect(Math.abs(model.certificate.primalObjective / primalObjective - 1)).toBeLessThan(1e-3);
      expectCertified(model, { features, labels, loss: ova, C: 30, precision: "float32" });
    }
  });

  test("a start and an anchor are of both problems", async () => {
    const initial = await fit(features, labels, { ...linear, tolerance: 1e-2 });
    const { model } = await run({ initial });
    expect(model.certificate.status).toBe("solved");
    const anchor = { weights: [[1, 0], [0, 1], [-1, -1]] }; // prettier-ignore
    const near = await fit(features, labels, { ...linear, C: 300, tolerance: 1e-9, anchor });
    expect(near.certificate.status).toBe("solved");
    expect(near.weights.data).toBeInstanceOf(Float64Array);
  });
});

describe("a fit that goes on from one that has ended in float64", () => {
  test("begins there if the problem is the same: what has been solved stays solved", async () => {
    const initial = await fit(features, labels, linear);
    const problems = watchProblems();
    const { certificate } = await fit(features, labels, { ...linear, initial });
    expect(problems).toEqual([true]);
    expect(certificate).toMatchObject({ status: "solved", epochs: 0, relativeGap: initial.certificate.relativeGap });
  });

  test.each<[string, FitOptions<number>, boolean]>([
    ["the same, in the precision that is asked for", { precision: "float32" }, false],
    ["of another C", { C: 31 }, false],
    ["of another C, in the precision that is asked for", { C: 31, precision: "float64" }, true],
  ])("%s", async (_, more, isFine) => {
    const initial = await fit(features, labels, linear);
    const problems = watchProblems();
    await fit(features, labels, { ...linear, initial, ...more });
    expect(problems[0]).toBe(isFine);
  });

  test.each([undefined, { name: "linear" } as const])(
    "one in float32 is gone on with there, kernel %o",
    async (kernel) => {
      // Weights of a linear kernel are in float64, and its dual variables with them.
      const initial = await fit(features, labels, { ...linear, tolerance: 1e-2, kernel });
      const problems = watchProblems();
      await fit(features, labels, { ...linear, tolerance: 1e-2, kernel, initial });
      expect(problems).toEqual([false]);
    },
  );

  test.each(["bytes", "JSON"])("what has been saved is the same problem: %s", async (form) => {
    for (const loss of [ova, ...cases.map(([spec]) => spec), { loss: "topk-hinge", k: 2, variant: "beta" } as const]) {
      const options = { ...(optionsOf(loss) as FitOptions<number>), C: 10, tolerance: 1e-6 };
      const model = await fit(features, labels, options);
      expect(model.certificate.status).toBe("solved");
      const saved = form === "bytes" ? model.toBytes({ duals: true }) : model.toJSON({ duals: true } as never);
      const initial = load<number>(saved as never);
      if (form === "JSON" && !initial.dualVariables) return;
      const { certificate } = await fit(features, labels, { ...options, initial });
      expect(certificate, nameOf(loss)).toMatchObject({ status: "solved", epochs: 0 });
    }
  });
});

test("Frank-Wolfe's method stays in float32", async () => {
  const problems = watchProblems();
  const options: FitOptions<number> = { loss: "hinge", solver: "frank-wolfe", tolerance: 1e-9, maxEpochs: 5000 };
  const { certificate } = await fit(features, labels, options);
  expect(certificate.status).toBe("no-progress");
  expect(problems).toEqual([false]);
});

test("a loss without a dual stays in float32", async () => {
  const problems = watchProblems();
  const options: FitOptions<number> = { loss: "truncated-topk-entropy", k: 1, tolerance: 1e-13 };
  const model = await fit(features, labels, options);
  expect(model.certificate.status).toBe("no-progress");
  expect(model.weights.data).toBeInstanceOf(Float32Array);
  expect(problems.length).toBe(2); // the softmax solution first
});

describe("when float64 may help", () => {
  // With nothing to load: where it would be loaded, that fails.
  const take = (more: object, { kernel, mayRefine = true, stopped = false, epochs = 5 } = {} as Partial<Stub>) =>
    new Refinement({
      ...{ mayRefine, input: { settings: { tolerance: 1e-3, maxEpochs: 10 } }, problem: { kernel } },
      ...{ pacer: undefined, interruption: () => (stopped ? "aborted" : undefined) },
    } as never).take({
      ended: {
        status: "no-progress",
        primalObjective: 100,
        dualObjective: 99,
        relativeGap: 0.01,
        dualityGap: 1,
        ...more,
      },
      evaluations: { epochs, history: [], seconds: 0 },
    } as never);
  interface Stub {
    kernel: object;
    mayRefine: boolean;
    stopped: boolean;
    epochs: number;
  }
  // P - D is within the tolerance, and what rounding may hide is not.
  const drowned = { dualObjective: 99.95, dualityGap: 0.2, relativeGap: 2e-3 };

  test.each<[string, object, Partial<Stub>, boolean]>([
    ["no progress", {}, {}, true],
    ["out of epochs", { status: "max-epochs" }, {}, false],
    ["the last epoch", {}, { epochs: 10 }, false],
    ["solved", { status: "solved" }, {}, false],
    ["stopped meanwhile", {}, { stopped: true }, false],
    ["asked for, or no room", {}, { mayRefine: false }, false],
    ["rounding of scores in float64", drowned, {}, false],
    ["rounding of kernel values", drowned, { kernel: {} }, true],
  ])("%s", async (_, ended, stub, tries) => {
    if (tries) await expect(take(ended, stub)).rejects.toThrow();
    else expect(await take(ended, stub)).toBeUndefined();
  });
});

describe("what certificates say of estimates", () => {
  const at = (primalObjective: number, dualObjective: number): Objectives => {
    const dualityGap = primalObjective - dualObjective;
    return { primalObjective, dualObjective, dualityGap, relativeGap: dualityGap / primalObjective };
  };
  const far = at(100, 90);

  test.each<[string, boolean, (watch: Watch) => void]>([
    ["nothing yet", false, () => {}],
    ["one that is far off", false, (watch) => watch.compare(at(94, 90), far)],
    ["two in a row", true, (watch) => [1, 2].forEach(() => watch.compare(at(94, 90), far))],
    ["D counts as P does", true, (watch) => [1, 2].forEach(() => watch.compare(at(97, 87), far))],
    ["two near ones", false, (watch) => [1, 2].forEach(() => watch.compare(at(97, 89), far))],
    [
      "two, but what came before is of another point",
      false,
      (watch) => {
        watch.compare(at(94, 90), far);
        watch.startOver();
        watch.compare(at(94, 90), far);
      },
    ],
    [
      "gaps too small for estimates, none of eight smaller",
      true,
      (watch) => {
        for (let e = 0; e < 9; e++) watch.note(at(90.0001 + 1e-6 * (e % 2), 90 + 1e-7 * e));
      },
    ],
    [
      "gaps too small for estimates that shrink",
      false,
      (watch) => {
        for (let e = 0; e < 30; e++) watch.note(at(90 + 1e-4 * 0.8 ** e, 90));
      },
    ],
    [
      "gaps that estimates can tell",
      false,
      (watch) => {
        for (let e = 0; e < 30; e++) watch.note(at(90.1, 90));
      },
    ],
    [
      "not in a row",
      false,
      (watch) => {
        watch.compare(at(94, 90), far);
        watch.compare(at(99, 90), far);
        watch.compare(at(94, 90), far);
      },
    ],
    ["solved", false, (watch) => [1, 2].forEach(() => watch.compare(at(94, 90), at(90.01, 90)))],
  ])("%s: %s", (_, expected, note) => {
    const watch = new Watch(1e-3, "float32");
    note(watch);
    expect(watch.tooCoarse).toBe(expected);
  });
});
