import { describe, expect, test } from "vitest";
import { fit, losses, type CsrMatrix, type Features, type FitOptions, type Kernel, type Model } from "../src/index.ts";
import { expectCertified } from "./helpers/certified.ts";
import { csrOf, spread, untidyCsrOf } from "./helpers/csr.ts";
import { clouds, split } from "./helpers/data.ts";
import { EPS, expectVectorWithin } from "./helpers/expect.ts";
import { asGram, expectKernelCertified, kernels } from "./helpers/kernels.ts";
import { allLosses, nameOf, optionsOf } from "./helpers/losses.ts";
import { gramOf } from "./reference/kernel.ts";
import type { LossSpec } from "./reference/losses.ts";

/** One table, loss x precision x {dense, csr, kernels, gram}, the same checks for every cell; run in Node and in Chromium. */

const m = 7;
const [{ features, labels }, held] = split(clouds(98 + 70, 6, m, 42), 98);
const precisions = ["float32", "float64"] as const;

interface Form {
  readonly name: string;
  /** The rows of a problem written out, zeros included. */
  readonly wide: (rows: number[][]) => number[][];
  /** How `fit` and the model get them. */
  readonly give: (wide: number[][]) => Features;
  /** Other ways of giving the same float32 numbers. */
  readonly same: (wide: number[][]) => Features[];
}
const cast = ({ data, ...rest }: CsrMatrix): CsrMatrix => ({ ...rest, data: Float32Array.from(data) });
const forms: Form[] = [
  {
    name: "dense",
    wide: (rows) => rows,
    give: (wide) => wide,
    same: (wide) => {
      const [flat, rows, cols] = [wide.flat(), wide.length, wide[0].length];
      return [
        wide.map((row) => Float32Array.from(row)),
        { data: Float32Array.from(flat), rows, cols },
        { data: Float64Array.from(flat), rows, cols },
      ];
    },
  },
  {
    name: "csr",
    wide: (rows) => spread(rows, 64), // wide and empty enough to be stored sparse, whatever the loss
    give: (wide) => csrOf(wide),
    same: (wide) => [wide, cast(csrOf(wide, Float64Array, Uint32Array)), untidyCsrOf(wide)],
  },
];
const cells = forms.flatMap((form) => precisions.map((precision) => [form.name, precision, form] as const));

/** Relative gap asked of each cell. */
const toleranceOf = (precision: "float32" | "float64"): number => (precision === "float32" ? 1e-4 : 1e-7);

/** Those of C = 1, which several tests look at. */
const solved = new Map<string, Promise<Model>>();

function solve(spec: LossSpec, precision: "float32" | "float64", form = forms[0]): Promise<Model> {
  const which = `${nameOf(spec)} ${precision} ${form.name}`;
  const model = solved.get(which) ?? solveFor(1, spec, precision, form);
  solved.set(which, model);
  return model;
}

const solveFor = (C: number, spec: LossSpec, precision: "float32" | "float64", { wide, give }: Form): Promise<Model> =>
  fit(give(wide(features)), labels, {
    ...optionsOf(spec),
    C,
    precision,
    interceptScale: 0.3,
    tolerance: toleranceOf(precision),
    maxEpochs: 10_000,
  });

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  describe.each(cells)("%s %s", (_, precision, form) => {
    const { wide, give, same } = form;
    const wideFeatures = wide(features);
    const wideHeld = wide(held.features);
    const problem = { features: wideFeatures, labels, loss: spec, precision, interceptScale: 0.3 };

    test("solved, certified, and the certificate holds when recomputed", async () => {
      const model = await solve(spec, precision, form);
      expect(model.certificate.status).toBe("solved");
      expectCertified(model, { ...problem, C: 1 });
    });

    // How hard a C is depends little on how rows are given: one C for each way.
    test("also where the regularisation is weak or strong", async () => {
      const C = form === forms[0] ? 10 : 0.003;
      expectCertified(await solveFor(C, spec, precision, form), { ...problem, C });
    });

    test("arrays and matrices of either precision are the same problem", async () => {
      const rounded = wideFeatures.map((row) => row.map(Math.fround));
      const options = { ...optionsOf(spec), precision, maxEpochs: 5, tolerance: 0 };
      const models = await Promise.all([give(rounded), ...same(rounded)].map((rows) => fit(rows, labels, options)));
      for (const model of models) expect(model.weights).toEqual(models[0].weights);
    });

    test("scores, predictions, ranks and the evaluation agree with each other", async () => {
      const model = await solve(spec, precision, form);
      const scores = model.scores(give(wideHeld));
      const { data, cols } = model.weights;
      wideHeld.forEach((row, i) => {
        const expected = model.classes.map(
          (_, j) => model.intercepts[j] + row.reduce((sum, x, l) => sum + x * data[j * cols + l], 0),
        );
        const own = scores.subarray(i * m, (i + 1) * m);
        expectVectorWithin(own, expected, (s) => 32 * EPS * (1 + Math.abs(s)), `scores of row ${i}`);
        const order = [...own.keys()].sort((a, b) => own[b] - own[a] || a - b);
        const top = model.topK(give([row]), m)[0];
        expect(top.map(({ label }) => label)).toEqual(order.map((j) => model.classes[j]));
        expect(top.map(({ score }) => score)).toEqual(order.map((j) => own[j]));
        expect(model.predict(give([row]))).toEqual([top[0].label]);
      });
      const { rows, loss, topKAccuracy } = model.evaluate(give(wideHeld), held.labels, { k: [1, 2, m] });
      const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
      // Ties count as correct: a label is among the k best if it scores no less than the k-th.
      const among = (k: number): number =>
        mean(
          model.topK(give(wideHeld), k).map((best, i) => Number(scores[i * m + held.labels[i]] >= best[k - 1].score)),
        );
      expect(rows).toBe(70);
      expect(topKAccuracy).toEqual({ 1: among(1), 2: among(2), [m]: 1 });
      const { loss: name, ...parameters } = spec;
      const values = held.labels.map((y, i) => losses.value(name, scores.subarray(i * m, (i + 1) * m), y, parameters));
      expect(Math.abs(loss - mean(values))).toBeLessThanOrEqual(70 * EPS * loss);
    });
  });

  describe.each([...kernels, { name: "gram" } as const].map((how) => [how.name, how] as const))("%s", (_, how) => {
    test.each(precisions)("%s: solved, certified, and the certificate holds when recomputed", async (precision) => {
      const kernel = how.name === "gram" ? { name: "rbf" as const, gamma: 0.1 } : how;
      const [rows, y] = [features.slice(0, 42), labels.slice(0, 42)];
      const options: FitOptions = {
        ...{ ...optionsOf(spec), precision, interceptScale: 0.3, tolerance: toleranceOf(precision), maxEpochs: 10_000 },
      };
      const K = gramOf(rows, rows, kernel);
      const model =
        how.name === "gram"
          ? await fit(asGram(K), y, options)
          : await fit(rows, y, { ...options, kernel: kernel as Kernel });
      expect(model.certificate.status).toBe("solved");
      const of = how.name === "gram" ? { K } : { features: rows, kernel };
      expectKernelCertified(model, { ...of, labels: y, loss: spec, C: 1, precision, interceptScale: 0.3 });
    });
  });

  test("both precisions reach the same optimum", async () => {
    const [a, b] = await Promise.all(precisions.map((precision) => solve(spec, precision)));
    const low = Math.max(a.certificate.dualObjective!, b.certificate.dualObjective!);
    for (const { certificate } of [a, b]) {
      // Features rounded to float32 are another problem, by 6e-8 of the scores.
      expect(certificate.primalObjective).toBeGreaterThanOrEqual(low * (1 - 1e-6));
      expect(certificate.primalObjective).toBeLessThanOrEqual(low * (1 + 2 * toleranceOf("float32")));
    }
  });
});

test("k = 1 is the hinge loss, whatever the variant", async () => {
  const hinge = await solve({ loss: "hinge" }, "float64");
  for (const variant of ["alpha", "alpha-inclusive", "beta"] as const) {
    const model = await solve({ loss: "topk-hinge", k: 1, variant }, "float64");
    const { primalObjective, dualObjective } = model.certificate;
    expect(dualObjective).toBeLessThanOrEqual(hinge.certificate.primalObjective);
    expect(hinge.certificate.dualObjective).toBeLessThanOrEqual(primalObjective);
  }
});

test("flat weights are alpha-inclusive, one weight is hinge: each other's primal value is above the dual one", async () => {
  const pairs: [LossSpec, LossSpec][] = [
    [
      { loss: "weighted-topk-hinge", rankWeights: "flat", k: 3 },
      { loss: "topk-hinge", k: 3, variant: "alpha-inclusive" },
    ],
    [{ loss: "weighted-topk-hinge", rankWeights: [1] }, { loss: "hinge" }],
  ];
  for (const pair of pairs) {
    const [a, b] = await Promise.all(pair.map((spec) => solve(spec, "float64")));
    expect(a.certificate.dualObjective).toBeLessThanOrEqual(b.certificate.primalObjective);
    expect(b.certificate.dualObjective).toBeLessThanOrEqual(a.certificate.primalObjective);
  }
});

test("alpha <= alpha-inclusive <= beta <= hinge, also at the optimum", async () => {
  const specs: LossSpec[] = [
    ...(["alpha", "alpha-inclusive", "beta"] as const).map((variant): LossSpec => ({
      loss: "topk-hinge",
      k: 3,
      variant,
    })),
    { loss: "hinge" },
  ];
  const models = await Promise.all(specs.map((spec) => solve(spec, "float64")));
  models.slice(1).forEach((model, s) => {
    expect(models[s].certificate.dualObjective).toBeLessThanOrEqual(model.certificate.primalObjective);
  });
});
