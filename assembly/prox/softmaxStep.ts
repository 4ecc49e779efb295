import { at, put, sumLanes } from "../linalg/simd";
import { lambertWExpPair } from "../math/lambertW";
import { exp } from "../math/expLog";
import { maximum, sumExp } from "../math/logSumExp";

/** A bracketed iteration of fourth order ends in 3 to 6 steps; bisection alone would need about 60. */
const MAX_STEPS: i32 = 100;
/** Relative accuracy asked of the sum of V: a few roundings. */
const TOLERANCE: f64 = 1e-15;

/**
 * Softmax step   min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s),   s = sum z <= 1, z >= 0.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 15 and 16 with k = 1. With the true class as one more entry b_n = alpha, the
 * answer is a distribution over all classes, p_j = V(b_j - t)/alpha, V(t) = W(e^t), and t the root of the decreasing convex
 *     f(t) = sum_j V(b_j - t) - alpha.
 * V is subadditive in e^t and V(t) <= e^t, so with L = log sum exp b the root lies in [L - alpha, L] - log alpha. Householder's
 * method of fourth order (derivatives V' = V/(1+V), V'' = V/(1+V)^3, V''' = V(1-2V)/(1+V)^5), kept inside that bracket.
 *
 * bPtr: f64[n + 2], of which the last two are overwritten; zPtr: f64[n + 2], the first n + 1 become p (p_n = 1 - s, without
 * cancellation). alpha >= 0; alpha = 0 is the loss problem, p = softmax of (b, 0). Returns t, or Infinity where alpha is
 * too small for it to matter.
 */
export function softmaxStep(bPtr: usize, n: i32, alpha: f64, zPtr: usize): f64 {
  put<f64>(bPtr, n, alpha);
  const count = n + 1;
  const top = maximum(bPtr, count);
  const logSum = Math.log(sumExp(bPtr, count, top));
  // Below this V(b - t)/alpha is exp(b - L) to the last bit, and its own exponent could underflow.
  if (alpha < 1e-18) {
    for (let j = 0; j < count; ++j) {
      const p = exp(f64x2.splat(at<f64>(bPtr, j) - top - logSum));
      put<f64>(zPtr, j, f64x2.extract_lane(p, 0));
    }
    return Infinity;
  }

  // From here on t is relative to the largest entry. A last odd lane must not count: V(-Infinity) = 0.
  put<f64>(bPtr, count, -Infinity);
  const logAlpha = Math.log(alpha);
  let lower = logSum - alpha - logAlpha;
  let upper = logSum - logAlpha;
  // Exact when the classes are equal or one has it all: t = log sum exp(b_j - alpha p_j) - log alpha, p = softmax b.
  let concentration: f64 = 0;
  for (let j = 0; j < count; j += 2) {
    const p = exp(f64x2.sub(v128.load(bPtr + (<usize>j << 3)), f64x2.splat(top + logSum)));
    concentration += sumLanes<f64>(f64x2.mul(p, p));
  }
  let t = upper - alpha * Math.min(concentration, 1);

  let sumV: f64 = alpha;
  for (let step = 0; step < MAX_STEPS; ++step) {
    const shiftTop = f64x2.splat(top);
    const shiftT = f64x2.splat(t);
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    const one = f64x2.splat(1);
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
    let next = t + (u * (1 - 0.5 * u * a)) / (1 - u * a + (u * u * b) / 6);
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
