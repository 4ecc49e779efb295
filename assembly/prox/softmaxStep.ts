import { at, put, sumLanes } from "../linalg/simd";
import { lambertWExpPair } from "../math/lambertW";
import { exp } from "../math/expLog";
import { expOf } from "../math/logistic";
import { maximum, sumExp } from "../math/logSumExp";

/** A bracketed iteration of fourth order ends in 1 to 4 steps; bisection alone would need about 60. */
const MAX_STEPS: i32 = 100;
/** Relative accuracy asked of the sum of V: a few roundings. */
const TOLERANCE: f64 = 1e-15;
/** For a step this short the error of the iteration and of Taylor's series, both of fourth order, is below rounding. */
const SHORT_STEP: f64 = 1e-4;
/** Below this V(b - t)/alpha is exp(b - L) to the last bit, and its own exponent could underflow. */
const NO_CURVATURE: f64 = 1e-18;

/**
 * Softmax step   min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s),   s = sum z <= 1, z >= 0.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 15 and 16 with k = 1. With the true class as one more entry b_n = alpha, the
 * answer is a distribution over all classes, p_j = V(b_j - t)/alpha, V(t) = W(e^t), and t the root of the decreasing convex
 *     f(t) = sum_j V(b_j - t) - alpha.
 * V is subadditive in e^t and V(t) <= e^t, so with L = log sum exp b the root lies in [L - alpha, L] - log alpha.
 * Householder's method of fourth order (derivatives V' = V/(1+V), V'' = V/(1+V)^3, V''' = V(1-2V)/(1+V)^5), kept inside
 * that bracket. A short last step is taken by Taylor's series of V with the same derivatives, without evaluating V again.
 *
 * bPtr: f64[n + 2], of which the last two are overwritten; zPtr: f64[n + 2], the first n + 1 become p (p_n = 1 - s, without
 * cancellation). alpha >= 0; alpha = 0 is the loss problem, p = softmax of (b, 0). guess: of t, NaN for none.
 * Returns t, or Infinity where alpha is too small for it to matter.
 */
export function softmaxStep(bPtr: usize, n: i32, alpha: f64, guess: f64, zPtr: usize): f64 {
  put<f64>(bPtr, n, alpha);
  const count = n + 1;
  put<f64>(bPtr, count, -Infinity); // an odd last lane must not count: V(-Infinity) = 0
  const top = maximum(bPtr, count);
  if (alpha < NO_CURVATURE) {
    const logSum = Math.log(sumExp(bPtr, count, top));
    for (let j = 0; j < count; ++j) put<f64>(zPtr, j, expOf(at<f64>(bPtr, j) - top - logSum));
    return Infinity;
  }

  // From here on t is relative to the largest entry, and L lies between 0 and the log of their number.
  const logAlpha = Math.log(alpha);
  let lower = -alpha - logAlpha;
  let upper = Math.log(<f64>count) - logAlpha;
  let t = guess - top;
  if (!(t >= lower && t <= upper)) t = coldStart(bPtr, count, top, alpha) - logAlpha;

  let sumV: f64 = alpha;
  const one = f64x2.splat(1);
  const shiftTop = f64x2.splat(top);
  for (let step = 0; step < MAX_STEPS; ++step) {
    const shiftT = f64x2.splat(t);
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (let j = 0; j < count; j += 2) {
      const v = lambertWExpPair(f64x2.sub(f64x2.sub(v128.load(bPtr + (<usize>j << 3)), shiftTop), shiftT));
      v128.store(zPtr + (<usize>j << 3), v);
      const i1 = f64x2.div(one, f64x2.add(v, one));
      const d1 = f64x2.mul(v, i1);
      const i2 = f64x2.mul(i1, i1);
      const d2 = f64x2.mul(d1, i2);
      const d3 = f64x2.mul(f64x2.mul(d2, i2), f64x2.sub(one, f64x2.add(v, v)));
      s0 = f64x2.add(s0, v);
      s1 = f64x2.add(s1, d1);
      s2 = f64x2.add(s2, d2);
      s3 = f64x2.add(s3, d3);
    }
    sumV = sumLanes<f64>(s0);
    const f = sumV - alpha;
    if (Math.abs(f) <= TOLERANCE * alpha) break;
    if (f > 0) lower = t;
    else upper = t;

    // f' = -f1, f'' = f2, f''' = -f3.
    const f1 = sumLanes<f64>(s1);
    const f2 = sumLanes<f64>(s2);
    const f3 = sumLanes<f64>(s3);
    const u = f / f1; // Newton's step
    const a = f2 / f1;
    const b = f3 / f1;
    const delta = (u * (1 - 0.5 * u * a)) / (1 - u * a + (u * u * b) / 6);
    let next = t + delta;
    if (Math.abs(delta) <= SHORT_STEP) {
      sumV = shiftByTaylor(zPtr, count, delta);
      t = next;
      break;
    }
    if (!(next >= lower && next <= upper)) next = t + u;
    if (step % 8 == 7 || !(next >= lower && next <= upper)) next = lower + 0.5 * (upper - lower);
    if (next == t) break;
    t = next;
  }
  // Dividing by the sum reached instead of alpha makes p sum to one to the last bit, and is never zero by zero: the largest
  // entry has V > 0 everywhere in the bracket.
  const scale = 1 / sumV;
  for (let j = 0; j < count; ++j) put<f64>(zPtr, j, at<f64>(zPtr, j) * scale);
  return top + t;
}

/**
 * t + log alpha for entries relative to `top`, without a guess: exact where the classes are equal or one has it all, since
 * t = log sum exp(b_j - alpha p_j) - log alpha, here with softmax of b for p.
 */
function coldStart(bPtr: usize, count: i32, top: f64, alpha: f64): f64 {
  const logSum = Math.log(sumExp(bPtr, count, top));
  let concentration: f64 = 0;
  for (let j = 0; j < count; j += 2) {
    const p = exp(f64x2.sub(f64x2.sub(v128.load(bPtr + (<usize>j << 3)), f64x2.splat(top)), f64x2.splat(logSum)));
    concentration += sumLanes<f64>(f64x2.mul(p, p));
  }
  return logSum - alpha * Math.min(concentration, 1);
}

/** V(x) -> V(x - delta) by Taylor's series to third order for all of vPtr: f64[count]; returns the new sum. */
function shiftByTaylor(vPtr: usize, count: i32, delta: f64): f64 {
  const one = f64x2.splat(1);
  const h1 = f64x2.splat(-delta);
  const h2 = f64x2.splat(-0.5 * delta);
  const h3 = f64x2.splat(-delta / 3);
  let total = f64x2.splat(0);
  for (let j = 0; j < count; j += 2) {
    const v = v128.load(vPtr + (<usize>j << 3));
    const i1 = f64x2.div(one, f64x2.add(v, one));
    const d1 = f64x2.mul(v, i1);
    const i2 = f64x2.mul(i1, i1);
    const d2 = f64x2.mul(d1, i2);
    const d3 = f64x2.mul(f64x2.mul(d2, i2), f64x2.sub(one, f64x2.add(v, v)));
    const inner = f64x2.add(d1, f64x2.mul(h2, f64x2.add(d2, f64x2.mul(h3, d3))));
    const moved = f64x2.add(v, f64x2.mul(h1, inner));
    v128.store(vPtr + (<usize>j << 3), moved);
    total = f64x2.add(total, moved);
  }
  return sumLanes<f64>(total);
}
