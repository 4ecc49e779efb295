import { exp } from "./expLog";

const MAX_STEPS: i32 = 200;
const EPSILON: f64 = 2.220446049250313e-16;

/** e^x of one number. */
// @ts-ignore: decorator
@inline
export function expOf(x: f64): f64 {
  return f64x2.extract_lane(exp(f64x2.splat(x)), 0);
}

/** log(1 + x) to full relative accuracy: what 1 + x loses of x is divided out. (W. Kahan; the standard library's is larger.) */
export function log1p(x: f64): f64 {
  const u = 1 + x;
  return u == 1 ? x : (Math.log(u) * x) / (u - 1);
}

/** log(1 + e^x) without overflow or cancellation. */
export function softplus(x: f64): f64 {
  return x > 0 ? x + log1p(expOf(-x)) : log1p(expOf(x));
}

/** 1/(1 + e^-x), to full relative accuracy on both sides. */
export function sigmoid(x: f64): f64 {
  const e = expOf(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/** The root y of   slope sigmoid(y) + y = target,   slope >= 0: Newton inside [target - slope, target]. */
export function sigmoidRoot(target: f64, slope: f64): f64 {
  let lower = target - slope;
  let upper = target;
  let y = target - slope * sigmoid(target);
  for (let step = 0; step < MAX_STEPS; ++step) {
    const s = sigmoid(y);
    const balance = slope * s + y - target;
    if (balance > 0) upper = y;
    else lower = y;
    let next = y - balance / (slope * s * sigmoid(-y) + 1);
    if (step % 8 == 7 || !(next >= lower && next <= upper)) next = lower + 0.5 * (upper - lower);
    if (Math.abs(next - y) <= EPSILON * Math.abs(y)) return next;
    y = next;
  }
  return y;
}
