import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions, type Label } from "../../src/index.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, normals, type Data } from "../helpers/data.ts";
import { nameOf, optionsOf } from "../helpers/losses.ts";
import { copyOf, openProblem } from "../helpers/problem.ts";
import type { LossSpec } from "../reference/losses.ts";

beforeAll(() => init());

interface Extreme extends Data {
  classes?: Label[];
  C?: number;
  /** Well-posed enough to be solved to 1e-6 in float64; the others must only be told apart from that. */
  solvable: boolean;
}

const ordinary = clouds(40, 3, 4, 7);
const separable = clouds(8, 10, 4, 3);
const scaled = (factors: number[]): Data => ({
  features: ordinary.features.map((row, i) => row.map((v) => v * factors[i % factors.length])),
  labels: ordinary.labels.map((_, i) => (i * 7) % 4),
});

const extremes: Record<string, Extreme> = {
  "a zero row": {
    features: [[0, 0, 0], ...ordinary.features],
    labels: [2, ...ordinary.labels],
    solvable: true,
  },
  "only zero rows": { features: [[0, 0], [0, 0], [0, 0], [0, 0]], labels: [0, 1, 2, 3], solvable: true }, // prettier-ignore
  "rows of norm 1e-8 and 1e8": { ...scaled([1e-8, 1e8]), solvable: false },
  "rows of norm 1e-8, 1 and 1e8": { ...scaled([1e-8, 1, 1e8]), solvable: false },
  "rows of norm 1e-8": { ...scaled([1e-8]), solvable: true },
  "rows of norm 1e-200": { ...scaled([1e-200]), solvable: true },
  "one example": { features: [[1, 2]], labels: [1], classes: [0, 1, 2, 3], solvable: true },
  "identical rows with different labels": {
    features: Array.from({ length: 12 }, () => [1, -1]),
    labels: Array.from({ length: 12 }, (_, i) => i % 4),
    solvable: true,
  },
  "a class without examples": {
    features: ordinary.features,
    labels: ordinary.labels.map((y) => y % 3),
    classes: [0, 1, 2, 3],
    solvable: true,
  },
  "C = 1e-6": { ...ordinary, C: 1e-6, solvable: true },
  "C = 1e6, classes that overlap": { ...ordinary, C: 1e6, solvable: false },
  "C = 1e6, classes apart": { ...separable, C: 1e6, solvable: true },
};

const losses: LossSpec[] = [
  { loss: "softmax" },
  { loss: "hinge" },
  { loss: "hinge", gamma: 1 },
  { loss: "hinge", gamma: 1e-12 },
  ...(["alpha", "alpha-inclusive", "beta"] as const).flatMap((variant) =>
    [1, 2, 3].flatMap((k) => [0, 0.5].map((gamma): LossSpec => ({ loss: "topk-hinge", k, variant, gamma }))),
  ),
  ...[0, 0.5].flatMap((gamma): LossSpec[] => [
    { loss: "weighted-topk-hinge", rankWeights: "flat", k: 3, gamma },
    { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2, gamma },
    { loss: "weighted-topk-hinge", rankWeights: [1, 0.5, 1e-6, 1e-9], gamma },
    { loss: "weighted-topk-hinge", rankWeights: [0.25, 0.25, 0.25, 0.25], gamma },
  ]),
  ...(["alpha", "beta"] as const).flatMap((variant) =>
    [1, 2, 3].map((k): LossSpec => ({ loss: "topk-entropy", k, variant })),
  ),
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 1 },
  { loss: "ova-hinge", gamma: 1e-12 },
  { loss: "ova-logistic" },
];

for (const [name, { features, labels, classes, C = 1, solvable }] of Object.entries(extremes)) {
  describe(name, () => {
    for (const precision of ["float64", "float32"] as const) {
      test.each(losses.map((loss) => [nameOf(loss), loss] as const))(`${precision}, %s`, async (_, loss) => {
        const model = await fit(features, labels, {
          ...optionsOf(loss),
          C,
          classes,
          precision,
          intercept: false,
          tolerance: precision === "float64" ? 1e-6 : 1e-4,
          maxEpochs: solvable ? 10_000 : 100,
          yieldEvery: "never",
        });
        // The terms of P: with huge C and small loss they cancel nowhere, but scores of 1e8 carry their own rounding.
        const n = features.length;
        const norms = features.map((row) => Math.hypot(...row));
        const weight = Math.hypot(...model.weights.data);
        const scale = (C * norms.reduce((sum, norm) => sum + 1 + norm * weight, 0)) / n;
        expectCertified(model, { features, labels, loss, C, precision }, scale);
        if (solvable && precision === "float64") expect(model.certificate.status).toBe("solved");
      });
    }
  });
}

test("entries all but tied at a bound that moves with them are cut in a few rounds", async () => {
  const x = [
    ...[0.5336727682951387, 0.11267049751578143, 0.533672768295147, 0.19453063323118813, 0.252087298755328],
    ...[0.5336727682951385, 0.15455637066599182, 0.08713942421714305, 0.5336727682951382, 0.11911568521417142],
    0.14724562699067392,
  ];
  const row = [x.reduce((a, b) => a + b), ...x.map((v) => -v)];
  const spec = { loss: "topk-hinge", k: 6 };
  const problem = await openProblem(spec, [[1]], [0], { numClasses: 12 });
  problem.C.fill(10);
  problem.duals.restore(Float64Array.from(row));
  problem.clear(true);
  problem.rebuild(0, 1);
  problem.settle();
  const repaired = Array.from(copyOf(problem.duals));
  const total = repaired.slice(1).reduce((a, b) => a - b, 0);
  expect(Math.max(...repaired.slice(1).map((v) => -v))).toBeLessThanOrEqual((total / 6) * (1 + 1e-14));
});

test.each([1e-153, 1e-155, 1e-158])("rows of norm %s, C = 1e30", async (size) => {
  const rows = [
    [size, 0],
    [0, size],
    [size, size],
  ];
  const options = { C: 1e30, intercept: false, precision: "float64" } as const;
  for (const loss of ["hinge", "multilabel-hinge"] as const) {
    const truth = loss === "hinge" ? [0, 1, 2] : [[0], [1], [2]];
    const { certificate } = await fit(rows, truth as number[], { ...options, loss } as FitOptions);
    expect(certificate.status).toBe("solved");
  }
});

test("C = 1e-310", async () => {
  const options = { C: 1e-310, precision: "float64", loss: "multilabel-softmax" } as const;
  const { certificate } = await fit([[1, 0], [0, 1]], [["a"], ["b"]], options); // prettier-ignore
  expect(certificate.relativeGap).toBeGreaterThanOrEqual(0);
  expect(certificate.dualObjective).toBeGreaterThan(-Infinity);
});

// What is left of 1 - s there has few digits of s, and C times that is much.
test.each([{ loss: "softmax" }, { loss: "topk-entropy", k: 2 }, { loss: "multilabel-softmax" }] as const)(
  "D of a row that is classified well beyond doubt: $loss",
  async (spec) => {
    for (const norm of [1e3, 1e4, 1e5]) {
      for (const C of [1, 1e4]) {
        const x = [norm, 0.5 * norm];
        const truth = spec.loss === "multilabel-softmax" ? [["a"]] : ["a"];
        const options = { ...spec, C, classes: ["a", "b", "c"], intercept: false, precision: "float64" } as FitOptions;
        const { certificate, dualVariables } = await fit([x], truth as string[], options);
        expect(certificate.status).toBe("solved");
        const shares = Array.from(dualVariables!.data.subarray(1), (a) => -a / C);
        const s = shares.reduce((a, b) => a + b);
        const entropy = shares.reduce((sum, p) => sum + p * Math.log(p), (1 - s) * Math.log1p(-s));
        const norm2 = (C * norm) ** 2 * 1.25 * (s * s + shares.reduce((sum, p) => sum + p * p, 0));
        const expected = -C * entropy - 0.5 * norm2;
        expect(Math.abs(certificate.dualObjective! - expected)).toBeLessThanOrEqual(1e-12 * expected);
      }
    }
  },
);

test("label sets in float32 where conjugate directions overflow: a certified model", async () => {
  const normal = normals(4);
  const rows = Array.from({ length: 2 }, () => Array.from({ length: 13 }, () => 1e6 * normal()));
  const options = { loss: "multilabel-softmax", C: 1e4, classes: [0, 1, 2], intercept: false } as const;
  for (let seed = 0; seed < 20; seed++) {
    const { certificate } = await fit(rows, [[0], [1]], { ...options, seed });
    expect(certificate.dualityGap).toBeGreaterThanOrEqual(0);
  }
});
