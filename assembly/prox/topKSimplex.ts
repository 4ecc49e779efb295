import { at, put } from "../linalg/simd";
import { fill, keepAbove, sum } from "../linalg/vectors";
import { largest } from "../select/largest";
import { clampInto, knapsack } from "./knapsack";
import { leastU, mostElsewhere, partition, sizeM, sizeU, staysAt, sumM, sumU, takeGuess } from "./sets";
import { threshold } from "./variableFixing";

/**
 * So many solutions for sets are tried: mostly it takes one to three, and one step in a hundred, if as many, has to
 * iterate.
 */
const FEW_STEPS: i32 = 12;
/** From a guess it mostly takes one or two: if more, it was a bad one. */
const STEPS_FROM_GUESS: i32 = 4;
/**
 * The search for the sum s is a Newton iteration that ends in a handful of steps; bisection takes over well before
 * this.
 */
const MAX_STEPS: i32 = 200;

/**
 * Biased projection onto the top-k simplex:
 *     min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over   0 <= x_j <= (sum x)/k,  sum x <= r.
 * r = Infinity gives the top-k cone. Lapin, Hein, Schiele, NIPS 2015, section 4: Lemma 3 for the cone, Lemma 5 for s =
 * r.
 *
 * x_j = min(max(b_j - t, 0), s/k) with s = sum x. For a given s the threshold t(s) is that of a knapsack, and the
 * derivative of the objective with respect to s is -psi(s),
 *     psi(s) = t + (1/k) sum_U (b_j - t - s/k) - rho s,     U = { j : x_j = s/k },
 * nonincreasing in s. So s = r when psi(r) >= 0, and otherwise s is the root of psi. While the sets U and M = { j : 0 <
 * x_j < s/k } stay the same, s and t solve two linear equations (Lemma 3, Eq. 7): mostly it is enough to solve them for
 * the sets that the last solution makes until these stay. If not, a Newton iteration on psi finds s, kept inside a
 * bracket. The papers search all pairs of sets instead, O(k m). Where there is a guess its sets are tried first: if
 * they lead to the answer nothing needs to be sorted.
 *
 * bPtr, xPtr: f64[n + 1], of which the last may be written to; workPtr: f64[2 n], scratch; all distinct. guessed:
 * whether xPtr holds a guess at the answer or a multiple of it. The first n become the answer; k > n leaves only x = 0.
 */
export function topKSimplex(
  bPtr: usize,
  n: i32,
  k: i32,
  r: f64,
  rho: f64,
  guessed: bool,
  xPtr: usize,
  workPtr: usize,
): void {
  if (guessed && solveFromGuess(bPtr, n, k, r, rho, xPtr, workPtr)) return;
  let topSum: f64 = 0;
  if (k <= n && r > 0) {
    largest(bPtr, n, min(k + 1, n), workPtr);
    topSum = sum(workPtr, k);
  }
  if (!(topSum > 0)) {
    fill(xPtr, n, 0); // Lemma 4; necessary for x = 0 whatever rho, whose term is of second order there
    return;
  }

  // Only the k largest, all at the bound.
  let kth = Infinity;
  for (let j = 0; j < k; ++j) kth = select<f64>(at<f64>(workPtr, j), kth, at<f64>(workPtr, j) < kth);
  const share = shareOf(topSum, k, r, rho);
  const next = n > k ? at<f64>(workPtr, k) : -Infinity;
  if (kth - next >= share) {
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, at<f64>(bPtr, j) >= kth ? share : 0);
    return;
  }

  // In the cone <b, x> = ||x||^2 + rho s^2 >= s^2 (1/n + rho) and <b, x> <= s topSum/k, which bounds s.
  const most = Math.min(r, (topSum / <f64>k) * (<f64>n / (1 + rho * <f64>n)));
  // The (k+1)-th largest bounds t from above and next - s/k from below: the pivot, and the window of what can be
  // positive.
  pivot = next;
  const count = keepAbove(bPtr, n, pivot, -most / <f64>k, workPtr);
  partition(workPtr, count, (-0.5 * most) / <f64>k, most / <f64>k);
  if (!solveForSets(workPtr, count, k, r, rho, FEW_STEPS)) iterate(workPtr, count, workPtr + (<usize>n << 3), k, rho, most);
  clampInto(bPtr, n, pivot, t, s / <f64>k, xPtr);
}

/**
 * The solution: s, and t less the pivot, an element near it: sums of differences that are large would lose those that
 * are small.
 */
let s: f64 = 0;
let t: f64 = 0;
let pivot: f64 = 0;

/** What each of k elements is whose b add up to topSum, if all of them are at the bound and no others positive. */
function shareOf(topSum: f64, k: i32, r: f64, rho: f64): f64 {
  return Math.min(topSum / (1 + rho * <f64>k), r) / <f64>k;
}

/** With the sets of the guess xPtr to begin with. False if these lead nowhere. */
function solveFromGuess(bPtr: usize, n: i32, k: i32, r: f64, rho: f64, xPtr: usize, workPtr: usize): bool {
  const before = sum(xPtr, n);
  if (!(before > 0)) return false;
  pivot = takeGuess(bPtr, xPtr, n, before / <f64>k, workPtr);
  if (pivot > -Infinity) {
    if (!solveForSets(workPtr, n, k, r, rho, STEPS_FROM_GUESS)) return false;
    clampInto(bPtr, n, pivot, t, s / <f64>k, xPtr);
    return true;
  }
  const share = shareOf(sumU, k, r, rho);
  if (!(sizeU == <f64>k && share > 0 && leastU - mostElsewhere >= share)) return false;
  setPositive(xPtr, n, share);
  return true;
}

/** Positive elements, here those of U, become `value`. */
function setPositive(xPtr: usize, n: i32, value: f64): void {
  const end = xPtr + (<usize>n << 3);
  for (let x = xPtr; x < end; x += 16) {
    v128.store(x, v128.and(f64x2.splat(value), f64x2.gt(v128.load(x), f64x2.splat(0))));
  }
}

/** psi at s and t, of which `partition` has made the sets. */
function slope(k: i32, rho: f64): f64 {
  return pivot + t + (sumU - sizeU * (t + s / <f64>k)) / <f64>k - rho * s;
}

/** The s that solves the two equations for these sets. */
function sumForSets(k: i32, rho: f64): f64 {
  const p = 1 - sizeU / <f64>k;
  const determinant = p * p + sizeM * (rho + sizeU / (<f64>k * <f64>k));
  return (sizeM * (pivot + sumU / <f64>k) + p * sumM) / determinant;
}

/**
 * Solves them for the sets there are and then for those of the solution, until sums and sizes stay the same and with
 * them the equations, which settles it. False if they do not.
 */
function solveForSets(windowPtr: usize, count: i32, k: i32, r: f64, rho: f64, steps: i32): bool {
  for (let step = 0; step < steps; ++step) {
    s = Math.min(sumForSets(k, rho), r);
    if (sizeM == 0 || !(s > 0)) return false;
    t = (sumM - (1 - sizeU / <f64>k) * s) / sizeM;
    const cap = s / <f64>k;
    if (staysAt(windowPtr, count, t, cap)) return isNear(cap);
  }
  return false;
}

/** Newton's iteration on psi from s = most, above which it is not. scratchPtr: f64[count]. */
function iterate(windowPtr: usize, count: i32, scratchPtr: usize, k: i32, rho: f64, most: f64): void {
  let upper = most;
  let lower: f64 = 0;
  s = most;
  for (let step = 0; step < MAX_STEPS; ++step) {
    const cap = s / <f64>k;
    for (let j = 0; j < count; ++j) put<f64>(scratchPtr, j, Math.min(at<f64>(windowPtr, j), 2 * cap));
    t = threshold(scratchPtr, count, cap, s, 0);
    partition(windowPtr, count, t, cap);
    const psi = slope(k, rho);
    if (step == 0 && psi >= 0) break;
    if (psi > 0) lower = s;
    else if (psi < 0) upper = s;
    else break;

    let newton = sumForSets(k, rho);
    if (Math.abs(newton - s) <= 2 * f64.EPSILON * s) break;
    if (step % 4 == 3 || !(newton > lower && newton < upper)) newton = lower + 0.5 * (upper - lower);
    if (newton == s || newton == lower || newton == upper) break;
    s = newton;
  }
}

/**
 * As `topKSimplex` over the fixed box   0 <= x_j <= r/k,  sum x <= r   (the beta variant of the top-k hinge loss).
 * guessed: the r of a guess, or 0 where there is none.
 */
export function topKSimplexBeta(
  bPtr: usize,
  n: i32,
  k: i32,
  r: f64,
  rho: f64,
  guessed: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  if (guessed > 0 && solveInBox(bPtr, n, k, r, rho, guessed / <f64>k, xPtr, workPtr)) return;
  knapsack(bPtr, n, r / <f64>k, r, rho, xPtr, workPtr);
}

/**
 * As `solveFromGuess`, whose bound was `before`: t is that of a knapsack, rho sum x or, if that is larger, what makes
 * for sum x = r.
 */
function solveInBox(
  bPtr: usize,
  n: i32,
  k: i32,
  r: f64,
  rho: f64,
  before: f64,
  xPtr: usize,
  workPtr: usize,
): bool {
  const cap = r / <f64>k;
  pivot = takeGuess(bPtr, xPtr, n, before, workPtr);
  if (pivot == -Infinity) {
    const level = rho * sizeU * cap;
    if (!(sizeU == <f64>k || (sizeU < <f64>k && mostElsewhere <= level))) return false;
    if (!(leastU - Math.max(level, mostElsewhere) >= cap)) return false;
    setPositive(xPtr, n, cap);
    return true;
  }
  for (let step = 0; step < STEPS_FROM_GUESS && sizeM > 0; ++step) {
    const total = sumM + sizeU * cap;
    t = Math.max((total - r) / sizeM, (rho * total - pivot) / (1 + rho * sizeM));
    if (!staysAt(workPtr, n, t, cap)) continue;
    if (!isNear(cap)) return false;
    clampInto(bPtr, n, pivot, t, cap, xPtr);
    return true;
  }
  return false;
}

/** Whether the pivot is: from far away t has not the digits for what is not. That of a bad guess may be anywhere. */
// @ts-ignore: decorator
@inline
function isNear(cap: f64): bool {
  return Math.abs(t) <= 2 * cap;
}

/**
 * As `topKSimplex` over   0 <= x_j <= min(r/k, (sum x)/(k - 1)),  sum x <= r   (k = 1: 0 <= x, sum x <= r), the domain
 * in which the true class takes part in the sum. The beta answer holds if its sum is at least r (k - 1)/k; otherwise
 * the answer is that of the top-k simplex with k - 1 and radius r (k - 1)/k.
 */
export function topKSimplexInclusive(
  bPtr: usize,
  n: i32,
  k: i32,
  r: f64,
  rho: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  if (k - 1 > n) {
    fill(xPtr, n, 0);
    return;
  }
  topKSimplexBeta(bPtr, n, k, r, rho, 0, xPtr, workPtr);
  const innerRadius = r * (<f64>(k - 1) / <f64>k);
  if (k > 1 && sum(xPtr, n) < innerRadius) topKSimplex(bPtr, n, k - 1, innerRadius, rho, false, xPtr, workPtr);
}
