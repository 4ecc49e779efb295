import { exp, log } from "./expLog";

/** The logistic function and its relatives, two numbers at a time; those for one number are the same on a vector of it. */

/** A step this short leaves an error of its cube, below the last bit. */
const SHORT_STEP: f64 = 1e-6;
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
export function log1pPair(x: v128): v128 {
  const one = f64x2.splat(1);
  const u = f64x2.add(one, x);
  const lost = f64x2.sub(u, one);
  const exact = f64x2.div(f64x2.mul(log(u), x), lost);
  return v128.bitselect(x, exact, f64x2.eq(lost, f64x2.splat(0)));
}

export function log1p(x: f64): f64 {
  return firstOf(log1pPair(f64x2.splat(x)));
}

/** log(1 + e^x) without overflow or cancellation. */
export function softplusPair(x: v128): v128 {
  return f64x2.add(f64x2.pmax(x, f64x2.splat(0)), log1pPair(exp(f64x2.neg(f64x2.abs(x)))));
}

export function softplus(x: f64): f64 {
  return firstOf(softplusPair(f64x2.splat(x)));
}

/** 1/(1 + e^-x), to full relative accuracy on both sides. */
export function sigmoidPair(x: v128): v128 {
  const one = f64x2.splat(1);
  const e = exp(f64x2.neg(f64x2.abs(x)));
  return f64x2.div(v128.bitselect(e, one, f64x2.lt(x, f64x2.splat(0))), f64x2.add(one, e));
}

export function sigmoid(x: f64): f64 {
  return firstOf(sigmoidPair(f64x2.splat(x)));
}

/**
 * The root y of   slope sigmoid(y) + y = target,   slope >= 0, from `start` on: Halley's method, of third order, kept inside
 * [target - slope, target] by bisection.
 */
export function sigmoidRootPair(target: v128, slope: v128, start: v128): v128 {
  const half = f64x2.splat(0.5);
  const one = f64x2.splat(1);
  const zero = f64x2.splat(0);
  let lower = f64x2.sub(target, slope);
  let upper = target;
  let y = f64x2.pmin(f64x2.pmax(start, lower), upper);
  for (let step = 1; step <= MAX_STEPS; ++step) {
    const negative = f64x2.lt(y, zero);
    const e = exp(f64x2.neg(f64x2.abs(y)));
    const inverse = f64x2.div(one, f64x2.add(one, e));
    const small = f64x2.mul(e, inverse); // sigmoid(-|y|)
    const s = v128.bitselect(small, inverse, negative);
    const first = f64x2.mul(slope, f64x2.mul(small, inverse)); // slope sigmoid'
    const second = f64x2.mul(first, f64x2.sub(one, f64x2.add(s, s)));
    const derivative = f64x2.add(first, one);
    const f = f64x2.add(f64x2.sub(y, target), f64x2.mul(slope, s));
    const above = f64x2.gt(f, zero);
    upper = v128.bitselect(y, upper, above);
    lower = v128.bitselect(lower, y, above);

    const curvature = f64x2.mul(half, f64x2.mul(f, second));
    const delta = f64x2.div(f64x2.mul(f, derivative), f64x2.sub(f64x2.mul(derivative, derivative), curvature));
    let next = f64x2.sub(y, delta);
    const middle = f64x2.add(lower, f64x2.mul(half, f64x2.sub(upper, lower)));
    const inside = v128.and(f64x2.ge(next, lower), f64x2.le(next, upper));
    next = v128.bitselect(next, middle, step % 8 == 0 ? zero : inside);
    const short = f64x2.le(f64x2.abs(f64x2.sub(next, y)), f64x2.splat(SHORT_STEP));
    y = next;
    if (v128.all_true<i64>(short) && step % 8 != 0) break;
  }
  return y;
}

export function sigmoidRoot(target: f64, slope: f64): f64 {
  const start = target - slope * sigmoid(target);
  return firstOf(sigmoidRootPair(f64x2.splat(target), f64x2.splat(slope), f64x2.splat(start)));
}
