import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, prox } from "../../src/index.ts";
import { farVectors, RUNS, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, maxAbs } from "../helpers/expect.ts";
import { excess, type ConvexSet } from "../helpers/optimality.ts";
import { expectAnyVector, expectOrderKept } from "../helpers/proximal.ts";
import { projectHull, weighed } from "../reference/permutahedron.ts";
import { sum } from "../reference/sum.ts";
import cases from "../vectors/A10_permutahedron.json" with { type: "json" };

beforeAll(() => init());

test("stored exact answers", () => {
  for (const { name, b, w, x, atol } of cases) {
    expectVectorWithin(prox.permutahedronHull(b, { weights: w }), x, atol, name);
  }
});

/** The hull of 0 and the permutahedron: its support function weighs the sorted entries. */
const hullOf = (weights: readonly number[]): ConvexSet => ({ support: (g) => Math.max(0, weighed(g, weights)) });

/** Weights that fall, that tie, that end in zeros, and that differ by factors of a million. */
const shapes: Record<string, (j: number, n: number) => number> = {
  "one alone": (j) => (j === 0 ? 1 : 0),
  falling: (j, n) => (n - j) / n,
  "falling from above 1": (j, n) => 3 * (n - j),
  tied: (j, n) => (j < n / 2 ? 0.75 : 0.25),
  equal: () => 0.5,
  "a few": (j) => Math.max(0, 2 - j) / 3,
  steep: (j) => 10 ** (-6 * Math.min(j, 20)),
};
const weightsOf = (shape: string, n: number): number[] => Array.from({ length: n }, (_, j) => shapes[shape](j, n));
const problemsOf = (a: fc.Arbitrary<number[]>) =>
  fc
    .tuple(a, fc.constantFrom(...Object.keys(shapes)))
    .map(([a, shape]) => ({ a, weights: weightsOf(shape, a.length) }));
const problems = problemsOf(vectors());

/** In s P(w) for an s in [0, 1]: that of its sum. Sums of the largest entries are compared with those of the weights. */
function expectFeasible(x: Float64Array, weights: readonly number[]): void {
  expect(x).toBeInstanceOf(Float64Array);
  expect(x.length).toBe(weights.length);
  expectBetween(x, 0, Infinity);
  const R = sum(weights);
  const s = sum(x) / R;
  const slack = 8 * x.length * EPS * R;
  expectAtMost(s, 1 + 8 * x.length * EPS, "s");
  const sorted = [...x].sort((a, b) => b - a);
  for (let l = 1; l <= x.length; l++) {
    expectAtMost(sum(sorted.slice(0, l)), s * sum(weights.slice(0, l)) + slack, `the ${l} largest`);
  }
}

describe("permutahedronHull", () => {
  test("feasible, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(problems, ({ a, weights }) => {
        const x = prox.permutahedronHull(a, { weights });
        expectFeasible(x, weights);
        const rounding = 16 * a.length * EPS * Math.max(maxAbs(a), sum(weights));
        expectAtMost(excess(hullOf(weights), a, x, 0), rounding * sum(weights), "excess");
        expectVectorWithin(x, projectHull(a, weights), rounding, "x");
      }),
      RUNS,
    );
  });

  test("|a| far above the weights: feasible and exact relative to them", () => {
    fc.assert(
      fc.property(problemsOf(farVectors()), ({ a, weights }) => {
        const x = prox.permutahedronHull(a, { weights });
        expectFeasible(x, weights);
        // All entries are far above 0, so that s = 1, and then a common shift changes nothing.
        const least = Math.min(...a);
        const wanted = projectHull(a.map((entry) => entry - least + 1e6), weights); // prettier-ignore
        expectVectorWithin(x, wanted, 1e-8 * weights[0], "x");
      }),
      RUNS,
    );
  });

  test("the projection of a projection is itself", () => {
    fc.assert(
      fc.property(problems, ({ a, weights }) => {
        const x = prox.permutahedronHull(a, { weights });
        expectVectorWithin(prox.permutahedronHull(x, { weights }), x, 16 * x.length * EPS * sum(weights), "x");
      }),
      RUNS,
    );
  });

  test("equal entries get equal values, larger entries no smaller ones, and the order changes nothing", () => {
    fc.assert(
      fc.property(problems, ({ a, weights }) => {
        const x = prox.permutahedronHull(a, { weights });
        const rounding = 4 * EPS * weights[0];
        expectOrderKept(a, x, () => rounding);
        expect(prox.permutahedronHull([...a].reverse(), { weights })).toEqual(x.reverse());
      }),
      {
        ...RUNS,
        // Rounding puts the equal ones into different pools.
        examples: [
          [{ a: [1, 1, 1.6], weights: [0.8, 0.2, 0.2] }],
          [{ a: [0.8, 0.8, 0.8, 0.8, 0.5, 0.5], weights: [0.8, 0.4, 0.3, 0.1, 0.1, 0.1] }],
        ],
      },
    );
  });

  test("equal weights: the knapsack of the simplex; one weight alone: the simplex", () => {
    fc.assert(
      fc.property(vectors(), (a) => {
        const rounding = 16 * a.length * EPS * Math.max(1, maxAbs(a));
        const alone = prox.permutahedronHull(a, { weights: weightsOf("one alone", a.length) });
        expectVectorWithin(alone, prox.knapsack(a), rounding, "one alone");
        // The hull of 0 and one point.
        const mean = Math.min(Math.max(sum(a) / a.length, 0), 0.5);
        const equal = prox.permutahedronHull(a, { weights: weightsOf("equal", a.length) });
        expectVectorWithin(equal, a.map(() => mean), rounding, "equal"); // prettier-ignore
      }),
      RUNS,
    );
  });

  test("scaling a and the weights by a power of two scales x", () => {
    for (const exponent of [-900, -500, -30, 30, 500, 900]) {
      const factor = 2 ** exponent;
      const a = [3, -1, 2.5, 0.5, 2];
      for (const shape of Object.keys(shapes)) {
        const weights = weightsOf(shape, 5);
        const x = prox.permutahedronHull(a, { weights });
        const scaled = prox.permutahedronHull(
          a.map((entry) => entry * factor),
          { weights: weights.map((weight) => weight * factor) },
        );
        const back = scaled.map((entry) => entry / factor);
        expectVectorWithin(back, x, 16 * EPS * sum(weights), `${shape}, 2^${exponent}`);
      }
    }
  });

  test("a thousand entries, sorted either way and not at all", () => {
    const n = 1000;
    const mixed = Array.from({ length: n }, (_, j) => Math.sin(j * j));
    const weights = Array.from({ length: n }, (_, j) => Math.exp((-4 * j) / n) / n);
    const x = prox.permutahedronHull(mixed, { weights });
    expectFeasible(x, weights);
    expectAtMost(excess(hullOf(weights), mixed, x, 0), 64 * EPS, "excess");
    for (const sign of [1, -1]) {
      const places = mixed.map((_, j) => j).sort((i, j) => sign * (mixed[i] - mixed[j]));
      const sorted = prox.permutahedronHull(places.map((j) => mixed[j]), { weights }); // prettier-ignore
      expect(sorted).toEqual(Float64Array.from(places, (j) => x[j]));
    }
  });

  test("by hand", () => {
    const of = (a: number[], weights: number[]): number[] => [...prox.permutahedronHull(a, { weights })];
    expect(of([9, 5, -9], [0.75, 0.25, 0])).toEqual([0.75, 0.25, 0]); // the vertex, s = 1
    expect(of([9, 9, -9], [0.75, 0.25, 0])).toEqual([0.5, 0.5, 0]); // the middle of an edge
    expect(of([1, -5, -9], [0.75, 0.25, 0])).toEqual([0, 0, 0]);
    expect(of([0.5, -0.125], [1, 0])).toEqual([0.5, 0]);
    expect(of([2], [0.5])).toEqual([0.5]);
    expect(of([0, 0], [1, 1])).toEqual([0, 0]);
  });

  test("a far below the weights, and weights far above one", () => {
    for (const scale of [0.1, 1e-60, 1e-80, 1e-150, 1e-300]) {
      const x = prox.permutahedronHull([3 * scale, scale, -scale], { weights: [1, 0.5, 0] });
      expectVectorWithin(x, [2.8 * scale, 1.4 * scale, 0], 8 * EPS * scale, "x");
    }
    expectVectorWithin(prox.permutahedronHull([1, 2, 3], { weights: [1e308, 1e308, 1e308] }), [2, 2, 2], 8 * EPS, "x");
  });

  test("inputs stay as they were, and any kind of vector gives the same", () => {
    const weights = Object.freeze([1, 0.5, 0.25, 0]);
    expectAnyVector((a) => prox.permutahedronHull(a, { weights }), [0.5, -1.25, 2, 0.125]);
  });
});

test.each<[string, ErrorConstructor, unknown, unknown]>([
  ['"a" must have at least 1 entry, got an empty vector', RangeError, [], { weights: [] }],
  ['"a" entry 1 is NaN; it must be finite', RangeError, [1, NaN], { weights: [1, 1] }],
  ['"weights" must be an array, Float64Array or Float32Array, got undefined', TypeError, [1], undefined],
  ['"weights" entry 1 must be a number, got "1"', TypeError, [1, 2], { weights: [1, "1"] }],
  ['"weights" entry 0 must be a number in [0, ∞), got -1', RangeError, [1], { weights: [-1] }],
  ['"weights" must not increase, but entry 2 is 3 after 1', RangeError, [1, 2, 3], { weights: [2, 1, 3] }],
  ['"weights" must have an entry above 0', RangeError, [1, 2], { weights: [0, 0] }],
  ['"weights" has length 1 but "a" has 2', RangeError, [1, 2], { weights: [1] }],
])("refused: %s", (message, kind, a, options) => {
  const call = (): unknown => prox.permutahedronHull(a as number[], options as { weights: number[] });
  expect(call).toThrow(kind);
  expect(call).toThrow(`prox.permutahedronHull: ${message}`);
});
