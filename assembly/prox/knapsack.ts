import { at, clamp, put } from "../linalg/simd";
import { fill, keepAbove, sum } from "../linalg/vectors";
import { maximum } from "../math/logSumExp";
import { largest } from "../select/largest";
import { threshold } from "./variableFixing";

/**
 * x_j = min(max(b_j - pivot - t, 0), hi). The pivot goes first: b_j - pivot is exact where it matters, b_j - t is not.
 */
export function clampInto(bPtr: usize, n: i32, pivot: f64, t: f64, hi: f64, xPtr: usize): void {
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const o = <usize>j << 3;
    const x = f64x2.sub(f64x2.sub(v128.load(bPtr + o), f64x2.splat(pivot)), f64x2.splat(t));
    v128.store(xPtr + o, f64x2.pmin(f64x2.pmax(f64x2.splat(0), x), f64x2.splat(hi)));
  }
  if (j < n) put<f64>(xPtr, j, clamp(at<f64>(bPtr, j) - pivot - t, hi));
}

/**
 * Continuous quadratic knapsack, with equality:   min 1/2 ||x - b||^2   over  sum x = r, 0 <= x <= hi.
 *
 * x_j = min(max(b_j - t, 0), hi). When |b| >> r, b - t cancels and x would not sum to r; so a pivot near the threshold
 * is subtracted first: the largest b, or with a finite hi the (floor(r/hi) + 1)-th largest, which bounds t from above
 * while pivot - hi bounds it from below. What is further away than hi is decided before the search.
 *
 * bPtr: f64[n]; xPtr: f64[n], result; workPtr: f64[n], scratch; all distinct. hi may be Infinity.
 * Requires n >= 1, 0 <= r <= n hi. O(n) expected.
 */
export function knapsackEquality(bPtr: usize, n: i32, hi: f64, r: f64, xPtr: usize, workPtr: usize): void {
  if (!(r > 0) || hi * <f64>n <= r) {
    fill(xPtr, n, r > 0 ? hi : 0);
    return;
  }
  let pivot: f64;
  if (hi < r) {
    const rank = <i32>Math.min(r / hi, <f64>(n - 1)) + 1;
    largest(bPtr, n, rank, workPtr);
    pivot = at<f64>(workPtr, rank - 1);
  } else {
    hi = r;
    pivot = maximum(bPtr, n);
  }
  // By pairs: where few are in reach most are passed over, and where many are no branch has to be foreseen.
  let full = 0;
  let count = 0;
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    const pair = f64x2.sub(v128.load(bPtr + (<usize>j << 3)), f64x2.splat(pivot));
    if (!v128.any_true(f64x2.gt(pair, f64x2.splat(-hi)))) continue;
    const b0 = f64x2.extract_lane(pair, 0);
    const b1 = f64x2.extract_lane(pair, 1);
    full += i32(b0 >= hi) + i32(b1 >= hi);
    count = putWithin(workPtr, count, b0, hi);
    count = putWithin(workPtr, count, b1, hi);
  }
  if (j < n) {
    const b = at<f64>(bPtr, j) - pivot;
    full += i32(b >= hi);
    count = putWithin(workPtr, count, b, hi);
  }
  const rest = r - hi * <f64>full;
  const t = rest > 0 ? threshold(workPtr, count, hi, rest, 0) : 0;
  clampInto(bPtr, n, pivot, t, hi, xPtr);
}

/** Puts v behind the first `count` elements, if it is within (-hi, hi); returns their number then. */
// @ts-ignore: decorator
@inline
function putWithin(ptr: usize, count: i32, v: f64, hi: f64): i32 {
  put<f64>(ptr, count, v);
  return count + (i32(v > -hi) & i32(v < hi));
}

/**
 * Biased continuous quadratic knapsack:   min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over  sum x <= r, 0 <= x <= hi.
 *
 * Lapin, Hein, Schiele, NIPS 2015, section 5 (Eq. 10). x_j = min(max(b_j - t, 0), hi) with t = rho sum x unless the sum
 * reaches r first, that is unless the elements cut at rho r still sum to r or more. Arguments as in `knapsackEquality`;
 * rho >= 0, and r may be Infinity.
 */
export function knapsack(
  bPtr: usize,
  n: i32,
  hi: f64,
  r: f64,
  rho: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  let atLevel: f64 = 0;
  const level = rho > 0 ? rho * r : 0;
  for (let j = r < Infinity ? 0 : n; j < n && atLevel < r; ++j) atLevel += clamp(at<f64>(bPtr, j) - level, hi);
  if (atLevel < r) {
    let t: f64 = 0;
    if (rho > 0) {
      const count = keepAbove(bPtr, n, 0, 0, workPtr);
      // A bias this small changes no bit of the result; its reciprocal must stay finite.
      t = threshold(workPtr, count, hi, 0, Math.min(1 / rho, 1e300));
    }
    clampInto(bPtr, n, 0, t, hi, xPtr);
    if (sum(xPtr, n) <= r) return;
  }
  knapsackEquality(bPtr, n, hi, r, xPtr, workPtr);
}
