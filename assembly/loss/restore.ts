/** Brings rows of dual variables into the domain of a loss: such as are feasible up to rounding, and others. */
import { at, clamp, minLane, put } from "../linalg/simd";
import { shift, sum, sumAccurately } from "../linalg/vectors";
import * as domains from "../prox/domain";
import * as oneVsAll from "./oneVsAll";
import { readDuals, writeDuals } from "./otherClasses";
import { isOneVsAll, Loss } from "./parameters";

/**
 * Brings a row aPtr: f64[m], feasible up to rounding of T, into the domain. Its entries become numbers of T, but for
 * the true class of a margin loss, which gets the float64 sum of the others. Returns whether any other may have
 * changed.
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
 * Minus the sum of a row aPtr: f64[m] with 0 at the true class, if a repair has nothing to do, which most often it has
 * not and is quicker to see than to do; else -1.
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

/**
 * Sum of a row of numbers of T that does not depend on their order, which in a list is not that of A: of float32 it is
 * all but exact.
 */
// @ts-ignore: decorator
@inline
function sumOfOthers<T>(aPtr: usize, m: i32): f64 {
  return sizeof<T>() == 4 ? sum(aPtr, m) : sumAccurately(aPtr, m);
}

/**
 * The nearest feasible row to aPtr: f64[m], in place, as far as the other classes of a margin loss are concerned. A row
 * that is feasible up to rounding is left as it is: what has been solved stays solved to the last bit.
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
 * The nearest feasible point for n of the other classes, xPtr: f64[n], in place, all others being zero, whatever
 * rounding there is. own: the dual variable of the true class; returns the new one. What was given is in loss.margins,
 * unless the loss is one-vs-all. Over WEIGHTED the entry of the true class counts for what is nearest: with it, which
 * is the sum, that is the step with rho = 1.
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
