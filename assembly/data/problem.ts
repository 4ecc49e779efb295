import { Loss } from "../loss/loss";

/**
 * One training problem as it lies in memory. T is the storage precision. Rows of X and W are padded with zeros to a whole
 * number of vectors; the host lays everything out before the first sweep and nothing is allocated afterwards.
 *
 *   X      T[n][ldX]     features, the constant one included
 *   W      T[m][ldW]     weights
 *   W64    f64[m][ldW]   A^T X accumulated in float64, while a certificate is made
 *   W0     f64[m][ldW]   proximal centre, or no array (pointer 0): W = W0 + A^T X
 *   A      T[n][m]       dual variables; entry y_i of row i is >= 0, the others are <= 0
 *   y      i32[n]        class of each example
 *   C      f64[n]        C_i, the weight of each example's loss
 *   norm2  f64[n]        ||x_i||^2
 *   gaps   f64[n]        gap term of each example at the last evaluation
 *   sums   f64[5]        sums of an evaluation: primal loss, dual loss, ||W - W0||^2, ||A^T X||^2, <A^T X, W0>
 */
@unmanaged
export class Problem {
  loss: Loss;
  n: i32;
  m: i32;
  d: i32; // padded
  ldX: i32;
  ldW: i32;
  X: usize;
  W: usize;
  W64: usize;
  W0: usize;
  A: usize;
  y: usize;
  C: usize;
  norm2: usize;
  gaps: usize;
  sums: usize;
  // scratch for one example: scores and a row of dual variables, f64[m] each, and the sparse update
  scores: usize;
  row: usize;
  classes: usize; // i32[m]
  deltas: usize; // T[m]
}
