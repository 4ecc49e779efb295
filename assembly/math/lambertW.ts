import { at, put, splatAt } from "../linalg/simd";
import { exp, exp32, ln2High, ln2Low, log, log32, one32, sqrtHalf, toInteger, toInteger32 } from "./expLog";

/**
 * V(t) = W(e^t), the solution v > 0 of v + log v = t, of two float64 at a time. At most 2.5 ulp on [-700, 1e6],
 * monotone down to a few units in the last place; -Infinity gives 0, Infinity gives Infinity. test/prox/lambert.test.ts
 * measures it.
 *
 * On [-13, 10] it is a polynomial in the distance from the nearest of 185 nodes, from a table: nothing to divide or to
 * iterate. Below, W(u) = u - u^2 + ... with u = e^t; above, an iteration.
 */

/** Nodes are the multiples of 1/8 from -13 to 10, and each serves 1/16 to both sides. */
const PER_UNIT: f64 = 8;
const FIRST: i32 = -104;
const COUNT: i32 = 185;
// In memory for the sake of loops, as in expLog.
const lower = memory.data<f64>([-13.0625]);
const upper = memory.data<f64>([10.0625]);
const perUnit = memory.data<f64>([8]);
const perNode = memory.data<f64>([0.125]);
const lower32 = memory.data<f32>([-13.0625]);
const upper32 = memory.data<f32>([10.0625]);
const perUnit32 = memory.data<f32>([8]);
const perNode32 = memory.data<f32>([0.125]);
/** Bytes of the polynomials and, for a moment, of the two coefficients more that `fillNode` needs. */
const TABLE_BYTES: i32 = COUNT * 64 + 16;
/**
 * The polynomials: f64[185][8], a cache line each. Not in the binary (a new memory is zero); filled at instantiation.
 */
const table: usize = memory.data(TABLE_BYTES + COUNT * 16, 64);
/** The same cut to degree 3 for float32: f32[185][4]. */
const table32: usize = table + TABLE_BYTES;

/**
 * Fills the table node by node. V at a node comes from the series at the node before and one step of Newton's method,
 * whose residual t - v - log v must have digits to spare: with v = 2^k (1 + f) and log(1 + f) = f - rest as in `log`,
 * the large differences t - k ln 2 and that minus f are exact.
 */
function fillTable(): void {
  const u = f64x2.extract_lane(exp(f64x2.splat(<f64>FIRST / PER_UNIT)), 0);
  let v = u - u * u; // W(u) to 1e-12: the step doubles the digits
  for (let node = 0; node < COUNT; ++node) {
    const t = <f64>(FIRST + node) / PER_UNIT;
    const exponent = (reinterpret<i64>(v) - load<i64>(sqrtHalf)) >> 52;
    const f = reinterpret<f64>(reinterpret<i64>(v) - (exponent << 52)) - 1;
    const k = <f64>exponent;
    const s = f / (2 + f);
    let R: f64 = 0;
    for (let i = 12; i > 0; --i) R = (R + 2 / <f64>(2 * i + 1)) * s * s;
    const h = 0.5 * f * f;
    const z = t - k * load<f64>(ln2High) - f - v + (h - s * (h + R)) - k * load<f64>(ln2Low);
    v = fillNode(table + (<usize>node << 6), table32 + (<usize>node << 4), v + (v * z) / (1 + v));
  }
}

/**
 * The polynomial at a node where V = v; returns V at the next node. V'(1 + V) = V, compared power by power, gives
 * Taylor's series
 *     (i + 1)(1 + c_0) c_(i+1) = c_i - sum_(l=1..i) (i + 1 - l) c_l c_(i+1-l),
 * and its powers 8 and 9 are replaced by lower ones, at most 1/100 as far away on [-1/16, 1/16] as leaving them out
 * would be: with x from -1 to 1, x^9 by what Chebyshev's T_9 leaves of it, x^8 by the same on [0, 1] for x^2, where c_0
 * has to stay. What is left is below 6e-17 of V.
 */
function fillNode(cPtr: usize, c32Ptr: usize, v: f64): f64 {
  put<f64>(cPtr, 0, v);
  for (let i = 0; i < 9; ++i) {
    let rest = at<f64>(cPtr, i); // c_8 and c_9 stand in the next node for the moment
    for (let l = 1; l <= i; ++l) rest -= <f64>(i + 1 - l) * at<f64>(cPtr, l) * at<f64>(cPtr, i + 1 - l);
    put<f64>(cPtr, i + 1, rest / (<f64>(i + 1) * (1 + v)));
  }
  let next: f64 = 0;
  for (let i = 9; i >= 0; --i) next = next / PER_UNIT + at<f64>(cPtr, i);
  // x^4 = x^2 - 1/8 leaves 1/8 of it: 8e-8 of V.
  const c4 = at<f64>(cPtr, 4) / 256;
  put<f32>(c32Ptr, 0, <f32>(v - c4 / 2048));
  put<f32>(c32Ptr, 1, <f32>at<f64>(cPtr, 1));
  put<f32>(c32Ptr, 2, <f32>(at<f64>(cPtr, 2) + c4));
  put<f32>(c32Ptr, 3, <f32>at<f64>(cPtr, 3));
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
  const shifted = f64x2.add(f64x2.mul(t, splatAt<f64>(perUnit)), splatAt<f64>(toInteger));
  const nearest = f64x2.sub(shifted, splatAt<f64>(toInteger));
  const d = f64x2.sub(t, f64x2.mul(nearest, splatAt<f64>(perNode)));
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

/**
 * V of t >= 10. The start t - log t + (log t)/t is off by 4e-3 at most, 3.3e-4 of V, and one step of Fritsch, Shafer
 * and Crowley (Algorithm 443, CACM 16, 1973) of fourth order takes it to rounding: with the residual z = t - v - log v,
 *     q = 2 (1 + v)(1 + v + 2z/3),   v <- v (1 + z/(1 + v) (q - z)/(q - 2z)).
 */
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

/**
 * Replaces what vPtr: f64[2] holds for lanes of t that are not in the range of the table. Below it, W(u) = u - u^2 +
 * 3/2 u^3, and the next term is less than 3e-17 u; NaN gives NaN. In memory: of values, the compiler would compute both
 * branches and select.
 */
function replaceBeyond(t: v128, vPtr: usize): void {
  const below = v128.not(f64x2.ge(t, splatAt<f64>(lower)));
  const above = f64x2.ge(t, splatAt<f64>(upper));
  if (v128.any_true(below)) {
    const u = exp(t);
    const w = f64x2.sub(f64x2.splat(1), f64x2.mul(u, f64x2.splat(1.5)));
    v128.store(vPtr, v128.bitselect(f64x2.sub(u, f64x2.mul(f64x2.mul(u, u), w)), v128.load(vPtr), below));
  }
  if (v128.any_true(above)) {
    v128.store(vPtr, v128.bitselect(aboveTable(f64x2.pmax(t, splatAt<f64>(upper))), v128.load(vPtr), above));
  }
}

/**
 * V(t_j - pivot - shift) of tPtr: f64[n] into outPtr: f64[n]; may be in place. Both have room for an even number of
 * elements.
 */
export function lambertWExpInto(tPtr: usize, n: i32, pivot: f64, shift: f64, outPtr: usize): void {
  const end = <usize>n << 3;
  for (let o: usize = 0; o < end; o += 16) {
    const t = f64x2.sub(f64x2.sub(v128.load(tPtr + o), f64x2.splat(pivot)), f64x2.splat(shift));
    const inside = v128.and(f64x2.ge(t, splatAt<f64>(lower)), f64x2.lt(t, splatAt<f64>(upper)));
    if (v128.any_true(inside)) v128.store(outPtr + o, fromTable(v128.and(t, inside)));
    if (!i64x2.all_true(inside)) replaceBeyond(t, outPtr + o);
  }
}

/** V of one number. */
export function lambertWExpOf(t: f64): f64 {
  store<f64>(scratch, t);
  lambertWExpInto(scratch, 1, 0, 0, scratch);
  return load<f64>(scratch);
}
const scratch: usize = memory.data(16, 16);

/** V of t: f32x4, all in the range of the table, by degree 3. */
// @ts-ignore: decorator
@inline
function fromTable32(t: v128): v128 {
  const shifted = f32x4.add(f32x4.mul(t, splatAt<f32>(perUnit32)), splatAt<f32>(toInteger32));
  const d = f32x4.sub(t, f32x4.mul(f32x4.sub(shifted, splatAt<f32>(toInteger32)), splatAt<f32>(perNode32)));
  // The node of t = 0, less what the bits of toInteger32 contribute modulo 2^32.
  const zero = table32 - (FIRST << 4) - (0x4b400000 << 4);
  const p = v128.load(zero + (i32x4.extract_lane(shifted, 0) << 4));
  const q = v128.load(zero + (i32x4.extract_lane(shifted, 1) << 4));
  const r = v128.load(zero + (i32x4.extract_lane(shifted, 2) << 4));
  const s = v128.load(zero + (i32x4.extract_lane(shifted, 3) << 4));
  const pq01 = v128.shuffle<f32>(p, q, 0, 4, 1, 5);
  const pq23 = v128.shuffle<f32>(p, q, 2, 6, 3, 7);
  const rs01 = v128.shuffle<f32>(r, s, 0, 4, 1, 5);
  const rs23 = v128.shuffle<f32>(r, s, 2, 6, 3, 7);
  const c0 = v128.shuffle<f64>(pq01, rs01, 0, 2);
  const c1 = v128.shuffle<f64>(pq01, rs01, 1, 3);
  const c2 = v128.shuffle<f64>(pq23, rs23, 0, 2);
  const c3 = v128.shuffle<f64>(pq23, rs23, 1, 3);
  return f32x4.add(c0, f32x4.mul(d, f32x4.add(c1, f32x4.mul(d, f32x4.add(c2, f32x4.mul(d, c3))))));
}

/**
 * V of t >= 10: the same start, and one step of Newton's method, which in exact arithmetic is off by 5e-9 of V at most.
 */
function aboveTable32(t: v128): v128 {
  const x = f32x4.pmin(t, f32x4.splat(1e18));
  const l = log32(x);
  const v = f32x4.add(f32x4.sub(x, l), f32x4.div(l, x));
  const z = f32x4.sub(f32x4.sub(x, v), log32(v));
  const next = f32x4.add(v, f32x4.div(f32x4.mul(v, z), f32x4.add(v, splatAt<f32>(one32))));
  return v128.bitselect(t, next, f32x4.gt(t, x));
}

/** V of what is not in the range of the table; what is gets anything. */
function beyondTable32(t: v128): v128 {
  const u = exp32(t);
  const v = f32x4.sub(u, f32x4.mul(u, u));
  const above = f32x4.ge(t, splatAt<f32>(upper32));
  if (!v128.any_true(above)) return v;
  return v128.bitselect(aboveTable32(f32x4.pmax(t, splatAt<f32>(upper32))), v, above);
}

/** V of t: f32x4, with a relative error of at most 5e-7; 0 below -87. */
// @ts-ignore: decorator
@inline
export function lambertWExp32(t: v128): v128 {
  const inside = v128.and(f32x4.ge(t, splatAt<f32>(lower32)), f32x4.lt(t, splatAt<f32>(upper32)));
  const v = fromTable32(v128.and(t, inside));
  return i32x4.all_true(inside) ? v : v128.bitselect(v, beyondTable32(t), inside);
}
