import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  fit,
  init,
  metrics,
  select,
  type Features,
  type GramMatrix,
  type HistoryRecord,
  type LabelSets,
  type Model,
} from "../../src/index.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { expectWithin } from "../helpers/expect.ts";
import { untimed } from "../helpers/untimed.ts";
import { bitsOf, useWorkers } from "../worker/helpers.ts";

const { features, labels } = clouds(60, 4, 3, 5);
const names = labels.map((y) => ["red", "green", "blue"][y]);
const dense = { data: Float64Array.from(features.flat()), rows: 60, cols: 4 };

/** Labels that go with the signs of features, and with some noise. */
const sets: string[][] = features.map((row, i) =>
  ["up", "down", "left"].filter((_, j) => row[j] + (((i * 7 + j * 3) % 5) - 2) / 4 > 0),
);

beforeAll(() => init());

describe("the table", () => {
  test("one record for each cell, the mean of its scores, and the best of them", async () => {
    const { table, best, model } = await select(features, names, {
      grid: { C: [1, 0.01, 0.1], k: [1, 2], gamma: [0, 1], loss: ["softmax", "hinge", "topk-hinge"] },
      folds: 3,
    });
    const wanted = [
      { loss: "softmax" },
      { loss: "hinge", gamma: 0 },
      { loss: "hinge", gamma: 1 },
      { loss: "topk-hinge", k: 1, gamma: 0 },
      { loss: "topk-hinge", k: 1, gamma: 1 },
      { loss: "topk-hinge", k: 2, gamma: 0 },
      { loss: "topk-hinge", k: 2, gamma: 1 },
    ].flatMap((values) => [0.01, 0.1, 1].map((C) => ({ ...values, C })));
    const measured = ["score", "scores", "statuses", "seconds"];
    const values = table.map((one) =>
      Object.fromEntries(Object.entries(one).filter(([name]) => !measured.includes(name))),
    );
    expect(values).toEqual(wanted);
    for (const { score, scores, statuses, seconds } of table) {
      expect(scores).toHaveLength(3);
      expectWithin(score, (scores[0] + scores[1] + scores[2]) / 3, 2 * Number.EPSILON, "score");
      expect(statuses).toEqual(["solved", "solved", "solved"]);
      expect(seconds).toBeGreaterThan(0);
    }
    const { score, ...chosen } = best;
    expectWithin(score, Math.max(...table.map((one) => one.score)), 4 * Number.EPSILON, "best");
    expect(wanted).toContainEqual(chosen);
    expect(bitsOf(model)).toEqual(bitsOf(await fit(features, names, chosen as never)));
  });

  test("the example of the documentation", async () => {
    const four = [[0, 1], [0, 2], [1, 0], [2, 0]]; // prettier-ignore
    const { best, table } = await select(four, ["a", "a", "b", "b"], { grid: { C: [0.1, 1, 10] }, folds: 2 });
    expect(best).toEqual({ C: 0.1, score: 1 });
    expect(table[2]).toMatchObject({ C: 10, score: 1, scores: [1, 1], statuses: ["solved", "solved"] });
  });

  test("C ascends as numbers do", async () => {
    const { table } = await select(features, names, { grid: { C: [10, 0.5, 9] }, folds: 2 });
    expect(table.map(({ C }) => C)).toEqual([0.5, 9, 10]);
  });

  test("of equal scores the smaller C wins, then the earlier cell", async () => {
    const apart = [[5, 0], [6, 0], [7, 0], [-5, 0], [-6, 0], [-7, 0]]; // prettier-ignore
    const { best, table } = await select(apart, ["r", "r", "r", "l", "l", "l"], {
      grid: { C: [10, 1], loss: ["hinge", "softmax"] },
      folds: 3,
    });
    expect(table.map(({ score }) => score)).toEqual([1, 1, 1, 1]);
    expect(best).toEqual({ C: 1, loss: "hinge", score: 1 });
  });

  test("what is not solved counts, with its status", async () => {
    const options = { maxEpochs: 0 };
    const { table, model } = await select(features, names, { grid: { C: [1, 10] }, folds: 2, options });
    expect(table.map(({ statuses }) => statuses)).toEqual(Array(2).fill(["max-epochs", "max-epochs"]));
    expect(model.certificate.status).toBe("max-epochs");
  });
});

describe("scores", () => {
  /** A grid of one cell, so that its fits can be done again by hand. */
  const C = 0.3;

  test("are those of fits on the other folds, which know all classes, with their own sample weights", async () => {
    // The class of row 0 has no other row, so one fold has to learn it without an example.
    const rare = ["once", ...names.slice(1)];
    const sampleWeight = features.map((_, i) => 1 + (i % 3));
    const groups = features.map((_, i) => `group ${i % 4}`);
    const { table } = await select(features, rare, {
      ...{ grid: { C: [C] }, groups, folds: 4, metric: "top-2", options: { loss: "hinge", sampleWeight } },
    });
    const scores = [0, 1, 2, 3].map(async (g) => {
      const of = <item>(list: readonly item[], inside: boolean): item[] =>
        list.filter((_, i) => (i % 4 === g) === inside);
      const classes = ["blue", "green", "once", "red"];
      const options = { loss: "hinge", C, classes, sampleWeight: of(sampleWeight, false) } as const;
      const model = await fit(of(features, false), of(rare, false), options);
      return model.evaluate(of(features, true), of(rare, true), { k: [2] }).topKAccuracy[2];
    });
    expect([...table[0].scores].sort()).toEqual((await Promise.all(scores)).sort());
  });

  test("are those on the validation set, where there is one, and the model is that of the best cell", async () => {
    const held = clouds(30, 4, 3, 5, 2);
    const progress: number[][] = [];
    const { model, best, table } = await select(features, labels, {
      ...{ grid: { C: [0.01, C] }, validation: held, metric: "top-1", onProgress: (...p) => progress.push(p) },
    });
    expect(model.evaluate(held.features, held.labels, { k: [1] }).topKAccuracy[1]).toBe(best.score);
    expect(table.map(({ scores }) => scores.length)).toEqual([1, 1]);
    expect(model.dualVariables!.rows).toBe(60);
    const first = await fit(features, labels, { C: 0.01 });
    const wanted = best.C === C ? await fit(features, labels, { C, initial: first }) : first;
    expect(bitsOf(model)).toEqual(bitsOf(wanted));
    expect(progress).toEqual([[1, 2], [2, 2]]); // prettier-ignore
  });

  test.each(["f1-micro", "f1-macro", "f1-instance", "jaccard", "subset", "hamming", "map", "rank-loss", "precision-2", "recall-2"] as const)(
    "of label sets: %s, at the threshold that is best on the validation set",
    async (metric) => {
      const held = { features: features.slice(40), labels: sets.slice(40) };
      const [rows, own] = [features.slice(0, 40), sets.slice(0, 40)];
      const grid = { C: [1e-3, 0.1, 10], loss: ["multilabel-softmax", "multilabel-hinge"] };
      const { model, best, table } = await select(rows, own, { grid, validation: held, metric });
      const { multilabel: m } = model.evaluate(held.features, held.labels, { k: [1, 2] });
      const wanted = {
        ...{ "f1-micro": m.f1.micro, "f1-macro": m.f1.macro, "f1-instance": m.f1.instance },
        ...{ map: m.meanAveragePrecision, jaccard: m.jaccardAccuracy, subset: m.subsetAccuracy },
        ...{ hamming: m.hammingLoss, "rank-loss": m.rankLoss, "precision-2": m.precisionAtK[2] },
        "recall-2": m.recallAtK[2],
      };
      expect(best.score).toBe(wanted[metric]);
      const least = metric === "hamming" || metric === "rank-loss";
      expect(new Set(table.map(({ score }) => score)).size).toBeGreaterThan(1);
      expect(best.score).toBe(Math[least ? "min" : "max"](...table.map(({ score }) => score)));
      const scores = { data: model.scores(held.features), rows: 20, cols: 3 };
      const indices = held.labels.map((set) => set.map((label) => model.classes.indexOf(label)));
      expect(model.threshold).toBe(metrics.chooseThreshold(scores, indices).threshold);
    },
  ); // prettier-ignore

  test("of label sets in folds: f1-micro by default, at the threshold of the fit", async () => {
    const groups = features.map((_, i) => i % 2);
    const { table, model } = await select(features, sets, {
      ...{ grid: { C: [C] }, folds: 2, groups, options: { loss: "multilabel-hinge", gamma: 1 } },
    });
    const scores = [0, 1].map(async (g) => {
      const of = <item>(list: readonly item[], inside: boolean): item[] =>
        list.filter((_, i) => (i % 2 === g) === inside);
      const fitted = await fit(of(features, false), of(sets, false), {
        ...{ loss: "multilabel-hinge", gamma: 1, C, classes: ["down", "left", "up"] },
      });
      return fitted.evaluate(of(features, true), of(sets, true)).multilabel.f1.micro;
    });
    expect([...table[0].scores].sort()).toEqual((await Promise.all(scores)).sort());
    expect(model.predict(features.slice(0, 1))[0]).toBeInstanceOf(Array);
  });
});

test("a selection leaves no listener on its signal", async () => {
  const { signal } = new AbortController();
  const listening = vi.spyOn(signal, "addEventListener");
  const leaving = vi.spyOn(signal, "removeEventListener");
  await select(features, names, { grid: { C: [1] }, folds: 2, signal });
  expect(listening).toHaveBeenCalled();
  expect(leaving.mock.calls).toEqual(listening.mock.calls);
});

describe("features of every form", () => {
  const wide = features.map((row) => [...row, ...Array<number>(40).fill(0)]);
  const products = (rows: readonly number[][]): GramMatrix => ({
    gram: Float64Array.from(rows.flatMap((x) => rows.map((z) => x.reduce((sum, v, l) => sum + v * z[l], 0)))),
    rows: rows.length,
  });
  const forms: [name: string, features: Features, options: object][] = [
    ["rows", features, {}],
    ["dense", dense, {}],
    ["dense, float32", { ...dense, data: Float32Array.from(dense.data) }, {}],
    ["sparse", csrOf(wide), {}],
    ["Gram", products(features), {}],
    ["a kernel", features, { kernel: { name: "rbf", gamma: 0.3 } }],
    ["sparse rows and a kernel", csrOf(wide), { kernel: { name: "rbf", gamma: 0.3 } }],
    ["a Gram matrix of that kernel", rbf(0.3), {}],
  ];

  function rbf(gamma: number): GramMatrix {
    const distance = (x: readonly number[], z: readonly number[]): number =>
      x.reduce((sum, v, l) => sum + (v - z[l]) ** 2, 0);
    return {
      gram: Float64Array.from(features.flatMap((x) => features.map((z) => Math.exp(-gamma * distance(x, z))))),
      rows: features.length,
    };
  }

  test("give the same scores", async () => {
    const scores: Record<string, number[]> = {};
    for (const [name, given, options] of forms) {
      const before = JSON.stringify(given);
      const { table } = await select(given, labels, {
        grid: { C: [0.01, 1] },
        folds: 3,
        options: { ...options, precision: "float64", tolerance: 1e-9, seed: 3 },
      });
      scores[name] = table.flatMap((one) => one.scores);
      expect(JSON.stringify(given), `${name} is left as it was`).toBe(before);
    }
    for (const name of ["dense", "dense, float32", "sparse", "Gram"]) expect(scores[name], name).toEqual(scores.rows);
    for (const name of ["sparse rows and a kernel", "a Gram matrix of that kernel"]) {
      expect(scores[name], name).toEqual(scores["a kernel"]);
    }
    expect(scores["a kernel"]).not.toEqual(scores.rows);
  });

  test("a Gram matrix with a validation set", async () => {
    const against: GramMatrix = { gram: products(features).gram.slice(0, 20 * 60), rows: 20 };
    const validation = { features: against, labels: labels.slice(0, 20) };
    const { best, model } = await select(products(features), labels, { grid: { C: [0.01, 1] }, validation });
    expect(model.evaluate(against, validation.labels, { k: [1] }).topKAccuracy[1]).toBe(best.score);
  });
});

describe("a path", () => {
  test("starts each fit where a long one before it ended", async () => {
    const { features, labels } = clouds(300, 6, 4, 8, 1.5);
    const Cs = [0.01, 0.03, 0.1, 0.3, 1];
    const visits = (models: readonly Model[]): number =>
      models.reduce((sum, { history }) => sum + history[history.length - 1].visits, 0);
    const epochs: number[] = [];
    let last: number | null;
    const onProgress = ({ epoch, dualObjective }: HistoryRecord): void => {
      if (dualObjective !== last) epochs.push(epoch); // else it is told on the way to the next evaluation
      last = dualObjective;
    };
    const options = { loss: "hinge", precision: "float64", tolerance: 1e-4 } as const;
    const validation = { features, labels };
    await select(features, labels, { grid: { C: Cs }, validation, options: { ...options, onProgress } });
    const warm: Model[] = [];
    for (const C of Cs) warm.push(await fit(features, labels, { ...options, C, initial: warm[warm.length - 1] }));
    const cold = await Promise.all(Cs.map((C) => fit(features, labels, { ...options, C })));
    expect(epochs).toEqual(warm.flatMap(({ history }) => history.map(({ epoch }) => epoch)));
    expect(visits(warm)).toBeLessThan(visits(cold));
  });

  test("starts afresh after a fit that took few epochs, which is quicker than to take it over", async () => {
    const { features, labels } = clouds(300, 6, 4, 8, 1.5);
    const Cs = [0.001, 0.002];
    const objectives: number[] = [];
    const options = { loss: "softmax", precision: "float64" } as const;
    await select(features, labels, {
      grid: { C: Cs },
      validation: { features, labels },
      options: { ...options, onProgress: ({ primalObjective }) => void objectives.push(primalObjective) },
    });
    const cold = await Promise.all(Cs.map((C) => fit(features, labels, { ...options, C })));
    for (const { certificate } of cold) expect(certificate.epochs).toBeLessThanOrEqual(3);
    expect(objectives).toEqual(cold.flatMap(({ history }) => history.map(({ primalObjective }) => primalObjective)));
  });

  test("of a loss that is not convex starts each fit as fit does", async () => {
    const grid = { C: [0.1, 1], k: [1] };
    const options = { loss: "truncated-topk-entropy" } as const;
    const held = { features: features.slice(30), labels: labels.slice(30) };
    const [rows, own] = [features.slice(0, 30), labels.slice(0, 30)];
    const objectives: number[] = [];
    const onProgress = (record: HistoryRecord): void => void objectives.push(record.primalObjective);
    await select(rows, own, { grid, validation: held, options: { ...options, onProgress } });
    const alone: Model[] = [];
    for (const C of grid.C) alone.push(await fit(rows, own, { ...options, k: 1, C }));
    expect(objectives).toEqual(alone.flatMap(({ history }) => history.map((record) => record.primalObjective)));
  });

  test("a model that has learned nothing has no ties counted for it", async () => {
    // All its scores are equal: it guesses the first class, which has two rows in five.
    const y = features.map((_, i) => Math.max(0, (i % 5) - 1));
    const options = { grid: { C: [1] }, folds: 2, options: { loss: "hinge", maxEpochs: 0 } } as const;
    const { table } = await select(features.slice(0, 20), y.slice(0, 20), options);
    expect(table[0].score).toBeCloseTo(0.4, 10);
  });

  test("the same seed gives the same bits, another other folds; the order of the lists of C does not matter", async () => {
    const run = (seed: number, C: number[]) =>
      select(features, names, { grid: { C, loss: ["hinge", "softmax"] }, folds: 3, options: { seed } });
    const [a, b, c] = await Promise.all([run(1, [0.1, 1]), run(1, [1, 0.1]), run(2, [0.1, 1])]);
    expect(a.table.map(untimed)).toEqual(b.table.map(untimed));
    expect(bitsOf(a.model)).toEqual(bitsOf(b.model));
    expect(a.table.map(({ scores }) => scores)).not.toEqual(c.table.map(({ scores }) => scores));
  });

  test("progress counts all fits, the last one on all rows included", async () => {
    const counts: number[][] = [];
    const onProgress = (...count: number[]): void => void counts.push(count);
    await select(features, names, { grid: { C: [0.1, 1] }, folds: 2, onProgress });
    expect(counts).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
  });
});

describe("ends early", () => {
  const grid = { C: [0.1, 1, 10] };

  test("aborted before, during and between fits: rejects with the signal's reason", async () => {
    const reason = new Error("enough");
    const counts: number[] = [];
    await expect(select(features, names, { grid, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const place of ["select", "fit"]) {
      const stop = new AbortController();
      const abort = (): void => stop.abort(reason);
      const call = select(features, names, {
        ...{ grid, folds: 2, signal: stop.signal },
        onProgress: (done) => (counts.push(done), place === "select" && done === 2 ? abort() : undefined),
        options: { onProgress: () => (place === "fit" ? abort() : undefined) },
      });
      await expect(call).rejects.toBe(reason);
    }
    expect(counts).toEqual([1, 2]);
    await expect(select(features, names, { grid, signal: AbortSignal.abort() })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    const stop = new AbortController();
    const call = select(features, names, { grid, signal: stop.signal, onProgress: () => stop.abort() });
    await expect(call).rejects.toHaveProperty("name", "AbortError");
  });

  test("at once: also while rows are dealt out, a worker does not answer, or a promise of `onProgress` stays open", async () => {
    const n = 4000;
    const many = { data: Float32Array.from({ length: n }, (_, i) => Math.sin(i)), rows: n, cols: 1 };
    const y = Array.from(many.data, (_, i) => i % 10);
    const open = (): Promise<never> => new Promise(() => {});
    for (const o of [
      { grid, folds: n, options: { maxEpochs: 0 } },
      { grid, groups: y.map((_, i) => i >> 1), folds: n / 2 },
      { grid, workers: [{ fit: open }] as never },
      { grid, onProgress: open as never },
    ]) {
      const reason = new Error("enough");
      const stop = new AbortController();
      const call = select(many, y, { ...o, signal: stop.signal });
      setTimeout(() => stop.abort(reason), 5);
      await expect(call).rejects.toBe(reason);
    }
  });

  test("what a worker gives must be a model", async () => {
    const workers = [{ fit: () => Promise.resolve({ certificate: {} }) }] as never;
    await expect(select(features, names, { grid, workers })).rejects.toThrow(
      new TypeError('select: "workers" returned an object from a fit; it must be a model'),
    );
  });

  test("what onProgress throws", async () => {
    const error = new Error("mine");
    const onProgress = (): never => {
      throw error;
    };
    await expect(select(features, names, { grid, onProgress })).rejects.toBe(error);
    await expect(select(features, names, { grid, options: { onProgress } })).rejects.toBe(error);
  });
});

describe("workers", () => {
  const { fresh } = useWorkers();

  test("two of them: the same table and the same model", async () => {
    const workers = [(await fresh()).remote, (await fresh()).remote];
    const o = { grid: { C: [0.1, 1], gamma: [0, 1] }, folds: 3, options: { loss: "hinge" } };
    const counts: number[] = [];
    const there = await select(dense, names, { ...o, workers, onProgress: (done) => counts.push(done) });
    const here = await select(dense, names, { ...o, workers: 1 });
    expect(there.table.map(untimed)).toEqual(here.table.map(untimed));
    expect(bitsOf(there.model)).toEqual(bitsOf(here.model));
    expect(there.best).toEqual(here.best);
    expect(counts).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    expect(dense.data).toHaveLength(240);
  });

  test("one that fails ends the selection, and the other hears of it", async () => {
    const failed = new Error("gone");
    let heard = false;
    const listening = (_: unknown, __: unknown, options: any) =>
      new Promise<never>((_, reject) => {
        options.signal.addEventListener("abort", () => ((heard = true), reject(new Error("stopped"))));
      });
    const workers = [{ fit: () => Promise.reject(failed) }, { fit: listening }];
    const call = select(features, names, { grid: { C: [0.1, 1] }, folds: 2, workers: workers as never });
    await expect(call).rejects.toBe(failed);
    expect(heard).toBe(true);
  });
});

describe("refuses, before any fit", () => {
  const X = [[0, 1], [1, 0], [1, 1], [0, 0]]; // prettier-ignore
  const y = ["a", "b", "c", "a"];
  const grid = { C: [1] };
  const S: LabelSets = [["a"], ["b"], ["a", "b"], []];
  type Row = [
    message: string,
    kind: typeof TypeError | typeof RangeError,
    o: unknown,
    labels?: unknown,
    features?: unknown,
  ];
  const rows: Row[] = [
    // one by one
    ['select: "options" must be an object such as { grid: { C: [0.1, 1, 10] } }, got undefined', TypeError, undefined],
    ['select: unknown option "fold"; did you mean "folds"?', TypeError, { grid, fold: 3 }],
    ['select: "grid" must be an object such as { C: [0.1, 1, 10] }, got undefined', TypeError, {}],
    ['select: "grid" must be an object such as { C: [0.1, 1, 10] }, got an array', TypeError, { grid: [1] }],
    ['select: "grid" must be an object such as { C: [0.1, 1, 10] }, got a Map', TypeError, { grid: new Map([["C", [1]]]) }],
    ['select: unknown option "cv"; did you mean "folds"?', TypeError, { grid, cv: 3 }],
    ['select: "C" goes into "grid", as grid.C', TypeError, { grid, C: [1] }],
    ['select: "seed" goes into "options", as options.seed', TypeError, { grid, seed: 1 }],
    ['select: "options.metric" is not an option of the fits; it goes beside "options"', TypeError, { grid, options: { metric: "top-1" } }],
    ['select: "grid" has the unknown name "c"; did you mean "C"?', TypeError, { grid: { c: [1] } }],
    ['select: "grid.C" must be an array of values to try, got undefined', TypeError, { grid: {} }],
     
    ['select: "grid.C" entry 1 must be a number in (0, ∞), got undefined', TypeError, { grid: { C: [1, , 2] } }],
    ['select: "grid.C" must be an array of values to try, got 1', TypeError, { grid: { C: 1 } }],
    ['select: "grid.C" is empty; it needs at least one entry', RangeError, { grid: { C: [] } }],
    ['select: "grid.C" entry 2 must be a number in (0, ∞), got -1', RangeError, { grid: { C: [1, 2, -1] } }],
    ['select: "grid.C" entry 0 must be a number in (0, ∞), got "1"', TypeError, { grid: { C: ["1"] } }],
    ['select: "grid.C" entry 2 repeats 1', RangeError, { grid: { C: [1, 2, 1] } }],
    ['select: "grid.k" is empty; it needs at least one entry', RangeError, { grid: { C: [1], k: [] }, options: { loss: "topk-hinge" } }],
    ['select: "grid.k" entry 1 must be an integer >= 1, got 0', RangeError, { grid: { C: [1], k: [1, 0] }, options: { loss: "topk-hinge" } }],
    ['select: "grid.k" entry 1 must be an integer in [1, 2], got 3', RangeError, { grid: { C: [1], k: [1, 3] }, options: { loss: "topk-hinge" } }],
    ['select: "grid.gamma" entry 0 must be a number in [0, ∞), got NaN', RangeError, { grid: { C: [1], gamma: [NaN] }, options: { loss: "hinge" } }],
    ['select: "folds" must be an integer >= 2, got 1', RangeError, { grid, folds: 1 }],
    ['select: "folds" for 4 rows must be an integer in [2, 4], got 5', RangeError, { grid, folds: 5 }],
    ['select: "folds" for 2 groups must be an integer in [2, 2], got 3', RangeError, { grid, folds: 3, groups: [0, 1, 1, 0] }],
    ['select: "groups" has one of the groups only; folds need two', RangeError, { grid, folds: 2, groups: ["g", "g", "g", "g"] }],
    ['select: "groups" has length 3 but "features" has 4 rows', RangeError, { grid, folds: 2, groups: [1, 2, 3] }],
    ['select: "groups" entry 2 must be a safe integer or a string, got 0.5', RangeError, { grid, folds: 2, groups: [1, 2, 0.5, 1] }],
    ['select: "groups" must be an array, Int32Array, Uint32Array or Uint8Array, got "abcd"', TypeError, { grid, folds: 2, groups: "abcd" }],
    ['select: "validation" must be { features, labels }, got an array', TypeError, { grid, validation: [] }],
    ['select: "validation" must be { features, labels }; it has no "labels"', TypeError, { grid, validation: { features: X } }],
    ['select: "validation.labels" entry 0 is "z", which is not among the classes of the training data; the option "classes" says what others there may be', RangeError, { grid, validation: { features: X, labels: ["z", "a", "a", "a"] } }],
    ['select: "validation.features" has 1 columns but "features" has 2', RangeError, { grid, validation: { features: [[1]], labels: ["a"] } }],
    ['select: "folds" does not go with "validation", which says what is held out', TypeError, { grid, folds: 2, validation: { features: X, labels: y } }],
    ['select: "groups" does not go with "validation", which says what is held out', TypeError, { grid, groups: y, validation: { features: X, labels: y } }],
    ['select: "onProgress" must be a function, got 1', TypeError, { grid, onProgress: 1 }],
    ['select: "signal" must be an AbortSignal, got an object', TypeError, { grid, signal: {} }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got 0', RangeError, { grid, workers: 0 }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got 1.5', RangeError, { grid, workers: 1.5 }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got -1', RangeError, { grid, workers: -1 }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got NaN', RangeError, { grid, workers: NaN }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got "2"', TypeError, { grid, workers: "2" }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got an array', RangeError, { grid, workers: [] }],
    ['select: "workers" must be an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns, got an array', TypeError, { grid, workers: [{}] }],

    // metrics
    ['select: "metric" must be a string, got 1', TypeError, { grid, folds: 2, metric: 1 }],
    ['select: "metric" must be "top-K", got "top"; did you mean "top-1"?', RangeError, { grid, folds: 2, metric: "top" }],
    ['select: "metric" must have K in [1, 2] (classes − 1), got "top-3"', RangeError, { grid, folds: 2, metric: "top-3" }],
    ['select: "metric" must have K in [1, 2] (classes − 1), got "top-0"', RangeError, { grid, folds: 2, metric: "top-0" }],
    ['select: "metric" "map" is for label sets; for one label per example there is "top-K"', RangeError, { grid, folds: 2, metric: "map" }],
    ['select: "metric" "top-1" is for one label per example; for label sets there are "f1-micro", "f1-macro", "f1-instance", "jaccard", "subset", "hamming", "map", "rank-loss", "precision-K" and "recall-K"', RangeError, { grid, folds: 2, metric: "top-1", options: { loss: "ova-hinge" } }, S],
    ['select: "metric" must be "f1-micro", "f1-macro", "f1-instance", "jaccard", "subset", "hamming", "map", "rank-loss", "precision-K" or "recall-K", got "f1-mirco"; did you mean "f1-micro"?', RangeError, { grid, folds: 2, metric: "f1-mirco", options: { loss: "ova-hinge" } }, S],
    ['select: "metric" must have K in [1, 2], got "recall-3"', RangeError, { grid, folds: 2, metric: "recall-3", options: { loss: "ova-hinge" } }, S],

    // losses and their options
    ['select: "grid.loss" entry 1 must be one of', RangeError, { grid: { C: [1], loss: ["hinge", "hinges"] } }],
    ['; did you mean "hinge"?', RangeError, { grid: { C: [1], loss: ["hinge", "hinges"] } }],
    ['select: "grid.k" does not go with the loss "softmax"; it goes with "topk-hinge", "weighted-topk-hinge", "topk-entropy" and "truncated-topk-entropy"', TypeError, { grid: { C: [1], k: [1] } }],
    ['select: "grid.gamma" does not go with the loss "softmax" or "ova-logistic"', TypeError, { grid: { C: [1], gamma: [1], loss: ["softmax", "ova-logistic"] } }],
    ['select: "options.variant" does not go with the loss "softmax" or "hinge"', TypeError, { grid: { C: [1], loss: ["softmax", "hinge"] }, options: { variant: "beta" } }],
    ['select: "grid.k" does not go with the loss "weighted-topk-hinge"', TypeError, { grid: { C: [1], k: [1] }, options: { loss: "weighted-topk-hinge", rankWeights: [1] } }],
    ['select: "options.k" must be given with the loss "topk-hinge": the number of guesses that count', TypeError, { grid: { C: [1], loss: ["softmax", "topk-hinge"] } }],
    ['select: "options.k" does not belong to the loss "softmax"', TypeError, { grid, options: { k: 1 } }],
    ['select: "options.k" must be an integer in [1, 2] (classes − 1), got 3', RangeError, { grid, options: { loss: "topk-hinge", k: 3 } }],
    ['select: "options.loss" must be one of', RangeError, { grid, options: { loss: "svm" } }],

    // options of the fits
    ['select: "options" must be an object, got "hinge"', TypeError, { grid, options: "hinge" }],
    ['select: unknown option "options.tolerence"; did you mean "tolerance"?', TypeError, { grid, options: { tolerence: 1 } }],
    ['select: unknown option "options.c"; there is "grid.C"', TypeError, { grid, options: { c: 1 } }],
    ['select: unknown option "options.qwertz"', TypeError, { grid, options: { qwertz: 1 } }],
    ['it goes with "hinge", "topk-hinge", "weighted-topk-hinge", "ova-hinge" and "multilabel-hinge"; that of a kernel is options.kernel.gamma', TypeError, { grid: { C: [1], gamma: [1] }, options: { kernel: { name: "rbf", gamma: 1 } } }],
    ['or an array of what `connect` of "topk-sdca/worker" returns, got an array with an object', TypeError, { grid, workers: [{}] }],
    ['or an array of what `connect` of "topk-sdca/worker" returns, got an array of none', RangeError, { grid, workers: [] }],
    ['select: "metric" must be "top-K", got "top-01"', RangeError, { grid, folds: 2, metric: "top-01" }],
    ['select: "options.C" is not taken; there is "grid.C"', TypeError, { grid, options: { C: 1 } }],
    ['select: "options.lambda" is not taken; there is "grid.C", which is 1/(lambda n)', TypeError, { grid, options: { lambda: 1 } }],
    ['select: "options.validation" is not taken; there is select\'s own "validation"', TypeError, { grid, options: { validation: [] } }],
    ['select: "options.signal" is not taken; there is select\'s own "signal"', TypeError, { grid, options: { signal: new AbortController().signal } }],
    ['select: "options.initial" is not taken; there is the fit with the C below, which a fit starts from where that is of use', TypeError, { grid, options: { initial: {} } }],
    ['select: "options.gamma" and "grid.gamma" say the same thing; give one of them', TypeError, { grid: { C: [1], gamma: [1] }, options: { loss: "hinge", gamma: 1 } }],
    ['select: "options.loss" must be a string, got null', TypeError, { grid: { C: [1] }, options: { loss: null } }],
    ['select: unknown option "options.toString"', TypeError, { grid: { C: [1] }, options: { toString: 1 } }],
    ['select: "options.loss" and "grid.loss" say the same thing; give one of them', TypeError, { grid: { C: [1], loss: ["hinge"] }, options: { loss: "hinge" } }],
    ['select: "options.sampleWeight" has length 3 but "features" has 4 rows', RangeError, { grid, folds: 2, options: { sampleWeight: [1, 1, 1] } }],
    ['select: "options.anchor.weights" is 1 x 2 but the model will be 3 x 2 (classes x features)', RangeError, { grid, folds: 2, options: { anchor: { weights: [[1, 2]] } } }],

    ['select: "features" must not be a Gram matrix with the loss "truncated-topk-entropy", which has no dual', TypeError, { grid: { C: [1], k: [1], loss: ["topk-hinge", "truncated-topk-entropy"] }, folds: 2 }, y, { gram: Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1), rows: 4 }],

    // data, of which a fold would name another row
    ['select: "features" row 3, column 1 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, { grid, folds: 2 }, y, [[0, 1], [1, 0], [1, 1], [0, NaN]]],
    ['select: "features" row 3, column 1 is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, { grid, folds: 2 }, y, [[0, 1], [1, 0], [1, 1], [0, 1e39]]],
    ['select: with "features" rows of norm up to 1.41 and C = 1e+37, scores could overflow float32', RangeError, { grid: { C: [1e37, 1] }, folds: 2, options: { precision: "float32" } }],
    ['rows of norm up to 1.41 and C times weights of up to 1.00e+38, scores could overflow float32', RangeError, { grid: { C: [100], loss: ["softmax", "weighted-topk-hinge"] }, folds: 2, options: { precision: "float32", rankWeights: [1e36] } }],
    ['select: "features" gram row 3, column 2 is 1 but row 2, column 3 is 0; a Gram matrix must be symmetric', RangeError, { grid, folds: 2 }, y, { gram: Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1), rows: 4 }],
    ['select: "labels" has length 3 but "features" has 4 rows', RangeError, { grid, folds: 2 }, ["a", "b", "a"]],
    ['select: "labels" has an array at entry 0; sets of labels go with', TypeError, { grid: { C: [1], loss: ["ova-hinge", "hinge"] }, folds: 2 }, S],
    ['select: "labels" must be an array of arrays of labels, got', TypeError, { grid: { C: [1], loss: ["ova-hinge", "multilabel-hinge"] }, folds: 2 }, Int32Array.of(1, 2, 1, 2)],
    ['select: a classifier needs at least 2 classes, "labels" has only "a"', RangeError, { grid, folds: 2 }, ["a", "a", "a", "a"]],
  ]; // prettier-ignore

  test.each(rows)("%s", async (message, kind, o, labels = y, features = X) => {
    let fits = 0;
    const count = (): void => void fits++;
    const given = (o as any)?.options;
    if (typeof given === "object") given.onProgress = count;
    const call = select(features as never, labels as never, o as never);
    await expect(call).rejects.toThrow(kind);
    await expect(call).rejects.toThrow(message);
    expect(fits).toBe(0);
  });
});

describe("ties", () => {
  const classes = ["a", "b"];
  const rows = Array.from({ length: 10 }, (_, i) => [i / 10 + 0.05]);
  const allA = Array<string>(10).fill("a");

  /** A model that gets right the given share of `rows`. */
  const modelWith = (share: number): Promise<Model> =>
    fit([[0], [1]], classes, {
      ...{ precision: "float64", maxEpochs: 0 },
      anchor: { weights: { data: Float64Array.of(1, -1), rows: 2, cols: 1 }, intercepts: [share - 1, 1 - share] },
    });
  /** What fits as a worker does, but as well as it is told to, one call after the other. */
  const obedient = (shares: readonly number[], made: Model[] = [], before = () => Promise.resolve()) => {
    const left = [...shares];
    const one = async (): Promise<Model> => {
      await before();
      made.push(await modelWith(left.shift()!));
      return made[made.length - 1];
    };
    return { fit: one } as never;
  };

  test("means that differ by rounding only are equal", async () => {
    const three = [...rows, ...rows, ...rows];
    const groups = three.map((_, i) => Math.floor(i / 10));
    // By fold, then by C: 0.3 + 0.2 + 0.1 and 0.1 + 0.2 + 0.3, which is one unit in the last place more. The last call is the refit.
    const workers = [obedient([0.3, 0.1, 0.2, 0.2, 0.1, 0.3, 1])];
    const { best, table } = await select(three, [...allA, ...allA, ...allA], {
      ...{ grid: { C: [1, 2] }, folds: 3, groups, workers, options: { classes } },
    });
    expect(table.map(({ scores }) => scores)).toEqual([
      [0.3, 0.2, 0.1],
      [0.1, 0.2, 0.3],
    ]);
    expect(table[1].score).toBeGreaterThan(table[0].score);
    expect(best.C).toBe(1);
  });

  test("a smaller C wins over an earlier cell, which wins over a later one", async () => {
    const validation = { features: rows, labels: allA };
    const choose = async (shares: number[]): Promise<object> => {
      const grid = { C: [1, 10], loss: ["hinge", "softmax"] };
      return (await select(rows, allA, { grid, validation, workers: [obedient(shares)], options: { classes } })).best;
    };
    expect(await choose([0.1, 0.3, 0.3, 0.3])).toEqual({ loss: "softmax", C: 1, score: 0.3 });
    expect(await choose([0.1, 0.3, 0.1, 0.3])).toEqual({ loss: "hinge", C: 10, score: 0.3 });
    expect(await choose([0.1, 0.3, 0.2, 0.4])).toEqual({ loss: "softmax", C: 10, score: 0.4 });
  });

  test("whichever worker is done first", async () => {
    const validation = { features: rows, labels: allA };
    const [first, second]: Model[][] = [[], []];
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const { best, model } = await select(rows, allA, {
      ...{ grid: { C: [1], gamma: [0, 1] }, validation, options: { classes, loss: "hinge" } },
      workers: [obedient([0.3], first, () => finished), obedient([0.3], second)],
      onProgress: finish,
    });
    expect(best).toEqual({ gamma: 0, C: 1, score: 0.3 });
    expect(model).toBe(first[0]);
    expect(second).toHaveLength(1);
  });
});
