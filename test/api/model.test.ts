import { describe, expect, test } from "vitest";
import { allOf, hasPlaces } from "../../src/arrays/sparseDuals.ts";
import { fit, load, type Label } from "../../src/index.ts";
import { modelState } from "../../src/model.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import { clouds } from "../helpers/data.ts";
import { EPS, expectVectorWithin } from "../helpers/expect.ts";
import { inventModel } from "../helpers/saved.ts";

const { features, labels } = clouds(90, 4, 3, 9, 0.3);

describe("labels come back as they were given", () => {
  const named = (names: Label[]): Label[] => labels.map((y) => names[y]);

  test.each<[string, Label[], Label[]]>([
    ["strings", ["zebra", "ant", "Bee"], ["Bee", "ant", "zebra"]],
    ["integers with gaps", [7, 0, 3], [0, 3, 7]],
    ["negative integers", [-5, 10, 2], [-5, 2, 10]],
    ["1 and '1' are different", [1, "1", 10], [1, 10, "1"]],
    ["numbers before strings, strings by code unit", ["a", 5, "Z"], [5, "Z", "a"]],
    ["the largest safe integers", [2 ** 53 - 1, -(2 ** 53 - 1), 0], [-(2 ** 53 - 1), 0, 2 ** 53 - 1]],
    ["the empty string", ["", "x", "y"], ["", "x", "y"]],
    ["names of object properties", ["__proto__", "constructor", "toString"], ["__proto__", "constructor", "toString"]],
  ])("%s", async (_, names, classes) => {
    const given = named(names);
    const model = await fit(features, given);
    expect(model.classes).toEqual(classes);
    const predicted = model.predict(features);
    expect(predicted.filter((label, i) => label === given[i]).length).toBeGreaterThan(80);
    expect(model.evaluate(features, given).topKAccuracy[1]).toBe(
      predicted.filter((label, i) => label === given[i]).length / 90,
    );
  });

  test("typed arrays", async () => {
    for (const form of [Int32Array, Uint32Array, Uint8Array]) {
      expect((await fit(features, form.from(labels))).classes).toEqual([0, 1, 2]);
    }
  });

  test("classes fix their order, and may have no examples", async () => {
    const model = await fit(features, labels, { classes: [2, 9, 0, 1] });
    expect(model.classes).toEqual([2, 9, 0, 1]);
    expect(model.weights.rows).toBe(4);
    expect(model.predict(features)).not.toContain(9);
  });

  test("-0 is 0", async () => {
    const model = await fit(features, named([-0, 1, 2]));
    expect(Object.is(model.classes[0], 0)).toBe(true);
    expect(model.evaluate(features, named([0, 1, 2])).rows).toBe(90);
    const given = await fit(features, named([0, 1, 2]), { classes: [-0, 1, 2] });
    expect(Object.is(given.classes[0], 0)).toBe(true);
  });
});

describe("shapes and copies", () => {
  test("defaults: softmax, float32, with an intercept", async () => {
    const model = await fit(features, labels);
    expect(model.weights).toMatchObject({ rows: 3, cols: 4 });
    expect(model.weights.data).toBeInstanceOf(Float32Array);
    expect(model.intercepts.some((b) => b !== 0)).toBe(true);
    expect(model.dualVariables).toMatchObject({ rows: 90, cols: 3 });
    expect(model.dualVariables).toBe(model.dualVariables);
    expect(model.certificate.tolerance).toBe(1e-3);
    const p = model.probabilities(features);
    for (let i = 0; i < 90; i++) expect(p[3 * i] + p[3 * i + 1] + p[3 * i + 2]).toBeCloseTo(1, 14);
  });

  test("thousands of rows are evaluated by their own labels", async () => {
    const model = await fit(features, labels);
    const many = Array.from({ length: 6000 }, (_, i) => (7 * i) % 90);
    const rows = many.map((i) => features[i]);
    const given = many.map((i) => labels[i]);
    const correct = model.predict(rows).filter((label, i) => label === given[i]).length;
    expect(model.evaluate(rows, given)).toMatchObject({ rows: 6000, topKAccuracy: { 1: correct / 6000 } });
  });

  test("without intercept it is zero", async () => {
    const model = await fit(features, labels, { intercept: false });
    expect([...model.intercepts]).toEqual([0, 0, 0]);
  });

  test("an interceptScale that float32 does not hold: the intercepts are those that were certified", async () => {
    const stored = Math.fround(0.3);
    const X = [1, -1, 1, -1, 2, -3].map((v) => [Math.fround(v + 3 * stored)]);
    const y = [0, 1, 0, 1, 0, 1];
    const C = 1e6;
    const model = await fit(X, y, {
      ...{ loss: "hinge", precision: "float32", C },
      ...{ interceptScale: 0.3, maxEpochs: 20_000 },
    });
    const scores = model.scores(X);
    const loss = y.reduce((sum, c, i) => sum + Math.max(0, 1 + scores[2 * i + 1 - c] - scores[2 * i + c]), 0);
    const norm2 = [...model.weights.data, ...model.intercepts.map((b) => b / stored)].reduce(
      (sum, w) => sum + w * w,
      0,
    );
    const P = C * loss + norm2 / 2;
    expect(model.certificate.status).toBe("solved");
    expect(Math.abs(P - model.certificate.primalObjective)).toBeLessThanOrEqual(1e-9 * P);
  });

  test("a larger interceptScale penalises the intercept less", async () => {
    const shifted = features.map((row) => row.map((v) => v + 3));
    const norms = await Promise.all(
      [0.1, 10].map(async (interceptScale) => {
        const model = await fit(shifted, labels, { interceptScale, tolerance: 1e-5 });
        return Math.hypot(...model.intercepts);
      }),
    );
    expect(norms[1]).toBeGreaterThan(2 * norms[0]);
  });

  test.each([3, 4, 17])(
    "a matrix gives the same as rows, %s columns, whatever the slices it is copied in",
    async (d) => {
      const { features: rows, labels: classes } = clouds(1500, d, 3, 4, 0.5);
      for (const precision of ["float32", "float64"] as const) {
        for (const Floats of [Float32Array, Float64Array]) {
          const given = rows.map((row) => [...Floats.from(row)]);
          for (const intercept of [true, false]) {
            const options = { precision, intercept, interceptScale: 2, tolerance: 1e-2 };
            const expected = await fit(given, classes, options);
            const matrix = { data: Floats.from(given.flat()), rows: 1500, cols: d };
            for (const yieldEvery of [1, "never"] as const) {
              const model = await fit(matrix, classes, { ...options, yieldEvery });
              expect(model.weights).toEqual(expected.weights);
              expect(model.intercepts).toEqual(expected.intercepts);
              expect(model.dualVariables).toEqual(expected.dualVariables);
            }
          }
        }
      }
    },
  );

  test("inputs are left alone and not held on to", async () => {
    const data = Float64Array.from(features.flat());
    const before = data.slice();
    const model = await fit({ data, rows: 90, cols: 4 }, labels, { precision: "float64" });
    expect(data).toEqual(before);
    const scores = model.scores([features[0]]);
    data.fill(1e9);
    expect(model.scores([features[0]])).toEqual(scores);
  });

  test("many dual variables are not copied, and are the model's own all the same", async () => {
    const many = clouds(4300, 2, 1000, 4);
    const model = await fit(many.features, many.labels, { maxEpochs: 1 });
    const stored = modelState(model)!.duals!.stored as Float32Array;
    expect(stored.byteLength).toBeGreaterThan(2 ** 24);
    expect(stored.buffer.byteLength).toBeGreaterThan(stored.byteLength);
    const before = stored.slice();
    await fit(many.features, many.labels, { maxEpochs: 1, seed: 1 });
    const again = await fit(many.features, many.labels, { maxEpochs: 0, initial: model });
    expect(stored.every((a, e) => a === before[e])).toBe(true);
    // Of the same numbers, and of them alone.
    expect(again.certificate.dualObjective).toBe(model.certificate.dualObjective);
    expect((modelState(again)!.duals!.stored as Float32Array).buffer).not.toBe(stored.buffer);
  });

  test("of a hinge loss those that are not zero are kept, and all are there all the same", async () => {
    const { features, labels } = clouds(300, 6, 40, 4, 0.3);
    const fitted = await fit(features, labels, { loss: "hinge", tolerance: 1e-2 });
    const { data, rows, cols } = fitted.dualVariables!;
    const stored = modelState(fitted)!.duals!.stored;
    expect(hasPlaces(stored)).toBe(true);
    expect(allOf(stored)).toHaveLength(rows * cols);
    const loaded = load(fitted.toBytes({ duals: true }));
    expect(loaded.dualVariables!.data).toEqual(data);
    const [again, anew] = await Promise.all(
      [fitted, loaded].map((initial) => fit(features, labels, { loss: "hinge", C: 2, maxEpochs: 0, initial })),
    );
    expect(again.dualVariables).toEqual(anew.dualVariables);
  });

  test("lambda is 1/(C n)", async () => {
    const a = await fit(features, labels, { C: 0.25 });
    const b = await fit(features, labels, { lambda: 1 / (0.25 * 90) });
    expect(b.weights).toEqual(a.weights);
  });

  test("two classes and one column will do", async () => {
    const model = await fit([[-1], [1], [2]], ["no", "yes", "yes"], { loss: "topk-hinge", k: 1 });
    expect(model.predict([[-3], [3]])).toEqual(["no", "yes"]);
    expect(model.evaluate([[-3]], ["no"])).toEqual({ rows: 1, loss: expect.any(Number), topKAccuracy: { 1: 1 } });
  });

  test("equal scores go to the first class", async () => {
    const model = await fit([[1], [1]], ["b", "a"], { maxEpochs: 0 });
    expect(model.predict([[5]])).toEqual(["a"]);
    expect(model.topK([[5]], 2)).toEqual([[{ label: "a", score: 0 }, { label: "b", score: 0 }]]); // prettier-ignore
    expect(model.evaluate([[5]], ["b"], { k: [1] }).topKAccuracy).toEqual({ 1: 1 });
  });

  test("however many of the best are asked for, they come in the same order", async () => {
    const y = Array.from({ length: 150 }, (_, i) => i);
    const options = { loss: "hinge", maxEpochs: 2, intercept: false } as const; // all scores of the row of zeros are 0
    const model = await fit(y.map((v) => [Math.cos(v), Math.sin(v)]), y, options); // prettier-ignore
    for (const row of [
      [1, 0],
      [0, 0],
      [-0.5, 0.1],
    ]) {
      // prettier-ignore
      const all = model.topK([row], 150)[0];
      const expected = y.map((label) => ({ label, score: model.scores([row])[label] }));
      expected.sort((a, b) => b.score - a.score || a.label - b.label);
      expect(all).toEqual(expected);
      for (const k of [1, 5, 64, 65]) expect(model.topK([row], k)[0]).toEqual(all.slice(0, k));
    }
  });

  test("probabilities of scores whose exponentials overflow", () => {
    const loss = { name: "softmax" };
    const model = inventModel({ classes: ["a", "b"], d: 1, precision: "float64", interceptScale: 0, loss });
    model.weights.data.set([1000, 0]);
    expect([...model.probabilities([[1], [-1], [0]])]).toEqual([1, 0, 0, 1, 0.5, 0.5]);
  });

  test("probabilities of one-vs-all: 1/(1 + e^-s), each class by itself, also where that overflows", () => {
    const loss = { name: "ova-logistic" };
    const model = inventModel({ classes: ["a", "b"], d: 1, precision: "float64", interceptScale: 0, loss });
    model.weights.data.set([1000, Math.log(3)]);
    const wanted = [1, 0.75, 0, 0.25, 0.5, 0.5];
    for (const one of [model, load(model.toBytes()), loadPredictor(model.toBytes())]) {
      expectVectorWithin(one.probabilities([[1], [-1], [0]]), wanted, EPS);
    }
  });

  test("a loss of scores whose difference overflows is infinite, smoothed or not", () => {
    for (const name of ["hinge", "softmax", "topk-hinge", "ova-hinge"]) {
      for (const gamma of [0, 1]) {
        const smoothing = name === "softmax" ? {} : { gamma };
        const loss = { name, ...smoothing, ...(name === "topk-hinge" && { k: 1, variant: "alpha" as const }) };
        const model = inventModel({ classes: ["a", "b", "c"], d: 1, precision: "float64", interceptScale: 0, loss });
        model.weights.data.set([1.7e308, -1.7e308, 0]);
        expect(model.evaluate([[1], [0]], ["b", "a"]).loss, JSON.stringify(loss)).toBe(Infinity);
      }
    }
  });

  test("models are frozen, and what they hold: what makes proxies to watch objects, as Vue does, leaves them alone", async () => {
    const model = await fit(features, labels);
    const { certificate, history, classes } = model;
    expect([model, certificate, history, classes].every(Object.isFrozen)).toBe(true);
  });
});
