import { at, put } from "../linalg/simd";
import { negate, shift, sum } from "../linalg/vectors";
import * as domains from "../prox/domain";
import * as curvatures from "./curvature";
import * as entropy from "./entropy";
import * as hinge from "./hinge";
import * as oneVsAll from "./oneVsAll";
import { readDuals, readMargins, writeDuals } from "./otherClasses";
import { ENTROPY, isOneVsAll, Loss, OVA_LOGISTIC, TRUNCATED_ENTROPY } from "./parameters";
import * as truncated from "./truncated";

/**
 * The dual step of one example over n of its other classes: maximises  -C L*(-a/C) - K/2 ||a||^2 - <q, a>  over their
 * dual variables a_j = -x_j and that of the true class, all others being zero.
 *
 * qPtr: f64[n + 2], q of the n classes, destroyed; ownQ: q of the true class; xPtr: f64[n + 2], current x, replaced by
 * the new. Returns the new dual variable of the true class.
 */
export function updateDual(loss: Loss, qPtr: usize, n: i32, ownQ: f64, K: f64, C: f64, xPtr: usize): f64 {
  if (isOneVsAll(loss)) return oneVsAll.updateDual(loss, qPtr, n, ownQ, K, C, xPtr);
  shift(qPtr, n, -ownQ);
  if (loss.family == ENTROPY) entropy.updateDual(loss, qPtr, n, K, C, xPtr);
  else hinge.updateDual(loss, qPtr, n, K, C, xPtr);
  return sum(xPtr, n);
}

/**
 * C L'' v in the place of vPtr: f64[m], at the scores where -C L' is the row aPtr: f64[m] of A, destroyed; both rounded
 * up to even. Of a loss with a gradient and a domain that curvature.ts knows, or one-vs-all.
 */
export function curvatureProduct(loss: Loss, aPtr: usize, m: i32, y: i32, C: f64, vPtr: usize): void {
  if (isOneVsAll(loss)) {
    oneVsAll.curvatureProduct(loss.gamma, aPtr, m, C, vPtr);
    return;
  }
  if (loss.family == ENTROPY && loss.domain == domains.SIMPLEX) {
    negate(aPtr, m);
    put<f64>(aPtr, y, C + at<f64>(aPtr, y));
    curvatures.softmaxProduct(aPtr, m, C, vPtr);
    return;
  }
  readDuals(aPtr, m, y, loss.duals);
  readMargins(vPtr, m, y, loss.margins);
  curvatures.curvatureProduct(loss.domain, loss.k, loss.gamma, loss.duals, m - 1, C, loss.margins);
  writeDuals(loss.margins, m, y, vPtr);
  negate(vPtr, m);
}

/**
 * Loss at the scores uPtr: f64[m + 1], exponentials and logarithms in S; its (sub)gradient goes to gradientPtr: f64[m +
 * 1], unless that is 0; what comes to lie behind the m-th entry is no part of it.
 */
export function primalLoss<S>(loss: Loss, uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  if (isOneVsAll(loss)) {
    return oneVsAll.primalLoss<S>(loss.family == OVA_LOGISTIC, loss.gamma, uPtr, m, y, gradientPtr);
  }
  if (loss.family == ENTROPY && loss.domain == domains.SIMPLEX && gradientPtr != 0) {
    return entropy.softmaxLoss(uPtr, m, y, gradientPtr);
  }
  const g = loss.margins;
  const x = loss.duals;
  readMargins(uPtr, m, y, g);
  if (loss.family == TRUNCATED_ENTROPY) {
    return truncated.primalLoss(loss.k, g, uPtr, m, y, gradientPtr, x, loss.work);
  }
  const value =
    loss.family == ENTROPY
      ? entropy.primalLoss<S>(loss.domain, loss.k, g, m - 1, gradientPtr != 0, x, loss.work)
      : hinge.primalLoss(loss, g, m - 1, x);
  if (gradientPtr == 0) return value;
  // The gradient is x at the other classes and -sum x at y: a row of A with the sign changed.
  writeDuals(x, m, y, gradientPtr);
  negate(gradientPtr, m);
  return value;
}

/**
 * -C L*(-a/C) at a feasible row, logarithms in S: xPtr: f64[n + 1], x_j = -a_j of the other classes, or of those where
 * it is not zero, destroyed; own: the true class's dual variable.
 */
export function dualLoss<S>(loss: Loss, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  if (isOneVsAll(loss)) return oneVsAll.dualLoss<S>(loss.family == OVA_LOGISTIC, loss.gamma, xPtr, n, own, C);
  if (loss.family == ENTROPY) return entropy.dualLoss<S>(xPtr, n, C);
  return hinge.dualLoss(loss.gamma, xPtr, n, loss.domain == domains.WEIGHTED ? sum(xPtr, n) : 0, C);
}
