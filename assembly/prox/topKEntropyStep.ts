import { at, put } from "../linalg/simd";
import { lambertWExpInto, lambertWExpOf } from "../math/lambertW";
import { expOf, logAddExp, sigmoid, sigmoidRoot, softplus } from "../math/logistic";
import { maximum, sumExp } from "../math/logSumExp";
import { largest, partitionLargest } from "../select/largest";
import { sortDescending } from "../select/sort";
import { fill, sum } from "./knapsack";
import { softmaxStep } from "./softmaxStep";

/** Bounds of the bracketing and of the root search; both end far earlier on all but the wildest scales. */
const MAX_DOUBLINGS: i32 = 1100;
const MAX_STEPS: i32 = 200;
const EPSILON: f64 = 2.220446049250313e-16;
/** Below this the quadratic term of the step changes nothing in float64. */
const NO_CURVATURE: f64 = 1e-18;
/** Entries beyond this are above any bound; their own size does not matter, and must not overflow. */
const FAR_ABOVE: f64 = 1e10;

/**
 * Top-k entropy loss   max_z  <g, z> - <z, log z> - (1 - s) log(1 - s),   s = sum z,   over
 *     beta = false: 0 <= z_j <= s/k, s <= 1 (the top-k simplex);     beta = true: 0 <= z_j <= 1/k, s <= 1.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 4 and 17. With U the entries at their bound, always the largest g, and M the rest,
 * everything is closed-form; U is the smallest prefix for which the next entry stays below the bound. Worked in logarithms:
 * scores of 1e4 must not overflow.
 *
 * gPtr: f64[n]; zPtr: f64[n], the maximiser; workPtr: f64[2 n], scratch; returns the loss. alpha with k > n leaves z = 0.
 */
export function topKEntropyLoss(gPtr: usize, n: i32, k: i32, beta: bool, zPtr: usize, workPtr: usize): f64 {
  if (!beta && k >= n) {
    fill(zPtr, n, 0);
    if (k > n) return 0;
    // Everything is at the bound: z = s/k, loss = log(1 + k e^A) with A the mean.
    const y = sum(gPtr, n) / <f64>k + Math.log(<f64>k);
    fill(zPtr, n, sigmoid(y) / <f64>k);
    return softplus(y);
  }
  const top = min(k, n);
  memory.copy(workPtr, gPtr, <usize>n << 3);
  partitionLargest(workPtr, n, top);
  sortDescending(workPtr, top);
  // All of it relative to an entry near t (see `topKEntropyStep`): exp(g - t) has no digits left where both are large.
  let pivot = k <= n ? at<f64>(workPtr, k - 1) : -Infinity;
  if (beta) pivot = Math.max(pivot, 0);
  for (let j = 0; j < n; ++j) put<f64>(workPtr, j, at<f64>(workPtr, j) - pivot);

  // log sum exp over what follows the first u entries, for u = top, top - 1, ..., 0.
  const restPtr = workPtr + (<usize>n << 3);
  const belowPtr = workPtr + (<usize>top << 3);
  const shift = maximum(belowPtr, n - top);
  let logZ = n > top ? shift + Math.log(sumExp(belowPtr, n - top, shift)) : -Infinity;
  const below = logZ;
  for (let u = top - 1; u >= 0; --u) {
    logZ = logAddExp(logZ, at<f64>(workPtr, u));
    put<f64>(restPtr, u, logZ);
  }

  const logK = Math.log(<f64>k);
  let sumU: f64 = 0;
  for (let u = 0; u < k; ++u) {
    const p = <f64>u / <f64>k;
    const logRest = u < top ? at<f64>(restPtr, u) : below;
    const next = u < top ? at<f64>(workPtr, u) : -Infinity;
    let t: f64;
    let logBound: f64;
    let loss: f64;
    if (beta) {
      t = logAddExp(-pivot, logRest) - Math.log1p(-p);
      logBound = -logK;
      loss = pivot + t * (1 - p) + sumU / <f64>k + p * logK;
    } else {
      const logQ = (1 - p) * Math.log1p(-p) - p * logK - (1 - p) * logRest - sumU / <f64>k - pivot;
      t = logRest + softplus(logQ) - Math.log1p(-p);
      logBound = -softplus(logQ) - logK;
      loss = softplus(-logQ);
    }
    // The next entry stays below the bound iff its share of what is not at the bound is at most 1/(k - u). Written with its
    // distance from the rest alone: t and the bound may be too large to tell.
    const logRivals = u + 1 < top ? at<f64>(restPtr, u + 1) : below;
    const rivals = beta ? logAddExp(-pivot, logRivals) : logRivals;
    const stays = softplus(rivals - next) >= Math.log(<f64>(k - u));
    // The last prefix that leaves room is taken in any case: what is above the bound there is above it by rounding.
    if (stays || u + 1 >= min(k, n)) {
      if (beta && u + 1 == n && n < k && !stays) {
        // All of them at the bound, which beta allows while n < k.
        sumU += next;
        const all = <f64>n / <f64>k;
        const own = -Math.log1p(-all); // the threshold itself, not relative to the pivot
        t = own - pivot;
        loss = own * (1 - all) + (sumU + pivot * <f64>n) / <f64>k + all * logK;
      }
      const bound = expOf(logBound);
      for (let j = 0; j < n; ++j) put<f64>(zPtr, j, Math.min(expOf(at<f64>(gPtr, j) - pivot - t), bound));
      return loss;
    }
    sumU += next;
  }
  return 0; // not reached: the last prefix is always taken
}

/** What `evaluateStep` finds at one t besides the balance it returns. */
@unmanaged
class Found {
  slope: f64;
  bound: f64;
}

/**
 * At threshold t (relative to `pivot`): z_j = V(b_j - t)/alpha into zPtr, the bound they are cut at, and the balance
 *     G(t) = s(t) + (1 - s)(t) - 1,
 * where s is the sum after cutting and the true class has (1 - s)(t) = V(alpha - A - (1 - p) t + p V^-1(alpha s/k))/alpha
 * from its own optimality condition (PAMI 2018, Prop. 16), free of cancellation. G is continuous and decreasing.
 */
function evaluateStep(
  bPtr: usize,
  n: i32,
  k: i32,
  beta: bool,
  alpha: f64,
  pivot: f64,
  t: f64,
  zPtr: usize,
  found: Found,
): f64 {
  const scale = 1 / alpha;
  let total: f64 = 0;
  lambertWExpInto(bPtr, n, pivot, t, zPtr);
  for (let j = 0; j < n; ++j) {
    const v = at<f64>(zPtr, j) * scale;
    const z = select<f64>(v, FAR_ABOVE, v < FAR_ABOVE);
    put<f64>(zPtr, j, z);
    total += z;
  }

  // The bound: 1/k, or the c with k c = sum_j min(z_j, c), found by cutting ever more of the largest.
  let bound = beta ? 1 / <f64>k : total / <f64>k;
  let sizeU = 0;
  let rest = total;
  for (;;) {
    let size = 0;
    rest = 0;
    for (let j = 0; j < n; ++j) {
      const z = at<f64>(zPtr, j);
      if (z > bound) ++size;
      else rest += z;
    }
    if (size == sizeU || (!beta && size >= k)) break;
    sizeU = size;
    if (beta) break;
    bound = rest / <f64>(k - size);
  }

  if (!(bound > 0)) {
    // What is not cut has underflowed: t is far too high.
    found.bound = 0;
    found.slope = 0;
    return -1;
  }
  let sumU: f64 = 0;
  let slopeM: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const z = at<f64>(zPtr, j);
    if (sizeU > 0 && z > bound) sumU += at<f64>(bPtr, j) - pivot;
    else slopeM -= z / (1 + alpha * z);
  }
  found.bound = sizeU > 0 ? bound : Infinity;
  const own = alpha - pivot;
  if (beta) {
    const v = lambertWExpOf(own - t);
    found.slope = slopeM - v / (1 + v) / alpha;
    return rest + (<f64>sizeU / <f64>k) + v / alpha - 1;
  }
  const p = <f64>sizeU / <f64>k;
  const s = sizeU > 0 ? <f64>k * bound : total;
  const slopeS = slopeM / (1 - p);
  let argument = own - t;
  let slopeArgument: f64 = -1;
  if (sizeU > 0) {
    const v = alpha * bound;
    argument = own - sumU / <f64>k - (1 - p) * t + p * (v + Math.log(v));
    slopeArgument = -(1 - p) + (p * (1 + 1 / v) * alpha * slopeS) / <f64>k;
  }
  const v = lambertWExpOf(argument);
  found.slope = slopeS + ((v / (1 + v)) * slopeArgument) / alpha;
  return s + v / alpha - 1;
}

/**
 * Top-k entropy step   min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s)   over the sets of
 * `topKEntropyLoss`. Lapin, Hein, Schiele, PAMI 2018, Props 15 to 17.
 *
 * z_j = min(V(b_j - t)/alpha, bound) with t the root of G (see `evaluateStep`). The softmax step answers where no entry
 * exceeds the bound. Otherwise t is bracketed by doubling steps and found by Newton's method inside the bracket, bisecting
 * when a step leaves it or when the balance has not halved: without that it can settle into a 2-cycle.
 *
 * bPtr: f64[n + 2], the last two overwritten; zPtr: f64[n + 2], the first n are the answer; workPtr: f64[2 n + 4]. guess: of t,
 * NaN for none.
 */
export function topKEntropyStep(
  bPtr: usize,
  n: i32,
  k: i32,
  beta: bool,
  alpha: f64,
  guess: f64,
  zPtr: usize,
  workPtr: usize,
): void {
  if (!beta && k > n) {
    fill(zPtr, n, 0);
    return;
  }
  if (alpha < NO_CURVATURE) {
    topKEntropyLoss(bPtr, n, k, beta, zPtr, workPtr);
    return;
  }
  if (!beta && k == n) {
    // One unknown: y = log(s/(1 - s)) solves alpha (1 + 1/k) s + y = A + log k.
    const y = sigmoidRoot(sum(bPtr, n) / <f64>k + Math.log(<f64>k), alpha * (1 + 1 / <f64>k));
    fill(zPtr, n, sigmoid(y) / <f64>k);
    return;
  }
  const start = softmaxStep(bPtr, n, alpha, 1, guess, false, zPtr);
  const most = maximum(zPtr, n);
  if (most <= (beta ? 1 / <f64>k : sum(zPtr, n) / <f64>k)) return;

  // The pivot is an entry near which t must lie: the k-th largest, since fewer than k are cut, or with the fixed bound the
  // true class where that is larger. What is much larger than it is cut whatever its value.
  let pivot = -Infinity;
  if (k <= n) {
    largest(bPtr, n, k, workPtr);
    pivot = at<f64>(workPtr, k - 1);
  }
  if (beta) pivot = Math.max(pivot, alpha);
  const found = changetype<Found>(workPtr);
  // Above the upper end everything has underflowed, below the lower one the pivot alone exceeds 1.
  const reach = Math.abs(Math.log(alpha)) + 1;
  let t = Math.min(Math.max(start - pivot, -alpha - reach), 800 + reach);
  let balance = evaluateStep(bPtr, n, k, beta, alpha, pivot, t, zPtr, found);
  let lower = t;
  let upper = t;
  let width: f64 = 1; // not Newton's step: where the entries have underflowed, the slope knows nothing of the way to go
  for (let i = 0; i < MAX_DOUBLINGS && balance > 0; ++i) {
    lower = t;
    t += width;
    width *= 2;
    upper = t;
    balance = evaluateStep(bPtr, n, k, beta, alpha, pivot, t, zPtr, found);
  }
  if (lower == upper) {
    for (let i = 0; i < MAX_DOUBLINGS && balance < 0; ++i) {
      upper = t;
      t -= width;
      width *= 2;
      lower = t;
      balance = evaluateStep(bPtr, n, k, beta, alpha, pivot, t, zPtr, found);
    }
  }
  let last = Infinity;
  for (let step = 0; step < MAX_STEPS && balance != 0; ++step) {
    if (balance > 0) lower = t;
    else upper = t;
    const size = Math.abs(balance);
    if (size <= EPSILON || upper - lower <= EPSILON * Math.abs(t)) break;
    if (size >= last && size < 1e-14) break; // rounding
    let next = t - balance / found.slope;
    if (!(next > lower && next < upper) || size > 0.5 * last) next = lower + 0.5 * (upper - lower);
    if (next == t || next == lower || next == upper) break;
    last = size;
    t = next;
    balance = evaluateStep(bPtr, n, k, beta, alpha, pivot, t, zPtr, found);
  }
  let s: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const z = Math.min(at<f64>(zPtr, j), found.bound);
    put<f64>(zPtr, j, z);
    s += z;
  }
  // Where the distance from b to t is beyond the digits of b, G has no exact root: the answer still has to be feasible.
  if (s > 1) for (let j = 0; j < n; ++j) put<f64>(zPtr, j, at<f64>(zPtr, j) / s);
}
