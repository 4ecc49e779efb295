/**
 * Inner loops over typed arrays, float32 or float64 alike: JavaScript computes in float64, the arrays only store.
 * Import it once per storage type (`./linalg.mjs?float32`): each copy then sees a single kind of array, and V8 compiles it for
 * that kind.
 */

/**
 * scores[j] = <row j of W, x>, x = X[at .. at + d): eight rows at a time, so that x is read once for eight and eight sums are
 * in flight instead of one that waits for itself.
 */
export function scoresInto(scores, W, X, at, m, d) {
  let j = 0;
  for (; j + 8 <= m; j += 8) {
    const r0 = j * d;
    const r1 = r0 + d;
    const r2 = r1 + d;
    const r3 = r2 + d;
    const r4 = r3 + d;
    const r5 = r4 + d;
    const r6 = r5 + d;
    const r7 = r6 + d;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let s4 = 0;
    let s5 = 0;
    let s6 = 0;
    let s7 = 0;
    for (let f = 0; f < d; f++) {
      const v = X[at + f];
      s0 += v * W[r0 + f];
      s1 += v * W[r1 + f];
      s2 += v * W[r2 + f];
      s3 += v * W[r3 + f];
      s4 += v * W[r4 + f];
      s5 += v * W[r5 + f];
      s6 += v * W[r6 + f];
      s7 += v * W[r7 + f];
    }
    scores[j] = s0;
    scores[j + 1] = s1;
    scores[j + 2] = s2;
    scores[j + 3] = s3;
    scores[j + 4] = s4;
    scores[j + 5] = s5;
    scores[j + 6] = s6;
    scores[j + 7] = s7;
  }
  for (; j < m; j++) scores[j] = dot(W, j * d, X, at, d);
}

/** <a[ai .. ai + d), b[bi .. bi + d)>, four sums in flight. */
export function dot(a, ai, b, bi, d) {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let f = 0;
  for (; f + 4 <= d; f += 4) {
    s0 += a[ai + f] * b[bi + f];
    s1 += a[ai + f + 1] * b[bi + f + 1];
    s2 += a[ai + f + 2] * b[bi + f + 2];
    s3 += a[ai + f + 3] * b[bi + f + 3];
  }
  for (; f < d; f++) s0 += a[ai + f] * b[bi + f];
  return s0 + s1 + (s2 + s3);
}

/** W[wi .. wi + d) += scale X[xi .. xi + d). */
export function addScaled(W, wi, scale, X, xi, d) {
  let f = 0;
  for (; f + 4 <= d; f += 4) {
    W[wi + f] += scale * X[xi + f];
    W[wi + f + 1] += scale * X[xi + f + 1];
    W[wi + f + 2] += scale * X[xi + f + 2];
    W[wi + f + 3] += scale * X[xi + f + 3];
  }
  for (; f < d; f++) W[wi + f] += scale * X[xi + f];
}
