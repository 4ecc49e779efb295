import { CLASSES_AT_ONCE } from "./scores";
import { at, lanes, loadAs, madd, splatAt, storeWide } from "./simd";
import { tiledClasses } from "./sparse";

/**
 * Products of a block of dense rows with weights, in tiles of 4 x 2 vectors that stay in registers: as many as V8 keeps
 * there beside the loads. Rows have d elements, a multiple of a vector's. About twice as fast as one example at a time.
 */

/** Rows of a tile. */
const ROWS: i32 = 4;
/** Features at a time, so that what is packed of them stays in the first cache. */
const CHUNK: i32 = 256;
/** The weights of two vectors of classes for so many features, packed. */
const chunk = memory.data(CHUNK * 32, 16);
/** Bytes between copied rows: a line of a cache. */
export const COPIES_APART: i32 = 64;

/** c + a b; of i32, each of which in a and b is a pair of i16, c + the products of the pairs. */
// @ts-ignore: decorator
@inline
function multiplyAdd<S>(a: v128, b: v128, c: v128): v128 {
  return isInteger<S>() ? i32x4.add(c, i32x4.dot_i16x8_s(a, b)) : madd<S>(a, b, c);
}

/** c + a b, or with `distances` c + (a - b)^2. */
// @ts-ignore: decorator
@inline
function addTerm<S>(a: v128, b: v128, c: v128, distances: bool): v128 {
  if (!distances) return multiplyAdd<S>(a, b, c);
  const apart = v128.sub<S>(a, b);
  return madd<S>(apart, apart, c);
}

/**
 * C += A^T B for 4 rows and 2 vectors of columns, all in S: C[r][c] += sum_k A[k][r] B[k][c]. aBytes, bBytes and cBytes
 * are from one row to the next. S is a float, or i32 as `multiplyAdd` says.
 */
export function addTile2<S>(a: usize, aBytes: usize, b: usize, bBytes: usize, count: i32, c: usize, cBytes: usize): void {
  sumTile2<S>(a, aBytes, b, bBytes, count, c, cBytes, false);
}

/** Likewise squared distances: C[r][c] += sum_k (A[k][r] - B[k][c])^2. */
function addDistances2<S>(a: usize, aBytes: usize, b: usize, bBytes: usize, count: i32, c: usize, cBytes: usize): void {
  sumTile2<S>(a, aBytes, b, bBytes, count, c, cBytes, true);
}

// @ts-ignore: decorator
@inline
function sumTile2<S>(
  a: usize,
  aBytes: usize,
  b: usize,
  bBytes: usize,
  count: i32,
  c: usize,
  cBytes: usize,
  distances: bool,
): void {
  const end = a + <usize>count * aBytes;
  const c1 = c + cBytes;
  const c2 = c1 + cBytes;
  const c3 = c2 + cBytes;
  let s0 = v128.load(c);
  let s1 = v128.load(c1);
  let s2 = v128.load(c2);
  let s3 = v128.load(c3);
  let t0 = v128.load(c, 16);
  let t1 = v128.load(c1, 16);
  let t2 = v128.load(c2, 16);
  let t3 = v128.load(c3, 16);
  for (; a < end; a += aBytes, b += bBytes) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const p0 = splatAt<S>(a);
    s0 = addTerm<S>(p0, b0, s0, distances);
    t0 = addTerm<S>(p0, b1, t0, distances);
    const p1 = splatAt<S>(a + sizeof<S>());
    s1 = addTerm<S>(p1, b0, s1, distances);
    t1 = addTerm<S>(p1, b1, t1, distances);
    const p2 = splatAt<S>(a + 2 * sizeof<S>());
    s2 = addTerm<S>(p2, b0, s2, distances);
    t2 = addTerm<S>(p2, b1, t2, distances);
    const p3 = splatAt<S>(a + 3 * sizeof<S>());
    s3 = addTerm<S>(p3, b0, s3, distances);
    t3 = addTerm<S>(p3, b1, t3, distances);
  }
  v128.store(c, s0);
  v128.store(c1, s1);
  v128.store(c2, s2);
  v128.store(c3, s3);
  v128.store(c, t0, 16);
  v128.store(c1, t1, 16);
  v128.store(c2, t2, 16);
  v128.store(c3, t3, 16);
}

/** `addTile2` for one vector of columns. */
function addTile1<S>(a: usize, aBytes: usize, b: usize, bBytes: usize, count: i32, c: usize, cBytes: usize): void {
  sumTile1<S>(a, aBytes, b, bBytes, count, c, cBytes, false);
}

/** `addDistances2` for one vector of columns. */
function addDistances1<S>(a: usize, aBytes: usize, b: usize, bBytes: usize, count: i32, c: usize, cBytes: usize): void {
  sumTile1<S>(a, aBytes, b, bBytes, count, c, cBytes, true);
}

// @ts-ignore: decorator
@inline
function sumTile1<S>(
  a: usize,
  aBytes: usize,
  b: usize,
  bBytes: usize,
  count: i32,
  c: usize,
  cBytes: usize,
  distances: bool,
): void {
  const end = a + <usize>count * aBytes;
  const c1 = c + cBytes;
  const c2 = c1 + cBytes;
  const c3 = c2 + cBytes;
  let s0 = v128.load(c);
  let s1 = v128.load(c1);
  let s2 = v128.load(c2);
  let s3 = v128.load(c3);
  for (; a < end; a += aBytes, b += bBytes) {
    const b0 = v128.load(b);
    s0 = addTerm<S>(splatAt<S>(a), b0, s0, distances);
    s1 = addTerm<S>(splatAt<S>(a + sizeof<S>()), b0, s1, distances);
    s2 = addTerm<S>(splatAt<S>(a + 2 * sizeof<S>()), b0, s2, distances);
    s3 = addTerm<S>(splatAt<S>(a + 3 * sizeof<S>()), b0, s3, distances);
  }
  v128.store(c, s0);
  v128.store(c1, s1);
  v128.store(c2, s2);
  v128.store(c3, s3);
}

/** Rows r0 .. r3: T[count], column by column: four elements of S, stepBytes from one column's to the next's. */
function pack4<T, S>(r0: usize, r1: usize, r2: usize, r3: usize, count: i32, out: usize, stepBytes: usize): void {
  const end = r0 + (<usize>count << alignof<T>());
  const d1 = r1 - r0;
  const d2 = r2 - r0;
  const d3 = r3 - r0;
  const steps2 = 2 * stepBytes;
  for (let r = r0; r < end; r += 16) {
    const v0 = v128.load(r);
    const v1 = v128.load(r + d1);
    const v2 = v128.load(r + d2);
    const v3 = v128.load(r + d3);
    if (sizeof<T>() == 4) {
      putColumns<S>(v0, v1, v2, v3, out, stepBytes);
      out += steps2;
    } else {
      v128.store(out, v128.shuffle<f64>(v0, v1, 0, 2));
      v128.store(out, v128.shuffle<f64>(v2, v3, 0, 2), 16);
      v128.store(out + stepBytes, v128.shuffle<f64>(v0, v1, 1, 3));
      v128.store(out + stepBytes, v128.shuffle<f64>(v2, v3, 1, 3), 16);
    }
    out += steps2;
  }
}

/** The columns of four rows of four float32, or of anything else of 32 bits, as S, stepBytes from one to the next. */
// @ts-ignore: decorator
@inline
export function putColumns<S>(v0: v128, v1: v128, v2: v128, v3: v128, out: usize, stepBytes: usize): void {
  const low01 = v128.shuffle<f32>(v0, v1, 0, 4, 1, 5);
  const low23 = v128.shuffle<f32>(v2, v3, 0, 4, 1, 5);
  const high01 = v128.shuffle<f32>(v0, v1, 2, 6, 3, 7);
  const high23 = v128.shuffle<f32>(v2, v3, 2, 6, 3, 7);
  put4<S>(out, v128.shuffle<f64>(low01, low23, 0, 2));
  put4<S>(out + stepBytes, v128.shuffle<f64>(low01, low23, 1, 3));
  const further = out + 2 * stepBytes;
  put4<S>(further, v128.shuffle<f64>(high01, high23, 0, 2));
  put4<S>(further + stepBytes, v128.shuffle<f64>(high01, high23, 1, 3));
}

/** Four float32 as S. */
// @ts-ignore: decorator
@inline
function put4<S>(out: usize, v: v128): void {
  if (sizeof<S>() == 4) v128.store(out, v);
  else storeWide<f32>(out, 4, v);
}

/**
 * Elements from one copied row to the next. Where d is a power of two or a few of a large one, as of embeddings, the
 * columns of rows that lie back to back share a few places of the cache, which do not hold a block: `addRows` takes an
 * eighth to a third longer.
 */
// @ts-ignore: decorator
@inline
export function copiedStride<S>(d: i32): i32 {
  return d + COPIES_APART / <i32>sizeof<S>();
}

/** Copies rows: usize[size], pointers to T[d], to out: S[size][copiedStride<S>(d)]. */
export function copyRows<T, S>(rows: usize, size: i32, d: i32, out: usize): void {
  const rowBytes = <usize>d << alignof<T>();
  const outBytes = <usize>copiedStride<S>(d) << alignof<S>();
  for (let e = 0; e < size; ++e, out += outBytes) {
    const row = at<usize>(rows, e);
    if (sizeof<T>() == sizeof<S>()) {
      memory.copy(out, row, rowBytes);
      continue;
    }
    for (let x = row, to = out; x < row + rowBytes; x += sizeof<T>() * lanes<S>(), to += 16) v128.store(to, loadAs<T, S>(x));
  }
}

/**
 * Packs rows: usize[size], pointers to T[d], for `scoresOfRows`, four at a time column by column; the last is repeated
 * to make four. out: S[size + 3][d].
 */
export function packRows<T, S>(rows: usize, size: i32, d: i32, out: usize): void {
  const last = size - 1;
  for (let e = 0; e < size; e += ROWS, out += <usize>(ROWS * d) << alignof<S>()) {
    const r1 = at<usize>(rows, min(e + 1, last));
    const r2 = at<usize>(rows, min(e + 2, last));
    const r3 = at<usize>(rows, min(e + 3, last));
    pack4<T, S>(at<usize>(rows, e), r1, r2, r3, d, out, ROWS * sizeof<S>());
  }
}

/**
 * Scores of packed rows for all classes, summed in S. WPtr: T[m'][ld]; packed: see `packRows`; out: m' elements of S
 * for each of size rows, rounded up to four, outBytes apart. With `distances`, in float64, ||w_j - x||^2 instead.
 */
export function scoresOfRows<T, S>(
  WPtr: usize,
  ld: i32,
  m: i32,
  packed: usize,
  size: i32,
  d: i32,
  out: usize,
  outBytes: usize,
  distances: bool = false,
): void {
  const classes = tiledClasses(m);
  const rowBytes = <usize>ld << alignof<T>();
  const width = 2 * lanes<S>();
  for (let e = 0; e < ((size + ROWS - 1) & -ROWS); ++e) {
    memory.fill(out + <usize>e * outBytes, 0, <usize>classes << alignof<S>());
  }
  for (let j = 0; j < classes; j += width) {
    const group = min(width, classes - j);
    const groupBytes = <usize>group << alignof<S>();
    for (let first = 0; first < d; first += CHUNK) {
      const count = min(CHUNK, d - first);
      const W = WPtr + (<usize>first << alignof<T>());
      for (let c = 0; c < group; c += CLASSES_AT_ONCE) {
        const w0 = W + <usize>(j + c) * rowBytes;
        const w2 = w0 + 2 * rowBytes;
        pack4<T, S>(w0, w0 + rowBytes, w2, w2 + rowBytes, count, chunk + (<usize>c << alignof<S>()), groupBytes);
      }
      for (let e = 0; e < size; e += ROWS) {
        const rows = packed + (<usize>(e * d + first * ROWS) << alignof<S>());
        const scores = out + <usize>e * outBytes + (<usize>j << alignof<S>());
        if (sizeof<S>() == 8 && distances) {
          if (group == width) addDistances2<S>(rows, ROWS * sizeof<S>(), chunk, groupBytes, count, scores, outBytes);
          else addDistances1<S>(rows, ROWS * sizeof<S>(), chunk, groupBytes, count, scores, outBytes);
        } else if (group == width) addTile2<S>(rows, ROWS * sizeof<S>(), chunk, groupBytes, count, scores, outBytes);
        else addTile1<S>(rows, ROWS * sizeof<S>(), chunk, groupBytes, count, scores, outBytes);
      }
    }
  }
}

/**
 * W += coefficients^T rows, each entry summed in the order of the rows. W: S[m'][ld]; coefficients: S[size][m'], those
 * behind the m-th zero; rows: see `copyRows`.
 */
export function addRows<S>(W: usize, ld: i32, m: i32, coefficients: usize, rows: usize, size: i32, d: i32): void {
  const classes = tiledClasses(m);
  const rowBytes = <usize>d << alignof<S>();
  const apart = <usize>copiedStride<S>(d) << alignof<S>();
  const ldBytes = <usize>ld << alignof<S>();
  const coefficientBytes = <usize>classes << alignof<S>();
  for (let j = 0; j < classes; j += ROWS) {
    const a = coefficients + (<usize>j << alignof<S>());
    const w = W + <usize>j * ldBytes;
    let l: usize = 0; // bytes
    for (; l + 32 <= rowBytes; l += 32) addTile2<S>(a, coefficientBytes, rows + l, apart, size, w + l, ldBytes);
    if (l < rowBytes) addTile1<S>(a, coefficientBytes, rows + l, apart, size, w + l, ldBytes);
  }
}
