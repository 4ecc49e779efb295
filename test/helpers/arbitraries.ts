import fc from "fast-check";

/** Every property runs on the same examples each time. */
export const RUNS = { seed: 20160627, numRuns: 120 } as const;

/** Products of two entries must not underflow: they measure optimality. */
const TINY = 1e-150;

const entries = {
  ordinary: fc.double({ min: -3, max: 3, noNaN: true }).map((entry) => (Math.abs(entry) < TINY ? 0 : entry)),
  tied: fc.integer({ min: -4, max: 4 }).map((j) => j / 2),
  mixed: fc
    .tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -99, max: 99 }))
    .map(([exponent, mantissa]) => mantissa * 10 ** exponent),
};

/** Entries that nearly cancel in a sum of the largest: plus or minus one base, and something small. */
function cancelling(size: { minLength: number; maxLength: number }): fc.Arbitrary<number[]> {
  const entry = fc.tuple(fc.constantFrom(-1, -0.5, 0, 1), entries.tied);
  return fc
    .tuple(fc.constantFrom(1e3, 1e8, 1e14), fc.array(entry, size))
    .map(([base, list]) => list.map(([sign, small]) => sign * base + small));
}

/** Vectors of one kind of entry each: ordinary doubles, many ties, magnitudes from 1e-8 to 1e9, near cancellation. */
export function vectors(minLength = 1, maxLength = 12): fc.Arbitrary<number[]> {
  const size = { minLength, maxLength };
  return fc.oneof(
    fc.array(entries.ordinary, size),
    fc.array(entries.tied, size),
    fc.array(entries.mixed, size),
    cancelling(size),
    fc.tuple(entries.tied, fc.integer({ min: minLength, max: maxLength })).map(([a, n]) => Array<number>(n).fill(a)),
  );
}

/** Vectors with |a| far above 1 and entries only a few spacings apart, where a - t cancels. */
export function farVectors(minLength = 1, maxLength = 12): fc.Arbitrary<number[]> {
  return fc
    .tuple(
      fc.constantFrom(1e3, 1e8, 1e12, 1e16, 1e200),
      fc.array(fc.integer({ min: -6, max: 6 }), { minLength, maxLength }),
    )
    .map(([base, steps]) => steps.map((step) => base * (1 + step * Number.EPSILON)));
}

/** What the entropic steps get: scores of moderate size, ties, and a few so far apart that exponentials vanish. */
export const scores = (minLength = 1, maxLength = 9): fc.Arbitrary<number[]> =>
  fc.array(
    fc.oneof(
      fc.double({ min: -8, max: 8, noNaN: true }),
      fc.integer({ min: -4, max: 4 }).map((j) => j / 2),
      fc.constantFrom(-60, -20, -14, 40),
    ),
    { minLength, maxLength },
  );

/** Radii: 1, round fractions, and doubles of no particular form. */
export const radii: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(1, 0.001, 10, 1 / 3),
  fc.double({ min: 1e-3, max: 1e2, noNaN: true }),
);

/** rho = 0 is the projection, 1 the step of a hinge loss, anything between a smoothed one. */
export const rhos: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 0.3),
  fc.double({ min: 0, max: 2, noNaN: true }),
);

/** Deterministic shuffle for tests that need one long vector: Fisher and Yates with a linear congruential generator. */
export function shuffled(a: readonly number[], seed = 1): number[] {
  const result = [...a];
  let state = seed;
  for (let j = result.length - 1; j > 0; j--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (j + 1);
    [result[j], result[other]] = [result[other], result[j]];
  }
  return result;
}
