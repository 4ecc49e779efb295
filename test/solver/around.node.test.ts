import { describe, expect, test } from "vitest";
import { fit, prox, type FitOptions, type Label, type Model } from "../../src/index.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import { rowsOf } from "../helpers/certified.ts";
import { clouds, split } from "../helpers/data.ts";
import { EPS, expectVectorWithin } from "../helpers/expect.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";
import { dualObjective, infeasibility, primalObjective, weightsOf } from "../reference/objective.ts";

/** What surrounds a fit: weights, starting points, a proximal centre, validation sets, scaling, hints. */

const m = 5;
const [{ features, labels }, held] = split(clouds(60 + 40, 4, m, 21), 60);
const hinge: LossSpec = { loss: "hinge" };
const tight: FitOptions = { loss: "hinge", precision: "float64", intercept: false, tolerance: 1e-8, maxEpochs: 10_000 };

/** P and D recomputed with a weight for each example and a proximal centre. */
function objectives(model: Model, loss: LossSpec, costs: number[], W0?: number[][]) {
  const W = rowsOf(model.weights);
  const A = rowsOf(model.dualVariables!);
  const centre = W0 ?? W.map((row) => row.map(() => 0));
  const square = (rows: number[][]) => rows.flat().reduce((sum, v) => sum + v * v, 0);
  const Z = weightsOf(A, features);
  const primal =
    primalObjective(features, labels, W, costs, loss) -
    square(W) / 2 +
    square(W.map((row, j) => row.map((w, l) => w - centre[j][l]))) / 2;
  const dual =
    dualObjective(A, features, labels, costs, loss) - Z.flat().reduce((sum, z, e) => sum + z * centre.flat()[e], 0);
  const link = Math.max(...W.flatMap((row, j) => row.map((w, l) => Math.abs(w - centre[j][l] - Z[j][l]))));
  return { primal, dual, link, infeasibility: infeasibility(A, labels, costs, loss) };
}

function expectHolds(model: Model, loss: LossSpec, costs: number[], W0?: number[][]): void {
  const found = objectives(model, loss, costs, W0);
  const { primalObjective: P, dualObjective: D } = model.certificate;
  const rounding = 64 * features.length * EPS * Math.max(1, Math.abs(P), Math.abs(D!));
  expect(Math.abs(found.primal - P)).toBeLessThanOrEqual(rounding);
  expect(Math.abs(found.dual - D!)).toBeLessThanOrEqual(rounding);
  expect(found.infeasibility).toBeLessThanOrEqual(8 * m * EPS);
}

describe("weights", () => {
  test("a weight of 2 is the example twice", async () => {
    const twice = await fit([...features, ...features.slice(0, 20)], [...labels, ...labels.slice(0, 20)], tight);
    const sampleWeight = features.map((_, i) => (i < 20 ? 2 : 1));
    const weighted = await fit(features, labels, { ...tight, sampleWeight });
    expect(weighted.certificate.status).toBe("solved");
    const P = twice.certificate.primalObjective;
    expect(Math.abs(weighted.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-8 * P);
    expectHolds(weighted, hinge, sampleWeight);
  });

  test("class weights multiply sample weights", async () => {
    const sampleWeight = features.map((_, i) => 1 + (i % 3));
    const pairs: [Label, number][] = [[1, 4], [3, 0.5]]; // prettier-ignore
    const factors = new Map(pairs);
    const combined = Float64Array.from(sampleWeight, (c, i) => c * (factors.get(labels[i]) ?? 1));
    const expected = await fit(features, labels, { ...tight, sampleWeight: combined });
    for (const classWeight of [pairs, factors] as const) {
      const model = await fit(features, labels, { ...tight, sampleWeight, classWeight });
      expect(model.weights).toEqual(expected.weights);
    }
    expectHolds(expected, hinge, [...combined]);
  });

  test("balanced: every class that occurs has the same total", async () => {
    const rows = features.slice(0, 43);
    const y = labels.slice(0, 43);
    const counts = y.reduce((c, j) => c.set(j, (c.get(j) ?? 0) + 1), new Map<number, number>());
    const sampleWeight = y.map((j) => 43 / (counts.size * counts.get(j)!));
    const options: FitOptions = { ...tight, classes: [0, 1, 2, 3, 4, 99] };
    const [a, b] = await Promise.all([
      fit(rows, y, { ...options, classWeight: "balanced" }),
      fit(rows, y, { ...options, sampleWeight }),
    ]);
    expect(a.weights).toEqual(b.weights);
  });
});

describe("initial", () => {
  test("the same problem again takes no epoch", async () => {
    const first = await fit(features, labels, tight);
    const again = await fit(features, labels, { ...tight, initial: first });
    expect(again.certificate).toMatchObject({ status: "solved", epochs: 0 });
    expect(again.dualVariables!.data).toEqual(first.dualVariables!.data);
  });

  test("from strong to weak regularisation it needs fewer epochs than from nothing", async () => {
    const options: FitOptions = { ...tight, gamma: 0.1, tolerance: 1e-6 };
    const strong = await fit(features, labels, { ...options, C: 0.9 });
    const [warm, cold] = await Promise.all([
      fit(features, labels, { ...options, C: 1, initial: strong }),
      fit(features, labels, { ...options, C: 1 }),
    ]);
    expect(warm.certificate.status).toBe("solved");
    expect(warm.certificate.epochs).toBeLessThan(cold.certificate.epochs);
    const P = cold.certificate.primalObjective;
    expect(Math.abs(warm.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-6 * P);
  });

  test.each(["softmax", "ova-logistic", "topk-entropy"] as const)(
    "%s: of a C many times smaller, steps begin where D is no less than at zero",
    async (loss) => {
      const options = { loss, ...(loss === "topk-entropy" && { k: 2 }) } as FitOptions;
      const first = await fit(features, labels, { ...options, C: 1 });
      const [warm, cold] = await Promise.all([
        fit(features, labels, { ...options, C: 1e4, initial: first }),
        fit(features, labels, { ...options, C: 1e4 }),
      ]);
      expect(warm.history[0].dualObjective).toBeLessThan(0);
      expect(warm.history[1].dualObjective).toBeGreaterThanOrEqual(0);
      expect(warm.certificate.epochs).toBeLessThanOrEqual(2 * cold.certificate.epochs);
      for (const { certificate } of [warm, cold]) expect(certificate.status).toBe("solved");
      // That is no epoch.
      const { certificate, history } = await fit(features, labels, {
        ...options,
        C: 1e4,
        initial: first,
        maxEpochs: 1,
      });
      expect(certificate.epochs).toBe(1);
      expect(history.at(-1)!.visits).toBeGreaterThan(0);
    },
  );

  test("with another C the dual variables are as much larger", async () => {
    for (const [loss, C] of [["softmax", 4], ["hinge", 0.25], ["ova-logistic", 2]] as const) {
      const first = await fit(features, labels, { ...tight, loss, maxEpochs: 5 });
      const model = await fit(features, labels, { ...tight, loss, C, maxEpochs: 0, initial: first });
      const expected = rowsOf(first.dualVariables).map((row) => row.map((a) => C * a));
      rowsOf(model.dualVariables).forEach((row, i) => expectVectorWithin(row, expected[i], 8 * m * EPS * C, `row ${i}`));
    }
  }); // prettier-ignore

  test("with another loss they are the nearest that are feasible", async () => {
    const first = await fit(features, labels, { ...tight, maxEpochs: 5 });
    for (const variant of ["alpha", "alpha-inclusive", "beta"] as const) {
      const options: FitOptions = { ...tight, loss: "topk-hinge", k: 2, variant };
      const model = await fit(features, labels, { ...options, maxEpochs: 0, initial: first });
      const before = rowsOf(first.dualVariables);
      rowsOf(model.dualVariables).forEach((row, i) => {
        const others = (a: readonly number[]): number[] => a.filter((_, j) => j !== labels[i]).map((v) => -v);
        const nearest = prox.topKSimplex(others(before[i]), { k: 2, variant });
        expectVectorWithin(others(row), nearest, 8 * m * EPS, `row ${i}, ${variant}`);
      });
    }
  });

  test.each(allLosses.flatMap((from) => allLosses.map((to) => [nameOf(from), nameOf(to), from, to] as const)))(
    "from %s to %s it starts feasible and certified",
    async (_, __, from, to) => {
      const base: FitOptions = { intercept: false, precision: "float64", tolerance: 0 };
      const first = await fit(features, labels, { ...base, ...optionsOf(from), C: 2, maxEpochs: 5 });
      const model = await fit(features, labels, { ...base, ...optionsOf(to), C: 0.5, maxEpochs: 0, initial: first });
      expect(model.certificate.epochs).toBe(0);
      expectHolds(
        model,
        to,
        features.map(() => 0.5),
      );
      const { dualObjective: D, primalObjective: P } = model.certificate;
      expect(D).toBeLessThanOrEqual(P);
    },
  );

  test.each(allLosses.map((spec) => [nameOf(spec), spec] as const))(
    "%s: feasible in float32, of a C that it has no number for",
    async (_, spec) => {
      const base: FitOptions = { ...optionsOf(spec), intercept: false, maxEpochs: 5, tolerance: 0 };
      const first = await fit(features, labels, { ...base, C: 10 });
      for (const C of [0.1, 0.7, 0.9]) {
        const model = await fit(features, labels, { ...base, C, maxEpochs: 0, initial: first });
        const costs = features.map(() => C);
        expect(infeasibility(rowsOf(model.dualVariables), labels, costs, spec)).toBeLessThanOrEqual(8 * m * EPS);
      }
    },
  );

  test("a change of precision, labels or weights is a start like any other", async () => {
    const first = await fit(features, labels, { loss: "softmax", precision: "float32", intercept: false });
    const other = labels.map((y, i) => (i % 7 === 0 ? (y + 1) % m : y));
    const sampleWeight = labels.map((y) => 1 + y);
    const model = await fit(features, other, {
      loss: "softmax",
      precision: "float64",
      intercept: false,
      sampleWeight,
      initial: first,
      tolerance: 1e-8,
    });
    expect(model.certificate.status).toBe("solved");
    const cold = await fit(features, other, {
      ...{ loss: "softmax", precision: "float64", intercept: false, sampleWeight, tolerance: 1e-8 },
    });
    const P = cold.certificate.primalObjective;
    expect(Math.abs(model.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-8 * P);
  });
});

describe("anchor", () => {
  const W0 = Array.from({ length: m }, (_, j) => [0.3 * j, -0.2, 0.1 * j * j, 1]);
  const weights = { data: Float64Array.from(W0.flat()), rows: m, cols: 4 };

  test.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s: certified around W0", async (_, loss) => {
    for (const precision of ["float64", "float32"] as const) {
      const model = await fit(
        features.map((row) => row.map(Math.fround)),
        labels,
        {
          ...optionsOf(loss),
          precision,
          intercept: false,
          anchor: { weights },
          tolerance: precision === "float64" ? 1e-7 : 1e-3,
          maxEpochs: 10_000,
        },
      );
      expect(model.certificate.status).toBe("solved");
      if (precision === "float64") {
        const P = model.certificate.primalObjective;
        expect(P).toBeLessThan(primalObjective(features, labels, W0, 1, loss)); // at W0 itself, the penalty left out
      }
    }
    const model = await fit(features, labels, { ...optionsOf(loss), precision: "float64", intercept: false, anchor: { weights }, maxEpochs: 7, tolerance: 0 }); // prettier-ignore
    expectHolds(
      model,
      loss,
      features.map(() => 1),
      W0,
    );
  });

  test("in float32 D is that of the dual variables, whatever rounding makes of W", async () => {
    const X = features.map((row) => row.map(Math.fround));
    const options: FitOptions = { loss: "hinge", intercept: false, anchor: { weights }, maxEpochs: 3, tolerance: 0 };
    const { dualVariables, certificate } = await fit(X, labels, options);
    const A = rowsOf(dualVariables);
    const Z = weightsOf(A, X).flat();
    const costs = X.map(() => 1);
    const D = dualObjective(A, X, labels, costs, hinge) - Z.reduce((sum, z, e) => sum + z * weights.data[e], 0);
    expect(Math.abs(certificate.dualObjective! - D)).toBeLessThanOrEqual(64 * X.length * EPS * certificate.primalObjective);
  }); // prettier-ignore

  test("in float32 P is that of the weights that are returned, which rounding moves on to numbers around W0", async () => {
    const X = features.map((row) => row.map(Math.fround));
    const far = W0.map((row) => row.map((w) => w + 100 / 3)); // here these are 4e-6 apart
    const options: FitOptions = { loss: "hinge", intercept: false, maxEpochs: 3, tolerance: 0 };
    const model = await fit(X, labels, { ...options, anchor: { weights: far as never } });
    const W = rowsOf(model.weights);
    const squared = (rows: number[][]): number => rows.flat().reduce((sum, v) => sum + v * v, 0);
    const losses = primalObjective(X, labels, W, 1, hinge) - squared(W) / 2;
    const P = losses + squared(W.map((row, j) => row.map((w, l) => w - far[j][l]))) / 2;
    const rounding = 64 * X.length * EPS * (P + squared(W));
    expect(Math.abs(model.certificate.primalObjective - P)).toBeLessThanOrEqual(rounding); // of A^T X it is 2e-6 less
  });

  test("with a tiny C the model stays where it is", async () => {
    const model = await fit(features, labels, { ...tight, C: 1e-9, anchor: { weights }, tolerance: 1e-3 });
    const far = 1e-9 * features.reduce((sum, row) => sum + Math.hypot(...row, 1), 0); // no dual variable exceeds C
    model.weights.data.forEach((w, e) => expect(Math.abs(w - weights.data[e])).toBeLessThanOrEqual(far));
  });

  test("aborted before the start, it is the model", async () => {
    const model = await fit(features, labels, { ...tight, anchor: { weights }, signal: AbortSignal.abort() });
    expect([...model.weights.data]).toEqual([...weights.data]);
  });

  test("rows of numbers are weights too", async () => {
    const rows = { weights: W0 as never };
    const [a, b] = await Promise.all(
      [rows, { weights }].map((anchor) => fit(features, labels, { anchor, maxEpochs: 2 })),
    );
    expect(a.weights).toEqual(b.weights);
  });

  test("a model without an intercept as anchor of one without: its intercepts are zeros", async () => {
    const first = await fit(features, labels, { intercept: false });
    const model = await fit(features, labels, { intercept: false, anchor: first, maxEpochs: 0 });
    expect(model.weights).toEqual(first.weights);
  });

  test("a model as anchor, its intercepts with it", async () => {
    const first = await fit(features, labels, { interceptScale: 2 });
    const model = await fit(features, labels, { interceptScale: 2, anchor: first, maxEpochs: 0 });
    expect(model.weights).toEqual(first.weights);
    expect(model.intercepts).toEqual(first.intercepts);
  });
});

describe("validation", () => {
  test("the last record is what the model's own evaluation finds", async () => {
    const model = await fit(features, labels, {
      ...{ loss: "topk-hinge", k: 2, scaling: "standard" },
      validation: [held, { features: features.slice(0, 9), labels: labels.slice(0, 9) }],
    });
    for (const record of model.history) expect(record.validation).toHaveLength(2);
    const [first, second] = model.history.at(-1)!.validation!;
    expect(Object.keys(first.topKAccuracy!)).toEqual(["1", "2", "3"]);
    expect(second.rows).toBe(9);
    const again = model.evaluate(held.features, held.labels, { k: [1, 2, 3] });
    expect(first.topKAccuracy).toEqual(again.topKAccuracy);
    expect(Math.abs(first.loss - again.loss)).toBeLessThanOrEqual(1e-12 * again.loss);
  });

  test("one set may stand alone; without one there is no record of it", async () => {
    const alone = await fit(features, labels, { validation: held });
    expect(alone.history[0].validation).toHaveLength(1);
    const none = await fit(features, labels);
    expect(none.history[0]).not.toHaveProperty("validation");
  });
});

describe("scaling", () => {
  const raw = features.map(([a, b, c, d]) => [1000 * a + 5e6, b / 1000, c, 7 + 0 * d]);

  test.each(["standard", "minmax", "unit-rows"] as const)(
    "%s: as if done by hand, and applied by prediction",
    async (kind) => {
      const columns = raw[0].map((_, l) => raw.map((row) => row[l]));
      const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
      const byHand = raw.map((row) => {
        if (kind === "unit-rows") return row.map((v) => v / Math.hypot(...row));
        return row.map((v, l) => {
          const [lo, hi] = [Math.min(...columns[l]), Math.max(...columns[l])];
          if (lo === hi) return 0;
          if (kind === "minmax") return (2 * v - lo - hi) / (hi - lo);
          const centre = mean(columns[l]);
          return (v - centre) / Math.sqrt(mean(columns[l].map((x) => (x - centre) ** 2)));
        });
      });
      const options: FitOptions = { loss: "softmax", precision: "float64", tolerance: 1e-9 };
      const [a, b] = await Promise.all([fit(raw, labels, { ...options, scaling: kind }), fit(byHand, labels, options)]);
      const [sa, sb] = [a.scores(raw), b.scores(byHand)];
      // Two optima of strongly convex problems, each within sqrt(2 gap) of its own, and 1e-7 for the scaling's rounding.
      const reach = Math.max(...byHand.map((row) => Math.hypot(...row, 1)));
      const close = 2 * reach * Math.sqrt(2 * b.certificate.dualityGap!) + 1e-6;
      expectVectorWithin(sa, sb, close);
      expect(a.predict(raw)).toEqual(b.predict(byHand));
    },
  );

  test("a zero row stays zero, and constant columns do not divide by zero", async () => {
    for (const tiny of [0, 5e-324, 1e-310]) {
      const rows = [[0, 0], [3, tiny], [0, 0]]; // prettier-ignore
      for (const scaling of ["unit-rows", "minmax", "standard"] as const) {
        const model = await fit(rows, ["a", "b", "a"], { scaling });
        expect(model.scores(rows).every(Number.isFinite)).toBe(true);
      }
    }
  });
});

test.each(["standard", "minmax"] as const)("the scaling of an anchor is taken over: %s", async (scaling) => {
  const old = await fit(features, labels, { scaling, C: 10 });
  // A few rows far from the others, of which another scaling would be learned.
  const few = features.slice(0, 5).map((row) => row.map((v) => 3 * v + 100));
  const model = await fit(few, labels.slice(0, 5), { scaling, anchor: old, classes: old.classes, maxEpochs: 0 });
  expect(model.scores(features)).toEqual(old.scores(features)); // without a step it is the old model
  const csr = { data: Float64Array.of(1, 1), indices: Int32Array.of(0, 1), indptr: Int32Array.of(0, 1, 2), rows: 2, cols: features[0].length }; // prettier-ignore
  const two = [old.classes[0], old.classes[1]];
  await expect(fit(csr, two, { scaling, anchor: old, classes: old.classes })).rejects.toThrow(
    'fit: "anchor" was fitted on dense rows, which its scaling centres; sparse ones it would fill',
  );
  // Nor does minmax go with sparse rows where the columns that it has learned lie around 0.
  const around = await fit([[-1, 1], [1, -1]], two, { scaling: "minmax" }); // prettier-ignore
  const narrow = { ...csr, cols: 2 };
  await expect(fit(narrow, two, { scaling: "minmax", anchor: around, classes: around.classes })).rejects.toThrow(
    "sparse ones it would fill",
  );
});

test.each(["none", "standard"] as const)(
  "what is like a model but none, whose scaling is not to be seen, is no anchor: %s",
  async (scaling) => {
    const model = await fit(features, labels, { scaling });
    const predictor = loadPredictor(model.toBytes()) as never;
    await expect(fit(features, labels, { scaling, anchor: predictor })).rejects.toThrow(
      'fit: "anchor" must be a model or { weights, intercepts }, got a Predictor, of which the load of "topk-sdca" makes a model',
    );
    const { classes, weights, intercepts, certificate } = model;
    const copy = { classes, weights, intercepts, certificate };
    await expect(fit(features, labels, { scaling, anchor: copy })).rejects.toThrow(
      'fit: "anchor" must be a model or { weights, intercepts }, got an object that is like a model but is none; there is load(model.toBytes())',
    );
    const alone = { weights, intercepts };
    expect((await fit(features, labels, { anchor: alone, maxEpochs: 0 })).weights).toEqual(weights);
    const kernel = await fit(features, labels, { kernel: { name: "rbf", gamma: 1 } });
    await expect(fit(features, labels, { anchor: kernel })).rejects.toThrow(
      'fit: "anchor" has no weights: it was fitted with a kernel',
    );
  },
);

test("an anchor that was fitted with another scaling has weights of other units, and is refused", async () => {
  const scaled = await fit(features, labels, { scaling: "standard" });
  const plain = await fit(features, labels);
  await expect(fit(features, labels, { anchor: scaled })).rejects.toThrow(
    'fit: "anchor" was fitted with scaling "standard", not "none": its weights are of other units',
  );
  await expect(fit(features, labels, { anchor: plain, scaling: "standard" })).rejects.toThrow(
    'fit: "anchor" was fitted with scaling "none", not "standard": its weights are of other units',
  );
  const { certificate } = await fit(features, labels, { anchor: scaled, scaling: "standard" });
  expect(certificate.status).toBe("solved");
});

test("validation rows whose scores overflow are named", async () => {
  const large = features.slice(0, 2).map((row) => row.map((_, l) => (l === 0 ? 1.7e308 : -1.7e308)));
  const sets = [{ features, labels }, { features: large, labels: labels.slice(0, 2) }]; // prettier-ignore
  await expect(fit(features, labels, { C: 1e4, validation: sets })).rejects.toThrow(
    'fit: "validation[1].features" row 0: its scores must be finite, got ',
  );
  const late = {
    features: [...Array.from({ length: 300 }, () => features[0]), ...large],
    labels: Array.from({ length: 302 }, () => labels[0]),
  };
  await expect(fit(features, labels, { C: 1e4, validation: late })).rejects.toThrow(
    'fit: "validation.features" row 300: its scores must be finite, got ',
  );
});

test("the certificate of a fit with everything at once holds", async () => {
  const sampleWeight = features.map((_, i) => 0.5 + (i % 4));
  const first = await fit(features, labels, { maxEpochs: 2, precision: "float64", intercept: false });
  const model = await fit(features, labels, {
    ...{ loss: "topk-hinge", k: 2, variant: "beta", gamma: 0.3, precision: "float64", intercept: false, C: 0.7 },
    sampleWeight,
    classWeight: [[2, 3]],
    initial: first,
    validation: held,
    maxEpochs: 4,
    tolerance: 0,
  });
  const costs = sampleWeight.map((c, i) => 0.7 * c * (labels[i] === 2 ? 3 : 1));
  expectHolds(model, { loss: "topk-hinge", k: 2, variant: "beta", gamma: 0.3 }, costs);
});

test.each(["standard", "minmax"] as const)(
  "%s scaling of a row further off than there are numbers",
  async (scaling) => {
    const model = await fit([[-1.7e308], [-1.3e308]], ["far", "near"], { scaling });
    expect(model.predict([[1.7e308]])).toEqual(["near"]);
  },
);

test.each(["standard", "minmax"] as const)("%s scaling of columns whose range overflows", async (scaling) => {
  const features = [[-1.7e308], [1.7e308], [1.7e308], [1.7e308]];
  const labels = ["a", "b", "b", "b"];
  const [huge, plain] = await Promise.all(
    [features, features.map(([v]) => [v / 1e308])].map((rows) =>
      fit(rows, labels, { scaling, precision: "float64", tolerance: 1e-9 }),
    ),
  );
  expect(huge.certificate.status).toBe("solved");
  const { primalObjective } = plain.certificate;
  expect(Math.abs(huge.certificate.primalObjective - primalObjective)).toBeLessThanOrEqual(1e-9 * primalObjective);
  expect(huge.predict(features)).toEqual(labels);
});
