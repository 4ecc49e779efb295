import { describe, expect, test } from "vitest";
import { objectives, type Objectives } from "../../src/certificate.ts";
import { fit, select, type FitOptions, type HistoryRecord, type Model } from "../../src/index.ts";
import { Watch } from "../../src/solver/watch.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { untimed } from "../helpers/untimed.ts";

const { features, labels } = clouds(400, 8, 10, 5);
const loss = { loss: "hinge" } as const;
const base: FitOptions = { ...loss, tolerance: 1e-3 };

const bitsOf = ({ weights, intercepts, dualVariables, certificate }: Model): unknown => [
  weights.data,
  intercepts,
  dualVariables!.data,
  certificate.epochs,
  certificate.primalObjective,
  certificate.dualObjective,
];
const checked = (model: Model) =>
  expectCertified(model, { features, labels, loss, C: 1, precision: "float32", interceptScale: 1 });

describe("determinism", () => {
  test.each([["softmax"], ["hinge"]] as const)("same seed, same bits, however a fit yields: %s", async (name) => {
    const runs = await Promise.all(
      (["auto", 1, 3.7, "never"] as const).map((yieldEvery) =>
        fit(features, labels, { ...base, loss: name, yieldEvery }),
      ),
    );
    for (const run of runs.slice(1)) expect(bitsOf(run)).toEqual(bitsOf(runs[0]));
  });

  test("another seed visits in another order", async () => {
    const seeds = [1, 2, 1 + 2 ** 16, 1 + 2 ** 31]; // all bits count
    const runs = await Promise.all(seeds.map((seed) => fit(features, labels, { ...base, seed, maxEpochs: 3 })));
    expect(new Set(runs.map(({ weights }) => weights.data.join())).size).toBe(4);
  });

  test("a seed of 0 is the default, and history is part of the determinism", async () => {
    const [a, b] = await Promise.all([fit(features, labels, base), fit(features, labels, { ...base, seed: 0 })]);
    expect(a.history.map(untimed)).toEqual(b.history.map(untimed));
  });
});

describe("stopping", () => {
  test("maxEpochs: 0 certifies the zero model", async () => {
    const model = await fit(features, labels, { ...base, maxEpochs: 0 });
    const { status, epochs, primalObjective, dualObjective, relativeGap } = model.certificate;
    expect({ status, epochs, primalObjective, dualObjective, relativeGap }).toEqual({
      status: "max-epochs",
      epochs: 0,
      primalObjective: features.length, // C n times the hinge loss at equal scores
      dualObjective: 0,
      relativeGap: 1,
    });
    expect(model.history).toHaveLength(1);
    checked(model);
  });

  test("a budget of epochs gives the best certified point so far", async () => {
    for (let maxEpochs = 1; maxEpochs <= 40; maxEpochs += 3) {
      const model = await fit(features, labels, { ...base, tolerance: 0, maxEpochs, C: 10 });
      const { certificate, history } = model;
      expect(certificate.status).toBe("max-epochs");
      expect(certificate.epochs).toBe(maxEpochs);
      // Gaps on the way may be estimates, which are relied on down to 1e-5 of P in float32: ESTIMATE_LIMIT in src/solver/watch.ts.
      const smallest = Math.min(...history.map((record) => record.dualityGap!));
      expect(certificate.dualityGap).toBeLessThanOrEqual(smallest + 1e-5 * certificate.primalObjective);
      expect(history.at(-1)!.dualityGap).toBe(certificate.dualityGap);
      expectCertified(model, { features, labels, loss, C: 10, precision: "float32", interceptScale: 1 });
    }
  });

  test("maxSeconds: 0 still certifies", async () => {
    const model = await fit(features, labels, { ...base, maxSeconds: 0 });
    expect(model.certificate.status).toBe("max-seconds");
    expect(model.certificate.epochs).toBe(0);
    checked(model);
  });

  test("a budget of seconds ends a fit that would go on", async () => {
    const model = await fit(features, labels, { ...base, tolerance: 0, maxEpochs: 1e9, maxSeconds: 0.05, C: 100 });
    expect(["max-seconds", "no-progress"]).toContain(model.certificate.status);
    expectCertified(model, { features, labels, loss, C: 100, precision: "float32", interceptScale: 1 });
  });

  test("aborted before the start: no epochs, A = 0, certified", async () => {
    const model = await fit(features, labels, { ...base, signal: AbortSignal.abort() });
    expect(model.certificate).toMatchObject({ status: "aborted", epochs: 0, dualObjective: 0, relativeGap: 1 });
    expect(model.dualVariables!.data.every((a) => a === 0)).toBe(true);
    checked(model);
  });

  test("what onProgress throws rejects the fit", async () => {
    const problem = new Error("no room on the page");
    await expect(
      fit(features, labels, {
        ...base,
        onProgress: () => {
          throw problem;
        },
      }),
    ).rejects.toBe(problem);
  });

  test("a tolerance out of reach ends in no-progress, not in solved and not never", async () => {
    const model = await fit(features, labels, {
      ...base,
      gamma: 1,
      tolerance: 0,
      maxEpochs: 1e6,
      precision: "float32",
    });
    expect(model.certificate.status).toBe("no-progress");
    expect(model.certificate.relativeGap).toBeLessThan(1e-7);
  });

  // Without smoothing D is exact long before P comes down to it: then D rises no more, and the gap goes on falling, if by fits and starts.
  test.each([
    [[[1.6, 0.4], [-2, 1.6]], [1, 1], { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2, C: 1000, classes: [0, 1, 2, 3] }],
    [[[-1.7, 1], [0.8, 0.8], [1.3, 0.8]], [1, 2, 1], { loss: "topk-hinge", k: 2, C: 1000, classes: [0, 1, 2] }],
    [[[-0.1, -1.4], [-1.4, -0.7]], [[0], [1]], { loss: "multilabel-hinge", C: 100, classes: [0, 1, 2] }],
    [[[0.6], [-1.6]], [3, 1], { loss: "topk-hinge", k: 2, C: 1000, classes: [0, 1, 2, 3] }],
    [clouds(5, 20, 2, 4).features, [0, 1, 0, 1, 0], { loss: "hinge", C: 1e6, tolerance: 1e-6 }],
  ] as const)("a dual objective that rises no more is no end by itself, %#", async (X, y, options) => {
    const exact = { intercept: false, precision: "float64", tolerance: 1e-9, maxEpochs: 20_000, ...options };
    const { certificate } = await fit(X as number[][], y as any, exact as FitOptions);
    expect(certificate.status).toBe("solved");
  }); // prettier-ignore

  test("the point returned is no worse than any that was evaluated", async () => {
    let unsolved = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const m = 2 + (seed % 3);
      const { features: X, labels: y } = clouds(4 + (seed % 8), 1 + (seed % 5), m, seed);
      for (const spec of [{ loss: "hinge" }, { loss: "topk-hinge", k: m - 1 }] as const) {
        const model = await fit(X, y, { ...spec, C: 1e4, precision: "float64", tolerance: 1e-12, maxEpochs: 30 });
        const { status, primalObjective, dualObjective } = model.certificate;
        if (status === "solved") continue;
        unsolved++;
        // Not by `dualityGap`, of which what rounding may hide is a part where it is a certificate's.
        const smallest = Math.min(...model.history.map((record) => record.primalObjective - record.dualObjective!));
        expect(primalObjective - dualObjective!).toBeLessThanOrEqual(smallest + 1e-10 * primalObjective);
      }
    }
    expect(unsolved).toBeGreaterThan(20);
  });

  test("nor than what comes after an estimate that flatters", async () => {
    let flattered = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const uniform = uniforms(seed);
      const X = Array.from({ length: 2 + (seed % 5) }, () => [1, 2].map(() => Math.round(20 * uniform() - 10) / 10));
      const y = X.map(() => Math.floor(4 * uniform()));
      const options: FitOptions = {
        loss: "topk-hinge",
        k: 2,
        C: 1e3,
        classes: [0, 1, 2, 3],
        maxEpochs: 30,
        tolerance: 1e-6,
      };
      const { history, certificate } = await fit(X, y, options);
      const { visits } = history.at(-1)!;
      // The last records are certificates: of the last point, of the best one before, and if that is worse of the last one again.
      const closing = history.filter((record) => record.visits === visits);
      for (const { dualityGap } of closing.slice(-3, -1)) {
        expect(certificate.dualityGap).toBeLessThanOrEqual(dualityGap! * (1 + 1e-12));
      }
      if (closing.length > 2) flattered++;
    }
    expect(flattered).toBeGreaterThan(0);
  });
});

describe("watching evaluations", () => {
  const at = (dualObjective: number, dualityGap: number): Objectives => ({
    ...{ primalObjective: dualObjective + dualityGap, dualObjective, dualityGap },
    relativeGap: dualityGap / (dualObjective + dualityGap),
  });
  /** After how many evaluations it has stalled, of 1000 with such gaps. */
  const endOf = (gapAt: (e: number) => number, dualAt: (e: number) => number = () => 1): number => {
    const watch = new Watch(0, "float64");
    for (let e = 1; e <= 1000; e++) {
      watch.note(at(dualAt(e), gapAt(e)));
      if (watch.stalled) return e;
    }
    return Infinity;
  };

  test("gaps that fall, steadily or not, after a close one by chance", () => {
    expect(endOf((e) => 0.9 ** e)).toBe(Infinity);
    expect(endOf((e) => (e === 3 ? 1e-9 : 0.9 ** (e - (e % 3 === 0 ? 4 : 0))))).toBe(Infinity);
  });

  test("a gap that is larger once, near the end", () => {
    const wavers = (gaps: number[]): boolean => {
      const watch = new Watch(1e-3, "float64");
      for (const gap of gaps) watch.note(at(1, gap));
      return watch.wavering;
    };
    expect(wavers([0.1, 1.5e-3, 1.6e-3])).toBe(true);
    expect(wavers([0.1, 1.5e-3, 1.4e-3])).toBe(false); // it is smaller
    expect(wavers([0.1, 1.5e-3, 1.6e-3, 1.7e-3])).toBe(false); // twice
    expect(wavers([0.1, 3e-3, 4e-3])).toBe(false); // not near the end
  });

  test("a dual objective that rises", () => {
    expect(endOf(() => 0.1, (e) => e)).toBe(Infinity); // prettier-ignore
  });

  test("gaps that are all rounding", () => {
    const uniform = uniforms(3);
    expect(endOf(() => 1e-12 * uniform())).toBeLessThanOrEqual(80);
    expect(endOf((e) => 1e-12 * (1 + (e % 2)))).toBeLessThanOrEqual(20);
  });
});

test("a dual objective above the primal one by more than rounding proves nothing", () => {
  const none = {
    weightsNorm2: 0,
    dualWeightsNorm2: 0,
    anchorProduct: 0,
    excess: 0,
    partakingCosts: 0,
    partakingNorms: 0,
  };
  const sums = { ...none, primalLoss: 1 };
  expect(objectives({ ...sums, dualLoss: 1 + 1e-12 })).toMatchObject({ dualityGap: 0, relativeGap: 0 });
  expect(objectives({ ...sums, dualLoss: 1.001 })).toMatchObject({ dualityGap: Infinity, relativeGap: Infinity });
  for (const beyond of [
    { primalLoss: Infinity, dualLoss: 1 },
    { primalLoss: Infinity, dualLoss: Infinity },
    { primalLoss: NaN, dualLoss: 1 },
  ]) {
    expect(objectives({ ...sums, ...beyond })).toMatchObject({ dualityGap: Infinity, relativeGap: Infinity });
  }
});

describe("history and progress", () => {
  test("one record per evaluation, the last one that of the certificate", async () => {
    const seen: HistoryRecord[] = [];
    const model = await fit(features, labels, { ...base, onProgress: (record) => seen.push(record) });
    // What is told in between has times of its own.
    const times = new Set(model.history.map((record) => record.seconds));
    expect(seen.filter((record) => times.has(record.seconds))).toEqual(model.history);
    const last = model.history.at(-1)!;
    const { epochs, primalObjective, dualObjective, dualityGap, relativeGap } = model.certificate;
    expect(last).toMatchObject({
      epoch: epochs,
      primalObjective,
      dualObjective,
      dualityGap,
      relativeGap,
    });
    model.history.forEach((record, r) => {
      // n updates make an epoch, and so does a round of fewer.
      expect(record.epoch).toBeGreaterThanOrEqual(Math.floor(record.visits));
      if (r === 0) return;
      const before = model.history[r - 1];
      expect(record.epoch).toBeGreaterThanOrEqual(before.epoch);
      expect(record.visits).toBeGreaterThan(before.visits);
      expect(record.seconds).toBeGreaterThanOrEqual(before.seconds);
    });
    // Coordinate ascent: D never falls, but for the rounding of float32 duals.
    expectNeverFalls(model.history, 1e-6);
    expect(model.certificate.solveSeconds).toBeGreaterThanOrEqual(model.certificate.evaluateSeconds);
  });

  test("a promise that `onProgress` returns is waited for, and rejects the fit with what it rejects with", async () => {
    let open = 0;
    let most = 0;
    const model = await fit(features, labels, {
      ...base,
      onProgress: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
      },
    });
    expect([open, most]).toEqual([0, 1]);
    expect(model.certificate.status).toBe("solved");
    const failing = (): Promise<void> => Promise.reject(new Error("by the user"));
    await expect(fit(features, labels, { ...base, onProgress: failing })).rejects.toThrow("by the user");
    const grid = { C: [1, 2] };
    await expect(select(features, labels, { grid, folds: 2, onProgress: failing })).rejects.toThrow("by the user");
  });

  test("the page gets its turn while a fit runs", async () => {
    const controller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 3) controller.abort();
    }, 1);
    const data = clouds(4000, 32, 20, 2);
    const options = { ...base, tolerance: 0, maxEpochs: 5000, signal: controller.signal };
    const { certificate } = await fit(data.features, data.labels, options);
    clearInterval(timer);
    // Or else it would have gone on to the end.
    expect(certificate.status).toBe("aborted");
  });
});
