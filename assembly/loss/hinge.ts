import { at, madd, put, sumLanes } from "../linalg/simd";
import { fill, scale, shift, sum } from "../linalg/vectors";
import { project, support, uniform, WEIGHTED } from "../prox/domain";
import { Loss } from "./parameters";

/**
 * The hinge losses: hinge (Crammer and Singer) and the top-k hinge losses, smoothed or not. With h_j = 1 + u_j - u_y
 * over the other classes they are
 *     L(h) = max { <h, p> - gamma/2 ||p||^2 : p in DOM(1) },
 * and differ only in DOM. Lapin, Hein, Schiele, NIPS 2015, section 2, and PAMI 2018, Props 1, 2 and 14. Of the weighted
 * top-k hinge loss the penalty has the true class's entry, too: gamma/2 (||p||^2 + (sum p)^2). Hirohashi and Kato,
 * 2020, Eqs 12 and 31.
 */

/** Below this, or where C/R overflows, the quadratic term of an update is lost, and the row is as good as zero. */
export const TINY: f64 = 1e-280;

/**
 * max_x  sum x - gamma/(2C) ||x||^2 - K/2 (||x||^2 + (sum x)^2) + <g, x>   over DOM(C), g_j = q_j - q_y.
 *
 * With R = K C + gamma this is the projection of 1 + g onto DOM(R) with bias rho = K C / R, times C/R (PAMI Prop. 14
 * with both sides multiplied by R/C: 1 + g is free of the cancellation that (1 + g) C/R brings when K C is tiny). Over
 * WEIGHTED the penalty is gamma/(2C) (||x||^2 + (sum x)^2), which makes rho 1. gPtr: f64[n + 1], destroyed; xPtr:
 * f64[n + 1], x as it was, a guess, replaced by the answer.
 */
export function updateDual(loss: Loss, gPtr: usize, n: i32, K: f64, C: f64, xPtr: usize): void {
  const domain = loss.domain;
  const weightsPtr = loss.rankWeights;
  const gamma = loss.gamma;
  const R = K * C + gamma;
  const factor = C / R;
  if (R < TINY || factor == Infinity) {
    fill(xPtr, n, uniform(domain, loss.k, weightsPtr, n, C));
    return;
  }
  shift(gPtr, n, 1);
  project(domain, loss.k, weightsPtr, gPtr, n, R, (K * C) / R, C, xPtr, loss.work);
  scale(xPtr, n, factor);
}

/**
 * L at the margins g_j = u_j - u_y; its (sub)gradient with respect to g goes to xPtr. gPtr is destroyed. Both are
 * f64[n + 1].
 */
export function primalLoss(loss: Loss, gPtr: usize, n: i32, xPtr: usize): f64 {
  const domain = loss.domain;
  const weightsPtr = loss.rankWeights;
  const gamma = loss.gamma;
  shift(gPtr, n, 1);
  if (gamma < TINY) return support(domain, loss.k, weightsPtr, gPtr, n, xPtr, loss.work);
  project(domain, loss.k, weightsPtr, gPtr, n, gamma, 0, 0, xPtr, loss.work);
  // Both have room for a vector's rest, which counts for nothing where x is zero.
  const total = f64x2.splat(domain == WEIGHTED ? sum(xPtr, n) : 0);
  put<f64>(xPtr, n, 0);
  put<f64>(gPtr, n, 0);
  let value = f64x2.splat(0);
  for (let j = 0; j < n; j += 2) {
    const place = <usize>j << 3;
    const v = v128.load(xPtr + place);
    const p = f64x2.div(v, f64x2.splat(gamma));
    const h = f64x2.sub(v128.load(gPtr + place), f64x2.mul(f64x2.splat(0.5), f64x2.add(v, total)));
    value = madd<f64>(p, h, value);
    v128.store(xPtr + place, p);
  }
  return Math.max(sumLanes<f64>(value), 0); // by rounding alone it would be less
}

/**
 * -C L*(-a/C) = sum x - gamma/(2C) ||x||^2 for x in DOM(C); with `own` = sum x over WEIGHTED, where that is penalised,
 * too, else 0.
 */
export function dualLoss(gamma: f64, xPtr: usize, n: i32, own: f64, C: f64): f64 {
  const half = 0.5 * gamma;
  let value: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const x = at<f64>(xPtr, j);
    value += x * (1 - half * ((x + own) / C));
  }
  return value;
}
