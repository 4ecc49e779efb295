import { at, put, sumLanes } from "../linalg/simd";
import { largest } from "../select/largest";
import { fill, keepAbove, sum } from "../linalg/vectors";
import { clampInto, knapsack } from "./knapsack";
import { threshold } from "./variableFixing";

/** So many solutions for sets are tried: mostly it takes two or three, and about one step in a hundred has to iterate. */
const FEW_STEPS: i32 = 12;
/** The search for the sum s is a Newton iteration that ends in a handful of steps; bisection takes over well before this. */
const MAX_STEPS: i32 = 200;

/**
 * Biased projection onto the top-k simplex:
 *     min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over   0 <= x_j <= (sum x)/k,  sum x <= r.
 * r = Infinity gives the top-k cone. Lapin, Hein, Schiele, NIPS 2015, section 4: Lemma 3 for the cone, Lemma 5 for s = r.
 *
 * x_j = min(max(b_j - t, 0), s/k) with s = sum x. For a given s the threshold t(s) is that of a knapsack, and the
 * derivative of the objective with respect to s is -psi(s),
 *     psi(s) = t + (1/k) sum_U (b_j - t - s/k) - rho s,     U = { j : x_j = s/k },
 * nonincreasing in s. So s = r when psi(r) >= 0, and otherwise s is the root of psi. While the sets U and
 * M = { j : 0 < x_j < s/k } stay the same, s and t solve two linear equations (Lemma 3, Eq. 7): mostly it is enough to solve them for the sets
 * that the last solution makes until these stay. If not, a Newton iteration on psi finds s, kept inside a bracket. The papers search all
 * pairs of sets instead, O(k m).
 *
 * bPtr: f64[n]; xPtr: f64[n], result; workPtr: f64[2 n], scratch; all distinct. k > n leaves only x = 0.
 */
export function topKSimplex(bPtr: usize, n: i32, k: i32, r: f64, rho: f64, xPtr: usize, workPtr: usize): void {
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
  for (let j = 0; j < k; ++j) kth = Math.min(kth, at<f64>(workPtr, j));
  const constant = Math.min(topSum / (1 + rho * <f64>k), r);
  const next = n > k ? at<f64>(workPtr, k) : -Infinity;
  if (kth - next >= constant / <f64>k) {
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, at<f64>(bPtr, j) >= kth ? constant / <f64>k : 0);
    return;
  }

  // In the cone <b, x> = ||x||^2 + rho s^2 >= s^2 (1/n + rho) and <b, x> <= s topSum/k, which bounds s.
  const most = Math.min(r, (topSum / <f64>k) * (<f64>n / (1 + rho * <f64>n)));
  // The (k+1)-th largest bounds t from above and next - s/k from below: the pivot, and the window of what can be positive.
  const count = keepAbove(bPtr, n, next, -most / <f64>k, workPtr);
  if (!solveForSets(workPtr, count, k, r, rho, next, most)) iterate(workPtr, count, workPtr + (<usize>n << 3), k, rho, next, most);
  clampInto(bPtr, n, next, t, s / <f64>k, xPtr);
}

/** The solution: s, and t less the pivot. */
let s: f64 = 0;
let t: f64 = 0;

/** The sums of the elements of U and M, and how many there are, at s and t, once `partition` has been called. */
let sumU: f64 = 0;
let sumM: f64 = 0;
let sizeU: f64 = 0;
let sizeM: f64 = 0;

/** windowPtr: f64[count], behind which there is room for one more. */
function partition(windowPtr: usize, count: i32, cap: f64): void {
  const level = f64x2.splat(t);
  const high = f64x2.splat(cap);
  let ofU = f64x2.splat(0);
  let ofM = ofU;
  let inU = ofU;
  let inM = ofU;
  put<f64>(windowPtr, count, -Infinity); // in neither
  const end = windowPtr + (<usize>count << 3);
  for (let p = windowPtr; p < end; p += 16) {
    const b = v128.load(p);
    const atCap = f64x2.ge(f64x2.sub(b, level), high);
    const between = v128.andnot(f64x2.gt(b, level), atCap);
    ofU = f64x2.add(ofU, v128.and(b, atCap));
    ofM = f64x2.add(ofM, v128.and(b, between));
    inU = i64x2.sub(inU, atCap);
    inM = i64x2.sub(inM, between);
  }
  sumU = sumLanes<f64>(ofU);
  sumM = sumLanes<f64>(ofM);
  sizeU = <f64>sumLanes<i64>(inU);
  sizeM = <f64>sumLanes<i64>(inM);
}

/** psi at s and t, of which `partition` has made the sets. */
function slope(k: i32, rho: f64, next: f64): f64 {
  return next + t + (sumU - sizeU * (t + s / <f64>k)) / <f64>k - rho * s;
}

/** The s that solves the two equations for these sets. */
function sumForSets(k: i32, rho: f64, next: f64): f64 {
  const p = 1 - sizeU / <f64>k;
  const determinant = p * p + sizeM * (rho + sizeU / (<f64>k * <f64>k));
  return (sizeM * (next + sumU / <f64>k) + p * sumM) / determinant;
}

/** Solves them for the sets of the last solution until these stay the same, which settles it. False if they do not. */
function solveForSets(windowPtr: usize, count: i32, k: i32, r: f64, rho: f64, next: f64, most: f64): bool {
  s = most;
  t = (-0.5 * most) / <f64>k;
  let lastU: f64 = -1;
  let lastM: f64 = -1;
  for (let step = 0; step < FEW_STEPS; ++step) {
    partition(windowPtr, count, s / <f64>k);
    // Each holds the largest of what is left, so its size says which they are.
    if (sizeU == lastU && sizeM == lastM) return s < r || slope(k, rho, next) >= 0;
    s = Math.min(sumForSets(k, rho, next), r);
    if (sizeM == 0 || !(s > 0)) return false;
    t = (sumM - (1 - sizeU / <f64>k) * s) / sizeM;
    lastU = sizeU;
    lastM = sizeM;
  }
  return false;
}

/** Newton's iteration on psi from s = most, above which it is not. scratchPtr: f64[count]. */
function iterate(windowPtr: usize, count: i32, scratchPtr: usize, k: i32, rho: f64, next: f64, most: f64): void {
  let upper = most;
  let lower: f64 = 0;
  s = most;
  for (let step = 0; step < MAX_STEPS; ++step) {
    const cap = s / <f64>k;
    for (let j = 0; j < count; ++j) put<f64>(scratchPtr, j, Math.min(at<f64>(windowPtr, j), 2 * cap));
    t = threshold(scratchPtr, count, cap, s, 0);
    partition(windowPtr, count, cap);
    const psi = slope(k, rho, next);
    if (step == 0 && psi >= 0) break;
    if (psi > 0) lower = s;
    else if (psi < 0) upper = s;
    else break;

    let newton = sumForSets(k, rho, next);
    if (Math.abs(newton - s) <= 2 * f64.EPSILON * s) break;
    if (step % 4 == 3 || !(newton > lower && newton < upper)) newton = lower + 0.5 * (upper - lower);
    if (newton == s || newton == lower || newton == upper) break;
    s = newton;
  }
}

/** As `topKSimplex` over the fixed box   0 <= x_j <= r/k,  sum x <= r   (the beta variant of the top-k hinge loss). */
export function topKSimplexBeta(bPtr: usize, n: i32, k: i32, r: f64, rho: f64, xPtr: usize, workPtr: usize): void {
  knapsack(bPtr, n, r / <f64>k, r, rho, xPtr, workPtr);
}

/**
 * As `topKSimplex` over   0 <= x_j <= min(r/k, (sum x)/(k - 1)),  sum x <= r   (k = 1: 0 <= x, sum x <= r), the domain in
 * which the true class takes part in the sum. The beta answer holds if its sum is at least r (k - 1)/k; otherwise the
 * answer is that of the top-k simplex with k - 1 and radius r (k - 1)/k.
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
  topKSimplexBeta(bPtr, n, k, r, rho, xPtr, workPtr);
  const innerRadius = r * (<f64>(k - 1) / <f64>k);
  if (k > 1 && sum(xPtr, n) < innerRadius) topKSimplex(bPtr, n, k - 1, innerRadius, rho, xPtr, workPtr);
}
