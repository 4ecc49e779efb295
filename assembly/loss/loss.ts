import * as domains from "../prox/domain";
import * as hinge from "./hinge";
import * as softmax from "./softmax";

/** The loss of a problem: which family, which dual domain, and its parameters. Lives in the arena. */
@unmanaged
export class Loss {
  family: i32;
  domain: i32;
  k: i32;
  gamma: f64;
}

export const HINGE: i32 = 0;
export const SOFTMAX: i32 = 1;

/** The n other classes' dual variables (sign changed) that maximise the dual in one example's row. See the families. */
export function updateDual(
  loss: Loss,
  gPtr: usize,
  n: i32,
  K: f64,
  C: f64,
  xPtr: usize,
  workPtr: usize,
): void {
  if (loss.family == SOFTMAX) softmax.updateDual(gPtr, n, K, C, xPtr);
  else hinge.updateDual(loss.domain, loss.k, loss.gamma, gPtr, n, K, C, xPtr, workPtr);
}

/** Loss at the margins g_j = u_j - u_y, gradient with respect to g into xPtr; gPtr is destroyed. */
export function primalLoss(loss: Loss, gPtr: usize, n: i32, xPtr: usize, workPtr: usize): f64 {
  if (loss.family == SOFTMAX) return softmax.primalLoss(gPtr, n, xPtr);
  return hinge.primalLoss(loss.domain, loss.k, loss.gamma, gPtr, n, xPtr, workPtr);
}

/** -C L*(-a/C) at a feasible x; xPtr is destroyed. */
export function dualLoss(loss: Loss, xPtr: usize, n: i32, C: f64): f64 {
  if (loss.family == SOFTMAX) return softmax.dualLoss(xPtr, n, C);
  return hinge.dualLoss(loss.gamma, xPtr, n, C);
}

/** Brings x, feasible up to rounding of T, into the domain. */
export function repair<T>(loss: Loss, xPtr: usize, n: i32, C: f64): void {
  domains.repair<T>(loss.domain, loss.k, xPtr, n, C);
}
