import { at, clamp, minLane, put } from "../linalg/simd";
import * as domains from "../prox/domain";
import { negate, shift, sum, sumAccurately } from "../linalg/vectors";
import { largest } from "../select/largest";
import * as curvatures from "./curvature";
import * as entropy from "./entropy";
import * as hinge from "./hinge";
import * as oneVsAll from "./oneVsAll";
import * as truncated from "./truncated";

/** The loss of a problem: its family, dual domain and parameters, and scratch for one example. Lives in the arena. */
@unmanaged
export class Loss {
  family: i32;
  domain: i32;
  k: i32; // of WEIGHTED the number of positive weights
  gamma: f64;
  float32: bool; // whether dual variables are stored in float32
  rankWeights: usize; // f64[m] of WEIGHTED
  margins: usize; // f64[m + 2]
  duals: usize; // f64[m + 2]
  work: usize; // f64[4 m + 8]
}

// Families. The first three act on the margins against the true class, and dual rows of the first two sum to zero; the third is
// not convex and has no dual.
export const HINGE: i32 = 0;
export const ENTROPY: i32 = 1;
export const TRUNCATED_ENTROPY: i32 = 2;
export const OVA_HINGE: i32 = 3;
export const OVA_LOGISTIC: i32 = 4;

/** Whether every class stands for itself: dual rows of such losses do not sum to zero. */
// @ts-ignore: decorator
@inline
export function isOneVsAll(loss: Loss): bool {
  return loss.family >= OVA_HINGE;
}

/** margins: v_j - v_y over the other classes; entry y is left out, what follows it moves down by one. */
function readMargins(vPtr: usize, m: i32, y: i32, gPtr: usize): void {
  const own = at<f64>(vPtr, y);
  const before = <usize>y << 3;
  memory.copy(gPtr, vPtr, before);
  memory.copy(gPtr + before, vPtr + before + 8, <usize>(m - 1 - y) << 3);
  shift(gPtr, m - 1, -own);
}

/** x_j = -a_j over the other classes. */
function readDuals(aPtr: usize, m: i32, y: i32, xPtr: usize): void {
  for (let j = 0; j < y; ++j) put<f64>(xPtr, j, -at<f64>(aPtr, j));
  for (let j = y + 1; j < m; ++j) put<f64>(xPtr, j - 1, -at<f64>(aPtr, j));
}

/** The row of A that x stands for: -x_j over the other classes, their sum at the true one. */
function writeDuals(xPtr: usize, m: i32, y: i32, aPtr: usize): void {
  let total: f64 = 0;
  for (let j = 0; j < m - 1; ++j) {
    const x = at<f64>(xPtr, j);
    total += x;
    put<f64>(aPtr, j < y ? j : j + 1, -x);
  }
  put<f64>(aPtr, y, total);
}

/**
 * The dual step of one example over n of its other classes: maximises  -C L*(-a/C) - K/2 ||a||^2 - <q, a>  over their dual
 * variables a_j = -x_j and that of the true class, all others being zero.
 *
 * qPtr: f64[n + 2], q of the n classes, destroyed; ownQ: q of the true class; xPtr: f64[n + 2], current x, replaced by the
 * new. Returns the new dual variable of the true class.
 */
export function updateDual(loss: Loss, qPtr: usize, n: i32, ownQ: f64, K: f64, C: f64, xPtr: usize): f64 {
  if (isOneVsAll(loss)) {
    return oneVsAll.updateDual(loss.family == OVA_LOGISTIC, loss.float32, loss.gamma, qPtr, n, ownQ, K, C, xPtr);
  }
  shift(qPtr, n, -ownQ);
  if (loss.family == ENTROPY) entropy.updateDual(loss.domain, loss.k, qPtr, n, K, C, loss.float32, xPtr, loss.work);
  else hinge.updateDual(loss.domain, loss.k, loss.rankWeights, loss.gamma, qPtr, n, K, C, xPtr, loss.work);
  return sum(xPtr, n);
}

/**
 * Of a hinge loss: the slopes of D in x over the other classes, h_j = 1 + u_j - u_y - gamma/C x_j, over WEIGHTED x_j + sum x, in the place
 * of the scores uPtr: f64[m]; xPtr: f64[m]. Both are 0 at the true class.
 */
export function ascent(loss: Loss, uPtr: usize, xPtr: usize, m: i32, y: i32, C: f64): void {
  const own = at<f64>(uPtr, y);
  const total = loss.domain == domains.WEIGHTED ? sum(xPtr, m) : 0;
  const smoothing = loss.gamma / C;
  for (let j = 0; j < m; ++j) {
    const h = 1 + at<f64>(uPtr, j) - own - smoothing * (at<f64>(xPtr, j) + total);
    put<f64>(uPtr, j, j == y ? 0 : h);
  }
}

/** Of a hinge loss: max <h, x> over DOM(1), the maximiser, a vertex, to vPtr: f64[m]; h and v are 0 at the true class. */
export function vertex(loss: Loss, hPtr: usize, m: i32, y: i32, vPtr: usize): f64 {
  readMargins(hPtr, m, y, loss.margins);
  const x = loss.duals;
  const value = domains.support(loss.domain, loss.k, loss.rankWeights, loss.margins, m - 1, x, loss.work);
  writeDuals(x, m, y, vPtr);
  for (let j = 0; j < m; ++j) put<f64>(vPtr, j, j == y ? 0 : 0 - at<f64>(vPtr, j));
  return value;
}

/** Of a hinge loss: the curvature of -C L*(-a/C) along a row of A, dPtr: f64[m]: gamma/C ||d||^2, but for the true class or with it. */
export function curvature(loss: Loss, dPtr: usize, m: i32, y: i32, C: f64): f64 {
  let total: f64 = 0;
  for (let j = 0; j < m; ++j) {
    const d = at<f64>(dPtr, j);
    if (j != y || loss.domain == domains.WEIGHTED) total += d * d;
  }
  return (loss.gamma / C) * total;
}

/**
 * C L'' v in the place of vPtr: f64[m], at the scores where -C L' is the row aPtr: f64[m] of A, destroyed; both rounded up to even. Of a loss
 * with a gradient and a domain that curvature.ts knows, or one-vs-all.
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

/** Whether the loss depends on the largest margins alone, however many: hinge losses, smoothed or not. */
export function dependsOnLargest(loss: Loss): bool {
  return loss.family == HINGE && loss.domain != domains.WEIGHTED;
}

/**
 * Such a loss at the margins gPtr: f64[n + 1] of k or more of the other classes, the margins of the rest being at most `rest`; NaN where the
 * rest may matter. What maximises it goes to loss.duals. Where there is no rest, -Infinity, gPtr is destroyed.
 */
export function lossOfMargins(loss: Loss, gPtr: usize, n: i32, rest: f64): f64 {
  const margins = rest == -Infinity ? gPtr : loss.margins;
  if (margins != gPtr) memory.copy(margins, gPtr, <usize>n << 3);
  const value = hinge.primalLoss(loss.domain, loss.k, loss.rankWeights, loss.gamma, margins, n, loss.duals, loss.work);
  return margins == gPtr || rest <= mostUnnoticed(loss, gPtr, n) ? value : NaN;
}

/** What is less than its bound by this part of it is so not by rounding alone. */
const ROOM: f64 = 1e-9;

/**
 * Margins of the rest that are no higher do not matter, given those gPtr: f64[n] and what `lossOfMargins` has found.
 *
 * Let p maximise <h, p> - gamma/2 ||p||^2 over those given, and p_c be less than its bound for a class whose slope h_c - gamma p_c is no
 * smaller than h of the rest. If some p' over all classes were better, so would be a point on the way from p to it, near p; and, with what that
 * has of the rest moved to c, one over those given. Where p = 0 none has room if bounds depend on p, but then it is 0 as long as k of those
 * given are no smaller than the rest; else no h is positive, nor may one of the rest be.
 */
export function mostUnnoticed(loss: Loss, gPtr: usize, n: i32): f64 {
  const p = loss.duals;
  const total = sum(p, n);
  if (!(total > 0)) {
    if (loss.domain == domains.SIMPLEX || loss.domain == domains.TOPK_BETA) return -1;
    largest(gPtr, n, loss.k, loss.work);
    return at<f64>(loss.work, loss.k - 1);
  }
  const most = domains.bound<f64>(loss.domain, loss.k, total, 1) * (1 - ROOM);
  let level = -Infinity;
  for (let c = 0; c < n; ++c) {
    const v = at<f64>(p, c);
    const slope = at<f64>(gPtr, c) - loss.gamma * v;
    level = select<f64>(slope, level, v < most && slope > level);
  }
  return level;
}

/** Loss at the scores uPtr: f64[m + 1], exponentials and logarithms in S; its (sub)gradient goes to gradientPtr: f64[m], unless that is 0. */
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
      : hinge.primalLoss(loss.domain, loss.k, loss.rankWeights, loss.gamma, g, m - 1, x, loss.work);
  if (gradientPtr == 0) return value;
  // The gradient is x at the other classes and -sum x at y: a row of A with the sign changed.
  writeDuals(x, m, y, gradientPtr);
  negate(gradientPtr, m);
  return value;
}

/**
 * -C L*(-a/C) at a feasible row, logarithms in S: xPtr: f64[n + 1], x_j = -a_j of the other classes, or of those where it is not zero, destroyed;
 * own: the true class's dual variable.
 */
export function dualLoss<S>(loss: Loss, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  if (isOneVsAll(loss)) return oneVsAll.dualLoss<S>(loss.family == OVA_LOGISTIC, loss.gamma, xPtr, n, own, C);
  if (loss.family == ENTROPY) return entropy.dualLoss<S>(xPtr, n, C);
  return hinge.dualLoss(loss.gamma, xPtr, n, loss.domain == domains.WEIGHTED ? sum(xPtr, n) : 0, C);
}

/**
 * Brings a row aPtr: f64[m], feasible up to rounding of T, into the domain. Its entries become numbers of T, but for the true
 * class of a margin loss, which gets the float64 sum of the others. Returns whether any other may have changed.
 */
export function repair<T>(loss: Loss, aPtr: usize, m: i32, y: i32, C: f64): bool {
  if (isOneVsAll(loss)) {
    oneVsAll.repair<T>(aPtr, m, y, C);
    return true;
  }
  put<f64>(aPtr, y, 0);
  const kept = feasibleSum<T>(loss, aPtr, m, C);
  if (kept >= 0) {
    put<f64>(aPtr, y, kept);
    return false;
  }
  readDuals(aPtr, m, y, loss.duals);
  domains.repair<T>(loss.domain, loss.k, loss.rankWeights, loss.duals, m - 1, C, loss.work);
  writeDuals(loss.duals, m, y, aPtr);
  put<f64>(aPtr, y, 0);
  put<f64>(aPtr, y, 0 - sumOfOthers<T>(aPtr, m));
  return true;
}

/**
 * Minus the sum of a row aPtr: f64[m] with 0 at the true class, if a repair has nothing to do, which most often it has not and is
 * quicker to see than to do; else -1.
 */
function feasibleSum<T>(loss: Loss, aPtr: usize, m: i32, C: f64): f64 {
  if (loss.domain == domains.WEIGHTED) return -1;
  let highest = f64x2.splat(0);
  let lowest = highest;
  const end = aPtr + ((<usize>m & -2) << 3);
  for (let p = aPtr; p < end; p += 16) {
    const a = v128.load(p);
    highest = f64x2.pmax(highest, a);
    lowest = f64x2.pmin(lowest, a);
  }
  let most = 0 - minLane(lowest);
  if (m & 1) {
    const a = at<f64>(aPtr, m - 1);
    highest = f64x2.pmax(highest, f64x2.splat(a));
    most = Math.max(most, -a);
  }
  const s = 0 - sumOfOthers<T>(aPtr, m);
  const within = !v128.any_true(highest) && s <= C && most <= domains.bound<T>(loss.domain, loss.k, s, C);
  return within ? s : -1;
}

/** Sum of a row of numbers of T that does not depend on their order, which in a list is not that of A: of float32 it is all but exact. */
// @ts-ignore: decorator
@inline
function sumOfOthers<T>(aPtr: usize, m: i32): f64 {
  return sizeof<T>() == 4 ? sum(aPtr, m) : sumAccurately(aPtr, m);
}

/**
 * The nearest feasible row to aPtr: f64[m], in place, as far as the other classes of a margin loss are concerned. A row that
 * is feasible up to rounding is left as it is: what has been solved stays solved to the last bit.
 */
export function projectDual(loss: Loss, aPtr: usize, m: i32, y: i32, C: f64): void {
  if (isOneVsAll(loss)) {
    oneVsAll.repair<f64>(aPtr, m, y, C);
    return;
  }
  const x = loss.duals;
  readDuals(aPtr, m, y, x);
  restoreDual(loss, x, m - 1, 0, C);
  const b = loss.margins;
  let moved: f64 = 0;
  for (let j = 0; j < m - 1; ++j) moved = Math.max(moved, Math.abs(at<f64>(x, j) - at<f64>(b, j)));
  if (moved > 1e-6 * C) writeDuals(x, m, y, aPtr);
}

/**
 * The same on n of the other classes, xPtr: f64[n], in place, all others being zero, whatever rounding there is. own: the dual
 * variable of the true class; returns the new one. What was given is in loss.margins, unless the loss is one-vs-all. Over WEIGHTED
 * the entry of the true class counts for what is nearest: with it, which is the sum, that is the step with rho = 1.
 */
export function restoreDual(loss: Loss, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  if (isOneVsAll(loss)) {
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, clamp(at<f64>(xPtr, j), C));
    return clamp(own, C);
  }
  const b = loss.margins;
  const total = loss.domain == domains.WEIGHTED ? sum(xPtr, n) : 0;
  memory.copy(b, xPtr, <usize>n << 3);
  shift(b, n, total);
  domains.project(loss.domain, loss.k, loss.rankWeights, b, n, C, 0, 0, xPtr, loss.work);
  shift(b, n, -total);
  return sum(xPtr, n);
}
