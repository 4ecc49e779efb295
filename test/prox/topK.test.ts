import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, prox } from "../../src/index.ts";
import { farVectors, radii, rhos, RUNS, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, maxAbs } from "../helpers/expect.ts";
import { excess, topKSet } from "../helpers/optimality.ts";
import { expectAnyVector, expectOrderKept } from "../helpers/proximal.ts";
import { sum } from "../reference/sum.ts";
import { topKCone, topKSimplex, type Variant } from "../reference/topKSimplex.ts";
import inclusiveCases from "../vectors/A11_topk_simplex_inclusive.json" with { type: "json" };
import coneCases from "../vectors/A4_topk_cone.json" with { type: "json" };
import alphaCases from "../vectors/A5_topk_simplex_alpha.json" with { type: "json" };
import betaCases from "../vectors/A6_topk_simplex_beta.json" with { type: "json" };

beforeAll(() => init());

const VARIANTS: Variant[] = ["alpha", "alpha-inclusive", "beta"];

describe("stored exact answers", () => {
  test("cone", () => {
    for (const { name, a, k, rho, x, atol } of coneCases) {
      expectVectorWithin(prox.topKCone(a, { k, rho }), x, atol, name);
    }
  });

  test.each([
    ["alpha" as const, alphaCases],
    ["alpha-inclusive" as const, inclusiveCases],
    ["beta" as const, betaCases],
  ])("simplex %s", (variant, cases) => {
    for (const { name, a, k, r, rho, x, atol } of cases) {
      expectVectorWithin(prox.topKSimplex(a, { k, radius: r, rho, variant }), x, atol, name);
    }
  });
});

interface Problem {
  a: number[];
  k: number;
  radius: number;
  rho: number;
  variant: Variant;
}

/** k from 1 to two beyond the length, with its ends drawn more often. */
const withK = (a: fc.Arbitrary<number[]>): fc.Arbitrary<{ a: number[]; k: number }> =>
  a.chain((a) =>
    fc.record({
      a: fc.constant(a),
      k: fc.oneof(fc.constantFrom(1, a.length, a.length + 1), fc.integer({ min: 1, max: a.length + 2 })),
    }),
  );

const problemsOf = (a: fc.Arbitrary<number[]>): fc.Arbitrary<Problem> =>
  fc
    .tuple(withK(a), radii, rhos, fc.constantFrom(...VARIANTS))
    .map(([ak, radius, rho, variant]) => ({ ...ak, radius, rho, variant }));

const problems = problemsOf(vectors());

const scaleOf = ({ a, radius, rho }: Problem): number => Math.max(maxAbs(a), radius) * (1 + rho * a.length);

function expectFeasible(x: Float64Array, { a, k, radius, variant }: Problem): void {
  expect(x).toBeInstanceOf(Float64Array);
  expect(x.length).toBe(a.length);
  const total = sum(x);
  const slack = 1 + 8 * a.length * EPS; // relative, whatever |a| is
  expectAtMost(total, radius * slack, "sum");
  if (variant === "alpha") expectBetween(x, 0, (total / k) * slack, "x_j <= s/k");
  else expectBetween(x, 0, (radius / k) * (1 + EPS), "x_j <= r/k");
  if (variant === "alpha-inclusive" && k > 1) expectBetween(x, 0, (total / (k - 1)) * slack, "x_j <= s/(k-1)");
}

describe("simplex", () => {
  test("feasible, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const { a, k, radius, rho, variant } = problem;
        const x = prox.topKSimplex(a, { k, radius, rho, variant });
        expectFeasible(x, problem);
        const rounding = 16 * a.length * EPS * scaleOf(problem);
        expectAtMost(excess(topKSet(variant, k, radius), a, x, rho), rounding * radius, "excess");
        expectVectorWithin(x, topKSimplex(a, problem), rounding, "x");
      }),
      RUNS,
    );
  });

  test("|a| far above r: feasible and exact relative to r", () => {
    fc.assert(
      fc.property(problemsOf(farVectors()), (problem) => {
        const x = prox.topKSimplex(problem.a, problem);
        expectFeasible(x, problem);
        expectVectorWithin(x, topKSimplex(problem.a, problem), 16 * x.length * EPS * problem.radius, "x");
      }),
      {
        ...RUNS,
        examples: [
          [{ a: [1e16, 1e16 - 2, 1e16 - 4], k: 2, radius: 1, rho: 1, variant: "alpha" }],
          [{ a: [1e16, -1e16, 1e16 - 2], k: 2, radius: 1e-3, rho: 0, variant: "alpha-inclusive" }],
          [{ a: [1e16, 3, 2], k: 2, radius: 1, rho: 1, variant: "beta" }],
          // The last two are above the threshold by less than their spacing.
          [
            {
              a: [14, 12, 12, 6, 6, 4, 0, -6, -6].map((b) => 1e16 + b),
              k: 1,
              radius: 96 + 2 ** -35,
              rho: 0,
              variant: "alpha",
            },
          ],
        ],
      },
    );
  });

  test("the projection of a projection is itself", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const options = { ...problem, rho: 0 };
        const x = prox.topKSimplex(problem.a, options);
        const rounding = 16 * x.length * EPS * maxAbs(x);
        expectVectorWithin(prox.topKSimplex(x, options), x, rounding, "x");
      }),
      RUNS,
    );
  });

  test("scaling a and r by a power of two scales x", () => {
    const settings = fc.record({
      a: fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 8 }),
      k: fc.integer({ min: 1, max: 4 }),
      radius: fc.integer({ min: 1, max: 60 }),
      rho: fc.constantFrom(0, 0.5, 1),
      variant: fc.constantFrom(...VARIANTS),
      exponent: fc.constantFrom(-990, -500, -30, 30, 500, 1018),
    });
    fc.assert(
      fc.property(settings, ({ a, k, radius, rho, variant, exponent }) => {
        const factor = 2 ** exponent;
        const x = prox.topKSimplex(a, { k, radius, rho, variant });
        const scaled = prox.topKSimplex(
          a.map((entry) => entry * factor),
          { k, radius: radius * factor, rho, variant },
        );
        expectVectorWithin(
          scaled.map((entry) => entry / factor),
          x,
          8 * a.length * EPS * Math.max(maxAbs(a), radius),
          "x",
        );
        const cone = prox.topKCone(
          a.map((entry) => entry * factor),
          { k, rho },
        );
        expectVectorWithin(
          cone.map((entry) => entry / factor),
          prox.topKCone(a, { k, rho }),
          8 * a.length * EPS * maxAbs(a),
          "x of the cone",
        );
      }),
      RUNS,
    );
  });

  test("equal entries get equal values, larger entries no smaller ones", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        expectOrderKept(problem.a, prox.topKSimplex(problem.a, problem));
      }),
      RUNS,
    );
  });

  test("inputs stay as they were, and any kind of vector gives the same", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const options = Object.freeze({ ...problem });
        expectAnyVector((a) => prox.topKSimplex(a, options), problem.a);
      }),
      RUNS,
    );
  });

  test("k = 1: all three are the simplex", () => {
    fc.assert(
      fc.property(vectors(), radii, rhos, (a, radius, rho) => {
        const rounding = 16 * a.length * EPS * Math.max(maxAbs(a), radius) * (1 + rho * a.length);
        const simplex = prox.knapsack(a, { radius, rho });
        for (const variant of VARIANTS) {
          expectVectorWithin(prox.topKSimplex(a, { k: 1, radius, rho, variant }), simplex, rounding, variant);
        }
      }),
      RUNS,
    );
  });

  test("defaults: alpha, radius 1, rho 0", () => {
    fc.assert(
      fc.property(withK(vectors()), ({ a, k }) => {
        const x = prox.topKSimplex(a, { k, radius: 1, rho: 0, variant: "alpha" });
        expect(prox.topKSimplex(a, { k })).toEqual(x);
      }),
      RUNS,
    );
  });

  test("long vectors whose k largest a sample misses, or finds first", () => {
    const n = 800;
    const few = Array.from({ length: n }, (_, j) => Math.sin(j * j + 1));
    // The places that assembly/select/largest.ts looks at.
    let draw = 0x9e3779b9;
    const places = Array.from({ length: n >> 3 }, () => {
      draw = (Math.imul(draw, 1664525) + 1013904223) >>> 0;
      return Math.floor((draw / 2 ** 32) * n);
    });
    const seen = [...few];
    places.slice(0, 40).forEach((place) => (seen[place] += 3));
    const unseen = few.map((entry, j) => (places.includes(j) ? entry - 5 : entry));
    const tied = few.map((entry) => Math.round(4 * entry) / 4);
    for (const a of [few, seen, unseen, tied, few.map((entry) => entry - 10)]) {
      for (const k of [17, n >> 4]) {
        const problem = { a, k, radius: 10, rho: 0.5 };
        expectVectorWithin(prox.topKSimplex(a, problem), topKSimplex(a, problem), 8 * n * EPS * maxAbs(a), `k ${k}`);
      }
    }
  });

  test("by hand", () => {
    expect(prox.topKSimplex([3, 3, -9], { k: 2 })).toEqual(Float64Array.of(0.5, 0.5, 0));
    expect(prox.topKSimplex([3, -1, -9], { k: 2, radius: 10 })).toEqual(Float64Array.of(1, 1, 0));
    expect(prox.topKSimplex([3, -5, -9], { k: 2 })).toEqual(new Float64Array(3));
    expect(prox.topKSimplex([3, -5, -9], { k: 2, variant: "beta" })).toEqual(Float64Array.of(0.5, 0, 0));
    expect(prox.topKSimplex([3, -5, -9], { k: 2, variant: "alpha-inclusive" })).toEqual(Float64Array.of(0.5, 0, 0));
    expect(prox.topKSimplex([0, 0, 0], { k: 2 })).toEqual(new Float64Array(3));
  });

  test("more than there is: alpha beyond n and alpha-inclusive beyond n + 1 are {0}, beta is a box", () => {
    expect(prox.topKSimplex([3, 3], { k: 3 })).toEqual(new Float64Array(2));
    expect(prox.topKSimplex([3, 3], { k: 4, variant: "alpha-inclusive" })).toEqual(new Float64Array(2));
    expectVectorWithin(prox.topKSimplex([3, 3], { k: 3, variant: "alpha-inclusive" }), [1 / 3, 1 / 3], EPS);
    expectVectorWithin(prox.topKSimplex([3, 3], { k: 4, variant: "beta" }), [1 / 4, 1 / 4], EPS);
    expect(prox.topKSimplex([3], { k: 1e9 })).toEqual(new Float64Array(1));
    // In 32 bits these would be 2 and -1.
    for (const k of [2 ** 32 + 2, 2 ** 53 - 1]) {
      expect(prox.topKSimplex([3, 3], { k })).toEqual(new Float64Array(2));
      expect(prox.topKCone([3, 3], { k })).toEqual(new Float64Array(2));
    }
  });
});

describe("cone", () => {
  const cones = fc.tuple(withK(vectors()), rhos).map(([ak, rho]) => ({ ...ak, rho }));

  test("feasible, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(cones, ({ a, k, rho }) => {
        const x = prox.topKCone(a, { k, rho });
        const radius = 2 * a.length * maxAbs(a) + 1; // beyond any sum of the solution
        expectFeasible(x, { a, k, rho, radius, variant: "alpha" });
        const rounding = 16 * a.length * EPS * maxAbs(a) * (1 + rho * a.length);
        expectAtMost(excess(topKSet("alpha", k, radius), a, x, rho), rounding * radius, "excess");
        expectVectorWithin(x, topKCone(a, { k, rho }), rounding, "x");
      }),
      RUNS,
    );
  });

  test("the projection of a projection is itself", () => {
    fc.assert(
      fc.property(withK(vectors()), ({ a, k }) => {
        const x = prox.topKCone(a, { k });
        const rounding = 16 * x.length * EPS * maxAbs(x);
        expectVectorWithin(prox.topKCone(x, { k }), x, rounding, "x");
      }),
      RUNS,
    );
  });

  test("a - projection is polar: orthogonal to it and in no direction of the cone", () => {
    fc.assert(
      fc.property(withK(vectors()), ({ a, k }) => {
        const x = prox.topKCone(a, { k });
        const rest = a.map((entry, j) => entry - x[j]);
        const rounding = 16 * a.length * EPS * maxAbs(a);
        expectAtMost(
          Math.abs(sum(rest.map((entry, j) => entry * x[j]))),
          rounding * (maxAbs(a) + sum(x)),
          "<a - x, x>",
        );
        expectAtMost(topKSet("alpha", k, 1).support(rest), rounding, "largest slope");
      }),
      RUNS,
    );
  });

  test("from 1e-300 to 1e300", () => {
    for (const exponent of [-300, -150, 0, 150, 300]) {
      const a = [3, 2.5, -1, 0.5, 2].map((entry) => entry * 10 ** exponent);
      for (const k of [1, 2, 3, 5]) {
        for (const rho of [0, 1]) {
          expectVectorWithin(
            prox.topKCone(a, { k, rho }),
            topKCone(a, { k, rho }),
            8 * a.length * EPS * maxAbs(a),
            `1e${exponent}, k ${k}, rho ${rho}`,
          );
        }
      }
    }
  });

  test("by hand", () => {
    expect(prox.topKCone([3, -1, -9], { k: 2 })).toEqual(Float64Array.of(1, 1, 0));
    expect(prox.topKCone([3, 1, 2], { k: 1 })).toEqual(Float64Array.of(3, 1, 2));
    expect(prox.topKCone([-3, -1], { k: 1 })).toEqual(new Float64Array(2));
    expect(prox.topKCone([3, 1, 2], { k: 4 })).toEqual(new Float64Array(3));
    expect(prox.topKCone([5], { k: 1, rho: 1 })).toEqual(Float64Array.of(2.5));
  });
});
