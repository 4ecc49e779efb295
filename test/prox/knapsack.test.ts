import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, prox } from "../../src/index.ts";
import { farVectors, radii, rhos, RUNS, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { excess, knapsackSet } from "../helpers/optimality.ts";
import { expectAnyVector, expectOrderKept } from "../helpers/proximal.ts";
import { knapsackCases } from "../helpers/vectors.ts";
import { knapsack } from "../reference/knapsack.ts";
import { sum } from "../reference/sum.ts";

beforeAll(() => init());

describe("stored exact answers", () => {
  test.each(knapsackCases)("%s", (_, cases) => {
    for (const { name, a, options, x, atol } of cases) {
      if (x === null) expect(() => prox.knapsack(a, options), name).toThrow(RangeError);
      else expectVectorWithin(prox.knapsack(a, options), x, atol, name);
    }
  });
});

interface Problem {
  a: number[];
  lo: number;
  hi: number;
  radius: number;
  equality: boolean;
  rho: number;
}

/** Feasible problems, with radii at and between the ends n lo and n hi, or above n lo without an upper bound. */
const problems: fc.Arbitrary<Problem> = fc
  .record({
    a: vectors(),
    lo: fc.constantFrom(0, 0, -1, 0.25, -1 / 3),
    width: fc.oneof(
      fc.constant(Infinity),
      fc.constantFrom(0, 0.5, 1, 1 / 3),
      fc.double({ min: 1e-3, max: 5, noNaN: true }),
    ),
    fill: fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0.01, max: 0.99, noNaN: true })),
    radius: radii,
    equality: fc.boolean(),
    rho: rhos,
  })
  .map(({ a, lo, width, fill, radius, equality, rho }) => {
    const hi = lo + width;
    const between = a.length * (lo + (Number.isFinite(width) ? width * fill : radius));
    return { a, lo, hi, radius: fill === 1 && Number.isFinite(width) ? a.length * hi : between, equality, rho };
  });

/** The largest number that enters the sums: everything below is relative to it. */
const scaleOf = ({ a, lo, hi, radius, rho }: Problem): number =>
  Math.max(maxAbs(a), Math.abs(radius), Math.abs(lo), Number.isFinite(hi) ? Math.abs(hi) : 0) * (1 + rho * a.length);

function expectFeasible(x: Float64Array, { a, lo, hi, radius, equality }: Problem): void {
  const n = a.length;
  expect(x).toBeInstanceOf(Float64Array);
  expect(x.length).toBe(n);
  expectBetween(x, lo, hi);
  // What the sum adds up is |x|, and n lo enters the problem beside r. |a| does not: a far from 0 is no excuse.
  const tolerance = 8 * n * EPS * Math.max(Math.abs(radius), n * Math.abs(lo), sum(x.map(Math.abs)));
  if (equality) expectWithin(sum(x), radius, tolerance, "sum");
  else expectAtMost(sum(x), radius + tolerance, "sum");
}

describe("properties", () => {
  test("feasible, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const { a, lo, hi, radius, equality, rho } = problem;
        const x = prox.knapsack(a, { lo, hi, radius, equality, rho });
        expectFeasible(x, problem);
        const rounding = 16 * a.length * EPS * scaleOf(problem);
        const set = knapsackSet(lo, hi, radius, equality);
        const mass = sum(x.map(Math.abs)) + Math.abs(radius) + a.length * Math.abs(lo);
        expectAtMost(excess(set, a, x, equality ? 0 : rho), rounding * mass, "excess");
        expectVectorWithin(x, knapsack(a, problem) as number[], rounding, "x");
      }),
      RUNS,
    );
  });

  test("|a| far above r: feasible and exact relative to r", () => {
    const settings = fc.record({
      a: farVectors(),
      radius: radii,
      share: fc.constantFrom(Infinity, 1, 1 / 3, 0.7),
      rho: rhos,
    });
    fc.assert(
      fc.property(settings, fc.boolean(), ({ a, radius, share, rho }, equality) => {
        fc.pre(!equality || share * a.length >= 1);
        const problem = { a, lo: 0, hi: radius * share, radius, equality, rho };
        const x = prox.knapsack(a, problem);
        expectFeasible(x, problem);
        expectVectorWithin(x, knapsack(a, problem) as number[], 16 * a.length * EPS * radius, "x");
      }),
      { ...RUNS, examples: [[{ a: [1e16, 1e16 - 2, 0], radius: 1, share: 1, rho: 1 }, true]] },
    );
  });

  test("bounds that are only there to be far away cost no digits", () => {
    for (const far of [10, 1e6, 1e12, 1e16, 1e100, 1.7e308]) {
      for (const hi of [far, Infinity]) {
        const a = [0.1, -0.25, 0.3, 0.5];
        expect([...prox.knapsack(a, { lo: -far, hi, radius: 1 })]).toEqual(a);
        for (const radius of [0.6, -3]) {
          for (const equality of [true, false]) {
            const x = prox.knapsack(a, { lo: -far, hi, radius, equality });
            const expected = a.map((v) => v - (0.65 - radius) / 4);
            expectVectorWithin(x, expected, 4 * EPS, "x");
          }
        }
        for (const rho of [0.5, 1e8, 1e16]) {
          const x = prox.knapsack(a, { lo: -far, hi, radius: 5, rho });
          const t = (rho * 0.65) / (1 + rho * 4);
          expectVectorWithin(x, a.map((v) => v - t), 4 * EPS, "x"); // prettier-ignore
        }
      }
    }
  });

  test("entries exactly one bound above the level are at the bound, wherever they stand", () => {
    for (const a of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0, 1],
    ]) {
      const x = prox.knapsack(a, { hi: 1, radius: 1.5, equality: true });
      const rest = 0.5 / (a.length - 1);
      expectVectorWithin(x, a.map((v) => (v === 1 ? 1 : rest)), 4 * EPS, "x"); // prettier-ignore
    }
  });

  test("a sum just below the radius is not taken for the radius", () => {
    expect([...prox.knapsack([0.5], { lo: -1, hi: 1, radius: 0.5 + 1e-12 })]).toEqual([0.5]);
    expect([...prox.knapsack([0.5], { lo: -1000, hi: 1, radius: 0.5 + 9e-10 })]).toEqual([0.5]);
    expect([...prox.knapsack([1e308, 1e308], { radius: Infinity })]).toEqual([1e308, 1e308]);
  });

  test("with a bias that holds the sum next to r, rounding of a large level leads no further", () => {
    const a = [1e12, 1e12, 1e12];
    const third = 1e12 / (1 + 3e12); // x = 1e12 - 1e12 * 3 x, of numbers that are 1e-4 apart
    const options = { radius: 1, rho: 1e12 };
    for (const hi of [0.7, Infinity]) expectVectorWithin(prox.knapsack(a, { ...options, hi }), Array(3).fill(third), 1e-12);
    const x = prox.knapsack([1e16, 1e16 + 8, 1e16], { hi: 7, radius: 10, rho: 1e15 + 0.5 });
    expectVectorWithin(x, [1.5, 7, 1.5], 16 * EPS, "x");
  }); // prettier-ignore

  test("|a| far above r with lower bounds other than 0: likewise", () => {
    const settings = fc.record({
      a: farVectors(),
      lo: fc.constantFrom(-1, -1 / 3, 0.25),
      share: fc.constantFrom(Infinity, 1, 0.7),
      radius: radii,
    });
    fc.assert(
      fc.property(settings, ({ a, lo, share, radius }) => {
        const n = a.length;
        fc.pre(share * n >= 1);
        const problem = { a, lo, hi: lo + share * radius, radius: n * lo + radius, equality: true, rho: 0 };
        const x = prox.knapsack(a, problem);
        expectFeasible(x, problem);
        const scale = Math.max(radius, n * Math.abs(lo));
        expectVectorWithin(x, knapsack(a, problem) as number[], 16 * n * EPS * scale, "x");
      }),
      { ...RUNS, examples: [[{ a: [1e16, 1e16 - 2], lo: -1, share: Infinity, radius: 2 }]] },
    );
  });

  test("the projection of a projection is itself", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const options = { ...problem, rho: 0 };
        const x = prox.knapsack(problem.a, options);
        const rounding = 16 * x.length * EPS * Math.max(maxAbs(x), Math.abs(problem.radius));
        expectVectorWithin(prox.knapsack(x, options), x, rounding, "x");
      }),
      RUNS,
    );
  });

  test("scaling a, the bounds and r by a power of two scales x", () => {
    const settings = fc.record({
      a: fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 8 }),
      radius: fc.integer({ min: 1, max: 60 }),
      lo: fc.constantFrom(0, -3),
      hi: fc.constantFrom(Infinity, 10, 40),
      rho: fc.constantFrom(0, 0.5, 1),
      exponent: fc.constantFrom(-990, -500, -30, 30, 500, 1018),
    });
    fc.assert(
      fc.property(settings, ({ a, radius, lo, hi, rho, exponent }) => {
        const factor = 2 ** exponent;
        const x = prox.knapsack(a, { lo, hi, radius, rho });
        const scaled = prox.knapsack(
          a.map((entry) => entry * factor),
          { lo: lo * factor, hi: hi * factor, radius: radius * factor, rho },
        );
        const rounding = 8 * a.length * EPS * Math.max(maxAbs(a), radius);
        expectVectorWithin(
          scaled.map((entry) => entry / factor),
          x,
          rounding,
          "x",
        );
      }),
      RUNS,
    );
  });

  test("equal entries get equal values, larger entries no smaller ones", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        expectOrderKept(problem.a, prox.knapsack(problem.a, problem));
      }),
      RUNS,
    );
  });

  test("inputs stay as they were, and any kind of vector gives the same", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const options = Object.freeze({ ...problem });
        expectAnyVector((a) => prox.knapsack(a, options), problem.a);
      }),
      RUNS,
    );
  });
});

describe("by hand", () => {
  test("the defaults are 0 <= x, sum x <= 1, rho = 0", () => {
    expect(prox.knapsack([0.25, -1, 0.5])).toEqual(Float64Array.of(0.25, 0, 0.5));
    expect(prox.knapsack([2, 1, -5])).toEqual(Float64Array.of(1, 0, 0));
    expect(prox.knapsack([3, 3])).toEqual(Float64Array.of(0.5, 0.5));
  });

  test("one entry", () => {
    expect(prox.knapsack([-7], { equality: true })).toEqual(Float64Array.of(1));
    expect(prox.knapsack([-7])).toEqual(Float64Array.of(0));
    expect(prox.knapsack([7], { hi: 0.5 })).toEqual(Float64Array.of(0.5));
    expect(prox.knapsack([1], { rho: 1 })).toEqual(Float64Array.of(0.5));
  });

  test("rho shrinks the whole point: x = a - rho sum x", () => {
    expect(prox.knapsack([3, 3, 3], { radius: 100, rho: 1 })).toEqual(Float64Array.of(0.75, 0.75, 0.75));
  });

  test("zeros", () => {
    expect(prox.knapsack([0, 0, 0])).toEqual(new Float64Array(3));
    expect(prox.knapsack([0, 0, 0, 0], { equality: true })).toEqual(Float64Array.of(0.25, 0.25, 0.25, 0.25));
  });

  test("bounds that leave one point", () => {
    expect(prox.knapsack([5, -5], { hi: 0.5, equality: true })).toEqual(Float64Array.of(0.5, 0.5));
    expect(prox.knapsack([5, -5], { lo: 0.5 })).toEqual(Float64Array.of(0.5, 0.5));
    expect(prox.knapsack([5, -5], { lo: 2, hi: 2, radius: 4 })).toEqual(Float64Array.of(2, 2));
    // n (r / n) may round to below r: that is no empty set.
    for (const n of [3, 7, 10, 49]) {
      const x = prox.knapsack(Array<number>(n).fill(1), { hi: 1 / n, equality: true });
      expect(x).toEqual(new Float64Array(n).fill(1 / n));
    }
  });

  test.each([
    [[-5.9e176, 1e18], { lo: -1e-300, hi: 5.9e176, radius: 1e-17 }],
    [[-1e180, 1], { lo: -1e-300, hi: Infinity, radius: 1 }],
    [[1e300], { lo: -1e-17, hi: -1e-17, radius: -1e-17, equality: true, rho: 1e300 }],
  ])("bounds that vanish beside the scale are kept: %j, %j", (a, options) => {
    expectBetween(prox.knapsack(a, options), options.lo, options.hi);
  });

  test("rho times the sum may be beyond float64", () => {
    // 1/rho vanishes, so that the sum is as good as 0.
    const x = prox.knapsack([-1e150, 0], { lo: -1e150, radius: Infinity, rho: 1e300 });
    expectVectorWithin(x, [-5e149, 5e149], 4 * EPS * 1e150);
  });

  test.each([
    ["the lower bounds exceed r", { lo: 1, hi: 2, radius: 1 }],
    ["the upper bounds do not reach r", { hi: 0.25, radius: 1, equality: true }],
    ["the lower bounds exceed r, as an equation", { lo: 1, hi: 2, radius: 1, equality: true }],
    ["a negative radius", { radius: -1 }],
    ["a negative radius, as an equation", { radius: -1, equality: true }],
    ["lo > hi", { lo: 1, hi: 0, radius: 10 }],
  ])("an empty set is refused: %s", (_, options) => {
    expect(() => prox.knapsack([0.5, 0.5], options)).toThrow(RangeError);
    expect(() => prox.knapsack([0.5, 0.5], options)).toThrow(/^prox\.knapsack: "/);
  });
});
