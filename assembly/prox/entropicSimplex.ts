import { at, put } from "../linalg/simd";
import { exp } from "../math/expLog";
import { maximum, sumExp } from "../math/logSumExp";

/** Cutting a few more entries each time ends in a handful of passes; after this many, bisection takes over. */
const CUTTING_PASSES: i32 = 24;
const BISECTIONS: i32 = 128;

/**
 * Entropic projection   min <x, log x> - <a, x>   over   sum x = r, 0 <= x <= hi.
 *
 * x_j = min(exp(a_j - t), hi). With U the entries at hi, t = log sum_(not U) exp a - log(r - |U| hi): cutting those above hi
 * raises t... until no entry is above. PAMI 2018, section 4 (the entropic case). aPtr: f64[n]; xPtr: f64[n], result.
 * Requires r > 0 and r <= n hi.
 */
export function entropicSimplex(aPtr: usize, n: i32, r: f64, hi: f64, xPtr: usize): void {
  if (hi * <f64>n <= r) {
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, hi);
    return;
  }
  const top = maximum(aPtr, n);
  const logHi = Math.log(hi);
  let t = top + Math.log(sumExp(aPtr, n, top)) - Math.log(r);
  let size = 0;
  let settled = !(top - t > logHi);
  for (let pass = 0; !settled && pass < CUTTING_PASSES; ++pass) {
    // Entries above the bound at this t; t only falls, since what is cut is handed to the rest.
    let cut = 0;
    let largestRest = -Infinity;
    for (let j = 0; j < n; ++j) {
      const a = at<f64>(aPtr, j);
      if (a - t > logHi) ++cut;
      else largestRest = Math.max(largestRest, a);
    }
    settled = cut == size;
    size = cut;
    if (!settled) t = restThreshold(aPtr, n, t, logHi, largestRest, r - <f64>cut * hi);
  }
  if (!settled) {
    let upper = t;
    let lower = t - 1;
    for (let i = 0; i < BISECTIONS && cutSum(aPtr, n, lower, hi, logHi) < r; ++i) lower = upper - 2 * (upper - lower);
    for (let i = 0; i < BISECTIONS && upper - lower > 2.3e-16 * Math.abs(lower); ++i) {
      const middle = lower + 0.5 * (upper - lower);
      if (cutSum(aPtr, n, middle, hi, logHi) < r) upper = middle;
      else lower = middle;
    }
    t = lower;
  }
  for (let j = 0; j < n; ++j) {
    put<f64>(xPtr, j, Math.min(f64x2.extract_lane(exp(f64x2.splat(at<f64>(aPtr, j) - t)), 0), hi));
  }
}

/** log sum exp of the entries that are not above the bound at t, minus log of what they have to sum to. */
function restThreshold(aPtr: usize, n: i32, t: f64, logHi: f64, shift: f64, r: f64): f64 {
  let total: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const a = at<f64>(aPtr, j);
    if (a - t <= logHi) total += f64x2.extract_lane(exp(f64x2.splat(a - shift)), 0);
  }
  return shift + Math.log(total) - Math.log(r);
}

function cutSum(aPtr: usize, n: i32, t: f64, hi: f64, logHi: f64): f64 {
  let total: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const e = at<f64>(aPtr, j) - t;
    total += e >= logHi ? hi : f64x2.extract_lane(exp(f64x2.splat(e)), 0);
  }
  return total;
}
