/** What descents need of linear algebra: sums of vectors of one length, and one factorisation. */

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let l = 0; l < a.length; l++) sum += a[l] * b[l];
  return sum;
}

/** y += alpha x. */
export function addScaled(y: Float64Array, alpha: number, x: Float64Array): void {
  for (let l = 0; l < y.length; l++) y[l] += alpha * x[l];
}

export const difference = (a: Float64Array, b: Float64Array): Float64Array => a.map((v, l) => v - b[l]);

/** Of a pivot that small a part of its diagonal entry nothing is left but rounding. */
const ROUNDING = 1e-13;

/**
 * Cholesky's factorisation of I + s G, G being symmetric and positive semidefinite, given by its rows. The factor's
 * rows come one after another, each up to the diagonal. No pivot is less than 1 but for rounding, and one that rounding
 * could have made is taken to be larger.
 */
export function factorise(G: readonly Float64Array[], s: number): Float64Array {
  const d = G.length;
  const L = new Float64Array((d * (d + 1)) / 2);
  for (let i = 0, row = 0; i < d; row += ++i) {
    for (let j = 0; j <= i; j++) L[row + j] = s * G[i][j];
    L[row + i] += 1;
    factoriseRow(L, i);
  }
  return L;
}

/**
 * Makes row i of a matrix, up to its diagonal, that of the factor, whose rows before are there; with eigenvalues of 1
 * or more, pivots are taken to be likewise.
 */
export function factoriseRow(L: Float64Array, i: number): void {
  const row = (i * (i + 1)) / 2;
  for (let j = 0, other = 0; j < i; other += ++j) {
    L[row + j] = (L[row + j] - product(L, row, other, j)) / L[other + j];
  }
  const entry = L[row + i];
  L[row + i] = Math.sqrt(Math.max(entry - product(L, row, row, i), 1, ROUNDING * entry));
}

function product(L: Float64Array, a: number, b: number, count: number): number {
  let sum = 0;
  for (let l = 0; l < count; l++) sum += L[a + l] * L[b + l];
  return sum;
}

/** Solves L L^T x = b, x in the place of b. */
export function solveFactorised(L: Float64Array, b: Float64Array): void {
  const d = b.length;
  for (let i = 0, row = 0; i < d; row += ++i) {
    let rest = b[i];
    for (let l = 0; l < i; l++) rest -= L[row + l] * b[l];
    b[i] = rest / L[row + i];
  }
  for (let i = d - 1, row = (d * (d - 1)) / 2; i >= 0; row -= i--) {
    b[i] /= L[row + i];
    for (let l = 0; l < i; l++) b[l] -= L[row + l] * b[i];
  }
}
