import { at, sumLanes } from "../linalg/simd";
import { exp, log } from "./expLog";

/** Largest of aPtr: f64[n]; -Infinity when n = 0. */
export function maximum(aPtr: usize, n: i32): f64 {
  // Two at a time, and two of those: the time goes into waiting for one comparison to feed the next.
  let p = f64x2.splat(-Infinity);
  let q = p;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const ptr = aPtr + (<usize>j << 3);
    p = f64x2.pmax(p, v128.load(ptr));
    q = f64x2.pmax(q, v128.load(ptr, 16));
  }
  for (; j < n; ++j) p = f64x2.pmax(p, v128.load64_splat(aPtr + (<usize>j << 3)));
  p = f64x2.pmax(p, q);
  const a = f64x2.extract_lane(p, 0);
  const b = f64x2.extract_lane(p, 1);
  return select<f64>(b, a, b > a);
}

/** Sum of exp(a_j - shift) over aPtr: f64[n]. */
export function sumExp(aPtr: usize, n: i32, shift: f64): f64 {
  const s = f64x2.splat(shift);
  let sum = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= n; j += 2) sum = f64x2.add(sum, exp(f64x2.sub(v128.load(aPtr + (<usize>j << 3)), s)));
  let total = sumLanes<f64>(sum);
  if (j < n) total += f64x2.extract_lane(exp(f64x2.splat(at<f64>(aPtr, j) - shift)), 0);
  return total;
}

/** Sum of z_j log z_j over zPtr: f64[n], with 0 log 0 = 0 (subnormal z count as 0: they add less than 1e-304). */
export function sumXLogX(zPtr: usize, n: i32): f64 {
  const tiny = f64x2.splat(2.3e-308);
  let sum = f64x2.splat(0);
  let j = 0;
  for (; j < n; j += 2) {
    const z = j + 1 < n ? v128.load(zPtr + (<usize>j << 3)) : f64x2.replace_lane(f64x2.splat(0), 0, at<f64>(zPtr, j));
    const term = f64x2.mul(z, log(f64x2.max(z, tiny)));
    sum = f64x2.add(sum, v128.and(term, f64x2.ge(z, tiny)));
  }
  return sumLanes<f64>(sum);
}
