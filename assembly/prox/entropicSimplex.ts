import { at, put } from "../linalg/simd";
import { expOf } from "../math/logistic";
import { largest } from "../select/largest";

/** Cutting a few more entries each time ends in a handful of passes; after this many, bisection takes over. */
const CUTTING_PASSES: i32 = 24;
const BISECTIONS: i32 = 1100;

/**
 * Entropic projection   min <x, log x> - <a, x>   over   sum x = r, 0 <= x <= hi.
 *
 * x_j = min(exp(a_j - t), hi). With U the entries at hi, t = log sum_(not U) exp a - log(r - |U| hi). From U empty on,
 * cutting what is above hi hands its excess to the rest and lowers t, until nothing more is above.
 *
 * With hi finite, let q be the ceil(r/hi)-th largest. The entries above it take less than r, and what is left falls to the
 * others, so t <= q + log((n - ceil + 1)/(r - (ceil - 1) hi)). t is kept relative to q, and what is above hi even at that
 * bound is at hi from the start: a - t would cancel where |a| is large.
 *
 * aPtr: f64[n]; xPtr: f64[n], result. Requires n >= 1, r > 0 and r <= n hi; hi may be Infinity. O(n) expected.
 */
export function entropicSimplex(aPtr: usize, n: i32, r: f64, hi: f64, xPtr: usize): void {
  if (hi * <f64>n <= r) {
    for (let j = 0; j < n; ++j) put<f64>(xPtr, j, hi);
    return;
  }
  // A quotient that is an integer up to rounding counts as that integer.
  const rank = hi < r ? <i32>Math.min(Math.max(Math.ceil((r / hi) * (1 - 1e-12)), 1), <f64>n) : 1;
  largest(aPtr, n, rank, xPtr);
  const pivot = at<f64>(xPtr, rank - 1);
  const logHi = Math.log(hi);
  let t = Infinity;
  if (rank > 1) t = Math.log(<f64>(n - rank + 1) / (r - <f64>(rank - 1) * hi));

  let size = -1;
  let settled = false;
  for (let pass = 0; !settled && pass < CUTTING_PASSES; ++pass) {
    let cut = 0;
    let shift = -Infinity;
    for (let j = 0; j < n; ++j) {
      const a = at<f64>(aPtr, j) - pivot;
      if (a - t > logHi) ++cut;
      else shift = Math.max(shift, a);
    }
    const rest = cut > 0 ? r - <f64>cut * hi : r;
    settled = cut == size || rest <= 0;
    if (settled) break;
    size = cut;
    let total: f64 = 0;
    for (let j = 0; j < n; ++j) {
      const a = at<f64>(aPtr, j) - pivot;
      if (!(a - t > logHi)) total += expOf(a - shift);
    }
    t = shift + Math.log(total) - Math.log(rest);
  }
  if (!settled) {
    // The root is below the last t: cutting has not gone far enough yet.
    let upper = t;
    let width: f64 = 1;
    let lower = upper - width;
    for (let i = 0; i < BISECTIONS && cutSum(aPtr, n, pivot, lower, hi, logHi) < r; ++i) {
      upper = lower;
      width *= 2;
      lower -= width;
    }
    for (let i = 0; i < BISECTIONS && upper - lower > 2.3e-16 * Math.abs(lower); ++i) {
      const middle = lower + 0.5 * (upper - lower);
      if (middle == lower || middle == upper) break;
      if (cutSum(aPtr, n, pivot, middle, hi, logHi) < r) upper = middle;
      else lower = middle;
    }
    t = lower;
  }
  // exp has the rounding of its argument, so what is not at hi is scaled to the sum that it has to have.
  let rest = r;
  let total: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const x = cutExp(at<f64>(aPtr, j) - pivot - t, hi, logHi);
    put<f64>(xPtr, j, x);
    if (x < hi) total += x;
    else rest -= hi;
  }
  const scale = total > 0 && rest > 0 ? rest / total : 1;
  for (let j = 0; j < n; ++j) {
    const x = at<f64>(xPtr, j);
    if (x < hi) put<f64>(xPtr, j, Math.min(x * scale, hi));
  }
}

/** min(e^x, hi). */
// @ts-ignore: decorator
@inline
function cutExp(x: f64, hi: f64, logHi: f64): f64 {
  return x >= logHi ? hi : Math.min(expOf(x), hi);
}

function cutSum(aPtr: usize, n: i32, pivot: f64, t: f64, hi: f64, logHi: f64): f64 {
  let total: f64 = 0;
  for (let j = 0; j < n; ++j) total += cutExp(at<f64>(aPtr, j) - pivot - t, hi, logHi);
  return total;
}
