import { addWide, firstLanes, lanes, loadNarrow, madd, sumLanes } from "../linalg/simd";
import { exp, expOfLanes, line, log, logOfLanes } from "./expLog";

/** The logistic function and its relatives, a vector of S at a time; those for one number are the same, in float64. */

/**
 * A step this short leaves an error of a twelfth of its cube: the last bit, or in float32 the relative 2e-6 that shares
 * may lack.
 */
const SHORT_STEP_64: f64 = 1e-5;
const SHORT_STEP_32: f64 = 0.03;
const MAX_STEPS: i32 = 200;

// @ts-ignore: decorator
@inline
function firstOf(v: v128): f64 {
  return f64x2.extract_lane(v, 0);
}

/** e^x of one number. */
// @ts-ignore: decorator
@inline
export function expOf(x: f64): f64 {
  return firstOf(exp(f64x2.splat(x)));
}

/** log x of one number > 0, normal. */
// @ts-ignore: decorator
@inline
export function logOf(x: f64): f64 {
  return firstOf(log(f64x2.splat(x)));
}

/** log(1 + x), x > -1, to full relative accuracy: what 1 + x loses of x is divided out. (W. Kahan.) */
function log1pOfLanes<S>(x: v128): v128 {
  const one = v128.splat<S>(<S>1);
  const u = v128.add<S>(one, x);
  const lost = v128.sub<S>(u, one);
  const exact = v128.div<S>(v128.mul<S>(logOfLanes<S>(u), x), lost);
  return v128.bitselect(x, exact, v128.eq<S>(lost, v128.splat<S>(<S>0)));
}

export function log1p(x: f64): f64 {
  return firstOf(log1pOfLanes<f64>(f64x2.splat(x)));
}

/** Up to here the series of `entropyOfRestOfLanes` has the terms that it needs. */
const FEW_TERMS: f64 = 1.0 / 16.0;

/** (1 - v) log(1 - v), 0 <= v <= 1, to full relative accuracy: without a logarithm where no v is large. */
export function entropyOfRestOfLanes<S>(v: v128): v128 {
  const one = v128.splat<S>(<S>1);
  if (!v128.all_true<i32>(v128.le<S>(v, v128.splat<S>(<S>FEW_TERMS)))) {
    const rest = v128.mul<S>(v128.sub<S>(one, v), log1pOfLanes<S>(v128.neg<S>(v)));
    return v128.and(rest, v128.lt<S>(v, one));
  }
  // -v + sum over k >= 2 of v^k/(k (k - 1))
  const v2 = v128.mul<S>(v, v);
  const v4 = v128.mul<S>(v2, v2);
  let q = madd<S>(v2, line<S>(v, 1.0 / 12.0, 1.0 / 20.0), line<S>(v, 1.0 / 2.0, 1.0 / 6.0));
  if (sizeof<S>() == 4) {
    q = madd<S>(v4, v128.splat<S>(<S>(1.0 / 30.0)), q);
  } else {
    const q4 = madd<S>(v2, line<S>(v, 1.0 / 56.0, 1.0 / 72.0), line<S>(v, 1.0 / 30.0, 1.0 / 42.0));
    const q8 = madd<S>(v2, line<S>(v, 1.0 / 132.0, 1.0 / 156.0), line<S>(v, 1.0 / 90.0, 1.0 / 110.0));
    q = madd<S>(v4, madd<S>(v4, q8, q4), q);
  }
  return v128.sub<S>(v128.mul<S>(v2, q), v);
}

/** `entropyOfRestOfLanes` of one number. */
export function entropyOfRest(v: f64): f64 {
  return firstOf(entropyOfRestOfLanes<f64>(f64x2.splat(v)));
}

/** (1 + p) (1 + e) - 1 for two float64, without cancellation. */
// @ts-ignore: decorator
@inline
function compound(p: v128, e: v128): v128 {
  return f64x2.add(p, f64x2.mul(e, f64x2.add(p, f64x2.splat(1))));
}

/** So many factors of at most 2 have a product that is a number. */
const MOST_FACTORS: i32 = 512;

/**
 * Sum of log(1 + e^u_j) = max(u_j, 0) + log(1 + e^-|u_j|) over uPtr: f64[n], the terms in S. Of the factors 1 +
 * e^-|u_j| the product is taken, less 1, which costs a few flops for each and a logarithm for all.
 */
export function sumSoftplus<S>(uPtr: usize, n: i32): f64 {
  let sum = f64x2.splat(0);
  let p = sum;
  let q = sum;
  let factors = 0;
  for (let j = 0; j < n; j += lanes<S>()) {
    const u = loadNarrow<S>(uPtr + (<usize>j << 3), n - j);
    const e = firstLanes<S>(expOfLanes<S>(v128.neg<S>(v128.abs<S>(u))), n - j);
    sum = addWide<S>(sum, firstLanes<S>(v128.pmax<S>(u, v128.splat<S>(<S>0)), n - j));
    p = compound(p, sizeof<S>() == 4 ? f64x2.promote_low_f32x4(e) : e);
    if (sizeof<S>() == 4) q = compound(q, f64x2.promote_low_f32x4(v128.shuffle<f64>(e, e, 1, 1)));
    if (++factors == MOST_FACTORS || j + lanes<S>() >= n) {
      sum = f64x2.add(sum, f64x2.add(log1pOfLanes<f64>(p), log1pOfLanes<f64>(q)));
      p = f64x2.splat(0);
      q = p;
      factors = 0;
    }
  }
  return sumLanes<f64>(sum);
}

/** log(1 + e^x) without overflow or cancellation. */
export function softplus(x: f64): f64 {
  return Math.max(x, 0) + log1p(expOf(-Math.abs(x)));
}

/** 1/(1 + e^-x), to full relative accuracy on both sides. */
export function sigmoidOfLanes<S>(x: v128): v128 {
  const one = v128.splat<S>(<S>1);
  const e = expOfLanes<S>(v128.neg<S>(v128.abs<S>(x)));
  return v128.div<S>(v128.bitselect(e, one, v128.lt<S>(x, v128.splat<S>(<S>0))), v128.add<S>(one, e));
}

export function sigmoid(x: f64): f64 {
  return firstOf(sigmoidOfLanes<f64>(f64x2.splat(x)));
}

/** Beyond these e^-y is 0. */
const SATURATED_32: f64 = 104;
const SATURATED_64: f64 = 746;

/**
 * sigmoid(y) at the root y of   slope sigmoid(y) + y = target,   slope >= 0, from `start` on: Halley's method, of third
 * order, kept inside [target - slope, target], and of that where a sigmoid is neither 0 nor 1, by bisection. The last
 * step, a short one, is taken by Taylor's series with the same derivatives.
 */
export function sigmoidAtRootOfLanes<S>(target: v128, slope: v128, start: v128): v128 {
  const half = v128.splat<S>(<S>0.5);
  const one = v128.splat<S>(<S>1);
  const zero = v128.splat<S>(<S>0);
  const shortStep = v128.splat<S>(<S>(sizeof<S>() == 4 ? SHORT_STEP_32 : SHORT_STEP_64));
  const end = v128.splat<S>(<S>(sizeof<S>() == 4 ? SATURATED_32 : SATURATED_64));
  const least = v128.sub<S>(target, slope);
  let lower = v128.pmax<S>(least, v128.pmin<S>(target, v128.neg<S>(end)));
  let upper = v128.pmin<S>(target, v128.pmax<S>(least, end));
  let y = v128.pmin<S>(v128.pmax<S>(start, lower), upper);
  for (let step = 1; step <= MAX_STEPS; ++step) {
    const negative = v128.lt<S>(y, zero);
    const e = expOfLanes<S>(v128.neg<S>(v128.abs<S>(y)));
    const inverse = v128.div<S>(one, v128.add<S>(one, e));
    const small = v128.mul<S>(e, inverse); // sigmoid(-|y|)
    const s = v128.bitselect(small, inverse, negative);
    const slopeOfS = v128.mul<S>(small, inverse);
    const skew = v128.sub<S>(one, v128.add<S>(s, s)); // the second derivative by the first
    const first = v128.mul<S>(slope, slopeOfS);
    const derivative = v128.add<S>(first, one);
    const f = v128.add<S>(v128.sub<S>(y, target), v128.mul<S>(slope, s));
    const curvature = v128.mul<S>(half, v128.mul<S>(f, v128.mul<S>(first, skew)));
    const change = v128.div<S>(
      v128.mul<S>(f, derivative),
      v128.sub<S>(v128.mul<S>(derivative, derivative), curvature),
    );
    if (v128.all_true<i32>(v128.le<S>(v128.abs<S>(change), shortStep))) {
      // A step as short as that is Newton's but for its cube, and no derivative changes along it: the root is there.
      // The third derivative is 1 - 6 sigmoid' times the first.
      const third = v128.sub<S>(v128.splat<S>(<S>(1.0 / 6.0)), slopeOfS);
      const bend = v128.mul<S>(change, v128.sub<S>(v128.mul<S>(half, skew), v128.mul<S>(change, third)));
      return v128.sub<S>(s, v128.mul<S>(v128.mul<S>(change, slopeOfS), v128.sub<S>(one, bend)));
    }
    const above = v128.gt<S>(f, zero);
    upper = v128.bitselect(y, upper, above);
    lower = v128.bitselect(lower, y, above);
    const next = v128.sub<S>(y, change);
    const middle = v128.add<S>(lower, v128.mul<S>(half, v128.sub<S>(upper, lower)));
    const inside = v128.and(v128.ge<S>(next, lower), v128.le<S>(next, upper));
    y = v128.bitselect(next, middle, step % 8 == 0 ? zero : inside);
  }
  return sigmoidOfLanes<S>(y);
}

export function sigmoidAtRoot(target: f64, slope: f64): f64 {
  const start = target - slope * sigmoid(target);
  return firstOf(sigmoidAtRootOfLanes<f64>(f64x2.splat(target), f64x2.splat(slope), f64x2.splat(start)));
}
