import { minLane, put, sumLanes } from "../linalg/simd";
import { fill } from "../linalg/vectors";
import { maximum } from "../math/logSumExp";
import { clampInto, knapsack } from "./knapsack";

/** After so many Newton steps, which are few for numbers that come up in practice, variables are fixed instead. */
const NEWTON_STEPS: i32 = 24;

/**
 * Biased projection onto the simplex:   min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over  0 <= x,  sum x <= r.
 *
 * x_j = max(b_j - t, 0), where t is the root of the convex decreasing  sum_j max(b_j - t, 0) - min(r, t/rho). Newton's
 * method comes from the left: from where the root would be if only some elements counted, the largest or those of a
 * guess. Then elements leave, and when none does t is exact. At the dimensions of losses that is quicker than to fix
 * variables, one by one, as `knapsack` does; where elements leave a few at a time that is quicker. As in
 * `knapsackEquality` the largest b goes first.
 *
 * bPtr, xPtr: f64[n + 1], of which the last may be written to; workPtr: f64[n]; all distinct. n >= 1, r > 0, rho >= 0.
 * guessed: xPtr holds a guess at which elements are positive.
 */
export function simplex(bPtr: usize, n: i32, r: f64, rho: f64, guessed: bool, xPtr: usize, workPtr: usize): void {
  const top = maximum(bPtr, n);
  if (top <= 0) {
    fill(xPtr, n, 0);
    return;
  }
  if (n == 1) {
    put<f64>(xPtr, 0, Math.min(r, top / (1 + rho)));
    return;
  }
  if (n & 1) put<f64>(bPtr, n, -Infinity);
  const end = bPtr + (<usize>((n + 1) & -2) << 3);
  const pivot = f64x2.splat(top);
  const zero = f64x2.splat(0);
  let count: f64 = 1;
  let t = Math.max(-r, -top / (1 + rho)); // less the pivot
  if (guessed) {
    if (n & 1) put<f64>(xPtr, n, 0);
    let sums = zero;
    let counts = zero;
    let lowest = zero;
    for (let p = bPtr, x = xPtr; p < end; p += 16, x += 16) {
      const positive = f64x2.gt(v128.load(x), zero);
      const b = v128.and(f64x2.sub(v128.load(p), pivot), positive);
      sums = f64x2.add(sums, b);
      lowest = f64x2.pmin(lowest, b);
      counts = i64x2.sub(counts, positive);
    }
    const size = <f64>sumLanes<i64>(counts);
    const total = sumLanes<f64>(sums);
    const root = Math.max((total - r) / size, (rho * total - top) / (1 + rho * size));
    if (size > 0 && root > t) {
      t = root;
      // Where all of them are above it, and as many as are above it, they are those.
      count = minLane(lowest) > t ? size : 0;
    }
  }
  for (let step = 0; ; ++step) {
    if (step == NEWTON_STEPS) {
      knapsack(bPtr, n, Infinity, r, rho, xPtr, workPtr);
      return;
    }
    const level = f64x2.splat(t);
    let sums = zero;
    let counts = zero;
    for (let p = bPtr; p < end; p += 16) {
      const x = f64x2.sub(f64x2.sub(v128.load(p), pivot), level);
      sums = f64x2.add(sums, f64x2.pmax(zero, x));
      counts = i64x2.sub(counts, f64x2.gt(x, zero));
    }
    const last = count;
    count = <f64>sumLanes<i64>(counts);
    // As a change of t: that of the last step, when none leaves, takes away the rounding of the sums before.
    const total = sumLanes<f64>(sums);
    t += Math.max((total - r) / count, (rho * total - (t + top)) / (1 + rho * count));
    if (count == last) break;
  }
  clampInto(bPtr, n, top, t, Infinity, xPtr);
}
