import { beforeAll, describe, expect, test, vi } from "vitest";
import { readRows, type Rows } from "../../src/features.ts";
import { exampleCosts } from "../../src/fit/costs.ts";
import { loadFine, planProblem } from "../../src/fit/loadProblem.ts";
import { fit, init, load, type CsrMatrix, type Features, type FitOptions, type Model } from "../../src/index.ts";
import { resolveLoss, type Loss } from "../../src/losses.ts";
import { modelState } from "../../src/model.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import { resolveSettings } from "../../src/settings.ts";
import { layOut, refuseTooLarge } from "../../src/wasm/layout.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified, rowsOf } from "../helpers/certified.ts";
import { csrOf, placesOf, spread, untidyCsrOf } from "../helpers/csr.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import { untimed } from "../helpers/untimed.ts";

/**
 * CSR features against the same problem written out. The narrow rows have so few columns that they are stored dense; the wide
 * ones are the narrow ones among empty columns, and are stored sparse whatever the loss.
 */

beforeAll(() => init());

const narrowWidth = 28;
const width = 90;
const m = 5;
const n = 60;

/** Rows with four nonzeros of 28, where the class says which columns are likely; one row and one column are empty. */
function sparseRows(count: number, seed: number): { narrow: number[][]; labels: string[] } {
  const uniform = uniforms(seed);
  const normal = normals(seed + 1);
  const labels = Array.from({ length: count }, (_, i) => "abcde"[i % m]);
  const narrow = labels.map((_, i) => {
    const row = new Array<number>(narrowWidth).fill(0);
    for (let t = 0; t < 4 && i !== 17; t++) {
      const likely = 5 * (i % m) + Math.floor(5 * uniform());
      const l = uniform() < 0.6 ? likely : Math.floor(27 * uniform());
      row[l] = 1 + 0.5 * normal();
    }
    return row;
  });
  return { narrow, labels };
}

const { narrow, labels } = sparseRows(n, 3);
const wide = spread(narrow, width);
const csr = csrOf(wide);
const held = sparseRows(40, 30);
const heldWide = spread(held.narrow, width);
const heldCsr = csrOf(heldWide);
const places = placesOf(narrowWidth, width);

/** Row j of the weights of wide features at the columns that are not empty. */
const narrowed = (weights: Model["weights"]): number[] => rowsOf(weights).flatMap((row) => places.map((l) => row[l]));

/** How a problem lies in memory: the nonzeros if it is stored sparse. */
const storedNonzeros = (features: Features, options: FitOptions = {}, numClasses = m): Promise<number | undefined> =>
  storeRows(readRows("fit", "features", features), options, numClasses);

async function storeRows(rows: Rows, options: FitOptions, numClasses = m): Promise<number | undefined> {
  const settings = resolveSettings("fit", options);
  const y = Int32Array.from({ length: rows.count }, (_, i) => i % numClasses);
  const pacer = new Pacer("never");
  const classes = Array.from({ length: numClasses }, (_, j) => j);
  const truth = { indices: y };
  const costs = exampleCosts("fit", settings, classes, truth);
  const input = { caller: "fit", settings, rows, classes, truth, costs, anchor: undefined };
  const { problem } = await loadFine(input, await planProblem(input, pacer), false, pacer);
  const { nonzeros } = problem.kernel?.shape ?? problem.shape;
  problem.release();
  return nonzeros;
}

/** The same rows as one dense matrix. */
const denseOf = (rows: number[][], Floats: typeof Float32Array | typeof Float64Array): Features => ({
  ...{ data: Floats.from(rows.flat()), rows: rows.length, cols: rows[0].length },
});

/** Everything that a model says, bit for bit; times aside. */
const bitsOf = (model: Model): unknown => [
  model.weights,
  model.intercepts,
  model.dualVariables,
  model.history.map(untimed),
];

describe("what is stored sparse", () => {
  const nonzeros = wide.flat().filter((v) => v !== 0).length;

  test("rows with few nonzeros, however they are given; with the constant feature", async () => {
    for (const form of [csr, wide, untidyCsrOf(wide)]) {
      expect(await storedNonzeros(form, { intercept: false })).toBe(nonzeros);
      expect(await storedNonzeros(form)).toBe(nonzeros + n);
    }
  });

  test("less than half where steps are over every class; never so few columns", async () => {
    const third = Array.from({ length: n }, (_, i) => Array.from({ length: 40 }, (_, l) => Number((i + l) % 3 === 0)));
    const two = third.map((row) => row.map((v, l) => (l % 3 ? 1 : v)));
    const count = third.flat().filter(Boolean).length;
    for (const form of [(rows: number[][]) => rows, csrOf, untidyCsrOf]) {
      expect(await storedNonzeros(form(third), { intercept: false, loss: "ova-logistic" })).toBe(count);
      expect(await storedNonzeros(form(third), { loss: "hinge" })).toBeUndefined();
      expect(await storedNonzeros(form(two), { loss: "ova-logistic" })).toBeUndefined();
      expect(await storedNonzeros(form(narrow))).toBeUndefined();
    }
  });

  describe("filled again while they are read: refused, and nothing is written beyond the room for what was there", () => {
    const big = 200;
    const forms = {
      rows: () =>
        Array.from({ length: n }, (_, i) => Array.from({ length: big }, (_, l) => Number((i + l) % 50 === 0))),
      matrix: () => ({
        data: Float32Array.from({ length: n * big }, (_, p) => Number(p % 50 === 0)),
        rows: n,
        cols: big,
      }),
    };
    const fill = (features: Features, values: number): void => {
      const arrays = "data" in features ? [features.data] : (features as number[][]);
      let left = values;
      for (const array of arrays) for (let p = 0; p < array.length; p++) if (array[p] === 0 && left-- > 0) array[p] = 7;
    };
    const options: [string, FitOptions][] = [
      ["as they are", { intercept: false }],
      ["with the constant", {}],
      ["rounded", { loss: "truncated-topk-entropy", k: 1 }],
      ["scaled", { scaling: "unit-rows" }],
      ["for a kernel", { kernel: { name: "rbf", gamma: 1 } }],
    ];
    const cases = (["rows", "matrix"] as const).flatMap((form) =>
      options.flatMap(([how, given]) => [1, n * big].map((values) => [form, how, values, given] as const)),
    );
    test.each(cases)("%s, %s: %i values more", async (form, _, values, given) => {
      const features = forms[form]();
      const rows = readRows("fit", "features", features);
      let passes = 0;
      /** The first time they are counted. */
      const begin = (i: number): void => {
        if (i === 0 && ++passes === 2) fill(features, values);
      };
      const watched: Rows = {
        ...rows,
        row: (i) => (begin(i), rows.row(i)),
        ...(rows.block && { block: (from, count) => (begin(from), rows.block!(from, count)) }),
      };
      expect(await storedNonzeros(forms[form](), given)).toBeGreaterThan(0);
      await expect(storeRows(watched, given)).rejects.toThrow(
        new RangeError('fit: "features" changed while they were read'),
      );
    });
  });

  test("of many values, too, where some of the rows tell", async () => {
    const [rows, cols] = [1200, 1000];
    /** Every 16th row is full, as a pattern that the sample might follow; of the others one column in `gap` is. */
    const make = (gap: number): Float32Array =>
      new Float32Array(rows * cols).map((_, p) => Number(Math.floor(p / cols) % 16 === 0 || p % gap === 0));
    const columns = new Int32Array(rows * cols).map((_, p) => p % cols);
    const indptr = new Int32Array(rows + 1).map((_, i) => i * cols);
    for (const [gap, classes, loss, sparse] of [
      [40, 100, "hinge", true], // 8.6 %
      [20, 100, "hinge", false], // 10.9 %, too near to the border for a sample
      [4, 100, "hinge", false],
      [9, 40, "hinge", true], // 16.7 %
      [8, 40, "hinge", false], // 18.0 %
      [6, 20, "hinge", true], // 21.9 %
      [6, 2, "hinge", true],
      [4, 2, "hinge", false],
      [4, 100, "softmax", true], // 29.7 %
      [1, 2, "softmax", false],
    ] as const) {
      const data = make(gap);
      const dense = { data, rows, cols };
      const zerosAndAll = { data, rows, cols, indices: columns, indptr };
      const found = await storedNonzeros(dense, { loss, intercept: false }, classes);
      expect(found).toBe(sparse ? data.filter((v) => v !== 0).length : undefined);
      expect(await storedNonzeros(zerosAndAll, { loss, intercept: false }, classes)).toBe(found);
    }
  });

  test("where scaling fills the zeros of dense rows they are dense, and sparse rows stay sparse", async () => {
    for (const scaling of ["standard", "unit-rows"] as const) {
      expect(await storedNonzeros(csr, { scaling })).toBe(nonzeros + n);
    }
    expect(await storedNonzeros(wide, { scaling: "unit-rows" })).toBe(nonzeros + n);
    expect(await storedNonzeros(wide, { scaling: "standard" })).toBeUndefined();
    expect(await storedNonzeros(wide, { scaling: "minmax" })).toBeUndefined();
  });
});

describe("rows with very few nonzeros, which are copied in as they came", () => {
  const rare = spread(narrow, 1000);
  const tidy = csrOf(rare);
  // The first row that has to be mended comes after some that need not be; another only has zeros to be left out.
  const untidy = untidyCsrOf(rare);
  const upTo = 23;
  const mixed = {
    ...{ rows: n, cols: 1000 },
    data: Float64Array.from([
      ...tidy.data.subarray(0, tidy.indptr[upTo]),
      ...untidy.data.subarray(untidy.indptr[upTo]),
    ]),
    indices: Uint32Array.from([
      ...tidy.indices.subarray(0, tidy.indptr[upTo]),
      ...untidy.indices.subarray(untidy.indptr[upTo]),
    ]),
    indptr: Uint32Array.from(untidy.indptr, (end, i) =>
      i <= upTo ? tidy.indptr[i] : end - untidy.indptr[upTo] + tidy.indptr[upTo],
    ),
  };
  const zeros = csrOf(rare.map((row, i) => row.map((v, l) => (v === 0 && (i + l) % 200 === 3 ? 1e-300 : v))));
  zeros.data.forEach((v, p) => (zeros.data[p] = v === 1e-300 ? 0 : v));

  test.each([
    ["hinge", true, "float32"],
    ["softmax", false, "float64"],
    ["truncated-topk-entropy", true, "float32"],
  ] as const)("bit for bit, however they are given: %s, intercept %s, %s", async (loss, intercept, precision) => {
    const options = {
      loss,
      intercept,
      precision,
      tolerance: 1e-4,
      ...(loss.startsWith("trunc") && { k: 2 }),
    } as FitOptions;
    const model = await fit(rare, labels, options);
    expect(model.certificate.status).toMatch(/solved|stationary/);
    expect(zeros.data.length).toBeGreaterThan(tidy.data.length);
    const Floats = precision === "float32" ? Float32Array : Float64Array;
    const dense = denseOf(rare, Floats); // more rows than are copied in at once
    for (const form of [tidy, csrOf(rare, Floats, Uint32Array), untidy, mixed, zeros, dense]) {
      expect(bitsOf(await fit(form, labels, options))).toEqual(bitsOf(model));
    }
  });

  test.each([true, false])(
    "bit for bit with fewer zeros among them than there are constants, intercept %s",
    async (intercept) => {
      const given = csrOf(wide.map((row, i) => row.map((v, l) => (v === 0 && i % 9 === 0 && l === 0 ? 1e-300 : v))));
      given.data.forEach((v, p) => (given.data[p] = v === 1e-300 ? 0 : v));
      expect(given.data.length).toBe(csr.data.length + 6);
      expect(csr.data.length).toBeGreaterThan((n * width) / 32); // not very few
      const options = { loss: "softmax", intercept } as const;
      expect(bitsOf(await fit(given, labels, options))).toEqual(bitsOf(await fit(csr, labels, options)));
    },
  );

  test("bit for bit also with a kernel whose gamma depends on the data", async () => {
    const options = { kernel: { name: "poly", degree: 2 }, loss: "hinge", precision: "float64", C: 0.1 } as const;
    const model = await fit(narrow, labels, options);
    expect(model.certificate.status).toBe("solved");
    for (const form of [csrOf(narrow), denseOf(narrow, Float64Array)]) {
      expect(bitsOf(await fit(form, labels, options))).toEqual(bitsOf(model));
    }
  });

  test("a column beyond the last is refused where it ends a row, too", async () => {
    const at = tidy.indptr[upTo + 1] - 1;
    const indices = tidy.indices.slice();
    indices[at] = 1000;
    for (const intercept of [true, false]) {
      await expect(fit({ ...tidy, indices }, labels, { intercept })).rejects.toThrow(
        `fit: "features" row ${upTo}, indices entry ${at} must be an integer in [0, 999], got 1000`,
      );
    }
  });

  test("what is not legal is refused with its place", async () => {
    const at = tidy.indptr[upTo] + 1;
    const wrong = (change: (matrix: CsrMatrix) => void): CsrMatrix => {
      const copy = { ...tidy, data: tidy.data.slice(), indices: tidy.indices.slice() };
      change(copy);
      return copy;
    };
    for (const [column, told] of [
      [1000, "1000"],
      [-1, "-1"],
    ] as const) {
      const matrix = wrong(({ indices }) => (indices[at] = column));
      await expect(fit(matrix, labels)).rejects.toThrow(
        `fit: "features" row ${upTo}, indices entry ${at} must be an integer in [0, 999], got ${told}`,
      );
    }
    const matrix = wrong(({ data }) => (data[at] = NaN));
    await expect(fit(matrix, labels)).rejects.toThrow(`fit: "features" row ${upTo}, column ${tidy.indices[at]} is NaN`);
  });
});

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  const options: FitOptions = { ...optionsOf(spec), maxEpochs: 20_000, interceptScale: 2 };

  test("the optimum of the problem written out, in float64", async () => {
    const precision = "float64";
    for (const intercept of [true, false]) {
      const set = { ...options, ...(!intercept && { interceptScale: undefined }), intercept, precision } as FitOptions;
      const dense = await fit(narrow, labels, { ...set, tolerance: 1e-9 });
      const model = await fit(csr, labels, { ...set, tolerance: 1e-9 });
      expect([dense.certificate.status, model.certificate.status]).toEqual(["solved", "solved"]);
      const interceptScale = intercept ? 2 : 0;
      expectCertified(model, { features: wide, labels, loss: spec, C: 1, precision, interceptScale });
      const { primalObjective } = dense.certificate;
      expectWithin(model.certificate.primalObjective, primalObjective, 1e-9 * primalObjective, "primal objective");
      // P is 1-strongly convex: ||W - W*||^2 <= 2 gap.
      const apart = 2 * Math.sqrt(2 * 1e-9 * primalObjective);
      expectVectorWithin(narrowed(model.weights), [...dense.weights.data], apart, "weights");
      expect(model.weights.data.filter((v) => v !== 0).length).toBeLessThanOrEqual(m * narrowWidth);
      expect(model.predict(heldCsr)).toEqual(dense.predict(held.narrow));
      expect(model.evaluate(csr, labels).topKAccuracy).toEqual(dense.evaluate(narrow, labels).topKAccuracy);
    }
  });

  test("and in float32", async () => {
    const dense = await fit(narrow, labels, { ...options, tolerance: 1e-5 });
    const model = await fit(csr, labels, { ...options, tolerance: 1e-5 });
    expect([dense.certificate.status, model.certificate.status]).toEqual(["solved", "solved"]);
    expectCertified(model, { features: wide, labels, loss: spec, C: 1, precision: "float32", interceptScale: 2 });
    const { primalObjective } = dense.certificate;
    expectWithin(model.certificate.primalObjective, primalObjective, 1e-5 * primalObjective, "primal objective");
  });
});

describe("the same bits", () => {
  const options: FitOptions = { loss: "hinge", gamma: 0.5, tolerance: 1e-6 };

  test("for the same numbers in any form: arrays, a matrix, tidy and untidy CSR, indices of either kind", async () => {
    const expected = bitsOf(await fit(wide, labels, options));
    const forms = [csr, csrOf(wide, Float64Array, Uint32Array), untidyCsrOf(wide), denseOf(wide, Float64Array)];
    for (const form of forms) expect(bitsOf(await fit(form, labels, options))).toEqual(expected);
    const rounded = wide.map((row) => row.map(Math.fround));
    const single = await fit(csrOf(rounded, Float32Array), labels, options);
    for (const form of [rounded, denseOf(rounded, Float32Array)]) {
      expect(bitsOf(await fit(form, labels, options))).toEqual(bitsOf(single));
    }
    expect(single.weights).toEqual((await fit(wide, labels, options)).weights); // in float32 anyway
  });

  test("again, and whatever yieldEvery is", async () => {
    const expected = bitsOf(await fit(csr, labels, { ...options, seed: 5 }));
    for (const yieldEvery of ["never", "auto", 1] as const) {
      expect(bitsOf(await fit(csr, labels, { ...options, seed: 5, yieldEvery }))).toEqual(expected);
    }
    expect(bitsOf(await fit(csr, labels, { ...options, seed: 6 }))).not.toEqual(expected);
  });

  test("and what was given stays as it was", async () => {
    const given = untidyCsrOf(wide);
    const copy = structuredClone(given);
    const model = await fit(given, labels, { scaling: "standard" });
    model.scores(given);
    loadPredictor(model.toBytes()).scores(given);
    expect(given).toEqual(copy);
  });
});

describe("emptiness", () => {
  test.each([true, false].flatMap((intercept) => [width, 5].map((cols) => [cols, intercept] as const)))(
    "rows of %i columns without any value, intercept: %s",
    async (cols, intercept) => {
      const indptr = new Int32Array(n + 1);
      const nothing: CsrMatrix = { data: new Float32Array(0), indices: new Int32Array(0), indptr, rows: n, cols };
      const zeros = { data: new Float32Array(n * cols), rows: n, cols };
      const model = await fit(nothing, labels, { intercept });
      const dense = await fit(zeros, labels, { intercept });
      expect(bitsOf(model)).toEqual(bitsOf(dense));
      expect(model.certificate.status).toBe("solved");
      expect(maxAbs(model.weights.data)).toBe(0);
      expect(model.scores(nothing)).toEqual(dense.scores(zeros).map((_, e) => model.intercepts[e % m]));
      for (const scaling of ["standard", "unit-rows"] as const) {
        expect((await fit(nothing, labels, { intercept, scaling })).weights).toEqual(model.weights);
      }
    },
  );

  test("a single row out of order changes nothing", async () => {
    const { data, indices, indptr } = csr;
    const one = { ...csr, data: data.slice(), indices: indices.slice() };
    const row = 41; // one of those with several values
    const [from, to] = [indptr[row], indptr[row + 1]];
    expect(to - from).toBeGreaterThan(1);
    one.data.subarray(from, to).reverse();
    one.indices.subarray(from, to).reverse();
    for (const loss of ["hinge", "softmax"] as const) {
      expect(bitsOf(await fit(one, labels, { loss }))).toEqual(bitsOf(await fit(csr, labels, { loss })));
    }
  });

  test("values that vanish in float32 and duplicates that cancel are zeros", async () => {
    const cancelling: CsrMatrix = {
      ...{ data: Float64Array.of(2, 3, -2, 1e-60, 1), indices: Int32Array.of(7, 3, 7, 3, 40) },
      ...{ indptr: Int32Array.of(0, 3, 5), rows: 2, cols: width },
    };
    const rows = [0, 1].map((i) => Array.from({ length: width }, (_, l) => (l === 3 && i === 0 ? 3 : Number(l === 40 && i === 1)))); // prettier-ignore
    const model = await fit(cancelling, ["a", "b"]);
    expect(bitsOf(model)).toEqual(bitsOf(await fit(rows, ["a", "b"])));
    expect(model.weights.data[7]).toBe(0);
  });

  test("a column that stands twice, one after the other, is added up, however few values there are", async () => {
    const matrix = (data: number[], indices: number[], indptr: number[]): CsrMatrix => ({
      ...{ data: Float64Array.from(data), indices: Int32Array.from(indices), indptr: Int32Array.from(indptr) },
      ...{ rows: 2, cols: 200 },
    });
    for (const intercept of [true, false]) {
      const twice = await fit(matrix([1, 2, 3, 1], [3, 3, 7, 40], [0, 3, 4]), ["a", "b"], { intercept });
      const once = await fit(matrix([3, 3, 1], [3, 7, 40], [0, 2, 3]), ["a", "b"], { intercept });
      expect(bitsOf(twice)).toEqual(bitsOf(once));
    }
  });
});

describe("scaling", () => {
  /** Divided by the population's standard deviation, column by column; constant columns are left alone. */
  function byDeviation(rows: number[][]): number[][] {
    const factor = rows[0].map((_, l) => {
      const mean = rows.reduce((sum, row) => sum + row[l], 0) / rows.length;
      const variance = rows.reduce((sum, row) => sum + (row[l] - mean) ** 2, 0) / rows.length;
      return variance > 0 ? 1 / Math.sqrt(variance) : 1;
    });
    return rows.map((row) => row.map((v, l) => v * factor[l]));
  }

  test("zeros that are stored change nothing", async () => {
    const data = Float64Array.from(wide.flat());
    const whole = {
      data,
      indices: Int32Array.from(data, (_, p) => p % width),
      indptr: Int32Array.from({ length: n + 1 }, (_, i) => i * width),
      ...{ rows: n, cols: width },
    };
    const options: FitOptions = { precision: "float64", scaling: "standard" };
    expect((await fit(whole, labels, options)).weights).toEqual((await fit(csr, labels, options)).weights);
  });

  test("standard divides by the deviation, zeros counted in, and shifts nothing", async () => {
    const options: FitOptions = { precision: "float64", tolerance: 1e-12, scaling: "standard" };
    const model = await fit(csr, labels, options);
    const scaled = byDeviation(wide);
    const expected = await fit(csrOf(scaled), labels, { ...options, scaling: "none" });
    const { primalObjective } = expected.certificate;
    expectWithin(model.certificate.primalObjective, primalObjective, 2e-12 * primalObjective, "primal objective");
    expect(model.predict(csr)).toEqual(expected.predict(csrOf(scaled)));
    // P(W) - P* >= 1/2 ||W - W*||^2: so far may the weights of either be from the optimum of both, and scores from each other.
    const distances = [model, expected].map(({ certificate }) => Math.sqrt(2 * certificate.dualityGap!));
    const norm = Math.max(...scaled.map((row) => Math.hypot(...row, 1)));
    const apart = norm * (distances[0] + distances[1]) + 1e-9;
    expect(apart).toBeLessThanOrEqual(1e-4);
    expectVectorWithin([...model.scores(csr)], [...expected.scores(csrOf(scaled))], apart);
    const { shift, factor } = modelState(model)!.scaling!;
    expect(maxAbs(shift)).toBe(0);
    expect(factor[1]).toBe(1); // an empty column
  });

  test("standard with numbers of any size, and with a column that is the same everywhere", async () => {
    const extreme = wide.map((row) => row.map((v, l) => (l === 1 ? 0.1 : v * 10 ** ((l % 7) * 90 - 270))));
    const model = await fit(csrOf(extreme), labels, { precision: "float64", scaling: "standard", tolerance: 1e-9 });
    const { factor } = modelState(model)!.scaling!;
    expect(factor[1]).toBe(1);
    const expected = await fit(csrOf(wide), labels, { precision: "float64", scaling: "standard" });
    modelState(expected)!.scaling!.factor.forEach((f, l) => {
      if (places.includes(l) && l !== 1 && f !== 1)
        expectWithin(factor[l] * 10 ** ((l % 7) * 90 - 270), f, 1e-12 * f, `factor ${l}`);
    });
    expect(model.certificate.status).toBe("solved");
  });

  test("standard of columns far from 0 divides as that of dense rows, with zeros among them or not", async () => {
    for (const offset of [0, 1e3, 1.7e9, 1e12, -1e8]) {
      const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((v) => [
        offset + (v % 5),
        v % 4 === 0 ? 0 : offset + v,
        2.5 * offset,
        v,
      ]);
      const options: FitOptions = { precision: "float64", scaling: "standard" };
      const ys = rows.map((_, i) => i % 2);
      const [dense, sparse] = await Promise.all([fit(rows, ys, options), fit(csrOf(rows), ys, options)]);
      expect(modelState(sparse)!.scaling!.factor, `${offset}`).toEqual(modelState(dense)!.scaling!.factor);
    }
  });

  test("unit-rows is that of dense rows, bit for bit", async () => {
    const model = await fit(csr, labels, { scaling: "unit-rows" });
    expect(bitsOf(model)).toEqual(bitsOf(await fit(wide, labels, { scaling: "unit-rows" })));
    expect(model.scores(heldCsr)).toEqual(model.scores(heldWide));
    const scores = model.scores(csrOf(heldWide.map((row) => row.map((v) => 1e200 * v))));
    expectVectorWithin([...scores], [...model.scores(heldCsr)], 1e-12);
  });

  test("minmax is refused", async () => {
    const call = fit(csr, labels, { scaling: "minmax" });
    await expect(call).rejects.toThrow(RangeError);
    await expect(call).rejects.toHaveProperty(
      "message",
      'fit: "scaling" must be "standard", "unit-rows" or "none" with sparse features: "minmax" fills zeros',
    );
  });

  test.each(["none", "standard", "minmax", "unit-rows"] as const)(
    "a model of dense rows with scaling %s takes sparse ones",
    async (scaling) => {
      const model = await fit(wide, labels, { scaling });
      for (const form of [heldCsr, untidyCsrOf(heldWide)]) {
        expect(model.scores(form)).toEqual(model.scores(heldWide));
        expect(model.topK(form, 3)).toEqual(model.topK(heldWide, 3));
        expect(model.predict(form)).toEqual(model.predict(heldWide));
        expect(model.probabilities(form)).toEqual(model.probabilities(heldWide));
        expect(model.evaluate(form, held.labels)).toEqual(model.evaluate(heldWide, held.labels));
      }
    },
  );
});

describe("around a fit", () => {
  test("validation sets in either form", async () => {
    const sets = [
      { features: heldCsr, labels: held.labels },
      { features: heldWide, labels: held.labels },
      { features: untidyCsrOf(heldWide), labels: held.labels },
    ];
    for (const scaling of ["none", "standard"] as const) {
      for (const features of [csr, wide]) {
        const model = await fit(features, labels, { validation: sets, scaling });
        for (const { validation } of model.history) {
          expect(validation).toHaveLength(3);
          expect(validation![1]).toEqual(validation![0]);
          expect(validation![2]).toEqual(validation![0]);
        }
        const { topKAccuracy } = model.evaluate(heldCsr, held.labels);
        expect(model.history.at(-1)!.validation![0].topKAccuracy).toEqual(topKAccuracy);
      }
    }
  });

  test("a warm start, also from the dense form, at another C and from a saved model", async () => {
    const first = await fit(csr, labels, { loss: "hinge", gamma: 1, tolerance: 1e-4 });
    const saved = load(first.toBytes({ duals: true }));
    for (const initial of [first, saved, await fit(wide, labels, { loss: "hinge", gamma: 1, tolerance: 1e-4 })]) {
      const again = await fit(csr, labels, { loss: "hinge", gamma: 1, tolerance: 1e-4, initial });
      expect(again.certificate).toMatchObject({ status: "solved", epochs: 0 });
      const weaker = await fit(csr, labels, { loss: "hinge", gamma: 1, tolerance: 1e-4, C: 2, initial });
      expect(weaker.certificate.status).toBe("solved");
      const scored = { features: wide, labels, precision: "float32", interceptScale: 1 } as const;
      expectCertified(weaker, { ...scored, loss: { loss: "hinge", gamma: 1 }, C: 2 });
    }
  });

  test("an anchor, as a model and as weights", async () => {
    const options: FitOptions = { precision: "float64", tolerance: 1e-9 };
    const before = await fit(csr, labels, { ...options, C: 0.1 });
    const beforeNarrow = await fit(narrow, labels, { ...options, C: 0.1 });
    const dense = await fit(narrow, labels, { ...options, anchor: beforeNarrow });
    const { weights, intercepts } = before;
    for (const anchor of [before, { weights, intercepts }]) {
      const model = await fit(csr, labels, { ...options, anchor });
      expect(model.certificate.status).toBe("solved");
      const { primalObjective } = dense.certificate;
      // The anchors are fits of their own, as far from each other as their gaps allow: the root of 1e-9, about.
      expectWithin(model.certificate.primalObjective, primalObjective, 1e-6 * primalObjective, "primal objective");
      expect(model.predict(heldCsr)).toEqual(dense.predict(held.narrow));
    }
  });

  test("sample and class weights", async () => {
    const sampleWeight = labels.map((_, i) => 1 + (i % 4));
    const options: FitOptions = { sampleWeight, classWeight: "balanced", precision: "float64", tolerance: 1e-9 };
    const dense = await fit(narrow, labels, options);
    const { certificate } = await fit(csr, labels, options);
    expectWithin(certificate.primalObjective, dense.certificate.primalObjective, 1e-9 * certificate.primalObjective);
  });

  test("saved and loaded, here and by the entry for prediction, the same scores bit for bit", async () => {
    for (const scaling of ["none", "standard", "unit-rows"] as const) {
      const model = await fit(csr, labels, { scaling });
      const dense = await fit(wide, labels, { scaling: scaling === "standard" ? "minmax" : scaling });
      for (const saved of [model, dense]) {
        const copies = [load(saved.toBytes()), loadPredictor(saved.toBytes()), loadPredictor(JSON.stringify(saved))];
        for (const form of [heldCsr, untidyCsrOf(heldWide), heldWide]) {
          for (const copy of copies) {
            expect(copy.scores(form)).toEqual(saved.scores(heldWide));
            expect(copy.predict(form)).toEqual(saved.predict(heldWide));
            expect(copy.topK(form, m)).toEqual(saved.topK(heldWide, m));
            expect(copy.probabilities(form)).toEqual(saved.probabilities(heldWide));
          }
        }
      }
    }
  });

  test("time and memory go with the nonzeros: a million columns, each scaling", async () => {
    const cols = 1_000_000;
    const rows = 600;
    const uniform = uniforms(1);
    const indices = Int32Array.from({ length: 5 * rows }, (_, p) =>
      p % 5 === 0 ? Math.floor(p / 5) % 3 : 3 + Math.floor((cols - 3) * uniform()),
    );
    const indptr = Int32Array.from({ length: rows + 1 }, (_, i) => 5 * i);
    const features: CsrMatrix = { data: new Float32Array(5 * rows).fill(1), indices, indptr, rows, cols };
    const y = Array.from({ length: rows }, (_, i) => i % 3);
    for (const scaling of ["none", "standard", "unit-rows"] as const) {
      const began = performance.now();
      const model = await fit(features, y, { scaling });
      expect(model.certificate.status).toBe("solved");
      expect(model.predict(features)).toEqual(y);
      expect(performance.now() - began).toBeLessThan(10_000);
      // Those of the rows and of the constant feature, and not a million for each row.
      expect(await storedNonzeros(features, { scaling })).toBe(6 * rows);
    }
  });
});

describe("what no memory can hold", () => {
  /** One value in each row, in the last columns. */
  const diagonal = (rows: number, cols: number): CsrMatrix => ({
    ...{ data: new Float32Array(rows).fill(1), indices: Int32Array.from({ length: rows }, (_, i) => cols - 1 - i) },
    ...{ indptr: Int32Array.from({ length: rows + 1 }, (_, i) => i), rows, cols },
  });

  test.each(["none", "standard", "unit-rows"] as const)(
    "is refused with the estimate before any work, scaling %s",
    async (scaling) => {
      const y = Array.from({ length: 1000 }, (_, i) => i);
      const began = performance.now();
      const call = fit(diagonal(1000, 1e8), y, { scaling });
      await expect(call).rejects.toThrow(RangeError);
      await expect(call).rejects.toThrow(
        /^fit: 1000 examples x 100000001 features x 1000 classes need 1\.1 TiB of memory \(weights 1\.1 TiB, .*\), more than the 4\.0 GiB that WebAssembly can address$/,
      );
      const wider = fit(diagonal(1000, 2 ** 31 - 1), y, { scaling, precision: "float64" });
      await expect(wider).rejects.toThrow(/ 2147483648 features .* can address$/);
      const nearly = fit(diagonal(1000, 300_000), y, { scaling, precision: "float64" });
      await expect(nearly).rejects.toThrow(/ 300001 features .* can address; it fits with precision: "float32"$/);
      expect(performance.now() - began).toBeLessThan(5000);
    },
  );

  test("of a loss without a dual: refused before the softmax that it starts from, which there would be room for", async () => {
    const create = vi.spyOn(ResidentProblem, "create");
    const call = fit(diagonal(2, 7e7), [0, 1], { loss: "truncated-topk-entropy", k: 1 });
    await expect(call).rejects.toThrow(/^fit: 2 examples .* need 4\.2 GiB of memory .*that WebAssembly can address$/);
    expect(create).not.toHaveBeenCalled();
    create.mockRestore();
    const softmax = {
      ...{ numExamples: 2, numFeatures: 7e7, numClasses: 2, nonzeros: 2 },
      precision: "float32",
    } as const;
    expect(() => refuseTooLarge("fit", softmax, resolveLoss("fit", "softmax", {}))).not.toThrow();
  });

  test("of a loss without a dual: there is no room for dual variables", () => {
    const shape = { numExamples: 1e5, numFeatures: 10, numClasses: 1000, precision: "float64" } as const;
    const partsOf = (loss: Loss): string[] => layOut(shape, loss).arena.report.map(([what]) => what);
    expect(partsOf(resolveLoss("fit", "softmax", {}))).toContain("dual variables");
    expect(partsOf(resolveLoss("fit", "truncated-topk-entropy", { k: 2 }))).not.toContain("dual variables");
  });

  test("a million features and 58 classes are not too many", () => {
    const shape = { numExamples: 20_000, numFeatures: 1_000_001, numClasses: 58, nonzeros: 2_000_000 };
    const loss = resolveLoss("fit", "softmax", {});
    for (const precision of ["float32", "float64"] as const) {
      expect(() => refuseTooLarge("fit", { ...shape, precision, anchored: true }, loss)).not.toThrow();
      // As README says; classes come in fours.
      const { report } = layOut({ ...shape, precision }, loss).arena;
      const bytes = (precision === "float32" ? 12 : 16) * 60 * shape.numFeatures;
      expect(report[0]).toEqual(["weights", bytes]);
      if (precision === "float32") expect((bytes / 2 ** 30).toFixed(2)).toBe("0.67");
    }
  });
});
