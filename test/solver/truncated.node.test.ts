import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, load, losses, type FitOptions, type HistoryRecord, type Model } from "../../src/index.ts";
import { rowsOf } from "../helpers/certified.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import { gradientOf, truncatedEntropy } from "../reference/truncated.ts";
import cases from "../vectors/B1_losses.json" with { type: "json" };

/** The truncated top-k entropy loss: its value and gradient, and descents, which certify nothing but a small gradient. */

beforeAll(() => init());

const name = "truncated-topk-entropy";

describe("the loss", () => {
  const ours = cases.filter(({ loss }) => loss === "topk_ent_trunc");

  test("stored exact answers", () => {
    expect(ours.length).toBeGreaterThan(10);
    for (const { u, y, k, value, grad, atol, rtol } of ours as unknown as {
      u: number[];
      y: number;
      k: number;
      value: number;
      grad: number[] | null;
      atol: number;
      rtol: number;
    }[]) {
      expectWithin(losses.value(name, u, y, { k }), value, atol + rtol * Math.abs(value), "value");
      const gradient = Array.from(losses.gradient(name, u, y, { k }));
      if (grad) expectVectorWithin(gradient, grad, atol + rtol, "gradient");
      const own = truncatedEntropy(u, y, k);
      expectWithin(own.value, value, 1e-12 * (1 + value), "the reference");
    }
  });

  test("k = 1 is softmax, and the more is left out the smaller the loss", () => {
    const u = [0.3, 2, -1, 0.7, 2, 1.5];
    expect(losses.value(name, u, 3, { k: 1 })).toBe(losses.value("softmax", u, 3));
    const values = [1, 2, 3, 4, 5].map((k) => losses.value(name, u, 3, { k }));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  test("of equal scores the first are left out", () => {
    expect(Array.from(losses.gradient(name, [0, 1, 1, 1], 0, { k: 2 }))[1]).toBe(0);
    expect(losses.gradient(name, [0, 1, 1, 1], 0, { k: 2 })[3]).toBeGreaterThan(0);
  });
});

const { features, labels } = clouds(240, 5, 7, 3, 1.5);
const truth = labels.map(Number);

/** P and its gradient at a model's weights, by the reference. */
function recompute(model: Model, C: number, k: number, X: readonly number[][] = features) {
  const W = rowsOf(model.weights).map((row, j) => [...row, model.intercepts[j]]);
  return gradientOf(
    X.map((row) => [...row, 1]),
    truth,
    W,
    C,
    k,
  );
}

test.each(["float32", "float64"] as const)(
  "stationary wherever the gradient is small enough at the weights returned, %s",
  async (precision) => {
    for (const tolerance of [1, 0.1, 0.01]) {
      for (let maxEpochs = 1; maxEpochs < 60; maxEpochs += 3) {
        const options = { loss: name, k: 2, C: 3, tolerance, maxEpochs, precision } as const;
        const { status, gradientNorm, hint } = (await fit(features, labels, options)).certificate;
        expect(status === "stationary").toBe(gradientNorm! <= tolerance);
        expect(hint === undefined).toBe(status === "stationary");
      }
    }
  },
);

test("a tolerance that is out of reach ends a fit where no step changes the weights", async () => {
  const options = { loss: name, k: 1, C: 300, tolerance: 0, precision: "float64", maxEpochs: 1e5 } as const;
  const { status, epochs } = (await fit([[1], [-1], [2]], [0, 1, 1], options)).certificate;
  expect(status).toBe("no-progress");
  expect(epochs).toBeLessThan(1000);
});

test("weights whose gradient is too large once they are rounded are not stationary", async () => {
  const options = { loss: name, k: 2, C: 3, precision: "float32", tolerance: 1e-9 } as const;
  const { status, gradientNorm, hint } = (await fit(features, labels, options)).certificate;
  expect(gradientNorm).toBeGreaterThan(1e-9);
  expect(status).toBe("no-progress");
  expect(hint).toContain('precision: "float64"');
});

test.each([
  [6, 100],
  [7, 30],
])(
  "what rounding to float32 adds to the gradient, up to a third of the tolerance, keeps no fit from its end: %d",
  async (seed, C) => {
    const cloud = clouds(40, 4, 4, seed, 1.5);
    const initial = await fit(cloud.features, cloud.labels, { C, precision: "float64" });
    const solve = async (tolerance: number, precision: "float32" | "float64" = "float32") =>
      (await fit(cloud.features, cloud.labels, { loss: name, k: 2, C, tolerance, precision, initial })).certificate;
    expect((await solve(1e-9, "float64")).status).toBe("stationary");
    const rounding = (await solve(1e-9)).gradientNorm!;
    for (let part = 0.2; part < 0.36; part += 0.01) {
      expect((await solve(rounding / part)).status, `a tolerance of ${rounding / part}`).toBe("stationary");
    }
  },
);

describe("a descent", () => {
  test.each([
    [1, "float64"],
    [2, "float64"],
    [3, "float32"],
    [6, "float64"],
  ] as const)("ends where the gradient is small: k = %s, %s", async (k, precision) => {
    const tolerance = precision === "float32" ? 1e-3 : 1e-7;
    const X = precision === "float32" ? features.map((row) => row.map(Math.fround)) : features;
    const model = await fit(X, labels, { loss: name, k, precision, tolerance });
    const { certificate, history } = model;
    const { P, norm } = recompute(model, 1, k, X);
    expect(certificate).toMatchObject({
      status: "stationary",
      dualObjective: null,
      dualityGap: null,
      relativeGap: null,
    });
    expect(certificate.gradientNorm).toBeLessThanOrEqual(tolerance);
    expect(Math.abs(certificate.gradientNorm! - norm)).toBeLessThanOrEqual(1e-12 * P);
    expect(Math.abs(certificate.primalObjective - P)).toBeLessThanOrEqual(1e-12 * P);
    expect(model.weights.data).toBeInstanceOf(precision === "float32" ? Float32Array : Float64Array);
    expect(model.dualVariables).toBeUndefined();
    // At the end weights are rounded to float32, which moves P by the gradient times that.
    const ofWeights = Math.hypot(...model.weights.data, ...model.intercepts);
    const rounded = precision === "float32" ? tolerance * 2 ** -24 * ofWeights : 0;
    for (let r = 1; r < history.length; r++) {
      const most = history[r - 1].primalObjective * (1 + 1e-13) + (r === history.length - 1 ? rounded : 0);
      expect(history[r].primalObjective).toBeLessThanOrEqual(most);
      expect(history[r].relativeGap).toBeNull();
    }
  });

  test("k = 1 finds the softmax optimum", async () => {
    const options = { precision: "float64", tolerance: 1e-9 } as const;
    const softmax = await fit(features, labels, options);
    const model = await fit(features, labels, { ...options, loss: name, k: 1, tolerance: 1e-6 });
    const P = softmax.certificate.primalObjective;
    expect(Math.abs(model.certificate.primalObjective - P)).toBeLessThanOrEqual(1e-8 * P);
  });

  test("starts from a model: of its own it is done at once, from softmax as by default", async () => {
    const options = { loss: name, k: 2, precision: "float64", tolerance: 1e-6 } as const;
    const model = await fit(features, labels, options);
    const loaded: Model = load(model.toBytes());
    const again = await fit(features, labels, { ...options, initial: loaded });
    expect(again.certificate).toMatchObject({ status: "stationary", epochs: 0 });
    expect(again.weights.data).toEqual(model.weights.data);
    const initial = await fit(features, labels, { precision: "float64", tolerance: 1e-3 });
    const told = await fit(features, labels, { ...options, initial });
    expect(told.weights.data).toEqual(model.weights.data);
  });

  test("sparse rows, scaling, weights, a proximal centre", async () => {
    const X = features.map((row, i) => row.map((v, l) => ((i + l) % 3 === 0 ? v : 0)));
    const options = { loss: name, k: 2, precision: "float64", tolerance: 1e-7, intercept: false } as const;
    const { weights } = await fit(X, labels, { intercept: false });
    const anchored = await fit(csrOf(X), labels, { ...options, C: 0.1, anchor: { weights } });
    const { norm } = gradientOf(X, truth, rowsOf(anchored.weights), 0.1, 2, rowsOf(weights));
    expect(anchored.certificate.status).toBe("stationary");
    expect(norm).toBeLessThanOrEqual(2e-7);
    const scaled = await fit(X, labels, {
      ...options,
      scaling: "standard",
      sampleWeight: X.map((_, i) => 1 + (i % 2)),
    });
    expect(scaled.certificate.status).toBe("stationary");
  });

  test("budgets, abort, progress and validation", async () => {
    const base: FitOptions = { loss: name, k: 3, tolerance: 1e-9, precision: "float64" };
    const none = await fit(features, labels, { ...base, maxEpochs: 0 });
    expect(none.certificate).toMatchObject({ status: "max-epochs", epochs: 0 });
    expect(none.weights.data.every((w) => w === 0)).toBe(true);
    const start = await fit(features, labels, {
      ...{ loss: "softmax", tolerance: 1e-3, precision: "float64", maxEpochs: 12 },
    });
    expect(start.certificate.epochs).toBeGreaterThan(0);
    const few = await fit(features, labels, { ...base, maxEpochs: 12 });
    expect(few.history[0].epoch).toBe(start.certificate.epochs);
    expect(few.certificate.status).toBe("max-epochs");
    expect(few.certificate.epochs).toBeLessThanOrEqual(13);
    expect(few.certificate.primalObjective).toBeLessThan(none.certificate.primalObjective);
    expect(few.certificate.hint).toContain("maxEpochs");

    const stop = new AbortController();
    const records: HistoryRecord[] = [];
    const stopped = await fit(features, labels, {
      ...base,
      ...{ signal: stop.signal, validation: { features, labels } },
      onProgress(record) {
        records.push(record);
        if (records.length === 4) stop.abort();
      },
    });
    expect(stopped.certificate.status).toBe("aborted");
    expect(records[3].validation![0].topKAccuracy![1]).toBeGreaterThan(0.2);
    expect(stopped.history.map(({ epoch }) => epoch)).toEqual(records.map(({ epoch }) => epoch));
    const before = await fit(features, labels, { ...base, signal: AbortSignal.abort() });
    expect(before.certificate).toMatchObject({ status: "aborted", epochs: 0 });

    // Aborted is aborted, also between half the tolerance, which float32 aims at, and all of it.
    const softmax = await fit(features, labels, { loss: "softmax" });
    const cutShort = (tolerance: number): Promise<Model> => {
      const cut = new AbortController();
      let count = 0;
      return fit(features, labels, {
        ...{ loss: name, k: 3, precision: "float32", initial: softmax, tolerance, signal: cut.signal },
        onProgress: () => void (++count === 4 && cut.abort()),
      });
    };
    const { gradientNorm } = (await cutShort(1e-9)).certificate;
    const again = (await cutShort(1.5 * gradientNorm!)).certificate;
    expect(again).toMatchObject({ status: "aborted", gradientNorm });
  });

  test("saves, loads, predicts, evaluates; has no dual variables to save", async () => {
    const model = await fit(features, labels, { loss: name, k: 2 });
    for (const source of [model.toBytes(), JSON.stringify(model)]) {
      const loaded = load(source);
      expect(loaded.certificate).toEqual(model.certificate);
      expect(loaded.predict(features)).toEqual(model.predict(features));
      expect(loaded.evaluate(features, labels)).toEqual(model.evaluate(features, labels));
    }
    expect(model.evaluate(features, labels).loss * features.length).toBeCloseTo(
      model.certificate.primalObjective - 0.5 * squares(model),
      4,
    );
    expect(() => model.toBytes({ duals: true })).toThrow("has none");
  });

  test("is the same whatever yieldEvery is, and for one class more than there are examples of", async () => {
    const options = { loss: name, k: 2, maxEpochs: 20 } as const;
    const [a, b] = await Promise.all(
      (["never", 1] as const).map((yieldEvery) => fit(features, labels, { ...options, yieldEvery })),
    );
    expect(a.weights.data).toEqual(b.weights.data);
    const classes = [...new Set(labels), "nobody"];
    const wide = await fit(features, labels, { ...options, classes, maxEpochs: 500 });
    expect(wide.certificate.status).toBe("stationary");
  });
});

const squares = ({ weights, intercepts }: Model): number =>
  [...weights.data, ...intercepts].reduce((total, w) => total + w * w, 0);

test("what it has no part in is refused by name", async () => {
  const refused = (options: object, X: unknown = features): Promise<unknown> =>
    fit(X as never, labels, { loss: name, k: 2, ...options } as FitOptions);
  await expect(refused({ kernel: { name: "rbf", gamma: 1 } })).rejects.toThrow('"kernel" does not go with the loss');
  const gram = { gram: new Float64Array(features.length ** 2), rows: features.length };
  await expect(refused({}, gram)).rejects.toThrow('"features" must not be a Gram matrix');
  await expect(refused({ solver: "frank-wolfe" })).rejects.toThrow('"solver"');
  await expect(refused({ k: 7 })).rejects.toThrow('"k" must be an integer in [1, 6]');
  await expect(refused({ k: undefined })).rejects.toThrow('"k" must be given');
  await expect(refused({ gamma: 1 })).rejects.toThrow('"gamma" does not belong');
  await expect(refused({ initial: {} })).rejects.toThrow('"initial" must be a model');
  const scaled = await fit(features, labels, { scaling: "standard" });
  await expect(refused({ initial: scaled })).rejects.toThrow('"initial" was fitted with scaling "standard"');
  const narrow = await fit(
    features.map((row) => row.slice(1)),
    labels,
  );
  await expect(refused({ initial: narrow })).rejects.toThrow('"initial.weights" is 7 x 4 but the model will be 7 x 5');
});

test("rows too large for float32 are in float64, the softmax solution's too, unless that is asked for", async () => {
  const rows = features.map((row) => row.map((v) => 1e19 * v));
  const options: FitOptions = { loss: name, k: 2, maxEpochs: 20 };
  const model = await fit(rows, labels, options);
  expect(model.history[0].epoch).toBeGreaterThan(0);
  expect(model.weights.data).toBeInstanceOf(Float64Array);
  await expect(fit(rows, labels, { ...options, precision: "float32" })).rejects.toThrow(
    "scores could overflow float32",
  );
});

test("the last record of a descent is that of its certificate, whose weights are rounded", async () => {
  const uniform = uniforms(3);
  const labels = Array.from({ length: 40 }, (_, i) => i % 4);
  const features = labels.map((y) => Array.from({ length: 3 }, (_, l) => uniform() + (l === y ? 1 : 0)));
  const { history, certificate } = await fit(features, labels, { loss: name, k: 2, C: 1 });
  expect(history.at(-1)!.primalObjective).toBe(certificate.primalObjective);
});

test("the last record is that of the certificate, also after a line search that has found nothing", async () => {
  const rows = [[-1], [-5], [5]];
  for (let maxEpochs = 5; maxEpochs < 12; maxEpochs++) {
    const options = { loss: "truncated-topk-entropy", k: 1, maxEpochs, tolerance: 1e-6 } as const;
    const { certificate, history } = await fit(rows, [0, 1, 2], options);
    expect(history.at(-1)!.epoch).toBe(certificate.epochs);
  }
});
