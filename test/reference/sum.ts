/**
 * Sum of the terms, compensated: the error is about one rounding of the result plus n eps^2 sum |term|, so that what a
 * test measures is the error of the code under test. Neumaier, ZAMM 54 (1974). Infinite terms give the plain sum.
 */
export function sum(terms: ArrayLike<number>): number {
  return compensated(terms.length, (j) => terms[j]);
}

/** <a, b>; products are rounded, their sum is not. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return compensated(a.length, (j) => a[j] * b[j]);
}

/** The sum of `count` terms, compensated. */
export function compensated(count: number, termAt: (j: number) => number): number {
  let total = 0;
  let lost = 0;
  for (let j = 0; j < count; j++) {
    const term = termAt(j);
    const next = total + term;
    lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}
