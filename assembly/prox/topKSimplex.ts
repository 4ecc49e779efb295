import { at, put } from "../linalg/simd";
import { largest } from "../select/largest";
import { fill, keepAbove, sum } from "../linalg/vectors";
import { clampInto, knapsack } from "./knapsack";
import { threshold } from "./variableFixing";

/** The search for the sum s is a Newton iteration that ends in a handful of steps; bisection takes over well before this. */
const MAX_STEPS: i32 = 200;
const EPSILON: f64 = 2.220446049250313e-16;

/**
 * Biased projection onto the top-k simplex:
 *     min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over   0 <= x_j <= (sum x)/k,  sum x <= r.
 * r = Infinity gives the top-k cone. Lapin, Hein, Schiele, NIPS 2015, section 3 (Lemmas 3 to 5 for the cone).
 *
 * x_j = min(max(b_j - t, 0), s/k) with s = sum x. For a given s the threshold t(s) is that of a knapsack, and the
 * derivative of the objective with respect to s is -psi(s),
 *     psi(s) = t + (1/k) sum_U (b_j - t - s/k) - rho s,     U = { j : x_j = s/k },
 * nonincreasing in s. So s = r when psi(r) >= 0, and otherwise s is the root of psi: while the sets U and
 * M = { j : 0 < x_j < s/k } stay the same, s and t solve two linear equations (Lemma 5), which gives a Newton step, kept
 * inside a bracket. The papers search all pairs of sets instead, O(k m).
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
    fill(xPtr, n, 0); // Lemma 4: necessary and sufficient for x = 0, whatever rho
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
  let upper = Math.min(r, (topSum / <f64>k) * (<f64>n / (1 + rho * <f64>n)));
  let lower: f64 = 0;
  let s = upper;

  // The (k+1)-th largest bounds t from above and next - s/k from below: the pivot, and the window of what can be positive.
  const windowPtr = workPtr;
  const scratchPtr = workPtr + (<usize>n << 3);
  const count = keepAbove(bPtr, n, next, -upper / <f64>k, windowPtr);

  let t: f64 = 0;
  for (let step = 0; step < MAX_STEPS; ++step) {
    const cap = s / <f64>k;
    for (let j = 0; j < count; ++j) put<f64>(scratchPtr, j, Math.min(at<f64>(windowPtr, j), 2 * cap));
    t = threshold(scratchPtr, count, cap, s, 0);

    let sumU: f64 = 0;
    let sumM: f64 = 0;
    let sizeU: f64 = 0;
    let sizeM: f64 = 0;
    for (let j = 0; j < count; ++j) {
      const b = at<f64>(windowPtr, j);
      if (b - t >= cap) {
        sumU += b;
        sizeU += 1;
      } else if (b > t) {
        sumM += b;
        sizeM += 1;
      }
    }
    const psi = next + t + (sumU - sizeU * (t + cap)) / <f64>k - rho * s;
    if (step == 0 && psi >= 0) break;
    if (psi > 0) lower = s;
    else if (psi < 0) upper = s;
    else break;

    const p = 1 - sizeU / <f64>k;
    const determinant = p * p + sizeM * (rho + sizeU / (<f64>k * <f64>k));
    let newton = (sizeM * (next + sumU / <f64>k) + p * sumM) / determinant;
    if (Math.abs(newton - s) <= 2 * EPSILON * s) break;
    if (step % 4 == 3 || !(newton > lower && newton < upper)) newton = lower + 0.5 * (upper - lower);
    if (newton == s || newton == lower || newton == upper) break;
    s = newton;
  }
  clampInto(bPtr, n, next, t, s / <f64>k, xPtr);
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
