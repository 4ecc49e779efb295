import { beforeAll, expect, test } from "vitest";
import { fit, init, type Model } from "../../src/index.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { exactIn } from "../helpers/exact.ts";

/** Rows far from 0 and next to each other: A^T X cancels, and what rounding leaves of it may look solved. */

beforeAll(() => init());

const BITS = 200;
const exact = exactIn(BITS, true);
const toNumber = (v: bigint, units: number): number => Number(v) / 2 ** (units * BITS - 900) / 2 ** 900;

type Far = "softmax" | "ova-logistic";

/** P and D of rows of one column, without intercept: scores and norms in exact arithmetic. */
function exactObjectives(model: Model, rows: readonly number[], labels: readonly number[], loss: Far, C: number) {
  const m = model.classes.length;
  const A = model.dualVariables!.data;
  const ofDuals = Array.from({ length: m }, (_, j) =>
    rows.reduce((sum, x, i) => sum + exact(A[i * m + j]) * BigInt(x), 0n),
  );
  const weights = model.weights.data.length > 0 ? Array.from(model.weights.data, exact) : ofDuals;
  const halfNorm = (w: readonly bigint[]): number =>
    0.5 *
    toNumber(
      w.reduce((sum, v) => sum + v * v, 0n),
      2,
    );
  const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
  const entropy = (p: number): number => (p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log1p(-p) : 0);
  let [P, D] = [halfNorm(weights), -halfNorm(ofDuals)];
  rows.forEach((x, i) => {
    const y = labels[i];
    const duals = Array.from({ length: m }, (_, j) => Math.abs(A[i * m + j]) / C);
    if (loss === "ova-logistic") {
      weights.forEach((w, j) => (P += C * softplus((j === y ? -1 : 1) * toNumber(w * BigInt(x), 1))));
      duals.forEach((p) => (D += C * entropy(p)));
      return;
    }
    const margins = weights.map((w) => toNumber((w - weights[y]) * BigInt(x), 1));
    const most = Math.max(...margins);
    P += C * (most + Math.log(margins.reduce((sum, g) => sum + Math.exp(g - most), 0)));
    duals[y] = 1 - duals[y];
    D -= C * duals.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  });
  return { P, D };
}

test.each<[Far, string, number[], number, object]>([
  ["softmax", "a kernel", [1e9 + 3, 1e9], 1, { kernel: { name: "linear" } }],
  ["softmax", "a kernel", [1e9 + 1, 1e9], 100, { kernel: { name: "linear" }, precision: "float64" }],
  ["softmax", "weights", [1e15 + 3, 1e15 + 2], 1e4, {}],
  ["ova-logistic", "weights", [1e15 + 3, 1e15 + 2], 1e4, {}],
])("%s, %s: what is not solved is not said to be: rows %j, C = %d", async (loss, _, rows, C, options) => {
  const labels = [1, 0];
  const features = rows.map((x) => [x]);
  const model = (await fit(features, labels, { loss, C, intercept: false, ...options })) as Model;
  const { P, D } = exactObjectives(model, rows, labels, loss, C);
  const { status, dualityGap } = model.certificate;
  expect(status).not.toBe("solved");
  expect(P - D).toBeLessThanOrEqual(dualityGap! * (1 + 1e-6));
});

test.each([{}, { kernel: { name: "linear" } }] as const)("the gap covers what rounding hides: %j", async (options) => {
  const random = uniforms(31);
  let solved = 0;
  for (let turn = 0; turn < 150; turn++) {
    const loss = turn % 2 ? "softmax" : "ova-logistic";
    const off = 10 ** Math.floor(16 * random());
    const labels = Array.from({ length: 2 + (turn % 3) }, (_, i) => i % 2);
    const rows = labels.map(() => Math.round(off + 8 * random()));
    const C = 10 ** Math.floor(8 * random() - 2);
    const features = rows.map((x) => [x]);
    const common = { intercept: false, precision: "float64", maxEpochs: 200, tolerance: 1e-4 } as const;
    const model = (await fit(features, labels, { loss, C, ...common, ...options })) as Model;
    const { P, D } = exactObjectives(model, rows, labels, loss, C);
    const { status, dualityGap } = model.certificate;
    expect((P - D - dualityGap!) / Math.max(P, Math.abs(D))).toBeLessThanOrEqual(1.1e-6);
    if (status === "solved") solved++;
  }
  expect(solved).toBeGreaterThan(5);
});

test("a smoothed hinge loss is off by its slope, not by that of its kink alone", async () => {
  const features = [
    [13935366, 8362048, -3953503, -11141070],
    [-14050364, 16118295, 2245817, 1348465],
  ];
  const options = { loss: "hinge", gamma: 1e-6, C: 1e5, classes: [0, 1], intercept: false } as const;
  const { certificate } = await fit(features, [0, 0], { ...options, precision: "float64", tolerance: 1e-5 });
  expect(certificate.relativeGap).toBeGreaterThan(1.184e-5); // that of exact arithmetic
});

test.each([
  ["softmax", 300, 5, 10, 1, 1e-10],
  ["softmax", 400, 10, 0, 1000, 2e-9],
  ["ova-logistic", 300, 10, 0, 1000, 1e-8],
] as const)(
  "kernels of ordinary rows: %s of %d x %d, off by %d, C = %d, to %d",
  async (loss, n, d, off, C, tolerance) => {
    const normal = normals(9);
    const labels = Array.from({ length: n }, (_, i) => i % 3);
    const rows = labels.map((y) => Array.from({ length: d }, (_, l) => off + normal() + (l === y ? 1 : 0)));
    const options = { loss, C, tolerance, intercept: false, precision: "float64", kernel: { name: "linear" } } as const;
    const { certificate } = await fit(rows, labels, { ...options, maxEpochs: 20_000 });
    expect(certificate.status).toBe("solved");
  },
);
