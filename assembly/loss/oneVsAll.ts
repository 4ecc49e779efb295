import { at, put, roundDown, sumLanes } from "../linalg/simd";
import { log } from "../math/expLog";
import { log1pPair, sigmoidPair, sigmoidRootPair, softplusPair } from "../math/logistic";

/**
 * One-vs-all: a binary loss for each class, t_j = +1 for the true class y and -1 for the others, summed over the classes.
 *     hinge      max(0, 1 - t u),   smoothed: 0 if t u > 1, (1 - t u)^2/(2 gamma) if 1 - gamma <= t u, else 1 - t u - gamma/2
 *     logistic   log(1 + exp(-t u))
 * The classes share the example's K = ||x||^2 and nothing else. Dual variables: 0 <= t_j a_j <= C for each class.
 * Shalev-Shwartz and Zhang, *Stochastic dual coordinate ascent methods for regularized loss minimization*, JMLR 14, 2013.
 */

/** Below this the quadratic term of an update is lost to underflow, and the row is as good as zero. */
const TINY: f64 = 1e-280;
/** x log x of anything smaller counts as 0: it adds less than 1e-304. */
const SUBNORMAL: f64 = 2.3e-308;

/** Elements j and j + 1 of ptr: f64[n], or twice the last one. */
// @ts-ignore: decorator
@inline
function loadTwo(ptr: usize, j: i32, n: i32): v128 {
  const p = ptr + (<usize>j << 3);
  return j + 1 < n ? v128.load(p) : v128.load64_splat(p);
}

/** The reverse; for the last one alone, its lane alone. */
// @ts-ignore: decorator
@inline
function storeTwo(ptr: usize, j: i32, n: i32, pair: v128): void {
  const p = ptr + (<usize>j << 3);
  if (j + 1 < n) v128.store(p, pair);
  else v128.store64_lane(p, pair, 0);
}

/** The first lane alone, where j is the last of n. */
// @ts-ignore: decorator
@inline
function firstAtEnd(pair: v128, j: i32, n: i32): v128 {
  return j + 1 < n ? pair : f64x2.replace_lane(pair, 1, 0);
}

/** v = t a/C of the exact step of two classes from v on: see `updateDual`. R = K C + gamma. */
function step(logistic: bool, tq: v128, R: f64, v: v128): v128 {
  const radius = f64x2.splat(R);
  if (logistic) {
    const target = f64x2.neg(tq);
    return sigmoidPair(sigmoidRootPair(target, radius, f64x2.sub(target, f64x2.mul(radius, v))));
  }
  const one = f64x2.splat(1);
  if (R < TINY) return one;
  return f64x2.pmin(f64x2.pmax(f64x2.div(f64x2.sub(one, tq), radius), f64x2.splat(0)), one);
}

/**
 * Exact step of n other classes and the true one. hinge: t a = clip((1 - t q)/(K + gamma/C), 0, C). logistic: v = t a/C with
 * logit v = e the root of alpha v(e) + e = -t q, alpha = K C. qPtr: f64[n], q = W x - K a, and ownQ that of the true class;
 * xPtr: f64[n], -a of the others, replaced by the new. Returns the true class's a.
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
  const cost = f64x2.splat(C);
  for (let j = 0; j < n; j += 2) {
    const v = f64x2.div(loadTwo(xPtr, j, n), cost);
    const x = f64x2.mul(cost, step(logistic, f64x2.neg(loadTwo(qPtr, j, n)), R, v));
    storeTwo(xPtr, j, n, x);
  }
  return C * f64x2.extract_lane(step(logistic, f64x2.splat(ownQ), R, f64x2.splat(0.5)), 0);
}

/**
 * Sum of the losses at scores uPtr: f64[m], y being the true class, or -1 for none; the gradient goes to gradientPtr: f64[m],
 * unless that is 0.
 */
export function primalLoss(logistic: bool, gamma: f64, uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  if (y >= 0) put<f64>(uPtr, y, -at<f64>(uPtr, y)); // as if it were one of the others, for as long as the loop takes
  const zero = f64x2.splat(0);
  let sum = zero;
  for (let j = 0; j < m; j += 2) {
    const u = loadTwo(uPtr, j, m); // -t u
    let value: v128;
    let p: v128; // minus the derivative in t u
    if (logistic) {
      value = softplusPair(u);
      p = gradientPtr != 0 ? sigmoidPair(u) : zero;
    } else {
      const h = f64x2.add(f64x2.splat(1), u);
      p =
        gamma < TINY
          ? v128.and(f64x2.gt(h, zero), f64x2.splat(1))
          : f64x2.pmin(f64x2.pmax(f64x2.div(h, f64x2.splat(gamma)), zero), f64x2.splat(1));
      const loss = f64x2.mul(p, f64x2.sub(h, f64x2.mul(f64x2.splat(0.5 * gamma), p)));
      value = v128.and(loss, f64x2.gt(p, zero)); // 0 times Infinity is none
    }
    sum = f64x2.add(sum, firstAtEnd(value, j, m));
    if (gradientPtr != 0) storeTwo(gradientPtr, j, m, p);
  }
  if (y >= 0) {
    put<f64>(uPtr, y, -at<f64>(uPtr, y));
    if (gradientPtr != 0) put<f64>(gradientPtr, y, -at<f64>(gradientPtr, y));
  }
  return sumLanes<f64>(sum);
}

/** The parts of two classes in `dualLoss`. */
function dualTerms(logistic: bool, gamma: f64, z: v128, C: f64): v128 {
  const one = f64x2.splat(1);
  const v = f64x2.div(z, f64x2.splat(C));
  if (!logistic) return f64x2.mul(z, f64x2.sub(one, f64x2.mul(f64x2.splat(0.5 * gamma), v)));
  const tiny = f64x2.splat(SUBNORMAL);
  const own = f64x2.mul(v, log(f64x2.pmax(v, tiny)));
  const rest = f64x2.mul(f64x2.sub(one, v), log1pPair(f64x2.neg(v)));
  const entropy = f64x2.add(v128.and(own, f64x2.ge(v, tiny)), v128.and(rest, f64x2.lt(v, one)));
  return f64x2.mul(f64x2.splat(-C), entropy);
}

/**
 * -C L*(-a/C): hinge sum z - gamma/(2C) z^2, logistic -C sum v log v + (1 - v) log(1 - v); z = t a, v = z/C.
 * xPtr: f64[n], z of the other classes; own: that of the true one. Zeros may be left out.
 */
export function dualLoss(logistic: bool, gamma: f64, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  let sum = f64x2.replace_lane(dualTerms(logistic, gamma, f64x2.splat(own), C), 1, 0);
  for (let j = 0; j < n; j += 2) {
    sum = f64x2.add(sum, firstAtEnd(dualTerms(logistic, gamma, loadTwo(xPtr, j, n), C), j, n));
  }
  return sumLanes<f64>(sum);
}

/** Clips every class into its interval, towards 0 to numbers of T. */
export function repair<T>(aPtr: usize, m: i32, y: i32, C: f64): void {
  const bound = roundDown<T>(C);
  for (let j = 0; j < m; ++j) {
    const a = at<f64>(aPtr, j);
    put<f64>(aPtr, j, j == y ? Math.min(Math.max(a, 0), bound) : Math.max(Math.min(a, 0), -bound));
  }
}
