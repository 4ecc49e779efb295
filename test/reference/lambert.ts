import { lastWhere } from "./bisect.ts";

/**
 * The solution z >= 0 of alpha z + log z = c, by bisection; alpha >= 0, at 0 it is exp c. While alpha z is small the
 * equation is compared as z exp(alpha z) = exp c: log z rounds relative to |c|, and z would lose digits.
 */
export function solveEntropic(alpha: number, c: number): number {
  if (c === -Infinity) return 0;
  if (c === Infinity) return Infinity;
  if (alpha === 0) return Math.exp(c);
  const power = Math.exp(c);
  const isBelow = (z: number): boolean =>
    alpha * z <= 1 ? z * Math.exp(alpha * z) <= power : alpha * z + Math.log(z) <= c;
  return lastWhere(isBelow, 0, Number.MAX_VALUE);
}

/** V(t) = W(e^t), the solution of v + log v = t. */
export function lambertWExp(t: number): number {
  return solveEntropic(1, t);
}
