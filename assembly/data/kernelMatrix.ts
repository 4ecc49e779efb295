/**
 * What a row of the matrix is made of: it is given, or computed from x = <x_i, x_j>, or from distances, which where rows
 * are dense are not taken from products: far from 0 these have lost them.
 */
export const PRECOMPUTED: i32 = 0;
export const LINEAR: i32 = 1; // x
export const RBF: i32 = 2; // exp(-gamma ||x_i - x_j||^2), if sparse exp(-gamma (||x_i||^2 + ||x_j||^2 - 2 x))
export const POLY: i32 = 3; // (gamma x + coef0)^degree

/**
 * The matrix K of a kernel, K_ij = k(x_i, x_j) + constant, symmetric to the last bit. In a problem that has one, K_i
 * stands for the features of example i and A^T K for W, class by class: the scores of the examples themselves. So a
 * step reads its scores, and adds its change of a_i times K_i; see example.ts and block.ts.
 *
 * Rows are computed (kernelValues.ts) when a step first moves their example, or a little before, and kept
 * (keptRows.ts) in slots, T[slots][ld], padded by zeros. With fewer slots than rows the one that no step has used for
 * longest makes room. Which rows are kept changes no bit: a value is computed from the features in float64, always in
 * the same order, and then rounded to T, or is that of the other row, if that is kept. A given matrix fills n slots. A
 * certificate that this rounding could matter to computes rows once more, see `exactRows`.
 *
 *   X        f64[n][d]   features; or, sparse, f64[nonzeros] with indptr and indices, ascending in each row
 *   squares  f64[n + 2]  ||x_i||^2
 */
@unmanaged
export class KernelMatrix {
  kind: i32;
  degree: i32;
  gamma: f64;
  coef0: f64;
  constant: f64;
  n: i32;
  d: i32; // padded, if dense
  sparse: bool;
  indptr: usize;
  indices: usize;
  X: usize;
  squares: usize;
  // slots
  ld: i32;
  slots: i32;
  filled: i32;
  rows: usize; // T[slots][ld]
  slotOf: usize; // i32[n]: one more than the slot of a row, or 0
  heldBy: usize; // i32[slots]: the row in a slot
  usedAt: usize; // f64[slots]
  clock: f64;
  // scratch
  examples: usize; // i32[n + 4]: 0, 1, ..., n - 1 and repetitions
  missing: usize; // i32[n + 4]: what no kept row holds of those computed together
  products: usize; // f64[TOGETHER][ld + 4]
  dense: usize; // f64[d], zeros; if sparse
  spare: usize; // T[BLOCK_SIZE][ld]
  block: usize; // usize[BLOCK_SIZE]: rows of a block of examples, see `findBlock`
  // steps of late, and how many of them moved something
  steps: i32;
  moved: i32;
}

/**
 * Rows computed together: the features pass by once for all of them. Measured, fits of 2000 and 4000 rows of 256
 * features and more take 0.65 to 0.8 of the time.
 */
export const TOGETHER: i32 = 4;
