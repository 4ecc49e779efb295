import { at, put } from "../linalg/simd";
import { expOf, logAddExp, sigmoid, softplus } from "../math/logistic";
import { maximum, sumExp } from "../math/logSumExp";
import { partitionLargest } from "../select/largest";
import { sortDescending } from "../select/sort";
import { fill, sum } from "./knapsack";

/**
 * Top-k entropy loss   max_z  <g, z> - <z, log z> - (1 - s) log(1 - s),   s = sum z,   over
 *     beta = false: 0 <= z_j <= s/k, s <= 1 (the top-k simplex);     beta = true: 0 <= z_j <= 1/k, s <= 1.
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 4 and 17. With U the entries at their bound, always the largest g, and M the rest,
 * everything is closed-form; U is the smallest prefix for which the next entry stays below the bound. Worked in logarithms:
 * scores of 1e4 must not overflow.
 *
 * gPtr: f64[n]; zPtr: f64[n], the maximiser; workPtr: f64[2 n], scratch; returns the loss. alpha with k > n leaves z = 0.
 */
export function topKEntropyLoss(gPtr: usize, n: i32, k: i32, beta: bool, zPtr: usize, workPtr: usize): f64 {
  if (!beta && k >= n) {
    fill(zPtr, n, 0);
    if (k > n) return 0;
    // Everything is at the bound: z = s/k, loss = log(1 + k e^A) with A the mean.
    const y = sum(gPtr, n) / <f64>k + Math.log(<f64>k);
    fill(zPtr, n, sigmoid(y) / <f64>k);
    return softplus(y);
  }
  const top = min(k, n);
  memory.copy(workPtr, gPtr, <usize>n << 3);
  partitionLargest(workPtr, n, top);
  sortDescending(workPtr, top);
  // All of it relative to an entry near t (see `topKEntropyStep`): exp(g - t) has no digits left where both are large.
  let pivot = k <= n ? at<f64>(workPtr, k - 1) : -Infinity;
  if (beta) pivot = Math.max(pivot, 0);
  for (let j = 0; j < n; ++j) put<f64>(workPtr, j, at<f64>(workPtr, j) - pivot);

  // log sum exp over what follows the first u entries, for u = top, top - 1, ..., 0.
  const restPtr = workPtr + (<usize>n << 3);
  const belowPtr = workPtr + (<usize>top << 3);
  const shift = maximum(belowPtr, n - top);
  let logZ = n > top ? shift + Math.log(sumExp(belowPtr, n - top, shift)) : -Infinity;
  const below = logZ;
  for (let u = top - 1; u >= 0; --u) {
    logZ = logAddExp(logZ, at<f64>(workPtr, u));
    put<f64>(restPtr, u, logZ);
  }

  const logK = Math.log(<f64>k);
  let sumU: f64 = 0;
  for (let u = 0; u < k; ++u) {
    const p = <f64>u / <f64>k;
    const logRest = u < top ? at<f64>(restPtr, u) : below;
    const next = u < top ? at<f64>(workPtr, u) : -Infinity;
    let t: f64;
    let logBound: f64;
    let loss: f64;
    if (beta) {
      t = logAddExp(-pivot, logRest) - Math.log1p(-p);
      logBound = -logK;
      loss = pivot + t * (1 - p) + sumU / <f64>k + p * logK;
    } else {
      const logQ = (1 - p) * Math.log1p(-p) - p * logK - (1 - p) * logRest - sumU / <f64>k - pivot;
      t = logRest + softplus(logQ) - Math.log1p(-p);
      logBound = -softplus(logQ) - logK;
      loss = softplus(-logQ);
    }
    // The next entry stays below the bound iff its share of what is not at the bound is at most 1/(k - u). Written with its
    // distance from the rest alone: t and the bound may be too large to tell.
    const logRivals = u + 1 < top ? at<f64>(restPtr, u + 1) : below;
    const rivals = beta ? logAddExp(-pivot, logRivals) : logRivals;
    const stays = softplus(rivals - next) >= Math.log(<f64>(k - u));
    // The last prefix that leaves room is taken in any case: what is above the bound there is above it by rounding.
    if (stays || u + 1 >= min(k, n)) {
      if (beta && u + 1 == n && n < k && !stays) {
        // All of them at the bound, which beta allows while n < k.
        sumU += next;
        const all = <f64>n / <f64>k;
        const own = -Math.log1p(-all); // the threshold itself, not relative to the pivot
        t = own - pivot;
        loss = own * (1 - all) + (sumU + pivot * <f64>n) / <f64>k + all * logK;
      }
      const bound = expOf(logBound);
      for (let j = 0; j < n; ++j) put<f64>(zPtr, j, Math.min(expOf(at<f64>(gPtr, j) - pivot - t), bound));
      return loss;
    }
    sumU += next;
  }
  return 0; // not reached: the last prefix is always taken
}
