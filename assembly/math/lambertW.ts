import { exp, log } from "./expLog";

/**
 * V(t) = W(e^t), the solution v > 0 of v + log v = t, of two float64 at a time.
 *
 * A start, then steps of Fritsch, Shafer and Crowley (Algorithm 443, CACM 16, 1973): with the residual z = t - v - log v,
 *     q = 2 (1 + v)(1 + v + 2z/3),   v <- v (1 + z/(1 + v) (q - z)/(q - 2z)),
 * which is of fourth order. For t <= 2 the residual is taken as log(e^(t-v) / v), whose argument is close to 1, so that it
 * does not cancel when t is very negative. -Infinity gives 0, Infinity gives Infinity, results are monotone down to a few
 * units in the last place. At most 2.5 ulp on [-700, 1e6]; test/prox/lambertW.test.ts measures it.
 */

/** One Fritsch-Shafer-Crowley step from v with residual z. */
// @ts-ignore: decorator
@inline
function refine(v: v128, z: v128): v128 {
  const v1 = f64x2.add(v, f64x2.splat(1));
  const q = f64x2.mul(f64x2.add(v1, v1), f64x2.add(v1, f64x2.mul(z, f64x2.splat(2.0 / 3.0))));
  const correction = f64x2.div(
    f64x2.mul(z, f64x2.sub(q, z)),
    f64x2.mul(v1, f64x2.sub(q, f64x2.add(z, z))),
  );
  return f64x2.add(v, f64x2.mul(v, correction));
}

/** t <= 2. The start is a rational function of u = e^t with a relative error of 1.1e-4; one step takes it to rounding. */
// @ts-ignore: decorator
@inline
function lambertWExpSmall(t: v128): v128 {
  const u = exp(t);
  const one = f64x2.splat(1);
  // Least-squares fit of W(u)/u on (0, e^2]. Any start this good would do: the step below sets the accuracy.
  let p = f64x2.add(f64x2.mul(u, f64x2.splat(0.1693083)), f64x2.splat(1.295434));
  p = f64x2.add(f64x2.mul(p, u), one);
  let q = f64x2.add(f64x2.mul(u, f64x2.splat(0.05323588)), f64x2.splat(1.000595));
  q = f64x2.add(f64x2.mul(q, u), f64x2.splat(2.291749));
  q = f64x2.add(f64x2.mul(q, u), one);
  const v = f64x2.div(f64x2.mul(u, p), q);
  // log(1 + delta) to fourth order; |delta| < 3e-4.
  const delta = f64x2.sub(f64x2.div(f64x2.mul(u, exp(f64x2.neg(v))), v), one);
  let z = f64x2.add(f64x2.mul(delta, f64x2.splat(-0.25)), f64x2.splat(1.0 / 3.0));
  z = f64x2.add(f64x2.mul(z, delta), f64x2.splat(-0.5));
  z = f64x2.add(f64x2.mul(f64x2.mul(z, delta), delta), delta);
  // Below -37, W(u) = u - u^2 + ... rounds to u; this also covers u = 0, where the quotient above is 0/0.
  return v128.bitselect(u, refine(v, z), f64x2.lt(t, f64x2.splat(-37)));
}

/** t > 2. Start t - log t + (log t)/t, off by 6 % at most; two steps. */
// @ts-ignore: decorator
@inline
function lambertWExpLarge(t: v128): v128 {
  const l = log(t);
  let v = f64x2.add(f64x2.sub(t, l), f64x2.div(l, t));
  v = refine(v, f64x2.sub(f64x2.sub(t, v), log(v)));
  return refine(v, f64x2.sub(f64x2.sub(t, v), log(v)));
}

export function lambertWExpPair(t: v128): v128 {
  const two = f64x2.splat(2);
  const large = f64x2.gt(t, two);
  if (!v128.any_true(large)) return lambertWExpSmall(t);
  // Beyond 1e18, log t is less than half a unit in the last place of t, so V(t) rounds to t; the steps would overflow.
  const huge = f64x2.splat(1e18);
  let v = lambertWExpLarge(f64x2.pmin(f64x2.pmax(t, two), huge));
  v = v128.bitselect(t, v, f64x2.gt(t, huge));
  if (i64x2.all_true(large)) return v;
  return v128.bitselect(v, lambertWExpSmall(f64x2.pmin(t, two)), large);
}

/** V of tPtr: f64[n] into outPtr: f64[n]; may be in place. Both must have room for an even number of elements. */
export function lambertWExpInto(tPtr: usize, n: i32, outPtr: usize): void {
  const end = <usize>n << 3;
  for (let o: usize = 0; o < end; o += 16) v128.store(outPtr + o, lambertWExpPair(v128.load(tPtr + o)));
}
