import { at, loadPair, madd, sumLanes } from "./simd";

/** Classes scored together: their rows share each load of x. More accumulators than V8 keeps in registers halve the speed. */
export const CLASSES_AT_ONCE: i32 = 4;

/** Sums of the lanes of four accumulators, widened, to outPtr: f64[4]. Pairwise, so that every score is summed alike. */
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
 * Scores <w_j, x> of one example for the classes of a list, in the storage precision T.
 * WPtr: T[m][ld]; classesPtr: i32[count]; xPtr: T[d]; outPtr: f64[count]. d is a multiple of 16 / sizeof<T>() (rows are
 * padded with zeros), ld >= d, count a multiple of CLASSES_AT_ONCE (repeat a class to fill up). O(count d).
 */
export function scoresOf<T>(
  WPtr: usize,
  ld: i32,
  classesPtr: usize,
  count: i32,
  xPtr: usize,
  d: i32,
  outPtr: usize,
): void {
  const rowBytes = <usize>ld << alignof<T>();
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
    for (let p = xPtr; p < xEnd; p += 16) {
      const x = v128.load(p);
      a0 = madd<T>(x, v128.load(w0), a0);
      a1 = madd<T>(x, v128.load(w1), a1);
      a2 = madd<T>(x, v128.load(w2), a2);
      a3 = madd<T>(x, v128.load(w3), a3);
      w0 += 16;
      w1 += 16;
      w2 += 16;
      w3 += 16;
    }
    putSums<T>(a0, a1, a2, a3, outPtr + (<usize>c << 3));
  }
}

/** Examples in a tile of `scoresOfBlock<T, S>`: two vectors of S. */
// @ts-ignore: decorator
@inline
function tileSize<S>(): i32 {
  return 32 / <i32>sizeof<S>();
}

/** Examples scored together: what is packed for them stays in the cache while W passes by. */
export const BLOCK_SIZE: i32 = 32;

/**
 * Packs rows from .. from + rows of X: T[n][ldX] for `scoresOfBlock`: tiles of examples, each feature by feature the values of
 * its examples, in S; a tile that is not full repeats the last row. outPtr: S[BLOCK_SIZE][d].
 */
export function packBlock<T, S>(XPtr: usize, ldX: i32, d: i32, from: i32, rows: i32, outPtr: usize): void {
  const size = tileSize<S>();
  for (let e = 0; e < rows + ((0 - rows) & (size - 1)); ++e) {
    const tile = outPtr + ((<usize>(e & (0 - size)) * <usize>d) << alignof<S>());
    let out = tile + (<usize>(e & (size - 1)) << alignof<S>());
    const outEnd = out + <usize>d * 32;
    let x = XPtr + ((<usize>(from + min(e, rows - 1)) * <usize>ldX) << alignof<T>());
    for (; out < outEnd; out += 32, x += sizeof<T>()) store<S>(out, <S>load<T>(x));
  }
}

/** Two classes' scores of one example. */
// @ts-ignore: decorator
@inline
function putPairs<S>(a: v128, b: v128, outPtr: usize, rowBytes: usize): void {
  if (sizeof<S>() == 4) {
    const low = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
    const high = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
    v128.store(outPtr, f64x2.promote_low_f32x4(low));
    v128.store(outPtr + rowBytes, f64x2.promote_low_f32x4(v128.shuffle<f32>(low, low, 2, 3, 2, 3)));
    v128.store(outPtr + 2 * rowBytes, f64x2.promote_low_f32x4(high));
    v128.store(outPtr + 3 * rowBytes, f64x2.promote_low_f32x4(v128.shuffle<f32>(high, high, 2, 3, 2, 3)));
  } else {
    v128.store(outPtr, v128.shuffle<f64>(a, b, 0, 2));
    v128.store(outPtr + rowBytes, v128.shuffle<f64>(a, b, 1, 3));
  }
}

/**
 * Scores of a packed block of `rows` examples for all classes, accumulated in S: float64 for a certificate, whatever T is, or T.
 * WPtr: T[m][ld]; packedPtr: see `packBlock`; outPtr: f64[BLOCK_SIZE][ldOut], ldOut a multiple of CLASSES_AT_ONCE; entries
 * behind the m-th are undefined. O(rows m d).
 */
export function scoresOfBlock<T, S>(
  WPtr: usize,
  ld: i32,
  m: i32,
  packedPtr: usize,
  rows: i32,
  d: i32,
  outPtr: usize,
  ldOut: i32,
): void {
  const rowBytes = <usize>ld << alignof<T>();
  for (let j = 0; j < m; j += CLASSES_AT_ONCE) {
    const w0 = WPtr + <usize>j * rowBytes;
    const w1 = WPtr + <usize>min(j + 1, m - 1) * rowBytes;
    const w2 = WPtr + <usize>min(j + 2, m - 1) * rowBytes;
    const w3 = WPtr + <usize>min(j + 3, m - 1) * rowBytes;
    for (let e = 0; e < rows; e += tileSize<S>()) {
      const packed = packedPtr + ((<usize>e * <usize>d) << alignof<S>());
      scoresOfTile<T, S>(w0, w1, w2, w3, packed, d, outPtr + (<usize>(e * ldOut + j) << 3), <usize>ldOut << 3);
    }
  }
}

/**
 * One tile: 4 classes x 2 vectors of examples, as many accumulators as V8 keeps in registers beside the loads. A function of
 * its own, called often: the engine optimises it after a few calls.
 */
function scoresOfTile<T, S>(
  w0: usize,
  w1: usize,
  w2: usize,
  w3: usize,
  x: usize,
  d: i32,
  out: usize,
  rowBytes: usize,
): void {
  const wEnd = w0 + (<usize>d << alignof<T>());
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  for (; w0 < wEnd; x += 32) {
    const x0 = v128.load(x);
    const x1 = v128.load(x, 16);
    const p0 = v128.splat<S>(<S>load<T>(w0));
    a0 = madd<S>(p0, x0, a0);
    b0 = madd<S>(p0, x1, b0);
    const p1 = v128.splat<S>(<S>load<T>(w1));
    a1 = madd<S>(p1, x0, a1);
    b1 = madd<S>(p1, x1, b1);
    const p2 = v128.splat<S>(<S>load<T>(w2));
    a2 = madd<S>(p2, x0, a2);
    b2 = madd<S>(p2, x1, b2);
    const p3 = v128.splat<S>(<S>load<T>(w3));
    a3 = madd<S>(p3, x0, a3);
    b3 = madd<S>(p3, x1, b3);
    w0 += sizeof<T>();
    w1 += sizeof<T>();
    w2 += sizeof<T>();
    w3 += sizeof<T>();
  }
  const half = out + rowBytes * (16 / sizeof<S>());
  putPairs<S>(a0, a1, out, rowBytes);
  putPairs<S>(a2, a3, out + 16, rowBytes);
  putPairs<S>(b0, b1, half, rowBytes);
  putPairs<S>(b2, b3, half + 16, rowBytes);
}

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
