import { describe, expect, test } from "vitest";
import {
  fit,
  load,
  metrics,
  type FitOptions,
  type HistoryRecord,
  type Label,
  type LabelSets,
  type Model,
} from "../../src/index.ts";
import { recomputeSets } from "../helpers/certifiedSets.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { setLosses } from "../helpers/losses.ts";
import { rowsOf } from "../helpers/problem.ts";
import type { SetLossSpec } from "../reference/multilabel.ts";

/** Fits on label sets: certified, and the same as the losses of one class where every set has one label. */

const nameOf = ({ loss, gamma }: SetLossSpec): string => (gamma ? `${loss}, gamma = ${gamma}` : loss);
const cases = setLosses.map((spec) => [nameOf(spec), spec] as const);

const m = 7;
const n = 90;
const { features, labels } = clouds(n, 6, m, 9);
const classes = Array.from({ length: m }, (_, j) => `t${j}`);
/** The cloud's own class and every (i mod 4)-th of the others; an empty set and a full one. */
const sets: string[][] = labels.map((y, i) => {
  if (i === 4) return [];
  if (i === 7) return [...classes].reverse();
  return classes.filter((_, j) => j === y || (i % 4 > 0 && (i + 3 * j) % (3 + (i % 4)) === 0));
});
const indexSets = sets.map((set) => set.map((label) => classes.indexOf(label)));

const solve = (spec: SetLossSpec, options: FitOptions = {}, truth: LabelSets = sets): Promise<Model<string[]>> =>
  fit(features, truth, {
    ...{ tolerance: 1e-8, precision: "float64", maxEpochs: 20_000 },
    ...options,
    ...spec,
  } as FitOptions) as Promise<Model<string[]>>;

const recompute = (
  model: Model<string[]>,
  loss: SetLossSpec,
  C: number,
  precision: "float32" | "float64" = "float64",
) => recomputeSets(model, { features, sets: indexSets, loss, costs: features.map(() => C), precision });

describe.each(cases)("%s", (_, spec) => {
  test.each(["float32", "float64"] as const)(
    "solved, and the certificate holds when recomputed: %s",
    async (precision) => {
      for (const C of [0.02, 1, 10]) {
        const tolerance = precision === "float32" ? 1e-4 : 1e-7;
        const model = await solve(spec, { C, precision, tolerance, maxEpochs: C > 1 ? 2000 : 10_000 });
        const { status, primalObjective, dualObjective } = model.certificate;
        if (C <= 1) expect(status).toBe("solved"); // with weak regularisation the certificate is what counts
        const { primal, dual } = recompute(model, spec, C, precision);
        const rounding = 1e-12 * primal;
        expect(Math.abs(primal - primalObjective)).toBeLessThanOrEqual(rounding);
        expect(Math.abs(dual - dualObjective!)).toBeLessThanOrEqual(rounding);
      }
    },
  );

  test("predicts every class from the threshold on; the evaluation is that of `metrics`", async () => {
    const model = await solve(spec, { tolerance: 1e-3 });
    const scores = rowsOf(model.scores(features), m);
    const threshold = model.threshold!;
    expect(threshold).toBe(
      spec.loss.startsWith("ova") ? 0 : metrics.chooseThreshold(scores, indexSets, { metric: "f1-micro" }).threshold,
    );
    for (const delta of [threshold, 0.25, -1e3, 1e3, model.scores(features)[3]]) {
      const moved = model.withThreshold(delta);
      expect(moved.predict(features)).toEqual(scores.map((row) => classes.filter((_, j) => row[j] >= delta)));
      const { multilabel, rows } = moved.evaluate(features, sets, { k: [1, 2] });
      expect(rows).toBe(n);
      expect(multilabel.f1.micro).toBe(metrics.f1(scores, indexSets, { threshold: delta, average: "micro" }));
      expect(multilabel.hammingLoss).toBe(metrics.hammingLoss(scores, indexSets, { threshold: delta }));
      expect(multilabel.rankLoss).toBe(metrics.rankLoss(scores, indexSets));
      expect(multilabel.precisionAtK).toEqual({
        1: metrics.precisionAtK(scores, indexSets, 1),
        2: metrics.precisionAtK(scores, indexSets, 2),
      });
    }
    expect(model.threshold).toBe(threshold); // a new model each time
  });

  test("saved and loaded, with its threshold, sets and dual variables; and a warm start from that", async () => {
    const model = (await solve(spec, { tolerance: 1e-6 })).withThreshold(0.125);
    for (const saved of [model.toBytes({ duals: true }), JSON.stringify(model.toJSON({ duals: true }))]) {
      const back = load<string[]>(saved);
      expect(back.threshold).toBe(0.125);
      expect(back.predict(features)).toEqual(model.predict(features));
      expect(back.dualVariables).toEqual(model.dualVariables);
      expect(back.evaluate(features, sets)).toEqual(model.evaluate(features, sets));
      const again = await solve(spec, { initial: back, tolerance: 1e-6 });
      expect(again.certificate.epochs).toBe(0);
      const elsewhere = await solve(spec, { initial: back, C: 3, tolerance: 1e-6 });
      expect(elsewhere.certificate.status).toBe("solved");
    }
  });

  test("sparse rows, the order within sets and the seed's repetition change nothing", async () => {
    const thinned = features.map((row, i) => row.map((v, l) => ((i + l) % 3 ? 0 : v)));
    const wide = thinned.map((row) => [...row, ...Array.from({ length: 30 }, () => 0)]);
    const csr = csrOf(wide);
    const options = { tolerance: 1e-9, precision: "float64", maxEpochs: 20_000, ...spec } as FitOptions;
    const dense = await fit(wide, sets, options);
    const sparse = await fit(csr, sets, options);
    const { primalObjective: P } = dense.certificate;
    expect(Math.abs(sparse.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
    const reversed = await fit(
      csr,
      sets.map((set) => [...set].reverse()),
      options,
    );
    expect(reversed.weights).toEqual(sparse.weights);
  });

  test("stopped anywhere it is certified", async () => {
    const aborting = new AbortController();
    const model = await solve(spec, {
      tolerance: 0,
      signal: aborting.signal,
      onProgress: (record) => record.epoch > 2 && aborting.abort(),
    });
    expect(model.certificate.status).toBe("aborted");
    const { primal, dual } = recompute(model, spec, 1);
    expect(Math.abs(primal - model.certificate.primalObjective)).toBeLessThanOrEqual(1e-12 * primal);
    expect(Math.abs(dual - model.certificate.dualObjective!)).toBeLessThanOrEqual(1e-12 * primal);
  });
});

test.each([
  [{ loss: "multilabel-hinge" }, { loss: "hinge" }],
  [{ loss: "multilabel-softmax" }, { loss: "softmax" }],
  [{ loss: "ova-hinge" }, { loss: "ova-hinge" }],
  [{ loss: "ova-logistic" }, { loss: "ova-logistic" }],
] as const)("sets of one label: %o is %o", async (ofSets, ofOne) => {
  const options = { tolerance: 1e-9, precision: "float64", maxEpochs: 50_000 } as const;
  const one = await fit(features, labels, { ...options, ...ofOne });
  const set = await fit(
    features,
    labels.map((y) => [y]),
    { ...options, ...ofSets },
  );
  const P = one.certificate.primalObjective;
  expect(Math.abs(set.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
  expect(one.threshold).toBeUndefined();
});

test("nothing but empty sets, or full ones, is a problem like any other", async () => {
  for (const spec of setLosses) {
    for (const all of [[], ["a", "b", "c"]]) {
      const model = await fit(
        features,
        features.map(() => all),
        { ...spec, classes: ["a", "b", "c"], precision: "float64", tolerance: 1e-6 } as FitOptions,
      );
      expect(model.certificate.status).toBe("solved");
      const scores = model.scores(features);
      expect(scores.every(Number.isFinite)).toBe(true);
      if (spec.loss === "multilabel-hinge") expect(model.certificate.primalObjective).toBe(0);
    }
  }
});

test("validation sets are scored at each evaluation, and the first gives the threshold", async () => {
  const records: HistoryRecord[] = [];
  const first = { features: features.slice(0, 40), labels: sets.slice(0, 40) };
  const second = { features: features.slice(40), labels: sets.slice(40) };
  const model = await solve(
    { loss: "multilabel-softmax" },
    { validation: [first, second], onProgress: (record) => records.push(record), tolerance: 1e-4 },
  );
  const scores = rowsOf(model.scores(first.features), m);
  expect(model.threshold).toBe(metrics.chooseThreshold(scores, indexSets.slice(0, 40)).threshold);
  const last = model.history.at(-1)!.validation!;
  expect(records.every(({ validation }) => validation!.length === 2)).toBe(true);
  for (const [v, set] of [first, second].entries()) {
    const { multilabel, loss } = model.evaluate(set.features, set.labels, { k: [1, 3, 5] });
    expect(last[v].multilabel).toEqual(multilabel);
    expect(Math.abs(last[v].loss - loss)).toBeLessThanOrEqual(64 * EPS * loss);
  }
});

test.each<[string, LabelSets | readonly string[], FitOptions]>([
  ['fit: "labels" has an array at entry 0; sets of labels go with "ova-hinge", "ova-logistic", "multilabel-hinge" and "multilabel-softmax"', [["a"], ["b"]], {}], // prettier-ignore
  ['fit: "labels" entry 0 must be an array of labels, got "a"; "multilabel-hinge" and "multilabel-softmax" take sets, other losses one label for each row', ["a", "b"], { loss: "multilabel-hinge" }], // prettier-ignore
  ['fit: "labels" entry 0, label 2 repeats 0; a set lists the labels that apply: of a row of 0s and 1s, give the places of the 1s', [[0, 1, 0], [1, 0, 0]], { loss: "ova-hinge" }], // prettier-ignore
  ['fit: "labels" has rows of 0 and 1, in either order; a set lists the labels that apply', [[0, 1], [1, 0]], { loss: "ova-hinge" }], // prettier-ignore
  ['fit: a classifier needs at least 2 classes, "labels" has only "a"; where a row has it or not, give every row one of two labels', [["a"], []], { loss: "ova-hinge" }], // prettier-ignore
  ['fit: "labels" entry 1 must be an array of labels, got "b"', [["a"], "b"] as never, { loss: "ova-hinge" }],
  ['fit: "labels" entry 0 must be an array of labels, got an Int32Array, of which Array.from makes one', [Int32Array.of(1), [2]] as never, { loss: "ova-hinge" }], // prettier-ignore
  ['fit: "labels" entry 1 must be an array of labels, got a Set, of which Array.from makes one', [["a"], new Set(["b"])] as never, { loss: "multilabel-hinge" }], // prettier-ignore
  ['fit: "labels" has a Set at entry 0; sets of labels go with', [new Set(["a"]), new Set(["b"])] as never, {}],
  ['fit: "labels" has length 1 but "features" has 2 rows', [["a", "b"]], { loss: "multilabel-softmax" }],
  ['fit: "labels" entry 1, label 1 repeats "b"', [["a"], ["b", "b"]], { loss: "multilabel-softmax" }],
  ['fit: "labels" entry 1, label 0 must be a safe integer or a string, got 0.5', [["a"], [0.5]], { loss: "multilabel-softmax" }], // prettier-ignore
  ['fit: "labels" entry 0, label 1 is "c", which is not among "classes"', [["a", "c"], []], { loss: "multilabel-hinge", classes: ["a", "b"] }], // prettier-ignore
  ['fit: a classifier needs at least 2 classes, "labels" has none', [[], []], { loss: "multilabel-hinge" }],
  ['fit: a classifier needs at least 2 classes, "labels" has only "a"', [[], ["a"]], { loss: "multilabel-hinge" }],
  ['fit: "classWeight" goes with sets of labels only if the loss is "ova-hinge" or "ova-logistic"; there is sampleWeight', [["a"], ["b"]], { loss: "multilabel-softmax", classWeight: "balanced" }], // prettier-ignore
  ['fit: the weights of row 1 give it C_i = Infinity, which must be in (0, ∞); use another C or other weights', [["a"], ["b"]], { loss: "ova-hinge", C: 1e200, classWeight: [["b", 1e200]] }], // prettier-ignore
])("%s", async (message, truth, options) => {
  await expect(fit([[0], [1]], truth as LabelSets, options)).rejects.toThrow(message);
});

test("sets of two labels that look like rows of 0 and 1 only nearly are taken", async () => {
  const taken = async (truth: LabelSets, options?: FitOptions<Label[]>): Promise<unknown> =>
    (await fit([[0], [1]], truth, { ...options, loss: "ova-hinge" })).classes;
  expect(await taken([[0, 1], [0, 1]])).toEqual([0, 1]); // prettier-ignore
  expect(await taken([[0, 1], [1]])).toEqual([0, 1]); // prettier-ignore
  expect(await taken([["0", "1"], ["1", "0"]])).toEqual(["0", "1"]); // prettier-ignore
  expect(await taken([[0, 1], [1, 0]], { classes: [0, 1] })).toEqual([0, 1]); // prettier-ignore
});

test("of a margin loss no dual variable of a true class is below 0, nor one of another above, not even by rounding", async () => {
  const random = uniforms(3);
  const count = 5;
  for (let turn = 0; turn < 60; turn++) {
    const rows = Array.from({ length: 6 }, () => [Math.round(4000 * random() - 2000) / 1000]);
    const truth = rows.map(() => Array.from({ length: count }, (_, j) => j).filter(() => random() < 0.6));
    const classes = Array.from({ length: count }, (_, j) => j);
    const options = { loss: "multilabel-hinge", precision: "float64", tolerance: 1e-8, intercept: false } as const;
    const { dualVariables } = await fit(rows, truth, {
      ...options,
      classes,
      gamma: [0, 0.1][turn % 2],
      maxEpochs: 300,
    });
    rowsOf(dualVariables!.data, count).forEach((row, i) => {
      for (const j of classes) expect(truth[i].includes(j) ? row[j] : -row[j]).toBeGreaterThanOrEqual(0);
    });
  }
});

test("a model of one label per row has no threshold, and one of sets refuses what is no number", async () => {
  const one = await fit([[0], [1]], ["a", "b"]);
  expect(() => one.withThreshold(0)).toThrow("withThreshold: this model predicts one label per row");
  const set = await fit([[0], [1]], [["a"], ["b"]], { loss: "multilabel-hinge" });
  expect(() => set.withThreshold(NaN)).toThrow('withThreshold: "threshold" must be a number in (-∞, ∞), got NaN');
  expect(() => set.evaluate([[0]], ["a"] as never)).toThrow(
    'evaluate: "labels" entry 0 must be an array of labels, got "a"',
  );
});
