/** Losses that depend on the largest margins alone, at these: what the rest may be without mattering. */
import { at } from "../linalg/simd";
import { sum } from "../linalg/vectors";
import * as domains from "../prox/domain";
import { largest } from "../select/largest";
import * as hinge from "./hinge";
import { HINGE, Loss } from "./parameters";

/** Whether the loss depends on the largest margins alone, however many: hinge losses, smoothed or not. */
export function dependsOnLargest(loss: Loss): bool {
  return loss.family == HINGE && loss.domain != domains.WEIGHTED;
}

/**
 * Such a loss at the margins gPtr: f64[n + 1] of k or more of the other classes, the margins of the rest being at most
 * `rest`; NaN where the rest may matter. What maximises it goes to loss.duals. Where there is no rest, -Infinity, gPtr
 * is destroyed.
 */
export function lossOfMargins(loss: Loss, gPtr: usize, n: i32, rest: f64): f64 {
  const margins = rest == -Infinity ? gPtr : loss.margins;
  if (margins != gPtr) memory.copy(margins, gPtr, <usize>n << 3);
  const value = hinge.primalLoss(loss, margins, n, loss.duals);
  return margins == gPtr || rest <= mostUnnoticed(loss, gPtr, n) ? value : NaN;
}

/** What is less than its bound by this part of it is so not by rounding alone. */
const ROOM: f64 = 1e-9;

/**
 * Margins of the rest that are no higher do not matter, given those gPtr: f64[n] and what `lossOfMargins` has found.
 *
 * Let p maximise <h, p> - gamma/2 ||p||^2 over those given, and p_c be less than its bound for a class whose slope
 * h_c - gamma p_c is no smaller than h of the rest. If some p' over all classes were better, so would be a point on the
 * way from p to it, near p; and, with what that has of the rest moved to c, one over those given. Where p = 0 none has
 * room if bounds depend on p, but then it is 0 as long as k of those given are no smaller than the rest; else no h is
 * positive, nor may one of the rest be.
 */
export function mostUnnoticed(loss: Loss, gPtr: usize, n: i32): f64 {
  const p = loss.duals;
  const total = sum(p, n);
  if (!(total > 0)) {
    if (loss.domain == domains.SIMPLEX || loss.domain == domains.TOPK_BETA) return -1;
    largest(gPtr, n, loss.k, loss.work);
    return at<f64>(loss.work, loss.k - 1);
  }
  const most = domains.bound<f64>(loss.domain, loss.k, total, 1) * (1 - ROOM);
  let level = -Infinity;
  for (let c = 0; c < n; ++c) {
    const v = at<f64>(p, c);
    const slope = at<f64>(gPtr, c) - loss.gamma * v;
    level = select<f64>(slope, level, v < most && slope > level);
  }
  return level;
}
