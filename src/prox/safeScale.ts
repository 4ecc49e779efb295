import { readNonempty, sumOfSquares } from "../arrays/vectors.ts";
import { isFloats } from "../constraints.ts";
import type { Vec } from "../types.ts";

/** The scale at which a quadratic map is taken, so that no number of it overflows. */

/** A vector, checked, and what no entry exceeds in magnitude. */
export interface Bounded {
  readonly v: Vec;
  readonly most: number;
}

/** Beyond 2 to these powers sums, squares and products of a map's numbers might overflow. */
const SAFE_ENTRY = 512;
const SAFE_PRODUCT = 1000;
const SAFE_BOUND = 900;

export function bounded(caller: string, a: Vec, argument?: string): Bounded {
  // One pass where the squares tell that the entries are finite, too.
  if (isFloats(a) && a.length > 0 && sumOfSquares(a) < Infinity) return { v: a, most: 2 ** SAFE_ENTRY };
  const v = readNonempty(caller, a, argument);
  let most = 0;
  for (let j = 0; j < v.length; j++) most = Math.max(most, Math.abs(v[j]));
  return { v, most };
}

/**
 * What the numbers of a quadratic map are divided by, 1 unless some are huge: at a/s, within bounds/s, it is x/s, and a
 * power of two changes no digit as long as nothing underflows: the bounds stay above 2^-SAFE_BOUND.
 */
export function safeScale(most: number, rho: number, bound: number): number {
  const power = Math.min(SAFE_ENTRY, SAFE_PRODUCT - Math.log2(rho + 1));
  if (most <= 2 ** power) return 1;
  return 2 ** Math.max(0, Math.min(Math.ceil(Math.log2(most) - power), SAFE_BOUND + Math.floor(Math.log2(bound))));
}

export const times = (v: Vec, factor: number): Vec => (factor === 1 ? v : Float64Array.from(v, (a) => a * factor));
