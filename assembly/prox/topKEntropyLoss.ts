import { at, put } from "../linalg/simd";
import { fill, mean, placesAbove, sum } from "../linalg/vectors";
import { exp } from "../math/expLog";
import { expOf, log1p, logOf, sigmoid, softplus } from "../math/logistic";
import { largest } from "../select/largest";

/** An exponential this large is above any bound, and sums of it do not overflow. */
const FAR_ABOVE: f64 = 1e290;

/**
 * The c with  k c = rest + sum_j min(v_j, c), found by cutting ever more of the largest: where entries may not exceed
 * the k-th part of a sum that they themselves are in. vPtr: f64[size], 0 <= size < k.
 */
export function boundBySum(rest: f64, vPtr: usize, size: i32, k: i32): f64 {
  let bound = (rest + sum(vPtr, size)) / <f64>k;
  for (let cut = 0; ; ) {
    let above = 0;
    let total = rest;
    for (let j = 0; j < size; ++j) {
      const v = at<f64>(vPtr, j);
      const isAbove = v > bound;
      above += i32(isAbove);
      total += select<f64>(0, v, isAbove); // no branch: which are above is hard to foresee
    }
    if (above <= cut) break; // fewer above a lower bound: rounding
    cut = above;
    bound = total / <f64>(k - above);
  }
  return bound;
}

/**
 * Top-k entropy loss   max_z  <g, z> - <z, log z> - (1 - s) log(1 - s),   s = sum z,   over
 *     beta = false: 0 <= z_j <= s/k, s <= 1 (the top-k simplex);     beta = true: 0 <= z_j <= 1/k, s <= 1.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 4 and 17. With U the entries at their bound, always fewer than k of the
 * largest g, and M the rest, everything is closed-form. z_j = min(exp(g_j - t), bound), and in both cases the bound is
 * the k-th part of a sum that the exponentials themselves are in: s, or with the true class s + (1 - s) = 1. So it
 * needs no t to be found.
 *
 * All of it is relative to an entry near t (see `topKEntropyStep`): exp(g - t) has no digits left where both are large,
 * and scores of 1e4 must not overflow.
 *
 * gPtr: f64[n + 2]; zPtr: f64[n + 2], the first n become the maximiser; workPtr: f64[2 n], scratch; returns the loss.
 * alpha with k > n leaves z = 0.
 */
export function topKEntropyLoss(gPtr: usize, n: i32, k: i32, beta: bool, zPtr: usize, workPtr: usize): f64 {
  if (!beta && k >= n) {
    fill(zPtr, n, 0);
    if (k > n) return 0;
    // Everything is at the bound: z = s/k, loss = log(1 + k e^A) with A the mean.
    const y = mean(gPtr, n) + logOf(<f64>k);
    fill(zPtr, n, sigmoid(y) / <f64>k);
    return softplus(y);
  }
  let kth = -Infinity;
  if (k <= n) {
    largest(gPtr, n, k, workPtr);
    kth = at<f64>(workPtr, k - 1);
  }
  const pivot = beta ? Math.max(kth, 0) : kth;
  const end = <usize>n << 3;
  for (let o: usize = 0; o < end; o += 16) {
    const e = exp(f64x2.sub(v128.load(gPtr + o), f64x2.splat(pivot)));
    v128.store(zPtr + o, f64x2.pmin(e, f64x2.splat(FAR_ABOVE)));
  }

  // Those above the k-th largest one by one, with their places behind; of the others the sum.
  const own = beta ? expOf(-pivot) : 0;
  const placesPtr = workPtr + end;
  const size = placesAbove<f64>(gPtr, n, kth, placesPtr);
  for (let i = 0; i < size; ++i) {
    const place = at<i32>(placesPtr, i);
    put<f64>(workPtr, i, at<f64>(zPtr, place));
    put<f64>(zPtr, place, 0);
  }
  let rest = sum(zPtr, n);
  for (let i = 0; i < size; ++i) put<f64>(zPtr, at<i32>(placesPtr, i), at<f64>(workPtr, i));
  const cut = boundBySum(rest + own, workPtr, size, k);
  let sizeU = 0;
  let sumU: f64 = 0;
  for (let i = 0; i < size; ++i) {
    const e = at<f64>(workPtr, i);
    if (e > cut) {
      sumU += at<f64>(gPtr, at<i32>(placesPtr, i)) - pivot;
      ++sizeU;
    } else {
      rest += e;
    }
  }

  const p = <f64>sizeU / <f64>k;
  const logK = logOf(<f64>k);
  const logLeft = log1p(-p);
  let t: f64;
  let bound: f64;
  let loss: f64;
  if (beta) {
    t = (own == 1 ? log1p(rest) : logOf(own + rest)) - logLeft;
    bound = 1 / <f64>k;
    loss = pivot + t * (1 - p) + sumU / <f64>k + p * logK;
  } else {
    const logRest = logOf(rest);
    const logQ = (1 - p) * (logLeft - logRest) - p * logK - sumU / <f64>k - pivot;
    const logOverS = softplus(logQ); // s = 1/(1 + Q)
    t = logRest + logOverS - logLeft;
    bound = expOf(-logOverS - logK);
    loss = softplus(-logQ);
  }
  const scale = expOf(-t);
  for (let o: usize = 0; o < end; o += 16) {
    const e = v128.load(zPtr + o);
    const z = f64x2.pmin(f64x2.mul(e, f64x2.splat(scale)), f64x2.splat(bound));
    v128.store(zPtr + o, v128.bitselect(f64x2.splat(bound), z, f64x2.gt(e, f64x2.splat(cut))));
  }
  return loss;
}
