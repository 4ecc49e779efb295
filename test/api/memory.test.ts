import { afterEach, beforeAll, expect, test } from "vitest";
import { fit, init, select, type CsrMatrix } from "../../src/index.ts";
import { csrOf } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { bitsOf } from "../worker/helpers.ts";

/** What happens where an engine has no memory to give. */

const { Memory } = WebAssembly;
/** How many memories are refused from now on, and how many have been asked for. */
let refusals = 0;
let asked = 0;

beforeAll(() => init());
afterEach(() => {
  WebAssembly.Memory = Memory;
  refusals = asked = 0;
});

function refuse(count: number): void {
  refusals = count;
  WebAssembly.Memory = function (descriptor: WebAssembly.MemoryDescriptor) {
    asked++;
    if (refusals-- > 0) throw new RangeError("WebAssembly.Memory(): could not allocate memory");
    return new Memory(descriptor);
  } as never;
}

test("a small one serves again, from zero: a model stays as it was, and the next one is what it would be", async () => {
  const [few, more] = [clouds(60, 4, 3, 1), clouds(300, 9, 12, 2)];
  const first = await fit(few.features, few.labels, { loss: "hinge" });
  const before = bitsOf(first);
  refuse(0);
  const second = await fit(more.features, more.labels, { loss: "topk-hinge", k: 2 });
  const third = await fit(few.features, few.labels, { loss: "hinge" });
  expect(asked).toBe(0);
  expect(bitsOf(first)).toEqual(before);
  expect(bitsOf(third)).toEqual(before);
  expect(second.certificate.status).toBe("solved");
});

test("support vectors of sparse rows stay as they were when their memory serves again", async () => {
  const sparse = (seed: number): CsrMatrix =>
    csrOf(clouds(60, 4, 3, seed).features.map((row) => [...Array<number>(40).fill(0), ...row]));
  const options = { loss: "hinge", kernel: { name: "rbf", gamma: 0.1 } } as const;
  const { labels } = clouds(60, 4, 3, 1);
  const first = await fit(sparse(1), labels, options);
  const before = first.scores(sparse(3));
  refuse(0);
  await fit(csrOf(clouds(60, 44, 3, 2).features), labels, options);
  expect(asked).toBe(0);
  expect(first.scores(sparse(3))).toEqual(before);
});

test("a fit that fails gives its memory back, and so does a selection", async () => {
  const { features, labels } = clouds(60, 4, 3, 1);
  const fails = (): never => {
    throw new Error("by the user");
  };
  const tooLarge = [...features.slice(1), [1e300, 0, 0, 0]];
  const gram = {
    gram: Float64Array.from({ length: 3600 }, (_, p) => (p % 61 === 0 ? 1 : 0.9 * (p % 2) - 0.45)),
    rows: 60,
  };
  await fit(features, labels);
  refuse(0);
  for (let turn = 0; turn < 3; turn++) {
    await expect(fit(features, labels, { onProgress: fails })).rejects.toThrow("by the user");
    await expect(fit(features, labels, { loss: "truncated-topk-entropy", k: 1, onProgress: fails })).rejects.toThrow(
      "by the user",
    );
    await expect(fit(tooLarge, labels)).rejects.toThrow(/overflow/);
    await expect(fit(features, labels, { C: 1e40, precision: "float32" })).rejects.toThrow(/overflow/);
    await expect(fit(features, labels, { C: 1e-50, precision: "float32" })).rejects.toThrow(/too small/);
    await expect(fit(gram, labels)).rejects.toThrow(/Gram|gram/);
    await select(features, labels, { grid: { loss: ["hinge", "softmax", "ova-logistic"], C: [1] }, folds: 2 });
  }
  expect(asked).toBe(0);
});

test("rows too large for float32 give back the memory that they were first loaded into", async () => {
  const { features, labels } = clouds(60, 4, 3, 1);
  const large = features.map((row) => row.map((value) => 1e4 * value));
  await fit(features, labels);
  refuse(0);
  for (let turn = 0; turn < 6; turn++) {
    expect((await fit(large, labels, { maxEpochs: 2 })).weights.data).toBeInstanceOf(Float64Array);
  }
  expect(asked).toBe(0);
});

test("fits at the same time have memories of their own", async () => {
  const { features, labels } = clouds(200, 5, 4, 3);
  const alone = await fit(features, labels, { seed: 3 });
  const together = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => fit(features, labels, { seed, yieldEvery: 1 })));
  expect(bitsOf(together[2])).toEqual(bitsOf(alone));
  expect(new Set(together.map((model) => JSON.stringify(bitsOf(model)))).size).toBe(6);
});

test("where there is no memory for dual variables of before, a fit does without momentum", async () => {
  const { features, labels } = clouds(2000, 6, 100, 1);
  const options = { loss: "hinge", gamma: 1, classes: Array.from({ length: 300 }, (_, j) => j) } as const; // 2.3 MiB
  const whole = await fit(features, labels, { ...options, kernel: { name: "linear" } }); // 2.3 MiB more are scores
  refuse(1);
  const frugal = await fit(features, labels, { ...options, kernel: { name: "linear" } });
  expect(asked).toBe(2);
  expect(frugal.certificate.status).toBe("solved");
  expect(frugal.certificate.dualObjective!).toBeLessThanOrEqual(whole.certificate.primalObjective);
  expect(whole.certificate.dualObjective!).toBeLessThanOrEqual(frugal.certificate.primalObjective);
});

test("what cannot be had is refused by its size, and later fits go on", async () => {
  refuse(Infinity);
  const features = { data: new Float32Array(8e6), rows: 8, cols: 1e6 };
  await expect(fit(features, [0, 1, 0, 1, 0, 1, 0, 1])).rejects.toThrow(
    /^fit: could not allocate .* MiB of WebAssembly memory$/,
  );
  expect(asked).toBe(2); // the second time for less
  // Five that hand back control on the way, so that none ends before the others begin, and four of them may have a memory.
  const small = clouds(300, 9, 12, 2);
  const options = { yieldEvery: 1, tolerance: 0, maxEpochs: 200 } as const;
  const five = Array.from({ length: 5 }, () => fit(small.features, small.labels, options));
  const ended = await Promise.allSettled(five);
  const reasons = ended.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons) {
    expect(reason).toMatch(/^RangeError: fit: could not allocate [\d.]+ KiB of WebAssembly memory$/);
  }
  refuse(0);
  expect((await fit([[0], [1]], ["a", "b"])).certificate.status).toBe("solved");
});
