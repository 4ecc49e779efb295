import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, metrics, prox, type Features, type FitOptions } from "../../src/index.ts";
import { modelState } from "../../src/model.ts";
import { rowScaler } from "../../src/model/scaling.ts";
import * as plain from "../../src/predict.ts";
import { sumsPay } from "../../src/wasm/expansionScores.ts";
import { scoresByKernels } from "../../src/wasm/rowScores.ts";
import { csrOf } from "../helpers/csr.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { inventModel } from "../helpers/saved.ts";

/** Scores by the kernels against those of plain JavaScript: the same numbers, to the last bit. */

type Row = number[];

/** Rows of which about so many entries are zero, none in the same places. */
function randomRows(n: number, d: number, zeros: number, seed: number): Row[] {
  const normal = normals(seed);
  const uniform = uniforms(seed);
  return Array.from({ length: n }, () => Array.from({ length: d }, () => (uniform() < zeros ? 0 : 3 * normal())));
}

beforeAll(() => init());

describe.each(["float32", "float64"] as const)("a model in %s", (precision) => {
  // Blocks of rows and of features that are not full, four of them and one more, and classes that are not all copied at once.
  test.each([
    [17, 300, 27],
    [31, 1030, 5],
    [33, 40, 100],
    [67, 256, 8],
    [100, 701, 2],
    [65, 30, 70],
    [20, 16384, 33],
    [5, 50000, 3],
  ])("%i rows of %i features, %i classes", (n, d, m) => {
    const rows = randomRows(n, d, 0.1, n);
    for (const scaling of d < 2000 ? ([undefined, "standard", "unit-rows"] as const) : [undefined]) {
      const model = inventModel({ classes: Array.from({ length: m }, (_, j) => j), d, precision, scaling });
      const state = modelState(model)!;
      const scale = state.scaling && rowScaler(state.scaling);
      const expected = plain.load(model.toBytes()).scores(rows);
      expect(scoresByKernels(state.weights!, state.intercepts, rows, scale)).toEqual(expected);
      expect(model.scores(rows)).toEqual(expected);
    }
  });
});

test("single rows, short ones, sparse ones and very long ones are left to JavaScript", () => {
  const by = (rows: Row[], m: number): Float64Array | undefined => {
    const data = new Float32Array(m * rows[0].length).fill(1);
    return scoresByKernels({ data, rows: m, cols: rows[0].length }, new Float64Array(m), rows, undefined);
  };
  expect(by(randomRows(2, 8192, 0, 1), 8)).toBeDefined();
  expect(by(randomRows(1, 8192, 0, 1), 16)).toBeUndefined();
  expect(by(randomRows(2, 8191, 0, 1), 8)).toBeUndefined();
  expect(by(randomRows(2, 2 ** 16, 0, 1), 2)).toBeDefined();
  expect(by(randomRows(2, 2 ** 16 + 1, 0, 1), 2)).toBeUndefined();
  const sparse = [{ indices: [0], values: [1] }, { indices: [0], values: [1] }]; // prettier-ignore
  const weights = { data: new Float32Array(2 ** 16), rows: 8, cols: 8192 };
  expect(scoresByKernels(weights, new Float64Array(8), sparse, undefined)).toBeUndefined();
});

test("what the memory of the kernels held before is nothing to scores", async () => {
  const rows = randomRows(137, 33, 0.2, 1);
  const linear = inventModel({ classes: Array.from({ length: 70 }, (_, j) => j), d: 33, precision: "float32" });
  const labels = rows.map((_, i) => i % 7);
  const expansion = await fit(rows, labels, { kernel: { name: "rbf", gamma: 0.02 }, maxEpochs: 3 });
  for (const model of [linear, expansion]) {
    const singly = rows.flatMap((row) => [...model.scores([row])]);
    prox.lambertWExp(new Float64Array(2 ** 19).fill(Infinity)); // leaves infinities
    expect([...model.scores(rows)]).toEqual(singly);
  }
});

describe.each([
  { name: "rbf", gamma: 0.02 },
  { name: "poly", gamma: 0.05, degree: 3, coef0: 0.5 },
] as const)("an expansion in $name", (kernel) => {
  // More rows than share support vectors, which are not a multiple of a block.
  test.each([
    [2, 40, 101],
    [7, 33, 150],
    [30, 8, 200],
  ])("%i classes, %i features, %i examples", async (m, d, n) => {
    const labels = Array.from({ length: n }, (_, i) => i % m);
    const rows = randomRows(137, d, 0.2, n);
    for (const precision of ["float32", "float64"] as const) {
      for (const scaling of [undefined, "standard"] as const) {
        const options: FitOptions = { kernel, precision, ...(scaling && { scaling }), maxEpochs: 3 };
        const model = await fit(randomRows(n, d, 0.2, m), labels, options);
        const { vectors } = modelState(model)!.expansion!;
        expect([rows.length, 1].map((count) => sumsPay(count, vectors.length, d))).toEqual([true, false]);
        const singly = rows.flatMap((row) => [...model.scores([row])]);
        expect([...model.scores(rows)]).toEqual(singly);
        expect([...model.scores(csrOf(rows))]).toEqual(singly);
      }
    }
  });
});

describe("a fit scores as its model does", () => {
  const [n, d, m] = [150, 37, 35];
  const forms: [string, Features, Features][] = [0, 0.3, 0.9].flatMap((zeros) => {
    const [rows, others] = [randomRows(n, d, zeros, 1), randomRows(70, d, zeros, 2)];
    return [
      [`dense, ${zeros} zeros`, rows, others],
      [`sparse, ${zeros} zeros`, csrOf(rows), others],
      [`dense, ${zeros} zeros, sparse ones held out`, rows, csrOf(others)],
      [`sparse, ${zeros} zeros, likewise`, csrOf(rows), csrOf(others)],
    ];
  });
  const settings: FitOptions[] = (["float32", "float64"] as const).flatMap((precision) => [
    { precision },
    { precision, intercept: false },
    { precision, scaling: "unit-rows" as const, interceptScale: 0.3 },
  ]);

  describe.each(forms)("%s", (_, features, others) => {
    test("held-out rows", async () => {
      const labels = Array.from({ length: n }, (_, i) => i % m);
      const validation = { features: others, labels: labels.slice(0, 70) };
      for (const options of settings) {
        const model = await fit(features, labels, { ...options, maxEpochs: 3, tolerance: 1e-9, validation });
        expect(model.history.at(-1)!.validation).toEqual([model.evaluate(others, validation.labels)]);
        expect(model.scores(others)).toEqual(plain.load(model.toBytes()).scores(others));
      }
    });

    test("the threshold of its own rows", async () => {
      const sets = Array.from({ length: n }, (_, i) => (i % 3 ? [i % m, (i * i + 1) % m] : [i % m]));
      const places = sets.map((set) => [...new Set(set)]);
      for (const options of settings) {
        const model = await fit(features, places, { ...options, loss: "multilabel-hinge", maxEpochs: 3 });
        const scores = { data: plain.load(model.toBytes()).scores(features), rows: n, cols: m };
        expect(model.threshold).toBe(metrics.chooseThreshold(scores, places).threshold);
      }
    });
  });
});
