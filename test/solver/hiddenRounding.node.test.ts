import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions, type Model } from "../../src/index.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { dotOf, exactIn } from "../helpers/exact.ts";

/** What rounding may hide of P is part of the gap: of one-vs-all losses, of rank weights above 1, and around an anchor, too. */

beforeAll(() => init());

const BITS = 260;
const exact = exactIn(BITS, true);

interface Problem {
  readonly features: number[][];
  readonly labels: number[];
  readonly C: number;
  readonly loss: "hinge" | "ova-hinge" | "weighted-topk-hinge";
  readonly rankWeights?: number[];
  readonly W0?: number[][];
}

/** P - D in exact arithmetic, without intercept or smoothing. */
function exactGap(model: Model, { features, labels, C, loss, rankWeights = [1], W0 }: Problem): number {
  const m = model.classes.length;
  const d = features[0].length;
  const X = features.map((row) => row.map(exact));
  const rows = (data: ArrayLike<number>, cols: number): bigint[][] =>
    Array.from({ length: data.length / cols }, (_, i) =>
      Array.from({ length: cols }, (_, l) => exact(data[i * cols + l])),
    );
  const W = rows(model.weights.data, d);
  const A = rows(model.dualVariables!.data, m);
  const centre = W0 ? W0.map((row) => row.map(exact)) : W.map((row) => row.map(() => 0n));
  const one = 1n << BigInt(2 * BITS);
  const positive = (v: bigint): bigint => (v > 0n ? v : 0n);
  let [losses, duals] = [0n, 0n];
  X.forEach((x, i) => {
    const u = W.map((w) => dotOf(w, x));
    const y = labels[i];
    if (loss === "ova-hinge") {
      for (const [j, score] of u.entries()) {
        losses += positive(one - (j === y ? score : -score));
        duals += j === y ? A[i][j] : -A[i][j];
      }
      return;
    }
    const h = u.map((score, j) => (j === y ? 0n : one + score - u[y])).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    losses += positive(rankWeights.reduce((sum, weight, p) => sum + BigInt(weight) * h[p], 0n));
    A[i][y] = 0n; // minus the sum of the others, which a float64 may not hold
    A[i][y] = -A[i].reduce((sum, a) => sum + a, 0n);
    duals += A[i][y];
  });
  let [norm2, inner, distance] = [0n, 0n, 0n];
  for (let j = 0; j < m; j++) {
    for (let l = 0; l < d; l++) {
      const z = X.reduce((sum, x, i) => sum + A[i][j] * x[l], 0n);
      norm2 += z * z;
      inner += z * centre[j][l];
      distance += (W[j][l] - centre[j][l]) ** 2n;
    }
  }
  const up = BigInt(BITS);
  const P = ((losses * exact(C)) << up) + ((distance / 2n) << (2n * up));
  const D = (duals << (3n * up)) - (inner << up) - norm2 / 2n;
  return Number((P - D) >> (4n * up - 80n)) / 2 ** 80;
}

/** Rows of whole numbers up to about `size`, of classes that are apart. */
function rowsFor(size: number, turn: number, random: () => number) {
  const m = 2 + (turn % 3);
  const labels = Array.from({ length: m + (turn % 4) }, (_, i) => i % m);
  const features = labels.map((y) =>
    Array.from({ length: 3 + (turn % 2) }, (_, l) => Math.round(size * (2 * random() - 1 + (l === y ? 3 : 0)))),
  );
  return { m, labels, features };
}

const common = { precision: "float64", intercept: false } as const;

test.each([
  [{ loss: "ova-hinge" }, 1e6, 1e3],
  [{ loss: "ova-hinge" }, 1e6, 1],
  [{ loss: "weighted-topk-hinge", rankWeights: [1000, 1] }, 1e5, 1],
  [{ loss: "weighted-topk-hinge", rankWeights: [1000, 1] }, 1e6, 1],
] as const)("the gap covers what is hidden: %j, entries of %d, C = %d", async (spec, size, C) => {
  const random = uniforms(size + C);
  for (let turn = 0; turn < 16; turn++) {
    const { labels, features } = rowsFor(size, turn, random);
    const model = await fit(features, labels, { ...common, ...spec, C } as unknown as FitOptions);
    const { dualityGap, primalObjective } = model.certificate;
    const gap = exactGap(model, { features, labels, C, ...spec } as unknown as Problem);
    expect(gap).toBeLessThanOrEqual(dualityGap! + 1e-6 * primalObjective);
  }
});

test.each([
  [200, 1e-7, 9e13, 100],
  [1000, 1e-7, 2e14, 100],
  [1000, 1e-5, 5e12, 1e4],
])(
  "what the score of the true class is off by moves all margins: %d classes, gamma = %d, C = %d",
  async (m, gamma, C, far) => {
    const random = uniforms(m);
    const k = m - 1; // the alpha loss is a function of the sum H of the margins: max over c in [0, 1/k] of c H - gamma k c^2/2
    const classes = Array.from({ length: m }, (_, j) => j);
    for (let turn = 0; turn < 12; turn++) {
      const features = [0, 1, 2].map(() => [far + random(), far + random(), far + random()]);
      const options = { ...common, loss: "topk-hinge", k, gamma, C, classes } as const;
      const { certificate, weights } = await fit(features, [0, 1, 2], options);
      const W = classes.map((j) => Array.from(weights.data.subarray(3 * j, 3 * j + 3), exact));
      let P = 0.5 * Array.from(weights.data).reduce((sum, w) => sum + w * w, 0);
      features.forEach((row, y) => {
        const u = W.map((w) => dotOf(w, row.map(exact)));
        const H = u.reduce((sum, score) => sum + score - u[y], BigInt(k) << BigInt(2 * BITS));
        const h = Number(H >> BigInt(2 * BITS - 80)) / 2 ** 80;
        const c = Math.min(Math.max(h / (gamma * k), 0), 1 / k);
        P += C * (c * h - (gamma * k * c * c) / 2);
      });
      expect(P - certificate.dualObjective!).toBeLessThanOrEqual(certificate.dualityGap! + 1e-6 * P);
    }
  },
);

describe("rows that are there more than once may be as near to the margin as those that hold it", () => {
  test.each([{ loss: "hinge" }, { loss: "ova-hinge" }, { loss: "hinge", kernel: { name: "linear" } }] as const)(
    "%j",
    async (spec) => {
      const random = uniforms(29);
      let solved = 0;
      for (let turn = 0; turn < 24; turn++) {
        const distinct = 1 + (turn % 3);
        const size = 10 ** (4 + 2 * random());
        const rows = Array.from({ length: distinct }, (_, i) => [0, 1].map(() => size * (random() - (i % 2))));
        const features = Array.from({ length: distinct * 10 ** (turn % 4) }, (_, i) => rows[i % distinct]);
        const labels = features.map((_, i) => (i % distinct) % 2);
        const C = 10 ** (2 * random());
        const options = { ...common, ...spec, C, classes: [0, 1], maxEpochs: 200 };
        const model = await fit(features, labels, options as unknown as FitOptions);
        const { status, dualityGap, primalObjective } = model.certificate;
        const gap = exactGap(model as Model, { features, labels, C, loss: spec.loss });
        expect(gap).toBeLessThanOrEqual(dualityGap! + 1e-6 * primalObjective);
        if (status === "solved") solved++;
      }
      expect(solved).toBeGreaterThan(5);
    },
  );

  test("a row of little weight holds the margin for its copy of a large one", async () => {
    const features = [[33333], [33333]];
    const options = { ...common, loss: "hinge", classes: [0, 1], sampleWeight: [1, 1e8] } as const;
    const { certificate } = await fit(features, [0, 0], options);
    expect(certificate.dualityGap).toBeGreaterThan(1.6e-9); // what a margin of 1.7e-17 makes of P
    expect(certificate.status).toBe("no-progress");
  });
});

test("the gap covers what is hidden around weights that are large, and alike in part", async () => {
  for (const [size, C] of [
    [1e5, 1],
    [1e6, 1e3],
    [1e7, 1],
  ]) {
    // prettier-ignore
    const random = uniforms(size + C);
    for (let turn = 2; turn < 16; turn += 4) {
      const { m, labels, features } = rowsFor(size, turn, random);
      const d = features[0].length;
      const base = await fit(features, labels, { ...common, loss: "hinge", C, maxEpochs: 300 });
      const W0 = Array.from({ length: m }, (_, j) =>
        Array.from({ length: d }, (_, l) => 0.9999 * base.weights.data[j * d + l] + Math.round(1000 * Math.sin(l + 1))),
      );
      const model = await fit(features, labels, { ...common, loss: "hinge", C, anchor: { weights: W0 } });
      const { dualityGap, primalObjective } = model.certificate;
      const gap = exactGap(model, { features, labels, C, loss: "hinge", W0 });
      expect(gap).toBeLessThanOrEqual(dualityGap! + 1e-6 * primalObjective);
    }
  }
});

test("at an anchor where both objectives are 0, but for what is hidden, nothing is solved", async () => {
  const [big, apart, C] = [2 ** 46, 1 - 2 ** -8, 1e3]; // scores are apart by less than 1, which they are not to the last digit
  const features = [[big, 1], [big, -1]]; // prettier-ignore
  const W0 = [[1, apart / 2], [1, -apart / 2]]; // prettier-ignore
  const model = await fit(features, [0, 1], { ...common, loss: "hinge", C, anchor: { weights: W0 } });
  const { status, dualityGap, relativeGap, primalObjective, hint } = model.certificate;
  const gap = exactGap(model, { features, labels: [0, 1], C, loss: "hinge", W0 });
  expect(gap).toBe(2 * C * 2 ** -8);
  expect([status, primalObjective, relativeGap]).toEqual(["no-progress", 0, Infinity]);
  expect(dualityGap).toBeGreaterThan(gap);
  expect(hint).toContain("scale the features");
});

test("nor where rounding of large scores has lifted a row over its margin", async () => {
  const [big, digit, C] = [2 ** 46, 2 ** -6, 1e3]; // scores from 2^46 on are rounded to whole digits, those below to halves
  const features = [[big, 1]];
  const W0 = [[1, 0.5 + 0.55 * digit], [1, -0.5 + 0.7 * digit]]; // prettier-ignore
  const [first, second] = W0.map(([w, v]) => w * big + v);
  expect(first - second).toBe(1 + digit / 2); // 1 - 0.15 digit
  const options = { ...common, loss: "hinge", C, classes: [0, 1], anchor: { weights: W0 } } as const;
  const model = await fit(features, [0], options);
  const { status, dualityGap, primalObjective } = model.certificate;
  const gap = exactGap(model as Model, { features, labels: [0], C, loss: "hinge", W0 });
  expect(Math.abs(gap - C * 0.15 * digit)).toBeLessThan(1e-9);
  expect([status, primalObjective]).toEqual(["no-progress", 0]);
  expect(dualityGap).toBeGreaterThan(gap);
});

test("at an anchor that has all classes apart for certain, zero is solved", async () => {
  const W0 = [[10, 0], [0, 10]]; // prettier-ignore
  const { certificate } = await fit([[1, 0], [0, 1]], ["a", "b"], { ...common, loss: "hinge", anchor: { weights: W0 } }); // prettier-ignore
  expect(certificate).toMatchObject({ status: "solved", primalObjective: 0, dualityGap: 0, relativeGap: 0 });
});

test.each([
  [1000, 10, 5, 100],
  [2000, 10, 5, 10],
])(
  "around the model of rows before, what is far from a kink hides nothing: %d rows x %d, %d classes, C = %d",
  async (n, d, m, C) => {
    const normal = normals(n);
    const means = Array.from({ length: m }, () => Array.from({ length: d }, () => 500 * normal()));
    const labels = Array.from({ length: n }, (_, i) => i % m);
    const rows = (): number[][] => labels.map((y) => means[y].map((v) => v + 100 * normal()));
    const options = { loss: "hinge", C, precision: "float64" } as const;
    const anchor = await fit(rows(), labels, { ...options, tolerance: 1e-4 });
    const { status } = (await fit(rows(), labels, { ...options, anchor, maxEpochs: 400 })).certificate;
    expect(status).toBe("solved");
  },
);
