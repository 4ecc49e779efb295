/**
 * Hinge losses as Frank-Wolfe sees them: slopes of D, the vertex that rises most along them, the curvature on the way.
 */
import { at, put } from "../linalg/simd";
import { sum } from "../linalg/vectors";
import * as domains from "../prox/domain";
import { readMargins, writeDuals } from "./otherClasses";
import { Loss } from "./parameters";

/**
 * The slopes of D in x over the other classes, h_j = 1 + u_j - u_y - gamma/C x_j, over WEIGHTED x_j + sum x, in the
 * place of the scores uPtr: f64[m]; xPtr: f64[m]. Both are 0 at the true class.
 */
export function ascent(loss: Loss, uPtr: usize, xPtr: usize, m: i32, y: i32, C: f64): void {
  const own = at<f64>(uPtr, y);
  const total = loss.domain == domains.WEIGHTED ? sum(xPtr, m) : 0;
  const smoothing = loss.gamma / C;
  for (let j = 0; j < m; ++j) {
    const h = 1 + at<f64>(uPtr, j) - own - smoothing * (at<f64>(xPtr, j) + total);
    put<f64>(uPtr, j, j == y ? 0 : h);
  }
}

/** max <h, x> over DOM(1), the maximiser, a vertex, to vPtr: f64[m]; h and v are 0 at the true class. */
export function vertex(loss: Loss, hPtr: usize, m: i32, y: i32, vPtr: usize): f64 {
  readMargins(hPtr, m, y, loss.margins);
  const x = loss.duals;
  const value = domains.support(loss.domain, loss.k, loss.rankWeights, loss.margins, m - 1, x, loss.work);
  writeDuals(x, m, y, vPtr);
  for (let j = 0; j < m; ++j) put<f64>(vPtr, j, j == y ? 0 : 0 - at<f64>(vPtr, j));
  return value;
}

/** The curvature of -C L*(-a/C) along a row of A, dPtr: f64[m]: gamma/C ||d||^2, but for the true class or with it. */
export function curvature(loss: Loss, dPtr: usize, m: i32, y: i32, C: f64): f64 {
  let total: f64 = 0;
  for (let j = 0; j < m; ++j) {
    const d = at<f64>(dPtr, j);
    if (j != y || loss.domain == domains.WEIGHTED) total += d * d;
  }
  return (loss.gamma / C) * total;
}
