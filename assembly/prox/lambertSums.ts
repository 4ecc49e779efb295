import { addWide, lanes, loadNarrow, narrow, storeWide, sumLanes } from "../linalg/simd";
import { lambertWExp32, lambertWExpInto } from "../math/lambertW";

/**
 * What the entropy steps have in common: sums of V(b_j - t) = W(e^(b_j - t)) over a list, with the derivatives
 * V' = V/(1+V), V'' = V/(1+V)^3, V''' = V(1-2V)/(1+V)^5 that a root search of fourth order and Taylor's series want.
 */

/** Above this V would leave the range of float32. */
export const FLOAT32_RANGE: f64 = 1e30;
/** The step for which the error of the iteration and of Taylor's series, both of fourth order, is below rounding. */
export const SHORT_STEP_32: f64 = 0.03;
export const SHORT_STEP_64: f64 = 1e-4;

/** A sum of V(b_j - t) and its derivatives with respect to -t. */
@unmanaged
export class Sums {
  V: f64;
  first: f64;
  second: f64;
  third: f64;
}
export const sums = changetype<Sums>(memory.data(32));

/**
 * The next four of `rest` float64 less top and t, as float32: their differences are what counts. A pair beyond the end
 * is -Infinity.
 */
// @ts-ignore: decorator
@inline
export function argumentsAt(ptr: usize, rest: i32, top: v128, t: v128): v128 {
  const low = f64x2.sub(f64x2.sub(v128.load(ptr), top), t);
  return narrow(low, rest > 2 ? f64x2.sub(f64x2.sub(v128.load(ptr, 16), top), t) : f64x2.splat(-Infinity));
}

/**
 * Where the function that `sums` holds equals target: the step in t that Householder's method of fourth order takes
 * there, and what it expects of the function after a step. Far from the root the method may make next to no step, which
 * must not pass for being there: then it is Newton's.
 */
// @ts-ignore: decorator
@inline
export function householderStep(target: f64): f64 {
  const u = (sums.V - target) / sums.first; // Newton's step
  const a = sums.second / sums.first;
  const b = sums.third / sums.first;
  const delta = (u * (1 - 0.5 * u * a)) / (1 - u * a + (u * u * b) / 6);
  return Math.abs(delta) >= 0.5 * Math.abs(u) ? delta : u;
}
// @ts-ignore: decorator
@inline
export function sumAfter(delta: f64): f64 {
  return sums.V - delta * (sums.first - 0.5 * delta * (sums.second - (delta / 3) * sums.third));
}

/**
 * V(b_j - top - t) to zPtr, in precision T, and the sums. bPtr: f64[count], and -Infinity behind it if count is odd;
 * zPtr: f64[count], rounded up to even.
 */
export function sumLambert<T>(bPtr: usize, count: i32, top: f64, t: f64, zPtr: usize): void {
  if (sizeof<T>() == 8) lambertWExpInto(bPtr, count, top, t, zPtr);
  const one = v128.splat<T>(<T>1);
  const shiftTop = f64x2.splat(top);
  const shiftT = f64x2.splat(t);
  let s0 = f64x2.splat(0); // in float64 whatever T
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  for (let j = 0; j < count; j += lanes<T>()) {
    const ptr = zPtr + (<usize>j << 3);
    let v: v128;
    if (sizeof<T>() == 8) {
      v = v128.load(ptr);
    } else {
      v = lambertWExp32(argumentsAt(bPtr + (<usize>j << 3), count - j, shiftTop, shiftT));
      storeWide<T>(ptr, count - j, v);
    }
    s0 = addWide<T>(s0, v);
    const i1 = v128.div<T>(one, v128.add<T>(v, one));
    const d1 = v128.mul<T>(v, i1);
    const i2 = v128.mul<T>(i1, i1);
    const d2 = v128.mul<T>(d1, i2);
    const d3 = v128.mul<T>(v128.mul<T>(d2, i2), v128.sub<T>(one, v128.add<T>(v, v)));
    s1 = v128.add<T>(s1, d1);
    s2 = v128.add<T>(s2, d2);
    s3 = v128.add<T>(s3, d3);
  }
  sums.V = sumLanes<f64>(s0);
  sums.first = <f64>sumLanes<T>(s1);
  sums.second = <f64>sumLanes<T>(s2);
  sums.third = <f64>sumLanes<T>(s3);
}

/** V(x) -> scale V(x - delta) by Taylor's series to third order for all of vPtr: f64[count]. */
export function shiftByTaylor<T>(vPtr: usize, count: i32, delta: f64, scale: f64): void {
  const one = v128.splat<T>(<T>1);
  const h0 = v128.splat<T>(<T>scale);
  const h1 = v128.splat<T>(<T>-delta);
  const h2 = v128.splat<T>(<T>(-0.5 * delta));
  const h3 = v128.splat<T>(<T>(-delta / 3));
  for (let j = 0; j < count; j += lanes<T>()) {
    const ptr = vPtr + (<usize>j << 3);
    const v = loadNarrow<T>(ptr, count - j);
    const i1 = v128.div<T>(one, v128.add<T>(v, one));
    const d1 = v128.mul<T>(v, i1);
    const i2 = v128.mul<T>(i1, i1);
    const d2 = v128.mul<T>(d1, i2);
    const d3 = v128.mul<T>(v128.mul<T>(d2, i2), v128.sub<T>(one, v128.add<T>(v, v)));
    const inner = v128.add<T>(d1, v128.mul<T>(h2, v128.add<T>(d2, v128.mul<T>(h3, d3))));
    storeWide<T>(ptr, count - j, v128.mul<T>(h0, v128.add<T>(v, v128.mul<T>(h1, inner))));
  }
}
