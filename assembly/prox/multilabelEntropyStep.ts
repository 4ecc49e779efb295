import { at, put } from "../linalg/simd";
import { shift } from "../linalg/vectors";
import { placeOfMaximum } from "../math/logSumExp";
import { logOf } from "../math/logistic";
import { softmaxStep } from "./softmaxStep";

/**
 * Multilabel softmax step: the distribution p over t true and n other classes that minimises
 *     alpha/2 ||p - 1_Y/t||^2 - <q, p> + <p, log p>,      1_Y/t: 1/t on the true classes, 0 elsewhere.
 * Lapin, Hein, Schiele, PAMI 2018, Prop. 20, Eqs 18 and 19.
 *
 * p_j = V(b_j - s)/alpha with b = q + alpha/t on the true classes and q elsewhere, and s such that they sum to one: the
 * equation of `softmaxStep`, in which one class has b = alpha. A constant in b changes nothing, so b is shifted until
 * its largest element is that class, and stands last; where |q| is large the shift is exact for all that matter.
 *
 * qPtr: f64[t + n + 1], q of the true classes, then of the others, destroyed. pPtr: f64[t + n + 1], the answer; on
 * entry a guess at it where `guessed`. alpha >= 0; alpha = 0 is the loss problem, p = softmax of q. Requires t >= 1.
 * `single` as in `softmaxStep`.
 */
export function multilabelEntropyStep(
  qPtr: usize,
  t: i32,
  n: i32,
  alpha: f64,
  guessed: bool,
  single: bool,
  pPtr: usize,
): void {
  const last = t + n - 1;
  const share = alpha / <f64>t;
  for (let j = 0; j < t; ++j) put<f64>(qPtr, j, at<f64>(qPtr, j) + share);
  const own = placeOfMaximum(qPtr, last + 1);
  const top = at<f64>(qPtr, own);
  let guess = NaN;
  if (guessed) {
    const likely = placeOfMaximum(pPtr, last + 1);
    const v = alpha * at<f64>(pPtr, likely);
    guess = at<f64>(qPtr, likely) - top + alpha - v - logOf(v);
  }
  put<f64>(qPtr, own, at<f64>(qPtr, last));
  shift(qPtr, last, -top);
  shift(qPtr, last, alpha);
  softmaxStep(qPtr, last, alpha, guess, single, pPtr);
  const ownShare = at<f64>(pPtr, last);
  put<f64>(pPtr, last, at<f64>(pPtr, own));
  put<f64>(pPtr, own, ownShare);
}
