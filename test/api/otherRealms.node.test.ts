import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { fit, prox } from "../../src/index.ts";
import { load } from "../../src/predict.ts";
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
