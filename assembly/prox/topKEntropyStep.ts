import { at, put } from "../linalg/simd";
import { clampAll, divide, fill, mean, placesAbove, sum } from "../linalg/vectors";
import { lambertWExpInto, lambertWExpOf } from "../math/lambertW";
import { maximum } from "../math/logSumExp";
import { logOf, sigmoidAtRoot } from "../math/logistic";
import { largest } from "../select/largest";
import {
  FLOAT32_RANGE,
  householderStep,
  shiftByTaylor,
  SHORT_STEP_32,
  SHORT_STEP_64,
  sumLambert,
  sums,
} from "./lambertSums";
import { softmaxStep } from "./softmaxStep";
import { boundBySum, topKEntropyLoss } from "./topKEntropyLoss";

/** float32 only finds a start; the bracketed iteration ends in a few steps, or by bisection. */
const MAX_STEPS_32: i32 = 12;
const MAX_STEPS_64: i32 = 200;
const TOLERANCE_32: f64 = 1e-6;
const TOLERANCE_64: f64 = 1e-15;
/** Below this the quadratic term of the step changes nothing in float64. */
const NO_CURVATURE: f64 = 1e-18;
/** z beyond this is above any bound; its own size does not matter, and must not overflow. */
const FAR_ABOVE: f64 = 1e10;
/** V of less than -UNDERFLOW is zero. */
const UNDERFLOW: f64 = 800;

/** One step: what is given, and what has been found. */
@unmanaged
class Step {
  k: i32;
  beta: bool;
  alpha: f64;
  pivot: f64;
  b: usize; // f64[count], -Infinity behind it: entries that cannot be at their bound
  z: usize; // f64[count]: V of them
  count: i32;
  top: usize; // f64[size + 2]: the others, and alpha
  v: usize; // f64[size + 2]: V of them
  size: i32;
  cutSize: i32; // how many are at their bound
  bound: f64; // of V
}
const step = changetype<Step>(memory.data(offsetof<Step>(), 8));

/**
 * Sets the bound of V, where `rest` is the sum of what cannot be at it and `fixed` the bound of beta, and counts what
 * is above.
 */
function findBound(rest: f64, fixed: f64): void {
  step.bound = step.beta ? fixed : boundBySum(rest, step.v, step.size, step.k);
  step.cutSize = 0;
  for (let i = 0; i < step.size; ++i) step.cutSize += i32(at<f64>(step.v, i) > step.bound);
}

/** Adds V to the sums. */
// @ts-ignore: decorator
@inline
function add(v: f64): void {
  const i1 = 1 / (1 + v);
  const d1 = v * i1;
  const d2 = d1 * i1 * i1;
  sums.V += v;
  sums.first += d1;
  sums.second += d2;
  sums.third += d2 * i1 * i1 * (1 - 2 * v);
}

/**
 * alpha (s + w) and its derivatives with respect to -t, at t relative to the pivot: s is the sum of z_j = V(b_j -
 * t)/alpha after cutting, and w, which should be 1 - s, comes free of cancellation from the true class's own condition
 * (PAMI 2018, Prop. 16):
 *     alpha w = V(alpha - A - (1 - p) t + p V^-1(alpha s/k)),   p = |U|/k,  A = (1/k) sum_U b.
 * That is V(alpha - t) where nothing is cut, or at a fixed bound.
 */
function evaluateStep(single: bool, t: f64): void {
  if (single) sumLambert<f32>(step.b, step.count, step.pivot, t, step.z);
  else sumLambert<f64>(step.b, step.count, step.pivot, t, step.z);
  const size = step.size;
  const alpha = step.alpha;
  lambertWExpInto(step.top, size + 1, step.pivot, t, step.v);
  for (let i = 0; i < size; ++i) put<f64>(step.v, i, Math.min(at<f64>(step.v, i), alpha * FAR_ABOVE));

  const k = <f64>step.k;
  findBound(sums.V, alpha / k);
  let sumU: f64 = 0;
  for (let i = 0; i < size; ++i) {
    const v = at<f64>(step.v, i);
    if (v > step.bound) sumU += at<f64>(step.top, i) - step.pivot;
    else add(v);
  }
  if (step.beta || step.cutSize == 0) {
    add(at<f64>(step.v, size));
    if (step.cutSize > 0) sums.V += <f64>step.cutSize * step.bound;
    return;
  }
  const share = 1 / (k - <f64>step.cutSize);
  const p = <f64>step.cutSize / k;
  const v = sums.V * share;
  const v1 = sums.first * share;
  const v2 = sums.second * share;
  const v3 = sums.third * share;
  const i1 = 1 / v;
  const l1 = v1 * i1; // derivatives of log v
  const l2 = v2 * i1 - l1 * l1;
  const l3 = v3 * i1 - l1 * (l1 * l1 + 3 * l2);
  const logV = v >= f64.MIN_NORMAL_VALUE ? logOf(v) : -Infinity;
  const a = alpha - step.pivot - sumU / k - (1 - p) * t + p * (v + logV);
  const a1 = 1 - p + p * (v1 + l1);
  const a2 = p * (v2 + l2);
  const a3 = p * (v3 + l3);
  sums.V = 0;
  sums.first = 0;
  sums.second = 0;
  sums.third = 0;
  add(lambertWExpOf(a));
  const w1 = sums.first;
  const w2 = sums.second;
  sums.V += k * v;
  sums.first = k * v1 + w1 * a1;
  sums.second = k * v2 + w2 * a1 * a1 + w1 * a2;
  sums.third = k * v3 + sums.third * a1 * a1 * a1 + 3 * w2 * a1 * a2 + w1 * a3;
}

/**
 * Moves V by delta, divides it by alpha and finds the bound of that; false if other entries than before are above it.
 */
function settle(single: bool, delta: f64): bool {
  const cutSize = step.cutSize;
  const scale = 1 / step.alpha;
  if (single) shiftByTaylor<f32>(step.z, step.count, delta, scale);
  else shiftByTaylor<f64>(step.z, step.count, delta, scale);
  shiftByTaylor<f64>(step.v, step.size, delta, scale);
  findBound(sum(step.z, step.count), 1 / <f64>step.k);
  return step.cutSize == cutSize;
}

/**
 * The root t of alpha (s + w) = alpha in [lower, upper], from t on. Unless float64 is to follow, z and v are settled
 * there.
 */
function solve(single: bool, last: bool, lower: f64, upper: f64, t: f64): f64 {
  const alpha = step.alpha;
  const maxSteps = last ? MAX_STEPS_64 : MAX_STEPS_32;
  const short = single ? SHORT_STEP_32 : SHORT_STEP_64;
  const tolerance = (single ? TOLERANCE_32 : TOLERANCE_64) * alpha;
  let before = Infinity;
  for (let count = 0; count < maxSteps; ++count) {
    evaluateStep(single, t);
    const f = sums.V - alpha;
    if (f > 0) lower = t;
    else upper = t;
    const delta = householderStep(alpha);
    let next = t + delta;
    if (Math.abs(delta) <= short && (!last || settle(single, delta) || next == t)) return next;
    if (Math.abs(f) <= tolerance) {
      if (!last) return next;
      break;
    }
    if (!(next >= lower && next <= upper)) next = t + f / sums.first;
    // Where an entry gets above the bound the slope jumps, so that an iteration could settle into a cycle.
    if (!(next >= lower && next <= upper) || Math.abs(f) > 0.5 * before) next = lower + 0.5 * (upper - lower);
    if (next == t) break;
    before = Math.abs(f);
    t = next;
  }
  if (last) {
    evaluateStep(single, t);
    settle(single, 0);
  }
  return t;
}

/**
 * Moves the entries above `kth` to step.top, and the last of b to the places that this frees; places: i32[k], where
 * they stood.
 */
function separate(bPtr: usize, n: i32, kth: f64, placesPtr: usize): void {
  const size = placesAbove<f64>(bPtr, n, kth, placesPtr);
  for (let i = 0; i < size; ++i) put<f64>(step.top, i, at<f64>(bPtr, at<i32>(placesPtr, i)));
  for (let i = size - 1; i >= 0; --i) put<f64>(bPtr, at<i32>(placesPtr, i), at<f64>(bPtr, --n));
  step.size = size;
  step.count = n;
  put<f64>(bPtr, n, -Infinity);
}

/** Undoes what `separate` did to the order, in any list, with the given values at the places. */
function unite(ptr: usize, placesPtr: usize, valuesPtr: usize): void {
  for (let i = 0; i < step.size; ++i) {
    const place = at<i32>(placesPtr, i);
    put<f64>(ptr, step.count + i, at<f64>(ptr, place));
    put<f64>(ptr, place, at<f64>(valuesPtr, i));
  }
}

/** Whether z: f64[n] exceeds no bound, so that it would do with k as with 1. */
export function isWithinBound(zPtr: usize, n: i32, k: i32, beta: bool): bool {
  return maximum(zPtr, n) <= (beta ? 1 : sum(zPtr, n)) / <f64>k;
}

/**
 * Top-k entropy step   min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s)   over the sets of
 * `topKEntropyLoss`. Lapin, Hein, Schiele, PAMI 2018, Props 15 to 17.
 *
 * z_j = min(V(b_j - t)/alpha, bound), with t the root of a decreasing function (see `evaluateStep`) that has three
 * derivatives but where an entry gets above the bound. It is looked for as in the softmax step: in float32 first, so
 * that float64 is left with one short step, which is taken by Taylor's series; and bisected where that does not halve
 * the error. With a guess, at once; without one, from the softmax step on, which is the answer if it exceeds no bound.
 * Fewer than k entries can be at the bound, and only those that could be are looked at one by one.
 *
 * bPtr: f64[n + 2], destroyed; zPtr: f64[n + 2], the first n are the answer; workPtr: f64[2 n + 4]. guess: of t, NaN
 * for none. `single` as in `softmaxStep`.
 */
export function topKEntropyStep(
  bPtr: usize,
  n: i32,
  k: i32,
  beta: bool,
  alpha: f64,
  guess: f64,
  single: bool,
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
    const s = sigmoidAtRoot(mean(bPtr, n) + logOf(<f64>k), alpha * (1 + 1 / <f64>k));
    fill(zPtr, n, s / <f64>k);
    return;
  }
  const isWarm = guess == guess && k > 1;
  if (!isWarm) {
    guess = softmaxStep(bPtr, n, alpha, guess, single, zPtr);
    if (k == 1 || isWithinBound(zPtr, n, k, beta)) return;
  }

  // The pivot is an entry near which t must lie: the k-th largest, since fewer than k are cut, or with the fixed bound
  // the true class where that is larger. What is much larger than it is cut whatever its value.
  const most = min(k - 1, n);
  let kth = -Infinity;
  let highest: f64;
  if (k <= n) {
    largest(bPtr, n, k, workPtr);
    kth = at<f64>(workPtr, most);
    highest = maximum(workPtr, k);
  } else {
    highest = maximum(bPtr, n);
  }
  const pivot = beta ? Math.max(kth, alpha) : kth;
  // Below the lower end the k largest, or the true class, exceed 1. The upper end is that of the softmax step: cutting
  // lowers t.
  const logAlpha = logOf(alpha);
  let lower = kth - pivot - alpha / <f64>k - logAlpha + logOf(<f64>k);
  if (beta) lower = Math.max(lower, -pivot - logAlpha);
  let upper = Math.max(highest, alpha) - pivot + logOf(<f64>(n + 1)) - logAlpha;
  let t = guess - pivot;
  if (!isWarm) {
    upper = Math.min(upper, UNDERFLOW);
    t = Math.max(Math.min(t, lower + 30), lower);
  } else if (!(t >= lower && t <= upper && upper - lower <= UNDERFLOW * (1 + alpha))) {
    topKEntropyStep(bPtr, n, k, beta, alpha, NaN, single, zPtr, workPtr);
    return;
  }

  step.k = k;
  step.beta = beta;
  step.alpha = alpha;
  step.pivot = pivot;
  step.b = bPtr;
  step.z = zPtr;
  step.top = workPtr;
  const scratch = workPtr + (<usize>(most + 2) << 3);
  separate(bPtr, n, kth, scratch);
  step.v = workPtr + (<usize>(step.size + 2) << 3);
  // The places stay where z has no use for its room yet.
  const places = zPtr + (<usize>(n + 2) << 3) - (<usize>step.size << 2);
  memory.copy(places, scratch, <usize>step.size << 2);
  put<f64>(workPtr, step.size, alpha);
  put<f64>(workPtr, step.size + 1, -Infinity);

  if (alpha <= FLOAT32_RANGE) t = solve(true, single, lower, upper, t);
  else single = false;
  if (!single) solve(false, true, lower, upper, t);
  unite(zPtr, places, step.v);
  const s = step.cutSize > 0 ? clampAll(zPtr, n, step.bound) : sum(zPtr, n);
  // Where the distance from b to t is beyond the digits of b, there is no exact root: the answer still has to be
  // feasible.
  if (s > 1) divide(zPtr, n, s);
}
