// Fits in a real worker: of node:worker_threads, or in Chromium a module worker. In Node it runs the built package.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fit, load, type FitOptions, type HistoryRecord, type Label, type RemoteOptions } from "../../src/index.ts";
import { modelState } from "../../src/model.ts";
import { connect, serve } from "../../src/worker.ts";
import { readRequest } from "../../src/worker/protocol.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { asGram } from "../helpers/kernels.ts";
import { untimed } from "../helpers/untimed.ts";
import { bitsOf, inPage, useWorkers } from "./helpers.ts";

const { shared, fresh } = useWorkers();
const { features, labels } = clouds(60, 5, 4);
const rows = features.slice(0, 7);
const dense = (): { data: Float64Array<ArrayBuffer>; rows: number; cols: number } => ({
  data: Float64Array.from(features.flat()),
  rows: features.length,
  cols: features[0].length,
});
const names = labels.map((y) => ["north", "east", "south", "west"][y]);
const sets = features.map((row) => [...row.keys()].filter((l) => row[l] > 0.5));

/** Of so many classes that most dual variables of a hinge loss are zero, and only the others are kept. */
const many = clouds(300, 6, 40, 4);

/** A fit of many seconds: long enough for everything that happens to it here. */
const large = clouds(2000, 20, 20, 5);
const long: FitOptions = { loss: "hinge", C: 1000, tolerance: 0, maxEpochs: 1e9, precision: "float64" };

describe("is the fit on this side, to the bit:", () => {
  const scored = (row: readonly number[]): number[] => features.map((z) => Math.exp(-0.1 * distance2(row, z)));
  const distance2 = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((s, v, l) => s + (v - b[l]) ** 2, 0);
  const sparse = csrOf(features.map((row) => [...row, ...new Array<number>(40).fill(0)]));
  const cases: Record<string, [unknown, unknown, FitOptions, unknown?]> = {
    "arrays of numbers": [features, labels, {}],
    "arrays of typed arrays, label names": [features.map((row) => Float32Array.from(row)), names, { loss: "hinge" }],
    "a matrix": [dense(), Int32Array.from(labels), { loss: "topk-hinge", k: 2, scaling: "standard" }],
    "sparse rows": [csrOf(features), labels, { scaling: "unit-rows", precision: "float64" }],
    "many classes": [many.features, many.labels, { loss: "hinge" }, many.features],
    weights: [
      ...([features, names] as const),
      { loss: "ova-hinge", sampleWeight: Float32Array.from(labels, (y) => 1 + y), classWeight: new Map([["east", 3]]) },
    ],
    "label sets, validation": [
      ...([features, sets] as const),
      { loss: "multilabel-softmax", validation: { features: rows, labels: sets.slice(0, 7) } },
    ],
    "a kernel": [features, names, { kernel: { name: "rbf", gamma: 0.2 }, loss: "hinge" }],
    "a kernel, sparse rows": [sparse, names, { kernel: { name: "poly", degree: 2 } }, sparse],
    "a Gram matrix": [asGram(features.map(scored)), names, {}, asGram(rows.map(scored))],
  }; // prettier-ignore

  test.each(Object.keys(cases))("%s", async (name) => {
    const { remote } = await shared();
    const [X, y, options, others = rows] = cases[name] as [any, any, FitOptions, any];
    const [here, there] = await Promise.all([fit(X, y, options), remote.fit(X, y, options)]);
    expect(bitsOf(there)).toEqual(bitsOf(here));
    expect(there.scores(others)).toEqual(here.scores(others));
    expect(there.predict(others)).toEqual(here.predict(others));
    expect(there.dualVariables).toEqual(here.dualVariables);
    expect(there.evaluate(X, y)).toEqual(here.evaluate(X, y));
    expect(bitsOf(load(there.toBytes({ duals: true })))).toEqual(bitsOf(load(here.toBytes({ duals: true }))));
  });
});

test.each([
  ["few", features, names],
  ["many", many.features, many.labels],
])(
  "models of %s classes go in as `initial` and `anchor`, from this side, from the worker, and loaded",
  async (_, X, y: readonly Label[]) => {
    const { remote } = await shared();
    const options = { loss: "hinge", gamma: 1 } as const;
    const here = await fit(X, y, options);
    const there = await remote.fit(X, y, options);
    const loaded = load(here.toBytes({ duals: true }));
    for (const model of [here, there, loaded]) {
      for (const name of ["initial", "anchor"]) {
        const further = { ...options, C: 10, [name]: model } as FitOptions;
        expect(bitsOf(await remote.fit(X, y, further))).toEqual(bitsOf(await fit(X, y, further)));
      }
    }
  },
);

test("other anchors, and models without dual variables", async () => {
  const { remote } = await shared();
  const options = { loss: "hinge", gamma: 1 } as const;
  const here = await fit(features, names, options);
  const { weights, intercepts } = here;
  const further: FitOptions = { ...options, C: 10, anchor: { weights, intercepts } };
  expect(bitsOf(await remote.fit(features, names, further))).toEqual(bitsOf(await fit(features, names, further)));
  const bare = load(here.toBytes());
  await expect(remote.fit(features, names, { initial: bare })).rejects.toThrow(
    new RangeError(
      'fit: "initial" has no dual variables; save it with toBytes({ duals: true }) or toJSON({ duals: true })',
    ),
  );
});

test("a model has its threshold, and another on demand", async () => {
  const { remote } = await shared();
  const model = await remote.fit(features, sets, { loss: "multilabel-hinge" });
  const local = await fit(features, sets, { loss: "multilabel-hinge" });
  expect(model.threshold).toBe(local.threshold);
  expect(model.withThreshold(0.25).predict(rows)).toEqual(local.withThreshold(0.25).predict(rows));
});

// As they lie in the memory of the fit, from 16 MB on: sent as they are they would take all of it with them, where an engine lets them go.
test("large dual variables come and go without the memory around them", async () => {
  const { remote } = await shared();
  const { features: X, labels: y } = clouds(4400, 2, 1000);
  const options: FitOptions = { maxEpochs: 1, tolerance: 0.5 };
  const there = await remote.fit(X, y, options);
  const { stored } = modelState(there)!.duals!;
  expect((stored as Float32Array).byteLength).toBe(4400 * 1000 * 4);
  expect((stored as Float32Array).buffer.byteLength).toBe(4400 * 1000 * 4);
  const here = await fit(X, y, options);
  const further = await remote.fit(X, y, { ...options, maxEpochs: 0, initial: here });
  expect(further.certificate.dualObjective).toBe(here.certificate.dualObjective);
});

describe("onProgress", () => {
  test("a promise of it is waited for, and one that rejects rejects the fit", async () => {
    const { remote } = await fresh();
    let open = 0;
    let most = 0;
    const model = await remote.fit(features, labels, {
      tolerance: 1e-6,
      onProgress: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        open--;
      },
    });
    expect(model.history.length).toBeGreaterThan(1);
    expect([open, most]).toEqual([0, 1]);
    const onProgress = async (): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error("by the user, later");
    };
    await expect(remote.fit(features, labels, { onProgress })).rejects.toThrow("by the user, later");
    expect((await remote.fit(features, labels)).certificate.status).toBe("solved");
    remote.terminate();
  });

  test("gets every record on this side, before the model", async () => {
    const { remote } = await shared();
    const records: HistoryRecord[] = [];
    const model = await remote.fit(features, labels, { onProgress: (record) => records.push(record) });
    expect(records.length).toBeGreaterThan(1);
    expect(records).toEqual(model.history);
  });

  test("rejects the fit with what it throws, and the worker is free again", async () => {
    const { remote } = await shared();
    const thrown = { of: "my own" };
    let calls = 0;
    const onProgress = (): never => {
      calls++;
      throw thrown;
    };
    const failing = remote.fit(large.features, large.labels, { ...long, onProgress });
    const next = remote.fit(features, labels);
    await expect(failing).rejects.toBe(thrown);
    expect((await next).certificate.status).toBe("solved");
    expect(calls).toBe(1);
  });
});

describe("signal", () => {
  test.each(["auto", "never"] as const)("aborts a fit that runs, yieldEvery: %j", async (yieldEvery) => {
    const { remote } = await shared();
    const stop = new AbortController();
    const options = { ...long, yieldEvery, signal: stop.signal, onProgress: () => stop.abort() };
    const { certificate, history } = await remote.fit(large.features, large.labels, options);
    expect(certificate.status).toBe("aborted");
    expect(certificate.epochs).toBeGreaterThan(0);
    expect(history.at(-1)).toMatchObject({ relativeGap: certificate.relativeGap });
  });

  test("aborted before the start: what `fit` gives then", async () => {
    const { remote } = await shared();
    const options = { signal: AbortSignal.abort() };
    const model = await remote.fit(features, labels, options);
    expect(model.certificate).toMatchObject({ status: "aborted", epochs: 0 });
    expect(bitsOf(model)).toEqual(bitsOf(await fit(features, labels, options)));
  });

  test("aborts one of several: queued, it gives in its turn what `fit` gives for one aborted before the start", async () => {
    const { remote } = await shared();
    const stops = [new AbortController(), new AbortController()];
    const done: string[] = [];
    const note = <model>(name: string, fitting: Promise<model>): Promise<model> =>
      fitting.finally(() => void done.push(name));
    let records = 0;
    const onProgress = (): void => void records++;
    const first = remote.fit(large.features, large.labels, { ...long, signal: stops[0].signal, onProgress });
    const fits = [
      note("running", first),
      note("queued", remote.fit(features, labels, { signal: stops[1].signal })),
      note("last", remote.fit(features, labels)),
    ];
    const goesOn = async (): Promise<void> => {
      const before = records;
      await vi.waitFor(() => expect(records).toBeGreaterThan(before + 2), { timeout: 30_000 });
    };
    await goesOn();
    stops[1].abort();
    // Its turn has not come. (What arrives by different ports later on has no order.)
    await goesOn();
    expect(done).toEqual([]);
    stops[0].abort();
    const [one, queued, last] = await Promise.all(fits);
    expect(one.certificate.status).toBe("aborted");
    expect(queued.certificate).toMatchObject({ status: "aborted", epochs: 0 });
    expect(last.certificate.status).toBe("solved");
  });

  test("any number of fits on one signal listen to it once, and to the end", async () => {
    const { remote } = await shared();
    const { signal } = new AbortController();
    const listening = vi.spyOn(signal, "addEventListener");
    const leaving = vi.spyOn(signal, "removeEventListener");
    await Promise.all(Array.from({ length: 12 }, () => remote.fit(features, labels, { signal, maxEpochs: 1 })));
    expect(listening).toHaveBeenCalledTimes(1);
    expect(leaving.mock.calls).toEqual(listening.mock.calls);
  });

  test("once aborted, a promise of `onProgress` that stays open is not waited for", async () => {
    const { remote } = await shared();
    const stop = new AbortController();
    const onProgress = (): Promise<never> => {
      setTimeout(() => stop.abort());
      return new Promise(() => {});
    };
    const model = await remote.fit(large.features, large.labels, { ...long, signal: stop.signal, onProgress });
    expect(model.certificate.status).toBe("aborted");
  });

  test("aborted after the end changes nothing", async () => {
    const { remote } = await shared();
    const stop = new AbortController();
    const model = await remote.fit(features, labels, { signal: stop.signal });
    stop.abort();
    expect(model.certificate.status).toBe("solved");
    expect((await remote.fit(features, labels)).certificate.status).toBe("solved");
  });
});

test("several fits end in the order of the calls, long ones before short ones, each with its own records", async () => {
  const { remote } = await shared();
  const order: string[] = [];
  // Each answers by a port of its own, and what arrives by different ports has no order, unless one was sent long before.
  const { features, labels } = large;
  const of = async (name: string, options: { loss: "softmax" | "hinge"; tolerance: number }): Promise<void> => {
    const records: HistoryRecord[] = [];
    const model = await remote.fit(features, labels, { ...options, onProgress: (record) => void records.push(record) });
    order.push(name);
    // Far from the next evaluation the last objectives come again, in a record that history leaves out.
    expect(records).toEqual(expect.arrayContaining([...model.history]));
    expect(new Set(records.map((record) => record.dualObjective))).toEqual(
      new Set(model.history.map((record) => record.dualObjective)),
    );
    expect(model.history.map(untimed)).toEqual((await fit(features, labels, options)).history.map(untimed));
  };
  await Promise.all([
    of("long", { loss: "softmax", tolerance: 1e-8 }),
    of("short", { loss: "hinge", tolerance: 0.5 }),
    of("medium", { loss: "softmax", tolerance: 1e-2 }),
  ]);
  expect(order).toEqual(["long", "short", "medium"]);
});

describe("what fit refuses is refused alike:", () => {
  const cases: Record<string, [unknown, unknown, unknown]> = {
    "options of another kind": [features, labels, 5],
    "options in an array": [features, labels, [{}]],
    "an unknown option": [features, labels, { gama: 1 }],
    "an unknown option that is a function": [features, labels, { onprogress: () => {} }],
    "an option of the wrong kind": [features, labels, { C: "1" }],
    "an option with a wrong value": [features, labels, { maxEpochs: -1 }],
    "a function in the place of a number": [features, labels, { seed: () => 1 }],
    "onProgress that cannot be called": [features, labels, { onProgress: 3 }],
    "a signal that is none": [features, labels, { signal: {} }],
    "a kernel that cannot be cloned": [features, labels, { kernel: { name: "rbf", gamma: () => 1 } }],
    "k too large for the classes": [features, labels, { loss: "topk-hinge", k: 4 }],
    "a value that is not finite": [[[1, 2], [3, NaN]], [0, 1], {}], // prettier-ignore
    "rows of different lengths": [[[1, 2], [3]], [0, 1], {}],
    "no features": [undefined, labels, {}],
    "a number for features": [5, labels, {}],
    "too few labels": [features, labels.slice(1), {}],
    "an initial that is no model": [features, labels, { initial: { weights: 1 } }],
    "an anchor without weights": [features, labels, { anchor: {} }],
    "a validation set of other width": [features, labels, { validation: { features: [[1]], labels: [0] } }],
  }; // prettier-ignore

  test.each(Object.keys(cases))("%s", async (name) => {
    const { remote } = await shared();
    const [X, y, options] = cases[name] as [any, any, any];
    const refused = await fit(X, y, options).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(Error);
    const alike = await remote.fit(X, y, options).catch((error: Error) => error);
    expect(alike).toEqual(refused);
    expect((alike as Error).constructor).toBe((refused as Error).constructor);
  });

  test("before anything is handed over, but for values of features", async () => {
    const { remote } = await shared();
    for (const [name, [X, y, options]] of Object.entries({
      "too few labels": [dense(), labels.slice(1), {}],
      "k beyond the classes": [dense(), labels, { loss: "topk-hinge", k: 9 }],
      "a validation set of other width": [dense(), labels, { validation: { features: [[1]], labels: [0] } }],
    } as Record<string, [any, any, any]>)) {
      const refused = await fit(X, y, options).catch((error: Error) => error);
      expect(refused, name).toBeInstanceOf(Error);
      expect(await remote.fit(X, y, { ...options, transfer: true }).catch((error: Error) => error)).toEqual(refused);
      expect(X.data.length).toBeGreaterThan(0);
    }
  });

  test("at once, in the order of the calls", async () => {
    const { remote } = await shared();
    const matrix = dense();
    const done: string[] = [];
    const first = remote.fit(matrix, labels, { transfer: true }).then(() => done.push("first"));
    expect(matrix.data.length).toBe(0);
    await Promise.all([first, remote.fit(features, labels).then(() => done.push("second"))]);
    expect(done).toEqual(["first", "second"]);
  });

  test("and named where it cannot be sent", async () => {
    const { remote } = await shared();
    const refusal = (name: string): unknown =>
      expect.objectContaining({
        name: "TypeError",
        message: expect.stringMatching(new RegExp(`^fit: "${name}" cannot be sent to a worker: `)),
      });
    const bad: any = () => {};
    await expect(remote.fit([[1, bad]], labels)).rejects.toEqual(refusal("features"));
    await expect(remote.fit(features, [bad])).rejects.toEqual(refusal("labels"));
    await expect(remote.fit(features, labels, { classes: [bad] })).rejects.toEqual(refusal("classes"));
    await expect(remote.fit(features, labels, { transfer: 1 as any })).rejects.toThrow(
      new TypeError('fit: "transfer" must be true or false, got 1'),
    );
    expect((await remote.fit(features, labels)).certificate.status).toBe("solved");
  });
});

describe("features", () => {
  test("are copied: they stay, and what is done to them afterwards changes nothing", async () => {
    const { remote } = await shared();
    const matrix = dense();
    const expected = bitsOf(await fit(matrix, labels));
    const fitting = remote.fit(matrix, labels);
    matrix.data.fill(0);
    expect(bitsOf(await fitting)).toEqual(expected);
    expect(matrix.data.length).toBe(300);
  });

  test("may be any object that has them, and arrays behind a Proxy", async () => {
    const { remote } = await shared();
    const expected = bitsOf(await fit(dense(), labels));
    class Matrix {
      readonly #own = dense();
      get data(): Float64Array {
        return this.#own.data;
      }
      get rows(): number {
        return this.#own.rows;
      }
      get cols(): number {
        return this.#own.cols;
      }
    }
    for (const transfer of [false, true]) {
      expect(bitsOf(await remote.fit(new Matrix(), labels, { transfer }))).toEqual(expected);
    }
    const held = new Matrix();
    const part = { features: held, labels };
    class Shown {
      readonly #validation = part;
      get features(): Matrix {
        return this.#validation.features;
      }
      get labels(): typeof labels {
        return this.#validation.labels;
      }
    }
    const weights = (await fit(dense(), labels, { intercept: false })).weights;
    const around = Object.create(Object.create({ weights: Object.create(weights) }));
    for (const options of [
      { validation: part },
      { validation: [new Shown(), part] },
      { anchor: around, intercept: false },
      { kernel: Object.create({ name: "rbf", gamma: 1 }) },
    ] as FitOptions<string>[]) {
      const local = await fit(dense(), labels, options);
      const there = await remote.fit(dense(), labels, options);
      expect(bitsOf(there)).toEqual(bitsOf(local));
      expect(there.history.map(untimed)).toEqual(local.history.map(untimed));
    }
    await expect(remote.fit(dense(), labels, { validation: { ...part, sampleWeight: [1] } as never })).rejects.toThrow(
      'fit: "validation" has "sampleWeight"',
    );
    expect(held.data.length).toBe(300); // copied, not handed over
    const seen = <value extends object>(value: value): value => new Proxy(value, {});
    const sampleWeight = labels.map(() => 1);
    const reactive = seen(features.map((row) => seen(row)));
    expect(bitsOf(await remote.fit(reactive, seen(labels), seen({ sampleWeight: seen(sampleWeight) })))).toEqual(
      bitsOf(await fit(features, labels, { sampleWeight })),
    );
  });

  test("are handed over with transfer: true, in every form", async () => {
    const { remote } = await shared();
    const gram = asGram(features.map((x) => features.map((z) => x.reduce((sum, v, l) => sum + v * z[l], 0))));
    for (const matrix of [dense(), csrOf(features), gram]) {
      const expected = bitsOf(await fit(matrix, labels));
      expect(bitsOf(await remote.fit(matrix, labels, { transfer: true }))).toEqual(expected);
      const { data, indices, indptr, gram } = matrix as Record<string, any>;
      for (const array of [data, indices, indptr, gram]) if (array) expect(array.length).toBe(0);
      await expect(remote.fit(matrix, labels, { transfer: true })).rejects.toThrow(
        /^fit: "features" .*(has 0 values but|has length 0)/,
      );
    }
  });

  test("are handed over once where their arrays share a buffer", async () => {
    const { remote } = await shared();
    const { data, indices, indptr, ...shape } = csrOf(features);
    const buffer = new ArrayBuffer(data.byteLength + indices.byteLength + indptr.byteLength);
    const matrix = {
      data: new Float64Array(buffer, 0, data.length),
      indices: new Int32Array(buffer, data.byteLength, indices.length),
      indptr: new Int32Array(buffer, data.byteLength + indices.byteLength, indptr.length),
      ...shape,
    };
    matrix.data.set(data);
    matrix.indices.set(indices);
    matrix.indptr.set(indptr);
    const expected = bitsOf(await fit(matrix, labels));
    for (const transfer of [false, true]) {
      expect(bitsOf(await remote.fit(matrix, labels, { transfer }))).toEqual(expected);
      expect(buffer.byteLength > 0).toBe(!transfer);
    }
  });

  test("are not handed over where an option is refused", async () => {
    const { remote } = await shared();
    const matrix = dense();
    const options = { transfer: true, gama: 1 } as RemoteOptions;
    await expect(remote.fit(matrix, labels, options)).rejects.toThrow('unknown option "gama"');
    expect(matrix.data.length).toBe(300);
  });

  test.skipIf(typeof SharedArrayBuffer === "undefined")("in shared memory are shared, transfer or not", async () => {
    const { remote } = await shared();
    for (const transfer of [false, true]) {
      const { data, ...shape } = dense();
      const values = new Float64Array(new SharedArrayBuffer(data.byteLength));
      // While the first fit runs the second waits in the worker with features of zeros: what is written now, it finds.
      const stop = new AbortController();
      const first = remote.fit(large.features, large.labels, { ...long, signal: stop.signal });
      const second = remote.fit({ data: values, ...shape }, labels, { transfer });
      values.set(data);
      stop.abort();
      await first;
      expect(bitsOf(await second)).toEqual(bitsOf(await fit({ data, ...shape }, labels)));
      expect(values.length).toBe(300);
    }
  });
});

describe("the end of a worker", () => {
  const gone = new Error("fit: the worker was terminated");

  test("terminate rejects the fits that are open, and later ones", async () => {
    const { remote } = await fresh();
    const open = [remote.fit(large.features, large.labels, long), remote.fit(features, labels)];
    remote.terminate();
    for (const fitting of open) await expect(fitting).rejects.toThrow(gone);
    await expect(remote.fit(features, labels)).rejects.toThrow(gone);
    remote.terminate();
  });

  test("one that fails rejects them with what it said", async () => {
    const { worker, remote } = await fresh();
    const open = [remote.fit(large.features, large.labels, long), remote.fit(features, labels)];
    worker.postMessage("throw");
    for (const fitting of open) await expect(fitting).rejects.toThrow(/^fit: the worker failed: .*the sky fell$/);
    await expect(remote.fit(features, labels)).rejects.toThrow(/^fit: the worker failed: .*the sky fell$/);
    remote.terminate(); // changes nothing about why it has ended
    await expect(remote.fit(features, labels)).rejects.toThrow(/^fit: the worker failed: .*the sky fell$/);
  });

  test.skipIf(inPage)("one that exits does so, too", async () => {
    const { worker, remote } = await fresh();
    const fitting = remote.fit(large.features, large.labels, long);
    worker.postMessage("exit");
    await expect(fitting).rejects.toThrow(new Error("fit: the worker has exited with code 3"));
  });

  test.skipIf(inPage)("one whose script is not there, too", async () => {
    const threads = await import("node:worker_threads");
    const remote = connect(new threads.Worker(new URL("./nothing.mjs", import.meta.url)));
    await expect(remote.fit(features, labels)).rejects.toThrow(/^fit: the worker failed: .*nothing\.mjs/);
  });
});

/** As long as a message of now takes to arrive. */
const nextMessage = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

describe("a worker that does not answer", () => {
  // Messages are not faked: only waiting is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("is waited for while its script may load, and once aborted, no more than a moment", async () => {
    const remote = connect(new MessageChannel().port1);
    const silent = (seconds: number): Error =>
      new Error(`fit: the worker has not answered for ${seconds} s; does its script call serve?`);
    const aborted = new AbortController();
    const fits = [
      remote.fit(features, labels),
      remote.fit(features, labels, { signal: aborted.signal }),
      remote.fit(features, labels, { signal: AbortSignal.abort() }),
    ];
    const ended = fits.map(() => false);
    const rejected = Promise.all(
      fits.map((fitting, i) => expect(fitting.finally(() => (ended[i] = true))).rejects.toThrow(silent(i ? 5 : 60))),
    );
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ended).toEqual([false, false, false]);
    aborted.abort();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toEqual([false, false, true]);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(ended).toEqual([false, true, true]);
    await vi.advanceTimersByTimeAsync(10_000);
    await rejected;
  });

  test("once it has, is waited for a minute when the fit is aborted, and without that for good", async () => {
    const { port1, port2 } = new MessageChannel();
    let heard = 0;
    port2.onmessage = ({ data }: MessageEvent<unknown>) => {
      readRequest(data)?.port.postMessage({});
      heard++;
    };
    const remote = connect(port1);
    const stop = new AbortController();
    let ended = 0;
    const [aborted, other] = [stop.signal, undefined].map((signal) =>
      remote.fit(features, labels, { signal }).finally(() => ended++),
    );
    const rejected = expect(aborted).rejects.toThrow(
      new Error("fit: the worker has not answered for 60 s; it may have ended"),
    );
    await vi.waitFor(() => expect(heard).toBe(2));
    for (let hop = 0; hop < 50; hop++) await nextMessage();
    await vi.advanceTimersByTimeAsync(1_000_000);
    stop.abort();
    await vi.advanceTimersByTimeAsync(50_000);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(20_000);
    await rejected;
    expect(ended).toBe(1);
    remote.terminate();
    await expect(other).rejects.toThrow(new Error("fit: the worker was terminated"));
    port2.close();
  });

  test("is not one that has heard of a fit and works on another", async () => {
    const { remote } = await fresh();
    const stop = new AbortController();
    let records = 0;
    const first = remote.fit(large.features, large.labels, {
      ...{ ...long, signal: stop.signal },
      onProgress: () => void records++,
    });
    await vi.waitFor(() => expect(records).toBeGreaterThan(0), { timeout: 30_000 });
    const second = remote.fit(features, labels);
    const before = records;
    await vi.waitFor(() => expect(records).toBeGreaterThan(before + 5), { timeout: 30_000 });
    await vi.advanceTimersByTimeAsync(200_000);
    stop.abort();
    expect((await first).certificate.status).toBe("aborted");
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await second).certificate.status).toBe("solved");
  });
});

describe("over other channels", () => {
  test("a MessagePort does as well, and is closed by terminate", async () => {
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    const remote = connect(port1);
    expect(bitsOf(await remote.fit(features, labels))).toEqual(bitsOf(await fit(features, labels)));
    const open = remote.fit(large.features, large.labels, long);
    remote.terminate();
    await expect(open).rejects.toThrow("fit: the worker was terminated");
  });

  // Not in Chromium, which does not say so.
  test.skipIf(inPage)("a port that the other side closes rejects fits that are open, and later ones", async () => {
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    const remote = connect(port1);
    const open = remote.fit(large.features, large.labels, long);
    port2.close();
    await expect(open).rejects.toThrow("fit: the worker has closed its port");
    await expect(remote.fit(features, labels)).rejects.toThrow("fit: the worker has closed its port");
  });

  test("what cannot be read, on either side, rejects the fits that are open", async () => {
    const heard: Record<string, (value?: unknown) => void> = {};
    const asked: Record<string, (value?: unknown) => void> = {};
    const remote = connect({
      postMessage: () => {},
      on: (event: string, listener: () => void) => (heard[event] = listener),
    });
    serve({
      postMessage: (message: unknown) => heard.message(message),
      on: (event: string, listener: () => void) => (asked[event] = listener),
    }); // prettier-ignore
    const first = remote.fit(features, labels);
    asked.messageerror();
    await expect(first).rejects.toThrow("fit: the worker could not read what it was sent");
    const second = remote.fit(features, labels);
    heard.messageerror();
    await expect(second).rejects.toThrow("fit: the worker sent what cannot be read");
  });

  test.each([undefined, null, 3, {}, { postMessage() {} }])("%j is none", (value) => {
    expect(() => connect(value)).toThrow(/^connect: "worker" must be a Worker or a MessagePort, got /);
    expect(() => serve(value)).toThrow(
      /^serve: "scope" must be the scope of a worker, parentPort or a MessagePort, got /,
    );
  });
});
