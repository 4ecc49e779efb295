import { at, put } from "../linalg/simd";
import { log1p, sigmoid, sigmoidRoot, softplus } from "../math/logistic";

/**
 * One-vs-all: a binary loss for each class, t_j = +1 for the true class y and -1 for the others, summed over the classes.
 *     hinge      max(0, 1 - t u),   smoothed: 0 if t u > 1, (1 - t u)^2/(2 gamma) if 1 - gamma <= t u, else 1 - t u - gamma/2
 *     logistic   log(1 + exp(-t u))
 * The classes share the example's K = ||x||^2 and nothing else. Dual variables: 0 <= t_j a_j <= C for each class.
 * Shalev-Shwartz and Zhang, *Stochastic dual coordinate ascent methods for regularized loss minimization*, JMLR 14, 2013.
 */

/** Below this the quadratic term of an update is lost to underflow, and the row is as good as zero. */
const TINY: f64 = 1e-280;

/** x log x with 0 log 0 = 0. */
// @ts-ignore: decorator
@inline
function xLogX(x: f64): f64 {
  return x > 0 ? x * Math.log(x) : 0;
}

/** v = t a/C of one class's exact step: see `updateDual`. R = K C + gamma. */
// @ts-ignore: decorator
@inline
function step(logistic: bool, tq: f64, R: f64): f64 {
  if (logistic) return sigmoid(sigmoidRoot(-tq, R));
  return R < TINY ? 1 : Math.min(Math.max((1 - tq) / R, 0), 1);
}

/**
 * Exact step of n other classes and the true one. hinge: t a = clip((1 - t q)/(K + gamma/C), 0, C). logistic: v = t a/C with
 * logit v = e the root of alpha v(e) + e = -t q, alpha = K C. qPtr: f64[n], q = W x - K a, and ownQ that of the true class;
 * xPtr: f64[n], -a of the others. Returns the true class's a.
 */
export function updateDual(
  logistic: bool,
  gamma: f64,
  qPtr: usize,
  n: i32,
  ownQ: f64,
  K: f64,
  C: f64,
  xPtr: usize,
): f64 {
  const R = K * C + gamma; // a logistic loss has gamma = 0
  for (let j = 0; j < n; ++j) put<f64>(xPtr, j, C * step(logistic, -at<f64>(qPtr, j), R));
  return C * step(logistic, ownQ, R);
}

/** Sum of the losses at scores uPtr: f64[m]; the gradient goes to gradientPtr: f64[m], unless that is 0. */
export function primalLoss(logistic: bool, gamma: f64, uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  let value: f64 = 0;
  for (let j = 0; j < m; ++j) {
    const t: f64 = j == y ? 1 : -1;
    const tu = t * at<f64>(uPtr, j);
    let p: f64;
    if (logistic) {
      value += softplus(-tu);
      p = gradientPtr == 0 ? 0 : sigmoid(-tu);
    } else {
      const h = 1 - tu;
      p = gamma < TINY ? (h > 0 ? 1 : 0) : Math.min(Math.max(h / gamma, 0), 1);
      if (p > 0) value += p * (h - 0.5 * gamma * p);
    }
    if (gradientPtr != 0) put<f64>(gradientPtr, j, -t * p);
  }
  return value;
}

/** One class's part of `dualLoss`. */
// @ts-ignore: decorator
@inline
function dualTerm(logistic: bool, gamma: f64, z: f64, C: f64): f64 {
  const v = z / C;
  return logistic ? -C * (xLogX(v) + (v < 1 ? (1 - v) * log1p(-v) : 0)) : z * (1 - 0.5 * gamma * v);
}

/**
 * -C L*(-a/C): hinge sum z - gamma/(2C) z^2, logistic -C sum v log v + (1 - v) log(1 - v); z = t a, v = z/C.
 * xPtr: f64[n], z of the other classes; own: that of the true one. Zeros may be left out.
 */
export function dualLoss(logistic: bool, gamma: f64, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  let value = dualTerm(logistic, gamma, own, C);
  for (let j = 0; j < n; ++j) value += dualTerm(logistic, gamma, at<f64>(xPtr, j), C);
  return value;
}

/** Clips every class into its interval, towards 0 to numbers of T. */
export function repair<T>(aPtr: usize, m: i32, y: i32, C: f64): void {
  let bound = C;
  if (sizeof<T>() == 4) {
    const c = <f32>C;
    bound = <f64>(<f64>c > C ? reinterpret<f32>(reinterpret<u32>(c) - 1) : c);
  }
  for (let j = 0; j < m; ++j) {
    const a = at<f64>(aPtr, j);
    put<f64>(aPtr, j, j == y ? Math.min(Math.max(a, 0), bound) : Math.max(Math.min(a, 0), -bound));
  }
}
