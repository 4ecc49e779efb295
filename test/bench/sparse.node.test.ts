// The sparse workloads of the benchmark, and what it does with sparse rows.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeText } from "../../bench/contenders/liblinear.mjs";
import { readThresholds } from "../../bench/layouts/bundle.mjs";
import { openProblem, toCsr } from "../../bench/layouts/index.mjs";
import { rowReader } from "../../bench/lib/nonzeros.mjs";
import { score } from "../../bench/lib/score.mjs";
import { prepareWorkload, readPart } from "../../bench/workloads/load.mjs";
import { nearestMeanAccuracy } from "../../bench/workloads/nearestMean.mjs";
import { makePackages, packagesWorkload } from "../../bench/workloads/packages.mjs";
import { recipes } from "../../bench/workloads/recipes.mjs";
import { init } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";

const EVERY = 60;
const thinned = { n: 60, d: 40, m: 5, seed: 4, density: 0.2 };

/** Sparse features, and the same ones dense. */
function both() {
  const { data, labels } = recipes.thinned(thinned);
  const dense = { data, rows: thinned.n, cols: thinned.d };
  return { dense, sparse: toCsr(dense), labels };
}

test("rows are read alike from dense and CSR features", () => {
  const { dense, sparse } = both();
  const [one, other] = [rowReader(dense as any), rowReader(sparse)];
  for (let i = 0; i < thinned.n; i++) {
    const count = one.read(i);
    expect(other.read(i)).toBe(count);
    expect(other.columns.subarray(0, count)).toEqual(one.columns.subarray(0, count));
    expect(other.values.subarray(0, count)).toEqual(one.values.subarray(0, count));
  }
  const share = sparse.data.length / (thinned.n * thinned.d);
  expect(Math.abs(share - thinned.density)).toBeLessThan(0.05);
});

test("nearest means and objectives do not depend on the layout", () => {
  const { dense, sparse, labels } = both();
  const accuracy = [dense, sparse].map((features) => {
    const part = { features, labels } as any;
    return nearestMeanAccuracy({ train: part, test: part }, thinned.m);
  });
  expect(accuracy[1]).toEqual(accuracy[0]);
  const weights = Float64Array.from({ length: thinned.m * thinned.d }, (_, e) => Math.sin(e));
  const workload = { d: thinned.d, m: thinned.m, numTest: 0 };
  const [one, other] = [dense, sparse].map(
    (features) => score({ weights, workload, data: { features, labels }, loss: { id: "hinge" }, C: 1 } as any).primal,
  );
  expect(other).toBe(one);
});

test("the text for liblinear has the nonzeros, columns from 1", async () => {
  const features = {
    ...{ data: Float32Array.of(0.5, 0.1, 2), indices: Int32Array.of(0, 3, 1), indptr: Int32Array.of(0, 2, 2, 3) },
    ...{ rows: 3, cols: 4 },
  };
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const file = await writeText(join(folder, "x.svm"), { features, labels: [0, 1, 2] } as any, (i: number) => 2 * i);
    expect(readFileSync(file, "utf8")).toBe("0 1:0.5 4:0.100000001\n2\n4 2:2\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(["sections", "tags", "one-tag", "tagged-sections"])("packages by %s come back from their files", (task) => {
  const workload = packagesWorkload(task, EVERY);
  const { train } = makePackages(workload);
  prepareWorkload(workload);
  const read = readPart(workload, "train");
  expect(read.features).toEqual(train.features);
  expect(read.labels).toEqual(train.labels);
  const present = new Set([...train.labels].flat() as number[]);
  expect(Math.max(...present)).toBeLessThan(workload.m);
  expect(workload.nonzeros).toBe(train.features.data.length);
});

test("one tag of each package is one of its tags, and there are as many classes", () => {
  const [tags, one] = ["tags", "one-tag"].map((task) => packagesWorkload(task, EVERY));
  expect({ ...one, task: "tags", sets: true, made: tags.made }).toEqual(tags);
  const sets = makePackages(tags).train.labels as number[][];
  const drawn = makePackages(one).train.labels as Int32Array;
  sets.forEach((set, i) => expect(set).toContain(drawn[i]));
});

test("the three layouts hold the same problem", async () => {
  await init();
  const { sparse: features, labels } = both();
  const shape = { numExamples: thinned.n, numFeatures: thinned.d, numClasses: thinned.m, precision: "float32" };
  const solver = { ResidentProblem, resolveLoss };
  const duals: number[] = [];
  for (const layout of ["dense", "skipping", "sparse"]) {
    const problem = await openProblem({ solver, layout, shape, features, labels, loss: "softmax" } as any);
    expect([problem.features.sparse, !!problem.shape.skipsZeros]).toEqual([layout === "sparse", layout === "skipping"]);
    finish(problem.visits.shuffle(thinned.n));
    for (let pass = 0; pass < 3; pass++) problem.sweep(0, thinned.n, true);
    problem.clear(true);
    problem.rebuild(0, thinned.n);
    problem.settle();
    problem.evaluate(0, thinned.n);
    duals.push(problem.sums.dualLoss);
  }
  expect(duals[1]).toBeCloseTo(duals[0], 3);
  expect(duals[2]).toBeCloseTo(duals[0], 3);
});

test("the thresholds of src/fit/storage.ts are found", async () => {
  const thresholds = Object.values(await readThresholds());
  expect(thresholds).toHaveLength(4);
  for (const value of thresholds) expect(value > 0 && value < 1).toBe(true);
});
