import { at, put, sumLanes } from "../linalg/simd";
import { fill } from "../linalg/vectors";
import { FIRST_DRAW, nextDraw, placeDrawn } from "../math/draw";
import { maximum } from "../math/logSumExp";
import { clampInto } from "./knapsack";

/** Newton's method ends within these passes on data of no particular form; then decided elements leave the lists ... */
const FULL_PASSES: i32 = 5;
/** ... and from here on every other trial point is a breakpoint. */
const NEWTON_PASSES: i32 = 10;
/** A side of its own starts from Newton's steps on its first 1/2^5. */
const SAMPLE_SHIFT: i32 = 5;
const SAMPLE_STEPS: i32 = 16;

/** What the last call of `above` or `narrow` found. */
let found: i32 = 0;
let foundSum: f64 = 0;

/** Sum and, in `found`, number of the positive v_j - top + c. vPtr: f64[n]. */
function above(vPtr: usize, n: i32, top: f64, c: f64): f64 {
  const zero = f64x2.splat(0);
  const tops = f64x2.splat(top);
  const levels = f64x2.splat(c);
  let s0 = zero;
  let s1 = zero;
  let k0 = zero;
  let k1 = zero;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const d0 = f64x2.add(f64x2.sub(v128.load(vPtr + (<usize>j << 3)), tops), levels);
    const d1 = f64x2.add(f64x2.sub(v128.load(vPtr + (<usize>j << 3), 16), tops), levels);
    const m0 = f64x2.gt(d0, zero);
    const m1 = f64x2.gt(d1, zero);
    s0 = f64x2.add(s0, v128.and(d0, m0));
    s1 = f64x2.add(s1, v128.and(d1, m1));
    k0 = i64x2.sub(k0, m0);
    k1 = i64x2.sub(k1, m1);
  }
  let count = <i32>sumLanes<i64>(i64x2.add(k0, k1));
  let sum = sumLanes<f64>(f64x2.add(s0, s1));
  for (; j < n; ++j) {
    const d = at<f64>(vPtr, j) - top + c;
    if (d > 0) {
      sum += d;
      ++count;
    }
  }
  found = count;
  return sum;
}

/**
 * Keeps in outPtr the v_j that are not yet decided by lower < c < upper: v_j - top + c positive at one end only.
 * Returns how many; `found` have it positive at both, and their v_j - top sum to `foundSum`. vPtr, outPtr: f64[n], may
 * be the same.
 */
function narrow(vPtr: usize, n: i32, top: f64, lower: f64, upper: f64, outPtr: usize): i32 {
  let kept = 0;
  let count = 0;
  let sum: f64 = 0;
  for (let j = 0; j < n; j += 2) {
    if (j + 1 < n) {
      const p = f64x2.sub(f64x2.splat(top), v128.load(vPtr + (<usize>j << 3)));
      if (!v128.any_true(f64x2.lt(p, f64x2.splat(upper)))) continue;
    }
    for (let i = j; i < min(j + 2, n); ++i) {
      const v = at<f64>(vPtr, i);
      const p = top - v;
      put<f64>(outPtr, kept, v);
      kept += i32(p > lower && p < upper);
      count += i32(p <= lower);
      sum -= select<f64>(p, 0, p <= lower);
    }
  }
  found = count;
  foundSum = sum;
  return kept;
}

/**
 * The level c in (0, D] at which   X(c) = sum_i max(a_i - topA + c, 0)   equals   Y(c) = sum_j max(b_j - topB + D - c,
 * 0), or r where m = 0. NaN as soon as both are seen to be above r, hence also where they meet.
 *
 * X - Y rises with c and is piecewise linear. Newton's method inside a bracket, with the pieces' slopes counted; it has
 * arrived when a step leaves both sets as they were. The bracket decides elements: those leave the lists, counted in
 * where they are positive all over it (a side's fixed sum is taken into the balance of that side: the published rule
 * has the two exchanged, and stalls). Where Newton's steps decide too little, drawn breakpoints settle half of the rest
 * on average, as in `threshold`: O(n + m) expected.
 *
 * aPtr: f64[n], bPtr: f64[m], kept; topA, topB: their largest; workPtr: f64[n + m].
 */
function level(
  aPtr: usize,
  n: i32,
  topA: f64,
  bPtr: usize,
  m: i32,
  topB: f64,
  D: f64,
  r: f64,
  workPtr: usize,
): f64 {
  const keptA = workPtr;
  const keptB = workPtr + (<usize>n << 3);
  const oneSided = m == 0;
  const passes = 4 * (n + m) + 64; // more than there is any need of: then halving, which ends
  let lower: f64 = 0;
  let upper = D;
  let c = oneSided ? D : 0.5 * D;
  // On part of a side the steps stay above the level of that part, which is above that of all: few elements are left,
  // or ...
  const sample = n >> SAMPLE_SHIFT;
  let target = r;
  let isNarrow = false;
  for (let step = 0; oneSided && step < SAMPLE_STEPS; ++step) {
    const excess = above(aPtr, sample, topA, c) - target;
    const next = c - excess / <f64>found;
    isNarrow = target == r && found <= sample >> 3;
    if (next > 0 && next < c) c = next;
    else if (isNarrow) break;
    else target = r / <f64>(1 << SAMPLE_SHIFT); // ... it is taken for a picture of all
  }
  if (isNarrow) upper = c;
  let countA: f64 = 0; // elements positive all over the bracket, and their sum relative to the largest
  let countB: f64 = 0;
  let sumA: f64 = 0;
  let sumB: f64 = 0;
  let lastA: f64 = -1;
  let lastB: f64 = -1;
  let isNewton = false;
  let draw = FIRST_DRAW;
  for (let pass = 0; ; ++pass) {
    if (isNarrow || pass > FULL_PASSES) {
      n = narrow(aPtr, n, topA, lower, upper, keptA);
      countA += <f64>found;
      sumA += foundSum;
      aPtr = keptA;
      m = narrow(bPtr, m, topB, D - upper, D - lower, keptB);
      countB += <f64>found;
      sumB += foundSum;
      bPtr = keptB;
      isNarrow = false;
    }
    const X = above(aPtr, n, topA, c) + (sumA + countA * c);
    const positiveA = countA + <f64>found;
    let Y = r;
    let positiveB: f64 = 0;
    if (!oneSided) {
      Y = above(bPtr, m, topB, D - c) + (sumB + countB * (D - c));
      positiveB = countB + <f64>found;
      if (X > r && Y > r) return NaN;
    }
    const balance = X - Y;
    if (balance < 0) lower = c;
    else if (balance > 0) upper = c;
    else return c;
    const newton = c - balance / (positiveA + positiveB);
    const settled = isNewton && positiveA == lastA && positiveB == lastB;
    if (settled || (pass > FULL_PASSES && n + m == 0)) return Math.min(Math.max(newton, lower), upper);
    lastA = positiveA;
    lastB = positiveB;

    c = newton;
    isNewton = c > lower && c < upper;
    if (pass > NEWTON_PASSES && (pass & 1) == 1) {
      draw = nextDraw(draw);
      const j = placeDrawn(draw, n + m);
      const drawn = j < n ? topA - at<f64>(aPtr, j) : D - (topB - at<f64>(bPtr, j - n));
      if (drawn > lower && drawn < upper) {
        c = drawn;
        isNewton = false;
      }
    }
    if (pass > passes || !(c > lower && c < upper)) c = lower + 0.5 * (upper - lower);
    if (!(c > lower && c < upper)) break; // nothing between them
  }
  return c;
}

/**
 * Projection onto the bipartite simplex:
 *     min 1/2 ||x - a||^2 + 1/2 ||y - b||^2   over   x, y >= 0,  sum x = sum y <= r,
 * where a, b are what is given plus margin/2. Lapin, Hein, Schiele, PAMI 2018, Eq. 17 and Prop. 19.
 *
 * x_i = max(a_i - t, 0), y_j = max(b_j - t', 0) with t + t' >= 0. Either the sums are r and each side is a projection
 * of its own, or t' = -t and one level is shared. Everything is relative to the largest elements, max a + max b = D:
 * then x and y are as feasible for |a| >> r as they are elsewhere, and margin/2, lost in a, still counts. The sum is at
 * least D/2, since with a shared level the two largest elements of x and y sum to D.
 *
 * vPtr: f64[n + m], a and then b; xPtr: f64[n + m], x and then y; workPtr: f64[n + m]; all distinct. r > 0, may be
 * Infinity. An empty side leaves only zeros.
 */
export function bipartiteSimplex(
  vPtr: usize,
  n: i32,
  m: i32,
  margin: f64,
  r: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  const bPtr = vPtr + (<usize>n << 3);
  const topA = maximum(vPtr, n);
  const topB = maximum(bPtr, m);
  const D = topA + topB + margin;
  if (!(D > 0) || n == 0 || m == 0) {
    fill(xPtr, n + m, 0);
    return;
  }
  let c = D >= 2 * r ? NaN : level(vPtr, n, topA, bPtr, m, topB, D, r, workPtr);
  let d = D - c;
  if (isNaN(c)) {
    c = level(vPtr, n, topA, 0, 0, 0, r, r, workPtr);
    d = level(bPtr, m, topB, 0, 0, 0, r, r, workPtr);
  }
  clampInto(vPtr, n, topA, -c, Infinity, xPtr);
  clampInto(bPtr, m, topB, -d, Infinity, xPtr + (<usize>n << 3));
}
