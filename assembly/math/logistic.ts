import { exp, expOfLanes, logOfLanes } from "./expLog";

/** The logistic function and its relatives, a vector of S at a time; those for one number are the same, in float64. */

/** A step this short leaves an error of its cube, below the last bit. */
const SHORT_STEP_64: f64 = 1e-6;
const SHORT_STEP_32: f64 = 3e-3;
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

/** log(1 + x), x > -1, to full relative accuracy: what 1 + x loses of x is divided out. (W. Kahan.) */
export function log1pOfLanes<S>(x: v128): v128 {
  const one = v128.splat<S>(<S>1);
  const u = v128.add<S>(one, x);
  const lost = v128.sub<S>(u, one);
  const exact = v128.div<S>(v128.mul<S>(logOfLanes<S>(u), x), lost);
  return v128.bitselect(x, exact, v128.eq<S>(lost, v128.splat<S>(<S>0)));
}

export function log1p(x: f64): f64 {
  return firstOf(log1pOfLanes<f64>(f64x2.splat(x)));
}

/** log(1 + e^x) without overflow or cancellation. */
export function softplusOfLanes<S>(x: v128): v128 {
  const small = expOfLanes<S>(v128.neg<S>(v128.abs<S>(x)));
  return v128.add<S>(v128.pmax<S>(x, v128.splat<S>(<S>0)), log1pOfLanes<S>(small));
}

export function softplus(x: f64): f64 {
  return firstOf(softplusOfLanes<f64>(f64x2.splat(x)));
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

/**
 * The root y of   slope sigmoid(y) + y = target,   slope >= 0, from `start` on: Halley's method, of third order, kept inside
 * [target - slope, target] by bisection.
 */
export function sigmoidRootOfLanes<S>(target: v128, slope: v128, start: v128): v128 {
  const half = v128.splat<S>(<S>0.5);
  const one = v128.splat<S>(<S>1);
  const zero = v128.splat<S>(<S>0);
  const shortStep = v128.splat<S>(<S>(sizeof<S>() == 4 ? SHORT_STEP_32 : SHORT_STEP_64));
  let lower = v128.sub<S>(target, slope);
  let upper = target;
  let y = v128.pmin<S>(v128.pmax<S>(start, lower), upper);
  for (let step = 1; step <= MAX_STEPS; ++step) {
    const negative = v128.lt<S>(y, zero);
    const e = expOfLanes<S>(v128.neg<S>(v128.abs<S>(y)));
    const inverse = v128.div<S>(one, v128.add<S>(one, e));
    const small = v128.mul<S>(e, inverse); // sigmoid(-|y|)
    const s = v128.bitselect(small, inverse, negative);
    const first = v128.mul<S>(slope, v128.mul<S>(small, inverse)); // slope sigmoid'
    const second = v128.mul<S>(first, v128.sub<S>(one, v128.add<S>(s, s)));
    const derivative = v128.add<S>(first, one);
    const f = v128.add<S>(v128.sub<S>(y, target), v128.mul<S>(slope, s));
    const above = v128.gt<S>(f, zero);
    upper = v128.bitselect(y, upper, above);
    lower = v128.bitselect(lower, y, above);

    const curvature = v128.mul<S>(half, v128.mul<S>(f, second));
    const delta = v128.div<S>(
      v128.mul<S>(f, derivative),
      v128.sub<S>(v128.mul<S>(derivative, derivative), curvature),
    );
    let next = v128.sub<S>(y, delta);
    const middle = v128.add<S>(lower, v128.mul<S>(half, v128.sub<S>(upper, lower)));
    const inside = v128.and(v128.ge<S>(next, lower), v128.le<S>(next, upper));
    next = v128.bitselect(next, middle, step % 8 == 0 ? zero : inside);
    const short = v128.le<S>(v128.abs<S>(v128.sub<S>(next, y)), shortStep);
    y = next;
    if (v128.all_true<i32>(short) && step % 8 != 0) break;
  }
  return y;
}

export function sigmoidRoot(target: f64, slope: f64): f64 {
  const start = target - slope * sigmoid(target);
  return firstOf(sigmoidRootOfLanes<f64>(f64x2.splat(target), f64x2.splat(slope), f64x2.splat(start)));
}
