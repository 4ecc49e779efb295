import { beforeAll, describe, expect, test, vi } from "vitest";
import { fit, init, load, metrics, type FitOptions, type Kernel, type Model } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { refuseTooLarge, type Shape } from "../../src/wasm/layout.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { rowsOf } from "../helpers/certified.ts";
import { clouds, split, uniforms } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { asGram, expectKernelCertified, kernels } from "../helpers/kernels.ts";
import { allLosses, nameOf, optionsOf, setLosses } from "../helpers/losses.ts";
import { copyOf } from "../helpers/problem.ts";
import { lossSpecOf } from "../helpers/vectors.ts";
import { gramOf, scoresOf, type KernelSpec } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import cases from "../vectors/C2_training_rbf.json" with { type: "json" };

/** Kernels and Gram matrices: the same problems without weights. */

const m = 4;
const [{ features, labels }, held] = split(clouds(40 + 15, 3, m, 17), 40);
const rbf: Kernel = { name: "rbf", gamma: 0.3 };
const hinge: LossSpec = { loss: "hinge" };
const exact: FitOptions = { precision: "float64", tolerance: 1e-9, maxEpochs: 20_000 };
const tight: FitOptions = { ...exact, loss: "hinge" };

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, v, e) => Math.max(most, Math.abs(v - b[e])), 0);

/** Rows as CSR, in any order of columns. */
function csr(rows: number[][]) {
  const entries = rows.map((row) => row.flatMap((v, l) => (v === 0 ? [] : [[l, v]])).reverse());
  return {
    data: Float64Array.from(entries.flat().map(([, v]) => v)),
    indices: Int32Array.from(entries.flat().map(([l]) => l)),
    indptr: Int32Array.from([0, ...entries.map((_, i) => entries.slice(0, i + 1).flat().length)]),
    rows: rows.length,
    cols: rows[0].length,
  };
}

describe("certified optima of rbf kernels are reached in float64", () => {
  for (const { name, lam, m, X, y, P, X_test, F_test, F_err_bound, rbf_gamma, ...spec } of cases) {
    const loss = lossSpecOf(spec);
    if (loss === null || typeof y === "undefined") continue;
    const kernel: KernelSpec = { name: "rbf", gamma: rbf_gamma };
    test.each(["features", "a Gram matrix"])(`${name}, %s`, async (form) => {
      const gram = form !== "features";
      const model = await fit(gram ? asGram(gramOf(X, X, kernel)) : X, y as number[], {
        ...optionsOf(loss),
        ...{ lambda: lam, classes: Array.from({ length: m }, (_, j) => j), intercept: false },
        ...{ precision: "float64", tolerance: 1e-8, maxEpochs: 10_000, yieldEvery: "never" },
        ...(!gram && { kernel: kernel as Kernel }),
      });
      const { status, primalObjective, dualObjective } = model.certificate;
      expect(status).toBe("solved");
      expect(Math.abs(primalObjective * lam - P)).toBeLessThanOrEqual(2e-8 * P);
      expect(dualObjective! * lam).toBeLessThanOrEqual(P * (1 + 1e-9));
      expectKernelCertified(model, { features: X, kernel, labels: y as number[], loss, C: 1 / (lam * X.length), precision: "float64" }); // prettier-ignore
      // ||f - f*||^2 <= 2 (P - P*), in units where the penalty is 1/2 ||f||^2, and |f(x)| <= ||f|| since k(x, x) = 1. Of a gap that has
      // been lost in the rounding of P and D the root is no bound.
      const K = gramOf(X_test, X, kernel);
      const scores = model.scores(gram ? { gram: Float64Array.from(K.flat()), rows: K.length } : X_test);
      const gap = model.certificate.dualityGap! + 4 * EPS * primalObjective;
      const reach = Math.sqrt(2 * gap) + F_err_bound;
      expect(largestDifference(scores, F_test.flat())).toBeLessThanOrEqual(reach);
    });
  }
});

describe.each(allLosses.map((loss) => [nameOf(loss), loss] as const))("%s", (_, loss) => {
  test("the linear kernel and its Gram matrix have the linear solver's optimum", async () => {
    const options: FitOptions = {
      ...{ ...exact, ...optionsOf(loss), interceptScale: 2, tolerance: 5e-10 },
    };
    const plain = await fit(features, labels, options);
    const others = [
      await fit(features, labels, { ...options, kernel: { name: "linear" } }),
      await fit(asGram(gramOf(features, features, { name: "linear" })), labels, options),
    ];
    expect(plain.certificate.status).toBe("solved");
    for (const { certificate } of others) {
      expect(certificate.status).toBe("solved");
      const P = plain.certificate.primalObjective;
      expect(Math.abs(certificate.primalObjective - P)).toBeLessThanOrEqual(1e-9 * P);
    }
  });
});

test("a row has the same scores alone and among others, dense or sparse, of a kernel or a Gram matrix", async () => {
  const K = gramOf(features, features, rbf as KernelSpec);
  const ofFeatures = await fit(features, labels, { loss: "hinge", kernel: rbf });
  const ofGram = await fit(asGram(K), labels, { loss: "hinge" });
  for (const count of [1, 2, 3, 4, 5, 9]) {
    const some = features.slice(0, count);
    const alone = some.flatMap((row) => [...ofFeatures.scores([row])]);
    expect([...ofFeatures.scores(some)]).toEqual(alone);
    expect([...ofFeatures.scores(csr(some))]).toEqual(alone);
    const values = K.slice(0, count);
    expect([...ofGram.scores(asGram(values))]).toEqual(values.flatMap((row) => [...ofGram.scores(asGram([row]))]));
  }
});

describe("label sets", () => {
  const ofSets = cases.filter(({ loss }) => loss.startsWith("ml_"));

  test.each(ofSets.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const { loss, gamma, lam, m, X, Y, P, X_test, F_test, F_err_bound, rbf_gamma } = one;
    const model = await fit(X, Y as number[][], {
      ...(loss === "ml_svm" ? { loss: "multilabel-hinge", gamma } : { loss: "multilabel-softmax" }),
      ...{ lambda: lam, classes: Array.from({ length: m }, (_, j) => j), intercept: false },
      ...{ precision: "float64", tolerance: 1e-8, maxEpochs: 10_000, yieldEvery: "never" },
      kernel: { name: "rbf", gamma: rbf_gamma },
    });
    const { status, primalObjective, dualObjective, dualityGap } = model.certificate;
    expect(status).toBe("solved");
    expect(Math.abs(primalObjective * lam - P)).toBeLessThanOrEqual(2e-8 * P);
    expect(dualObjective! * lam).toBeLessThanOrEqual(P * (1 + 1e-9));
    const reach = Math.sqrt(2 * (dualityGap! + 4 * EPS * primalObjective)) + F_err_bound;
    expect(largestDifference(model.scores(X_test), F_test.flat())).toBeLessThanOrEqual(reach);
    const best = metrics.chooseThreshold({ data: model.scores(X), rows: X.length, cols: m }, Y as number[][]);
    expect(Math.abs(model.threshold! - best.threshold)).toBeLessThanOrEqual(1e-12);
    const again = load<number[]>(model.toBytes({ duals: true }));
    expect([again.threshold, again.predict(X_test)]).toEqual([model.threshold, model.predict(X_test)]);
  });

  const sets = labels.map((y, i) => (i === 3 ? [] : [...new Set([y, (y + i) % m])]));

  test.each(setLosses as FitOptions[])(
    "the linear kernel and its Gram matrix have the linear solver's optimum: %o",
    async (loss) => {
      const options: FitOptions = { ...{ ...exact, tolerance: 5e-10 }, ...loss };
      const plain = await fit(features, sets, options);
      const linear = await fit(features, sets, { ...options, kernel: { name: "linear" } });
      const gram = await fit(asGram(gramOf(features, features, { name: "linear" })), sets, options);
      const P = plain.certificate.primalObjective;
      for (const { certificate } of [plain, linear, gram]) {
        expect(certificate.status).toBe("solved");
        expect(Math.abs(certificate.primalObjective - P)).toBeLessThanOrEqual(1e-9 * P);
      }
      expect(largestDifference(linear.scores(held.features), plain.scores(held.features))).toBeLessThanOrEqual(1e-3);
    },
  );
});

describe("a matrix of any rank", () => {
  const n = 24;
  const y = Array.from({ length: n }, (_, i) => i % m);
  const direction = Array.from({ length: n }, (_, i) => Math.cos(3 * i));
  const block = (i: number): number => Math.floor(i / 6);
  const matrices: Record<string, number[][]> = {
    "all zero": y.map(() => y.map(() => 0)),
    "rank one": direction.map((a) => direction.map((b) => a * b)),
    "duplicates with different labels": y.map((_, i) => y.map((_, j) => Number(block(i) === block(j)))),
    "some rows zero": y.map((_, i) => y.map((_, j) => (i === j && i % 5 > 0 ? 2 : 0))),
    "huge and tiny rows": y.map((_, i) => y.map((_, j) => (i === j ? 10 ** ((i % 7) - 3) : 0))),
  };
  for (const [name, K] of Object.entries(matrices)) {
    test.each(allLosses.map((loss) => [nameOf(loss), loss] as const))(`${name}: %s`, async (_, loss) => {
      for (const precision of ["float64", "float32"] as const) {
        const model = await fit(asGram(K), y, {
          ...{ ...optionsOf(loss), precision, intercept: false, maxEpochs: 10_000, yieldEvery: "never" },
          tolerance: precision === "float64" ? 1e-7 : 1e-4,
        });
        expect(model.certificate.status).toBe("solved");
        expectKernelCertified(model, { K, labels: y, loss, C: 1, precision });
      }
    });
  }

  test("one example", async () => {
    const model = await fit({ gram: Float64Array.of(2), rows: 1 }, ["a"], { ...tight, classes: ["a", "b"] });
    expect(model.certificate.status).toBe("solved");
  });
});

describe("rows computed again and rows kept", () => {
  beforeAll(() => init());
  const n = 71;
  // Of rows that are long, values are looked up in the rows of others: sparse ones are shorter than they have columns.
  const clouded = { short: clouds(n, 6, m, 9), long: clouds(n, 410, m, 9) };

  async function run(
    length: keyof typeof clouded,
    how: "dense" | "sparse",
    kernel: KernelSpec,
    precision: Shape["precision"],
    slots: number,
  ): Promise<unknown> {
    const elementBytes = precision === "float32" ? 4 : 8;
    const rowBytes = elementBytes * Math.ceil((n * elementBytes) / 16) * (16 / elementBytes);
    const data = clouded[length];
    const columns = data.features[0].length;
    const sparse = data.features.map((row, i) => row.map((v, l) => ((i + l) % 5 === 0 ? v : 0)));
    const nonzeros = sparse.flat().filter((v) => v !== 0).length;
    const problem = await ResidentProblem.create(
      "test",
      {
        ...{ numExamples: n, numFeatures: n, numClasses: m, precision },
        kernel: {
          ...{ gamma: 0, degree: 0, coef0: 0, ...kernel, constant: 0.25, columns, cacheBytes: slots * rowBytes },
          ...(how === "sparse" && { nonzeros }),
        },
      },
      resolveLoss("test", "hinge", {}),
      3,
    );
    problem.y.set(data.labels);
    problem.C.fill(5);
    const { features } = problem.kernel!;
    (how === "dense" ? data.features : sparse).forEach((row, i) => features.store(i, row, undefined, true));
    problem.measureRows(0, n);
    for (let round = 0; round < 3; round++) {
      finish(problem.visits.shuffle(n));
      for (let i = 0; i < n; i += 9) problem.sweep(i, Math.min(9, n - i), round === 0);
      problem.clear(round === 2);
      if (round < 2) {
        problem.measure();
        problem.estimate(0, n);
      } else {
        problem.rebuild(0, 40);
        problem.rebuild(40, n - 40);
        problem.settle();
        problem.evaluate(0, n);
      }
    }
    return [copyOf(problem.duals), problem.sums, problem.gaps.slice()];
  }

  for (const length of ["short", "long"] as const) {
    for (const how of ["dense", "sparse"] as const) {
      for (const precision of ["float32", "float64"] as const) {
        test.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
          `the same bits: ${length}, ${how}, ${precision}, %s`,
          async (_, kernel) => {
            const whole = await run(length, how, kernel, precision, n);
            for (const slots of [1, 2, 7, n - 1]) {
              expect(await run(length, how, kernel, precision, slots)).toEqual(whole);
            }
          },
        );
      }
    }
  }

  test.each([24, 1010])(
    "an odd number of rows with %i columns, sparse and dense: certified, and the same optimum",
    async (d) => {
      for (const kernel of kernels) {
        const { features: rows, labels } = clouds(33, d, m, 4, 0.3);
        const few = rows.map((row, i) => row.map((v, l) => ((i + l) % 12 === 0 ? v : 0)));
        const options: FitOptions = { ...tight, kernel: kernel as Kernel, intercept: false };
        const [sparse, dense] = await Promise.all([csr(few), few].map((given) => fit(given, labels, options)));
        for (const model of [sparse, dense]) {
          expectKernelCertified(model, { features: few, kernel, labels, loss: hinge, C: 1, precision: "float64" });
          expect(model.certificate.status).toBe("solved");
        }
        const [a, b] = [sparse, dense].map((model) => model.certificate.primalObjective);
        expect(Math.abs(a - b)).toBeLessThanOrEqual(2e-9 * a);
      }
    },
  );
});

describe("intercept, scaling, sparse rows, weights", () => {
  test.each(kernels.map((kernel) => [kernel.name, kernel] as const))("%s: the intercept is a constant in the kernel", async (_, kernel) => {
    const interceptScale = 1.5;
    const [a, b] = await Promise.all([
      fit(features, labels, { ...tight, kernel: kernel as Kernel, interceptScale }),
      fit(asGram(gramOf(features, features, kernel, interceptScale ** 2)), labels, { ...tight, intercept: false }),
    ]);
    const P = a.certificate.primalObjective;
    expect(Math.abs(b.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
    // b_j = s^2 sum_i a_ij
    const A = rowsOf(a.dualVariables);
    a.intercepts.forEach((value, j) => {
      const sum = A.reduce((total, row) => total + row[j], 0);
      expect(Math.abs(value - interceptScale ** 2 * sum)).toBeLessThanOrEqual(1e-12);
    });
    expectKernelCertified(a, { features, kernel, labels, loss: hinge, C: 1, precision: "float64", interceptScale });
    expect([...b.intercepts]).toEqual([0, 0, 0, 0]);
  }); // prettier-ignore

  test("scores are those of the dual variables, on rows seen and unseen", async () => {
    for (const kernel of kernels) {
      const model = await fit(features, labels, { kernel: kernel as Kernel, interceptScale: 2, precision: "float64" });
      const K = gramOf(held.features, features, kernel, 4);
      const expected = scoresOf(K, rowsOf(model.dualVariables)).flat();
      const size = Math.max(...expected.map(Math.abs), ...K.flat());
      expect(largestDifference(model.scores(held.features), expected)).toBeLessThanOrEqual(1e-12 * size);
    }
  });

  test("scaling is applied to features before the kernel", async () => {
    const raw = features.map(([a, b, c]) => [100 * a, b, c / 100]);
    const factor = raw[0].map((_, l) => Math.max(...raw.map((row) => row[l])) - Math.min(...raw.map((row) => row[l])));
    const low = raw[0].map((_, l) => Math.min(...raw.map((row) => row[l])));
    const byHand = raw.map((row) => row.map((v, l) => (2 * (v - low[l])) / factor[l] - 1));
    const options: FitOptions = { ...tight, kernel: rbf };
    const [a, b] = await Promise.all([
      fit(raw, labels, { ...options, scaling: "minmax" }),
      fit(byHand, labels, options),
    ]);
    expect(largestDifference(a.scores(raw), b.scores(byHand))).toBeLessThanOrEqual(1e-7);
    expect(load(a.toBytes()).scores(raw)).toEqual(a.scores(raw));
  });

  test("sparse rows are the same problem", async () => {
    const wide = features.map((row, i) => Array.from({ length: 40 }, (_, l) => (l % 13 === i % 13 ? row[l % 3] : 0)));
    // Sparse columns are divided by their deviation and not centred.
    const deviations = wide[0].map((_, l) => {
      const column = wide.map((row) => row[l]);
      const mean = column.reduce((sum, v) => sum + v, 0) / column.length;
      return Math.sqrt(column.reduce((sum, v) => sum + (v - mean) ** 2, 0) / column.length) || 1;
    });
    const divided = wide.map((row) => row.map((v, l) => v / deviations[l]));
    for (const kernel of kernels) {
      for (const [scaling, rows] of [
        ["none", wide],
        ["standard", divided],
      ] as const) {
        if (scaling === "standard" && kernel.name === "poly") continue;
        const options: FitOptions = { ...tight, kernel: kernel as Kernel };
        const dense = await fit(rows, labels, options);
        const sparse = await fit(csr(wide), labels, { ...options, scaling });
        const P = dense.certificate.primalObjective;
        expect(Math.abs(sparse.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
        expectKernelCertified(sparse, { features: rows, kernel, labels, loss: hinge, C: 1, precision: "float64", interceptScale: 1 }); // prettier-ignore
        expect(largestDifference(sparse.scores(csr(wide)), sparse.scores(wide))).toBeLessThanOrEqual(1e-12);
        expect(load(sparse.toBytes()).scores(csr(wide))).toEqual(sparse.scores(csr(wide)));
      }
    }
  });

  test("rows so near that their distance is lost in rounding count as equal", async () => {
    const rows = [[1000007.3824137534, 368228.87725253525], [1000007.3824137355, 368228.8772525364], [0, 0]]; // prettier-ignore
    const [x, z] = rows;
    const distance2 = x[0] ** 2 + x[1] ** 2 + (z[0] ** 2 + z[1] ** 2) - 2 * (x[0] * z[0] + x[1] * z[1]);
    expect(distance2).toBeLessThan(0);
    const options: FitOptions = { ...tight, kernel: { name: "rbf", gamma: 1e5 } };
    const same = await fit([x, x, rows[2]], ["a", "b", "b"], options);
    const P = same.certificate.primalObjective;
    const wide = rows.map((row) => [...row, ...Array<number>(38).fill(0)]); // kept sparse
    for (const given of [rows, wide, csr(wide)]) {
      const near = await fit(given, ["a", "b", "b"], options);
      expect(Math.abs(near.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
      expect(largestDifference(near.scores(given), same.scores(rows))).toBeLessThanOrEqual(1e-9);
    }
  });

  test("sparse rows are refused where what their distances are made of may overflow", async () => {
    const options: FitOptions = { ...tight, kernel: rbf, intercept: false };
    const y = ["a", "b", "a"];
    const rowsOfSize = (size: number): number[][] => [[size, 1], [size, 0], [0, 1]]; // prettier-ignore
    const wide = (rows: number[][]) => csr(rows.map((row) => [...row, ...Array<number>(38).fill(0)]));
    const expectTrue = (model: Model, near: number): void => {
      const K = [[1, near, 0], [near, 1, 0], [0, 0, 1]]; // prettier-ignore
      expectKernelCertified(model, { K, labels: y, loss: hinge, C: 1, precision: "float64" });
    };
    expectTrue(await fit(rowsOfSize(1e154), y, options), Math.exp(-0.3));
    await expect(fit(wide(rowsOfSize(1e154)), y, options)).rejects.toThrow(
      'fit: "features" row 0 has a squared norm that overflows float64; scale the features',
    );
    expectTrue(await fit(wide(rowsOfSize(6e153)), y, options), 1); // of products, a distance of 1 is lost
  });

  test("poly's gamma is 1 / (d variance) unless given", async () => {
    const gammaOf = (values: number[]): number => {
      const mean = values.reduce((a, b) => a + b) / values.length;
      return values.length / (3 * values.reduce((sum, v) => sum + (v - mean) ** 2, 0));
    };
    const gamma = gammaOf(features.flat());
    const options: FitOptions = { loss: "softmax", precision: "float64", tolerance: 1e-9 };
    const [a, b, c] = await Promise.all([
      fit(features, labels, { ...options, kernel: { name: "poly", degree: 2 } }),
      fit(features, labels, { ...options, kernel: { name: "poly", degree: 2, gamma, coef0: 0 } }),
      fit(csr(features), labels, { ...options, kernel: { name: "poly", degree: 2 } }),
    ]);
    const P = b.certificate.primalObjective;
    for (const { certificate } of [a, c])
      expect(Math.abs(certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
    // Zeros that are left out count, too.
    const holes = features.map((row, i) => row.map((v, l) => (l === i % 3 ? 0 : v + 1)));
    const given = { name: "poly", degree: 2, gamma: gammaOf(holes.flat()) } as const;
    const filled = (await fit(holes, labels, { ...options, kernel: given })).certificate.primalObjective;
    for (const rows of [holes, csr(holes)]) {
      const { certificate } = await fit(rows, labels, { ...options, kernel: { name: "poly", degree: 2 } });
      expect(Math.abs(certificate.primalObjective - filled)).toBeLessThanOrEqual(2e-9 * filled);
    }
    const same = await fit([[3, 3], [3, 3]], ["a", "b"], { kernel: { name: "poly", degree: 2 } }); // prettier-ignore
    expect(same.certificate.status).toBe("solved");
  });

  test("weights are there for the linear kernel alone", async () => {
    for (const precision of ["float32", "float64"] as const) {
      const model = await fit(features, labels, { ...tight, precision, tolerance: 1e-5, kernel: { name: "linear" } });
      const { data, rows, cols } = model.weights;
      expect([rows, cols]).toEqual([m, 3]);
      expect(model.scores(held.features)).toEqual(loadPredictor(model.toBytes()).scores(held.features));
      expect(data).toBeInstanceOf(Float64Array);
      expect(load(model.toBytes({ duals: true })).dualVariables).toEqual(model.dualVariables);
    }
    expect((await fit(features, labels, { kernel: rbf })).weights).toBeUndefined();
    expect((await fit(asGram(gramOf(features, features, { name: "linear" })), labels)).weights).toBeUndefined();
  });
});

describe("Gram matrices", () => {
  const kernel: KernelSpec = { name: "rbf", gamma: 0.3 };
  const K = gramOf(features, features, kernel);
  const heldGram = { gram: Float32Array.from(gramOf(held.features, features, kernel).flat()), rows: 15 };

  test("float32 and float64 matrices, and a triangle that differs by rounding", async () => {
    const exact = await fit(asGram(K), labels, tight);
    const single = await fit({ gram: Float32Array.from(K.flat()), rows: 40 }, labels, { ...tight, tolerance: 1e-6 });
    const rounded = K.map((row, i) => row.map((v, j) => (i < j ? v * (1 + 1e-13) : v)));
    const tilted = await fit(asGram(rounded), labels, tight);
    const P = exact.certificate.primalObjective;
    expect(Math.abs(single.certificate.primalObjective - P)).toBeLessThanOrEqual(1e-5 * P);
    expect(Math.abs(tilted.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
    const turned = await fit(asGram(rounded.map((row, i) => row.map((_, j) => rounded[j][i]))), labels, tight);
    expect(turned.dualVariables).toEqual(tilted.dualVariables);
  });

  test("a kernel that was centred, of which a row is next to nothing but rounding", async () => {
    for (let turn = 0; turn < 40; turn++) {
      const uniform = uniforms(turn + 1);
      const rows = Array.from({ length: 10 }, () => Array.from({ length: 3 }, () => 3 * uniform() - 1));
      const mean = [0, 1, 2].map((l) => rows.reduce((sum, row) => sum + row[l], 0) / 10);
      const k = gramOf([...rows, mean], [...rows, mean], { name: "linear" });
      const means = k.map((row) => row.reduce((sum, value) => sum + value, 0) / 11);
      const all = means.reduce((sum, value) => sum + value, 0) / 11;
      const centred = k.map((row, i) => row.map((value, j) => value - (means[i] + means[j]) + all));
      const model = await fit(asGram(centred), [...rows.keys(), 0].map((i) => i % 2), { precision: "float64" }); // prettier-ignore
      expect(model.certificate.status).toBe("solved");
    }
  });

  test("validation, evaluation, ranks and probabilities take rows of kernel values", async () => {
    const options: FitOptions = { ...exact, loss: "softmax" };
    const model = await fit(asGram(K), labels, { ...options, validation: { features: heldGram, labels: held.labels } });
    const direct = await fit(features, labels, { ...options, kernel: rbf, validation: held });
    const evaluation = model.evaluate(heldGram, held.labels);
    expect(model.history.at(-1)!.validation![0].topKAccuracy).toEqual(evaluation.topKAccuracy);
    expect(evaluation.topKAccuracy).toEqual(direct.evaluate(held.features, held.labels).topKAccuracy);
    // ||f - f*||^2 <= 2 (P - P*) of either, ||u|| <= sqrt(2) ||f|| as k(x, x) + 1 = 2, and the gradient of the loss has norm sqrt(2) at
    // most, in the 1-norm 2. A Gram matrix in float32 rounds each score by n 2^-24 at most, as k <= 1 and |a| <= C = 1.
    const reach = [model, direct].reduce((sum, { certificate }) => sum + Math.sqrt(2 * certificate.dualityGap!), 0);
    const rounding = 2 * labels.length * 2 ** -24;
    const { loss } = direct.history.at(-1)!.validation![0];
    expect(Math.abs(loss - evaluation.loss)).toBeLessThanOrEqual(2 * reach + rounding);
    expect(model.topK(heldGram, 1).map(([{ label }]) => label)).toEqual(model.predict(heldGram));
    const mass = [...model.probabilities(heldGram)].reduce((sum, p) => sum + p, 0);
    expect(Math.abs(mass - 15)).toBeLessThanOrEqual(15 * 8 * EPS);
  }); // prettier-ignore

  test("a diagonal below 0 by rounding counts as 0", async () => {
    const options = { precision: "float64", intercept: false } as const;
    const [zero, below] = await Promise.all(
      [0, -1e-12].map((own) => fit({ gram: Float64Array.of(1, 0, 0, own), rows: 2 }, ["a", "b"], options)),
    );
    expect(below.dualVariables).toEqual(zero.dualVariables);
    expect(below.certificate).toMatchObject({ status: "solved", dualObjective: zero.certificate.dualObjective });
  });

  test("the matrix is left as it was", async () => {
    const input = asGram(K);
    const before = input.gram.slice();
    await fit(input, labels);
    expect(input.gram).toEqual(before);
  });
});

describe("prediction refuses", () => {
  const kernel: KernelSpec = { name: "rbf", gamma: 0.3 };
  const K = asGram(gramOf(features, features, kernel));
  const wanted = "must be { gram, rows }, kernel values against the training examples, as the fit was given";

  test("rows where kernel values belong, and the reverse", async () => {
    const model = await fit(K, labels);
    expect(() => model.predict(features)).toThrow(`predict: "features" ${wanted}, got an array`);
    expect(() => model.scores({ gram: new Float64Array(60), rows: 2 })).toThrow(
      'scores: "features" gram has 60 values but rows x training examples is 2 x 40',
    );
    expect(() => model.topK({ gram: new Float64Array(80).fill(NaN), rows: 2 }, 1)).toThrow(
      'topK: "features" row 0, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column',
    );
    expect(() => model.evaluate(features, labels)).toThrow(`evaluate: "features" ${wanted}, got an array`);
    const direct = await fit(features, labels, { kernel: rbf });
    expect(() => direct.scores(K)).toThrow("{ data, indices, indptr, rows, cols }, got an object");
    expect(() => direct.scores([[1, 2]])).toThrow('scores: "features" has 2 columns but the model was fitted on 3');
    expect(() => loadPredictor(direct.toBytes())).toThrow('load: a kernel model, which needs the load of "topk-sdca"');
    expect(() => loadPredictor(model.toJSON())).toThrow("load: a kernel model");
  });
});

describe("around a fit", () => {
  const options: FitOptions = { ...tight, kernel: rbf };
  const bitsOf = ({ dualVariables, certificate, intercepts }: Model): unknown => [
    ...[dualVariables!.data, intercepts, certificate.epochs, certificate.primalObjective, certificate.dualObjective],
  ];

  test("same seed, same bits, however a fit yields", async () => {
    for (const loss of ["softmax", "hinge"] as const) {
      const runs = await Promise.all(
        (["auto", 1, "never"] as const).map((yieldEvery) => fit(features, labels, { loss, kernel: rbf, yieldEvery })),
      );
      for (const run of runs.slice(1)) expect(bitsOf(run)).toEqual(bitsOf(runs[0]));
    }
  });

  test("the same problem again takes no epoch; another gamma, C or loss starts there", async () => {
    const first = await fit(features, labels, options);
    const again = await fit(features, labels, { ...options, initial: first });
    expect(again.certificate).toMatchObject({ status: "solved", epochs: 0 });
    expect(again.dualVariables).toEqual(first.dualVariables);
    expect(again.scores(held.features)).toEqual(first.scores(held.features));
    const saved = load(first.toBytes({ duals: true }));
    expect((await fit(features, labels, { ...options, initial: saved })).certificate.epochs).toBe(0);

    const next: FitOptions = { ...options, gamma: 0.5, C: 2, kernel: { name: "rbf", gamma: 0.25 } };
    const [warm, cold] = await Promise.all([
      fit(features, labels, { ...next, initial: first }),
      fit(features, labels, next),
    ]);
    expect(warm.certificate.status).toBe("solved");
    const P = cold.certificate.primalObjective;
    expect(Math.abs(warm.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);

    const primal = await fit(features, labels, { ...tight, tolerance: 1e-6, initial: first });
    expect(primal.certificate.status).toBe("solved");
    const gram = asGram(gramOf(features, features, { name: "rbf", gamma: 0.3 }));
    await expect(fit(gram, labels, { initial: first })).rejects.toThrow(
      'fit: "initial" was not fitted on a Gram matrix',
    );
    const fromGram = await fit(gram, labels, tight);
    await expect(fit(features, labels, { initial: fromGram })).rejects.toThrow('"initial" was fitted on a Gram matrix');
    expect((await fit(gram, labels, { ...tight, initial: fromGram })).certificate.epochs).toBe(0);
  });

  test("aborted before the start there are no support vectors; aborted later the point holds", async () => {
    const none = await fit(features, labels, { ...options, signal: AbortSignal.abort() });
    expect(none.certificate).toMatchObject({ status: "aborted", epochs: 0, dualObjective: 0 });
    expect([...none.scores(held.features)]).toEqual(Array(15 * m).fill(0));
    expect(load(none.toBytes()).scores(held.features)).toEqual(none.scores(held.features));
    const stop = new AbortController();
    const some = await fit(features, labels, {
      ...options,
      tolerance: 0,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(some.certificate.status).toBe("aborted");
    const kernel: KernelSpec = { name: "rbf", gamma: 0.3 };
    expectKernelCertified(some, {
      features,
      kernel,
      labels,
      loss: hinge,
      C: 1,
      precision: "float64",
      interceptScale: 1,
    });
  });

  test("sample weights", async () => {
    const sampleWeight = features.map((_, i) => (i < 10 ? 2 : 1));
    const twice = await fit([...features, ...features.slice(0, 10)], [...labels, ...labels.slice(0, 10)], options);
    const weighted = await fit(features, labels, { ...options, sampleWeight });
    const P = twice.certificate.primalObjective;
    expect(Math.abs(weighted.certificate.primalObjective - P)).toBeLessThanOrEqual(2e-9 * P);
  });

  test.each([1, 100])("a Gram matrix that turns out to be none, C = %s", async (C) => {
    const gram = Float64Array.of(1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1); // its least eigenvalue is -0.8
    await expect(fit({ gram, rows: 3 }, ["a", "b", "a"], { C, loss: "hinge", intercept: false })).rejects.toThrow(
      /^fit: "features" gram must be positive semidefinite, .*: sum <a_i, a_j> k\(x_i, x_j\) is -/,
    );
  });

  test.each(["linear", "gram"])(
    "values that rounding to float32 makes indefinite are not to blame: %s",
    async (how) => {
      const uniform = uniforms(5);
      const far = Array.from({ length: 20 }, () => [2000 + uniform(), 2000 + uniform(), uniform()]);
      const y = far.map(() => (uniform() > 0.5 ? "a" : "b"));
      const options = { loss: "hinge", precision: "float32", maxEpochs: 20_000 } as const;
      const suits = vi.spyOn(InteriorPoint, "suits").mockReturnValue(false); // which keeps away from there
      const { certificate, history } = await (how === "gram"
        ? fit(asGram(gramOf(far, far, { name: "linear" })), y, options)
        : fit(far, y, { ...options, kernel: { name: "linear" } }));
      suits.mockRestore();
      // A point where something is proven, if only a little, is returned rather than the one where the fit has ended.
      expect(history.some(({ relativeGap }) => relativeGap === Infinity)).toBe(true);
      expect(certificate.status).toBe("no-progress");
      expect(certificate.relativeGap).toBeLessThan(1);
      expect(certificate.hint).toContain('use precision: "float64"');
      const doubled = await fit(far, y, {
        ...options,
        maxEpochs: 100,
        precision: "float64",
        kernel: { name: "linear" },
      });
      expect(doubled.history.every(({ relativeGap }) => relativeGap! < Infinity)).toBe(true);
    },
  );

  test("where values have become indefinite no point is solved, however it is stretched", async () => {
    const n = 200;
    const gram = new Float32Array(n * n).map((_, e) => 1e6 + ((Math.floor(e / n) + e) % 2 ? 0.0625 : 0));
    const y = Array.from({ length: n }, (_, i) => i % 2);
    const C = 2.0202e-3 / (n * 0.03125);
    const options: FitOptions = { loss: "ova-hinge", C, intercept: false, maxEpochs: 5000, precision: "float32" };
    const { certificate, history } = await fit({ gram, rows: n }, y, options);
    expect(history.some(({ relativeGap }) => relativeGap === Infinity)).toBe(true);
    expect(certificate.status).toBe("no-progress");
    expect(certificate.dualObjective!).toBeLessThanOrEqual(C * n * 2 * (1 + 1e-9)); // P at W = 0
  });

  test.each(["float64", "float32"] as const)(
    "rbf of rows far from 0 is that of the same rows near it, %s",
    async (precision) => {
      const near = [0, 1, 2, 3, 5, 9].map((v, i) => [v, (i * 4) % 7, i % 3]);
      const y = [0, 1, 2, 0, 1, 2];
      const options: FitOptions = { loss: "hinge", kernel: rbf, C: 10, intercept: false, precision };
      const model = await fit(near, y, options);
      for (const far of precision === "float64" ? [1e4, 1e7, 1e12] : [1e4, 1e6]) {
        const rows = near.map((row) => row.map((v) => v + far));
        const moved = await fit(rows, y, options);
        expect(moved.history).toEqual(model.history.map((one, e) => ({ ...one, seconds: moved.history[e].seconds })));
        expect(moved.scores(rows)).toEqual(model.scores(near));
      }
    },
  );

  test("what no memory can hold is refused before any work", async () => {
    const rows = 1_100_000;
    const many = { data: new Float32Array(rows), rows, cols: 1 };
    const y = Uint32Array.from({ length: rows }, (_, i) => i % 300);
    await expect(fit(many, y, { kernel: rbf })).rejects.toThrow(
      /^fit: 1100000 examples with a kernel x 300 classes need 6\.9 GiB of memory \(scores 4\.9 GiB, .*more than the 4\.0 GiB/,
    );
    const precomputed = { name: "precomputed", gamma: 0, degree: 0, coef0: 0, constant: 0, columns: 0 } as const;
    const shape = {
      numExamples: 40_000,
      numFeatures: 40_000,
      numClasses: 2,
      precision: "float32",
      kernel: precomputed,
    } as const;
    expect(() => refuseTooLarge("fit", shape, resolveLoss("fit", "hinge", {}))).toThrow("kernel values 6.0 GiB");
  });
});
