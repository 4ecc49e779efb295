import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { init } from "../../src/index.ts";
import { topKDomain, type DualDomain } from "../../src/losses.ts";
import { borrow } from "../../src/wasm/shared.ts";
import { farVectors, radii, rhos, RUNS, vectors } from "../helpers/arbitraries.ts";
import { EPS, expectVectorWithin, maxAbs } from "../helpers/expect.ts";
import { knapsack } from "../reference/knapsack.ts";
import { topKSimplex } from "../reference/topKSimplex.ts";

/** The kernel itself: guesses are the solver's, which has the dual variables of the visit before. */

beforeAll(() => init());

interface Problem {
  a: number[];
  domain: DualDomain;
  k: number;
  radius: number;
  rho: number;
}

/** The projection from a guess that belongs to radius `own`, 0 for none. */
function project({ a, domain, k, radius, rho }: Problem, guess: readonly number[], own: number): number[] {
  const n = a.length;
  const { instance, at } = borrow("test", [n + 2, n + 2, 2 * n + 4]);
  const { kernels, memory } = instance;
  const [aPtr, xPtr, workPtr] = at;
  new Float64Array(memory.buffer, aPtr, n).set(a);
  new Float64Array(memory.buffer, xPtr, n).set(guess);
  kernels.projectOnto(kernels[domain].value, k, 0, aPtr, n, radius, rho, own, xPtr, workPtr);
  return Array.from(new Float64Array(memory.buffer, xPtr, n));
}

function wanted({ a, domain, k, radius, rho }: Problem): number[] {
  if (domain === "SIMPLEX") return knapsack(a, { radius, rho }) as number[];
  return topKSimplex(a, { k, radius, rho, variant: domain === topKDomain("beta") ? "beta" : "alpha" });
}

const domains = fc.constantFrom<DualDomain>("SIMPLEX", topKDomain("alpha"), topKDomain("beta"));

const problemsOf = (vector: fc.Arbitrary<number[]>): fc.Arbitrary<Problem> =>
  vector.chain((a) =>
    fc.record({
      ...{ a: fc.constant(a), domain: domains, radius: radii, rho: rhos },
      k: fc.integer({ min: 1, max: a.length + 1 }),
    }),
  );

/** Of a problem nearby, of one that has nothing to do with it, rounded to float32 and by another factor. */
const guesses = fc.record({
  moved: fc.array(fc.constantFrom(0, 0, 0, 1e-9, -1e-3, 0.3, -2, 1e6), { minLength: 12, maxLength: 12 }),
  factor: fc.constantFrom(1, 0.01, 37, 1e-12),
});

function fromGuess(problem: Problem, { moved, factor }: { moved: number[]; factor: number }, unit: number): number[] {
  const before = wanted({ ...problem, a: problem.a.map((entry, j) => entry + unit * moved[j]) });
  const guess = before.map((x) => Math.fround(x * factor));
  return project(problem, guess, factor * problem.radius);
}

test("from any guess the answer is the same", () => {
  fc.assert(
    fc.property(problemsOf(vectors()), guesses, (problem, guess) => {
      const { a, radius, rho } = problem;
      const rounding = 16 * a.length * EPS * Math.max(maxAbs(a), radius) * (1 + rho * a.length);
      expectVectorWithin(fromGuess(problem, guess, radius), wanted(problem), rounding, "x");
    }),
    { ...RUNS, numRuns: 2000 },
  );
});

test("|a| far above the radius: exact relative to that", () => {
  fc.assert(
    fc.property(problemsOf(farVectors()), guesses, (problem, guess) => {
      const unit = maxAbs(problem.a) * EPS;
      const x = fromGuess({ ...problem, rho: 1 }, guess, unit);
      expectVectorWithin(x, wanted({ ...problem, rho: 1 }), 16 * x.length * EPS * problem.radius, "x");
    }),
    { ...RUNS, numRuns: 1000 },
  );
});

test("elements of the guess that are far from the threshold take no digits from the others", () => {
  // The mean of the first two is near the threshold, and says which of the others are positive.
  const a = [1e12, 2 - 1e12, 0.7, 0.71, 0.72, 0.73, 0.74];
  const problem: Problem = { a, domain: topKDomain("beta"), k: 3, radius: 1, rho: 0 };
  const x = project(problem, [0.1, 0.1, 0, 0, 0, 0, 0], 1);
  expectVectorWithin(x, wanted(problem), 16 * EPS, "x");
});

test("what is no guess at all does no harm", () => {
  const guesses = [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 1, 1, 1], [Infinity, 1, 2, 3, 4], [-1, -1, -1, -1, -1]]; // prettier-ignore
  for (const a of [
    [2, 1.5, -1, 0.5, 1],
    [9, 9.5, 8.5, 9.2, 9.1],
  ]) {
    for (const domain of ["SIMPLEX", topKDomain("alpha"), topKDomain("beta")] as const) {
      for (const rho of [0, 1]) {
        const problem: Problem = { a, domain, k: 2, radius: 1, rho };
        for (const guess of guesses) {
          const what = `${domain}, rho = ${rho}, from ${guess.join(" ")}`;
          expectVectorWithin(project(problem, guess, 1), wanted(problem), 16 * EPS * maxAbs(a), what);
        }
      }
    }
  }
});

test("elements that leave a few at a time, with a bias and a sum below the radius", () => {
  // From the last to leave to the first: each group 3 times as far below t as the next, a third as many as stay.
  const a = Array<number>(8).fill(9);
  let [t, apart, held] = [8, 1e-14, 9]; // the bias holds t as one element more, at 0, would
  for (let group = 0; group < 28; group++) {
    const size = Math.ceil(0.35 * held);
    a.push(...Array<number>(size).fill(t - apart));
    t -= (apart * size) / (held + size);
    apart *= 3;
    held += size;
  }
  const problem: Problem = { a, domain: "SIMPLEX", k: 1, radius: 1e6, rho: 1 };
  const x = project(problem, new Array<number>(a.length).fill(0), 0);
  expectVectorWithin(x, wanted(problem), 16 * a.length * EPS, "x");
});
