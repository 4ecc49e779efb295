import { addTile2, putColumns } from "./blockDense";
import { at } from "./simd";

/**
 * Products of a block of dense float32 rows with weights, both rounded to 16 bits: one instruction multiplies eight
 * pairs and adds them up two by two, so that a block takes less than half the time of its products in float32. The sums
 * are exact in 32 bits where
 *
 *     sum |x_l| |w_l|  <=  ||x|| ||w||  <  2^31   in these integers:
 *
 * rows are scaled to the norm LARGEST at most, and no rounding adds more than sqrt(d)/2 to it.
 */
export const LARGEST: f64 = 32000;

/** Rows and classes of a tile, see `addTile2`. */
const ROWS: i32 = 4;
const CLASSES: i32 = 8;
/** Bytes from one pair of the packed weights of a tile to the next. */
const STEP: usize = CLASSES << 2;
/** Features that are packed at once. */
const FEATURES: i32 = 8;
/** Pairs of features at a time, so that the weights of a tile stay in the first cache. */
const CHUNK: i32 = 512;

/** Pairs of d features, filled up with zeros. */
// @ts-ignore: decorator
@inline
function pairsOf(d: i32): i32 {
  return ((d + FEATURES - 1) & -FEATURES) >> 1;
}

/**
 * 1.5 2^23: added to a float32 of less than 2^22 it leaves the nearest integer in the last bits, the even one of two.
 */
const MAGIC: f32 = 12582912;
const MAGIC_BITS: i32 = 0x4b400000;

/** The next four of a row, f32, times a scale, rounded: below 2^22. */
// @ts-ignore: decorator
@inline
export function roundFour(ptr: usize, scale: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v128.load(ptr), scale), f32x4.splat(MAGIC)), i32x4.splat(MAGIC_BITS));
}

/** The next eight of a row, the last four 0 where there are only four, times a scale, rounded. */
// @ts-ignore: decorator
@inline
function roundEight(ptr: usize, scale: v128, whole: bool): v128 {
  return i16x8.narrow_i32x4_s(roundFour(ptr, scale), whole ? roundFour(ptr + 16, scale) : i32x4.splat(0));
}

/**
 * Four rows, f32[d], times their scales, pair by pair: of each pair those of the four rows, stepBytes from one pair to
 * the next.
 */
function packFour(
  r0: usize,
  r1: usize,
  r2: usize,
  r3: usize,
  scale0: f32,
  scale1: f32,
  scale2: f32,
  scale3: f32,
  d: i32,
  out: usize,
  stepBytes: usize,
): void {
  const s0 = f32x4.splat(scale0);
  const s1 = f32x4.splat(scale1);
  const s2 = f32x4.splat(scale2);
  const s3 = f32x4.splat(scale3);
  for (let l = 0; l < d; l += FEATURES) {
    const whole = l + FEATURES <= d;
    const place = <usize>l << 2;
    const v0 = roundEight(r0 + place, s0, whole);
    const v1 = roundEight(r1 + place, s1, whole);
    const v2 = roundEight(r2 + place, s2, whole);
    const v3 = roundEight(r3 + place, s3, whole);
    putColumns<f32>(v0, v1, v2, v3, out, stepBytes);
    out += 4 * stepBytes;
  }
}

/**
 * Rows: usize[size], pointers to f32[d], d a multiple of 4, times scales: f32[size], rounded and packed for
 * `scoresOfInt16`, the last repeated to make four. out: i16[size + 3][2 pairsOf(d)].
 */
export function packInt16(rows: usize, scales: usize, size: i32, d: i32, out: usize): void {
  const last = size - 1;
  const bytes = <usize>pairsOf(d) << 4;
  for (let e = 0; e < size; e += ROWS, out += bytes) {
    const e1 = min(e + 1, last);
    const e2 = min(e + 2, last);
    const e3 = min(e + 3, last);
    packFour(
      at<usize>(rows, e), at<usize>(rows, e1), at<usize>(rows, e2), at<usize>(rows, e3),
      at<f32>(scales, e), at<f32>(scales, e1), at<f32>(scales, e2), at<f32>(scales, e3),
      d, out, 16,
    ); // prettier-ignore
  }
}

/**
 * Weights WPtr: f32[m][ld], m a multiple of 4, times a scale likewise, eight classes at a time. out: i16[m + 4][2
 * pairsOf(d)].
 */
export function packInt16Weights(WPtr: usize, ld: i32, m: i32, d: i32, scale: f32, out: usize): void {
  const rowBytes = <usize>ld << 2;
  const bytes = <usize>pairsOf(d) * STEP;
  for (let j = 0; j < m; j += CLASSES, out += bytes) {
    for (let c = 0; c < CLASSES; c += 4) {
      const w = WPtr + <usize>min(j + c, m - 4) * rowBytes;
      const w2 = w + 2 * rowBytes;
      packFour(w, w + rowBytes, w2, w2 + rowBytes, scale, scale, scale, scale, d, out + (<usize>c << 2), STEP);
    }
  }
}

/**
 * Scores of packed rows for packed classes, of both rounded up to whole tiles. out: i32[size + 3][m + 7], rows outBytes
 * apart.
 */
export function scoresOfInt16(weights: usize, m: i32, packed: usize, size: i32, d: i32, out: usize, outBytes: usize): void {
  const pairs = pairsOf(d);
  const bytes = <usize>((m + CLASSES - 1) & -CLASSES) << 2;
  for (let e = 0; e < ((size + ROWS - 1) & -ROWS); ++e) memory.fill(out + <usize>e * outBytes, 0, bytes);
  for (let j = 0; j < m; j += CLASSES) {
    const tile = weights + ((<usize>j * <usize>pairs) << 2);
    for (let first = 0; first < pairs; first += CHUNK) {
      const count = min(CHUNK, pairs - first);
      for (let e = 0; e < size; e += ROWS) {
        const rows = packed + (<usize>(e * pairs + first * ROWS) << 2);
        const scores = out + <usize>e * outBytes + (<usize>j << 2);
        addTile2<i32>(rows, ROWS << 2, tile + <usize>first * STEP, STEP, count, scores, outBytes);
      }
    }
  }
}
