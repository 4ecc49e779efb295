import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions, type Model } from "../../src/index.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { dotOf, exactIn } from "../helpers/exact.ts";

/**
 * Classes apart and rows of large norm: P is so small beside C that the rounding of a margin, 1e-16 of 1, may be more. What a certificate says
 * is held against both objectives in exact arithmetic.
 */

beforeAll(() => init());

const BITS = 200;
const exact = exactIn(BITS);
const dot = dotOf;

/** P and D of a hinge fit without intercept, or of two classes with gamma = 1, in units of 2^(-4 BITS). */
function objectives(
  model: Model,
  features: number[][],
  labels: number[],
  C: number,
  smoothed = false,
): { P: bigint; D: bigint } {
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
    const h = margins.reduce((a, b) => (b > a ? b : a));
    losses += smoothed ? (h < one ? (h * h) / 2n : (h - one / 2n) << up) : h << up;
    const a = A[i][labels[i]];
    duals += (a << BigInt(3 * BITS)) - (smoothed ? ((a * a) << BigInt(3 * BITS)) / (2n * exact(C)) : 0n);
  });
  const Z = W.map((_, j) => X[0].map((_, l) => X.reduce((sum, x, i) => sum + A[i][j] * x[l], 0n)));
  const halfOf = (rows: bigint[][]): bigint => rows.reduce((sum, row) => sum + dot(row, row), 0n) / 2n;
  return {
    P: ((losses * exact(C)) >> BigInt(BITS)) + (halfOf(W) << up),
    D: duals - halfOf(Z),
  };
}

/** The same of a hinge fit with a linear kernel and an intercept, from its dual variables alone. */
function kernelObjectives(model: Model, features: number[][], labels: number[], costs: number[]) {
  const m = model.classes.length;
  const X = features.map((row) => [...row, 1].map(exact));
  const A = X.map((_, i) => Array.from(model.dualVariables!.data.slice(i * m, (i + 1) * m), exact));
  const one = 1n << BigInt(3 * BITS);
  let [losses, duals, norm2] = [0n, 0n, 0n];
  X.forEach((x, i) => {
    const values = X.map((z) => dot(x, z));
    const u = A[0].map((_, j) => dot(values, A.map((a) => a[j]))); // prettier-ignore
    const margins = u.map((score, j) => (j === labels[i] ? 0n : one + score - u[labels[i]]));
    losses += exact(costs[i]) * margins.reduce((a, b) => (b > a ? b : a));
    duals += A[i][labels[i]];
    norm2 += dot(A[i], u);
  });
  return { P: losses + norm2 / 2n, D: (duals << BigInt(3 * BITS)) - norm2 / 2n };
}

const relativeGapOf = ({ P, D }: { P: bigint; D: bigint }): number => Number(((P - D) << 60n) / P) / 2 ** 60;

/** A few rows of entries of that size, of classes that are apart. */
function apart(
  size: number,
  m: number,
  turn: number,
  random: () => number,
): { features: number[][]; labels: number[] } {
  const labels = Array.from({ length: m + (turn % 4) }, (_, i) => i % m);
  const features = labels.map((y) =>
    Array.from({ length: 2 + (turn % 3) }, (_, l) => Math.round(size * (2 * random() - 1 + (l === y ? 3 : 0)))),
  );
  return { features, labels };
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
    const { features, labels } = apart(size, m, turn, random);
    const model = await fit(features, labels, { loss: "hinge", C, precision: "float64", intercept: false });
    const { status, tolerance, dualityGap, primalObjective } = model.certificate;
    const exactly = objectives(model, features, labels, C);
    const gap = relativeGapOf(exactly);
    expect(gap).toBeGreaterThanOrEqual(-1e-12);
    // The gap covers the true one, but for what is left aside.
    const truePrimal = Number(exactly.P >> BigInt(3 * BITS)) / 2 ** BITS;
    expect(gap * truePrimal).toBeLessThanOrEqual(dualityGap! + 1e-6 * primalObjective);
    if (status !== "solved") continue;
    solved++;
    expect(gap).toBeLessThanOrEqual(tolerance + 1e-6);
  }
  if (C * size * size <= 1e10) expect(solved).toBe(12);
  if (C * size * size >= 1e16) expect(solved).toBe(0);
});

test.each([
  [1e3, 1e-8],
  [3e4, 1e-10],
  [4e5, 1e-8],
  [4e5, 1e-10],
])("C = %d: a tolerance of %d is kept in exact arithmetic, too", async (C, tolerance) => {
  const random = uniforms(C);
  const labels = Array.from({ length: 60 }, (_, i) => i % 3);
  let solved = 0;
  for (let turn = 0; turn < 4; turn++) {
    const features = labels.map((y) =>
      Array.from({ length: 8 }, (_, l) => (l === y ? 40 : 0) + Math.floor(21 * random()) - 10),
    );
    const options = { loss: "hinge", C, precision: "float64", tolerance, intercept: false, maxEpochs: 20_000 } as const;
    const model = await fit(features, labels, options);
    const gap = relativeGapOf(objectives(model, features, labels, C));
    expect(gap).toBeLessThanOrEqual(model.certificate.relativeGap! + 0.1 * tolerance);
    if (model.certificate.status !== "solved") continue;
    solved++;
    expect(gap).toBeLessThanOrEqual(1.1 * tolerance); // 2.6e-8 and 9.2e-9 where 1e-6 is left aside
  }
  if (C === 1e3) expect(solved).toBeGreaterThanOrEqual(3); // where next to all examples partake, rounding may hide more
});

test.each([1e5, 1e7, 1e8])("smoothed, nothing is hidden: what has entries of %d is solved", async (size) => {
  const random = uniforms(size);
  for (let turn = 0; turn < 12; turn++) {
    const { features, labels } = apart(size, 2, turn, random);
    const options = { loss: "hinge", gamma: 1, precision: "float64", intercept: false } as const;
    const model = await fit(features, labels, options);
    expect(model.certificate.status).toBe("solved");
    const gap = relativeGapOf(objectives(model, features, labels, 1, true));
    expect(gap).toBeGreaterThanOrEqual(-1e-12);
    expect(gap).toBeLessThanOrEqual(model.certificate.tolerance + 1e-6);
  }
});

test.each([1e6, 1e7, 1e8])("a fit ends as soon as only rounding keeps it from its end: entries of %d", async (size) => {
  const random = uniforms(size);
  let ended = 0;
  for (let turn = 0; turn < 12; turn++) {
    const { features, labels } = apart(size, 2 + (turn % 2), turn, random);
    const options = { loss: "hinge", precision: "float64", intercept: false } as const;
    const { history, certificate } = await fit(features, labels, options);
    const { epochs, tolerance } = certificate;
    const drowned = history.find(({ primalObjective: P, dualObjective: D, relativeGap }) => {
      const measured = Math.max(P - D!, 0) / P;
      return measured <= tolerance && relativeGap! - measured > tolerance / 2;
    });
    if (!drowned) continue;
    expect(epochs).toBe(drowned.epoch);
    ended++;
  }
  expect(ended).toBeGreaterThanOrEqual(6);
});

describe("with a kernel, scores are off by more: by the rows' part in them, however that cancels", () => {
  const expectTrue = async (features: number[][], labels: number[], costs: number[], options: FitOptions) => {
    const model = await fit(features, labels, {
      loss: "hinge",
      precision: "float64",
      kernel: { name: "linear" },
      ...options,
    } as FitOptions);
    const gap = relativeGapOf(kernelObjectives(model, features, labels, costs));
    const { relativeGap, tolerance, status } = model.certificate;
    expect(gap).toBeLessThanOrEqual(relativeGap! + 1e-8);
    if (status === "solved") expect(gap).toBeLessThanOrEqual(tolerance + 1e-8);
    return status;
  };

  test("three rows, nearly in a line with the origin, C = 1e9", async () => {
    const features = [
      [-2.5, -1.7, 2.6],
      [-2.5, -2.8, 4.7],
      [-1.2, -1.9, 1.8],
    ];
    await expectTrue(features, [0, 1, 0], [1e9, 1e9, 1e9], { C: 1e9, tolerance: 2.1e-6 });
  });

  test.each([
    [1, 1e9],
    [1, 1e11],
    [0.1, 1e8],
  ])("rows within %d of each other, C = %d, or weights of any size", async (near, C) => {
    const random = uniforms(3);
    let solved = 0;
    for (let turn = 0; turn < 40; turn++) {
      const labels = Array.from({ length: 2 + (turn % 3) }, (_, i) => i % 2);
      const middle = Array.from({ length: 2 + (turn % 2) }, () => 6 * random() - 3);
      const features = labels.map(() => middle.map((v) => v + near * (2 * random() - 1)));
      const sampleWeight = labels.map(() => (turn % 4 === 0 ? 10 ** (20 * random() - 10) / C : 1));
      const costs = sampleWeight.map((weight) => C * weight);
      const status = await expectTrue(features, labels, costs, { C, sampleWeight, tolerance: 2e-6, maxEpochs: 100 });
      solved += Number(status === "solved");
    }
    expect(solved).toBeGreaterThan(2);
  });
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
  expect(relativeGapOf(objectives(model, features, labels, 1))).toBeLessThanOrEqual(
    model.certificate.relativeGap! + 1e-6,
  );

  // Around another model P is small whatever the rows are.
  const small = features.map((row) => row.map((v) => v / 1e5));
  const { weights } = await fit(small, labels, { ...options, tolerance: 1e-6 });
  const near = { ...weights, data: weights.data.map((w) => 0.999 * w) };
  expect((await fit(small, labels, { ...options, anchor: { weights: near } })).certificate.status).toBe("solved");
});
