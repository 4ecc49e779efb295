import { at, loadPair, madd, put, sumLanes } from "./simd";

/**
 * Scores s = W x of one example, in the storage precision T.
 * WPtr: T[m][ld]; xPtr: T[d]; outPtr: f64[m]. d is a multiple of 16 / sizeof<T>() (rows are padded with zeros), ld >= d.
 * Six class rows share each load of x: that is as many accumulators as V8 keeps in registers beside the loads. O(m d).
 */
export function scores<T>(WPtr: usize, ld: i32, m: i32, xPtr: usize, d: i32, outPtr: usize): void {
  const rowBytes = <usize>ld << alignof<T>();
  const xEnd = xPtr + (<usize>d << alignof<T>());
  let j = 0;
  for (; j + 6 <= m; j += 6) {
    let w0 = WPtr + <usize>j * rowBytes;
    let w1 = w0 + rowBytes;
    let w2 = w1 + rowBytes;
    let w3 = w2 + rowBytes;
    let w4 = w3 + rowBytes;
    let w5 = w4 + rowBytes;
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let a4 = a0;
    let a5 = a0;
    for (let p = xPtr; p < xEnd; p += 16) {
      const x = v128.load(p);
      a0 = madd<T>(x, v128.load(w0), a0);
      a1 = madd<T>(x, v128.load(w1), a1);
      a2 = madd<T>(x, v128.load(w2), a2);
      a3 = madd<T>(x, v128.load(w3), a3);
      a4 = madd<T>(x, v128.load(w4), a4);
      a5 = madd<T>(x, v128.load(w5), a5);
      w0 += 16;
      w1 += 16;
      w2 += 16;
      w3 += 16;
      w4 += 16;
      w5 += 16;
    }
    put<f64>(outPtr, j, <f64>sumLanes<T>(a0));
    put<f64>(outPtr, j + 1, <f64>sumLanes<T>(a1));
    put<f64>(outPtr, j + 2, <f64>sumLanes<T>(a2));
    put<f64>(outPtr, j + 3, <f64>sumLanes<T>(a3));
    put<f64>(outPtr, j + 4, <f64>sumLanes<T>(a4));
    put<f64>(outPtr, j + 5, <f64>sumLanes<T>(a5));
  }
  for (; j < m; ++j) {
    let w = WPtr + <usize>j * rowBytes;
    let a = f64x2.splat(0);
    for (let p = xPtr; p < xEnd; p += 16, w += 16) a = madd<T>(v128.load(p), v128.load(w), a);
    put<f64>(outPtr, j, <f64>sumLanes<T>(a));
  }
}

/**
 * Scores s = W x of one example, accumulated in float64 whatever T is: what a certificate is computed from.
 * Same arguments as scores<T>. Half the speed of scores<f32>.
 */
export function scoresInFloat64<T>(WPtr: usize, ld: i32, m: i32, xPtr: usize, d: i32, outPtr: usize): void {
  const rowBytes = <usize>ld << alignof<T>();
  const pairBytes = <usize>2 << alignof<T>();
  const xEnd = xPtr + (<usize>d << alignof<T>());
  let j = 0;
  for (; j + 4 <= m; j += 4) {
    let w0 = WPtr + <usize>j * rowBytes;
    let w1 = w0 + rowBytes;
    let w2 = w1 + rowBytes;
    let w3 = w2 + rowBytes;
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    for (let p = xPtr; p < xEnd; p += pairBytes) {
      const x = loadPair<T>(p);
      a0 = madd<f64>(x, loadPair<T>(w0), a0);
      a1 = madd<f64>(x, loadPair<T>(w1), a1);
      a2 = madd<f64>(x, loadPair<T>(w2), a2);
      a3 = madd<f64>(x, loadPair<T>(w3), a3);
      w0 += pairBytes;
      w1 += pairBytes;
      w2 += pairBytes;
      w3 += pairBytes;
    }
    put<f64>(outPtr, j, sumLanes<f64>(a0));
    put<f64>(outPtr, j + 1, sumLanes<f64>(a1));
    put<f64>(outPtr, j + 2, sumLanes<f64>(a2));
    put<f64>(outPtr, j + 3, sumLanes<f64>(a3));
  }
  for (; j < m; ++j) {
    let w = WPtr + <usize>j * rowBytes;
    let a = f64x2.splat(0);
    for (let p = xPtr; p < xEnd; p += pairBytes, w += pairBytes) a = madd<f64>(loadPair<T>(p), loadPair<T>(w), a);
    put<f64>(outPtr, j, sumLanes<f64>(a));
  }
}

/** Squared Euclidean norm of xPtr: T[d], in float64. */
export function squaredNorm<T>(xPtr: usize, d: i32): f64 {
  let sum: f64 = 0;
  for (let l = 0; l < d; ++l) {
    const v = <f64>at<T>(xPtr, l);
    sum += v * v;
  }
  return sum;
}
