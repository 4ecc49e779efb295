import { at, put } from "../linalg/simd";
import { exp, LN2_HI, LN2_LO, log, SQRT_HALF } from "./expLog";

/**
 * V(t) = W(e^t), the solution v > 0 of v + log v = t, of two float64 at a time. At most 2.5 ulp on [-700, 1e6], monotone down to a
 * few units in the last place; -Infinity gives 0, Infinity gives Infinity. test/prox/lambert.test.ts measures it.
 *
 * On [-13.9, 10] it is a polynomial in the distance from the nearest of 192 nodes, from a table: nothing to divide or to iterate.
 * Below, W(u) = u - u^2 + ... with u = e^t; above, an iteration.
 */

/** Nodes are the multiples of 1/8 from -111/8 to 10, and each serves 1/16 to both sides. */
const PER_UNIT: f64 = 8;
const FIRST: i32 = -111;
const COUNT: i32 = 192;
const LOWER: f64 = -13.9375;
const UPPER: f64 = 10.0625;
/** The polynomials: f64[192][8], a cache line each. Not in the binary (a new memory is zero); filled at instantiation. */
const table: usize = memory.data(12288 + 64, 64);

// Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum.
const TO_INTEGER: f64 = 6755399441055744;

/**
 * Fills the table node by node. V at a node comes from the series at the node before and one step of Newton's method, whose
 * residual t - v - log v must have digits to spare: with v = 2^k (1 + f) and log(1 + f) = f - rest as in `log`, the large
 * differences t - k ln 2 and that minus f are exact.
 */
function fillTable(): void {
  const u = f64x2.extract_lane(exp(f64x2.splat(<f64>FIRST / PER_UNIT)), 0);
  let v = u - u * u; // W(u) to 1e-12: the step doubles the digits
  for (let node = 0; node < COUNT; ++node) {
    const t = <f64>(FIRST + node) / PER_UNIT;
    const exponent = (reinterpret<i64>(v) - SQRT_HALF) >> 52;
    const f = reinterpret<f64>(reinterpret<i64>(v) - (exponent << 52)) - 1;
    const k = <f64>exponent;
    const s = f / (2 + f);
    let R: f64 = 0;
    for (let i = 12; i > 0; --i) R = (R + 2 / <f64>(2 * i + 1)) * s * s;
    const h = 0.5 * f * f;
    const z = t - k * LN2_HI - f - v + (h - s * (h + R)) - k * LN2_LO;
    v = fillNode(table + (<usize>node << 6), v + (v * z) / (1 + v));
  }
}

/**
 * The polynomial at a node where V = v; returns V at the next node. V'(1 + V) = V, compared power by power, gives Taylor's series
 *     (i + 1)(1 + c_0) c_(i+1) = c_i - sum_(l=1..i) (i + 1 - l) c_l c_(i+1-l),
 * and its powers 8 and 9 are replaced by lower ones, at most 1/100 as far away on [-1/16, 1/16] as leaving them out would be: with x
 * from -1 to 1, x^9 by what Chebyshev's T_9 leaves of it, x^8 by the same on [0, 1] for x^2, where c_0 has to stay. What is left is
 * below 6e-17 of V.
 */
function fillNode(cPtr: usize, v: f64): f64 {
  put<f64>(cPtr, 0, v);
  for (let i = 0; i < 9; ++i) {
    let rest = at<f64>(cPtr, i); // c_8 and c_9 stand in the next node for the moment
    for (let l = 1; l <= i; ++l) rest -= <f64>(i + 1 - l) * at<f64>(cPtr, l) * at<f64>(cPtr, i + 1 - l);
    put<f64>(cPtr, i + 1, rest / (<f64>(i + 1) * (1 + v)));
  }
  let next: f64 = 0;
  for (let i = 9; i >= 0; --i) next = next / PER_UNIT + at<f64>(cPtr, i);
  const c8 = at<f64>(cPtr, 8) / 256;
  const c9 = at<f64>(cPtr, 9) / 256;
  raise(cPtr, 7, 2.25 * c9);
  raise(cPtr, 6, 1.920865 * c8);
  raise(cPtr, 5, (-1.6875 / 256) * c9);
  raise(cPtr, 4, (-1.113475 / 256) * c8);
  raise(cPtr, 3, (0.46875 / 65536) * c9);
  raise(cPtr, 2, (0.183484 / 65536) * c8);
  return next;
}

// @ts-ignore: decorator
@inline
function raise(cPtr: usize, i: i32, by: f64): void {
  put<f64>(cPtr, i, at<f64>(cPtr, i) + by);
}

fillTable();

/** V of t, both in the range of the table. */
// @ts-ignore: decorator
@inline
function fromTable(t: v128): v128 {
  const shifted = f64x2.add(f64x2.mul(t, f64x2.splat(PER_UNIT)), f64x2.splat(TO_INTEGER));
  const nearest = f64x2.sub(shifted, f64x2.splat(TO_INTEGER));
  const d = f64x2.sub(t, f64x2.mul(nearest, f64x2.splat(1 / PER_UNIT)));
  const zero = table - (FIRST << 6); // the node of t = 0
  const p = zero + (i32x4.extract_lane(shifted, 0) << 6);
  const q = zero + (i32x4.extract_lane(shifted, 2) << 6);
  const p0 = v128.load(p);
  const q0 = v128.load(q);
  const p2 = v128.load(p, 16);
  const q2 = v128.load(q, 16);
  const p4 = v128.load(p, 32);
  const q4 = v128.load(q, 32);
  const p6 = v128.load(p, 48);
  const q6 = v128.load(q, 48);
  const c0 = v128.shuffle<f64>(p0, q0, 0, 2);
  const c1 = v128.shuffle<f64>(p0, q0, 1, 3);
  const c2 = v128.shuffle<f64>(p2, q2, 0, 2);
  const c3 = v128.shuffle<f64>(p2, q2, 1, 3);
  const c4 = v128.shuffle<f64>(p4, q4, 0, 2);
  const c5 = v128.shuffle<f64>(p4, q4, 1, 3);
  const c6 = v128.shuffle<f64>(p6, q6, 0, 2);
  const c7 = v128.shuffle<f64>(p6, q6, 1, 3);
  const d2 = f64x2.mul(d, d);
  const low = f64x2.add(c1, f64x2.mul(c2, d));
  const middle = f64x2.add(c3, f64x2.mul(c4, d));
  const high = f64x2.add(c5, f64x2.add(f64x2.mul(c6, d), f64x2.mul(c7, d2)));
  const slope = f64x2.add(low, f64x2.mul(d2, f64x2.add(middle, f64x2.mul(d2, high))));
  return f64x2.add(c0, f64x2.mul(d, slope));
}

/** t <= -10: W(u) = u - u^2 + 3/2 u^3 - 8/3 u^4 + ..., where the next term is below 3e-17 u. */
// @ts-ignore: decorator
@inline
function belowTable(t: v128): v128 {
  const u = exp(t);
  const one = f64x2.splat(1);
  const w = f64x2.sub(f64x2.splat(1.5), f64x2.mul(u, f64x2.splat(8.0 / 3.0)));
  return f64x2.sub(u, f64x2.mul(f64x2.mul(u, u), f64x2.sub(one, f64x2.mul(u, w))));
}

/**
 * t above the table. The start t - log t + (log t)/t is off by 2e-4 at most, and one step of Fritsch, Shafer and Crowley (Algorithm 443,
 * CACM 16, 1973) of fourth order takes it to rounding: with the residual z = t - v - log v,
 *     q = 2 (1 + v)(1 + v + 2z/3),   v <- v (1 + z/(1 + v) (q - z)/(q - 2z)).
 */
// @ts-ignore: decorator
@inline
function aboveTable(t: v128): v128 {
  // Beyond 1e18, log t is less than half a unit in the last place of t, so V(t) rounds to t; the step would overflow.
  const huge = f64x2.splat(1e18);
  const x = f64x2.pmin(t, huge);
  const l = log(x);
  const v = f64x2.add(f64x2.sub(x, l), f64x2.div(l, x));
  const z = f64x2.sub(f64x2.sub(x, v), log(v));
  const v1 = f64x2.add(v, f64x2.splat(1));
  const q = f64x2.mul(f64x2.add(v1, v1), f64x2.add(v1, f64x2.mul(z, f64x2.splat(2.0 / 3.0))));
  const correction = f64x2.div(
    f64x2.mul(z, f64x2.sub(q, z)),
    f64x2.mul(v1, f64x2.sub(q, f64x2.add(z, z))),
  );
  return v128.bitselect(t, f64x2.add(v, f64x2.mul(v, correction)), f64x2.gt(t, huge));
}

/** V of any t, each of the three ranges computed where a lane needs it. */
function anywhere(t: v128): v128 {
  const upper = f64x2.splat(UPPER);
  const below = v128.not(f64x2.ge(t, f64x2.splat(LOWER)));
  const above = f64x2.ge(t, upper);
  let v = t;
  if (v128.any_true(below)) {
    const ofExp = v128.not(f64x2.gt(t, f64x2.splat(-10))); // NaN too
    v = belowTable(t);
    if (i64x2.all_true(ofExp)) return v;
  }
  const beyond = v128.or(below, above);
  if (!i64x2.all_true(beyond)) v = v128.bitselect(v, fromTable(v128.bitselect(f64x2.splat(0), t, beyond)), below);
  if (v128.any_true(above)) v = v128.bitselect(aboveTable(f64x2.pmax(t, upper)), v, above);
  return v;
}

/** V of a pair. Inlined: in a loop, only pairs beyond the table pay for a call. */
// @ts-ignore: decorator
@inline
export function lambertWExpPair(t: v128): v128 {
  const inside = v128.and(f64x2.ge(t, f64x2.splat(LOWER)), f64x2.lt(t, f64x2.splat(UPPER)));
  return i64x2.all_true(inside) ? fromTable(t) : anywhere(t);
}

/** V of tPtr: f64[n] into outPtr: f64[n]; may be in place. Both must have room for an even number of elements. */
export function lambertWExpInto(tPtr: usize, n: i32, outPtr: usize): void {
  const end = <usize>n << 3;
  for (let o: usize = 0; o < end; o += 16) v128.store(outPtr + o, lambertWExpPair(v128.load(tPtr + o)));
}
