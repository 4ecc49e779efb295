import { at, sumLanes } from "../linalg/simd";
import { fill } from "../linalg/vectors";
import { expInline } from "../math/expLog";
import { maximum } from "../math/logSumExp";
import { largest } from "../select/largest";

/** Cutting a few more entries each time ends in a handful of passes; after this many, bisection takes over. */
const CUTTING_PASSES: i32 = 24;
const BISECTIONS: i32 = 1100;
/** e_j above this are at hi whatever hi: less than a part in 1e16 of r is never left for the others. */
const OVERFLOWING: f64 = 1e290;

/**
 * Entropic projection   min <x, log x> - <a, x>   over   sum x = r, 0 <= x <= hi.
 *
 * x_j = min(c e_j, hi), e_j = exp(a_j - q). With U the entries at hi, c = (r - |U| hi) / sum_(not U) e. From U empty
 * on, cutting what is above hi hands its excess to the rest and raises c, until nothing more is above.
 *
 * q is the ceil(r/hi)-th largest a. The entries above it take less than r, so that it is not at hi itself but by
 * rounding, and everything that matters beside it has digits: what overflows is at hi, what underflows is nothing. What
 * is left by those above falls to the others, so c >= (r - (ceil - 1) hi)/(n - ceil + 1), and what is above hi even at
 * that is at hi from the start.
 *
 * aPtr: f64[n]; xPtr: f64[n + 2], result. Requires n >= 1, r > 0 and r <= n hi; hi may be Infinity. O(n) expected.
 */
export function entropicSimplex(aPtr: usize, n: i32, r: f64, hi: f64, xPtr: usize): void {
  if (hi * <f64>n <= r) {
    fill(xPtr, n, hi);
    return;
  }
  let pivot: f64;
  let limit = Infinity; // hi/c: what is above is at hi
  if (hi < r) {
    // A quotient that is an integer up to rounding counts as that integer.
    const rank = <i32>Math.min(Math.ceil((r / hi) * (1 - 1e-15)), <f64>n);
    largest(aPtr, n, rank, xPtr);
    pivot = at<f64>(xPtr, rank - 1);
    const rest = r - <f64>(rank - 1) * hi;
    limit = OVERFLOWING;
    if (rest > 0) limit = Math.min((hi * <f64>(n - rank + 1)) / rest, OVERFLOWING);
  } else {
    pivot = maximum(aPtr, n);
  }
  const end = <usize>n << 3;
  const pairs = end & ~15;
  let all = f64x2.splat(0);
  for (let o: usize = 0; o < pairs; o += 16) {
    const e = expInline(f64x2.sub(v128.load(aPtr + o), f64x2.splat(pivot)));
    v128.store(xPtr + o, e);
    all = f64x2.add(all, e);
  }
  if (pairs < end) {
    v128.store(xPtr + pairs, expInline(f64x2.sub(v128.load(aPtr + pairs), f64x2.splat(pivot))));
    store<f64>(xPtr + end, 0); // an odd last lane must not count
    all = f64x2.add(all, v128.load(xPtr + pairs));
  }

  let settled = hi == Infinity; // then there is nothing to cut
  let c: f64 = settled ? r / sumLanes<f64>(all) : 0;
  let size = -1;
  for (let pass = 0; !settled && pass < CUTTING_PASSES; ++pass) {
    let below = f64x2.splat(0);
    let above = i64x2.splat(0);
    for (let o: usize = 0; o < end; o += 16) {
      const e = v128.load(xPtr + o);
      const cut = f64x2.gt(e, f64x2.splat(limit));
      below = f64x2.add(below, v128.andnot(e, cut));
      above = i64x2.sub(above, cut);
    }
    const cut = <i32>sumLanes<i64>(above);
    const rest = cut > 0 ? r - <f64>cut * hi : r;
    settled = cut == size || rest <= 0;
    if (settled) break;
    size = cut;
    const total = sumLanes<f64>(below);
    settled = total == 0; // nothing left to share
    if (total > 0) c = rest / total;
    limit = Math.min(hi / c, OVERFLOWING);
  }
  if (!settled) {
    // The root is above the last c: cutting has not gone far enough yet.
    let lower = c;
    let upper = 2 * c;
    for (let i = 0; i < BISECTIONS && cutSum(xPtr, end, upper, hi) < r; ++i) {
      lower = upper;
      upper *= 2;
    }
    for (let i = 0; i < BISECTIONS; ++i) {
      c = lower + 0.5 * (upper - lower);
      if (c == lower || c == upper) break;
      if (cutSum(xPtr, end, c, hi) < r) lower = c;
      else upper = c;
    }
  }
  for (let o: usize = 0; o < end; o += 16) {
    v128.store(xPtr + o, f64x2.pmin(f64x2.mul(v128.load(xPtr + o), f64x2.splat(c)), f64x2.splat(hi)));
  }
}

function cutSum(ePtr: usize, end: usize, c: f64, hi: f64): f64 {
  let total = f64x2.splat(0);
  for (let o: usize = 0; o < end; o += 16) {
    total = f64x2.add(total, f64x2.pmin(f64x2.mul(v128.load(ePtr + o), f64x2.splat(c)), f64x2.splat(hi)));
  }
  return sumLanes<f64>(total);
}
