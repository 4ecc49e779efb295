import { at, entry, put, roundDown, roundUp } from "../linalg/simd";
import { clampAll, divide, fill, negate, scale, sum } from "../linalg/vectors";
import { expInto, maximum, placeOf, sumExp, sumXLogX } from "../math/logSumExp";
import { log1p } from "../math/logistic";
import { bipartiteSimplex } from "../prox/bipartiteSimplex";
import * as domains from "../prox/domain";
import { multilabelEntropyStep } from "../prox/multilabelEntropyStep";
import * as relevance from "./binaryRelevance";
import { softmaxProduct } from "./curvature";
import * as entropy from "./entropy";
import * as hinge from "./hinge";
import { TINY } from "./hinge";
import { ENTROPY, isOneVsAll, Loss } from "./parameters";

/**
 * The losses of a set of true classes. The family says which: HINGE is multilabel-hinge, ENTROPY multilabel-softmax,
 * and the one-vs-all families have t_j = +1 on all true classes. With Y the true classes, t = |Y|, and p over Y, r over
 * the n others:
 *     multilabel-hinge     max { <1/2 - u_Y, p> + <1/2 + u_rest, r> - gamma/2 (||p||^2 + ||r||^2) : sum p = sum r <= 1, p, r >= 0 },
 *                          for gamma = 0 max(0, 1 + max u_rest - min u_Y)
 *     multilabel-softmax   1/t sum_(y in Y) log sum_j exp(u_j - u_y) = log sum_j exp u_j - mean of u_Y
 * Lapin, Hein, Schiele, PAMI 2018, Props 5 to 7, 18 and 20. No true class: both are 0. No other class: multilabel-hinge
 * is 0.
 *
 * One-vs-all is in binaryRelevance.ts, and alone has weights of the true classes, weightsPtr: f64[t], or 0.
 *
 * Arrays are compact: the true classes first, then the others. Dual variables: x_j = a_j on the true classes and -a_j
 * on the others, so that x >= 0 but for multilabel-softmax, where the share p_j of a class is 1/t - x_j/C and x_j/C. Of
 * multilabel-hinge and -softmax, sum x is the same on both sides, and x of the first true class stands for that.
 */

/** Whether the loss is 0 whatever the scores, with dual variables 0. */
function isTrivial(loss: Loss, t: i32, n: i32): bool {
  return !isOneVsAll(loss) && (t == 0 || (n == 0 && loss.family != ENTROPY));
}

/**
 * The dual step of one example: maximises  -C L*(-a/C) - K/2 ||a||^2 - <q, a>  over the dual variables of its t true
 * classes and of n others, all others being zero.
 *
 * qPtr: f64[t + n + 2], destroyed; xPtr: f64[t + n + 2], current x, replaced by the new.
 */
export function updateDualSet(
  loss: Loss,
  qPtr: usize,
  t: i32,
  n: i32,
  K: f64,
  C: f64,
  weightsPtr: usize,
  xPtr: usize,
): void {
  const count = t + n;
  if (isTrivial(loss, t, n)) {
    fill(xPtr, count, 0);
    return;
  }
  if (loss.family == ENTROPY) {
    sharesOf(xPtr, t, n, C);
    multilabelEntropyStep(qPtr, t, n, K * C, true, entropy.solvedInFloat32(loss.float32, K * C), xPtr);
    const share = 1 / <f64>t;
    for (let j = 0; j < t; ++j) put<f64>(xPtr, j, at<f64>(xPtr, j) - share);
    negate(xPtr, t);
    scale(xPtr, count, C);
    return;
  }
  if (isOneVsAll(loss)) {
    relevance.updateDual(loss, qPtr, t, n, K, C, weightsPtr, xPtr);
    return;
  }
  negate(qPtr, t);
  const R = K * C + loss.gamma;
  // As in `hinge.updateDual`: the projection onto the domain of radius R, scaled.
  const factor = C / R;
  if (R < TINY || factor == Infinity) {
    fill(xPtr, t, C / <f64>t);
    fill(entry(xPtr, t), n, C / <f64>n);
    return;
  }
  bipartiteSimplex(qPtr, t, n, 1, R, xPtr, loss.work);
  scale(xPtr, count, factor);
}

/** x -> the shares p of multilabel-softmax. */
function sharesOf(xPtr: usize, t: i32, n: i32, C: f64): void {
  const share = 1 / <f64>t;
  for (let j = 0; j < t; ++j) put<f64>(xPtr, j, Math.max(share - at<f64>(xPtr, j) / C, 0));
  const inverse = 1 / C;
  if (inverse < Infinity) scale(entry(xPtr, t), n, inverse);
  else divide(entry(xPtr, t), n, C);
}

/**
 * Loss at the scores uPtr: f64[t + n + 1], kept, exponentials and logarithms in S; its (sub)gradient goes to
 * gradientPtr: f64[t + n + 1], unless that is 0.
 */
export function lossOfSet<S>(loss: Loss, uPtr: usize, t: i32, n: i32, weightsPtr: usize, gradientPtr: usize): f64 {
  const count = t + n;
  if (isTrivial(loss, t, n)) {
    if (gradientPtr != 0) fill(gradientPtr, count, 0);
    return 0;
  }
  if (loss.family == ENTROPY) return softmaxOfSet<S>(uPtr, t, n, gradientPtr);
  negate(uPtr, t);
  let value: f64;
  if (isOneVsAll(loss)) {
    value = relevance.primalLoss<S>(loss, uPtr, t, n, weightsPtr, gradientPtr);
  } else {
    value = hingeOfSet(loss, uPtr, t, n);
    if (gradientPtr != 0) {
      memory.copy(gradientPtr, loss.duals, <usize>count << 3);
      negate(gradientPtr, t);
    }
  }
  negate(uPtr, t);
  return value;
}

/** multilabel-hinge at hPtr: f64[t + n], -u of the true classes and u of the others; p and r go to loss.duals. */
function hingeOfSet(loss: Loss, hPtr: usize, t: i32, n: i32): f64 {
  const p = loss.duals;
  const gamma = loss.gamma;
  const own = maximum(hPtr, t);
  const other = maximum(entry(hPtr, t), n);
  const h = own + other + 1;
  if (gamma < TINY) {
    fill(p, t + n, 0);
    if (!(h > 0)) return 0;
    put<f64>(p, placeOf(hPtr, t, own), 1);
    put<f64>(p, t + placeOf(entry(hPtr, t), n, other), 1);
    return h;
  }
  bipartiteSimplex(hPtr, t, n, 1, gamma, p, loss.work);
  // <1/2 - u_Y, p> + <1/2 + u_rest, r> = s h + <what each falls short of the largest on its side>, s = sum p: no cancellation.
  let value: f64 = 0;
  for (let j = 0; j < t + n; ++j) {
    const v = at<f64>(p, j);
    const share = v / gamma;
    if (share > 0) value += share * (at<f64>(hPtr, j) - (j < t ? own : other) + (j < t ? h : 0) - 0.5 * v);
    put<f64>(p, j, share);
  }
  return Math.max(value, 0);
}

function softmaxOfSet<S>(uPtr: usize, t: i32, n: i32, gradientPtr: usize): f64 {
  const count = t + n;
  const top = maximum(uPtr, count);
  const best = placeOf(uPtr, count, top);
  // log1p, without the largest, keeps the small losses of well classified examples with one label.
  const others = sumExp<S>(uPtr, best, top) + sumExp<S>(uPtr + (<usize>(best + 1) << 3), count - best - 1, top);
  const share = 1 / <f64>t;
  let distance: f64 = 0;
  for (let j = 0; j < t; ++j) distance += share * (top - at<f64>(uPtr, j));
  if (gradientPtr != 0) {
    const total = 1 + others;
    expInto(uPtr, count, top, gradientPtr);
    for (let j = 0; j < count; ++j) put<f64>(gradientPtr, j, at<f64>(gradientPtr, j) / total);
    // With one label 1 - p is what the others have.
    if (t == 1) put<f64>(gradientPtr, 0, -sum(entry(gradientPtr, 1), n));
    else for (let j = 0; j < t; ++j) put<f64>(gradientPtr, j, at<f64>(gradientPtr, j) - share);
  }
  return distance + log1p(others);
}

/** x of the first true class, from the others: of a hinge loss no less than 0, whatever rounding makes of the sums. */
function balance(loss: Loss, xPtr: usize, t: i32, n: i32): void {
  const first = sum(entry(xPtr, t), n) - sum(xPtr + 8, t - 1);
  put<f64>(xPtr, 0, loss.family == ENTROPY ? first : Math.max(first, 0));
}

/**
 * -C L*(-a/C) at a feasible x: multilabel-hinge 1/2 sum x - gamma/(2C) ||x||^2, multilabel-softmax -C <p, log p>,
 * one-vs-all as for one label. Logarithms in S. xPtr: f64[t + n + 1], destroyed; others with x = 0 may be left out; the
 * first true class of the first two is not read.
 */
export function dualLossSet<S>(loss: Loss, xPtr: usize, t: i32, n: i32, C: f64, weightsPtr: usize): f64 {
  const count = t + n;
  if (isTrivial(loss, t, n)) return 0;
  if (isOneVsAll(loss)) return relevance.dualLoss<S>(loss, xPtr, t, n, C, weightsPtr);
  balance(loss, xPtr, t, n);
  if (loss.family == ENTROPY) {
    if (t == 1) return entropy.dualLoss<S>(entry(xPtr, 1), n, C);
    sharesOf(xPtr, t, n, C);
    return -C * sumXLogX<S>(xPtr, count);
  }
  return 0.5 * hinge.dualLoss(2 * loss.gamma, xPtr, count, 0, C);
}

/** The nearest number of the storage precision that is not above v. */
function storedBelow(v: f64, single: bool): f64 {
  return single ? roundDown<f32>(v) : v;
}
/** The nearest that is not below v. */
function storedAbove(v: f64, single: bool): f64 {
  return single ? roundUp<f32>(v) : v;
}

/**
 * Brings x, feasible up to rounding of its storage precision, float32 if `single`, into the domain, by a fixed rule;
 * any x is brought there. The entries become numbers of that precision, but for the first true class of a loss that is
 * not one-vs-all, which gets the float64 difference of the sums over the others and over the remaining true classes.
 * Repairing what has been repaired and stored changes nothing. xPtr: f64[t + n], in place.
 */
export function restoreSet(
  loss: Loss,
  xPtr: usize,
  t: i32,
  n: i32,
  C: f64,
  weightsPtr: usize,
  single: bool,
): void {
  const count = t + n;
  if (isTrivial(loss, t, n)) {
    fill(xPtr, count, 0);
    return;
  }
  if (isOneVsAll(loss)) {
    relevance.restore(xPtr, t, n, C, weightsPtr, single);
    return;
  }
  if (loss.family == ENTROPY) {
    restoreShares(xPtr, t, n, C, single);
  } else {
    restoreSum(entry(xPtr, t), n, C, single);
    restoreSum(xPtr + 8, t - 1, sum(entry(xPtr, t), n), single);
  }
  balance(loss, xPtr, t, n);
}

/** x >= 0, sum x <= r. */
function restoreSum(xPtr: usize, n: i32, r: f64, single: bool): void {
  if (single) domains.repair<f32>(domains.SIMPLEX, 1, 0, xPtr, n, r, 0);
  else domains.repair<f64>(domains.SIMPLEX, 1, 0, xPtr, n, r, 0);
}

/** Makes the shares of all but the first true class nonnegative, and scales them to sum to at most one. */
function restoreShares(xPtr: usize, t: i32, n: i32, C: f64, single: bool): void {
  const count = t + n;
  const share = C / <f64>t;
  const bound = storedBelow(share, single);
  let total = clampAll(entry(xPtr, t), n, Infinity);
  for (let j = 1; j < t; ++j) {
    const kept = Math.min(at<f64>(xPtr, j), bound);
    put<f64>(xPtr, j, kept);
    total += share - kept;
  }
  if (!(total > C)) return;
  // What rounding may leave above the scaled share of a true class: one spacing of share each.
  const slack = (single ? 1.2e-7 : 0) + <f64>(count + 4) * f64.EPSILON;
  const scale = (C / total) * (1 - slack);
  for (let j = 1; j < count; ++j) {
    const x = at<f64>(xPtr, j);
    const rounded = j < t ? Math.min(storedAbove(share - scale * (share - x), single), bound) : storedBelow(scale * x, single);
    put<f64>(xPtr, j, rounded);
  }
}

/**
 * C L'' v in the place of vPtr: f64[t + n], rounded up to even, of multilabel-softmax or logistic or smoothed
 * one-vs-all, where -C L' is aPtr: f64[t + n], as long, destroyed. Of softmax p = 1_Y/t - a/C.
 */
export function curvatureOfSet(
  loss: Loss,
  aPtr: usize,
  t: i32,
  n: i32,
  C: f64,
  weightsPtr: usize,
  vPtr: usize,
): void {
  if (isTrivial(loss, t, n)) {
    fill(vPtr, t + n, 0);
    return;
  }
  if (isOneVsAll(loss)) {
    relevance.curvatureProduct(loss, aPtr, t, n, C, weightsPtr, vPtr);
    return;
  }
  negate(aPtr, t + n);
  for (let j = 0; j < t; ++j) put<f64>(aPtr, j, C / <f64>t + at<f64>(aPtr, j));
  softmaxProduct(aPtr, t + n, C, vPtr);
}
