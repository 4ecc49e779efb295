import { roundFour } from "./blockInt16";
import { at, keepLanes, put } from "./simd";

/**
 * Products of a block of dense float32 rows that are mostly zeros with weights, both rounded to 16 bits as in
 * blockInt16.ts. The nonzeros of a row are multiplied two by two: the weights of any two features are brought side by
 * side on the way.
 *
 *   rows      for each row and chunk of features: i32, how many nonzeros, rounded up to an even number, then their features, u16[],
 *             as places in the weights, and their values, i16[], room for the whole chunk each
 *   weights   i16[d][WIDE] for each tile of WIDE classes, and of those left, rounded up to whole vectors, i16[d][NARROW] for each of these
 */

/** Classes of a tile: four vectors of weights, or one. */
const WIDE: i32 = 32;
const NARROW: i32 = 8;
/** Features at a time, so that their weights for a tile stay in the first cache. */
const CHUNK: i32 = 256;
/** Bytes of a chunk of a row. */
const CHUNK_BYTES: usize = 4 + 4 * CHUNK;
/** Bytes of the weights of a feature in a wide tile; how many such bytes are one in a narrow one, as a shift. */
const WIDE_BYTES: i32 = 2 * WIDE;
const NARROWER: i32 = 2;
/** As a shift: how many bytes of a feature in a wide tile are one byte of a number in float32. */
const FLOAT_NARROWER: i32 = 4;

/** Bytes of a row of d features, and of the part of it before a chunk. */
// @ts-ignore: decorator
@inline
export function bytesOfPacked(features: i32): usize {
  return (<usize>features << 2) + (<usize>((features + CHUNK - 1) / CHUNK) << 2);
}

/**
 * Rows: usize[size], pointers to f32[d], d a multiple of 4, times scales: f32[size], to out: at most 8 d bytes for
 * each.
 */
export function packSparseInt16(rows: usize, scales: usize, size: i32, d: i32, out: usize): void {
  for (let e = 0; e < size; ++e) {
    const row = at<usize>(rows, e);
    const scale = f32x4.splat(at<f32>(scales, e));
    for (let first = 0; first < d; first += CHUNK) {
      const count = min(CHUNK, d - first);
      const features = out + 4;
      const values = features + (<usize>count << 1);
      let places = i32x4(0, WIDE_BYTES, 2 * WIDE_BYTES, 3 * WIDE_BYTES);
      let n = 0;
      for (let l = 0; l < count; l += 4, places = i32x4.add(places, i32x4.splat(4 * WIDE_BYTES))) {
        const x = roundFour(row + (<usize>(first + l) << 2), scale);
        const nonzero = i32x4.bitmask(f32x4.ne(v128.load(row + (<usize>(first + l) << 2)), f32x4.splat(0)));
        const kept = i16x8.narrow_i32x4_s(keepLanes(places, nonzero), keepLanes(x, nonzero));
        v128.store64_lane(features + (<usize>n << 1), kept, 0);
        v128.store64_lane(values + (<usize>n << 1), kept, 1);
        n += popcnt<i32>(nonzero);
      }
      if (n & 1) {
        put<u16>(features, n, 0);
        put<i16>(values, n++, 0);
      }
      store<i32>(out, n);
      out = values + (<usize>count << 1);
    }
  }
}

/** Weights WPtr: f32[m][ld], m a multiple of 4, times a scale likewise. out: i16[m + 4][d]. */
export function packSparseInt16Weights(WPtr: usize, ld: i32, m: i32, d: i32, scale: f32, out: usize): void {
  const rowBytes = <usize>ld << 2;
  for (let first = 0; first < m; ) {
    const width = first + WIDE <= m ? WIDE : NARROW;
    for (let j = 0; j < width; j += 4) {
      packFourClasses(WPtr + <usize>min(first + j, m - 4) * rowBytes, rowBytes, d, scale, out + (<usize>j << 1), <usize>width << 1);
    }
    out += (<usize>width * <usize>d) << 1;
    first += width;
  }
}

/** Four of them, rowBytes apart, feature by feature: i16[4] each, stepBytes apart. */
function packFourClasses(row: usize, rowBytes: usize, d: i32, scale: f32, out: usize, stepBytes: usize): void {
  const s = f32x4.splat(scale);
  const end = row + (<usize>d << 2);
  for (; row < end; row += 16) {
    const v01 = i16x8.narrow_i32x4_s(roundFour(row, s), roundFour(row + rowBytes, s));
    const v23 = i16x8.narrow_i32x4_s(roundFour(row + 2 * rowBytes, s), roundFour(row + 3 * rowBytes, s));
    const low = v128.shuffle<i16>(v01, v23, 0, 4, 8, 12, 1, 5, 9, 13);
    const high = v128.shuffle<i16>(v01, v23, 2, 6, 10, 14, 3, 7, 11, 15);
    v128.store64_lane(out, low, 0);
    v128.store64_lane(out + stepBytes, low, 1);
    out += 2 * stepBytes;
    v128.store64_lane(out, high, 0);
    v128.store64_lane(out + stepBytes, high, 1);
    out += 2 * stepBytes;
  }
}

/** c + the products of pairs: of values x and of the low, or the high, lanes of u and v. */
// @ts-ignore: decorator
@inline
function addLow(c: v128, u: v128, v: v128, x: v128): v128 {
  return i32x4.add(c, i32x4.dot_i16x8_s(v128.shuffle<i16>(u, v, 0, 8, 1, 9, 2, 10, 3, 11), x));
}
// @ts-ignore: decorator
@inline
function addHigh(c: v128, u: v128, v: v128, x: v128): v128 {
  return i32x4.add(c, i32x4.dot_i16x8_s(v128.shuffle<i16>(u, v, 4, 12, 5, 13, 6, 14, 7, 15), x));
}

/** Scores += row W for a wide tile and the n features of a chunk. out: i32[WIDE]. */
function addWide(features: usize, values: usize, n: i32, weights: usize, out: usize): void {
  let a0 = v128.load(out);
  let a1 = v128.load(out, 16);
  let a2 = v128.load(out, 32);
  let a3 = v128.load(out, 48);
  let a4 = v128.load(out, 64);
  let a5 = v128.load(out, 80);
  let a6 = v128.load(out, 96);
  let a7 = v128.load(out, 112);
  const end = features + (<usize>n << 1);
  for (; features < end; features += 4, values += 4) {
    const p = weights + <usize>load<u16>(features);
    const q = weights + <usize>load<u16>(features, 2);
    const x = v128.load32_splat(values);
    const u0 = v128.load(p);
    const v0 = v128.load(q);
    a0 = addLow(a0, u0, v0, x);
    a1 = addHigh(a1, u0, v0, x);
    const u1 = v128.load(p, 16);
    const v1 = v128.load(q, 16);
    a2 = addLow(a2, u1, v1, x);
    a3 = addHigh(a3, u1, v1, x);
    const u2 = v128.load(p, 32);
    const v2 = v128.load(q, 32);
    a4 = addLow(a4, u2, v2, x);
    a5 = addHigh(a5, u2, v2, x);
    const u3 = v128.load(p, 48);
    const v3 = v128.load(q, 48);
    a6 = addLow(a6, u3, v3, x);
    a7 = addHigh(a7, u3, v3, x);
  }
  v128.store(out, a0);
  v128.store(out, a1, 16);
  v128.store(out, a2, 32);
  v128.store(out, a3, 48);
  v128.store(out, a4, 64);
  v128.store(out, a5, 80);
  v128.store(out, a6, 96);
  v128.store(out, a7, 112);
}

/** Scores += row W for a narrow tile and the n features of a chunk. out: i32[NARROW]. */
function addNarrow(features: usize, values: usize, n: i32, weights: usize, out: usize): void {
  let a0 = v128.load(out);
  let a1 = v128.load(out, 16);
  const end = features + (<usize>n << 1);
  for (; features < end; features += 4, values += 4) {
    const u = v128.load(weights + (<usize>load<u16>(features) >> NARROWER));
    const v = v128.load(weights + (<usize>load<u16>(features, 2) >> NARROWER));
    const x = v128.load32_splat(values);
    a0 = addLow(a0, u, v, x);
    a1 = addHigh(a1, u, v, x);
  }
  v128.store(out, a0);
  v128.store(out, a1, 16);
}

/**
 * Scores of packed rows for the m packed classes, rounded up to whole tiles. out: i32[size][m + 7], rows outBytes
 * apart.
 */
export function scoresOfSparseInt16(weights: usize, m: i32, packed: usize, size: i32, d: i32, out: usize, outBytes: usize): void {
  const bytes = <usize>((m + NARROW - 1) & -NARROW) << 2;
  for (let e = 0; e < size; ++e) memory.fill(out + <usize>e * outBytes, 0, bytes);
  const rowBytes = bytesOfPacked(d);
  for (let j = 0; j < m; ) {
    const wide = j + WIDE <= m;
    const width = wide ? WIDE : NARROW;
    for (let first = 0, part = packed; first < d; first += CHUNK, part += CHUNK_BYTES) {
      const count = min(CHUNK, d - first);
      const some = weights + ((<usize>first * <usize>width) << 1);
      let row = part;
      let scores = out + (<usize>j << 2);
      for (let e = 0; e < size; ++e, row += rowBytes, scores += outBytes) {
        const features = row + 4;
        const values = features + (<usize>count << 1);
        if (wide) addWide(features, values, load<i32>(row), some, scores);
        else addNarrow(features, values, load<i32>(row), some, scores);
      }
    }
    weights += (<usize>width * <usize>d) << 1;
    j += width;
  }
}

/**
 * Whether of a packed row of d features no more than three eighths are not zero: then `scoresOfPacked` is quicker than
 * to skip none, measured.
 */
export function isSparse(packed: usize, d: i32): bool {
  let n = 0;
  for (let first = 0; first < d; first += CHUNK, packed += CHUNK_BYTES) n += load<i32>(packed);
  return 8 * n <= 3 * d;
}

/**
 * Scores in float64 of one row for the classes of a list, by the places that it has packed: row: f32[d], WPtr:
 * f32[m][ld]. classesPtr: i32[count], count a multiple of 4; out: f64[count].
 */
export function scoresOfPacked(
  WPtr: usize,
  ld: i32,
  classesPtr: usize,
  count: i32,
  row: usize,
  packed: usize,
  d: i32,
  out: usize,
): void {
  const rowBytes = <usize>ld << 2;
  for (let c = 0; c < count; c += 4, out += 32) {
    const w0 = WPtr + <usize>at<i32>(classesPtr, c) * rowBytes;
    const w1 = WPtr + <usize>at<i32>(classesPtr, c + 1) * rowBytes;
    const w2 = WPtr + <usize>at<i32>(classesPtr, c + 2) * rowBytes;
    const w3 = WPtr + <usize>at<i32>(classesPtr, c + 3) * rowBytes;
    let a0: f64 = 0;
    let a1: f64 = 0;
    let a2: f64 = 0;
    let a3: f64 = 0;
    for (let first = 0, part = packed; first < d; first += CHUNK, part += CHUNK_BYTES) {
      let feature = part + 4;
      let end = part + (<usize>load<i32>(part) << 1) + 2; // the last one, which only fills up the pair if it is the first feature
      if (end > feature && load<u16>(end) != 0) end += 2;
      for (; feature < end; feature += 2) {
        const place = (<usize>first << 2) + (<usize>load<u16>(feature) >> FLOAT_NARROWER);
        const x = <f64>load<f32>(row + place);
        a0 += x * <f64>load<f32>(w0 + place);
        a1 += x * <f64>load<f32>(w1 + place);
        a2 += x * <f64>load<f32>(w2 + place);
        a3 += x * <f64>load<f32>(w3 + place);
      }
    }
    store<f64>(out, a0);
    store<f64>(out, a1, 8);
    store<f64>(out, a2, 16);
    store<f64>(out, a3, 24);
  }
}
