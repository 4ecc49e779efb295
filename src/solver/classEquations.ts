import { factoriseRow, solveFactorised } from "./linearAlgebra.ts";

/** Examples whose products are added at once: sums, which are many, are read and written once for all of them. */
const AT_ONCE = 4;

/**
 * Equations for a change of the weights, D, m x d,
 *
 *     D + sum_i S_i D x_i x_i^T = R,
 *
 * S_i being a symmetric positive semidefinite m x m matrix for each example. If classes are `coupled` its rows sum to
 * zero, and so do the columns of R and D: then D is solved for by its differences from the last class, V_j = D_j - D_m,
 *
 *     (I - 1 1^T / m) V + sum_i S_i V x_i x_i^T = R   in the rows of the other m - 1 classes.
 *
 * Else S_i is a diagonal, and every class has equations of its own.
 */
export class ClassEquations {
  readonly #numClasses: number;
  readonly #numFeatures: number;
  readonly #coupled: boolean;
  /** Classes of one system: all but the last, or one. */
  readonly #together: number;
  /** sum_i S_i,jl x_i x_i^T, lower triangles row by row, for j >= l of a system, or for each class. */
  readonly #sums: Float64Array[];
  /** Of examples that are to be added: x x^T, and the entries of S as sums have them. */
  readonly #products: Float64Array[];
  readonly #entries: Float64Array[];
  #waiting = 0;
  /** Of each system, as linearAlgebra.ts has them. */
  readonly #factors: Float64Array[];

  constructor(numClasses: number, numFeatures: number, coupled: boolean) {
    this.#numClasses = numClasses;
    this.#numFeatures = numFeatures;
    this.#coupled = coupled;
    this.#together = coupled ? numClasses - 1 : 1;
    const triangle = (rows: number): number => (rows * (rows + 1)) / 2;
    const sums = coupled ? triangle(this.#together) : numClasses;
    const vectors = (count: number, length: number): Float64Array[] =>
      Array.from({ length: count }, () => new Float64Array(length));
    this.#sums = vectors(sums, triangle(numFeatures));
    this.#products = vectors(AT_ONCE, triangle(numFeatures));
    this.#entries = vectors(AT_ONCE, sums);
    this.#factors = vectors(coupled ? 1 : numClasses, triangle(this.#together * numFeatures));
  }

  /** So many multiply-adds it takes to add n examples, to factorise, and to solve. */
  static work(n: number, m: number, d: number, coupled: boolean): number {
    const systems = coupled ? 1 : m;
    const rows = coupled ? (m - 1) * d : d;
    const sums = coupled ? (m * (m - 1)) / 2 : m;
    return (n * sums * d * d) / 2 + (systems * rows ** 3) / 6;
  }

  /** All systems together. */
  get rows(): number {
    return this.#factors.length * this.#together * this.#numFeatures;
  }

  clear(): void {
    for (const sums of this.#sums) sums.fill(0);
  }

  /**
   * Adds an example, whose x begins at place `row` of X; S has m x m entries or, if it is a diagonal, m, from place
   * `from` of all on.
   */
  add(X: Float64Array, row: number, S: Float64Array, from: number): void {
    const d = this.#numFeatures;
    const m = this.#numClasses;
    const products = this.#products[this.#waiting];
    const entries = this.#entries[this.#waiting];
    for (let a = 0, p = 0; a < d; a++) {
      const x = X[row + a];
      for (let b = 0; b <= a; b++) products[p++] = x * X[row + b];
    }
    if (this.#coupled) {
      for (let j = 0, p = 0; j < m - 1; j++) for (let l = 0; l <= j; l++) entries[p++] = S[from + j * m + l];
    } else for (let j = 0; j < m; j++) entries[j] = S[from + j];
    if (++this.#waiting === AT_ONCE) this.#addWaiting();
  }

  #addWaiting(): void {
    const [p0, p1, p2, p3] = this.#products;
    const [s0, s1, s2, s3] = this.#entries;
    this.#sums.forEach((sums, s) => addFour(sums, s0[s], p0, s1[s], p1, s2[s], p2, s3[s], p3));
    this.#waiting = 0;
  }

  /** To be called once all are added. */
  finish(): void {
    for (const entries of this.#entries.slice(this.#waiting)) entries.fill(0);
    this.#addWaiting();
  }

  /** Factorises rows [from, from + count), once those before are. */
  factorise(from: number, count: number): void {
    const size = this.#together * this.#numFeatures;
    for (let row = from; row < from + count; row++) {
      const system = Math.floor(row / size);
      const factor = this.#factors[system];
      this.#putRow(system, row % size, factor);
      factoriseRow(factor, row % size);
    }
  }

  /** Row i of a system, up to its diagonal: of differences, times m, so that no eigenvalue is less than 1. */
  #putRow(system: number, i: number, rows: Float64Array): void {
    const d = this.#numFeatures;
    const at = (i * (i + 1)) / 2;
    const j = Math.floor(i / d);
    const a = i % d;
    const times = this.#coupled ? this.#numClasses : 1;
    const common = this.#coupled ? 1 : 0;
    for (let c = 0; c <= i; c++) {
      const l = Math.floor(c / d);
      const b = c % d;
      const sums = this.#sums[this.#coupled ? (j * (j + 1)) / 2 + l : system];
      rows[at + c] = times * sums[a >= b ? (a * (a + 1)) / 2 + b : (b * (b + 1)) / 2 + a];
      if (a === b) rows[at + c] += (j === l ? times : 0) - common;
    }
  }

  /** D in the place of R, row by row. */
  solve(R: Float64Array): void {
    const d = this.#numFeatures;
    const m = this.#numClasses;
    if (!this.#coupled) {
      this.#factors.forEach((factor, j) => solveFactorised(factor, R.subarray(j * d, j * d + d)));
      return;
    }
    const differences = R.subarray(0, (m - 1) * d);
    for (let l = 0; l < differences.length; l++) differences[l] *= m;
    solveFactorised(this.#factors[0], differences);
    for (let f = 0; f < d; f++) {
      let sum = 0;
      for (let j = 0; j < m - 1; j++) sum += R[j * d + f];
      for (let j = 0; j < m - 1; j++) R[j * d + f] -= sum / m;
      R[(m - 1) * d + f] = -sum / m;
    }
  }
}

function addFour(
  sums: Float64Array,
  a: number,
  p: Float64Array,
  b: number,
  q: Float64Array,
  c: number,
  r: Float64Array,
  e: number,
  s: Float64Array,
): void {
  for (let l = 0; l < sums.length; l++) sums[l] += a * p[l] + b * q[l] + (c * r[l] + e * s[l]);
}
