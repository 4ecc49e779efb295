import { at, lanes, loadAs, loadPair, madd, sumLanes } from "./simd";

/**
 * Classes scored together: their rows share each load of x. More accumulators than V8 keeps in registers halve the
 * speed.
 */
export const CLASSES_AT_ONCE: i32 = 4;

/**
 * Sums of the lanes of four accumulators, widened, to outPtr: f64[4]. Pairwise, so that every score is summed alike.
 */
// @ts-ignore: decorator
@inline
function putSums<T>(a0: v128, a1: v128, a2: v128, a3: v128, outPtr: usize): void {
  if (sizeof<T>() == 4) {
    const low = f32x4.add(v128.shuffle<f32>(a0, a1, 0, 4, 1, 5), v128.shuffle<f32>(a0, a1, 2, 6, 3, 7));
    const high = f32x4.add(v128.shuffle<f32>(a2, a3, 0, 4, 1, 5), v128.shuffle<f32>(a2, a3, 2, 6, 3, 7));
    const sums = f32x4.add(v128.shuffle<f32>(low, high, 0, 1, 4, 5), v128.shuffle<f32>(low, high, 2, 3, 6, 7));
    v128.store(outPtr, f64x2.promote_low_f32x4(sums));
    v128.store(outPtr, f64x2.promote_low_f32x4(v128.shuffle<f32>(sums, sums, 2, 3, 2, 3)), 16);
  } else {
    v128.store(outPtr, f64x2.add(v128.shuffle<f64>(a0, a1, 0, 2), v128.shuffle<f64>(a0, a1, 1, 3)));
    v128.store(outPtr, f64x2.add(v128.shuffle<f64>(a2, a3, 0, 2), v128.shuffle<f64>(a2, a3, 1, 3)), 16);
  }
}

/**
 * Scores <w_j, x> of one example for the classes of a list, summed in S.
 * WPtr: T[m][ld]; classesPtr: i32[count]; xPtr: T[d]; outPtr: f64[count]. d is a multiple of 16 / sizeof<T>() (rows are
 * padded with zeros), ld >= d, count a multiple of CLASSES_AT_ONCE (repeat a class to fill up). O(count d).
 */
export function scoresOf<T, S>(
  WPtr: usize,
  ld: i32,
  classesPtr: usize,
  count: i32,
  xPtr: usize,
  d: i32,
  outPtr: usize,
): void {
  const rowBytes = <usize>ld << alignof<T>();
  const bytes = <usize>lanes<S>() << alignof<T>();
  const xEnd = xPtr + (<usize>d << alignof<T>());
  for (let c = 0; c < count; c += CLASSES_AT_ONCE) {
    let w0 = WPtr + <usize>at<i32>(classesPtr, c) * rowBytes;
    let w1 = WPtr + <usize>at<i32>(classesPtr, c + 1) * rowBytes;
    let w2 = WPtr + <usize>at<i32>(classesPtr, c + 2) * rowBytes;
    let w3 = WPtr + <usize>at<i32>(classesPtr, c + 3) * rowBytes;
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    // Two vectors a turn, into the same sums.
    let p = xPtr;
    for (; p + bytes < xEnd; p += 2 * bytes) {
      const x = loadAs<T, S>(p);
      a0 = madd<S>(x, loadAs<T, S>(w0), a0);
      a1 = madd<S>(x, loadAs<T, S>(w1), a1);
      a2 = madd<S>(x, loadAs<T, S>(w2), a2);
      a3 = madd<S>(x, loadAs<T, S>(w3), a3);
      const next = loadAs<T, S>(p + bytes);
      a0 = madd<S>(next, loadAs<T, S>(w0 + bytes), a0);
      a1 = madd<S>(next, loadAs<T, S>(w1 + bytes), a1);
      a2 = madd<S>(next, loadAs<T, S>(w2 + bytes), a2);
      a3 = madd<S>(next, loadAs<T, S>(w3 + bytes), a3);
      w0 += 2 * bytes;
      w1 += 2 * bytes;
      w2 += 2 * bytes;
      w3 += 2 * bytes;
    }
    if (p < xEnd) {
      const x = loadAs<T, S>(p);
      a0 = madd<S>(x, loadAs<T, S>(w0), a0);
      a1 = madd<S>(x, loadAs<T, S>(w1), a1);
      a2 = madd<S>(x, loadAs<T, S>(w2), a2);
      a3 = madd<S>(x, loadAs<T, S>(w3), a3);
    }
    putSums<S>(a0, a1, a2, a3, outPtr + (<usize>c << 3));
  }
}

/**
 * `scoresOf` in float64 for two examples and four classes, whose rows are fetched once for both: the same bits. w0 ...
 * w3, x0, x1: f64[d], out0, out1: f64[4].
 */
export function scoresOfTwo(
  w0: usize,
  w1: usize,
  w2: usize,
  w3: usize,
  x0: usize,
  x1: usize,
  d: i32,
  out0: usize,
  out1: usize,
): void {
  sumsOfTwo(w0, w1, w2, w3, x0, x1, d, out0, out1, false);
}

/** Likewise the squared distances ||w_c - x_e||^2: small ones are no differences of large numbers, as of products. */
export function distancesOfTwo(
  w0: usize,
  w1: usize,
  w2: usize,
  w3: usize,
  x0: usize,
  x1: usize,
  d: i32,
  out0: usize,
  out1: usize,
): void {
  sumsOfTwo(w0, w1, w2, w3, x0, x1, d, out0, out1, true);
}

// @ts-ignore: decorator
@inline
function sumsOfTwo(
  w0: usize,
  w1: usize,
  w2: usize,
  w3: usize,
  x0: usize,
  x1: usize,
  d: i32,
  out0: usize,
  out1: usize,
  distances: bool,
): void {
  const bytes = <usize>d << 3;
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  for (let p: usize = 0; p < bytes; p += 16) {
    const x = v128.load(x0 + p);
    const y = v128.load(x1 + p);
    const u0 = v128.load(w0 + p);
    a0 = addTerm(x, u0, a0, distances);
    b0 = addTerm(y, u0, b0, distances);
    const u1 = v128.load(w1 + p);
    a1 = addTerm(x, u1, a1, distances);
    b1 = addTerm(y, u1, b1, distances);
    const u2 = v128.load(w2 + p);
    a2 = addTerm(x, u2, a2, distances);
    b2 = addTerm(y, u2, b2, distances);
    const u3 = v128.load(w3 + p);
    a3 = addTerm(x, u3, a3, distances);
    b3 = addTerm(y, u3, b3, distances);
  }
  putSums<f64>(a0, a1, a2, a3, out0);
  putSums<f64>(b0, b1, b2, b3, out1);
}

// @ts-ignore: decorator
@inline
function addTerm(x: v128, w: v128, sum: v128, distances: bool): v128 {
  const apart = f64x2.sub(w, x);
  return distances ? madd<f64>(apart, apart, sum) : madd<f64>(x, w, sum);
}

/** Examples scored together: what is packed for them stays in the cache while W passes by. */
export const BLOCK_SIZE: i32 = 32;

/** Squared Euclidean norm of xPtr: T[d], in float64. */
export function squaredNorm<T>(xPtr: usize, d: i32): f64 {
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let l = 0;
  for (; l + 8 <= d; l += 8) {
    const x = xPtr + (<usize>l << alignof<T>());
    const x0 = loadPair<T>(x);
    const x1 = loadPair<T>(x + 2 * sizeof<T>());
    const x2 = loadPair<T>(x + 4 * sizeof<T>());
    const x3 = loadPair<T>(x + 6 * sizeof<T>());
    a0 = madd<f64>(x0, x0, a0);
    a1 = madd<f64>(x1, x1, a1);
    a2 = madd<f64>(x2, x2, a2);
    a3 = madd<f64>(x3, x3, a3);
  }
  let sum = sumLanes<f64>(f64x2.add(f64x2.add(a0, a1), f64x2.add(a2, a3)));
  for (; l < d; ++l) {
    const v = <f64>at<T>(xPtr, l);
    sum += v * v;
  }
  return sum;
}
