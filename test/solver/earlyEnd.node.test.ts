import { describe, expect, test, vi } from "vitest";
import { fit, type FitOptions, type Model } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { resolveSettings } from "../../src/settings.ts";
import { DenseSchedule } from "../../src/solver/denseSchedule.ts";
import { EarlyEnd } from "../../src/solver/earlyEnd.ts";
import { sampleGap } from "../../src/solver/evaluate.ts";
import type { SolverParts } from "../../src/solver/solver.ts";
import { Watch } from "../../src/solver/watch.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { openProblem } from "../helpers/problem.ts";

const pacer = new Pacer("never");

describe("a sample of the gap", () => {
  const { features: points, labels } = clouds(2000, 8, 10, 5);
  const features = points.map((row) => row.map((v) => 0.1 * v));

  /** After a pass over all, and another one over the first `visited` of a random order. */
  async function openVisited(visited: number) {
    const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: 10 });
    problem.sweep(0, problem.visits.visitActive(), true);
    finish(problem.visits.shuffle(problem.visits.visitActive()));
    problem.sweep(0, visited, true);
    return problem;
  }

  test("tells the gap of those who wait and of the others", async () => {
    const problem = await openVisited(1200);
    const marks = problem.visits.marksOf(1200, 2000);
    expect(marks.reduce((a, b) => a + b)).toBe(800);
    const sums = [0, 0];
    for (let turn = 0; turn < 10; turn++) {
      const { marked, others } = await sampleGap(problem, pacer, { count: 400, turn, marks });
      expect(marked.count + others.count).toBe(400);
      sums[1] += marked.gap;
      sums[0] += others.gap;
    }

    problem.clear(false);
    problem.measure();
    problem.estimate(0, 2000);
    const { primalLoss, weightsNorm2 } = problem.sums;
    const meanOf = (mark: number): number => {
      const terms = [...problem.gaps].filter((_, i) => marks[i] === mark);
      return terms.reduce((a, b) => a + b) / terms.length;
    };
    const ofAll = (mark: number): number => (2000 * meanOf(mark)) / (primalLoss + 0.5 * weightsNorm2);
    expect(ofAll(1)).toBeGreaterThan(2 * ofAll(0)); // else there would be nothing to tell apart
    for (const mark of [0, 1]) expect(Math.abs(sums[mark] / 10 / ofAll(mark) - 1)).toBeLessThan(0.1);
  });

  test("looks elsewhere in another turn, whatever the slices", async () => {
    const problem = await openVisited(1200);
    const marks = problem.visits.marksOf(1200, 2000);
    const sample = (turn: number, by = pacer) => sampleGap(problem, by, { count: 256, turn, marks });
    const first = await sample(0);
    expect(await sample(1)).not.toEqual(first);
    expect(await sample(0, new Pacer(1))).toEqual(first);
  });
});

describe("when a pass ends early", () => {
  const n = 8192;

  /** One over a problem in which those who wait hold `waiting` each of a primal objective of 1 each, and the others `others`. */
  function lookAt(waiting: number, others: number, tolerance = 1e-3) {
    let looks = 0;
    let from = 0;
    const problem = {
      shape: { numExamples: n },
      gaps: new Float64Array(n),
      sums: { primalLoss: 0, weightsNorm2: 0 },
      visits: {
        marksOf: (begin: number) => {
          from = begin;
          return Uint8Array.from({ length: n }, (_, i) => Number(i >= begin));
        },
      },
      clear: () => (problem.sums.primalLoss = 0),
      measure: () => looks++,
      estimate: (first: number, count: number) => {
        for (let i = first; i < first + count; i++) problem.gaps[i] = i >= from ? waiting : others;
        problem.sums.primalLoss += count;
      },
    };
    const settings = resolveSettings("fit", { loss: "softmax", tolerance });
    const watch = new Watch(tolerance, settings.precision);
    const early = new EarlyEnd({ problem, settings, watch, pacer } as unknown as SolverParts);
    /** Where a pass ends that may end early. */
    const run = async (): Promise<number> => {
      early.begin(true);
      let part = 0;
      while (part < 1 && !early.reached) {
        expect(early.due).toBeGreaterThan(part);
        part = early.due;
        if (part < 1) await early.look(Math.ceil(part * n), n);
      }
      return part;
    };
    /** An evaluation, of gap terms that may be alike. */
    const evaluate = (terms: (i: number) => number): void => {
      problem.gaps.forEach((_, i, gaps) => (gaps[i] = terms(i)));
      early.afterEvaluation();
    };
    return { early, run, looks: () => looks, evaluate };
  }

  test("it ends where the gap has probably come down to the tolerance, and not much later", async () => {
    const { run, looks } = lookAt(2e-3, 1e-4);
    const part = await run();
    const gap = (1 - part) * 2e-3 + part * 1e-4;
    expect(gap).toBeLessThan(0.95e-3);
    expect(gap).toBeGreaterThan(0.7e-3);
    expect(looks()).toBeLessThan(6);
  });

  test.each([
    ["those who wait hold too much for all but the end of it", 2e-2, 1e-4],
    ["the others hold too much", 3e-3, 1.2e-3],
    ["the others hold more", 1.1e-3, 1.2e-3],
  ])("it goes through where %s", async (_, waiting, others) => {
    const { run, looks } = lookAt(waiting, others);
    expect(await run()).toBe(1);
    expect(looks()).toBeLessThan(4);
  });

  test("where it had been too early the next one is later", async () => {
    const { early, run, evaluate } = lookAt(2e-3, 1e-4);
    const first = await run();
    evaluate(() => 1);
    expect(early.reached).toBe(false);
    const second = await run();
    expect(second).toBeGreaterThan(first + 0.05);
    expect(second).toBeLessThan(1);
  });

  test("it goes through where a few examples hold most of the gap, which a sample would miss", async () => {
    const { run, looks, evaluate } = lookAt(2e-3, 1e-4);
    evaluate((i) => (i % 8 === 0 ? 1 : 0.01));
    expect(await run()).toBe(1);
    expect(looks()).toBe(0);
  });

  test("no other pass after it where the gap is small enough, by far if a sample might miss it", async () => {
    const reachedAt = async (others: number, term = 1): Promise<boolean> => {
      const { early, evaluate } = lookAt(others, others);
      evaluate((i) => (i % 8 === 0 ? 1 : term));
      early.begin(true);
      await early.lookBeforeNext();
      return early.reached;
    };
    expect(await reachedAt(0.7e-3)).toBe(true);
    expect(await reachedAt(0.85e-3)).toBe(false); // 256 examples do not tell that from more
    expect(await reachedAt(0.7e-3, 0.01)).toBe(false);
    expect(await reachedAt(0.7e-4, 0.01)).toBe(true);
  });

  test("it goes through where it has to, and where an estimate could not tell", async () => {
    const { early } = lookAt(2e-3, 1e-4);
    early.begin(false);
    expect(early.due).toBe(1);
    const { early: exact, looks } = lookAt(2e-6, 1e-7, 1e-6);
    exact.begin(true);
    expect(exact.due).toBe(1);
    await exact.lookBeforeNext();
    expect([exact.reached, looks()]).toEqual([false, 0]);
  });
});

describe("fits whose last pass ends early", () => {
  const { features, labels } = clouds(6000, 6, 12, 3);
  const loss = { loss: "softmax" } as const;
  const options: FitOptions = { ...loss, C: 0.01, tolerance: 1e-3 };
  const visitsOf = (model: Model): number => model.history.at(-1)!.visits;

  test("they are solved and certified, with fewer visits than whole passes make", async () => {
    const model = await fit(features, labels, options);
    expect(model.certificate.status).toBe("solved");
    expect(visitsOf(model) % 1).not.toBe(0);
    const visits = model.history.map((record) => record.visits);
    expect(new Set(visits).size).toBe(visits.length); // certified at once, with no estimate before
    expectCertified(model, { features, labels, loss, C: 0.01, precision: "float32", interceptScale: 1 });
  });

  test("what a sample has shown is what comes next is evaluated at, in later rounds too", async () => {
    const look = vi.spyOn(EarlyEnd.prototype, "look");
    const model = await fit(features, labels, { ...options, C: 0.3 });
    const [visited, active] = look.mock.calls.at(-1)!;
    look.mockRestore();
    expect(model.history.length).toBeGreaterThan(1);
    expect(active).toBe(6000);
    expect(visitsOf(model) % 1).toBeCloseTo(visited / 6000, 9);
  });

  test("an early end is evaluated, and exactly, whatever gains say", async () => {
    const afterPass = vi.spyOn(DenseSchedule.prototype, "afterPass").mockReturnValue("active");
    const likelySolved = vi.spyOn(DenseSchedule.prototype, "likelySolved").mockReturnValue(false);
    const mayReach = vi.spyOn(DenseSchedule.prototype, "mayReach").mockReturnValueOnce(false).mockReturnValue(true);
    const look = vi.spyOn(EarlyEnd.prototype, "look");
    const lookBefore = vi.spyOn(EarlyEnd.prototype, "lookBeforeNext");
    const measure = vi.spyOn(ResidentProblem.prototype, "measure");
    const model = await fit(features, labels, { ...options, maxEpochs: 20 });
    const samples = look.mock.calls.length + lookBefore.mock.calls.length;
    expect(measure).toHaveBeenCalledTimes(samples); // no estimate but those of samples
    for (const mock of [afterPass, likelySolved, mayReach, look, lookBefore, measure]) mock.mockRestore();
    expect(model.certificate.status).toBe("solved");
    expect(model.history).toHaveLength(1);
    expect(visitsOf(model)).toBeLessThan(4);
  });

  test("no pass more where the gap has fallen by more than the last one has gained", async () => {
    const small = features.map((row) => row.map((v) => v / 20)); // beside them an intercept counts
    const some: FitOptions = { ...loss, C: 1, interceptScale: 3 };
    const model = await fit(small, labels, some);
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features: small, labels, loss, C: 1, precision: "float32", interceptScale: 3 });
    const none = vi.spyOn(EarlyEnd.prototype, "lookBeforeNext").mockResolvedValue();
    const longer = await fit(small, labels, some);
    none.mockRestore();
    expect(visitsOf(model)).toBeLessThan(visitsOf(longer));
  });

  test("the same bits however a fit yields", async () => {
    const [a, b] = await Promise.all(
      [1, "never" as const].map((yieldEvery) => fit(features, labels, { ...options, yieldEvery })),
    );
    expect(visitsOf(a) % 1).not.toBe(0);
    expect(a.weights.data).toEqual(b.weights.data);
    expect(a.dualVariables!.data).toEqual(b.dualVariables!.data);
    expect(a.certificate.relativeGap).toBe(b.certificate.relativeGap);
  });

  test("with a kernel as well, and with sets of labels", async () => {
    const some = { features: features.slice(0, 4200), labels: labels.slice(0, 4200) };
    const kernel = await fit(some.features, some.labels, { ...options, kernel: { name: "rbf", gamma: 0.1 } });
    const sets = await fit(
      features,
      labels.map((y) => [y, (y + 1) % 12]),
      { ...options, loss: "multilabel-softmax" },
    );
    for (const { certificate } of [kernel, sets]) {
      expect(certificate.status).toBe("solved");
      expect(certificate.relativeGap).toBeLessThanOrEqual(1e-3);
    }
  });

  test("few examples are visited in whole passes", async () => {
    const model = await fit(features.slice(0, 4000), labels.slice(0, 4000), options);
    expect(model.history.map(({ visits }) => visits % 1)).toEqual(model.history.map(() => 0));
  });
});
