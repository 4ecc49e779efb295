import { readFileSync } from "node:fs";
import { createContext, runInContext, runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { fit, load as loadWhole, prox, type Features, type FitOptions } from "../../src/index.ts";
import { createModel, modelState } from "../../src/model.ts";
import type { ModelState } from "../../src/model/modelState.ts";
import { load } from "../../src/predict.ts";
import { compileKernels } from "../../src/wasm/load.ts";
import { clouds } from "../helpers/data.ts";

/** What comes from another realm, an iframe or a context of `node:vm`, has its own Float32Array and Map. */

const { features, labels } = clouds(40, 3, 3);
const there = runInNewContext(`({
  data: Float32Array.from(values), weights: new Map([[0, 2]]), labels: Int32Array.from(labels),
  indices: Int32Array.from(values, (_, p) => p % 3), indptr: Int32Array.from({ length: 41 }, (_, i) => 3 * i),
})`, { values: features.flat(), labels }) as {
  data: Float32Array; weights: Map<number, number>; labels: Int32Array; indices: Int32Array; indptr: Int32Array;
}; // prettier-ignore

test("typed arrays and maps from there are as good as ours", async () => {
  expect(there.data instanceof Float32Array).toBe(false);
  expect(there.weights instanceof Map).toBe(false);
  const shape = { rows: 40, cols: 3 };
  const data = Float32Array.from(features.flat());
  const expected = await fit({ data, ...shape }, labels, { classWeight: [[0, 2]] });
  const dense = { data: there.data, ...shape };
  const sparse = { data: there.data, indices: there.indices, indptr: there.indptr, ...shape };
  for (const X of [dense, sparse]) {
    const model = await fit(X, there.labels, { classWeight: there.weights });
    expect([model.weights, model.intercepts]).toEqual([expected.weights, expected.intercepts]);
    expect(model.predict(X)).toEqual(expected.predict(X));
    expect(load(model.toBytes()).scores(X)).toEqual(expected.scores(X));
  }
  const rows = features.map((_, i) => there.data.subarray(3 * i, 3 * i + 3));
  expect((await fit(rows, labels, { classWeight: there.weights })).weights).toEqual(expected.weights);
  expect(prox.knapsack(there.data)).toEqual(prox.knapsack(data));
});

const elsewhere = createContext({});

/** The same with typed arrays from there: what a worker answers under Jest, say, which runs tests in a context. */
function fromThere(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    const { name } = value.constructor;
    return runInContext(`(values) => ${name}.from(values)`, elsewhere)(value) as unknown;
  }
  if (Array.isArray(value)) return value.map(fromThere);
  if (Object(value) !== value) return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, fromThere(part)]));
}

const wide = clouds(200, 300, 5);
const dense = { data: Float32Array.from(wide.features.flat()), rows: 200, cols: 300 };
const csr = {
  ...dense,
  indices: Int32Array.from(dense.data, (_, p) => p % 300),
  indptr: Int32Array.from({ length: 201 }, (_, i) => 300 * i),
};
const gram = Float64Array.from(
  wide.features.flatMap((x) => wide.features.map((z) => Math.exp(-Math.hypot(...x.map((v, l) => v - z[l])) / 9))),
);
const rbf = { name: "rbf", gamma: 0.01 } as const;

test.each<[string, Features, FitOptions]>([
  ["weights in float32", dense, {}],
  ["weights in float64", dense, { precision: "float64" }],
  ["sparse rows", csr, {}],
  ["a kernel", dense, { kernel: rbf }],
  ["a kernel of sparse rows", csr, { kernel: rbf, precision: "float64" }],
  ["a Gram matrix", { gram, rows: 200 }, {}],
])("a model with arrays from there does all that it does here: %s", async (_, X, options) => {
  const here = await fit(X, wide.labels, { loss: "hinge", ...options });
  const state = fromThere(modelState(here)) as ModelState;
  expect((state.weights?.data ?? state.expansion?.coefficients) instanceof Float64Array).toBe(false);
  const model = createModel({ state, history: [] });
  expect(model.scores(X)).toEqual(here.scores(X));
  expect(model.toBytes()).toEqual(here.toBytes());
  expect(loadWhole(JSON.stringify(model)).scores(X)).toEqual(here.scores(X));
  const again = await Promise.all(
    [here, model].map((initial) => fit(X, wide.labels, { loss: "hinge", ...options, initial })),
  );
  expect(again[1].certificate.dualityGap).toBe(again[0].certificate.dualityGap);
});

test("so does a module of the kernels", async () => {
  const binary = readFileSync(new URL("../../build/core.wasm", import.meta.url));
  const module = runInContext("(bytes) => new WebAssembly.Module(bytes)", elsewhere)(binary) as object;
  expect(module instanceof WebAssembly.Module).toBe(false);
  expect(await compileKernels(module)).toBe(module);
});
