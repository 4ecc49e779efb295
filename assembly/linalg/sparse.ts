import { at, loadAs, madd, put, storeWide } from "./simd";

/**
 * Products of W with sparse rows: indices u32[nonzeros], ascending, and values T[nonzeros]. W lies feature by feature,
 * so that each nonzero touches neighbouring classes, in tiles of up to `tile` classes, a power of two of 32 or more, so
 * that all rows of a tile stay in the cache; or, where features are too many for that, in a single one. Tile t holds
 * the classes from tile t:
 *
 *     W[t]: T[d][width],  width = min(tile, m' - tile t),  m' = m rounded up to a multiple of 4;  element (l, j) at
 *     tile t d + l width + j - tile t
 *
 * W64 and W0 lie alike. T is the storage precision of the values, S that of the weights or of the sums; where a row is
 * scored that is no example, T is that of the weights and V that of its values.
 */

/** Columns of a tiled matrix for m classes. */
// @ts-ignore: decorator
@inline
export function tiledClasses(m: i32): i32 {
  return (m + 3) & -4;
}

// @ts-ignore: decorator
@inline
export function tileWidth(first: i32, m: i32, tile: i32): i32 {
  return min(tile, tiledClasses(m) - first);
}

/** Scores of one row for 8 vectors of classes. wPtr: T[d][rowBytes / sizeof<T>()], from the first of these classes. */
function scoresOf8<T, S, V>(wPtr: usize, rowBytes: usize, indices: usize, values: usize, nonzeros: i32, out: usize): void {
  const step = sizeof<T>() * (16 / sizeof<S>());
  const end = indices + (<usize>nonzeros << 2);
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let a4 = a0;
  let a5 = a0;
  let a6 = a0;
  let a7 = a0;
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<V>()) {
    const w = wPtr + <usize>load<u32>(p) * rowBytes;
    const x = v128.splat<S>(<S>load<V>(v));
    a0 = madd<S>(x, loadAs<T, S>(w), a0);
    a1 = madd<S>(x, loadAs<T, S>(w + step), a1);
    a2 = madd<S>(x, loadAs<T, S>(w + 2 * step), a2);
    a3 = madd<S>(x, loadAs<T, S>(w + 3 * step), a3);
    a4 = madd<S>(x, loadAs<T, S>(w + 4 * step), a4);
    a5 = madd<S>(x, loadAs<T, S>(w + 5 * step), a5);
    a6 = madd<S>(x, loadAs<T, S>(w + 6 * step), a6);
    a7 = madd<S>(x, loadAs<T, S>(w + 7 * step), a7);
  }
  const outStep: usize = 128 / sizeof<S>();
  storeWide<S>(out, 4, a0);
  storeWide<S>(out + outStep, 4, a1);
  storeWide<S>(out + 2 * outStep, 4, a2);
  storeWide<S>(out + 3 * outStep, 4, a3);
  storeWide<S>(out + 4 * outStep, 4, a4);
  storeWide<S>(out + 5 * outStep, 4, a5);
  storeWide<S>(out + 6 * outStep, 4, a6);
  storeWide<S>(out + 7 * outStep, 4, a7);
}

/** `scoresOf8` for 1 to 7 vectors, in one go: a row is often so short that going over it costs more than products. */
function scoresOfFew<T, S, V>(wPtr: usize, rowBytes: usize, indices: usize, values: usize, nonzeros: i32, out: usize, vectors: i32): void {
  const step = sizeof<T>() * (16 / sizeof<S>());
  const outStep: usize = 128 / sizeof<S>();
  const end = indices + (<usize>nonzeros << 2);
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let a4 = a0;
  let a5 = a0;
  let a6 = a0;
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<V>()) {
    const w = wPtr + <usize>load<u32>(p) * rowBytes;
    const x = v128.splat<S>(<S>load<V>(v));
    a0 = madd<S>(x, loadAs<T, S>(w), a0);
    if (vectors == 1) continue;
    a1 = madd<S>(x, loadAs<T, S>(w + step), a1);
    if (vectors == 2) continue;
    a2 = madd<S>(x, loadAs<T, S>(w + 2 * step), a2);
    if (vectors == 3) continue;
    a3 = madd<S>(x, loadAs<T, S>(w + 3 * step), a3);
    if (vectors == 4) continue;
    a4 = madd<S>(x, loadAs<T, S>(w + 4 * step), a4);
    if (vectors == 5) continue;
    a5 = madd<S>(x, loadAs<T, S>(w + 5 * step), a5);
    if (vectors == 6) continue;
    a6 = madd<S>(x, loadAs<T, S>(w + 6 * step), a6);
  }
  storeWide<S>(out, 4, a0);
  if (vectors > 1) storeWide<S>(out + outStep, 4, a1);
  if (vectors > 2) storeWide<S>(out + 2 * outStep, 4, a2);
  if (vectors > 3) storeWide<S>(out + 3 * outStep, 4, a3);
  if (vectors > 4) storeWide<S>(out + 4 * outStep, 4, a4);
  if (vectors > 5) storeWide<S>(out + 5 * outStep, 4, a5);
  if (vectors > 6) storeWide<S>(out + 6 * outStep, 4, a6);
}

/**
 * Scores of one row for the classes of the tile from `first` on, summed in S. WPtr: the tiled T[d][m]; out: f64[width].
 * O(nonzeros width).
 */
export function scoresOfTileSparse<T, S, V>(
  WPtr: usize,
  d: i32,
  m: i32,
  tile: i32,
  first: i32,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  const width = tileWidth(first, m, tile);
  const start = WPtr + ((<usize>first * <usize>d) << alignof<T>());
  const rowBytes = <usize>width << alignof<T>();
  const lanes = 16 / <i32>sizeof<S>();
  let c = 0;
  for (; c + 8 * lanes <= width; c += 8 * lanes) {
    scoresOf8<T, S, V>(start + (<usize>c << alignof<T>()), rowBytes, indices, values, nonzeros, out + (<usize>c << 3));
  }
  if (c < width) {
    scoresOfFew<T, S, V>(start + (<usize>c << alignof<T>()), rowBytes, indices, values, nonzeros, out + (<usize>c << 3), (width - c) / lanes);
  }
}

/** Which element of tiled weights is class j's of feature l. */
// @ts-ignore: decorator
@inline
export function placeInTiles(m: i32, d: i32, tile: i32, l: i32, j: i32): i32 {
  const first = j & -tile;
  return first * d + l * tileWidth(first, m, tile) + (j - first);
}

/** Where class j's weight of feature 0 is. */
// @ts-ignore: decorator
@inline
function columnOf<S>(WPtr: usize, d: i32, tile: i32, j: i32): usize {
  const first = j & -tile;
  return WPtr + ((<usize>first * <usize>d + <usize>(j - first)) << alignof<S>());
}

/**
 * Scores for four classes whose weights of feature 0 are at w0 ... w3 and those of the next s0 ... s3 bytes further;
 * out: f64[4].
 */
// @ts-ignore: decorator
@inline
function scoresOf4<T>(
  w0: usize,
  w1: usize,
  w2: usize,
  w3: usize,
  s0: usize,
  s1: usize,
  s2: usize,
  s3: usize,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  const end = indices + (<usize>nonzeros << 2);
  let a0 = <T>0;
  let a1 = <T>0;
  let a2 = <T>0;
  let a3 = <T>0;
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<T>()) {
    const l = <usize>load<u32>(p);
    const x = load<T>(v);
    a0 += x * load<T>(w0 + l * s0);
    a1 += x * load<T>(w1 + l * s1);
    a2 += x * load<T>(w2 + l * s2);
    a3 += x * load<T>(w3 + l * s3);
  }
  put<f64>(out, 0, <f64>a0);
  put<f64>(out, 1, <f64>a1);
  put<f64>(out, 2, <f64>a2);
  put<f64>(out, 3, <f64>a3);
}

/**
 * Scores of one row for the classes of a list, in T. classesPtr: i32[count], count a multiple of 4; out: f64[count].
 * O(nonzeros count), one weight at a time: `scoresOfTileSparse` is better for more than a few classes of a tile.
 */
export function scoresOfSparse<T>(
  WPtr: usize,
  d: i32,
  m: i32,
  tile: i32,
  classesPtr: usize,
  count: i32,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  const only = <usize>tiledClasses(m) << alignof<T>();
  for (let c = 0; c < count; c += 4) {
    const to = out + (<usize>c << 3);
    const j0 = at<i32>(classesPtr, c);
    const j1 = at<i32>(classesPtr, c + 1);
    const j2 = at<i32>(classesPtr, c + 2);
    const j3 = at<i32>(classesPtr, c + 3);
    const w0 = columnOf<T>(WPtr, d, tile, j0);
    const w1 = columnOf<T>(WPtr, d, tile, j1);
    const w2 = columnOf<T>(WPtr, d, tile, j2);
    const w3 = columnOf<T>(WPtr, d, tile, j3);
    if (m <= tile) {
      // With a single tile one product finds all four weights: a third of the time.
      scoresOf4<T>(w0, w1, w2, w3, only, only, only, only, indices, values, nonzeros, to);
      continue;
    }
    const s0 = <usize>tileWidth(j0 & -tile, m, tile) << alignof<T>();
    const s1 = <usize>tileWidth(j1 & -tile, m, tile) << alignof<T>();
    const s2 = <usize>tileWidth(j2 & -tile, m, tile) << alignof<T>();
    const s3 = <usize>tileWidth(j3 & -tile, m, tile) << alignof<T>();
    scoresOf4<T>(w0, w1, w2, w3, s0, s1, s2, s3, indices, values, nonzeros, to);
  }
}

/** w_j += delta x for one class j. WPtr: the tiled S[d][m]. O(nonzeros). */
export function addToClass<T, S>(
  WPtr: usize,
  d: i32,
  m: i32,
  tile: i32,
  j: i32,
  delta: S,
  indices: usize,
  values: usize,
  nonzeros: i32,
): void {
  const column = columnOf<S>(WPtr, d, tile, j);
  const rowBytes = <usize>tileWidth(j & -tile, m, tile) << alignof<S>();
  const end = indices + (<usize>nonzeros << 2);
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<T>()) {
    const w = column + <usize>load<u32>(p) * rowBytes;
    store<S>(w, load<S>(w) + delta * <S>load<T>(v));
  }
}

/**
 * W += delta x^T for 8 vectors of classes, whose deltas stay in registers. wPtr: S[d][rowBytes / sizeof<S>()], from the
 * first of them.
 */
function addTo8<T, S>(wPtr: usize, rowBytes: usize, deltas: usize, indices: usize, values: usize, nonzeros: i32): void {
  const end = indices + (<usize>nonzeros << 2);
  const a0 = v128.load(deltas);
  const a1 = v128.load(deltas, 16);
  const a2 = v128.load(deltas, 32);
  const a3 = v128.load(deltas, 48);
  const a4 = v128.load(deltas, 64);
  const a5 = v128.load(deltas, 80);
  const a6 = v128.load(deltas, 96);
  const a7 = v128.load(deltas, 112);
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<T>()) {
    const w = wPtr + <usize>load<u32>(p) * rowBytes;
    const x = v128.splat<S>(<S>load<T>(v));
    v128.store(w, madd<S>(x, a0, v128.load(w)));
    v128.store(w, madd<S>(x, a1, v128.load(w, 16)), 16);
    v128.store(w, madd<S>(x, a2, v128.load(w, 32)), 32);
    v128.store(w, madd<S>(x, a3, v128.load(w, 48)), 48);
    v128.store(w, madd<S>(x, a4, v128.load(w, 64)), 64);
    v128.store(w, madd<S>(x, a5, v128.load(w, 80)), 80);
    v128.store(w, madd<S>(x, a6, v128.load(w, 96)), 96);
    v128.store(w, madd<S>(x, a7, v128.load(w, 112)), 112);
  }
}

/** `addTo8` for 1 to 7 vectors. What it reads behind them is not used. */
function addToFew<T, S>(wPtr: usize, rowBytes: usize, deltas: usize, indices: usize, values: usize, nonzeros: i32, vectors: i32): void {
  const end = indices + (<usize>nonzeros << 2);
  const a0 = v128.load(deltas);
  const a1 = v128.load(deltas, 16);
  const a2 = v128.load(deltas, 32);
  const a3 = v128.load(deltas, 48);
  const a4 = v128.load(deltas, 64);
  const a5 = v128.load(deltas, 80);
  const a6 = v128.load(deltas, 96);
  for (let p = indices, v = values; p < end; p += 4, v += sizeof<T>()) {
    const w = wPtr + <usize>load<u32>(p) * rowBytes;
    const x = v128.splat<S>(<S>load<T>(v));
    v128.store(w, madd<S>(x, a0, v128.load(w)));
    if (vectors == 1) continue;
    v128.store(w, madd<S>(x, a1, v128.load(w, 16)), 16);
    if (vectors == 2) continue;
    v128.store(w, madd<S>(x, a2, v128.load(w, 32)), 32);
    if (vectors == 3) continue;
    v128.store(w, madd<S>(x, a3, v128.load(w, 48)), 48);
    if (vectors == 4) continue;
    v128.store(w, madd<S>(x, a4, v128.load(w, 64)), 64);
    if (vectors == 5) continue;
    v128.store(w, madd<S>(x, a5, v128.load(w, 80)), 80);
    if (vectors == 6) continue;
    v128.store(w, madd<S>(x, a6, v128.load(w, 96)), 96);
  }
}

/** W += delta x^T for the classes of the tile from `first` on. deltasPtr: S[width]. O(nonzeros width). */
export function addToTile<T, S>(
  WPtr: usize,
  d: i32,
  m: i32,
  tile: i32,
  first: i32,
  deltasPtr: usize,
  indices: usize,
  values: usize,
  nonzeros: i32,
): void {
  const start = WPtr + ((<usize>first * <usize>d) << alignof<S>());
  const rowBytes = <usize>tileWidth(first, m, tile) << alignof<S>();
  let c: usize = 0;
  for (; c + 128 <= rowBytes; c += 128) addTo8<T, S>(start + c, rowBytes, deltasPtr + c, indices, values, nonzeros);
  if (c < rowBytes) addToFew<T, S>(start + c, rowBytes, deltasPtr + c, indices, values, nonzeros, <i32>(rowBytes - c) >> 4);
}
