import { at, put } from "../linalg/simd";
import { divide, scale, sum } from "../linalg/vectors";
import { expInto, maximum, maximumBelow, placeOf, sumExp, sumXLogX } from "../math/logSumExp";
import { entropyOfRest, expOf, log1p, logOf } from "../math/logistic";
import { SIMPLEX, TOPK_BETA } from "../prox/domain";
import { AT_BOUND } from "../prox/sets";
import { softmaxStep } from "../prox/softmaxStep";
import { topKEntropyLoss } from "../prox/topKEntropyLoss";
import { isWithinBound, topKEntropyStep } from "../prox/topKEntropyStep";
import { Loss } from "./parameters";

/**
 * The entropy losses   L(g) = max { <g, z> - <z, log z> - (1 - s) log(1 - s) : z in DOM(1) },  s = sum z,  g_j = u_j -
 * u_y: softmax over the simplex, where it is log sum_j exp(u_j - u_y), and the top-k entropy losses over the top-k
 * simplex (alpha) or the fixed box (beta). Lapin, Hein, Schiele, PAMI 2018, Props 3, 4 and 15 to 17.
 */

/** Up to this alpha float32 is enough. */
const SINGLE_UP_TO: f64 = 16384;

/**
 * Whether a step is solved in float32, as it may be if it will be stored so. Shares are good to about 1e-6 of
 * themselves, and to 1e-7 alpha where they are no more than 1/alpha; what they lack in precision the dual objective
 * lacks in the square, 1e-10 C for each class at most.
 */
// @ts-ignore: decorator
@inline
export function solvedInFloat32(float32: bool, alpha: f64): bool {
  return float32 && alpha <= SINGLE_UP_TO;
}

/**
 * x = C z with z the step at alpha = K C. gPtr: f64[n + 2], destroyed; xPtr: f64[n + 2], the current dual variables in
 * the first n, replaced by the new ones.
 */
export function updateDual(loss: Loss, gPtr: usize, n: i32, K: f64, C: f64, xPtr: usize): void {
  const domain = loss.domain;
  const k = loss.k;
  const alpha = K * C;
  const single = solvedInFloat32(loss.float32, alpha);
  const total = sum(xPtr, n);
  const bound = domain == SIMPLEX ? Infinity : ((domain == TOPK_BETA ? C : total) / <f64>k) * (1 - AT_BOUND);
  const most = maximum(xPtr, n);
  const isCut = most >= bound;
  let guess: f64 = NaN; // before the first visit
  if (total > 0) {
    const own = isCut && domain != TOPK_BETA ? 0 : C - total;
    guess = thresholdOf(gPtr, n, alpha, C, xPtr, isCut ? maximumBelow(xPtr, n, bound) : most, own);
  }
  // Where no share is at its bound none will be soon, and the softmax step is right until one is above.
  if (!isCut) guess = softmaxStep(gPtr, n, alpha, guess, single, xPtr);
  if (domain != SIMPLEX && (isCut || !isWithinBound(xPtr, n, k, domain == TOPK_BETA))) {
    topKEntropyStep(gPtr, n, k, domain == TOPK_BETA, alpha, guess, single, xPtr, loss.work);
  }
  scale(xPtr, n, C);
}

/**
 * The t at which the largest share of the current dual variables would be right: p = V(b - t)/alpha, so t = b - alpha
 * p - log(alpha p). From the second visit on it is within a step of the answer. NaN where there is none. A share at its
 * bound says nothing about t, and if one is, nor does that of the true class over the top-k simplex: most and own, by
 * C, are the largest of the others that do, and that of the true class.
 */
function thresholdOf(gPtr: usize, n: i32, alpha: f64, C: f64, xPtr: usize, most: f64, own: f64): f64 {
  if (most <= 0 && own <= 0) return NaN;
  const v = (alpha * Math.max(most, own)) / C;
  return (most > own ? at<f64>(gPtr, placeOf(xPtr, n, most)) : alpha) - v - logOf(v);
}

/**
 * L at the margins g, terms of softmax in S. gPtr is kept. Where `maximises` the top-k losses put the maximiser, their
 * gradient with respect to g, to xPtr; else they are softmax where that exceeds no bound, for less.
 */
export function primalLoss<S>(domain: i32, k: i32, gPtr: usize, n: i32, maximises: bool, xPtr: usize, workPtr: usize): f64 {
  const beta = domain == TOPK_BETA;
  if (domain == SIMPLEX || !maximises) {
    const largest = maximum(gPtr, n);
    const top = Math.max(largest, 0);
    const others = sumExp<S>(gPtr, n, top);
    const own: f64 = top > 0 ? expOf(-top) : 1;
    if (domain == SIMPLEX || <f64>k * expOf(largest - top) <= others + (beta ? own : 0)) {
      // log1p keeps the small losses of well classified examples.
      return top > 0 ? top + logOf(others + own) : log1p(others);
    }
  }
  return topKEntropyLoss(gPtr, n, k, beta, xPtr, workPtr);
}

/** Softmax at the scores uPtr: f64[m] themselves, and its gradient: margins against a low u_y have lost digits. */
export function softmaxLoss(uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  const top = maximum(uPtr, m);
  const total = expInto(uPtr, m, top, gradientPtr);
  const own = at<f64>(gradientPtr, y);
  put<f64>(gradientPtr, y, 0);
  const others = sum(gradientPtr, m);
  for (let j = 0; j < m; ++j) put<f64>(gradientPtr, j, at<f64>(gradientPtr, j) / total);
  put<f64>(gradientPtr, y, -(others / total));
  return own == 1 ? log1p(others) : top - at<f64>(uPtr, y) + logOf(others + own);
}

/**
 * -C L*(-a/C) = -C (<z, log z> + (1 - s) log(1 - s)), z = x/C, s = sum z, the terms in S. xPtr: f64[n + 1], destroyed.
 */
export function dualLoss<S>(xPtr: usize, n: i32, C: f64): f64 {
  divide(xPtr, n, C);
  // Of examples that are classified well 1 - s would lose all but a few digits of s, and C can make much of that.
  return -C * (sumXLogX<S>(xPtr, n) + entropyOfRest(sum(xPtr, n)));
}
