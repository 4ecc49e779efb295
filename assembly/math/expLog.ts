/**
 * exp and log of two float64 at a time, to 1 ulp, or of four float32, where each says how close it is. What the tests
 * measure is V, which is made of them outside its table. Numbers in, numbers out: exp gives 0 and Infinity beyond its
 * range, but see `exp32`; log is for positive normal numbers only.
 */

import { splatAt } from "../linalg/simd";

// Constants stand in memory: from there one is a single instruction, in the code it is three, in every turn of a loop.
const one = memory.data<f64>([1]);
const oneHalf = memory.data<f64>([0.5]);
const two = memory.data<f64>([2]);
const log2E = memory.data<f64>([1.4426950408889634]);
/** ln 2 in two parts: the first has 32 trailing zero bits, so that k times it is exact for every exponent k. */
export const ln2High = memory.data<f64>([6.93147180369123816490e-1]);
export const ln2Low = memory.data<f64>([1.90821492927058770002e-10]);
/** Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum. */
export const toInteger = memory.data<f64>([6755399441055744]);
/** The bits of sqrt(1/2): the split into 2^k (1 + f) is there, where |f| is smallest. */
export const sqrtHalf = memory.data<i64>([0x3fe6a09e667f3bcd]);
/** The bits of 1 less those: with them added, the bits of x change their exponent at sqrt(1/2) rather than at 1. */
const oneLessSqrtHalf = memory.data<i64>([0x00095f619980c433]);
const mantissa = memory.data<i64>([0x000fffffffffffff]);
const bias = memory.data<i64>([1023]);
/** 2^52, whose low bits are those of a whole number added to it, and 2^52 + 1023. */
const two52 = memory.data<f64>([4503599627370496]);
const two52AndBias = memory.data<f64>([4503599627371519]);
/** Beyond these, exp is 0 or Infinity. */
const lowest = memory.data<f64>([-760]);
const highest = memory.data<f64>([720]);

// The same for float32; k times the first part of ln 2 is exact for |k| < 2^9.
export const one32 = memory.data<f32>([1]);
const oneHalf32 = memory.data<f32>([0.5]);
const two32 = memory.data<f32>([2]);
const log2E32 = memory.data<f32>([1.4426950408889634]);
const ln2High32 = memory.data<f32>([0.693359375]);
const ln2Low32 = memory.data<f32>([-2.12194440e-4]);
export const toInteger32 = memory.data<f32>([12582912]);
const sqrtHalf32 = memory.data<i32>([0x3f3504f3]);
const lowest32 = memory.data<f32>([-87]);
const highest32 = memory.data<f32>([88.8]);

/** a + b x. */
// @ts-ignore: decorator
@inline
export function line<S>(x: v128, a: f64, b: f64): v128 {
  return v128.add<S>(v128.splat<S>(<S>a), v128.mul<S>(v128.splat<S>(<S>b), x));
}

/**
 * q of e^r = 1 + r + r^2 q(r) with the least relative error of e^r on |r| <= (ln 2)/2, 4e-18: nearly 1/2!, 1/3!, ...,
 * 1/11!, two terms fewer than Taylor's series wants.
 */
const quotient = memory.data<f64>([
  0.5000000000000011, 0.1666666666666641, 0.041666666666529725, 0.008333333333494978, 0.001388888894376007,
  0.00019841269505769377, 2.4801492949514462e-5, 2.7557586808315326e-6, 2.763030629483995e-7, 2.500001729189504e-8,
]);

/**
 * R of 2 atanh(s) = 2 s + s z R(z), z = s^2, with the least relative error of that for e^(2 atanh s) in [sqrt(1/2),
 * sqrt 2], 2e-18: nearly 2/3, 2/5, ..., 2/15, four terms fewer than Taylor's series wants.
 */
const inverseTangent = memory.data<f64>([
  0.6666666666666734, 0.3999999999941469, 0.28571428742385196, 0.22222198573342272, 0.18183564321357798,
  0.15314050608766674, 0.14795949634289432,
]);

/** Taylor's series of the same q to 1/6!, and the series of R to 2/9, for float32. */
const quotient32 = memory.data<f32>([0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889]);
const inverseTangent32 = memory.data<f32>([0.6666666666666666, 0.4, 0.2857142857142857, 0.2222222222222222]);

/** The coefficients i and i + 1 of those as a line in x. */
// @ts-ignore: decorator
@inline
function lineOf<S>(coefficients: usize, i: usize, x: v128): v128 {
  const ptr = coefficients + (i << alignof<S>());
  return v128.add<S>(splatAt<S>(ptr), v128.mul<S>(splatAt<S>(ptr + sizeof<S>()), x));
}

/**
 * e^x. Cody-Waite reduction x = k ln 2 + r, |r| <= (ln 2)/2, a polynomial of degree 11, and scaling by 2^k in two
 * factors so that subnormal results are reached without a wrong exponent. Inline for a loop that does little else: an
 * eighth less time there.
 */
// @ts-ignore: decorator
@inline
export function expInline(x: v128): v128 {
  // Beyond these bounds the result is 0 or Infinity anyway; clamping keeps the exponent arithmetic in range.
  x = f64x2.pmin(f64x2.pmax(x, splatAt<f64>(lowest)), splatAt<f64>(highest));
  const shifted = f64x2.add(f64x2.mul(x, splatAt<f64>(log2E)), splatAt<f64>(toInteger));
  const k = f64x2.sub(shifted, splatAt<f64>(toInteger));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(k, splatAt<f64>(ln2High))), f64x2.mul(k, splatAt<f64>(ln2Low)));

  // e^r = 1 + r + r^2 q(r). Estrin's scheme: the time goes into waiting for one product to feed the next, and this has
  // 4 in a row where Horner's has 10.
  const r2 = f64x2.mul(r, r);
  const r4 = f64x2.mul(r2, r2);
  const q0 = lineOf<f64>(quotient, 0, r);
  const q2 = lineOf<f64>(quotient, 2, r);
  const q4 = lineOf<f64>(quotient, 4, r);
  const q6 = lineOf<f64>(quotient, 6, r);
  const q8 = lineOf<f64>(quotient, 8, r);
  const low = f64x2.add(q0, f64x2.mul(q2, r2));
  const high = f64x2.add(f64x2.add(q4, f64x2.mul(q6, r2)), f64x2.mul(r4, q8));
  const q = f64x2.add(low, f64x2.mul(r4, high));
  let p = f64x2.add(splatAt<f64>(one), f64x2.add(r, f64x2.mul(q, r2)));

  // The low bits of `shifted` hold k in two's complement, of which the upper half is nothing but its sign. Processors
  // shift two halves with their signs in one instruction, and a whole in five.
  const bits = i64x2.sub(shifted, splatAt<f64>(toInteger));
  const half = i32x4.shr_s(bits, 1);
  const rest = i64x2.sub(bits, half);
  p = f64x2.mul(p, i64x2.shl(i64x2.add(half, splatAt<f64>(bias)), 52));
  return f64x2.mul(p, i64x2.shl(i64x2.add(rest, splatAt<f64>(bias)), 52));
}

/** `expInline` as a function. */
export function exp(x: v128): v128 {
  return expInline(x);
}

/**
 * e^x of four float32, with a relative error of at most 3e-7; 0 below -87, where the results of float32 lose digits;
 * above 88.7, where they overflow, it is no number. The same reduction, Taylor polynomial of degree 6 (remainder below
 * 1.3e-7).
 */
export function exp32(x: v128): v128 {
  const inRange = f32x4.ge(x, splatAt<f32>(lowest32));
  x = f32x4.pmin(f32x4.pmax(x, splatAt<f32>(lowest32)), splatAt<f32>(highest32));
  const shifted = f32x4.add(f32x4.mul(x, splatAt<f32>(log2E32)), splatAt<f32>(toInteger32));
  const k = f32x4.sub(shifted, splatAt<f32>(toInteger32));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(k, splatAt<f32>(ln2High32))), f32x4.mul(k, splatAt<f32>(ln2Low32)));
  const r2 = f32x4.mul(r, r);
  const high = f32x4.mul(v128.load32_splat(quotient32, 16), r2);
  const q = f32x4.add(lineOf<f32>(quotient32, 0, r), f32x4.mul(r2, f32x4.add(lineOf<f32>(quotient32, 2, r), high)));
  const p = f32x4.add(splatAt<f32>(one32), f32x4.add(r, f32x4.mul(r2, q)));
  // k <= 128: the power of two is added to the exponent of p, which is at most 2.
  return v128.and(i32x4.add(p, i32x4.shl(i32x4.sub(shifted, splatAt<f32>(toInteger32)), 23)), inRange);
}

/**
 * log x for x > 0, x normal. x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), log(1 + f) = 2 atanh(f / (2 + f)),
 * summed so that the leading part f - f^2/2 is exact to the last bit or two.
 */
export function log(x: v128): v128 {
  const shifted = i64x2.add(x, splatAt<f64>(oneLessSqrtHalf));
  const rest = i64x2.add(v128.and(shifted, splatAt<f64>(mantissa)), splatAt<f64>(sqrtHalf));
  const k = f64x2.sub(v128.or(i64x2.shr_u(shifted, 52), splatAt<f64>(two52)), splatAt<f64>(two52AndBias));

  const f = f64x2.sub(rest, splatAt<f64>(one));
  const s = f64x2.div(f, f64x2.add(f, splatAt<f64>(two)));
  const z = f64x2.mul(s, s);
  const z2 = f64x2.mul(z, z);
  const R0 = f64x2.add(lineOf<f64>(inverseTangent, 0, z), f64x2.mul(lineOf<f64>(inverseTangent, 2, z), z2));
  const R4 = f64x2.add(lineOf<f64>(inverseTangent, 4, z), f64x2.mul(v128.load64_splat(inverseTangent, 48), z2));
  const R = f64x2.mul(z, f64x2.add(R0, f64x2.mul(f64x2.mul(z2, z2), R4)));
  // 2s = f - s f, and f^2/2 - s (f^2/2) = s f: so log(1 + f) = f - (f^2/2 - s (f^2/2 + R)).
  const h = f64x2.mul(f64x2.mul(splatAt<f64>(oneHalf), f), f);
  const tail = f64x2.add(f64x2.mul(s, f64x2.add(h, R)), f64x2.mul(k, splatAt<f64>(ln2Low)));
  return f64x2.add(f64x2.mul(k, splatAt<f64>(ln2High)), f64x2.sub(f, f64x2.sub(h, tail)));
}

/** log x of four float32 > 0, normal, with a relative error of at most 3e-7. The same reduction. */
export function log32(x: v128): v128 {
  const exponent = i32x4.shr_s(i32x4.sub(x, splatAt<f32>(sqrtHalf32)), 23);
  const f = f32x4.sub(i32x4.sub(x, i32x4.shl(exponent, 23)), splatAt<f32>(one32));
  const k = f32x4.convert_i32x4_s(exponent);
  const s = f32x4.div(f, f32x4.add(f, splatAt<f32>(two32)));
  const z = f32x4.mul(s, s);
  const high = f32x4.mul(f32x4.mul(z, z), lineOf<f32>(inverseTangent32, 2, z));
  const R = f32x4.mul(z, f32x4.add(lineOf<f32>(inverseTangent32, 0, z), high));
  const h = f32x4.mul(f32x4.mul(splatAt<f32>(oneHalf32), f), f);
  const tail = f32x4.add(f32x4.mul(s, f32x4.add(h, R)), f32x4.mul(k, splatAt<f32>(ln2Low32)));
  return f32x4.add(f32x4.mul(k, splatAt<f32>(ln2High32)), f32x4.sub(f, f32x4.sub(h, tail)));
}

/** exp and log of the lanes of S. */
// @ts-ignore: decorator
@inline
export function expOfLanes<S>(x: v128): v128 {
  return sizeof<S>() == 4 ? exp32(x) : exp(x);
}
// @ts-ignore: decorator
@inline
export function logOfLanes<S>(x: v128): v128 {
  return sizeof<S>() == 4 ? log32(x) : log(x);
}

/** The smallest normal number of S, or little more. */
// @ts-ignore: decorator
@inline
export function smallest<S>(): v128 {
  return sizeof<S>() == 4 ? f32x4.splat(1.2e-38) : f64x2.splat(2.3e-308);
}
