import { describe, expect, test } from "vitest";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { factorise, solveFactorised } from "../../src/solver/linearAlgebra.ts";
import { Preconditioner } from "../../src/solver/preconditioner.ts";
import type { SolverParts } from "../../src/solver/solver.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds, normals } from "../helpers/data.ts";
import { EPS, expectVectorWithin } from "../helpers/expect.ts";
import { nameOf } from "../helpers/losses.ts";
import { copyOf, openProblem } from "../helpers/problem.ts";
import type { LossSpec } from "../reference/losses.ts";
import type { SetLossSpec } from "../reference/multilabel.ts";

/** Second derivatives of P, as the detours take them. */

const classLosses: LossSpec[] = [
  { loss: "softmax" },
  { loss: "topk-entropy", k: 1 },
  { loss: "topk-entropy", k: 2 },
  { loss: "topk-entropy", k: 3 },
  { loss: "topk-entropy", k: 2, variant: "beta" },
  { loss: "topk-entropy", k: 3, variant: "beta" },
  { loss: "ova-logistic" },
  { loss: "hinge", gamma: 0.3 },
  { loss: "topk-hinge", k: 1, gamma: 1 },
  { loss: "topk-hinge", k: 2, gamma: 0.1 },
  { loss: "topk-hinge", k: 3, gamma: 2 },
  { loss: "topk-hinge", k: 2, gamma: 0.5, variant: "beta" },
  { loss: "ova-hinge", gamma: 0.7 },
];
const setLosses: SetLossSpec[] = [
  { loss: "multilabel-softmax" },
  { loss: "ova-logistic" },
  { loss: "ova-hinge", gamma: 0.7 },
];
const [n, d, m] = [70, 9, 6];
const { features, labels } = clouds(n, d, m, 21);
/** From no class to all of them. */
const sets = labels.map((y, i) =>
  Array.from({ length: m }, (_, j) => j).filter(
    (j) => i % 9 > 0 && (i % 9 === 8 || j === y || (i + j) % (1 + (i % 9)) === 1),
  ),
);
const cases = [
  ...classLosses.map((spec) => [nameOf(spec), { spec, truth: labels }] as const),
  ...setLosses.map((spec) => [`${spec.loss} of sets`, { spec, truth: sets }] as const),
  ...setLosses
    .slice(1)
    .map((spec) => [`${spec.loss} of sets, weighted`, { spec, truth: sets, weighted: true }] as const),
];
interface Case {
  spec: { loss: string };
  truth: readonly number[] | readonly number[][];
  /** Whether classes have weights. */
  weighted?: boolean;
}

/** Most features zero, and no example with the last one. */
const sparse = features.map((row, i) => row.map((v, l) => ((i + l) % 4 === 1 && l < d - 1 ? v : 0)));

const layouts = ["dense", "sparse", "dense, skipping zeros"] as const;
type Stored = (typeof layouts)[number];

/** With the rows that suit how they are stored. */
const open = async (
  { spec, truth, weighted: weighsLabels = false }: Case,
  stored: Stored,
): Promise<ResidentProblem> => {
  const rows = stored === "dense" ? features : sparse;
  const nonzeros = rows.flat().filter((v) => v !== 0).length;
  const layout = { dense: {}, sparse: { nonzeros }, "dense, skipping zeros": { skipsZeros: true } }[stored];
  const problem = await openProblem(spec, rows, truth, { numClasses: m, weighsLabels, ...layout });
  problem.classWeights.forEach((_, p) => (problem.classWeights[p] = 0.25 * (1 + (problem.y[p] % 7))));
  problem.C.forEach((_, i) => (problem.C[i] = i % 5)); // some count for nothing
  return problem;
};

function gradientAt(problem: ResidentProblem, weights: Float64Array): Float64Array {
  problem.weights.put(weights);
  problem.clear(true);
  problem.derivatives.addGradient(0, n);
  return problem.derivatives.takeGradient();
}

/** H times V at those weights, H - 1 in slices. */
function productAt(problem: ResidentProblem, weights: Float64Array, V: Float64Array, size = n): Float64Array {
  problem.weights.put(weights);
  problem.derivatives.takeDualsOfGradient(0, n);
  problem.weights.put(V);
  problem.clear(true);
  for (let from = 0; from < n; from += size) problem.derivatives.addCurvature(from, Math.min(size, n - from));
  return problem.derivatives.takeHessianProduct().map((v, l) => v + V[l]);
}

/** Random weights of the classes and features there are. */
function randomWeights(problem: ResidentProblem, normal: () => number, scale: number): Float64Array {
  const weights = problem.weights.take().fill(0);
  for (let j = 0; j < m; j++)
    problem.weights.writeRow(
      weights,
      j,
      Array.from({ length: d }, () => scale * normal()),
    );
  return weights;
}

describe.each(cases)("%s", (_, given) => {
  test.each(layouts)("the Hessian is how the gradient changes: %s rows", async (stored) => {
    const problem = await open(given, stored);
    const normal = normals(7);
    for (const scale of [0.1, 1]) {
      const weights = randomWeights(problem, normal, scale);
      const V = randomWeights(problem, normal, 1);
      const product = productAt(problem, weights, V);
      const step = 1e-5;
      const [after, before] = [step, -step].map((by) =>
        gradientAt(
          problem,
          weights.map((w, l) => w + by * V[l]),
        ),
      );
      const size = Math.max(...product.map(Math.abs));
      product.forEach((h, l) =>
        expect(Math.abs(h - (after[l] - before[l]) / (2 * step))).toBeLessThanOrEqual(1e-7 * size),
      );
    }
  });

  test("bit for bit the same in slices of any size", async () => {
    for (const stored of layouts) {
      const problem = await open(given, stored);
      const normal = normals(8);
      const [weights, V] = [randomWeights(problem, normal, 1), randomWeights(problem, normal, 1)];
      for (const size of [1, 7, 32]) {
        expect(productAt(problem, weights, V, size)).toEqual(productAt(problem, weights, V));
      }
    }
  });

  test("with all entries at the bound, and where exponentials are zero", async () => {
    const problem = await open(given, "dense");
    const normal = normals(9);
    for (const scale of [30, 1e3, 1e6]) {
      const V = randomWeights(problem, normal, 1);
      const product = productAt(problem, randomWeights(problem, normal, scale), V);
      const curvature = product.reduce((sum, h, l) => sum + h * V[l], 0);
      const norm2 = V.reduce((sum, v) => sum + v * v, 0);
      expect(curvature).toBeGreaterThanOrEqual(norm2 * (1 - 1e-12));
      expect(curvature).toBeLessThan(Infinity);
    }
  });
});

test.each(layouts)("second moments of %s rows, as many at a time as there are classes", async (stored) => {
  const rows = stored === "dense" ? features : sparse;
  const problem = await open({ spec: { loss: "softmax" }, truth: labels }, stored);
  const moments: Float64Array[] = [];
  for (let feature = 0; feature < d; feature += m) {
    problem.clear(true);
    for (let from = 0; from < n; from += 9) problem.derivatives.addMoments(feature, false, from, Math.min(9, n - from));
    moments.push(...problem.derivatives.takeMoments(feature, false));
  }
  expect(moments).toHaveLength(d);
  moments.forEach((row, k) => {
    expect(row).toHaveLength(d);
    row.forEach((v, l) =>
      expect(v).toBeCloseTo(
        rows.reduce((sum, x, i) => sum + (i % 5) * x[k] * x[l], 0),
        10,
      ),
    );
  });
});

/** Losses whose second derivatives by class are p (1 - p). */
const bySharesAlone = cases.filter(
  ([, given]) => ["softmax", "ova-logistic", "multilabel-softmax"].includes(given.spec.loss) && !("weighted" in given),
);

test.each(bySharesAlone.flatMap(([name, given]) => layouts.map((stored) => [name, stored, given] as const)))(
  "the diagonal blocks of the Hessian, as many rows at a time as there are classes: %s, %s rows",
  async (_, stored, given) => {
    const problem = await open(given, stored);
    const weights = randomWeights(problem, normals(15), 1);
    problem.weights.put(weights);
    problem.derivatives.takeDualsOfGradient(0, n);
    const rows: Float64Array[] = [];
    for (let first = 0; first < m * d; first += m) {
      problem.clear(true);
      for (let from = 0; from < n; from += 9) problem.derivatives.addMoments(first, true, from, Math.min(9, n - from));
      rows.push(...problem.derivatives.takeMoments(first, true));
    }
    expect(rows).toHaveLength(m * d);
    for (const r of [0, 1, d - 1, d, 2 * d + 3, m * d - 1]) {
      const V = problem.weights.take().fill(0);
      const unit = Float64Array.from({ length: d }, (_, l) => Number(l === r % d));
      problem.weights.writeRow(V, Math.floor(r / d), unit);
      const expected = problem.weights.readRow(productAt(problem, weights, V), Math.floor(r / d));
      expectVectorWithin(rows[r].map((v, l) => v + unit[l]), expected, 1e-12); // prettier-ignore
    }
  },
);

test.each(["softmax", "ova-logistic", "multilabel-softmax"])("the preconditioner, sharpened: %s", async (loss) => {
  const truth = loss.startsWith("multilabel") ? sets : labels;
  const problem = await open({ spec: { loss }, truth }, "dense");
  const normal = normals(16);
  const weights = randomWeights(problem, normal, 1);
  const parts = { problem, settings: { loss: resolveLoss("test", loss, {}) }, pacer: new Pacer("never") };
  const preconditioner = new Preconditioner({ ...parts, interruption: () => undefined } as unknown as SolverParts);
  expect(preconditioner.passesToSharpen).toBe(d / 2);
  problem.weights.put(weights);
  problem.derivatives.takeDualsOfGradient(0, n);
  expect(await preconditioner.prepare()).toBe(true);
  const v = randomWeights(problem, normal, 1);
  const off = (): number => {
    const there = preconditioner.solve(productAt(problem, weights, v));
    return Math.hypot(...there.map((value, l) => value - v[l])) / Math.hypot(...v);
  };
  const before = off();
  productAt(problem, weights, v); // which has made the dual variables those of the weights
  expect(await preconditioner.sharpen()).toBe(true);
  if (loss === "ova-logistic") expect(off()).toBeLessThanOrEqual(1e-13);
  else expect(off()).toBeLessThan(before);
  const u = randomWeights(problem, normal, 1);
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, l) => sum + value * b[l], 0);
  expect(dot(u, preconditioner.solve(v))).toBeCloseTo(dot(preconditioner.solve(u), v), 10);
  expect(dot(u, preconditioner.solve(u))).toBeGreaterThan(0);
});

test("a smoothed hinge loss has none that is sharper", async () => {
  const problem = await open({ spec: { loss: "hinge", gamma: 1 } as never, truth: labels }, "dense");
  const parts = { problem, settings: { loss: resolveLoss("test", "hinge", { gamma: 1 }) } };
  const preconditioner = new Preconditioner({ ...parts, pacer: new Pacer("never") } as unknown as SolverParts);
  expect(preconditioner.passesToSharpen).toBe(Infinity);
});

test("variances of shares, by class", async () => {
  const problem = await open({ spec: { loss: "softmax" }, truth: labels }, "dense");
  const normal = normals(10);
  problem.weights.put(randomWeights(problem, normal, 1));
  problem.derivatives.takeDualsOfGradient(0, n);
  const A = copyOf(problem.duals);
  const variances = new Float64Array(m);
  problem.duals.addVariances(0, 30, problem.C, variances);
  problem.duals.addVariances(30, n - 30, problem.C, variances);
  for (let j = 0; j < m; j++) {
    let expected = 0;
    for (let i = 0; i < n; i++) {
      const C = i % 5;
      const p = C > 0 ? Math.abs(A[i * m + j]) / C : 0;
      expected += C * p * (1 - p);
    }
    expect(variances[j]).toBeCloseTo(expected, 10);
  }
});

test.each(["dense", "sparse"] as const)(
  "the preconditioner, for %s rows: symmetric, positive, I where all classes move alike",
  async (stored) => {
    for (const { spec, truth } of [
      { spec: { loss: "softmax" }, truth: labels },
      { spec: { loss: "ova-logistic" }, truth: labels },
    ]) {
      const problem = await open({ spec, truth }, stored);
      const normal = normals(14);
      problem.weights.put(randomWeights(problem, normal, 1));
      problem.derivatives.takeDualsOfGradient(0, n);
      const settings = { loss: resolveLoss("test", spec.loss, {}) };
      const parts = {
        problem,
        settings,
        pacer: new Pacer("never"),
        interruption: () => undefined,
      } as unknown as SolverParts;
      const preconditioner = new Preconditioner(parts);
      const u = randomWeights(problem, normal, 1);
      expect(preconditioner.solve(u)).toEqual(u); // before it is prepared
      expect(await preconditioner.prepare()).toBe(true);
      const v = randomWeights(problem, normal, 1);
      const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, l) => sum + value * b[l], 0);
      expect(dot(u, preconditioner.solve(v))).toBeCloseTo(dot(preconditioner.solve(u), v), 10);
      expect(dot(u, preconditioner.solve(u))).toBeGreaterThan(0);
      expect(dot(u, preconditioner.solve(u))).toBeLessThan(0.9 * dot(u, u));
      const alike = problem.weights.take().fill(0);
      const row = Array.from({ length: d }, (_, l) => 1 + l);
      for (let j = 0; j < m; j++) problem.weights.writeRow(alike, j, row);
      const same = preconditioner.solve(alike).map((value, l) => Math.abs(value - alike[l]));
      if (spec.loss === "softmax") expect(Math.max(...same)).toBeLessThanOrEqual(1e-12);
      else expect(Math.max(...same)).toBeGreaterThan(0.1);
    }
  },
);

describe("factors of I + s G", () => {
  const normal = normals(12);
  const gramOf = (size: number, rank: number, scale: number): Float64Array[] => {
    const rows = Array.from({ length: rank }, () => Array.from({ length: size }, () => scale * normal()));
    return Array.from({ length: size }, (_, k) =>
      Float64Array.from({ length: size }, (_, l) => rows.reduce((sum, row) => sum + row[k] * row[l], 0)),
    );
  };

  test.each([
    [1, 1],
    [2, 5],
    [13, 4],
    [40, 60],
  ])("solve: size %i, rank %i", (size, rank) => {
    for (const [s, scale] of [
      [0, 1],
      [0.1, 1],
      [1, 100],
    ]) {
      // prettier-ignore
      const G = gramOf(size, rank, scale);
      const expected = Float64Array.from({ length: size }, normal);
      const b = G.map((row, k) => expected[k] + s * row.reduce((sum, v, l) => sum + v * expected[l], 0));
      const x = Float64Array.from(b);
      solveFactorised(factorise(G, s), x);
      expectVectorWithin(x, expected, 64 * size * EPS * (1 + s * scale * scale));
    }
  });

  test("numbers, whatever rounding does to G", () => {
    const L = factorise(gramOf(20, 3, 1e12), 1);
    const x = Float64Array.from({ length: 20 }, normal);
    solveFactorised(L, x);
    for (const v of [...L, ...x]) expect(Number.isFinite(v)).toBe(true);
  });
});
