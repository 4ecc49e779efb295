import { at, put } from "../linalg/simd";
import { SIMPLEX } from "../prox/domain";
import { largest } from "../select/largest";
import * as entropy from "./entropy";

/**
 * The truncated top-k entropy loss: softmax without the k - 1 classes of the largest margins g_j = u_j - u_y,
 *     log(1 + sum exp g_j)   over the m - k smallest g_j,
 * so that nothing is lost where the true class is among the first k by far. Not convex. Of equal margins the first are
 * left out. Lapin, Hein, Schiele, PAMI 2018, section 3.2.
 *
 * gPtr: f64[m - 1], margins, destroyed; uPtr: f64[m], scores, kept; the gradient goes to gradientPtr: f64[m], unless
 * that is 0. keptPtr: f64[m + 2] and workPtr: f64[m], scratch.
 */
export function primalLoss(
  k: i32,
  gPtr: usize,
  uPtr: usize,
  m: i32,
  y: i32,
  gradientPtr: usize,
  keptPtr: usize,
  workPtr: usize,
): f64 {
  const n = m - 1;
  memory.copy(keptPtr, uPtr, <usize>m << 3);
  const cut = min(k - 1, n);
  if (cut > 0) {
    largest(gPtr, n, cut, workPtr);
    const least = at<f64>(workPtr, cut - 1);
    let above = 0;
    for (let j = 0; j < n; ++j) above += i32(at<f64>(gPtr, j) > least);
    let ties = cut - above;
    for (let j = 0; j < n; ++j) {
      const g = at<f64>(gPtr, j);
      if (g < least || (g == least && ties-- <= 0)) continue;
      put<f64>(gPtr, j, -Infinity);
      put<f64>(keptPtr, j < y ? j : j + 1, -Infinity);
    }
  }
  if (gradientPtr != 0) return entropy.softmaxLoss(keptPtr, m, y, gradientPtr);
  return entropy.primalLoss<f64>(SIMPLEX, 1, gPtr, n, false, 0, 0);
}
