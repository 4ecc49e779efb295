import { beforeAll, expect, test } from "vitest";
import { fit, init, select, type FitOptions } from "../../src/index.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { bitsOf } from "../worker/helpers.ts";

/** Options are read at the call: what becomes of the object afterwards changes nothing. Large arrays are not copied. */

beforeAll(() => init());

const { features, labels } = clouds(60, 4, 5, 3);

test.each<[FitOptions, object]>([
  [
    { loss: "truncated-topk-entropy", k: 2 },
    { C: 50, scaling: "standard" },
  ],
  [
    { loss: "truncated-topk-entropy", k: 2 },
    { loss: "hinge", k: undefined, gamma: 1 },
  ],
  [{ loss: "hinge" }, { C: 50, maxEpochs: 0, seed: 3, precision: "float64", kernel: { name: "linear" } }],
])("%o, then %o", async (options, change) => {
  const expected = await fit(features, labels, options);
  const object = { ...options };
  const fitting = fit(features, labels, object);
  Object.assign(object, change);
  const model = await fitting;
  expect(model.weights).toEqual(expected.weights);
  expect(model.certificate).toMatchObject({ epochs: expected.certificate.epochs, status: expected.certificate.status });
});

test("rank weights", async () => {
  const rankWeights = [3, 1];
  const options = { loss: "weighted-topk-hinge", rankWeights: [3, 1] } as const;
  const expected = await fit(features, labels, options);
  const fitting = fit(features, labels, { ...options, rankWeights });
  rankWeights[0] = 30;
  const model = await fitting;
  expect(bitsOf(model)).toEqual(bitsOf(expected));
  expect(model.evaluate(features, labels)).toEqual(expected.evaluate(features, labels));
  expect(JSON.parse(JSON.stringify(model)).loss.rankWeights).toEqual([3, 1]);

  const given = [3, 1];
  const later = await fit(features, labels, { ...options, rankWeights: given });
  const saved = later.toBytes();
  given[0] = 30;
  expect(later.toBytes()).toEqual(saved);
});

test("classes", async () => {
  const classes = [4, 3, 2, 1, 0];
  const fitting = fit(features, labels, { classes });
  classes.reverse();
  expect((await fitting).classes).toEqual([4, 3, 2, 1, 0]);
});

test("what `onProgress` does to a record stays with it", async () => {
  const { history } = await fit(features, labels, {
    validation: { features, labels },
    onProgress(record) {
      record.relativeGap = NaN;
      record.validation![0].topKAccuracy[1] = NaN;
      record.validation!.length = 0;
    },
  });
  for (const { relativeGap, validation } of history) {
    expect(relativeGap).toBeGreaterThanOrEqual(0);
    expect(validation![0].topKAccuracy[1]).toBeGreaterThanOrEqual(0);
  }
});

test("select", async () => {
  const calls: number[] = [];
  const options = { grid: { C: [1, 2] }, folds: 2, onProgress: (done: number) => calls.push(done) };
  const selecting = select(features, labels, options);
  Object.assign(options, { onProgress: undefined, signal: AbortSignal.abort(), workers: [] });
  await selecting;
  expect(calls).toEqual([1, 2, 3, 4, 5]);
});

test("classes of an anchor are compared also where it is a copy of a model", async () => {
  const anchor = await fit(features, labels, { classes: [4, 3, 2, 1, 0] });
  for (const copy of [anchor, { classes: anchor.classes, weights: anchor.weights, intercepts: anchor.intercepts }]) {
    await expect(fit(features, labels, { anchor: copy })).rejects.toThrow(
      new RangeError(
        'fit: "anchor" has other classes, or the same in another order; where rows of some are missing give classes: anchor.classes',
      ),
    );
  }
  const { weights, intercepts } = anchor;
  const model = await fit(features, labels, { anchor: { weights, intercepts }, maxEpochs: 0 });
  expect(model.weights).toEqual(weights);
});

test("a matrix whose memory is handed over, or shrinks, in the course of a fit is missed by name", async () => {
  const [n, cols] = [50_000, 8];
  const labels = Int32Array.from({ length: n }, (_, i) => i % 2);
  for (const scaling of ["none", "standard"] as const) {
    const data = Float64Array.from({ length: n * cols }, (_, p) => Math.sin(p));
    const fitting = fit({ data, rows: n, cols }, labels, { scaling, yieldEvery: 1, maxEpochs: 1 });
    setTimeout(() => structuredClone(data.buffer, { transfer: [data.buffer] }));
    await expect(fitting).rejects.toThrow('fit: "features" changed while they were read');
  }
  const sparse = csrOf(Array.from({ length: 2000 }, (_, i) => [Math.sin(i), 0, 0, Math.cos(i)]));
  const held = csrOf(Array.from({ length: 20_000 }, (_, i) => [Math.sin(i), 0, 0, Math.cos(i)]));
  let records = 0;
  const onProgress = (): void => {
    if (++records === 1) structuredClone(held.data.buffer, { transfer: [held.data.buffer as ArrayBuffer] });
  };
  const validation = { features: held, labels: labels.subarray(0, held.rows) };
  const fitting = fit(sparse, labels.subarray(0, sparse.rows), { validation, onProgress, tolerance: 0, maxEpochs: 20 });
  await expect(fitting).rejects.toThrow('fit: "validation.features" changed while they were read');
});

test("rows that are gone when their turn comes, or of another length, are missed by name", async () => {
  const changes = [
    (rows: number[][]) => (rows.length = 0),
    (rows: number[][]) => rows.at(-1)!.push(1),
    (rows: number[][]) => rows.at(-1)!.pop(),
  ];
  for (const change of changes) {
    for (const scaling of ["none", "standard"] as const) {
      const rows = Array.from({ length: 10 }, (_, i) => [Math.sin(i), 1]);
      const y = rows.map((_, i) => i % 2);
      const second = rows[1];
      let reads = 0;
      const get = (): number[] => {
        if (++reads === 2) change(rows); // the first was at the call
        return second;
      };
      Object.defineProperty(rows, 1, { get, configurable: true });
      await expect(fit(rows, y, { scaling })).rejects.toThrow(
        new RangeError('fit: "features" changed while they were read'),
      );
    }
  }
});

test("a Gram matrix that is handed over in the course of a fit is missed by name", async () => {
  const rows = 300;
  const gram = Float64Array.from({ length: rows * rows }, (_, p) => Number(p % (rows + 1) === 0));
  let records = 0;
  const onProgress = (): void => void (++records === 1 && structuredClone(gram.buffer, { transfer: [gram.buffer] }));
  const labels = Array.from({ length: rows }, (_, i) => i % 2);
  const validation = { features: { gram, rows }, labels };
  const fitting = fit({ gram: gram.slice(), rows }, labels, { validation, onProgress, tolerance: 0 });
  await expect(fitting).rejects.toThrow('fit: "validation.features" changed while they were read');
});

test("options are read, inherited ones, too", async () => {
  const own = { loss: "hinge", maxEpochs: 1, tolerance: 1e-8 } as const;
  const [a, b] = await Promise.all([own, Object.create(own) as typeof own].map((o) => fit(features, labels, o)));
  expect(a.certificate).toMatchObject({ status: "max-epochs", epochs: 1, tolerance: 1e-8 });
  expect(bitsOf(b)).toEqual(bitsOf(a));
  const [c, d] = await Promise.all(
    [own, Object.create(own) as typeof own].map((options) => select(features, labels, { grid: { C: [1] }, options })),
  );
  expect(c.table[0].statuses).toEqual(Array.from({ length: 5 }, () => "max-epochs"));
  expect(bitsOf(d.model)).toEqual(bitsOf(c.model));
});
