import { at, put, roundDown } from "../linalg/simd";
import { fill, sum } from "../linalg/vectors";
import { largest } from "../select/largest";
import { sortDescending } from "../select/sort";

/**
 * The dual domain of the weighted top-k hinge loss. For weights rho_1 >= rho_2 >= ... >= 0 let P be their
 * permutahedron, the hull of all their permutations: the vectors whose l largest entries sum to at most R_l = rho_1 +
 * ... + rho_l, and all entries to R. Then
 *     DOM(r) = { x : (x, w) in s P for some w >= 0 and 0 <= s <= r },
 * where w is the share that the true class takes of its own loss. Hirohashi and Kato, 2020, sections 4 and 5.
 *
 * With n entries and R = R_(n + 1) the sum of the first n + 1 weights, the others being 0, x >= 0 is in DOM(r) iff for
 * some s <= r
 *     the l largest entries sum to at most s R_l,     l = 1 ... n, and
 *     the n + 1 - l smallest to at least s (R - R_l), l = 1 ... n, with w = s R - sum x.
 *
 * weightsPtr: f64[n + 1], of which k are positive, the first ones; k <= n + 1 unless x = 0 is all there is.
 */

/** The search for s is a Newton iteration that ends in a handful of steps; bisection takes over well before this. */
const MAX_STEPS: i32 = 200;

// One projection's scratch. The sequence that is pooled: entries that may be positive, descending, w's target among
// them.
let sorted: usize = 0; // f64[count]
let places: usize = 0; // i32[count], where they came from
let count: i32 = 0;
let own: f64 = 0; // w's target
let ownRank: i32 = 0; // its place in the sequence; beyond the end where there is none
// Pools of the sequence: first member, mean distance of the members from the first, mean weight.
let starts: usize = 0; // i32[count + 2]
let distances: usize = 0; // f64[count + 1]
let means: usize = 0; // f64[count + 1]

/** Lays out workPtr: f64[4 n + 8]. */
function layOut(workPtr: usize, n: i32): void {
  sorted = workPtr;
  distances = sorted + (<usize>n << 3);
  means = distances + (<usize>(n + 1) << 3);
  places = means + (<usize>(n + 1) << 3);
  starts = places + (<usize>n << 2);
}

/** Takes from aPtr: f64[n] what is not below the k-th largest by more than `margin`, in descending order. */
function gather(aPtr: usize, n: i32, k: i32, margin: f64): void {
  let least = -Infinity;
  if (k < n) {
    largest(aPtr, n, k, sorted);
    least = at<f64>(sorted, k - 1) - margin;
  }
  count = 0;
  for (let j = 0; j < n; ++j) {
    const a = at<f64>(aPtr, j);
    if (a < least) continue;
    put<f64>(sorted, count, a);
    put<i32>(places, count++, j);
  }
  sortDescending(sorted, places, count);
}

/** Puts w's target into the sequence, before what equals it. */
function placeOwn(target: f64): void {
  own = target;
  ownRank = 0;
  while (ownRank < count && at<f64>(sorted, ownRank) > target) ++ownRank;
}

/** Member i of the sequence. */
// @ts-ignore: decorator
@inline
function member(i: i32): f64 {
  return i < ownRank ? at<f64>(sorted, i) : i == ownRank ? own : at<f64>(sorted, i - 1);
}

/**
 * Pools adjacent violators: the nonincreasing sequence nearest to `member(i) - s rho_(i + 1)` takes on each pool the
 * mean over it. Distances within a pool are taken from its first member, so that numbers far above s cancel exactly.
 * Returns the number of pools.
 */
function pool(weightsPtr: usize, length: i32, s: f64): i32 {
  let pools = 0;
  for (let i = 0; i < length; ++i) {
    let start = i;
    let distance: f64 = 0;
    let weight = at<f64>(weightsPtr, i);
    while (pools > 0) {
      const first = at<i32>(starts, pools - 1);
      const step = member(start) - member(first);
      const distanceBefore = at<f64>(distances, pools - 1);
      const weightBefore = at<f64>(means, pools - 1);
      if (distanceBefore - step - distance > s * (weightBefore - weight)) break;
      const share = <f64>(i + 1 - start) / <f64>(i + 1 - first);
      distance = distanceBefore + share * (distance + step - distanceBefore);
      weight = weightBefore + share * (weight - weightBefore);
      start = first;
      --pools;
    }
    put<i32>(starts, pools, start);
    put<f64>(distances, pools, distance);
    put<f64>(means, pools++, weight);
  }
  put<i32>(starts, pools, length);
  return pools;
}

/** The pool of member i. */
function poolOf(i: i32): i32 {
  let p = 0;
  while (at<i32>(starts, p + 1) <= i) ++p;
  return p;
}

/** sum rho_i member(i) with w's target 0: the support function of P at (a, 0). */
function weigh(weightsPtr: usize, length: i32): f64 {
  let total: f64 = 0;
  for (let i = 0; i < length; ++i) total += at<f64>(weightsPtr, i) * member(i);
  return total;
}

/**
 * min 1/2 ||x||^2 + 1/2 (sum x)^2 - <a, x>   over  DOM(r), or, `alone`, without the true class:
 * min 1/2 ||x - a||^2   over  x in s P, 0 <= s <= r.
 *
 * Since sum x = s R - w, at a fixed s it is the projection of (a, s R) onto s P: with z its sorted entries, x = z -
 * fit, fit the nonincreasing sequence nearest to z - s rho. The value phi(s) is convex, with the derivative
 *     phi'(s) = R fit_w - <fit, rho>        (alone: -<fit, rho>),
 * linear while the pools of fit stay the same. So s = r if phi'(r) <= 0, x = 0 if sum rho_i (a, 0)_(i) <= 0, and
 * otherwise s is the root of phi', found by Newton steps inside a bracket.
 *
 * The root is no larger than max a/R, where w's target comes first: all of fit is at most fit_w there, so phi' >= 0.
 * (Alone: than n max a/R, where no pool has a mean above 0.) From an r far beyond that only bisection would come back:
 * the steps of Newton's method cancel.
 *
 * aPtr: f64[n], kept; weightsPtr: f64[n + 1] (alone: f64[n]); xPtr: f64[n], result; workPtr: f64[4 n + 8]; all
 * distinct. Requires n >= 1, r finite. O(n + c log c), c the number of entries within r rho_1 of the k-th largest.
 */
export function permutahedronHull(
  aPtr: usize,
  n: i32,
  weightsPtr: usize,
  k: i32,
  r: f64,
  alone: bool,
  xPtr: usize,
  workPtr: usize,
): void {
  fill(xPtr, n, 0);
  layOut(workPtr, n);
  // An entry below the k-th largest has no weight, and its fit is not below that one's: at least the k-th less r rho_1.
  gather(aPtr, n, k, r * at<f64>(weightsPtr, 0));
  const length = alone ? count : count + 1;
  if (alone) ownRank = length;
  else placeOwn(0);
  if (!(r > 0) || (k > length) || !(weigh(weightsPtr, min(k, length)) > 0)) return;

  const R = sum(weightsPtr, k);
  let lower: f64 = 0;
  let upper = Math.min(r, (alone ? <f64>length : 1) * (at<f64>(sorted, 0) / R));
  let s = upper;
  let pools: i32;
  for (let step = 0; ; ++step) {
    if (!alone) placeOwn(s * R);
    pools = pool(weightsPtr, length, s);
    if (step == MAX_STEPS) break;
    let slope: f64 = 0;
    let curvature: f64 = 0;
    const y = alone ? 0 : poolOf(ownRank);
    const firstOfOwn = alone ? 0 : member(at<i32>(starts, y));
    const distanceOfOwn = alone ? 0 : at<f64>(distances, y);
    const weightOfOwn = alone ? 0 : at<f64>(means, y);
    const rise = alone ? 0 : R / <f64>(at<i32>(starts, y + 1) - at<i32>(starts, y)); // of w's fit, as its target moves
    for (let p = 0; p < pools; ++p) {
      const weight = at<f64>(means, p);
      const total = weight * <f64>(at<i32>(starts, p + 1) - at<i32>(starts, p));
      if (total == 0 || (!alone && p == y)) continue;
      const ahead = firstOfOwn - member(at<i32>(starts, p)) + (distanceOfOwn - at<f64>(distances, p));
      slope += total * (ahead - s * (weightOfOwn - weight));
      curvature += total * (rise - (weightOfOwn - weight));
    }
    if (step == 0 && slope <= 0) break;
    if (slope > 0) upper = s;
    else if (slope < 0) lower = s;
    else break;
    let next = s - slope / curvature;
    if (Math.abs(next - s) <= 2 * f64.EPSILON * s) break;
    if (step % 4 == 3 || !(next > lower && next < upper)) next = lower + 0.5 * (upper - lower);
    if (next == s || next == lower || next == upper) break;
    s = next;
  }

  let before = NaN;
  let x: f64 = 0;
  for (let p = 0; p < pools; ++p) {
    const start = at<i32>(starts, p);
    const level = s * at<f64>(means, p) - at<f64>(distances, p);
    for (let i = start; i < at<i32>(starts, p + 1); ++i) {
      if (i == ownRank) continue;
      // Equal entries that rounding has put into different pools are equal all the same.
      if (member(i) != before) x = Math.max(member(i) - member(start) + level, 0);
      before = member(i);
      put<f64>(xPtr, at<i32>(places, i < ownRank ? i : i - 1), x);
    }
  }
}

/** max <h, x> over DOM(1); a maximiser goes to xPtr. Arguments as above. */
export function supportOfHull(hPtr: usize, n: i32, weightsPtr: usize, k: i32, xPtr: usize, workPtr: usize): f64 {
  fill(xPtr, n, 0);
  layOut(workPtr, n);
  gather(hPtr, n, k, 0);
  placeOwn(0);
  const length = min(k, count + 1);
  const value = weigh(weightsPtr, length);
  if (!(value > 0)) return 0;
  for (let i = 0; i < length; ++i) {
    if (i != ownRank) put<f64>(xPtr, at<i32>(places, i < ownRank ? i : i - 1), at<f64>(weightsPtr, i));
  }
  return value;
}

/** The point with equal entries that is optimal in DOM(r) for equal h > 0: the true class takes the smallest weight. */
export function uniformInHull(n: i32, weightsPtr: usize, r: f64): f64 {
  return (r * sum(weightsPtr, n)) / <f64>n;
}

/** Whether the entries of `sorted`, cut at c, are in DOM(Infinity), up to the rounding of their sums. */
function isInside(weightsPtr: usize, k: i32, c: f64, slack: f64): bool {
  let s: f64 = 0;
  let total: f64 = 0;
  let weight: f64 = 0;
  for (let i = 0; i < count; ++i) {
    total += Math.min(at<f64>(sorted, i), c);
    weight += at<f64>(weightsPtr, i);
    s = Math.max(s, total / weight);
  }
  if (k - 2 >= count) return s == 0;
  total = 0;
  weight = 0;
  for (let i = count - 1; i >= 0; --i) {
    total += Math.min(at<f64>(sorted, i), c);
    weight += at<f64>(weightsPtr, i + 1);
    if (total < s * weight * (1 - slack)) return false;
  }
  return true;
}

/**
 * Brings x, feasible up to the rounding of T, into DOM(r), by a fixed rule: negative entries become 0, all are scaled
 * back until the largest of them sum to no more than r allows, and then cut at the largest bound that leaves a point of
 * the domain. Cutting leaves what is below the bound alone, so that the smallest entries stay large enough for the
 * largest; once x can be cut so, it can be cut lower, too. Results are numbers of T; repairing twice changes nothing.
 * xPtr: f64[n], in place; workPtr as above.
 */
export function repairInHull<T>(weightsPtr: usize, k: i32, xPtr: usize, n: i32, r: f64, workPtr: usize): void {
  layOut(workPtr, n);
  count = 0;
  for (let j = 0; j < n; ++j) {
    const x = Math.max(at<f64>(xPtr, j), 0);
    put<f64>(xPtr, j, x);
    if (x == 0) continue;
    put<f64>(sorted, count, x);
    put<i32>(places, count++, j);
  }
  if (count == 0) return;
  sortDescending(sorted, places, count);

  const slack = <f64>(n + 4) * f64.EPSILON; // what summing n numbers in some other order may change
  let total: f64 = 0;
  let weight: f64 = 0;
  let scale: f64 = 1;
  for (let i = 0; i < count; ++i) {
    total += at<f64>(sorted, i);
    weight += at<f64>(weightsPtr, i);
    if (total > r * weight) scale = Math.min(scale, (r * weight) / total);
  }
  if (scale < 1) {
    scale *= 1 - slack;
    for (let i = 0; i < count; ++i) put<f64>(sorted, i, roundDown<T>(at<f64>(sorted, i) * scale));
  }

  let upper = at<f64>(sorted, 0);
  if (!isInside(weightsPtr, k, upper, slack)) {
    let lower: f64 = 0;
    for (let step = 0; step < MAX_STEPS; ++step) {
      const c = roundDown<T>(0.5 * (lower + upper));
      if (c <= lower || c >= upper) break;
      if (isInside(weightsPtr, k, c, slack)) lower = c;
      else upper = c;
    }
    upper = lower;
  }
  for (let i = 0; i < count; ++i) put<f64>(xPtr, at<i32>(places, i), Math.min(at<f64>(sorted, i), upper));
}
