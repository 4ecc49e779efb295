import { BLOCK_SIZE } from "./scores";
import { at, lanes, madd } from "./simd";
import { keepNonzeros } from "./vectors";

/**
 * Products of a block of dense rows of which many features are zero with weights that lie feature by feature: the
 * nonzeros of each row are put one after the other, by chunks of features whose weights stay in the first cache, and
 * scores are added up in registers.
 *
 *   counts    i32[chunks][BLOCK_SIZE]  nonzeros of a chunk of a row; behind them for each row and chunk
 *   places    u32[]                    their features, within the chunk, room for all of them; then
 *   values    T[]                      likewise
 */

/** Features at a time; src/wasm/kernels.ts knows. */
const NONZEROS_CHUNK: i32 = 128;

// @ts-ignore: decorator
@inline
function entriesOf<T>(block: usize, d: i32, e: i32, first: i32): usize {
  const counts = <usize>((d + NONZEROS_CHUNK - 1) / NONZEROS_CHUNK) * (BLOCK_SIZE << 2);
  return block + counts + ((<usize>e * <usize>d + first) << 2) * (1 + sizeof<T>() / 4);
}

/** Rows: usize[size], pointers to T[d], d a multiple of a vector's, to a block. */
export function gatherNonzeros<T>(rows: usize, size: i32, d: i32, block: usize): void {
  for (let e = 0; e < size; ++e) {
    let counts = block + (<usize>e << 2);
    for (let first = 0; first < d; first += NONZEROS_CHUNK, counts += BLOCK_SIZE << 2) {
      const row = at<usize>(rows, e) + (<usize>first << alignof<T>());
      const count = min(NONZEROS_CHUNK, d - first);
      const places = entriesOf<T>(block, d, e, first);
      store<i32>(counts, keepNonzeros<T>(row, count, 0, places, places + (<usize>count << 2)));
    }
  }
}

/** Scores += the n nonzeros of a chunk times 8 vectors of weights, S[chunk][stride / sizeof<S>()]. out: S[]. */
function add8<T, S>(places: usize, values: usize, n: i32, weights: usize, stride: i32, out: usize): void {
  let a0 = v128.load(out);
  let a1 = v128.load(out, 16);
  let a2 = v128.load(out, 32);
  let a3 = v128.load(out, 48);
  let a4 = v128.load(out, 64);
  let a5 = v128.load(out, 80);
  let a6 = v128.load(out, 96);
  let a7 = v128.load(out, 112);
  const end = places + (<usize>n << 2);
  for (; places < end; places += 4, values += sizeof<T>()) {
    const w = weights + <usize>(load<i32>(places) * stride);
    const x = v128.splat<S>(<S>load<T>(values));
    a0 = madd<S>(x, v128.load(w), a0);
    a1 = madd<S>(x, v128.load(w, 16), a1);
    a2 = madd<S>(x, v128.load(w, 32), a2);
    a3 = madd<S>(x, v128.load(w, 48), a3);
    a4 = madd<S>(x, v128.load(w, 64), a4);
    a5 = madd<S>(x, v128.load(w, 80), a5);
    a6 = madd<S>(x, v128.load(w, 96), a6);
    a7 = madd<S>(x, v128.load(w, 112), a7);
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

/** `add8` for 2 vectors. */
function add2<T, S>(places: usize, values: usize, n: i32, weights: usize, stride: i32, out: usize): void {
  let a = v128.load(out);
  let b = v128.load(out, 16);
  const end = places + (<usize>n << 2);
  for (; places < end; places += 4, values += sizeof<T>()) {
    const w = weights + <usize>(load<i32>(places) * stride);
    const x = v128.splat<S>(<S>load<T>(values));
    a = madd<S>(x, v128.load(w), a);
    b = madd<S>(x, v128.load(w, 16), b);
  }
  v128.store(out, a);
  v128.store(out, b, 16);
}

/** `add8` for 1 vector. */
function add1<T, S>(places: usize, values: usize, n: i32, weights: usize, stride: i32, out: usize): void {
  let a = v128.load(out);
  const end = places + (<usize>n << 2);
  for (; places < end; places += 4, values += sizeof<T>()) {
    a = madd<S>(v128.splat<S>(<S>load<T>(values)), v128.load(weights + <usize>(load<i32>(places) * stride)), a);
  }
  v128.store(out, a);
}

/**
 * Scores += block W, in S, each summed in the order of the features, for the classes of a tile, W: S[d][width]. out:
 * S[width] for each row, rowBytes apart.
 */
export function scoresOfNonzeros<T, S>(block: usize, size: i32, d: i32, tile: usize, width: i32, out: usize, rowBytes: usize): void {
  for (let c = 0; c < width; ) {
    const vectors = c + 8 * lanes<S>() <= width ? 8 : c + 2 * lanes<S>() <= width ? 2 : 1;
    for (let first = 0; first < d; first += NONZEROS_CHUNK) {
      const weights = tile + (<usize>(first * width + c) << alignof<S>());
      const counts = block + <usize>(first / NONZEROS_CHUNK) * (BLOCK_SIZE << 2);
      const count = <usize>min(NONZEROS_CHUNK, d - first);
      for (let e = 0; e < size; ++e) {
        const places = entriesOf<T>(block, d, e, first);
        const values = places + (count << 2);
        const scores = out + <usize>e * rowBytes + (<usize>c << alignof<S>());
        if (vectors == 8) add8<T, S>(places, values, at<i32>(counts, e), weights, width << <i32>alignof<S>(), scores);
        else if (vectors == 2) add2<T, S>(places, values, at<i32>(counts, e), weights, width << <i32>alignof<S>(), scores);
        else add1<T, S>(places, values, at<i32>(counts, e), weights, width << <i32>alignof<S>(), scores);
      }
    }
    c += vectors * lanes<S>();
  }
}
