import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { borrow } from "../../src/wasm/shared.ts";
import { RUNS, scores } from "../helpers/arbitraries.ts";
import { uniforms } from "../helpers/data.ts";
import { EPS, expectAtMost, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { softmaxStep } from "../reference/softmaxStep.ts";
import { sum } from "../reference/sum.ts";

/** The kernel itself: the guess and the precision are the solver's, not the public function's. */

beforeAll(() => init());

interface Step {
  b: number[];
  alpha: number;
  guess?: number;
  single?: boolean;
}

/** p over the list and, last, the true class. */
function solve({ b, alpha, guess = NaN, single = false }: Step): { p: number[]; t: number } {
  const n = b.length;
  const { instance, at } = borrow("test", [n + 2, n + 2]);
  const [bPtr, zPtr] = at;
  new Float64Array(instance.memory.buffer, bPtr, n).set(b);
  const t = instance.kernels.softmaxStep(bPtr, n, alpha, guess, single, zPtr);
  expect(new Float64Array(instance.memory.buffer, bPtr, n)).toEqual(Float64Array.from(b));
  return { p: Array.from(new Float64Array(instance.memory.buffer, zPtr, n + 1)), t };
}

function wanted({ b, alpha }: Step): number[] {
  const { z, oneMinusS } = softmaxStep(b, alpha);
  return [...z, oneMinusS];
}

/** What an error of EPS in b, and in alpha, makes of p. */
const roundingOf = ({ b, alpha }: Step): number => 16 * (b.length + 1) * EPS * (1 + maxAbs(b) * Math.min(1, 1 / alpha));

/** Of float32 numbers: a relative error in V, one in its argument V + log V, and the smallest V there is. */
const singleErrorOf =
  ({ alpha }: Step) =>
  (entry: number): number =>
    entry * (1e-6 + 1e-7 * (2 * alpha + Math.abs(Math.log(alpha * entry || 1)))) + 1e-37 / (alpha || 1);

const alphas = fc.oneof(
  fc.constantFrom(0, 1e-30, 1e-17, 1e-9, 0.3, 1, 7, 1e3, 1e9),
  fc.double({ min: -9, max: 9, noNaN: true }).map((e) => 10 ** e),
);

describe("float64", () => {
  test("equals bisection", () => {
    fc.assert(
      fc.property(scores(), alphas, (b, alpha) => {
        const step = { b, alpha };
        const { p } = solve(step);
        expectWithin(sum(p), 1, 8 * p.length * EPS, "sum");
        expectVectorWithin(p, wanted(step), roundingOf(step), "p");
      }),
      { ...RUNS, numRuns: 500 },
    );
  });

  test("a guess, near, far or absurd, changes only the rounding", () => {
    fc.assert(
      fc.property(scores(), alphas, (b, alpha) => {
        const step = { b, alpha };
        const { p, t } = solve(step);
        for (const off of [0, 1e-9, -1e-3, 0.02, -0.1, 3, -50, 1e300, Infinity]) {
          expectVectorWithin(solve({ ...step, guess: t + off }).p, p, roundingOf(step), `p, guess off by ${off}`);
        }
      }),
      RUNS,
    );
  });

  test("next to no step far from the root is not taken for the root", () => {
    // Entries apart by about alpha: there a step of Householder's method is 0 now and then.
    const uniform = uniforms(5);
    for (const alpha of [32, 128, 1024]) {
      for (let run = 0; run < 8000; run++) {
        const b = Array.from({ length: 20 }, () => uniform() + (uniform() < 0.3 ? alpha * uniform() : 0));
        const step = { b, alpha };
        const { p, t } = solve(step);
        [...b, alpha].forEach((side, j) => {
          const v = alpha * p[j];
          if (v < 1e-300 && side - t < -690) return; // without all its digits
          const residual = Math.abs(v + Math.log(v) - (side - t));
          if (!(residual <= 64 * EPS * (alpha + Math.abs(t)))) expect.fail(`alpha = ${alpha}, run ${run}: ${residual}`);
        });
        expectVectorWithin(solve({ ...step, single: true }).p, p, singleErrorOf(step), `p, alpha = ${alpha}`);
      }
    }
  });

  test("long lists: the sum, and the equation of every entry", () => {
    for (const n of [25, 26, 27, 28, 1000, 50_000]) {
      const b = Array.from({ length: n }, (_, j) => 3 * Math.sin(j * j + 1));
      for (const alpha of [0.01, 1, 30]) {
        const { p, t } = solve({ b, alpha });
        expectWithin(sum(p), 1, 4 * Math.sqrt(n) * EPS, `sum, n = ${n}`);
        [...b, alpha].forEach((side, j) => {
          const v = alpha * p[j];
          const residual = Math.abs(v + Math.log(v) - (side - t));
          if (!(residual <= 64 * EPS * (1 + Math.abs(t)))) expect.fail(`entry ${j} of ${n}: ${residual}`);
        });
      }
    }
  });
});

describe("float32", () => {
  test("equals bisection as far as float32 goes, and sums to 1", () => {
    fc.assert(
      fc.property(scores(), alphas, (b, alpha) => {
        const step = { b, alpha, single: true };
        const { p } = solve(step);
        expectWithin(sum(p), 1, 3e-7, "sum");
        if (alpha <= 1e3) expectVectorWithin(p, wanted(step), singleErrorOf(step), "p");
        else for (const entry of p) expectAtMost(Math.abs(entry - 0.5), 0.5 * (1 + 1e-6), "p");
      }),
      { ...RUNS, numRuns: 500 },
    );
  });

  test("a guess, near, far or absurd, changes only the rounding", () => {
    fc.assert(
      fc.property(scores(), alphas, (b, alpha) => {
        fc.pre(alpha <= 1e3);
        const step = { b, alpha, single: true };
        const right = wanted(step);
        const { t } = solve(step);
        for (const off of [0, 1e-9, -1e-3, 0.029, -0.1, 3, -50, 1e300, Infinity]) {
          const { p } = solve({ ...step, guess: t + off });
          expectVectorWithin(p, right, singleErrorOf(step), `p, guess off by ${off}`);
        }
      }),
      RUNS,
    );
  });

  test("scales where float32 ends go on in float64", () => {
    for (const alpha of [0, 1e-30, 1e32, 1e300]) {
      const step = { b: [1, -2, 0.5, 1e4], alpha };
      expect(solve({ ...step, single: true })).toEqual(solve(step));
    }
  });

  test("long lists sum to 1", () => {
    for (const n of [25, 26, 27, 28, 1000, 50_000]) {
      const b = Array.from({ length: n }, (_, j) => 3 * Math.sin(j * j + 1));
      for (const alpha of [0.01, 1, 30]) {
        const step = { b, alpha, single: true };
        const { p } = solve(step);
        expectWithin(sum(p), 1, 3e-7, `sum, n = ${n}`);
        expectVectorWithin(p, solve({ ...step, single: false }).p, singleErrorOf(step), `p, n = ${n}`);
      }
    }
  });
});
