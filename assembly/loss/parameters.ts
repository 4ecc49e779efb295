/** The loss of a problem: its family, dual domain and parameters, and scratch for one example. Lives in the arena. */
@unmanaged
export class Loss {
  family: i32;
  domain: i32;
  k: i32; // of WEIGHTED the number of positive weights
  gamma: f64;
  float32: bool; // storage precision of the problem: what the kernels' exports choose by
  rankWeights: usize; // f64[m] of WEIGHTED
  margins: usize; // f64[m + 2]
  duals: usize; // f64[m + 2]
  work: usize; // f64[4 m + 8]
}

// Families. The first three act on the margins against the true class, and dual rows of the first two sum to zero; the
// third is not convex and has no dual.
export const HINGE: i32 = 0;
export const ENTROPY: i32 = 1;
export const TRUNCATED_ENTROPY: i32 = 2;
export const OVA_HINGE: i32 = 3;
export const OVA_LOGISTIC: i32 = 4;

/** Whether every class stands for itself: dual rows of such losses do not sum to zero. */
// @ts-ignore: decorator
@inline
export function isOneVsAll(loss: Loss): bool {
  return loss.family >= OVA_HINGE;
}
