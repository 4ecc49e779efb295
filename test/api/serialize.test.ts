import { describe, expect, test } from "vitest";
import { fit, init, load, type Label, type Model } from "../../src/index.ts";
import { lossNames } from "../../src/losses.ts";
import { createModel, modelState } from "../../src/model.ts";
import { columnsOf } from "../../src/model/kernelScores.ts";
import { links } from "../../src/model/links.ts";
import { kindOf } from "../../src/platform/kindOf.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import fixture from "../fixtures/model-v1.json" with { type: "json" };
import kernelFixture from "../fixtures/model-v2.json" with { type: "json" };
import { clouds, normals, uniforms } from "../helpers/data.ts";
import { expectAtMost } from "../helpers/expect.ts";
import { crc32, inventModel, join, pack, repair, reversed, seal, unpack } from "../helpers/saved.ts";

const rows = (count: number, d: number): number[][] => {
  const normal = normals(77);
  return Array.from({ length: count }, () => Array.from({ length: d }, normal));
};

/** toEqual tells 0 from -0 and Float32Array from Float64Array. */
function expectSame(loaded: Model, model: Model, duals: boolean): void {
  const { columns: d, gram } = columnsOf(modelState(model)!);
  expect(loaded.classes).toEqual(model.classes);
  expect(loaded.weights).toEqual(model.weights);
  expect(loaded.intercepts).toEqual(model.intercepts);
  expect(loaded.certificate).toEqual(model.certificate);
  expect(loaded.history).toEqual([]);
  expect(loaded.dualVariables).toEqual(duals ? model.dualVariables : undefined);
  const { duals: own, ...state } = modelState(model)!;
  expect(modelState(loaded)).toEqual({ ...state, duals: duals && own ? { ...own, furthest: undefined } : undefined });
  const x = gram ? { gram: Float64Array.from(rows(7, d).flat()), rows: 7 } : rows(7, d);
  for (const use of [(one: Model) => one.scores(x), (one: Model) => one.predict(x), (one: Model) => one.topK(x, 2)]) {
    expect(outcomeOf(() => use(loaded))).toEqual(outcomeOf(() => use(model)));
  }
}

const OVERFLOW = /^RangeError: \w+: "features" row \d+: its scores must be finite, got (NaN|-?Infinity)$/;

/** What it gives or throws: scores may overflow. */
function outcomeOf(use: () => unknown): unknown {
  try {
    return use();
  } catch (error) {
    expect(String(error)).toMatch(OVERFLOW);
    return String(error);
  }
}

/** Every way of saving and loading. */
function expectRoundTrips(model: Model): void {
  for (const duals of [false, true]) {
    const bytes = model.toBytes({ duals });
    const json = model.toJSON({ duals });
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const text = new TextEncoder().encode(JSON.stringify(json));
    const spaced = ["\ufeff", " \n"].map((before) => new TextEncoder().encode(`${before}${JSON.stringify(json)}\n`));
    for (const source of [bytes, bytes.buffer, shifted.subarray(3), json, JSON.stringify(json), JSON.stringify(json, null, 2), `\ufeff${JSON.stringify(json)}`, ...spaced, text, text.buffer]) {
      expectSame(load(source), model, duals);
    }
    expectSame(load(reversed(json) as object), model, duals);
    expect(load(bytes).toBytes({ duals })).toEqual(bytes);
    expect(load(json).toJSON({ duals })).toEqual(json);
  }
} // prettier-ignore

describe("what is saved comes back bit for bit", () => {
  test.each(["float32", "float64"] as const)("%s, with and without intercept, every scaling", (precision) => {
    for (const interceptScale of [0, 0.1]) {
      for (const scaling of [undefined, "standard", "minmax", "unit-rows"] as const) {
        expectRoundTrips(inventModel({ precision, interceptScale, scaling }));
      }
    }
  });

  test.each(["dense", "sparse", "gram"] as const)("support vectors: %s", (expansion) => {
    for (const precision of ["float32", "float64"] as const) {
      for (const scaling of expansion === "gram" ? [undefined] : ([undefined, "minmax", "unit-rows"] as const)) {
        for (const vectors of [0, 1, 4]) expectRoundTrips(inventModel({ precision, scaling, expansion, vectors }));
      }
    }
  });

  test.each<[string, Label[]]>([
    ["integers", [0, -5, 2 ** 53 - 1, -(2 ** 53 - 1)]],
    ["1 and '1'", [1, "1"]],
    ["names of object properties", ["__proto__", "constructor", "toString", "length"]],
    ["the empty string and blanks", ["", " ", "\n", "\u0000"]],
    ["unicode, lone surrogates and a byte order mark", ["naïve", "☃", "𝔸", "\ud800", "\udc00x", "\ufeff", "é", "e\u0301"]],
    ["a thousand", Array.from({ length: 1000 }, (_, j) => `class ${j}`)],
  ])("classes: %s", (_, classes) => {
    expectRoundTrips(inventModel({ classes, d: 2 }));
  }); // prettier-ignore

  test("numbers at the ends of their ranges", () => {
    const model = inventModel({ precision: "float64" });
    model.weights.data.set([5e-324, -5e-324, 1.7976931348623157e308, -0, 1 + 2 ** -52]);
    expectRoundTrips(model);
  });

  test("sizes that are not multiples of the alignment", () => {
    for (const d of [1, 2, 3, 4, 5]) {
      for (const duals of [1, 2, 3]) expectRoundTrips(inventModel({ classes: ["x", "y", "z"], d, duals }));
    }
  });

  test("certificates with what JSON does not have", () => {
    const { ...state } = modelState(inventModel())!;
    const odd = { dualityGap: Infinity, relativeGap: NaN, dualObjective: -0, primalObjective: -Infinity, hint: 'a "b"\n' };
    expectRoundTrips(createModel({ state: { ...state, certificate: { ...state.certificate, ...odd } }, history: [] }));
  }); // prettier-ignore

  test.each([
    { loss: "softmax" },
    { loss: "hinge", gamma: 0.5 },
    { loss: "topk-hinge", k: 2, variant: "alpha-inclusive" },
    { loss: "topk-hinge", k: 2, variant: "beta", gamma: 1 },
    { loss: "weighted-topk-hinge", rankWeights: "exp", k: 3, gamma: 0.1 },
    { loss: "weighted-topk-hinge", rankWeights: [1, 1 / 3, 5e-324, 0] },
    { loss: "topk-entropy", k: 2 },
    { loss: "ova-hinge" },
    { loss: "ova-logistic" },
  ] as const)("a fit with %o", async (options) => {
    const { features, labels } = clouds(60, 4, 4, 3);
    const model = await fit(features, labels, { ...options, maxEpochs: 5 });
    expectRoundTrips(model);
    const loaded = load(model.toBytes());
    expect(loaded.evaluate(features, labels)).toEqual(model.evaluate(features, labels));
    if (!links[options.loss]) expect(() => loaded.probabilities(features)).toThrow(`"${options.loss}"`);
    else expect(loaded.probabilities(features)).toEqual(model.probabilities(features));
  });

  test("JSON.stringify takes a model wherever it stands", () => {
    const model = inventModel();
    const text = JSON.stringify(model);
    expect(text).toBe(JSON.stringify(model.toJSON()));
    expect(JSON.stringify({ model, models: [model] })).toBe(`{"model":${text},"models":[${text}]}`);
    expectSame(load(text), model, false);
  });

  test("a copy: later changes of source or model do not reach each other", () => {
    const model = inventModel();
    const before = model.toBytes({ duals: true });
    const bytes = before.slice();
    const json = model.toJSON({ duals: true }) as any;
    const loaded = [load(bytes), load(json)];
    bytes.fill(1);
    json.classes[0] = "changed";
    json.certificate.status = "changed";
    for (const again of loaded) expect(again.toBytes({ duals: true })).toEqual(before);
    expect(model.toBytes({ duals: true })).toEqual(before);
  });

  test("dual variables are left out unless asked for", () => {
    const model = inventModel({ duals: 500 });
    expect(model.toBytes().length).toBeLessThan(model.toBytes({ duals: true }).length - 500 * 3 * 4);
    expect(load(model.toBytes()).dualVariables).toBeUndefined();
    expect(load(model.toBytes({ duals: false }))).not.toHaveProperty("dualVariables.data");
  });

  test("the state of other objects is unknown", () => {
    const model = inventModel();
    for (const other of [undefined, null, 1, {}, { ...model }, Object.create(model), loadPredictor(model.toBytes())]) {
      expect(modelState(other)).toBeUndefined();
    }
  });

  test("every loss but those of hinges gives probabilities", () => {
    const linked = lossNames.filter((name) => !name.endsWith("hinge") && !name.startsWith("truncated"));
    expect(Object.keys(links)).toEqual(linked);
  });

  test("the checksum is that of zip and PNG", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926); // the check value of its definition
  });
});

describe("the format", () => {
  const model = inventModel({ scaling: "minmax", precision: "float32" });
  const bytes = model.toBytes({ duals: true });

  test("bytes: magic, version, lengths, header, body as described", () => {
    const { header, body } = unpack(bytes);
    expect(pack({ header, body })).toEqual(bytes);
    const view = new DataView(body.buffer);
    const { weights, intercepts } = model;
    expect(view.getFloat32(4 * 7, true)).toBe(weights.data[7]);
    expect(view.getFloat64(64 + 8, true)).toBe(intercepts[1]); // 3 x 5 float32 take 60 bytes, 64 with padding
    expect(view.getFloat64(64 + 24 + 40, true)).toBe(modelState(model)!.scaling!.factor[0]);
    expect(body.length).toBe(64 + 24 + 40 + 40 + 48 + 16 + 32);
    expect(header).toMatchObject({ classes: ["a", "b", 3], features: 5, precision: "float32", examples: 4 });
  });

  test("JSON: header, body in base64, checksum", () => {
    const json = model.toJSON({ duals: true }) as any;
    const { header, body } = unpack(bytes);
    expect(json).toEqual({
      format: "topk-sdca",
      version: 1,
      ...header,
      data: btoa(String.fromCharCode(...body)),
      checksum: expect.any(Number),
    });
    expect(seal(json)).toEqual(json);
  });

  test("version 2: support vectors and coefficients in the place of weights", () => {
    const kernel = inventModel({ scaling: "minmax", expansion: "sparse", duals: 4 });
    const saved = kernel.toBytes({ duals: true });
    const { version, header, body } = unpack(saved);
    expect(pack({ version, header, body })).toEqual(saved);
    expect(version).toBe(2);
    expect((kernel.toJSON() as any).version).toBe(2);
    expect(seal(kernel.toJSON({ duals: true }))).toEqual(kernel.toJSON({ duals: true }));
    const parameters = { name: "poly", gamma: 1 / 3, degree: 3, coef0: 0.1 };
    expect(header.kernel).toEqual({ ...parameters, vectors: 3, nonzeros: 8 });
    const view = new DataView(body.buffer);
    const { coefficients, vectors } = modelState(kernel)!.expansion!;
    const at = 24 + 40 + 40; // intercepts, shift, factor
    expect([0, 1, 2, 3].map((v) => view.getInt32(at + 4 * v, true))).toEqual([0, 3, 5, 8]);
    expect(view.getInt32(at + 16 + 4 * 2, true)).toBe(4);
    expect(view.getFloat32(at + 16 + 32 + 4, true)).toBe((vectors[0] as any).values[1]);
    expect(view.getFloat64(at + 16 + 32 + 32 + 8 * 8, true)).toBe(coefficients[8]);
    expect(body.length).toBe(at + 16 + 32 + 32 + 72 + 48 + 16 + 32);
  });

  test("unknown fields are ignored", () => {
    const { header, body } = unpack(bytes);
    expect(load(pack({ header: { ...header, comment: "x" }, body })).toBytes({ duals: true })).toEqual(bytes);
    for (const expansion of ["dense", "sparse", "gram"] as const) {
      const saved = inventModel({ expansion }).toBytes();
      const { header, body } = unpack(saved);
      const kernel = { ...header.kernel, comment: "x" };
      expect(load(pack({ version: 2, header: { ...header, kernel }, body })).toBytes()).toEqual(saved);
    }
  });

  test("the same state gives the same bytes", () => {
    expect(inventModel({ scaling: "minmax" }).toBytes({ duals: true })).toEqual(bytes);
  });
});

describe("version 1, as it was once written", () => {
  const { expected } = fixture;
  const bytes = Uint8Array.from(atob(fixture.bytes), (c) => c.charCodeAt(0));

  test.each<[string, Uint8Array | object]>([
    ["bytes", bytes],
    ["JSON", fixture.json],
  ])("%s", async (_, source) => {
    await init();
    const model = load(source);
    expect(model.classes).toEqual(expected.classes);
    expect(model.weights).toEqual({ data: Float32Array.from(expected.weights), rows: 3, cols: 4 });
    expect(model.intercepts).toEqual(Float64Array.from(expected.intercepts));
    expect(model.dualVariables).toEqual({ data: Float64Array.from(expected.duals), rows: 5, cols: 3 });
    expect(model.certificate).toEqual({
      status: "max-epochs",
      epochs: 12,
      primalObjective: 1 / 3,
      dualObjective: -0,
      dualityGap: Infinity,
      relativeGap: Infinity,
      tolerance: 1e-3,
      solveSeconds: 0.25,
      evaluateSeconds: 0.125,
      hint: "scale the features",
    });
    expect(modelState(model)).toMatchObject({
      loss: { name: "topk-hinge", k: 2, gamma: 0.5, variant: "beta" },
      interceptScale: 0.75,
      scaling: { kind: "minmax" },
    });
    for (const predictor of [model, loadPredictor(source)]) {
      expect([...predictor.scores(expected.rows)]).toEqual(expected.scores);
      expect(predictor.predict(expected.rows)).toEqual(expected.predict);
    }
    expect(model.evaluate(expected.rows, expected.predict as Label[]).topKAccuracy[1]).toBe(1);
  });
});

describe("version 2, as it was once written", () => {
  const { expected } = kernelFixture;
  const bytes = Uint8Array.from(atob(kernelFixture.bytes), (c) => c.charCodeAt(0));

  test.each<[string, Uint8Array | object]>([
    ["bytes", bytes],
    ["JSON", kernelFixture.json],
  ])("%s", (_, source) => {
    const model = load(source);
    expect(model.weights).toBeUndefined();
    expect(model.intercepts).toEqual(Float64Array.from(expected.intercepts));
    expect(model.dualVariables).toEqual({ data: Float64Array.from(expected.duals), rows: 5, cols: 3 });
    expect(modelState(model)!.expansion).toMatchObject({
      kernel: { name: "poly", gamma: 0.7, degree: 2, coef0: 0.3 },
      coefficients: Float64Array.from(expected.coefficients),
    });
    expect([...model.scores(expected.rows)]).toEqual(expected.scores);
    expect(model.predict(expected.rows)).toEqual(expected.predict);
  });
});

// ------------------------------------------------------------------------------------------------------------ refusals

type Kind = typeof TypeError | typeof RangeError | typeof Error;

const model = inventModel({ scaling: "standard", loss: { name: "topk-hinge", k: 2, gamma: 0, variant: "alpha" } });
const whole = model.toBytes({ duals: true });
const json = model.toJSON({ duals: true }) as any;
const change = (at: number, value: number): Uint8Array =>
  Uint8Array.from(whole, (byte, i) => (i === at ? value : byte));
/** With other fields in the header, in both forms, and a true checksum. */
const edited = (fields: object): [Uint8Array, object] => {
  const { header, body } = unpack(whole);
  return [pack({ header: { ...header, ...fields }, body }), seal({ ...json, ...fields })];
};
/** With another number in the body. Offsets of the arrays are 0, 64, 88, 128, 168, 216, 232; it ends at 264. */
const poked = (write: (body: DataView) => void): [Uint8Array, object] => {
  const { header, body } = unpack(whole);
  write(new DataView(body.buffer));
  return [pack({ header, body }), seal({ ...json, data: btoa(String.fromCharCode(...body)) })];
};
const resized = (by: number): [Uint8Array, object] => {
  const { header, body } = unpack(whole);
  const other = new Uint8Array(body.length + by);
  other.set(body.subarray(0, other.length));
  return [pack({ header, body: other }), seal({ ...json, data: btoa(String.fromCharCode(...other)) })];
};
const loss = { name: "topk-hinge", k: 2, gamma: 0, variant: "alpha" };
const { certificate } = json;
const must = 'load: "source" must be a Uint8Array, an ArrayBuffer, JSON text or an object parsed from it, got';
const unreadable = "load: truncated, or not a topk-sdca model";
const foreign = "load: not a topk-sdca model";
const page = "; it begins as a web page does: is the address right?";
const altered = "load: altered, the checksum does not match";
const scalings = '"none", "standard", "minmax" or "unit-rows"';

test("a model is told that it is one", async () => {
  const model = await fit([[0], [1]], ["a", "b"]);
  expect(() => load(model)).toThrow(new RangeError("load: this is a model already"));
});

test("the name of a file is taken for one", () => {
  expect(() => load("models/letter.model")).toThrow(
    new RangeError('load: "models/letter.model" is the name of a file; load takes what the file holds'),
  );
  const base64 = btoa(String.fromCharCode(...whole));
  expect(() => load(base64)).toThrow(
    new RangeError("load: base64 text; load takes the bytes that it stands for, or JSON text"),
  );
});

const refusals: [message: string, kind: Kind, sources: readonly unknown[], only?: "load only"][] = [
  [`${must} undefined`, TypeError, [undefined]],
  [`${must} null`, TypeError, [null]],
  [`${must} 7`, TypeError, [7]],
  [`${must} an array`, TypeError, [[1, 2]]],
  [`${must} a Float32Array`, TypeError, [new Float32Array(4)]],
  [`${must} a DataView`, TypeError, [new DataView(new ArrayBuffer(9))]],
  [`${must} a Promise, which has to be awaited`, TypeError, [Promise.resolve()]],
  [`${must} a Response; await its arrayBuffer()`, TypeError, [new Response("")]],
  [`${must} a Blob; await its arrayBuffer()`, TypeError, [new Blob([])]],
  [`${must} a function`, TypeError, [load]],

  [`${foreign} (first bytes 50 4b 03 04)`, RangeError, [Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0), Uint8Array.of(0x50, 0x4b, 3, 4).buffer]],
  [`${foreign} (first bytes 7b 7d)`, RangeError, [new TextEncoder().encode("{}")]],
  [`${foreign} (first bytes 3c 21 64 6f)${page}`, RangeError, [new TextEncoder().encode("<!doctype html>")]],
  [`${unreadable}${page}`, RangeError, ["<!doctype html>", "\n <html>"]],
  [`${foreign} (first bytes missing)`, RangeError, [new Uint8Array(0), new ArrayBuffer(0)]],
  [`${foreign} (first bytes 54 4b 53 44)`, RangeError, [whole.subarray(0, 5), change(5, 0x42)]],
  [`${foreign} (no "format": "topk-sdca")`, RangeError, [{}, "{}", "null", "5", "[]", '"x"', "\ufeff{}", { ...json, format: "other" }]],
  [unreadable, RangeError, ["", "{", JSON.stringify(json).slice(0, -1), "\ufeff{", { ...json, data: "*" }, { ...json, data: undefined }, { get format() { throw null; } }]],
  [unreadable, RangeError, [pack({ header: "{", body: new Uint8Array(8) }), pack({ header: "[".repeat(1e5), body: new Uint8Array(8) })]],

  ["load: model format v3, this build reads v1–v2", RangeError, [change(6, 3), change(6, 3).subarray(0, 10), change(6, 3).subarray(0, 8), { ...json, version: 3 }]],
  ["load: model format v0, this build reads v1–v2", RangeError, [change(6, 0), { ...json, version: 0 }]],
  ["load: model format v257, this build reads v1–v2", RangeError, [change(7, 1)]],
  ["load: model format without version, this build reads v1–v2", RangeError, [{ format: "topk-sdca" }]],

  [`load: truncated, ${whole.length - 1} bytes instead of ${whole.length}`, RangeError, [whole.subarray(0, -1)]],
  [`load: truncated, 24 bytes instead of ${whole.length}`, RangeError, [whole.subarray(0, 24)]],
  ["load: truncated, 23 bytes instead of at least 24", RangeError, [whole.subarray(0, 23)]],
  ["load: truncated, 6 bytes instead of at least 24", RangeError, [whole.subarray(0, 6)]],
  [`load: altered, ${whole.length + 8} bytes instead of ${whole.length}`, RangeError, [Uint8Array.of(...whole, ...new Uint8Array(8))]],
  [altered, RangeError, [change(16, 0), change(20, whole[20] ^ 1), change(30, whole[30] ^ 32), change(whole.length - 1, 7)]],
  [altered, RangeError, [{ ...json, checksum: json.checksum ^ 1 }, { ...json, checksum: undefined }, { ...json, features: 6 }, { ...json, data: json.data.replace(/.$/, "") + "AAAA" }, { ...json, classes: ["a", "b", "3"] }, { ...json, certificate: { ...certificate, relativeGap: 0 } }]],

  ['load: "classes" must be 2 or more different integers or strings, got an array', RangeError, [...edited({ classes: ["a"] }), ...edited({ classes: ["a", "b", "a"] }), ...edited({ classes: [0, -0, 1] })]],
  ['load: "classes" must be 2 or more different integers or strings, got 3', RangeError, edited({ classes: 3 })],
  ['load: "features" must be an integer >= 1, got 0', RangeError, edited({ features: 0 })],
  ['load: "features" must be an integer >= 1, got 1.5', RangeError, edited({ features: 1.5 })],
  ['load: "features" must be an integer >= 1, got undefined', RangeError, edited({ features: undefined })],
  ['load: "precision" must be "float32" or "float64", got "int8"', RangeError, edited({ precision: "int8" })],
  [`load: "scaling" must be ${scalings}, got "robust"`, RangeError, edited({ scaling: "robust" })],
  [`load: "scaling" must be ${scalings}, got undefined`, RangeError, edited({ scaling: undefined })],
  ['load: unknown loss "margin"', RangeError, edited({ loss: { name: "margin" } }), "load only"],
  ['load: unknown loss "__proto__"', RangeError, edited({ loss: { name: "__proto__" } }), "load only"],
  ["load: unknown loss undefined", RangeError, [...edited({ loss: null }), ...edited({ loss: 3 })]],
  ['load: "certificate" must be an object with a status, got null', RangeError, edited({ certificate: null })],
  ['load: "certificate" must be an object with a status, got an object', RangeError, edited({ certificate: {} })],

  ['load: "weights" needs 5999999999999736 bytes more than there are', RangeError, edited({ features: 5e14 })],
  ['load: "weights" needs 108086391056891620 bytes more than there are', RangeError, edited({ features: 2 ** 53 - 1 })],
  ['load: "intercepts" needs 16 bytes more than there are', RangeError, edited({ features: 21 })],
  ['load: "costs" needs 32 bytes more than there are', RangeError, resized(-32)],
  ["load: 8 bytes more than the header speaks of", RangeError, resized(8)],
  ["load: 96 bytes more than the header speaks of", RangeError, edited({ examples: undefined })],
  ['load: "weights" entry 2 is NaN; it must be finite', RangeError, poked((body) => body.setFloat32(8, NaN, true))],
  ['load: "weights" entry 14 is Infinity; it must be finite', RangeError, poked((body) => body.setFloat32(56, Infinity, true))],
  ['load: "intercepts" entry 0 is -Infinity; it must be finite', RangeError, poked((body) => body.setFloat64(64, -Infinity, true))],
  ['load: "shift" entry 1 is NaN; it must be finite', RangeError, poked((body) => body.setFloat64(96, NaN, true))],
  ['load: "factor" entry 0 is Infinity; it must be finite', RangeError, poked((body) => body.setFloat64(128, Infinity, true))],

  ['load: "classes" must be 2 or more different integers or strings, got an array', RangeError, [...edited({ classes: ["a", "b", null] }), ...edited({ classes: ["a", "b", 0.5] })], "load only"],
  ['load: "examples" must be an integer >= 1, got -1', RangeError, edited({ examples: -1 })],
  ['load: "duals" needs 1199999999904 bytes more than there are', RangeError, edited({ examples: 1e11 })],
  ['load: "interceptScale" must be a number in [0, ∞), got -1', RangeError, edited({ interceptScale: -1 })],
  ['load: "interceptScale" must be a number in [0, ∞), got null', RangeError, edited({ interceptScale: null })],
  ['load: "certificate.epochs" must be a number or null, got "many"', RangeError, edited({ certificate: { ...certificate, epochs: "many" } })],
  ['load: "k" must be an integer in [1, 2], got 3', RangeError, edited({ loss: { ...loss, k: 3 } })],
  ['load: "k" must be an integer in [1, 2], got "2"', RangeError, edited({ loss: { ...loss, k: "2" } })],
  ['load: "k" must be given with the loss "topk-hinge": the number of guesses that count', RangeError, edited({ loss: { ...loss, k: undefined } })],
  ['load: "gamma" must be a number in [0, ∞), got -1', RangeError, edited({ loss: { ...loss, gamma: -1 } })],
  ['load: "variant" must be one of "alpha", "alpha-inclusive" or "beta", got "delta"', RangeError, edited({ loss: { ...loss, variant: "delta" } })],
  ['load: "rankWeights" must be "flat", "linear", "exp" or an array of numbers, got "steep"', RangeError, edited({ loss: { name: "weighted-topk-hinge", rankWeights: "steep", k: 1 } })],
  ['load: "rankWeights" must have at most 3 entries (classes), got 4', RangeError, edited({ loss: { name: "weighted-topk-hinge", rankWeights: [1, 1, 1, 1] } })],
  ['load: "k" does not belong to the loss "softmax"; it goes with "topk-hinge", "weighted-topk-hinge", "topk-entropy" and "truncated-topk-entropy"', RangeError, edited({ loss: { name: "softmax", k: 1 } })],
  ['load: "labels" must be class indices in [0, 2], got 3', RangeError, poked((body) => body.setInt32(216, 3, true))],
  ['load: "labels" must be class indices in [0, 2], got -1', RangeError, poked((body) => body.setInt32(216, -1, true))],
  ['load: "costs" must be above 0, got 0', RangeError, poked((body) => body.setFloat64(232, 0, true))],
  ['load: "duals" entry 0 is NaN; it must be finite', RangeError, poked((body) => body.setFloat32(168, NaN, true))],
]; // prettier-ignore

describe("load refuses of a model with a kernel", () => {
  const originals = {
    dense: inventModel({ expansion: "dense" }),
    sparse: inventModel({ expansion: "sparse" }),
    gram: inventModel({ expansion: "gram" }),
  };
  const change = (form: keyof typeof originals, kernel: object, write?: (body: DataView) => void): Uint8Array => {
    const { header, body } = unpack(originals[form].toBytes());
    write?.(new DataView(body.buffer));
    return pack({ version: 2, header: { ...header, kernel: { ...header.kernel, ...kernel } }, body });
  };
  const refused: [message: string, source: Uint8Array][] = [
    ['load: "kernel.name" must be one of "rbf", "poly" or "precomputed", got undefined', change("dense", { name: undefined })],
    ['load: "kernel.name" must be one of "rbf", "poly" or "precomputed", got "sigmoid"', change("dense", { name: "sigmoid" })],
    ['load: "kernel.vectors" must be an integer in [0, 2147483647], got -1', change("dense", { vectors: -1 })],
    ['load: "kernel.gamma" must be a number in [0, ∞), got -1', change("dense", { gamma: -1 })],
    ['load: "kernel.degree" must be an integer in [0, 100], got 1.5', change("dense", { degree: 1.5 })],
    ['load: "kernel.coef0" must be a number in [0, ∞), got "0"', change("dense", { coef0: "0" })],
    ['load: "kernel.nonzeros" must be an integer in [0, 15], got 16', change("sparse", { nonzeros: 16 })],
    ['load: "vectors" needs 19999999864 bytes more than there are', change("dense", { vectors: 1e9 })],
    ['load: "vectors" entry 0 must be an integer in [0, 4], got 5', change("gram", {}, (body) => body.setInt32(24, 5, true))],
    ['load: "vectors" entry 1 must be an integer in [1, 4], got 0', change("gram", {}, (body) => body.setInt32(28, 0, true))],
    ['load: "vectors" entry 0 must be an integer in [0, 4], got -1', change("gram", {}, (body) => body.setInt32(24, -1, true))],
    ['load: "indptr" must ascend from 0 to 8', change("sparse", {}, (body) => body.setInt32(28, 7, true))],
    ['load: "indptr" must ascend from 0 to 8', change("sparse", {}, (body) => body.setInt32(24, 1, true))],
    ['load: "indptr" must ascend from 0 to 8', change("sparse", {}, (body) => body.setInt32(36, 9, true))],
    ['load: "indices" entry 1 must be an integer in [1, 4], got 0', change("sparse", {}, (body) => body.setInt32(44, 0, true))],
    ['load: "indices" entry 2 must be an integer in [3, 4], got 5', change("sparse", {}, (body) => body.setInt32(48, 5, true))],
    ['load: "vectors" entry 0 is NaN; it must be finite', change("dense", {}, (body) => body.setFloat32(24, NaN, true))],
    ['load: "coefficients" entry 0 is Infinity; it must be finite', change("gram", {}, (body) => body.setFloat64(40, Infinity, true))],
    ['load: 32 bytes more than the header speaks of', change("gram", { vectors: 2 })],
  ]; // prettier-ignore

  test.each(refused)("%s", (message, source) => {
    expect(() => load(source)).toThrow(RangeError);
    expect(() => load(source)).toThrow(expect.objectContaining({ message }));
    expect(() => loadPredictor(source)).toThrow('load: a kernel model, which needs the load of "topk-sdca"');
  });
});

describe("load refuses", () => {
  /** What the predictor does not need, it does not look at. */
  const beyondPrediction =
    /"(examples|interceptScale|certificate\.\w+|k|gamma|variant|rankWeights|labels|costs|duals)"|more than the header/;

  /** What the predictor says instead: of a header or a body that nobody wrote, one of two things. */
  function inFewerWords(message: string, source: unknown): readonly string[] {
    if (message.startsWith(must) || message.startsWith(foreign))
      return [`${unreadable}: got ${kindOf(source)}${/; (await its|it begins).*|$/.exec(message)![0]}`, unreadable];
    if (/truncated, \d/.test(message)) return ["load: truncated"];
    if (/altered, \d/.test(message)) return [altered];
    return /^load: ("|unknown)/.test(message) ? ["load: altered", unreadable] : [message];
  }

  for (const [message, kind, sources, only] of refusals) {
    test(`${message}${only ? ", and the predictor reads it" : ""}`, () => {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) {
        expect(() => load(source as any)).toThrow(kind);
        expect(() => load(source as any)).toThrow(expect.objectContaining({ message }));
        if (only)
          expect(loadPredictor(source as any).scores([[1, 2, 3, 4, 5]])).toEqual(model.scores([[1, 2, 3, 4, 5]]));
        if (only || beyondPrediction.test(message)) continue;
        expect(() => loadPredictor(source as any)).toThrow(RangeError);
        const words = inFewerWords(message, source).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
        expect(() => loadPredictor(source as any)).toThrow(new RegExp(`^(${words.join("|")})$`));
      }
    });
  }
});

describe("load refuses of a model of label sets", async () => {
  const options = { loss: "multilabel-softmax", intercept: false, precision: "float64", maxEpochs: 1 } as const;
  const sets = await fit([[0, 1], [1, 0], [1, 1]], [["a", "b"], ["c"], ["a", "c"]], options); // prettier-ignore
  // Offsets 0, 2, 3, 5 begin at byte 144 of the body, the classes 0, 1, 2, 0, 2 at 160.
  const refused: [message: string, place: number, value: number][] = [
    ['load: "offsets" entry 0 cannot be 1', 144, 1],
    ['load: "offsets" entry 1 cannot be 4', 148, 4],
    ['load: "offsets" entry 2 cannot be 1', 152, 1],
    ['load: "labels" of example 0 must be ascending', 164, 0],
    ['load: "labels" of example 2 must be ascending', 172, 2],
    ['load: "labels" must be class indices in [0, 2], got 3', 168, 3],
    ['load: "labels" must be class indices in [0, 2], got -1', 160, -1],
  ];

  test.each(refused)("%s", (message, place, value) => {
    const { version, header, body } = unpack(sets.toBytes({ duals: true }));
    const view = new DataView(body.buffer, body.byteOffset);
    expect([144, 148, 152, 156].map((at) => view.getInt32(at, true))).toEqual([0, 2, 3, 5]);
    view.setInt32(place, value, true);
    expect(() => load(pack({ version, header, body }))).toThrow(expect.objectContaining({ message }));
  });

  // JSON has no Infinity, but numbers that are beyond float64.
  test.each([
    ["1e999", "Infinity"],
    ["-1e999", "-Infinity"],
    ['"0"', '"0"'],
    ["null", "null"],
  ])('load: "threshold" must be a finite number, %s is none', (written, got) => {
    const { version, header, body } = unpack(sets.toBytes());
    const text = JSON.stringify({ ...header, threshold: "here" }).replace('"here"', written);
    const source = pack({ version, header: text, body });
    expect(() => load(source)).toThrow(new RangeError(`load: "threshold" must be a finite number, got ${got}`));
    expect(() => loadPredictor(source)).toThrow(new RangeError("load: altered"));
  });
});

describe("saving refuses", () => {
  const loaded = load(whole.slice());
  const without = load(model.toBytes());
  const calls: [message: string, kind: Kind, call: () => unknown][] = [
    ["toBytes: this model has no dual variables; it was loaded from what was saved without them", Error, () => without.toBytes({ duals: true })],
    ["toJSON: this model has no dual variables; it was loaded from what was saved without them", Error, () => without.toJSON({ duals: true })],
    ['toBytes: "duals" must be true or false, got 1', TypeError, () => loaded.toBytes({ duals: 1 } as any)],
    ['toJSON: "duals" must be true or false, got "yes"', TypeError, () => loaded.toJSON({ duals: "yes" } as any)],
    ['toBytes: "options" must be an object, got true', TypeError, () => loaded.toBytes(true as any)],
    ['toBytes: "options" must be an object, got null', TypeError, () => loaded.toBytes(null as any)],
    ['toJSON: unknown option "dual"; there is only "duals"', TypeError, () => loaded.toJSON({ dual: true } as any)],
  ]; // prettier-ignore
  test.each(calls)("%s", (message, kind, call) => {
    expect(call).toThrow(kind);
    expect(call).toThrow(expect.objectContaining({ message }));
  });
});

describe("altered at random", () => {
  const originals = [
    inventModel({ seed: 5, loss: { name: "hinge", gamma: 0.5 } }).toBytes({ duals: true }),
    inventModel({ seed: 6, precision: "float64", scaling: "standard", classes: ["", "é", 0, -7] }).toBytes(),
    inventModel({ seed: 7, scaling: "unit-rows", d: 3, loss: { name: "topk-entropy", k: 1, variant: "alpha" } }).toBytes({ duals: true }),
    inventModel({ seed: 8, expansion: "dense", scaling: "standard" }).toBytes({ duals: true }),
    inventModel({ seed: 9, expansion: "sparse", precision: "float64" }).toBytes(),
    inventModel({ seed: 10, expansion: "gram" }).toBytes(),
  ]; // prettier-ignore
  const nasty = [
    undefined, null, true, 0, -0, -1, 1, 2, 3, 0.5, 4, 5, 6, 100, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, "", "x", "float64", "float32",
    "none", "minmax", "unit-rows", "softmax", "hinge", "topk-hinge", "ova-logistic", "__proto__", "Infinity", "NaN", "-0",
    [], [1, 1], [1, 2], ["a", "b", "c"], ["a", null], {}, { name: "softmax" }, { name: "toString" }, { length: 3 }, { status: "solved" },
    Array.from({ length: 1000 }, (_, j) => j),
  ]; // prettier-ignore

  /** The outcome of a load: a model, or nothing where it was refused in our words. */
  function attempt(read: typeof load | typeof loadPredictor, source: unknown): Model | undefined {
    try {
      return read(source as any) as Model;
    } catch (error) {
      if (!(error instanceof Error) || !/^load: \S/.test(error.message)) throw error;
      if (!(error instanceof TypeError || error instanceof RangeError)) expect.fail(`${error.name}: ${error.message}`);
      return undefined;
    }
  }

  /** Thousands of comparisons: as text, or by toEqual, they take half a minute. */
  const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
    a.length === b.length && a.every((byte, p) => byte === b[p]);

  function expectSound(loaded: Model): void {
    const { classes, weights, intercepts } = loaded;
    const m = intercepts.length;
    expect(classes.length).toBe(m);
    expect(new Set(classes).size).toBe(m);
    const { columns, gram } = columnsOf(weights ? loaded : modelState(loaded)!);
    if (weights) {
      expect([weights.rows, weights.data.length]).toEqual([m, m * columns]);
      expect(weights.data.every(Number.isFinite)).toBe(true);
    }
    if (columns > 1e5) return; // no array of the body is as long as a row of sparse vectors or of a Gram matrix
    const zero = new Float64Array(columns);
    const predicted = outcomeOf(() => loaded.predict(gram ? { gram: zero, rows: 1 } : [zero])[0]);
    if (!OVERFLOW.test(String(predicted))) expect(classes).toContain(predicted);
    if (modelState(loaded)) expect(equalBytes(load(loaded.toBytes()).toBytes(), loaded.toBytes())).toBe(true);
  }

  /** Runs `body` and returns the largest length that a typed array was asked for. */
  function watchAllocations(body: () => void): number {
    let largest = 0;
    const names = ["Float32Array", "Float64Array", "Int32Array", "Uint8Array"] as const;
    const saved = names.map((name) => globalThis[name]);
    const construct = (target: any, parameters: any[], newTarget: any): object => {
      if (typeof parameters[0] === "number") largest = Math.max(largest, parameters[0]);
      return Reflect.construct(target, parameters, newTarget);
    };
    names.forEach((name, p) => ((globalThis as any)[name] = new Proxy(saved[p], { construct })));
    try {
      body();
    } finally {
      names.forEach((name, p) => ((globalThis as any)[name] = saved[p]));
    }
    return largest;
  }

  function mutate(bytes: Uint8Array, next: () => number): Uint8Array {
    const pick = (below: number): number => Math.floor(next() * below);
    const kind = pick(5);
    const at = pick(bytes.length);
    if (kind === 0) return bytes.slice(0, at);
    const some = Uint8Array.from({ length: 1 + pick(9) }, () => pick(256));
    if (kind === 1) return join(bytes.subarray(0, at), some, bytes.subarray(at));
    if (kind === 2) return join(bytes.subarray(0, at), bytes.subarray(at + some.length));
    const changed = bytes.slice();
    if (kind === 3) changed.set(some.subarray(0, bytes.length - at), at);
    else for (let i = pick(3); i >= 0; i--) changed[pick(bytes.length)] ^= 1 << pick(8);
    return changed;
  }

  /** A field of the header or of an object in it becomes something else. */
  function disturb(header: any, next: () => number): void {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)];
    const inner = Object.values(header).filter((value) => typeof value === "object" && value !== null);
    const place = next() < 0.6 ? header : pick(inner);
    if (place) place[pick(Object.keys(place)) ?? "x"] = pick(nasty);
  }

  const equalTo = (bytes: Uint8Array) => (loaded: Model) =>
    expect(equalBytes(loaded.toBytes({ duals: !!loaded.dualVariables }), bytes)).toBe(true);

  // No arithmetic of a browser is at stake: a quarter of it will do there.
  const rounds = typeof document === "undefined" ? 600 : 150;
  test(
    `${4 * rounds} times: refused by name, or the same model; a forged checksum: a sound one`,
    { timeout: 240_000 },
    () => {
      const next = uniforms(2024);
      let accepted = 0;
      let refused = 0;
      const judge = (source: unknown, size: number, verify: (loaded: Model) => unknown): void => {
        let loaded: Model | undefined;
        let predictor: Model | undefined;
        const largest = watchAllocations(() => {
          loaded = attempt(load, source);
          predictor = attempt(loadPredictor, source);
        });
        expectAtMost(largest, size, "the largest array");
        if (!loaded) refused++;
        else {
          accepted++;
          verify(loaded);
          if (loaded.weights) {
            expect(predictor!.scores([new Float64Array(loaded.weights.cols).fill(2)])).toEqual(
              loaded.scores([new Float64Array(loaded.weights.cols).fill(2)]),
            );
          } else {
            expect(predictor).toBeUndefined();
          }
        }
        if (predictor) expectSound(predictor);
      };
      const texts = originals.map((original) =>
        JSON.stringify(load(original).toJSON({ duals: unpack(original).header.examples > 0 })),
      );
      for (let i = 0; i < rounds; i++) {
        const original = originals[i % originals.length];
        const text = texts[i % originals.length];
        const size = 2 * original.length + 1000;

        judge(mutate(original, next), size, equalTo(original));

        judge(repair(mutate(original, next).slice(0, size)), size, expectSound);

        const latin = mutate(new TextEncoder().encode(text), next);
        judge(new TextDecoder().decode(latin), 2 * text.length, equalTo(original));

        const { version, header, body } = unpack(original);
        disturb(header, next);
        if (next() < 0.5) judge(pack({ version, header, body }), size + JSON.stringify(header).length, expectSound);
        else judge(seal({ ...JSON.parse(text), ...header }), size + JSON.stringify(header).length, expectSound);
      }
      expect(accepted + refused).toBe(4 * rounds);
      expect(accepted).toBeGreaterThan(0.12 * rounds);
      expect(refused).toBeGreaterThan(2.8 * rounds);
    },
  );
});
