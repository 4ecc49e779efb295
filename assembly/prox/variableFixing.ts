import { at, put } from "../linalg/simd";
import { sum, sumClamped } from "../linalg/vectors";
import { FIRST_DRAW, nextDraw, placeDrawn } from "../math/draw";

/** After this many Newton steps every other trial point is a breakpoint: see `threshold`. */
const NEWTON_STEPS: i32 = 8;

/**
 * Root t of   sum_j min(max(a_j - t, 0), hi) = r + weight t,   the threshold of a continuous quadratic knapsack.
 *
 * Variable fixing after Kiwiel, *Variable fixing algorithms for the continuous quadratic knapsack problem* (JOTA 136,
 * 2008): take the root as if every undecided element were strictly between its bounds, compare what was cut off above
 * with what was cut off below, and fix the elements on the losing side. The root stays between the trial points that
 * were too low and too high; elements decided by that bracket leave the list. On data made for it (geometric sequences)
 * fixing alone is quadratic, so from the ninth pass on every other trial point is a breakpoint of an element drawn from
 * the list, which settles half of the rest on average: O(n) expected, and each pass removes a breakpoint, so it ends.
 *
 * aPtr: f64[n], destroyed. hi > 0, may be Infinity; weight >= 0. With weight = 0: 0 < r <= n hi.
 * When all elements end at a bound the root is an interval and one of its points is returned.
 */
export function threshold(aPtr: usize, n: i32, hi: f64, r: f64, weight: f64): f64 {
  let count = n; // undecided elements: aPtr[0..count)
  let inner: f64 = weight; // number of elements known to be strictly inside, plus the weight
  let innerSum: f64 = -r; // sum of those, plus hi for each at its upper bound, minus r
  let tooLow = -Infinity;
  let tooHigh = Infinity;
  let draw = FIRST_DRAW;

  for (let pass = 0; count > 0; ++pass) {
    const newton = (innerSum + sum(aPtr, count)) / (inner + <f64>count);
    let t = newton;
    if (pass >= NEWTON_STEPS && (pass & 1) == 1) {
      draw = nextDraw(draw);
      const a = at<f64>(aPtr, placeDrawn(draw, count));
      t = a > tooLow && a < tooHigh ? a : a - hi;
    }
    t = Math.min(Math.max(t, tooLow), tooHigh);

    // balance = what the elements sum to at t, minus r + weight t: decreasing in t.
    const balance = innerSum - inner * t + sumClamped(aPtr, count, t, hi);
    if (balance > 0) tooLow = t;
    else if (balance < 0) tooHigh = t;
    else return t;

    let kept = 0;
    for (let j = 0; j < count; ++j) {
      const a = at<f64>(aPtr, j);
      if (a <= tooLow) continue; // at 0
      if (a - hi >= tooHigh) {
        innerSum += hi; // at hi
      } else if (a >= tooHigh && a - hi <= tooLow) {
        innerSum += a; // strictly inside
        inner += 1;
      } else {
        put<f64>(aPtr, kept++, a);
      }
    }
    // A Newton point with nothing cut off on the losing side is the root. Its balance, a sum of small differences, is
    // the rounding of the large sums it was computed from, and takes it away again.
    if (kept == count && (t == newton || tooLow == tooHigh || pass > 4 * n + 64)) {
      return t == newton ? t + balance / (inner + <f64>count) : t;
    }
    count = kept;
  }
  if (inner > 0) return Math.min(Math.max(innerSum / inner, tooLow), tooHigh);
  return tooLow > -Infinity ? tooLow : tooHigh;
}
