import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, losses, prox } from "../../src/index.ts";
import { farVectors, radii, RUNS, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { entropyExcess, topKSet } from "../helpers/optimality.ts";
import { expectAnyVector, expectOrderKept } from "../helpers/proximal.ts";
import { entropicSimplex } from "../reference/entropicSimplex.ts";
import { softmaxStep } from "../reference/softmaxStep.ts";
import { sum } from "../reference/sum.ts";
import { topKEntropy } from "../reference/topKEntropy.ts";
import simplexCases from "../vectors/A8a_entropic_simplex.json" with { type: "json" };
import lossCases from "../vectors/A8b_topk_entropy_loss.json" with { type: "json" };
import stepCases from "../vectors/A8c_topk_entropy_update.json" with { type: "json" };

beforeAll(() => init());

/** exp of less than this is subnormal or 0. */
const LOG_TINY = Math.log(2 ** -1022);

type Form = "alpha" | "beta";
const FORMS: Form[] = ["alpha", "beta"];

describe("stored exact answers", () => {
  test("entropic simplex", () => {
    for (const { name, a, r, hi, x, rtol, atol } of simplexCases) {
      const got = prox.entropicSimplex(a, { radius: r, hi: hi ?? Infinity });
      expectVectorWithin(got, x, (entry) => atol + rtol * Math.abs(entry), name);
    }
  });

  test("top-k entropy, alpha = 0", () => {
    for (const { name, a, k, variant, x, rtol, atol } of lossCases) {
      const got = prox.topKEntropy(a, { k, alpha: 0, variant: variant as Form });
      expectVectorWithin(got, x, (entry) => atol + rtol * Math.abs(entry), name);
    }
  });

  test("top-k entropy step", () => {
    for (const { name, b, k, alpha, variant, x, rtol, atol } of stepCases) {
      const got = prox.topKEntropy(b, { k, alpha, variant: variant as Form });
      expectVectorWithin(got, x, (entry) => atol + rtol * Math.abs(entry), name);
    }
  });
});

describe("entropic simplex", () => {
  interface Problem {
    a: number[];
    radius: number;
    hi: number;
  }

  /** hi from none to all but reached, which is where nearly every entry is at it. */
  const problemsOf = (a: fc.Arbitrary<number[]>): fc.Arbitrary<Problem> =>
    fc
      .tuple(a, radii, fc.constantFrom(Infinity, 3, 1.5, 1 + 1e-3, 1 + 1e-9, 1 + 1e-14, 1))
      .map(([a, radius, excess]) => ({ a, radius, hi: (radius / a.length) * excess }));

  function expectFeasible(x: Float64Array, { a, radius, hi }: Problem): void {
    expect(x).toBeInstanceOf(Float64Array);
    expectWithin(sum(x), radius, 8 * a.length * EPS * radius, "sum");
    expectBetween(x, 0, hi);
  }

  /** At a fixed sum only differences of a matter, so that nothing scales with |a|. */
  const rounding = ({ a, radius }: Problem): number => 16 * a.length * EPS * radius;

  test("feasible and equal to brute force", () => {
    fc.assert(
      fc.property(problemsOf(fc.oneof(vectors(), farVectors())), (problem) => {
        const x = prox.entropicSimplex(problem.a, problem);
        expectFeasible(x, problem);
        expectVectorWithin(x, entropicSimplex(problem.a, problem) as number[], rounding(problem), "x");
      }),
      {
        ...RUNS,
        examples: [
          [{ a: [1e16, 1e16], radius: 1, hi: Infinity }],
          [{ a: [1e300, 1e300, 1], radius: 1, hi: Infinity }],
          [{ a: [1e300, 1e4, 1e4], radius: 1, hi: 0.5 }],
          [{ a: [1e4, -1e4, 1e4 - 1], radius: 1, hi: 0.6 }],
          [{ a: [-1e300, -1e300], radius: 3, hi: 2 }],
          // Next to nothing is left for entries far below those at hi.
          [{ a: [0, 0, -1000, -1001], radius: 1, hi: 0.5 * (1 - 5e-13) }],
          [{ a: [0, 0, -1000, -1001], radius: 1, hi: 0.5 * (1 - 2 * EPS) }],
          [{ a: [1000, 999, 0, -1000], radius: 1, hi: 1 / 3 }],
          [{ a: [1000, 999, 0, -1000], radius: 49, hi: 49 / 3 }],
          [{ a: [5, 1, -4, -800, -1e300], radius: 1e300, hi: 0.3e300 }],
        ],
      },
    );
  });

  test("optimal: log x_j - a_j is one number below hi, and no larger at it", () => {
    fc.assert(
      fc.property(problemsOf(vectors()), (problem) => {
        const { a, hi } = problem;
        const x = prox.entropicSimplex(a, problem);
        const free = a.map((_, j) => j).filter((j) => x[j] < hi && x[j] > Math.exp(LOG_TINY));
        if (free.length === 0) return;
        const top = free.reduce((i, j) => (x[j] > x[i] ? j : i));
        for (const j of a.keys()) {
          const difference = a[j] - a[top]; // = log x_j - log x_top
          const tolerance = 16 * EPS * (1 + Math.abs(difference) + Math.abs(Math.log(x[top])));
          if (x[j] >= hi) expectAtMost(Math.log(hi / x[top]) - difference, tolerance, `entry ${j} at hi`);
          else if (x[j] <= Math.exp(LOG_TINY)) expectAtMost(difference + Math.log(x[top]), LOG_TINY + 1, `entry ${j}`);
          else expectWithin(Math.log(x[j] / x[top]), difference, tolerance, `entry ${j}`);
        }
      }),
      RUNS,
    );
  });

  test("a constant added to a changes nothing but its rounding", () => {
    const entries = fc.array(fc.integer({ min: -64, max: 64 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(entries, radii, fc.constantFrom(-(2 ** 40), 2 ** 10, 2 ** 45), (list, radius, constant) => {
        const problem = { a: list.map((j) => j / 16), radius, hi: Infinity };
        const moved = problem.a.map((entry) => entry + constant); // exact
        const x = prox.entropicSimplex(problem.a, problem);
        expectVectorWithin(prox.entropicSimplex(moved, problem), x, rounding(problem), "x");
      }),
      RUNS,
    );
  });

  test("falling by a constant factor, with hi all but reached: 1000 entries in time", () => {
    for (const step of [0.01, 0.35, 3]) {
      const a = Array.from({ length: 1000 }, (_, j) => -step * j);
      for (const excess of [1e-3, 1e-6, 1e-9, 1e-12, 1e-15]) {
        const problem = { a, radius: 1, hi: (1 + excess) / a.length };
        const start = performance.now();
        const x = prox.entropicSimplex(a, problem);
        expectAtMost(performance.now() - start, 1000, "milliseconds");
        expectFeasible(x, problem);
        expectVectorWithin(x, entropicSimplex(a, problem) as number[], rounding(problem), `excess ${excess}`);
      }
    }
  });

  test("by hand", () => {
    expectVectorWithin(prox.entropicSimplex([Math.LN2, 0]), [2 / 3, 1 / 3], 2 * EPS);
    expectVectorWithin(prox.entropicSimplex([Math.log(8), Math.LN2, 0], { hi: 0.4 }), [0.4, 0.4, 0.2], 2 * EPS);
    expect(prox.entropicSimplex([5, 1], { hi: 0.5 })).toEqual(Float64Array.of(0.5, 0.5));
    expectVectorWithin(prox.entropicSimplex([-7], { radius: 1e-300 }), [1e-300], 4 * EPS * 1e-300);
  });
});

interface Step {
  b: number[];
  k: number;
  alpha: number;
  variant: Form;
}

const solve = (step: Step): Float64Array => prox.topKEntropy(step.b, step);

/** What an error of EPS in b, and in alpha, makes of z: dz/db is at most min(1, 1/alpha). */
const roundingOf = ({ b, alpha }: Step): number => 16 * b.length * EPS * (1 + maxAbs(b) * Math.min(1, 1 / alpha));

function expectInDomain(z: Float64Array, { b, k, variant }: Step): void {
  expect(z).toBeInstanceOf(Float64Array);
  expect(z.length).toBe(b.length);
  const total = sum(z);
  const slack = 1 + 8 * b.length * EPS; // whatever |b| is
  expectAtMost(total, slack, "sum");
  if (variant === "alpha") expectBetween(z, 0, (total / k) * slack, "z_j <= s/k");
  else expectBetween(z, 0, (1 / k) * (1 + EPS), "z_j <= 1/k");
}

const ALPHAS = [0, 1e-30, 1e-19, 1e-17, 1e-9, 1e-3, 0.3, 1, 7, 1e3, 1e9, 1e30];

const stepsOf = (
  b: fc.Arbitrary<number[]>,
  alpha: fc.Arbitrary<number> = fc.oneof(
    fc.constantFrom(...ALPHAS),
    fc.double({ min: -9, max: 9, noNaN: true }).map((e) => 10 ** e),
  ),
): fc.Arbitrary<Step> =>
  b.chain((b) =>
    fc.record({
      b: fc.constant(b),
      k: fc.oneof(fc.constantFrom(1, b.length, b.length + 1), fc.integer({ min: 1, max: b.length + 2 })),
      alpha,
      variant: fc.constantFrom(...FORMS),
    }),
  );

/** Scores of moderate size, in which a few of the largest can be at their bound and the others still matter. */
const scores = fc.array(
  fc.oneof(
    fc.double({ min: -8, max: 8, noNaN: true }),
    fc.integer({ min: -4, max: 4 }).map((j) => j / 2),
  ),
  { minLength: 1, maxLength: 9 },
);

describe("top-k entropy step", () => {
  test("feasible, optimal and equal to bisection", () => {
    fc.assert(
      fc.property(stepsOf(scores), (step) => {
        const { b, k, alpha, variant } = step;
        const z = solve(step);
        expectInDomain(z, step);
        expectVectorWithin(z, topKEntropy(b, step).z, roundingOf(step), "z");
        const { excess, tolerance } = entropyExcess(topKSet(variant, k, 1), b, z, alpha);
        expectAtMost(excess, tolerance, "excess");
      }),
      RUNS,
    );
  });

  test("b with its largest entries multiples of alpha apart, as in a fit", () => {
    const inFit = fc
      .tuple(scores, fc.constantFrom(10, 300, 1e4, 1e6))
      .chain(([b, alpha]) => stepsOf(fc.constant(b.map((entry) => entry * alpha)), fc.constant(alpha)));
    fc.assert(
      fc.property(inFit, (step) => {
        const z = solve(step);
        expectInDomain(z, step);
        expectVectorWithin(z, topKEntropy(step.b, step).z, roundingOf(step), "z");
      }),
      RUNS,
    );
  });

  test("magnitudes from 1e-8 to 1e200: feasible, and as exact as b is known", () => {
    fc.assert(
      fc.property(stepsOf(fc.oneof(vectors(1, 8), farVectors(1, 8))), (step) => {
        const z = solve(step);
        expectInDomain(z, step);
        expectVectorWithin(z, topKEntropy(step.b, step).z, roundingOf(step), "z");
      }),
      RUNS,
    );
  });

  test("where alpha is huge, too, the answer is that of b and alpha divided by as much", () => {
    const b = [1e300, 1e307, 1e99, 1e307, 5e306, 1e300, -2, -5e307, 1e300, 9e307, -5e307, 9e307, 0];
    for (const variant of FORMS) {
      for (const power of [290, 298, 300, 308]) {
        const step = { b, k: 10, alpha: 10 ** power, variant };
        const z = solve(step);
        expectInDomain(z, step);
        const smaller = { ...step, b: b.map((entry) => entry / 1e200), alpha: 10 ** (power - 200) };
        expectVectorWithin(z, topKEntropy(smaller.b, smaller).z, 64 * EPS, `alpha 1e${power}`);
      }
    }
  });

  const extremes: number[][] = [
    [1e4, 1e4, 1e4 - 1, -1e4, 0],
    [1e4, -1e4],
    [1e300, 1e300, 1e300, -1e300, 0],
    [1e300, 3, 2.5, 1],
    [1e16, 1 / 3, 0.1, 0.7],
    [-1e4, -1e4, -2e4],
    [-1e300, -1e300],
    [1e8, 1e8, 1e8 - 1],
    [0],
    [5, 5, 5, 5, 5, 5],
  ];
  test.each(extremes.map((b) => [b.join(", "), b] as const))("scores %s", (_, b) => {
    for (const variant of FORMS) {
      for (const alpha of [0, 1e-30, 1e-17, 1e-6, 1, 1e3, 1e30]) {
        for (const k of [1, 2, 3, b.length, b.length + 1]) {
          const step = { b, k, alpha, variant };
          const z = solve(step);
          const what = `${variant}, alpha ${alpha}, k ${k}`;
          if (!z.every((entry) => entry >= 0)) expect.fail(`${what}: ${z}`);
          expectInDomain(z, step);
          // Only differences of b count here: the sums are exact, or the entries far away leave nothing.
          const wanted = topKEntropy(b, step);
          if (maxAbs(b) <= 1e4) expectVectorWithin(z, wanted.z, roundingOf(step), what);
          else expectWithin(sum(z), 1 - wanted.oneMinusS, 16 * b.length * EPS, `${what}, sum`);
        }
      }
    }
  });

  test("k = 1 is the softmax step, in both forms", () => {
    fc.assert(
      fc.property(stepsOf(scores), (step) => {
        const wanted = softmaxStep(step.b, step.alpha).z;
        expectVectorWithin(solve({ ...step, k: 1 }), wanted, roundingOf(step), "z");
      }),
      RUNS,
    );
  });

  test("k = n: alpha has equal entries; k beyond n: alpha is {0}, beta a box", () => {
    fc.assert(
      fc.property(stepsOf(scores), (step) => {
        const n = step.b.length;
        const equal = solve({ ...step, k: n, variant: "alpha" });
        expect(equal.every((entry) => entry === equal[0])).toBe(true);
        expect(equal[0]).toBeGreaterThan(0);
        expect(solve({ ...step, k: n + 1, variant: "alpha" })).toEqual(new Float64Array(n));
        const boxed = { ...step, k: n + 3, variant: "beta" as const };
        expectVectorWithin(solve(boxed), topKEntropy(step.b, boxed).z, roundingOf(step), "box");
      }),
      RUNS,
    );
    expect(solve({ b: [1, 2], k: 2 ** 32 + 2, alpha: 1, variant: "alpha" })).toEqual(new Float64Array(2)); // no 2
  });

  test("k = n, alpha to 1e150: one number solves alpha (1 + 1/k) s + log(s/(1 - s)) = sum b/k + log k", () => {
    const cases = [
      [1, 0.1],
      [1, 0.5],
      [2, 1],
      [3, 1.3],
    ];
    for (let e = -3; e <= 150; e++) {
      const alpha = 10 ** e;
      for (const [k, ratio] of cases) {
        const z = prox.topKEntropy(new Array<number>(k).fill((ratio * alpha) / k), { k, alpha });
        const excess = (s: number): number =>
          s * (1 + 1 / k) + (Math.log(s) - Math.log1p(-s) - Math.log(k)) / alpha - ratio / k;
        const s = sum(z);
        const slack = 1e-13;
        expect(s > slack ? excess(s * (1 - slack)) : -1, `${k}, ${ratio}, ${alpha}`).toBeLessThanOrEqual(0);
        expect(s < 1 - slack ? excess(s * (1 + slack)) : 1, `${k}, ${ratio}, ${alpha}`).toBeGreaterThanOrEqual(0);
        expect(new Set(z).size).toBe(1);
      }
    }
  });

  test("alpha to 0 is the loss problem, whose point is the gradient of the loss", () => {
    fc.assert(
      fc.property(stepsOf(scores), ({ b, k, variant }) => {
        const limit = solve({ b, k, variant, alpha: 0 });
        for (const alpha of [1e-300, 1e-30, 1e-19, 1e-17, 1e-12, 1e-6]) {
          const step = { b, k, variant, alpha };
          // The entropy is strongly convex in the 1-norm, so that z moves by at most max_j alpha (z_j + s) <= 2 alpha.
          expectVectorWithin(solve(step), limit, 2 * alpha + roundingOf(step), `alpha ${alpha}`);
        }
        const gradient = losses.gradient("topk-entropy", [0, ...b], 0, { k, variant });
        expectVectorWithin(gradient.subarray(1), limit, 2 * EPS, "gradient");
      }),
      RUNS,
    );
  });

  test("equal entries get equal values, larger entries no smaller ones", () => {
    fc.assert(
      fc.property(stepsOf(fc.oneof(scores, vectors(1, 9))), (step) => {
        // Larger by less than b's own rounding, one entry may still come out smaller by that of exp and log.
        expectOrderKept(step.b, solve(step), (value) => 8 * EPS * value);
      }),
      RUNS,
    );
  });

  test("inputs stay as they were, any kind of vector gives the same, alpha is the form without a variant", () => {
    fc.assert(
      fc.property(stepsOf(scores), ({ b, k, alpha }) => {
        const options = Object.freeze({ k, alpha });
        expectAnyVector((vector) => prox.topKEntropy(vector, options), b);
        expect(prox.topKEntropy(b, { ...options, variant: "alpha" })).toEqual(prox.topKEntropy(b, options));
      }),
      RUNS,
    );
  });

  test("by hand: one of three at the bound", () => {
    // k = 2, alpha = 0, g = (L, 0, 0) with L large: z = (s/2, s/4, s/4).
    const [first, second, third] = prox.topKEntropy([50, 0, 0], { k: 2, alpha: 0 });
    const { z } = topKEntropy([50, 0, 0], { k: 2, alpha: 0 });
    expectWithin(first, second + third, 2 * EPS);
    expect(second).toBe(third);
    expectWithin(first, z[0], 8 * EPS);
    // beta: z = (1/2, w, w) with 2 w + w = 1/2, the true class among them.
    expectVectorWithin(prox.topKEntropy([50, 0, 0], { k: 2, alpha: 0, variant: "beta" }), [1 / 2, 1 / 6, 1 / 6], EPS);
  });
});
