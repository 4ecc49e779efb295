import { expect } from "vitest";

/** Spacing of the doubles at 1. */
export const EPS = Number.EPSILON;

/** Largest |entry|; 0 of an empty vector. */
export function maxAbs(a: ArrayLike<number>): number {
  let largest = 0;
  for (let j = 0; j < a.length; j++) largest = Math.max(largest, Math.abs(a[j]));
  return largest;
}

/** Asserts |got - wanted| <= tolerance, and says where and by how much not. */
export function expectWithin(got: number, wanted: number, tolerance: number, what = "value"): void {
  if (Math.abs(got - wanted) <= tolerance) return;
  expect.fail(`${what}: got ${got}, wanted ${wanted} +- ${tolerance} (off by ${Math.abs(got - wanted)})`);
}

/** The same for every entry of two vectors. */
export function expectVectorWithin(
  got: ArrayLike<number>,
  wanted: ArrayLike<number>,
  tolerance: number | ((entry: number) => number),
  what = "vector",
): void {
  if (got.length !== wanted.length) expect.fail(`${what}: got length ${got.length}, wanted ${wanted.length}`);
  for (let j = 0; j < wanted.length; j++) {
    const bound = typeof tolerance === "number" ? tolerance : tolerance(wanted[j]);
    expectWithin(got[j], wanted[j], bound, `${what}[${j}]`);
  }
}

/** Asserts got <= bound. */
export function expectAtMost(got: number, bound: number, what = "value"): void {
  if (!(got <= bound)) expect.fail(`${what}: got ${got}, wanted at most ${bound}`);
}

/** Asserts lo <= entry <= hi for every entry. */
export function expectBetween(got: ArrayLike<number>, lo: number, hi: number, what = "vector"): void {
  for (let j = 0; j < got.length; j++) {
    if (!(got[j] >= lo && got[j] <= hi)) expect.fail(`${what}: entry ${j} is ${got[j]}, not in [${lo}, ${hi}]`);
  }
}
