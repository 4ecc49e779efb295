import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";
import { bitsOf } from "../worker/helpers.ts";

/** Rows as large as those of a table that nobody has scaled: dual variables of float32 are too coarse for them. */

beforeAll(() => init());

/** Age, income in units of `unit`, and a flag. */
function table(unit: number): { features: number[][]; labels: number[] } {
  const features = Array.from({ length: 300 }, (_, i) => [
    20 + ((i * 37) % 50),
    Math.fround((20_000 + ((i * 7919) % 30_000)) / unit),
    Number((i * 13) % 7 === 0),
  ]);
  const labels = features.map(([age, income, flag], i) => {
    const z = age / 30 - (income * unit) / 50_000 + flag + Math.sin(i * i) / 2;
    return z < 0.6 ? 0 : z < 1.4 ? 1 : 2;
  });
  return { features, labels };
}

const losses: LossSpec[] = [{ loss: "softmax" }, { loss: "hinge", gamma: 1 }, { loss: "topk-entropy", k: 2 }];

describe.each(losses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const { features, labels } = table(1); // C ||x||^2 is 2e9
  const options = optionsOf(spec) as FitOptions<number>;

  test("a table is solved without a word of precision: in float64", async () => {
    for (const more of [{}, { C: 1e5, scaling: "standard" }] as const) {
      const chosen: FitOptions<number> = { ...options, ...more };
      const model = await fit(features, labels, chosen);
      expect(model.certificate.status).toBe("solved");
      expect(model.weights.data).toBeInstanceOf(Float64Array);
      expect(bitsOf(model)).toEqual(bitsOf(await fit(features, labels, { ...chosen, precision: "float64" })));
    }
    const model = await fit(features, labels, { ...options, intercept: false });
    expectCertified(model, { features, labels, loss: spec, C: 1, precision: "float64" });
  });

  test("with a kernel likewise", async () => {
    const chosen: FitOptions<number> = { ...options, kernel: { name: "linear" }, maxEpochs: 5 };
    const model = await fit(features, labels, chosen);
    expect(bitsOf(model)).toEqual(bitsOf(await fit(features, labels, { ...chosen, precision: "float64" })));
    expect(bitsOf(model)).not.toEqual(bitsOf(await fit(features, labels, { ...chosen, precision: "float32" })));
  });

  test("float32 that is asked for is what there is, with a hint where it does not do", async () => {
    const asked: FitOptions<number> = { ...options, precision: "float32", maxEpochs: 20 };
    const { weights, certificate } = await fit(features, labels, asked);
    expect(weights.data).toBeInstanceOf(Float32Array);
    expect(certificate.status).toBe("max-epochs");
    expect(certificate.hint).toContain('use precision: "float64"');
    expect(certificate.hint).not.toContain("initial");
  });

  test("of smaller rows the default is float32", async () => {
    const small = table(1000); // 1e4
    const { weights, certificate } = await fit(small.features, small.labels, options);
    expect(weights.data).toBeInstanceOf(Float32Array);
    expect(certificate.status).toBe("solved");
  });
});

test("many rows are enough where one alone would not be", async () => {
  const { features, labels } = table(200); // 7e4
  const fewAndAll = [3, 300].map(async (n) => {
    const { weights } = await fit(features.slice(0, n), labels.slice(0, n), { classes: [0, 1, 2], maxEpochs: 1 });
    return weights.data.constructor;
  });
  expect(await Promise.all(fewAndAll)).toEqual([Float32Array, Float64Array]);
});

test("what scores of float32 could overflow by, or C be too small for, is fitted in float64", async () => {
  const { features, labels } = table(1);
  const far = features.map((row) => row.map((v) => v * 1e16));
  for (const [rows, C] of [
    [far, 1],
    [features, 1e38],
    [features, 1e-46],
  ] as const) {
    expect((await fit(rows, labels, { C, maxEpochs: 1 })).weights.data).toBeInstanceOf(Float64Array);
    await expect(fit(rows, labels, { C, maxEpochs: 1, precision: "float32" })).rejects.toThrow(/float32.*"float64"/);
  }
});

test("the C_i of one example is enough", async () => {
  const { features, labels } = table(1000);
  const sampleWeight = labels.map((_, i) => (i === 7 ? 1000 : 1));
  const { weights } = await fit(features, labels, { sampleWeight, maxEpochs: 1 });
  expect(weights.data).toBeInstanceOf(Float64Array);
});

test("so is the weight of one label of sets", async () => {
  const { features, labels } = table(1000);
  const sets = labels.map((y) => [y]);
  for (const [weight, Floats] of [
    [1, Float32Array],
    [100, Float64Array],
  ] as const) {
    const options: FitOptions = { loss: "ova-logistic", classWeight: [[1, weight]], maxEpochs: 1 };
    expect((await fit(features, sets, options)).weights.data).toBeInstanceOf(Floats);
  }
});
