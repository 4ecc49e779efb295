import { maxLane, minLane, put, sumLanes } from "../linalg/simd";

/**
 * A projection onto  0 <= x_j <= cap  has x_j = min(max(b_j - t, 0), cap), and is known when it is known which elements
 * are in
 *     U = { j : x_j = cap },     M = { j : 0 < x_j < cap }:
 * t, and cap where that depends on x, solve linear equations in the sums of b over these sets, which are kept here.
 */

/** The sums over U and M of the window, the elements that are looked at less a pivot near t, and how many there are. */
export let sumU: f64 = 0;
export let sumM: f64 = 0;
export let sizeU: f64 = 0;
export let sizeM: f64 = 0;
/** Of a guess without M: the least b in U, and the largest elsewhere. */
export let leastU: f64 = 0;
export let mostElsewhere: f64 = 0;

/**
 * Of what is left from before: what is less than its bound by no more than this part of it counts as at it, since
 * float32 has rounded both.
 */
export const AT_BOUND: f64 = 1e-5;

/**
 * Sets and sums of windowPtr: f64[count], behind which there is room for one more: those of  min(max(b_j - t, 0), cap).
 */
export function partition(windowPtr: usize, count: i32, t: f64, cap: f64): void {
  put<f64>(windowPtr, count, -Infinity); // in neither
  partitionBy(windowPtr, windowPtr, count, t, cap);
}

/** `partition`; true if sums and sizes stay what they were, and with them any equations. */
export function staysAt(windowPtr: usize, count: i32, t: f64, cap: f64): bool {
  const lastU = sumU;
  const lastM = sumM;
  const lastSizeU = sizeU;
  const lastSizeM = sizeM;
  partition(windowPtr, count, t, cap);
  return sizeU == lastSizeU && sizeM == lastSizeM && sumU == lastU && sumM == lastM;
}

/** Those where other numbers by: f64[count], and one more where count is odd, which is in neither, stand for b. */
// @ts-ignore: decorator
@inline
function partitionBy(windowPtr: usize, by: usize, count: i32, t: f64, cap: f64): void {
  const level = f64x2.splat(t);
  const high = f64x2.splat(cap);
  let ofU = f64x2.splat(0);
  let ofM = ofU;
  let inU = ofU;
  let inM = ofU;
  const end = windowPtr + (<usize>count << 3);
  for (let p = windowPtr; p < end; p += 16, by += 16) {
    const b = v128.load(p);
    const v = v128.load(by);
    const atCap = f64x2.ge(f64x2.sub(v, level), high);
    const between = v128.andnot(f64x2.gt(v, level), atCap);
    ofU = f64x2.add(ofU, v128.and(b, atCap));
    ofM = f64x2.add(ofM, v128.and(b, between));
    inU = i64x2.sub(inU, atCap);
    inM = i64x2.sub(inM, between);
  }
  sumU = sumLanes<f64>(ofU);
  sumM = sumLanes<f64>(ofM);
  sizeU = <f64>sumLanes<i64>(inU);
  sizeM = <f64>sumLanes<i64>(inM);
}

/**
 * Sets and sums of a guess x, whose bound is `cap` > 0, with all elements in the window, and the largest of M as pivot,
 * which is returned; if M is empty, -Infinity, and the sums are those of b. bPtr, xPtr: f64[n + 1], of which the last
 * may be written to; windowPtr: f64[n + 1].
 */
export function takeGuess(bPtr: usize, xPtr: usize, n: i32, cap: f64, windowPtr: usize): f64 {
  if (n & 1) {
    put<f64>(bPtr, n, -Infinity);
    put<f64>(xPtr, n, 0);
  }
  const bytes = <usize>n << 3;
  cap *= 1 - AT_BOUND;
  let largest = f64x2.splat(-Infinity);
  for (let o: usize = 0; o < bytes; o += 16) {
    const x = v128.load(xPtr + o);
    const between = v128.and(f64x2.gt(x, f64x2.splat(0)), f64x2.lt(x, f64x2.splat(cap)));
    largest = f64x2.pmax(largest, v128.bitselect(v128.load(bPtr + o), largest, between));
  }
  const pivot = maxLane(largest);
  if (pivot > -Infinity) {
    for (let o: usize = 0; o < bytes; o += 16) {
      v128.store(windowPtr + o, f64x2.sub(v128.load(bPtr + o), f64x2.splat(pivot)));
    }
  } else {
    takeExtremes(bPtr, xPtr, bytes, cap);
    windowPtr = bPtr;
  }
  partitionBy(windowPtr, xPtr, n, 0, cap);
  return pivot;
}

/** The least b where x is at the bound, and the largest elsewhere. */
function takeExtremes(bPtr: usize, xPtr: usize, bytes: usize, cap: f64): void {
  let least = f64x2.splat(Infinity);
  let most = f64x2.splat(-Infinity);
  for (let o: usize = 0; o < bytes; o += 16) {
    const b = v128.load(bPtr + o);
    const atCap = f64x2.ge(v128.load(xPtr + o), f64x2.splat(cap));
    least = f64x2.pmin(least, v128.bitselect(b, least, atCap));
    most = f64x2.pmax(most, v128.bitselect(most, b, atCap));
  }
  leastU = minLane(least);
  mostElsewhere = maxLane(most);
}
