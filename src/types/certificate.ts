import type { Evaluation, Prediction } from "./evaluation.ts";

/**
 * - "solved": measured, `relativeGap <= tolerance`.
 * - "max-epochs", "max-seconds", "aborted": stopped before that; the certificate still holds for what is returned.
 * - "no-progress": the dual objective no longer rises in this precision and the gap no longer shrinks; by default that
 *   is said of float64, if there is room for it.
 * - "stationary", of truncated-topk-entropy alone: `gradientNorm <= tolerance`. How far that is from the optimum is not
 *   known.
 */
export type Status = "solved" | "max-epochs" | "max-seconds" | "aborted" | "no-progress" | "stationary";

/**
 * What is proven about the returned model: P(W) - P* <= dualityGap, because D(A) <= P* for every feasible A,
 *
 *     D(A) = sum_i [-C_i L_i*(-a_i/C_i) - <a_i, W0 x_i>] - 1/2 ||W - W0||_F^2,     W = W0 + A^T X,     C_i = C c_i,
 *
 * where L_i* is the convex conjugate of example i's loss; docs/losses.md has -C_i L_i*(-a_i/C_i) of each, and which a_i
 * are feasible. Both objectives are recomputed in float64 from the returned dual variables and weights. Lapin, Hein,
 * Schiele, PAMI 2018, Eq. 9, has lambda P and lambda D, with c_i = 1 and W0 = 0.
 */
export interface Certificate {
  /** Why the fit ended. */
  status: Status;
  /**
   * Rounds of steps so far, or, if that is more, example updates divided by n, rounded down. A pass over the data for
   * P, its gradient or a product with its Hessian counts as n updates, a step of an interior point method as 4 n. With
   * a kernel an update that is not worth its row of kernel values, and so not made, counts as a sixteenth. A step of
   * Frank-Wolfe's method is an epoch. The returned point may be that of an earlier one.
   */
  epochs: number;
  /** P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2 at the returned weights. */
  primalObjective: number;
  /**
   * D at the returned dual variables, which are feasible. This and the next two are null for truncated-topk-entropy,
   * which has no dual.
   */
  dualObjective: number | null;
  /**
   * P - D, >= 0, plus what rounding may hide of it, where that is more than a tenth of the tolerance (at least 1e-12
   * and at most 1e-6) of max(|P|, |D|); with a kernel in float32, plus what rounding of its values may hide, in some
   * cases. Infinity where that rounding has made them indefinite: nothing is proven then.
   */
  dualityGap: number | null;
  /** dualityGap / max(|P|, |D|). When both are 0 it is 0, or Infinity if rounding may hide a loss: near an anchor. */
  relativeGap: number | null;
  /** Of truncated-topk-entropy: the Euclidean norm of the gradient of P at the returned weights. */
  gradientNorm?: number;
  /** The bound on `relativeGap`, or on `gradientNorm`, that was asked for. */
  tolerance: number;
  /** Wall clock from the call to the model: validation, copying and evaluations included. */
  solveSeconds: number;
  /** The part of it spent in evaluations. */
  evaluateSeconds: number;
  /** When neither solved nor stationary: what would help. */
  hint?: string;
}

/**
 * One per evaluation, the last one included. Those on the way may be estimates, at the weights as the steps have left
 * them and good to the rounding of `precision`; the last one is the certificate.
 */
export interface HistoryRecord<prediction extends Prediction = Prediction> {
  /** As `Certificate.epochs`. */
  epoch: number;
  /**
   * Example updates so far divided by n, passes over the data for P counted as n. After the first pass updates go to
   * the examples that still hold a part of the gap.
   */
  visits: number;
  /** Wall clock since the call, validation and copying included. */
  seconds: number;
  /** P at the weights of this evaluation. */
  primalObjective: number;
  /** D at its dual variables. This and the next two are null for truncated-topk-entropy. */
  dualObjective: number | null;
  /** As `Certificate.dualityGap`. */
  dualityGap: number | null;
  /** As `Certificate.relativeGap`. */
  relativeGap: number | null;
  /**
   * One for each validation set, in their order; top-k accuracy for k = 1, 3, 5 and the loss's own k, as far as below
   * m.
   */
  validation?: Evaluation<prediction>[];
}
