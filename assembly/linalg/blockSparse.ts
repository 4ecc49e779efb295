import { at, loadAs, madd, put } from "./simd";

/**
 * A block of sparse rows, feature by feature: what is added to the weights of a feature for all rows of the block is
 * added up in registers, so that weights are fetched once for the block instead of once for each row. Pays where rows
 * share features and the weights do not stay in a cache.
 *
 *   starts   u32[d + 2]    where the entries of each feature begin, in bytes
 *   entries  {u32, T}[]    which row of the block, and the value: 8 bytes each of float32, 16 of float64
 */

/** Bytes of an entry. */
// @ts-ignore: decorator
@inline
function entryBytes<T>(): usize {
  return sizeof<T>() << 1;
}

/** Where the entries are. */
// @ts-ignore: decorator
@inline
function entriesOf(block: usize, d: i32): usize {
  return (block + (<usize>(d + 2) << 2) + 7) & -8;
}

/** Transposes the rows examples: u32[size] of CSR features into block. */
export function transposeBlock<T>(
  indptr: usize,
  indices: usize,
  values: usize,
  d: i32,
  examples: usize,
  size: i32,
  block: usize,
): void {
  // starts[l + 1] counts up from where feature l begins to where it ends.
  const starts = block;
  const entries = entriesOf(block, d);
  memory.fill(starts, 0, <usize>(d + 2) << 2);
  for (let e = 0; e < size; ++e) {
    const i = at<u32>(examples, e);
    const end = at<u32>(indptr, i + 1);
    for (let p = at<u32>(indptr, i); p < end; ++p) {
      const l = at<u32>(indices, p) + 2;
      put<u32>(starts, l, at<u32>(starts, l) + <u32>entryBytes<T>());
    }
  }
  for (let l = 2; l < d + 2; ++l) put<u32>(starts, l, at<u32>(starts, l) + at<u32>(starts, l - 1));
  for (let e = 0; e < size; ++e) {
    const i = at<u32>(examples, e);
    const end = at<u32>(indptr, i + 1);
    for (let p = at<u32>(indptr, i); p < end; ++p) {
      const l = at<u32>(indices, p) + 1;
      const entry = at<u32>(starts, l);
      put<u32>(starts, l, entry + <u32>entryBytes<T>());
      store<u32>(entries + entry, e);
      store<T>(entries + entry, at<T>(values, p), sizeof<T>());
    }
  }
}

/**
 * W += coefficients^T block for 8 vectors of classes. wPtr: S[d][stride / sizeof<S>()] and coefficients: S[size],
 * rowBytes apart, from the first of them.
 */
function addBlockTo8<T, S>(wPtr: usize, stride: usize, coefficients: usize, rowBytes: usize, d: i32, block: usize): void {
  const entries = entriesOf(block, d);
  let p = entries;
  for (let l = 0; l < d; ++l) {
    const end = entries + <usize>at<u32>(block, l + 1);
    if (p == end) continue;
    const w = wPtr + <usize>l * stride;
    let a0 = v128.load(w);
    let a1 = v128.load(w, 16);
    let a2 = v128.load(w, 32);
    let a3 = v128.load(w, 48);
    let a4 = v128.load(w, 64);
    let a5 = v128.load(w, 80);
    let a6 = v128.load(w, 96);
    let a7 = v128.load(w, 112);
    for (; p < end; p += entryBytes<T>()) {
      const c = coefficients + <usize>load<u32>(p) * rowBytes;
      const x = v128.splat<S>(<S>load<T>(p, sizeof<T>()));
      a0 = madd<S>(x, v128.load(c), a0);
      a1 = madd<S>(x, v128.load(c, 16), a1);
      a2 = madd<S>(x, v128.load(c, 32), a2);
      a3 = madd<S>(x, v128.load(c, 48), a3);
      a4 = madd<S>(x, v128.load(c, 64), a4);
      a5 = madd<S>(x, v128.load(c, 80), a5);
      a6 = madd<S>(x, v128.load(c, 96), a6);
      a7 = madd<S>(x, v128.load(c, 112), a7);
    }
    v128.store(w, a0);
    v128.store(w, a1, 16);
    v128.store(w, a2, 32);
    v128.store(w, a3, 48);
    v128.store(w, a4, 64);
    v128.store(w, a5, 80);
    v128.store(w, a6, 96);
    v128.store(w, a7, 112);
  }
}

/** W += coefficients^T block for the classes of a tile, W: S[d][stride / sizeof<S>()], stride a multiple of 128. */
export function addBlockToTile<T, S>(tile: usize, stride: usize, coefficients: usize, rowBytes: usize, d: i32, block: usize): void {
  for (let c: usize = 0; c < stride; c += 128) addBlockTo8<T, S>(tile + c, stride, coefficients + c, rowBytes, d, block);
}

/**
 * Scores += block W for 8 vectors of classes. wPtr: T[d][stride / sizeof<T>()] and scores: S[size], rowBytes apart,
 * from the first of them.
 */
function scoresOfBlock8<T, S>(wPtr: usize, stride: usize, scores: usize, rowBytes: usize, d: i32, block: usize): void {
  const step = sizeof<T>() * (16 / sizeof<S>());
  const entries = entriesOf(block, d);
  let p = entries;
  for (let l = 0; l < d; ++l) {
    const end = entries + <usize>at<u32>(block, l + 1);
    if (p == end) continue;
    const w = wPtr + <usize>l * stride;
    const w0 = loadAs<T, S>(w);
    const w1 = loadAs<T, S>(w + step);
    const w2 = loadAs<T, S>(w + 2 * step);
    const w3 = loadAs<T, S>(w + 3 * step);
    const w4 = loadAs<T, S>(w + 4 * step);
    const w5 = loadAs<T, S>(w + 5 * step);
    const w6 = loadAs<T, S>(w + 6 * step);
    const w7 = loadAs<T, S>(w + 7 * step);
    for (; p < end; p += entryBytes<T>()) {
      const u = scores + <usize>load<u32>(p) * rowBytes;
      const x = v128.splat<S>(<S>load<T>(p, sizeof<T>()));
      v128.store(u, madd<S>(x, w0, v128.load(u)));
      v128.store(u, madd<S>(x, w1, v128.load(u, 16)), 16);
      v128.store(u, madd<S>(x, w2, v128.load(u, 32)), 32);
      v128.store(u, madd<S>(x, w3, v128.load(u, 48)), 48);
      v128.store(u, madd<S>(x, w4, v128.load(u, 64)), 64);
      v128.store(u, madd<S>(x, w5, v128.load(u, 80)), 80);
      v128.store(u, madd<S>(x, w6, v128.load(u, 96)), 96);
      v128.store(u, madd<S>(x, w7, v128.load(u, 112)), 112);
    }
  }
}

/** Scores += block W, in S, for the classes of a tile, W: T[d][stride / sizeof<T>()], in S a multiple of 128 bytes. */
export function scoresOfBlockTile<T, S>(tile: usize, stride: usize, scores: usize, rowBytes: usize, d: i32, block: usize): void {
  const step = sizeof<T>() * (128 / sizeof<S>());
  for (let c: usize = 0, u = scores; c < stride; c += step, u += 128) scoresOfBlock8<T, S>(tile + c, stride, u, rowBytes, d, block);
}

/** Inner products of the rows, T[size][ld], below the diagonal. */
export function gramOfBlock<T>(size: i32, d: i32, block: usize, out: usize, ld: i32): void {
  memory.fill(out, 0, <usize>(size * ld) << alignof<T>());
  const entries = entriesOf(block, d);
  let p = entries;
  for (let l = 0; l < d; ++l) {
    const end = entries + <usize>at<u32>(block, l + 1);
    for (; p < end; p += entryBytes<T>()) {
      const e = load<u32>(p);
      const x = load<T>(p, sizeof<T>());
      for (let q = p + entryBytes<T>(); q < end; q += entryBytes<T>()) {
        const place = load<u32>(q) * ld + e;
        put<T>(out, place, <T>(at<T>(out, place) + x * load<T>(q, sizeof<T>())));
      }
    }
  }
}
