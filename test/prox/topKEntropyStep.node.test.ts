import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, losses, prox } from "../../src/index.ts";
import { borrow } from "../../src/wasm/shared.ts";
import { RUNS, scores } from "../helpers/arbitraries.ts";
import { uniforms } from "../helpers/data.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, maxAbs } from "../helpers/expect.ts";
import { entropyExcess, topKSet } from "../helpers/optimality.ts";
import { sum } from "../reference/sum.ts";
import { topKEntropy } from "../reference/topKEntropy.ts";

/** The kernel itself: the guess is the solver's, not the public function's, which is tested in entropy.node.test.ts. */

beforeAll(() => init());

interface Step {
  b: number[];
  k: number;
  alpha: number;
  variant: "alpha" | "beta";
}

function solve({ b, k, alpha, variant }: Step, guess = NaN, single = false): number[] {
  const n = b.length;
  const { instance, at } = borrow("test", [n + 2, n + 2, 2 * n + 4]);
  const [bPtr, zPtr, workPtr] = at;
  new Float64Array(instance.memory.buffer, bPtr, n).set(b);
  new Float64Array(instance.memory.buffer, zPtr, n + 2).fill(NaN);
  new Float64Array(instance.memory.buffer, workPtr, 2 * n + 4).fill(NaN);
  instance.kernels.topKEntropyStep(bPtr, n, k, variant === "beta", alpha, guess, single, zPtr, workPtr);
  return Array.from(new Float64Array(instance.memory.buffer, zPtr, n));
}

/** t from an entry below the bound, as the solver guesses it from the last visit; NaN if all are at it. */
function thresholdOf({ b, alpha }: Step, z: number[]): number {
  const most = Math.max(...z);
  const below = z.map((entry, j) => ({ entry, j })).filter(({ entry }) => entry < most * (1 - 1e-9) && entry > 0);
  if (below.length === 0) return NaN;
  const { entry, j } = below.reduce((p, q) => (q.entry > p.entry ? q : p));
  return b[j] - alpha * entry - Math.log(alpha * entry);
}

/** What an error of EPS in b, and in alpha, makes of z. */
const roundingOf = ({ b, alpha }: Step): number => 16 * b.length * EPS * (1 + maxAbs(b) * Math.min(1, 1 / alpha));

function expectInDomain(z: number[], { k, variant }: Step): void {
  const slack = 1 + 8 * z.length * EPS;
  const total = sum(z);
  expectAtMost(total, slack, "sum");
  const bound = variant === "alpha" ? total / k : 1 / k;
  expectBetween(z, 0, bound * slack);
}

const stepsOf = (b: fc.Arbitrary<number[]>, least: number, most: number): fc.Arbitrary<Step> =>
  b.chain((b) =>
    fc.record({
      b: fc.constant(b),
      k: fc.integer({ min: 1, max: b.length + 1 }),
      alpha: fc.oneof(
        fc.constantFrom(0.3, 1, 7),
        fc.double({ min: least, max: most, noNaN: true }).map((e) => 10 ** e),
      ),
      variant: fc.constantFrom("alpha" as const, "beta" as const),
    }),
  );

describe("top-k entropy step", () => {
  test("a guess, near, far or absurd, changes only the rounding", () => {
    const offsets = fc.constantFrom(0, 1e-12, 1e-6, -1e-3, 0.1, -2, 20, -300, 1e5, -1e200, Infinity);
    fc.assert(
      fc.property(stepsOf(scores(2, 12), -9, 9), offsets, (step, offset) => {
        const cold = solve(step);
        const warm = solve(step, thresholdOf(step, cold) + offset);
        expectInDomain(warm, step);
        expectVectorWithin(warm, topKEntropy(step.b, step).z, roundingOf(step), "z");
        const { excess, tolerance } = entropyExcess(topKSet(step.variant, step.k, 1), step.b, warm, step.alpha);
        expectAtMost(excess, tolerance, "excess");
      }),
      { ...RUNS, numRuns: 200 },
    );
  });

  test("from visit to visit, b moving: the guess is the last answer's", () => {
    const moves = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(stepsOf(scores(6, 12), -2, 3), moves, (step, by) => {
        const guess = thresholdOf(step, solve(step));
        for (const size of [1e-3, 0.1, 1, 10]) {
          const moved = { ...step, b: step.b.map((entry, j) => entry + by[j] * size) };
          const z = solve(moved, guess);
          expectInDomain(z, moved);
          expectVectorWithin(z, topKEntropy(moved.b, moved).z, roundingOf(moved), `moved by ${size}`);
        }
      }),
      { ...RUNS, numRuns: 40 },
    );
  });

  test("in float32: feasible, and the same to six digits", () => {
    fc.assert(
      fc.property(stepsOf(scores(2, 12), -3, 1.8), fc.boolean(), (step, guessed) => {
        const exact = topKEntropy(step.b, step).z;
        const z = solve(step, guessed ? thresholdOf(step, exact) + 0.01 : NaN, true);
        const slack = 2e-6 * (1 + step.alpha);
        expectAtMost(sum(z), 1 + slack, "sum");
        expectVectorWithin(z, exact, slack, "z");
        const bound = (step.variant === "alpha" ? sum(z) : 1) / step.k;
        expectBetween(z, 0, bound * (1 + slack));
      }),
      { ...RUNS, numRuns: 300 },
    );
  });

  test("next to no step far from the root is not taken for the root", () => {
    const uniform = uniforms(6);
    for (const variant of ["alpha", "beta"] as const) {
      for (const alpha of [64, 1024]) {
        for (let run = 0; run < 3000; run++) {
          const b = Array.from({ length: 12 }, () => uniform() + (uniform() < 0.3 ? alpha * uniform() : 0));
          const step = { b, k: 1 + (run % 4), alpha, variant };
          const z = solve(step);
          expectVectorWithin(solve(step, NaN, true), z, 1e-6 * (1 + 0.1 * alpha), `z, ${variant}, alpha = ${alpha}`);
          if (run % 150 === 0) expectVectorWithin(z, topKEntropy(b, step).z, roundingOf(step), `z, ${variant}`);
        }
      }
    }
  });

  test("alpha far above b: on the way to the root every V underflows", () => {
    const uniform = uniforms(7);
    for (const variant of ["alpha", "beta"] as const) {
      for (const alpha of [1e10, 1e12, 1e14, 1e300]) {
        for (let run = 0; run < 21; run++) {
          const b = Array.from({ length: 8 }, () => 16 * uniform() - 8);
          const step = { b, k: 2 + (run % 7), alpha, variant };
          expectVectorWithin(solve(step), topKEntropy(b, step).z, roundingOf(step), `${variant}, alpha ${alpha}`);
        }
      }
    }
  });

  test("longer lists: equal to bisection", () => {
    fc.assert(
      fc.property(stepsOf(scores(20, 40), -3, 3), (step) => {
        const z = solve(step);
        expectInDomain(z, step);
        expectVectorWithin(z, topKEntropy(step.b, step).z, roundingOf(step), "z");
      }),
      { ...RUNS, numRuns: 15 },
    );
  });

  test("an entry just at its bound, from both sides", () => {
    // With z_1 = s/k the entry is about to be cut: b_1 decides, in steps down to one spacing.
    for (const variant of ["alpha", "beta"] as const) {
      for (const alpha of [1e-3, 1, 30]) {
        const rest = [0, -0.5, -1, -1.5, -2, -2.5];
        const cutAt = (first: number): boolean => {
          const { z } = topKEntropy([first, ...rest], { k: 3, alpha, variant });
          return z[0] >= (variant === "alpha" ? sum(z) : 1) / 3 - 1e-15;
        };
        let [free, cut] = [-3, 40];
        while (cut - free > 4 * EPS * Math.abs(cut)) {
          const middle = (free + cut) / 2;
          if (cutAt(middle)) cut = middle;
          else free = middle;
        }
        for (const offset of [0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-6, -1e-6, 1e-3, -1e-3]) {
          const step = { b: [cut + offset, ...rest], k: 3, alpha, variant };
          const wanted = topKEntropy(step.b, step).z;
          for (const guess of [NaN, thresholdOf(step, wanted), thresholdOf(step, wanted) + 0.05]) {
            const z = solve(step, guess);
            expectInDomain(z, step);
            expectVectorWithin(z, wanted, roundingOf(step), `${variant}, alpha ${alpha}, offset ${offset}`);
          }
        }
      }
    }
  });

  test("10000 entries, k of them large: feasible, and the threshold of every entry below the bound", () => {
    const n = 10_000;
    for (const variant of ["alpha", "beta"] as const) {
      for (const [k, alpha] of [
        [5, 1],
        [5, 100],
        [300, 1],
        [2000, 10],
      ]) {
        const b = Array.from({ length: n }, (_, j) => 3 * Math.sin(j * j + 1) + (j % 97 === 0 ? 8 + (j % 5) : 0));
        const step = { b, k, alpha, variant };
        const z = solve(step);
        expectInDomain(z, step);
        const bound = Math.max(...z);
        const t = thresholdOf(step, z);
        z.forEach((entry, j) => {
          const v = alpha * entry;
          const residual = v + Math.log(v) - (b[j] - t);
          const slack = 256 * EPS * (1 + Math.abs(t));
          if (!(Math.abs(residual) <= slack || (entry === bound && residual < 0))) {
            expect.fail(`${variant}, k ${k}, alpha ${alpha}, entry ${j}: ${residual}`);
          }
        });
      }
    }
  });
});

test("where k is the length, sums that overflow are means that do not", () => {
  for (const alpha of [0, 1e-300, 1, 1e6]) {
    expect(prox.topKEntropy([9e307, 9e307], { k: 2, alpha })[0]).toBeCloseTo(0.5, 12);
    expect(prox.topKEntropy(new Float64Array(5).fill(-1.7e308), { k: 5, alpha })).toEqual(new Float64Array(5));
  }
  expect(losses.value("topk-entropy", [-8e307, 8e307, 8e307, 8e307], 0, { k: 3 }) / 1.6e308).toBeCloseTo(1, 14);
});
