import { describe, expect, test } from "vitest";
import { fit, load as loadModel, type Features, type Predictor } from "../../src/index.ts";
import { lossNames } from "../../src/losses.ts";
import { modelState } from "../../src/model.ts";
import * as entry from "../../src/predict.ts";
import { csrOf, untidyCsrOf } from "../helpers/csr.ts";
import { normals } from "../helpers/data.ts";
import { EPS, maxAbs } from "../helpers/expect.ts";
import { inventModel } from "../helpers/saved.ts";

/** The entry "topk-sdca/predict" against the whole package, and against formulas written out. */

const { load } = entry;
const normal = normals(4);
const rows = Array.from({ length: 9 }, () => Array.from({ length: 5 }, () => 3 * normal()));

/** What a call gives or throws. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** What the predictor says where the whole package also knows a way out. */
const inFewerWords = ({ message }: Error): Error => new Error(message.replace(/gives scores, .*/, "has none"));

/** The same results, bit for bit, and the same errors. */
function expectAlike(a: Predictor, b: Predictor, features: Features): void {
  expect([a.classes, a.weights, a.intercepts, a.certificate]).toEqual([b.classes, b.weights, b.intercepts, b.certificate]);
  expect(a.scores(features)).toEqual(b.scores(features));
  expect(a.predict(features)).toEqual(b.predict(features));
  expect(a.topK(features, a.classes.length)).toEqual(b.topK(features, b.classes.length));
  const [given, wanted] = [a, b].map((one) => outcome(() => one.probabilities(features)));
  expect(given).toEqual(wanted instanceof Error ? inFewerWords(wanted) : wanted);
} // prettier-ignore

describe("a loaded predictor", () => {
  test.each(lossNames)("%s: the same as the loaded model, in every scaling and precision", (name) => {
    const weighted = name.startsWith("weighted");
    const loss = { name, ...(name.includes("topk-") && !weighted && { k: 2 }), ...(weighted && { rankWeights: [2, 1] }) };
    for (const scaling of [undefined, "standard", "minmax", "unit-rows"] as const) {
      for (const precision of ["float32", "float64"] as const) {
        const model = inventModel({ loss, scaling, precision, classes: ["x", 0, "y", -3, ""] });
        for (const source of [model.toBytes(), model.toBytes({ duals: true }), JSON.stringify(model), model.toJSON({ duals: true })]) {
          expectAlike(load(source), model, rows);
          expectAlike(load(source), loadModel(source), rows);
        }
      }
    }
  }); // prettier-ignore

  test("rows in any form", () => {
    const predictor = load(inventModel({ scaling: "minmax" }).toBytes());
    const scores = predictor.scores(rows);
    const data = Float64Array.from(rows.flat());
    expect(predictor.scores({ data, rows: 9, cols: 5 })).toEqual(scores);
    expect(predictor.scores(rows.map((row) => Float64Array.from(row)))).toEqual(scores);
    expect(predictor.scores(csrOf(rows))).toEqual(scores);
    expect(predictor.scores(untidyCsrOf(rows))).toEqual(scores);
    expect(data).toEqual(Float64Array.from(rows.flat()));
  });

  test.each(["standard", "minmax"] as const)(
    "scaling %s: a column is constant that is so but for rounding",
    async (kind) => {
      const same = [0.3, 0.1 + 0.2]; // and not two values
      const rows = [0, 1, 2, 3].map((i) => [i, same[i % 2], 1e6 * same[i % 2], same[i % 2] * (1 + 1e-14 * i)]);
      const options = { scaling: kind, precision: "float64", classes: ["a", "b"] } as const;
      const predictor = load((await fit(rows, ["a", "a", "b", "b"], options)).toBytes());
      const [one, other] = [0.3, 0.31].map((v) => predictor.scores([[1, v, 1e6 * v, 0.3]]));
      const moved = Math.max(...one.map((score, j) => Math.abs(score - other[j])));
      expect(moved).toBeLessThan(1); // 1e13 where the columns are taken to have a deviation
    },
  );

  test.each(["standard", "minmax", "unit-rows"] as const)("scaling %s is applied to the rows", (scaling) => {
    const model = inventModel({ scaling, precision: "float64" });
    const { shift, factor } = modelState(model)!.scaling!;
    const got = load(model.toBytes()).scores([...rows, [0, 0, 0, 0, 0]]);
    [...rows, [0, 0, 0, 0, 0]].forEach((row, i) => {
      const norm = Math.hypot(...row) || 1;
      const x = row.map((v, l) => (scaling === "unit-rows" ? v / norm : (v - shift[l]) * factor[l]));
      for (let j = 0; j < 3; j++) {
        const w = model.weights.data.subarray(5 * j, 5 * j + 5);
        const terms = [...x.map((v, l) => v * w[l]), model.intercepts[j]];
        const sum = terms.reduce((total, term) => total + term, 0);
        expect(Math.abs(got[3 * i + j] - sum)).toBeLessThanOrEqual(32 * EPS * maxAbs(terms));
      }
    });
  });

  test("works where there is no WebAssembly", () => {
    const bytes = inventModel({ scaling: "standard" }).toBytes();
    const expected = loadModel(bytes).probabilities(rows);
    const saved = Object.getOwnPropertyDescriptor(globalThis, "WebAssembly")!;
    delete (globalThis as any).WebAssembly;
    try {
      expect(load(bytes).probabilities(rows)).toEqual(expected);
    } finally {
      Object.defineProperty(globalThis, "WebAssembly", saved);
    }
  });

  test("offers prediction and nothing else", () => {
    const predictor = load(inventModel().toBytes({ duals: true }));
    expect(Object.keys(entry)).toEqual(["load"]);
    expect(Object.keys(predictor).sort()).toEqual(["certificate", "classes", "intercepts", "weights"]);
    expect(Object.getOwnPropertyNames(Object.getPrototypeOf(predictor)).sort()).toEqual(
      ["constructor", "predict", "probabilities", "scores", "topK"],
    );
    expect([predictor, predictor.classes, predictor.certificate].every(Object.isFrozen)).toBe(true);
  }); // prettier-ignore

  /** Two rows, a value in each, with something wrong about it. */
  const csr = (wrong: object): any => ({
    ...{ data: Float64Array.of(1, 2), indices: Int32Array.of(3, 0), indptr: Int32Array.of(0, 1, 2), rows: 2, cols: 5 },
    ...wrong,
  });
  const unsound = [
    { data: [1, 2] },
    { indices: [3, 0] },
    { indices: Float64Array.of(3, 0) },
    { indices: undefined },
    { indptr: [0, 1, 2] },
    { indptr: undefined, data: new Float64Array(10), indices: new Int32Array(10) },
    { indptr: Uint16Array.of(0, 1, 2) },
    { rows: undefined },
    { rows: 1 },
    { indices: Int32Array.of(3, 0, 1) },
    { data: Float64Array.of(1, 2, 3) },
    { indptr: Int32Array.of(0, 1, 2, 2) },
    { indptr: Int32Array.of(0, 2) },
    { indptr: Int32Array.of(1, 1, 2) },
    { indptr: Int32Array.of(0, 3, 2) },
    { indptr: Int32Array.of(0, -1, 2) },
    { indptr: Int32Array.of(0, 1, 1) },
    { indptr: Uint32Array.of(0, 1, 3) },
  ];
  const calls: [message: string, kind: typeof TypeError | typeof RangeError | typeof Error, call: (p: Predictor) => unknown][] = [
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict(null as any)],
    ['predict: features length must be at least 1, got 0', RangeError, (p) => p.predict([])],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict(new Float64Array(5) as any)],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict({ data: new Float64Array(9), rows: 2, cols: 5 })],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict({ data: new Float64Array(15), rows: 2.5, cols: 6 })],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict({ data: [1, 2, 3, 4, 5], rows: 1, cols: 5 } as any)],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict({ rows: 2, cols: 5 } as any)],
    ['predict: features row 0 length must be 5, got 3', RangeError, (p) => p.predict({ data: new Float64Array(6), rows: 2, cols: 3 })],
    ['predict: features row 1 length must be 5, got 3', RangeError, (p) => p.predict([rows[0], [1, 2, 3]])],
    [`predict: features row 0 must be an array of 5 numbers, got ${rows[0][0]}`, RangeError, (p) => p.predict([...rows[0]] as any)],
    ['predict: features row 0 must be an array of 5 numbers, got object', TypeError, (p) => p.predict([Int32Array.of(1, 2, 3, 4, 5)] as any)],
    ['predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict({ data: Int8Array.of(1, 2, 3, 4, 5), rows: 1, cols: 5 } as any)],
    ['predict: features row 1 must be an array of 5 numbers, got undefined', TypeError, (p) => p.predict([rows[0], , rows[1]] as any)],
    ['scores: features row 0, column 1 must be a finite number, got NaN', RangeError, (p) => p.scores([[1, NaN, 1, 1, 1]])],
    ['scores: features row 1, column 0 must be a finite number, got string', TypeError, (p) => p.scores([rows[0], ["1", 1, 1, 1, 1]] as any)],
    ['topK: features row 1, column 4 must be a finite number, got -Infinity', RangeError, (p) => p.topK({ data: Float64Array.of(...Array(9).fill(0), -Infinity), rows: 2, cols: 5 }, 1)],
    ['probabilities: features row 0, column 3 must be a finite number, got undefined', TypeError, () => load(inventModel().toBytes()).probabilities([[1, 1, 1, , 1]] as any)],
    ...unsound.map((wrong): (typeof calls)[number] => [
      'predict: features must be an array of rows, or { data, rows, cols } or CSR whose lengths agree, got object', TypeError, (p) => p.predict(csr(wrong)),
    ]),
    ['predict: features row 0 length must be 5, got 6', RangeError, (p) => p.predict(csr({ cols: 6 }))],
    ['predict: features row 0 length must be 5, got undefined', TypeError, (p) => p.predict(csr({ cols: undefined }))],
    ['scores: features row 0 columns must be in [0, 5), got 5', RangeError, (p) => p.scores(csr({ indices: Int32Array.of(5, 0) }))],
    ['scores: features row 1 columns must be in [0, 5), got -1', RangeError, (p) => p.scores(csr({ indices: Int32Array.of(3, -1) }))],
    ['topK: features row 1, column 0 must be a finite number, got NaN', RangeError, (p) => p.topK(csr({ data: Float64Array.of(1, NaN) }), 1)],
    ['probabilities: features row 0, column 3 must be a finite number, got Infinity', RangeError, () => load(inventModel().toBytes()).probabilities(csr({ data: Float64Array.of(1e308, 1e308), indices: Int32Array.of(3, 3), indptr: Int32Array.of(0, 2, 2) }))],
    ['topK: k must be an integer in [1, 3], got 4', RangeError, (p) => p.topK(rows, 4)],
    ['topK: k must be an integer in [1, 3], got 0.5', RangeError, (p) => p.topK(rows, 0.5)],
    ['topK: k must be an integer in [1, 3], got string', TypeError, (p) => p.topK(rows, "1" as any)],
    ['probabilities: the loss "hinge" has none', Error, (p) => p.probabilities(rows)],
  ]; // prettier-ignore
  test.each(calls)("refuses: %s", (message, kind, call) => {
    const predictor = load(inventModel({ loss: { name: "hinge" } }).toBytes());
    expect(() => call(predictor)).toThrow(kind);
    expect(() => call(predictor)).toThrow(expect.objectContaining({ message }));
  });
});
