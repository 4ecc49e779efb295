import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, prox } from "../../src/index.ts";
import { farVectors, radii, RUNS, shuffled, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { bipartiteSimplex } from "../reference/bipartite.ts";
import { multilabelEntropy } from "../reference/multilabel.ts";
import { dot, sum } from "../reference/sum.ts";
import bipartiteCases from "../vectors/A7_bipartite.json" with { type: "json" };
import entropyCases from "../vectors/A8d_multilabel_entropy_update.json" with { type: "json" };

beforeAll(() => init());

describe("stored exact answers", () => {
  test("bipartite simplex", () => {
    for (const { name, b, bbar, r, p, pbar, atol } of bipartiteCases) {
      const { x, y } = prox.bipartiteSimplex(b, bbar, { radius: r });
      expectVectorWithin(x, p, atol, name);
      expectVectorWithin(y, pbar, atol, name);
      const swapped = prox.bipartiteSimplex(bbar, b, { radius: r });
      expectVectorWithin(swapped.x, pbar, atol, name);
      expectVectorWithin(swapped.y, p, atol, name);
    }
  });

  test("multilabel entropy step", () => {
    for (const { name, q_pos, q_neg, alpha, p, pbar, rtol, atol } of entropyCases) {
      const { x, y } = prox.multilabelEntropy(q_pos, q_neg, { alpha });
      expectVectorWithin(x, p, (entry) => atol + rtol * Math.abs(entry), name);
      expectVectorWithin(y, pbar, (entry) => atol + rtol * Math.abs(entry), name);
    }
  });
});

interface Pair {
  a: number[];
  b: number[];
  radius: number;
}

/** The last kind has max a + max b far below |a|: nearly everything cancels. */
const pairs: fc.Arbitrary<Pair> = fc
  .tuple(
    fc.oneof(vectors(), farVectors()),
    fc.oneof(vectors(), farVectors()),
    fc.boolean(),
    fc.oneof(radii, fc.constantFrom(1e-150, 1e150, Infinity)),
  )
  .map(([a, b, opposite, radius]) => {
    const shift = opposite ? Math.max(...a) + Math.max(...b) : 0;
    return { a, b: b.map((entry) => entry - shift), radius };
  });

describe("bipartite simplex", () => {
  /** What x and y are as large as: not |a|. */
  const scaleOf = ({ a, b, radius }: Pair): number => Math.min(radius, Math.max(0, Math.max(...a) + Math.max(...b)));

  function expectFeasible({ x, y }: { x: Float64Array; y: Float64Array }, { a, b, radius }: Pair): void {
    expect(x).toBeInstanceOf(Float64Array);
    expect([x.length, y.length]).toEqual([a.length, b.length]);
    for (const part of [x, y]) expectBetween(part, 0, Infinity);
    const slack = 8 * (a.length + b.length) * EPS;
    expectAtMost(sum(x), radius * (1 + slack), "sum");
    expectWithin(sum(y), sum(x), slack * sum(x), "sum of y");
  }

  test("feasible, optimal and equal to brute force", () => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const { a, b, radius } = pair;
        const got = prox.bipartiteSimplex(a, b, pair);
        expectFeasible(got, pair);
        const rounding = 16 * (a.length + b.length) * EPS * scaleOf(pair);
        const wanted = bipartiteSimplex(a, b, pair);
        expectVectorWithin(got.x, wanted.x, rounding, "x");
        expectVectorWithin(got.y, wanted.y, rounding, "y");
        // No direction of the set leads down: max <a - x, v> + <b - y, w> is attained at (x, y).
        const [g, h] = [a.map((entry, i) => entry - got.x[i]), b.map((entry, j) => entry - got.y[j])];
        const steepest = Math.max(...g) + Math.max(...h);
        const size = 16 * (a.length + b.length) * EPS * (maxAbs(a) + maxAbs(b));
        if (radius === Infinity) return expectAtMost(steepest, size, "steepest");
        const linear = (s: readonly number[], v: Float64Array): number =>
          dot(
            [...s],
            Array.from(v, (e) => e / radius),
          );
        const excess = Math.max(0, steepest) - linear(g, got.x) - linear(h, got.y); // divided by the radius
        expectAtMost(excess, 2 * size, "excess");
      }),
      {
        ...RUNS,
        numRuns: 1000,
        examples: [
          [{ a: [1], b: [1, -5], radius: 10 }], // the published rule stalls here
          [{ a: [0, 0, 0], b: [0], radius: 1 }],
          [{ a: [1e16, 1e16 - 2, 1e16 - 4], b: [-1e16, -1e16 + 2], radius: 1 }],
          [{ a: [1e-300, 0], b: [1e-300], radius: 1 }],
          [{ a: [1e150, -1e150], b: [1e150, 1e140], radius: Infinity }],
        ],
      },
    );
  });

  test("scaling a, b and r by a power of two scales x and y", () => {
    const entries = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 8 });
    const settings = fc.record({
      ...{ a: entries, b: entries, radius: fc.constantFrom(1, 20, 60, Infinity) },
      exponent: fc.constantFrom(-990, -500, -30, 30, 500, 1018),
    });
    fc.assert(
      fc.property(settings, ({ a, b, radius, exponent }) => {
        const factor = 2 ** exponent;
        const times = (v: number[]): number[] => v.map((entry) => entry * factor);
        const { x, y } = prox.bipartiteSimplex(a, b, { radius });
        const scaled = prox.bipartiteSimplex(times(a), times(b), { radius: radius * factor });
        const rounding = 8 * (a.length + b.length) * EPS * (maxAbs(a) + maxAbs(b));
        const back = (v: Float64Array): Float64Array => v.map((entry) => entry / factor);
        expectVectorWithin(back(scaled.x), x, rounding, "x");
        expectVectorWithin(back(scaled.y), y, rounding, "y");
      }),
      RUNS,
    );
  });

  test("the projection of a projection is itself", () => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const once = prox.bipartiteSimplex(pair.a, pair.b, pair);
        const { x, y } = prox.bipartiteSimplex(once.x, once.y, pair);
        const rounding = 16 * (x.length + y.length) * EPS * sum(once.x);
        expectVectorWithin(x, once.x, rounding, "x");
        expectVectorWithin(y, once.y, rounding, "y");
      }),
      RUNS,
    );
  });

  test("by hand", () => {
    expect(prox.bipartiteSimplex([2], [0], { radius: 5 })).toEqual({ x: Float64Array.of(1), y: Float64Array.of(1) });
    expect(prox.bipartiteSimplex([2], [0])).toEqual({ x: Float64Array.of(1), y: Float64Array.of(1) });
    expect(prox.bipartiteSimplex([2, 2], [2], { radius: Infinity }).x).toEqual(Float64Array.of(4 / 3, 4 / 3));
    expect(prox.bipartiteSimplex([-1, 3], [-3, -4]).y).toEqual(Float64Array.of(0, 0));
    expect(prox.bipartiteSimplex([5, 1], [7], { radius: 3 }).x).toEqual(Float64Array.of(3, 0));
  });

  test("many entries of every size of the answer, against what one side alone gives", () => {
    const line = shuffled(Array.from({ length: 20_000 }, (_, j) => j / 20_000));
    for (const radius of [1e-6, 0.01, 1, 100, 3000]) {
      const { x, y } = prox.bipartiteSimplex(line, [...line, -1], { radius });
      const alone = prox.knapsack(line, { radius, equality: true });
      const rounding = 8 * line.length * EPS * radius;
      expectVectorWithin(x, alone, rounding, `radius ${radius}`);
      expectVectorWithin(y, [...alone, 0], rounding, `radius ${radius}`);
    }
    // Equal sides share the level 0.
    const { x } = prox.bipartiteSimplex(line, line, { radius: 1e9 });
    expectVectorWithin(x, line, 64 * EPS);
  });

  test("a million entries in time", () => {
    const line = Float64Array.from({ length: 500_000 }, (_, j) => Math.sin(j * j));
    for (const radius of [1e-3, 1, 100, 1e5]) {
      const start = performance.now();
      const { x, y } = prox.bipartiteSimplex(line, line, { radius });
      expectAtMost(performance.now() - start, 1000, "milliseconds");
      const total = sum(x);
      expectAtMost(total, radius * (1 + 1e-9), "sum");
      expectWithin(sum(y), total, 1e-9 * total, "sum of y");
    }
  });
});

const ALPHAS = [0, 1e-150, 1e-30, 1e-19, 1e-17, 1e-9, 1e-3, 0.3, 1, 7, 1e3, 1e9, 1e30, 1e150];

interface Step {
  own: number[];
  other: number[];
  alpha: number;
}

const stepsOf = (q: (minLength: number) => fc.Arbitrary<number[]>): fc.Arbitrary<Step> =>
  fc.record({
    own: q(1),
    other: fc.oneof(q(1), fc.constant<number[]>([])),
    alpha: fc.oneof(
      fc.constantFrom(...ALPHAS),
      fc.double({ min: -9, max: 9, noNaN: true }).map((e) => 10 ** e),
    ),
  });

const scores = (minLength: number): fc.Arbitrary<number[]> =>
  fc.array(
    fc.oneof(
      fc.double({ min: -8, max: 8, noNaN: true }),
      fc.integer({ min: -4, max: 4 }).map((j) => j / 2),
    ),
    { minLength, maxLength: 7 },
  );

describe("multilabel entropy step", () => {
  const solve = ({ own, other, alpha }: Step): number[] => {
    const { x, y } = prox.multilabelEntropy(own, other, { alpha });
    expect([x.length, y.length]).toEqual([own.length, other.length]);
    return [...x, ...y];
  };

  function expectDistribution(p: readonly number[]): void {
    expectBetween(p, 0, 1);
    expectWithin(sum(p), 1, 4 * p.length * EPS, "sum");
  }

  test("a distribution, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(stepsOf(scores), (step) => {
        const { own, other, alpha } = step;
        const p = solve(step);
        expectDistribution(p);
        // dp/db is at most min(1, 1/alpha), and b is as large as q and alpha/t.
        const b = (1 + maxAbs([...own, ...other])) * Math.min(1, 1 / alpha) + 1;
        expectVectorWithin(p, multilabelEntropy(own, other, alpha), 16 * p.length * EPS * b, "p");
        const kept = p.map((_, j) => j).filter((j) => p[j] >= 2 ** -1022);
        const q = [...own, ...other];
        const g = kept.map((j) => sum([q[j], j < own.length ? alpha / own.length : 0, -alpha * p[j], -Math.log(p[j])]));
        const point = kept.map((j) => p[j]);
        const rounding = 16 * p.length * EPS * (1 + maxAbs(q) + alpha) * (1 + Math.abs(Math.log(Math.min(...point))));
        expectAtMost(Math.max(...g) - dot(g, point), rounding, "excess");
      }),
      { ...RUNS, numRuns: 500 },
    );
  });

  test("entries of any size, and alpha of any size", () => {
    fc.assert(
      fc.property(
        stepsOf((minLength) => fc.oneof(vectors(minLength), farVectors(minLength))),
        (step) => {
          const p = solve(step);
          expectDistribution(p);
          const { own, other, alpha } = step;
          const size = maxAbs([...own, ...other]);
          const tolerance = 16 * p.length * EPS * (1 + size * Math.min(1, 1 / alpha));
          if (tolerance < 1e-3) expectVectorWithin(p, multilabelEntropy(own, other, alpha), tolerance, "p");
        },
      ),
      {
        ...RUNS,
        examples: [
          [{ own: [1e150, -1e150], other: [1e150], alpha: 1 }],
          [{ own: [-1e300], other: [1e300, 1e300], alpha: 1e-150 }],
          [{ own: [1e-150], other: [0], alpha: 1e-150 }],
          [{ own: [0, 0], other: [], alpha: 1e300 }],
        ],
      },
    );
  });

  test("far from 0, entries that are equal have equal shares", () => {
    const { x, y } = prox.multilabelEntropy([0], [1e16, 1e16], { alpha: 1 });
    expect([...x, ...y]).toEqual([0, 0.5, 0.5]);
  });

  test("one true class: the softmax step", () => {
    fc.assert(
      fc.property(stepsOf(scores), ({ own: [own], other, alpha }) => {
        fc.pre(other.length > 0);
        const { x, y } = prox.multilabelEntropy([own], other, { alpha });
        const z = prox.topKEntropy(
          other.map((q) => q - own),
          { k: 1, alpha },
        );
        const rounding = 32 * (1 + other.length) * EPS * (1 + 16 * Math.min(1, 1 / alpha));
        expectVectorWithin(y, z, rounding, "others");
        expectWithin(x[0], 1 - sum(z), rounding, "own");
      }),
      RUNS,
    );
  });

  test("alpha = 0 is softmax; a huge alpha gives each true class its share", () => {
    const { x, y } = prox.multilabelEntropy([Math.LN2, 0], [0], { alpha: 0 });
    expectVectorWithin([...x, ...y], [0.5, 0.25, 0.25], 4 * EPS);
    for (const alpha of [1e20, 1e150]) {
      const shares = prox.multilabelEntropy([3, -2, 0], [5, 1], { alpha });
      expectVectorWithin(shares.x, [1 / 3, 1 / 3, 1 / 3], 8 * EPS);
      expectVectorWithin(shares.y, [0, 0], 4 * EPS); // alpha/3 has the rounding of alpha
    }
    expect(prox.multilabelEntropy([7], [], { alpha: 2 }).x).toEqual(Float64Array.of(1));
  });
});
