import { addWide, at, firstLanes, lanes, loadNarrow, put, roundDown, storeWide, sumLanes } from "../linalg/simd";
import { logOfLanes, smallest } from "../math/expLog";
import { entropyOfRestOfLanes, sigmoidAtRootOfLanes, sigmoidOfLanes, sumSoftplus } from "../math/logistic";
import { AT_BOUND } from "../prox/sets";
import { solvedInFloat32 } from "./entropy";
import { TINY } from "./hinge";
import { Loss, OVA_LOGISTIC } from "./parameters";

/**
 * One-vs-all: a binary loss for each class, t_j = +1 for the true class y and -1 for the others, summed over the
 * classes.
 *     hinge      max(0, 1 - t u),   smoothed: 0 if t u > 1, (1 - t u)^2/(2 gamma) if 1 - gamma <= t u, else 1 - t u - gamma/2
 *     logistic   log(1 + exp(-t u))
 * The classes share the example's K = ||x||^2 and nothing else. Dual variables: 0 <= t_j a_j <= C for each class.
 * Shalev-Shwartz and Zhang, *Stochastic dual coordinate ascent methods for regularized loss minimization*, JMLR 14,
 * 2013.
 */

/** v = t a/C of the exact step of a vector of classes from v on: see `updateDual`. R = K C + gamma. */
function step<S>(logistic: bool, tq: v128, R: f64, v: v128): v128 {
  const radius = v128.splat<S>(<S>R);
  if (logistic) {
    const target = v128.neg<S>(tq);
    return sigmoidAtRootOfLanes<S>(target, radius, v128.sub<S>(target, v128.mul<S>(radius, v)));
  }
  const one = v128.splat<S>(<S>1);
  if (R < TINY) return one;
  return v128.pmin<S>(v128.pmax<S>(v128.div<S>(v128.sub<S>(one, tq), radius), v128.splat<S>(<S>0)), one);
}

/**
 * Exact step of n other classes and the true one. hinge: t a = clip((1 - t q)/(K + gamma/C), 0, C). logistic: v = t a/C
 * with logit v = e the root of alpha v(e) + e = -t q, alpha = K C. qPtr:
 * f64[n + 2], q = W x - K a, and ownQ that of the true class; xPtr: f64[n + 2], -a of the others, replaced by the new.
 * Returns the true class's a.
 */
export function updateDual(loss: Loss, qPtr: usize, n: i32, ownQ: f64, K: f64, C: f64, xPtr: usize): f64 {
  const logistic = loss.family == OVA_LOGISTIC;
  const R = K * C + loss.gamma; // a logistic loss has gamma = 0
  updateOthers(logistic, loss.float32, qPtr, n, R, C, xPtr);
  return updateOwn(logistic, loss.float32, ownQ, R, C);
}

/** The step of the true class alone: its a. R = K C + gamma. */
export function updateOwn(logistic: bool, float32: bool, q: f64, R: f64, C: f64): f64 {
  const own = C * f64x2.extract_lane(step<f64>(logistic, f64x2.splat(q), R, f64x2.splat(0.5)), 0);
  return Math.min(own, mostOf(float32, C));
}

/** The step of the other classes alone. R = K C + gamma. */
export function updateOthers(
  logistic: bool,
  float32: bool,
  qPtr: usize,
  n: i32,
  R: f64,
  C: f64,
  xPtr: usize,
): void {
  const most = mostOf(float32, C);
  if (logistic && solvedInFloat32(float32, R)) updateAll<f32>(logistic, qPtr, n, R, C, most, xPtr);
  else updateAll<f64>(logistic, qPtr, n, R, C, most, xPtr);
}

/**
 * The largest that is stored. C itself, if float32 rounds it up, would be cut back by every repair: all that are at the
 * bound at once, and where C is large P at the weights of that is far from what steps have led to.
 */
// @ts-ignore: decorator
@inline
export function mostOf(float32: bool, C: f64): f64 {
  return float32 ? roundDown<f32>(C) : C;
}

/** `updateOthers` in S. */
function updateAll<S>(logistic: bool, qPtr: usize, n: i32, R: f64, C: f64, most: f64, xPtr: usize): void {
  const cost = v128.splat<S>(<S>C);
  const bound = v128.splat<S>(<S>most);
  const inverse = v128.splat<S>(<S>Math.min(1 / C, 1e38)); // where that is not 1/C, the search begins elsewhere
  for (let j = 0; j < n; j += lanes<S>()) {
    const at = <usize>j << 3;
    // What stands behind the last one must not keep the search going.
    const v = v128.mul<S>(firstLanes<S>(loadNarrow<S>(xPtr + at, n - j), n - j), inverse);
    const tq = v128.neg<S>(firstLanes<S>(loadNarrow<S>(qPtr + at, n - j), n - j));
    storeWide<S>(xPtr + at, n - j, v128.pmin<S>(v128.mul<S>(cost, step<S>(logistic, tq, R, v)), bound));
  }
}

/**
 * Sum of the losses at scores uPtr: f64[m + 1], the terms in S, y being the true class, or -1 for none; the gradient
 * goes to gradientPtr: f64[m + 1], unless that is 0.
 */
export function primalLoss<S>(logistic: bool, gamma: f64, uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  if (y >= 0) put<f64>(uPtr, y, -at<f64>(uPtr, y)); // as if it were one of the others, for as long as it takes
  const sum = logistic ? logisticLoss<S>(uPtr, m, gradientPtr) : hingeLoss<S>(gamma, uPtr, m, gradientPtr);
  if (y >= 0) {
    put<f64>(uPtr, y, -at<f64>(uPtr, y));
    if (gradientPtr != 0) put<f64>(gradientPtr, y, -at<f64>(gradientPtr, y));
  }
  return sum;
}

/** Sum of the logistic losses without a true class: u is -t u, and the gradient minus that in t u. */
function logisticLoss<S>(uPtr: usize, m: i32, gradientPtr: usize): f64 {
  for (let j = 0; j < m && gradientPtr != 0; j += lanes<S>()) {
    const place = <usize>j << 3;
    storeWide<S>(gradientPtr + place, m - j, sigmoidOfLanes<S>(loadNarrow<S>(uPtr + place, m - j)));
  }
  return sumSoftplus<S>(uPtr, m);
}

function hingeLoss<S>(gamma: f64, uPtr: usize, m: i32, gradientPtr: usize): f64 {
  const zero = v128.splat<S>(<S>0);
  const one = v128.splat<S>(<S>1);
  let sum = f64x2.splat(0);
  for (let j = 0; j < m; j += lanes<S>()) {
    const place = <usize>j << 3;
    const h = v128.add<S>(one, loadNarrow<S>(uPtr + place, m - j));
    const p =
      gamma < TINY
        ? v128.and(v128.gt<S>(h, zero), one)
        : v128.pmin<S>(v128.pmax<S>(v128.div<S>(h, v128.splat<S>(<S>gamma)), zero), one);
    const loss = v128.mul<S>(p, v128.sub<S>(h, v128.mul<S>(v128.splat<S>(<S>(0.5 * gamma)), p)));
    const value = v128.and(loss, v128.gt<S>(p, zero)); // 0 times Infinity is none
    sum = addWide<S>(sum, firstLanes<S>(value, m - j));
    if (gradientPtr != 0) storeWide<S>(gradientPtr + place, m - j, p);
  }
  return sumLanes<f64>(sum);
}

/** The parts of a vector of classes in `dualLoss`. */
function dualTerms<S>(logistic: bool, gamma: f64, z: v128, C: f64): v128 {
  const one = v128.splat<S>(<S>1);
  const v = v128.div<S>(z, v128.splat<S>(<S>C));
  if (!logistic) return v128.mul<S>(z, v128.sub<S>(one, v128.mul<S>(v128.splat<S>(<S>(0.5 * gamma)), v)));
  const tiny = smallest<S>();
  const own = v128.mul<S>(v, logOfLanes<S>(v128.pmax<S>(v, tiny)));
  const entropy = v128.add<S>(v128.and(own, v128.ge<S>(v, tiny)), entropyOfRestOfLanes<S>(v));
  return v128.mul<S>(v128.splat<S>(<S>-C), entropy);
}

/**
 * -C L*(-a/C): hinge sum z - gamma/(2C) z^2, logistic -C sum v log v + (1 - v) log(1 - v); z = t a, v = z/C, the terms
 * in S. xPtr: f64[n + 1], z of the other classes; own: that of the true one. Zeros may be left out.
 */
export function dualLoss<S>(logistic: bool, gamma: f64, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  let sum = f64x2.replace_lane(dualTerms<f64>(logistic, gamma, f64x2.splat(own), C), 1, 0);
  for (let j = 0; j < n; j += lanes<S>()) {
    const z = loadNarrow<S>(xPtr + (<usize>j << 3), n - j);
    sum = addWide<S>(sum, firstLanes<S>(dualTerms<S>(logistic, gamma, z, C), n - j));
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

/**
 * C L'' v in the place of vPtr: f64[n], aPtr: f64[n] being dual variables of the scores: v_j times |a_j| (1 - |a_j|/C)
 * for the logistic loss, C/gamma for a smoothed hinge loss between its kinks.
 */
export function curvatureProduct(gamma: f64, aPtr: usize, n: i32, C: f64, vPtr: usize): void {
  const inverse = C > 0 ? 1 / C : 0;
  for (let j = 0; j < n; ++j) {
    const a = Math.abs(at<f64>(aPtr, j));
    // In float32 what is at the bound may be a little off it, either way.
    const w = gamma > 0 ? (a > 0 && a < C * (1 - AT_BOUND) ? C / gamma : 0) : a * Math.max(1 - a * inverse, 0);
    put<f64>(vPtr, j, at<f64>(vPtr, j) * w);
  }
}
