import { at, put, roundDown } from "../linalg/simd";
import { clampAll, fill, sum } from "../linalg/vectors";
import { largest } from "../select/largest";
import { permutahedronHull, repairInHull, supportOfHull, uniformInHull } from "./permutahedron";
import { simplex } from "./simplex";
import { topKSimplex, topKSimplexBeta, topKSimplexInclusive } from "./topKSimplex";

/**
 * The sets DOM(r) that the dual variables of one example live in (the other classes' entries, sign changed). A
 * multiclass loss is the support function of its set, smoothed or not, so projection, support and repair sit here, once
 * per set.
 */
export const SIMPLEX: i32 = 0; // 0 <= x, sum x <= r
export const TOPK: i32 = 1; // 0 <= x_j <= (sum x)/k, sum x <= r
export const TOPK_INCLUSIVE: i32 = 2; // 0 <= x_j <= min(r/k, (sum x)/(k - 1)), sum x <= r
export const TOPK_BETA: i32 = 3; // 0 <= x_j <= r/k, sum x <= r
export const WEIGHTED: i32 = 4; // that of the weighted top-k hinge loss: see permutahedron.ts

/**
 * min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x> over DOM(r); over WEIGHTED, where no other rho is needed, rho is 1. bPtr,
 * xPtr: f64[n + 1], the last of which may be written to; weightsPtr: f64[n + 1] of WEIGHTED, where k counts the
 * positive ones; workPtr: f64[2 n], of WEIGHTED f64[4 n + 8]; all distinct. guessed: where xPtr holds a guess at the
 * answer, or at a multiple of it, the r for that; else 0.
 */
export function project(
  domain: i32,
  k: i32,
  weightsPtr: usize,
  bPtr: usize,
  n: i32,
  r: f64,
  rho: f64,
  guessed: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  if (domain == TOPK) topKSimplex(bPtr, n, k, r, rho, guessed > 0, xPtr, workPtr);
  else if (domain == TOPK_INCLUSIVE) topKSimplexInclusive(bPtr, n, k, r, rho, xPtr, workPtr);
  else if (domain == TOPK_BETA) topKSimplexBeta(bPtr, n, k, r, rho, guessed, xPtr, workPtr);
  else if (domain == WEIGHTED) permutahedronHull(bPtr, n, weightsPtr, k, r, false, xPtr, workPtr);
  else simplex(bPtr, n, r, rho, guessed > 0, xPtr, workPtr);
}

/**
 * x_j = value on the count largest positive h (on all counted ones if `negativeToo`), 0 elsewhere; ties to the first.
 */
function fillLargest(hPtr: usize, n: i32, count: i32, value: f64, negativeToo: bool, xPtr: usize, workPtr: usize): f64 {
  fill(xPtr, n, 0);
  if (count < 1) return 0;
  largest(hPtr, n, count, workPtr);
  let least = Infinity;
  for (let j = 0; j < count; ++j) least = Math.min(least, at<f64>(workPtr, j));
  let ties = count;
  for (let j = 0; j < count; ++j) if (at<f64>(workPtr, j) > least) --ties;
  let total: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const h = at<f64>(hPtr, j);
    if (h < least || (h == least && ties-- <= 0) || (h <= 0 && !negativeToo)) continue;
    put<f64>(xPtr, j, value);
    total += h * value;
  }
  return total;
}

/** max <h, x> over DOM(1); a maximiser goes to xPtr. hPtr, xPtr: f64[n]; n >= 1; the others as above. */
export function support(
  domain: i32,
  k: i32,
  weightsPtr: usize,
  hPtr: usize,
  n: i32,
  xPtr: usize,
  workPtr: usize,
): f64 {
  if (domain == WEIGHTED) return supportOfHull(hPtr, n, weightsPtr, k, xPtr, workPtr);
  if (domain == SIMPLEX) return fillLargest(hPtr, n, 1, 1, false, xPtr, workPtr);
  const share = 1 / <f64>k;
  if (domain == TOPK_BETA) return fillLargest(hPtr, n, min(k, n), share, false, xPtr, workPtr);
  if (domain == TOPK) {
    const value = k > n ? 0 : fillLargest(hPtr, n, k, share, true, xPtr, workPtr);
    if (value > 0) return value;
    fill(xPtr, n, 0);
    return 0;
  }
  // The k largest of h and 0: at least k - 1 of h, and the k-th only where it beats the 0.
  if (k - 1 > n) {
    fill(xPtr, n, 0);
    return 0;
  }
  const withTrueClass = fillLargest(hPtr, n, k - 1, share, true, xPtr, workPtr);
  let kth = -Infinity;
  if (k <= n) {
    largest(hPtr, n, k, workPtr);
    kth = at<f64>(workPtr, k - 1);
  }
  if (kth > 0) return fillLargest(hPtr, n, k, share, true, xPtr, workPtr);
  if (withTrueClass > 0) return withTrueClass;
  fill(xPtr, n, 0);
  return 0;
}

/**
 * The point with equal entries that is optimal in DOM(r) for equal h > 0: the dual variables of a zero row, gamma = 0.
 */
export function uniform(domain: i32, k: i32, weightsPtr: usize, n: i32, r: f64): f64 {
  if (domain == WEIGHTED) return uniformInHull(n, weightsPtr, r);
  const share = r / <f64>n;
  if (domain == TOPK) return k > n ? 0 : share;
  if (domain == TOPK_INCLUSIVE) return k - 1 > n ? 0 : Math.min(share, r / <f64>k);
  if (domain == TOPK_BETA) return r / <f64>max(k, n);
  return share;
}

/**
 * Repairs x, feasible up to the rounding of T, into DOM(r), by a fixed rule: negative entries become 0, a fixed upper
 * bound is enforced, a sum above r is scaled back, and entries above (sum x)/k are cut to the largest bound that then
 * holds. All results are numbers of T, rounded towards 0, so repairing twice changes nothing. xPtr: f64[n], in place;
 * WEIGHTED has a rule of its own, and takes weightsPtr and workPtr as above.
 */
export function repair<T>(
  domain: i32,
  k: i32,
  weightsPtr: usize,
  xPtr: usize,
  n: i32,
  r: f64,
  workPtr: usize,
): void {
  if (domain == WEIGHTED) {
    repairInHull<T>(weightsPtr, k, xPtr, n, r, workPtr);
    return;
  }
  const most = fixedBound<T>(domain, k, r);
  const s = clampAll(xPtr, n, most);
  const slack = <f64>(n + 4) * f64.EPSILON; // what summing n numbers in some other order may change
  if (s > r) {
    const scale = (r / s) * (1 - slack);
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, roundDown<T>(at<f64>(xPtr, j) * scale));
  }
  if (domain == TOPK) cutAboveMean<T>(k, xPtr, n, slack);
  else if (domain == TOPK_INCLUSIVE && k > 1) cutAboveMean<T>(k - 1, xPtr, n, slack);
}

/** The largest entry that x in DOM(r) may have if its sum is s, in numbers of T; not of WEIGHTED. */
export function bound<T>(domain: i32, k: i32, s: f64, r: f64): f64 {
  if (domain == TOPK) return s / <f64>k;
  const fixed = fixedBound<T>(domain, k, r);
  return domain == TOPK_INCLUSIVE && k > 1 ? Math.min(fixed, s / <f64>(k - 1)) : fixed;
}

/** What of that does not depend on s. */
function fixedBound<T>(domain: i32, k: i32, r: f64): f64 {
  return domain == TOPK_BETA || domain == TOPK_INCLUSIVE ? roundDown<T>(r / <f64>k) : Infinity;
}

/** Cuts x at the largest c with c <= (sum_j min(x_j, c))/k. */
function cutAboveMean<T>(k: i32, xPtr: usize, n: i32, slack: f64): void {
  let c = (sum(xPtr, n) / <f64>k) * (1 + slack);
  let sizeU = 0;
  for (;;) {
    let size = 0;
    let rest: f64 = 0;
    for (let j = 0; j < n; ++j) {
      const x = at<f64>(xPtr, j);
      if (x > c) ++size;
      else rest += x;
    }
    // Each round finds more entries above a lower bound, and k of them cannot exceed their own mean: at most k rounds.
    // By rounding it might find fewer, and then more again, for ever.
    if (size <= sizeU || size >= k) break;
    sizeU = size;
    c = rest / <f64>(k - size);
  }
  if (sizeU == 0) return;
  c = roundDown<T>(c);
  for (let j = 0; j < n; ++j) put<f64>(xPtr, j, Math.min(at<f64>(xPtr, j), c));
}
