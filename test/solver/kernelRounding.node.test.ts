import { beforeAll, describe, expect, test } from "vitest";
import { kernelRounding } from "../../src/fit/rounding.ts";
import { fit, init, type FitOptions, type Kernel } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { bounded, rowsOf } from "../helpers/certified.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { kernels } from "../helpers/kernels.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import { certifyKernel, gramOf, type KernelSpec } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Kernel values are kept in float32. What is certified is about the values themselves. */

beforeAll(() => init());

const m = 3;

/** Rows of float32 numbers about `far` from 0, and classes that cannot be told from them. */
function problem(seed: number, n: number, far: number) {
  const normal = normals(seed);
  const uniform = uniforms(seed);
  const X = Array.from({ length: n }, () => Array.from({ length: 2 }, () => Math.fround(far + normal())));
  const y = X.map((_, i) => (i < m ? i : Math.floor(m * uniform())));
  return { X, y, uniform };
}

test.each([
  ["hinge", 7e7, {}],
  ["topk-hinge", 1e6, { k: 3, gamma: 1e-4 }],
  ["multilabel-hinge", 1e4, {}],
] as const)(
  "P and D are those of the model where classes are many and K and C large: %s, C = %d",
  async (loss, C, more) => {
    const uniform = uniforms(5);
    const classes = Array.from({ length: 60 }, (_, j) => j);
    for (let trial = 0; trial < 10; trial++) {
      const [a, b] = [1000 + uniform(), 1000 + uniform()];
      const gram = { gram: Float64Array.of(a * a, a * b, a * b, b * b), rows: 2 };
      const labels = loss === "multilabel-hinge" ? [[0, 7, 30], [1, 7]] : [0, 1]; // prettier-ignore
      const options = { loss, C, ...more, intercept: false, precision: "float64", classes, maxEpochs: 100 } as const;
      const model = await fit(gram, labels as number[], options as FitOptions<number>);
      const A = model.dualVariables!.data;
      const penalty = 0.5 * model.scores(gram).reduce((sum, u, p) => sum + u * A[p], 0);
      const P = 2 * C * model.evaluate(gram, labels as number[]).loss + penalty;
      expect(Math.abs(P - model.certificate.primalObjective)).toBeLessThanOrEqual(1e-12 * P);
    }
  },
);

/** What rounding of the values K does to P - D at any dual variables. What these need not be feasible for is the same with and without it. */
function differenceOf(K: number[][], A: number[][], y: number[], C: number, spec: LossSpec): number {
  const P = (K: number[][]): number => certifyKernel(K, A, y, C, spec).primal;
  const norm2 = (K: number[][]): number =>
    A.reduce((sum, a, i) => sum + A.reduce((s, b, r) => s + K[i][r] * a.reduce((t, v, j) => t + v * b[j], 0), 0), 0);
  const rounded = K.map((row) => row.map(Math.fround));
  return Math.abs(P(rounded) - P(K) + (norm2(rounded) - norm2(K)) / 2);
}

/** And what it may be at most. */
function boundOf(spec: LossSpec, K: number[][], A: number[][], C: number): number {
  const { loss: name, ...given } = optionsOf(spec);
  const loss = resolveLoss("test", name, given);
  const factor = loss.weights?.reduce((sum, weight) => sum + weight, 0) ?? 1;
  const masses = Float64Array.from(A[0], (_, j) => A.reduce((sum, a) => sum + Math.abs(a[j]), 0));
  const largestNorm = Math.sqrt(Math.max(...K.flat()));
  return kernelRounding(loss, { count: K.length, factor, largestNorm, costs: C * K.length, weightedNorms: NaN })(
    masses,
  );
}

describe.each(allLosses.map((loss) => [nameOf(loss), loss] as const))("%s", (_, spec: LossSpec) => {
  test("the bound on what rounding does to P - D holds at any dual variables", () => {
    let used = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const { X, y, uniform } = problem(seed, 12, [0, 3, 100][seed % 3]);
      const K = gramOf(X, X, kernels[seed % 2], 1);
      const C = [0.01, 1, 100][seed % 3];
      // The dual variables need not be feasible for P; for D they add what rounding does not touch.
      const A = X.map(() => Array.from({ length: m }, () => C * (uniform() - 0.5)));
      const off = differenceOf(K, A, y, C, spec);
      const bound = boundOf(spec, K, A, C);
      expect(off).toBeLessThanOrEqual(bound);
      used = Math.max(used, off / bound);
    }
    expect(used).toBeGreaterThan(0.02);
  });

  // Of equal rows, whose values are all rounded the same way, by next to half the distance between numbers.
  test.each([
    [1e-3, 1.02],
    [1e-3, 0.98],
    [1e3, 1.02],
    [1e3, 0.98],
  ])("the bound is all but reached where errors add up: C = %d, %d", (C, units) => {
    const [n, m] = [12, 4];
    const K = Array.from({ length: n }, () => new Array<number>(n).fill(1.5 + units * 2 ** -24));
    const A = K.map(() => [1, 1, 1, -1]);
    const y = K.map(() => m - 1);
    const off = differenceOf(K, A, y, C, spec);
    const bound = boundOf(spec, K, A, C);
    expect(off).toBeLessThanOrEqual(bound);
    expect(off).toBeGreaterThanOrEqual(0.9 * bound);
  });
});

const some: LossSpec[] = [{ loss: "hinge" }, { loss: "softmax" }, { loss: "topk-hinge", k: 2, gamma: 0.5 }];

describe.each(some.map((loss) => [nameOf(loss), loss] as const))("%s", (_, spec) => {
  test.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
    "fits are certified for the values themselves: %s",
    async (_, kernel: KernelSpec) => {
      let exactly = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const { X, y } = problem(seed, 20 + 2 * seed, [0, 3, 10][seed % 3]);
        const tolerance = [1e-3, 1e-4, 1e-5, 1e-6][seed % 4];
        const C = [1, 100][seed % 2];
        const model = await fit(X, y, {
          ...{ ...optionsOf(spec), kernel: kernel as Kernel, C, tolerance },
          ...{ precision: "float32", maxEpochs: 500, yieldEvery: "never" },
        });
        const { status, dualityGap } = bounded(model.certificate);
        const K = gramOf(X, X, kernel, 1);
        const labels = y.map((label) => model.classes.indexOf(label));
        const objectivesAt = (K: number[][]) => certifyKernel(K, rowsOf(model.dualVariables), labels, C, spec);
        const { primal, dual } = objectivesAt(K);
        const gap = primal - dual;
        const rounded = objectivesAt(K.map((row) => row.map(Math.fround)));
        if (status === "solved") expect(gap / primal).toBeLessThanOrEqual(tolerance * (1 + 1e-9));
        else expect(Math.abs(gap - dualityGap)).toBeLessThanOrEqual(0.1 * gap);
        // Of the values, if not of those that are kept.
        const off = Math.abs(gap - dualityGap);
        exactly += Number(off < 0.01 * Math.abs(rounded.primal - rounded.dual - dualityGap));
      }
      expect(exactly).toBeGreaterThanOrEqual(6);
    },
  );
});

test.each(["aborted", "max-seconds"])("%s, what rounding may hide is part of the gap", async (status) => {
  const { X, y } = problem(5, 40, 0);
  const kernel = { name: "rbf", gamma: 1 } as const;
  const stop = new AbortController();
  const { certificate, dualVariables, classes, history } = await fit(X, y, {
    ...{ loss: "softmax", kernel, C: 10, tolerance: 1e-12, signal: stop.signal },
    ...(status === "max-seconds" && { maxSeconds: 0.2 }),
    onProgress: ({ relativeGap }) => {
      if (relativeGap! > 1e-5) return;
      if (status === "aborted") stop.abort();
      else return new Promise((resolve) => setTimeout(resolve, 250));
    },
  });
  const labels = y.map((label) => classes.indexOf(label));
  const K = gramOf(X, X, kernel, 1);
  const { primal, dual } = certifyKernel(K, rowsOf(dualVariables), labels, 10, { loss: "softmax" });
  const { dualityGap, primalObjective, dualObjective } = bounded(certificate);
  expect(certificate.status).toBe(status);
  expect(primal - dual).toBeLessThanOrEqual(dualityGap);
  expect(dualityGap).toBeGreaterThan(1.1 * (primalObjective - dualObjective));
  expect(history.at(-1)).toMatchObject({ dualityGap });
});
