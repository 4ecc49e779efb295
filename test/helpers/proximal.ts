import { expect } from "vitest";
import { expectAtMost } from "./expect.ts";

/** What holds for every proximal map of a vector, whatever the set. */

/**
 * Equal entries of a get equal values of x, the same to the bit, larger ones no smaller values, up to `rounding` of a value, which is 0
 * unless given.
 */
export function expectOrderKept(
  a: readonly number[],
  x: ArrayLike<number>,
  rounding: (value: number) => number = () => 0,
): void {
  const order = a.map((_, j) => j).sort((i, j) => a[i] - a[j]);
  for (let p = 1; p < order.length; p++) {
    const [smaller, larger] = [order[p - 1], order[p]];
    expectAtMost(x[smaller], x[larger] + rounding(x[larger]), `x[${smaller}]`);
    if (a[smaller] !== a[larger]) continue;
    expect(x[smaller]).toBe(x[larger]);
  }
}

/** Lists and typed vectors of either precision give the same, and stay as they were. The entries of a are rounded to float32 for it. */
export function expectAnyVector(
  map: (vector: readonly number[] | Float32Array | Float64Array) => unknown,
  a: readonly number[],
): void {
  const single = Float32Array.from(a);
  const list: readonly number[] = Object.freeze(Array.from(single));
  const double = Float64Array.from(list);
  const result = map(list);
  for (const vector of [single, double]) expect(map(vector)).toEqual(result);
  expect(single).toEqual(Float32Array.from(list));
  expect(double).toEqual(Float64Array.from(list));
}
