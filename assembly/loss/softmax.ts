import { at, put } from "../linalg/simd";
import { exp } from "../math/expLog";
import { maximum, sumExp, sumXLogX } from "../math/logSumExp";
import { sum } from "../prox/knapsack";
import { softmaxStep } from "../prox/softmaxStep";

/**
 * Softmax (cross-entropy) loss   L(u) = log sum_j exp(u_j - u_y)   with dual domain the simplex.
 * Lapin, Hein, Schiele, PAMI 2018, Props 3 and 15 (k = 1). Sums over the other classes, g_j = u_j - u_y.
 */

/** x = C z with z the softmax step at alpha = K C. gPtr: f64[n + 2], destroyed; xPtr: f64[n + 2], result in the first n. */
export function updateDual(gPtr: usize, n: i32, K: f64, C: f64, xPtr: usize): void {
  softmaxStep(gPtr, n, K * C, xPtr);
  for (let j = 0; j < n; ++j) put<f64>(xPtr, j, at<f64>(xPtr, j) * C);
}

/** L at the margins g; its gradient with respect to g, the probabilities of the other classes, goes to xPtr. */
export function primalLoss(gPtr: usize, n: i32, xPtr: usize): f64 {
  const top = Math.max(maximum(gPtr, n), 0);
  const others = sumExp(gPtr, n, top);
  // log1p keeps the small losses of well classified examples.
  const value = top > 0 ? top + Math.log(others + Math.exp(-top)) : Math.log1p(others);
  for (let j = 0; j < n; ++j) {
    put<f64>(xPtr, j, f64x2.extract_lane(exp(f64x2.splat(at<f64>(gPtr, j) - value)), 0));
  }
  return value;
}

/** -C L*(-a/C) = -C (<z, log z> + (1 - s) log(1 - s)), z = x/C, s = sum z. xPtr: f64[n], destroyed. */
export function dualLoss(xPtr: usize, n: i32, C: f64): f64 {
  for (let j = 0; j < n; ++j) put<f64>(xPtr, j, at<f64>(xPtr, j) / C);
  const rest = 1 - sum(xPtr, n);
  return -C * (sumXLogX(xPtr, n) + (rest > 0 ? rest * Math.log(rest) : 0));
}
