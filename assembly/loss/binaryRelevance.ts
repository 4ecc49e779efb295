import { at, entry, put } from "../linalg/simd";
import { clampAll, negate, scale } from "../linalg/vectors";
import * as oneVsAll from "./oneVsAll";
import { Loss, OVA_LOGISTIC } from "./parameters";

/**
 * One-vs-all where an example has a set of true classes: t_j = +1 on all of them. A true class may have a weight w of
 * its own: its loss counts w times, and its dual variable is at most w C. Such classes are taken one by one, as if each
 * were alone with w C for C; all others, which share C, together.
 *
 * Arrays are those of multilabel.ts: compact, the t true classes first, then the n others. weightsPtr: f64[t], or 0
 * where there are none.
 */

/** How many classes come one by one before the others. */
// @ts-ignore: decorator
@inline
function alone(weightsPtr: usize, t: i32): i32 {
  return weightsPtr == 0 ? 0 : t;
}

/** The dual step: qPtr: f64[t + n + 2], destroyed; xPtr: f64[t + n + 2], t a, replaced by the new. */
export function updateDual(
  loss: Loss,
  qPtr: usize,
  t: i32,
  n: i32,
  K: f64,
  C: f64,
  weightsPtr: usize,
  xPtr: usize,
): void {
  const logistic = loss.family == OVA_LOGISTIC;
  const first = alone(weightsPtr, t);
  for (let c = 0; c < first; ++c) {
    const own = C * at<f64>(weightsPtr, c);
    put<f64>(xPtr, c, oneVsAll.updateOwn(logistic, loss.float32, at<f64>(qPtr, c), K * own + loss.gamma, own));
  }
  negate(qPtr, t);
  const rest = t + n - first;
  oneVsAll.updateOthers(logistic, loss.float32, entry(qPtr, first), rest, K * C + loss.gamma, C, entry(xPtr, first));
}

/**
 * The losses of all classes, uPtr: f64[t + n + 1] being -t u. The gradient in u goes to gradientPtr: f64[t + n + 1],
 * unless that is 0.
 */
export function primalLoss<S>(loss: Loss, uPtr: usize, t: i32, n: i32, weightsPtr: usize, gradientPtr: usize): f64 {
  const logistic = loss.family == OVA_LOGISTIC;
  const first = alone(weightsPtr, t);
  let value: f64 = 0;
  for (let c = 0; c < first; ++c) {
    const weight = at<f64>(weightsPtr, c);
    // Two entries of a gradient may be written at a time: the next one's is still to come.
    const gradient = gradientPtr == 0 ? 0 : entry(gradientPtr, c);
    value += weight * oneVsAll.primalLoss<S>(logistic, loss.gamma, entry(uPtr, c), 1, -1, gradient);
    if (gradientPtr != 0) scale(gradient, 1, weight);
  }
  const rest = gradientPtr == 0 ? 0 : entry(gradientPtr, first);
  value += oneVsAll.primalLoss<S>(logistic, loss.gamma, entry(uPtr, first), t + n - first, -1, rest);
  if (gradientPtr != 0) negate(gradientPtr, t);
  return value;
}

/** -C L*(-a/C) at xPtr: f64[t + n + 1], t a. Others with x = 0 may be left out. */
export function dualLoss<S>(loss: Loss, xPtr: usize, t: i32, n: i32, C: f64, weightsPtr: usize): f64 {
  const logistic = loss.family == OVA_LOGISTIC;
  const first = alone(weightsPtr, t);
  let value = oneVsAll.dualLoss<S>(logistic, loss.gamma, entry(xPtr, first), t + n - first, 0, C);
  for (let c = 0; c < first; ++c) {
    value += oneVsAll.dualLoss<S>(logistic, loss.gamma, xPtr, 0, at<f64>(xPtr, c), C * at<f64>(weightsPtr, c));
  }
  return value;
}

/** Clips xPtr: f64[t + n], t a, into its intervals, in float32 towards 0 if `single`. */
export function restore(xPtr: usize, t: i32, n: i32, C: f64, weightsPtr: usize, single: bool): void {
  const first = alone(weightsPtr, t);
  for (let c = 0; c < first; ++c) clampAll(entry(xPtr, c), 1, oneVsAll.mostOf(single, C * at<f64>(weightsPtr, c)));
  clampAll(entry(xPtr, first), t + n - first, oneVsAll.mostOf(single, C));
}

/** C L'' v in the place of vPtr: f64[t + n], aPtr: f64[t + n] being dual variables of the scores. */
export function curvatureProduct(
  loss: Loss,
  aPtr: usize,
  t: i32,
  n: i32,
  C: f64,
  weightsPtr: usize,
  vPtr: usize,
): void {
  const first = alone(weightsPtr, t);
  for (let c = 0; c < first; ++c) {
    const own = C * at<f64>(weightsPtr, c);
    oneVsAll.curvatureProduct(loss.gamma, entry(aPtr, c), 1, own, entry(vPtr, c));
  }
  oneVsAll.curvatureProduct(loss.gamma, entry(aPtr, first), t + n - first, C, entry(vPtr, first));
}
