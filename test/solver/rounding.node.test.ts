import { beforeAll, expect, test } from "vitest";
import { fit, init, type Model } from "../../src/index.ts";
import { normals, uniforms } from "../helpers/data.ts";

/**
 * Classes apart and rows of large norm: P is so small beside C that the rounding of a margin, 1e-16 of 1, may be more. What a certificate says
 * is held against both objectives in exact arithmetic.
 */

beforeAll(() => init());

/** Integers in units of 2^-BITS: exact for every double from 2^(52 - BITS) on. */
const BITS = 200;
function exact(v: number): bigint {
  if (v === 0) return 0n;
  expect(Math.abs(v)).toBeGreaterThanOrEqual(2 ** (52 - BITS));
  const exponent = Math.floor(Math.log2(Math.abs(v))) - 53;
  return BigInt(v * 2 ** -exponent) << BigInt(BITS + exponent);
}
const dot = (a: readonly bigint[], b: readonly bigint[]): bigint => a.reduce((sum, v, l) => sum + v * b[l], 0n);

/** P and D of a hinge fit without intercept, in units of 2^(-4 BITS). */
function objectives(model: Model, features: number[][], labels: number[], C: number): { P: bigint; D: bigint } {
  const m = model.classes.length;
  const d = features[0].length;
  const X = features.map((row) => row.map(exact));
  const rows = (data: ArrayLike<number>, cols: number, count: number): bigint[][] =>
    Array.from({ length: count }, (_, i) => Array.from({ length: cols }, (_, l) => exact(data[i * cols + l])));
  const W = rows(model.weights.data, d, m);
  const A = rows(model.dualVariables!.data, m, X.length);
  const one = 1n << BigInt(2 * BITS);
  const up = BigInt(2 * BITS);
  let losses = 0n;
  let duals = 0n;
  X.forEach((x, i) => {
    const u = W.map((w) => dot(w, x));
    const margins = u.map((score, j) => (j === labels[i] ? 0n : one + score - u[labels[i]]));
    losses += margins.reduce((a, b) => (b > a ? b : a));
    duals += A[i][labels[i]];
  });
  const Z = W.map((_, j) => X[0].map((_, l) => X.reduce((sum, x, i) => sum + A[i][j] * x[l], 0n)));
  const halfOf = (rows: bigint[][]): bigint => rows.reduce((sum, row) => sum + dot(row, row), 0n) / 2n;
  return {
    P: (((losses * exact(C)) >> BigInt(BITS)) << up) + (halfOf(W) << up),
    D: (duals << BigInt(3 * BITS)) - halfOf(Z),
  };
}

test.each([
  [1e2, 1],
  [1e4, 1],
  [1e5, 100],
  [1e6, 1],
  [1e7, 100],
  [1e8, 1],
])("entries of %d, C = %d: what is solved is so in exact arithmetic", async (size, C) => {
  const random = uniforms(size);
  let solved = 0;
  for (let turn = 0; turn < 12; turn++) {
    const m = 2 + (turn % 2);
    const d = 2 + (turn % 3);
    const features = Array.from({ length: m + (turn % 4) }, (_, i) =>
      Array.from({ length: d }, (_, l) => Math.round(size * (2 * random() - 1 + (l === i % m ? 3 : 0)))),
    );
    const labels = features.map((_, i) => i % m);
    const model = await fit(features, labels, { loss: "hinge", C, precision: "float64", intercept: false });
    const { status, tolerance, dualityGap, primalObjective } = model.certificate;
    const { P, D } = objectives(model, features, labels, C);
    const relative = (v: bigint): number => Number((v << 60n) / P) / 2 ** 60;
    expect(relative(P - D)).toBeGreaterThanOrEqual(-1e-12);
    // The gap covers the true one, but for what is left aside.
    const truePrimal = Number(P >> BigInt(3 * BITS)) / 2 ** BITS;
    expect(relative(P - D) * truePrimal).toBeLessThanOrEqual(dualityGap! + 1e-6 * primalObjective);
    if (status !== "solved") continue;
    solved++;
    expect(relative(P - D)).toBeLessThanOrEqual(tolerance + 1e-6);
  }
  if (C * size * size <= 1e10) expect(solved).toBe(12);
  if (C * size * size >= 1e16) expect(solved).toBe(0);
});

test("far rows, however many, hide nothing: what can be solved is", async () => {
  const normal = normals(5);
  const labels = Array.from({ length: 3000 }, (_, i) => i % 3);
  const angles = [0, 1, 2].map((j) => (2 * Math.PI * j) / 3);
  const features = labels.map((y) =>
    [Math.cos(angles[y]), Math.sin(angles[y])].map((v) => Math.round(1e5 * (10 * v + normal()))),
  );
  const options = { loss: "hinge", precision: "float64", intercept: false } as const;
  const model = await fit(features, labels, options);
  expect(model.certificate.status).toBe("solved");
  const { P, D } = objectives(model, features, labels, 1);
  expect(Number(((P - D) << 60n) / P) / 2 ** 60).toBeLessThanOrEqual(model.certificate.relativeGap! + 1e-6);

  // Around another model P is small whatever the rows are.
  const small = features.map((row) => row.map((v) => v / 1e5));
  const { weights } = await fit(small, labels, { ...options, tolerance: 1e-6 });
  const near = { ...weights, data: weights.data.map((w) => 0.999 * w) };
  expect((await fit(small, labels, { ...options, anchor: { weights: near } })).certificate.status).toBe("solved");
});
