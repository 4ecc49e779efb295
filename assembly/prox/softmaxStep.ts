import { at, put, sumLanes } from "../linalg/simd";
import { exp32 } from "../math/expLog";
import { maximum, sumExp } from "../math/logSumExp";
import { expOf, logOf } from "../math/logistic";
import {
  argumentsAt,
  FLOAT32_RANGE,
  householderStep,
  shiftByTaylor,
  SHORT_STEP_32,
  SHORT_STEP_64,
  sumAfter,
  sumLambert,
  sums,
} from "./lambertSums";

/** A bracketed iteration of fourth order ends in 1 to 4 steps; bisection alone would need about 60. */
const MAX_STEPS: i32 = 100;
/** Below this V(b - t)/alpha is exp(b - L) to the last bit, and its own exponent could underflow. */
const NO_CURVATURE: f64 = 1e-18;
/** Relative accuracy asked of the sum of V, a few roundings. */
const TOLERANCE_32: f64 = 4e-7;
const TOLERANCE_64: f64 = 1e-15;

/**
 * Softmax step   min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s),   s = sum z,  over n entries
 * z >= 0.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 15 and 16 with k = 1. With the true class as one more entry b_n = alpha, the
 * answer is a distribution over all n + 1 of them, p_j = V(b_j - t)/alpha, V(t) = W(e^t), with t the root of the
 * decreasing convex
 *     f(t) = sum_j V(b_j - t) - alpha.
 * V is subadditive in e^t and V(t) <= e^t, so with L = log sum exp b the root lies in [L - alpha, L] - log alpha.
 * Householder's method of fourth order, kept inside that bracket. A short last step is taken by Taylor's series of V
 * with the same derivatives, without evaluating V again.
 *
 * The root is looked for in float32 first, which is so much cheaper that float64 should be left with one short step.
 * `single` stops there: p_j is then good to about 1e-6 + 1e-7 (alpha + |log(alpha p_j)|) of itself, b_j - t being a
 * number of float32 (what is below 1e-38/alpha is 0), and sum p to 1e-7.
 *
 * bPtr: f64[n + 2], of which the last two are overwritten; zPtr: f64[n + 2], the first n + 1 become p (p_n = 1 - s,
 * without cancellation). alpha >= 0; alpha = 0 is the loss problem, p = softmax(b, 0). guess: of t, NaN for none.
 * Returns t, or Infinity where alpha is too small for it to matter.
 */
export function softmaxStep(bPtr: usize, n: i32, alpha: f64, guess: f64, single: bool, zPtr: usize): f64 {
  put<f64>(bPtr, n, alpha);
  const count = n + 1;
  put<f64>(bPtr, count, -Infinity); // an odd last lane must not count: V(-Infinity) = 0
  const top = maximum(bPtr, count);
  if (alpha < NO_CURVATURE) {
    const logSum = logOf(sumExp<f64>(bPtr, count, top));
    for (let j = 0; j < count; ++j) put<f64>(zPtr, j, expOf(at<f64>(bPtr, j) - top - logSum));
    return Infinity;
  }

  // From here on t is relative to the largest entry, and L lies between 0 and the log of their number.
  const logAlpha = logOf(alpha);
  const lower = -alpha - logAlpha;
  const upper = logOf(<f64>count) - logAlpha;
  let t = guess - top;
  if (!(t >= lower && t <= upper)) t = coldStart(bPtr, count, top, alpha) - logAlpha;
  if (alpha <= FLOAT32_RANGE) {
    t = solve(true, bPtr, count, top, alpha, lower, upper, t, single, zPtr);
    if (single) return top + t;
  }
  return top + solve(false, bPtr, count, top, alpha, lower, upper, t, true, zPtr);
}

/**
 * The root of f in [lower, upper], from t on, in float32 (`single`) or float64. p goes to zPtr, if it `ends` the
 * search.
 */
function solve(
  single: bool,
  bPtr: usize,
  count: i32,
  top: f64,
  alpha: f64,
  lower: f64,
  upper: f64,
  t: f64,
  ends: bool,
  zPtr: usize,
): f64 {
  const tolerance = (single ? TOLERANCE_32 : TOLERANCE_64) * alpha;
  const short = single ? SHORT_STEP_32 : SHORT_STEP_64;
  let shift: f64 = 0; // left to Taylor's series
  let sumV: f64 = 0;
  for (let step = 0; step < MAX_STEPS; ++step) {
    if (single) sumLambert<f32>(bPtr, count, top, t, zPtr);
    else sumLambert<f64>(bPtr, count, top, t, zPtr);
    sumV = sums.V;
    const f = sumV - alpha;
    if (f > 0) lower = t;
    else upper = t;

    const delta = householderStep(alpha);
    let next = t + delta;
    if (Math.abs(delta) <= short) {
      t = next;
      shift = delta;
      sumV = sumAfter(delta);
      break;
    }
    if (Math.abs(f) <= tolerance) break; // V is so large that its rounding alone moves t further
    if (!(next >= lower && next <= upper)) next = t + f / sums.first;
    if (step % 8 == 7 || !(next >= lower && next <= upper)) next = lower + 0.5 * (upper - lower);
    if (next == t) break;
    t = next;
  }
  if (ends) {
    // Dividing by the sum reached instead of by alpha makes p sum to 1 to the last bit, and is never zero by zero: the
    // largest entry has V > 0 everywhere in the bracket.
    if (single) shiftByTaylor<f32>(zPtr, count, shift, 1 / sumV);
    else shiftByTaylor<f64>(zPtr, count, shift, 1 / sumV);
  }
  return t;
}

/**
 * t + log alpha for entries relative to `top`, without a guess: exact where the classes are equal or one has it all,
 * since t = log sum exp(b_j - V(b_j - t)) - log alpha, here with softmax of b, times alpha, for V.
 */
function coldStart(bPtr: usize, count: i32, top: f64, alpha: f64): f64 {
  const shiftTop = f64x2.splat(top);
  let sum = f32x4.splat(0);
  let squares = sum;
  for (let j = 0; j < count; j += 4) {
    const e = exp32(argumentsAt(bPtr + (<usize>j << 3), count - j, shiftTop, f64x2.splat(0)));
    sum = f32x4.add(sum, e);
    squares = f32x4.add(squares, f32x4.mul(e, e));
  }
  const total = <f64>sumLanes<f32>(sum);
  const concentration = <f64>sumLanes<f32>(squares) / (total * total);
  return logOf(total) - alpha * Math.min(concentration, 1);
}

