/**
 * Sum of the terms, compensated: the error is about one rounding of the result plus n eps^2 sum |term|, so that what a
 * test measures is the error of the code under test. Neumaier, ZAMM 54 (1974). Infinite terms give the plain sum.
 */
export function sum(terms: Iterable<number>): number {
  let total = 0;
  let lost = 0;
  for (const term of terms) {
    const next = total + term;
    lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}

/** <a, b>; products are rounded, their sum is not. */
export function dot(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((entry, j) => entry * b[j]));
}
