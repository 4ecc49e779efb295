import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, prox } from "../../src/index.ts";
import { RUNS } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectWithin } from "../helpers/expect.ts";
import { spacing, ulpsFrom } from "../helpers/ulp.ts";
import { lambertWExp } from "../reference/lambert.ts";
import cases from "../vectors/A9_lambert_v.json" with { type: "json" };

beforeAll(() => init());

describe("the measure itself", () => {
  test("counts spacings at the exact value", () => {
    expect(ulpsFrom(1, "1")).toBe(0);
    expect(ulpsFrom(1 + 2 * EPS, "1.0")).toBe(2);
    expect(ulpsFrom(1e6, "1000000.000000000116415321826934814453125")).toBe(1);
    expect(ulpsFrom(0, "4.94065645841246544176568792868e-324")).toBeCloseTo(1, 5);
    expect(ulpsFrom(0.1, "0.1")).toBeLessThan(0.5);
    expect(ulpsFrom(3e-9, "2.999999999999999e-9")).toBeGreaterThan(2);
    expect(spacing(1)).toBe(EPS);
  });
});

describe("stored exact answers", () => {
  test("within 2.5 spacings of the 30-digit values", () => {
    for (const { name, t, V30 } of cases) expectAtMost(ulpsFrom(prox.lambertWExp(t), V30), 2.5, `${name}, ulp`);
  });

  test("within their relative tolerance", () => {
    for (const { name, t, V, rtol, subnormal } of cases) {
      if (!subnormal) expectWithin(prox.lambertWExp(t), V, rtol * V, name);
    }
  });
});

describe("shape", () => {
  test("limits", () => {
    expect(prox.lambertWExp(-Infinity)).toBe(0);
    expect(prox.lambertWExp(-800)).toBe(0);
    expect(prox.lambertWExp(-1e300)).toBe(0);
    expect(prox.lambertWExp(Infinity)).toBe(Infinity);
    expect(prox.lambertWExp(1)).toBe(1);
    expect(prox.lambertWExp(Number.MAX_VALUE)).toBe(Number.MAX_VALUE);
  });

  test("above 1e6 it is t - log t to the same accuracy", () => {
    for (const t of [1e6, 1e7, 1e9, 1e12, 1e15, 1e16, 3e16, 1e18, 1e20, 1e100, 1e300]) {
      // V = t - log V, and log V = log t to first order in (log t)/t.
      const V = lambertWExp(t);
      expectAtMost(Math.abs(prox.lambertWExp(t) - V), 3 * spacing(V), `V(${t})`);
    }
  });

  test("equals bisection everywhere", () => {
    const everywhere = fc.oneof(
      fc.double({ min: -700, max: 1e6, noNaN: true }),
      fc.double({ min: -40, max: 40, noNaN: true }),
      fc.double({ min: 0, max: 3, noNaN: true }),
    );
    fc.assert(
      fc.property(everywhere, (t) => {
        const V = lambertWExp(t);
        // 2.5 spacings here and 1.5 of the bisection, whose exponentials round.
        expectAtMost(Math.abs(prox.lambertWExp(t) - V), 4 * spacing(V), `V(${t})`);
      }),
      { ...RUNS, numRuns: 2000 },
    );
  });

  test("never falls: dense grids from -745 to 1e6", () => {
    const linear = Float64Array.from({ length: 200_001 }, (_, j) => -745 + (j * 795) / 200_000);
    const geometric = Float64Array.from({ length: 200_001 }, (_, j) => 10 ** ((j * 6) / 200_000));
    for (const grid of [linear, geometric]) expectRising(grid, prox.lambertWExp(grid));
  });

  test("never falls: around the points where an implementation may change branch", () => {
    const seams = [
      ...[-745.13, -744.5, -709.8, -708.4, -700, -100, -50, -40, -37, -36.7, -30, -20, -18, -10, -5, -4, -3, -2.5],
      ...[-2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 2.5, Math.E, 3, Math.E + 1, 4, 5, 6, 8, 10, 16, 20, 32, 50, 64],
      ...[100, 500, 700, 709.8, 710, 745.13, 1000, 1e4, 1e5, 1e6],
    ];
    for (const seam of seams) {
      // 8 spacings of t move V by more than twice the 2.5 that it may be off.
      const step = 2 ** -49 * Math.max(1, 2 ** Math.ceil(Math.log2(Math.abs(seam) || 1)));
      const grid = Float64Array.from({ length: 401 }, (_, j) => seam + (j - 200) * step);
      expectRising(grid, prox.lambertWExp(grid));
    }
  });

  function expectRising(grid: Float64Array, values: Float64Array): void {
    for (let j = 1; j < grid.length; j++) {
      if (!(values[j] >= values[j - 1])) {
        expect.fail(`V(${grid[j - 1]}) = ${values[j - 1]} but V(${grid[j]}) = ${values[j]}`);
      }
    }
  }
});

describe("arrays", () => {
  test("of every length give what the numbers give one by one, to the bit", () => {
    const t = fc.oneof(
      fc.double({ min: -800, max: 100, noNaN: true }),
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      fc.constantFrom(-Infinity, Infinity, 0, -0, 1, 2, -745, 1e300),
    );
    fc.assert(
      fc.property(fc.array(t, { maxLength: 19 }), (list) => {
        const one = list.map((t) => prox.lambertWExp(t));
        const all = prox.lambertWExp(list);
        expect(all).toBeInstanceOf(Float64Array);
        expect(Array.from(all)).toEqual(one);
        const double = Float64Array.from(list);
        expect(Array.from(prox.lambertWExp(double))).toEqual(one);
        expect(double).toEqual(Float64Array.from(list));
      }),
      RUNS,
    );
  });

  test("of float32 numbers count as those numbers", () => {
    const single = Float32Array.of(0.1, -3.3, 1e30);
    expect(prox.lambertWExp(single)).toEqual(prox.lambertWExp(Array.from(single)));
  });
});
