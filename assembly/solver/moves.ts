import { numTrue, Problem, weightsOf } from "../data/problem";
import { at, put } from "../linalg/simd";
import { dualLoss } from "../loss/loss";
import { dualLossSet, restoreSet } from "../loss/multilabel";
import { restoreDual } from "../loss/restore";

/**
 * A move of one example's dual variables. Where `count` of them are to go is in problem.row, and where they were in
 * problem.scores: the true classes', if there is a set of them, and then others' with the sign changed; or else, all
 * with the sign changed, others' and then the true class's. Those that are not there are zero, and stay so.
 */

/** Where they are to go becomes the nearest point of the domain. */
export function restoreMove<T>(problem: Problem, i: i32, count: i32): void {
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  if (problem.sets != 0) {
    const t = numTrue(problem, i);
    restoreSet(problem.loss, x, t, count - t, C, weightsOf(problem, i), sizeof<T>() == 4);
    return;
  }
  const n = count - 1;
  put<f64>(x, n, -restoreDual(problem.loss, x, n, -at<f64>(x, n), C));
}

/** By how much the dual loss is larger there. Both places are lost. */
export function riseOfMove<T>(problem: Problem, i: i32, count: i32): f64 {
  return dualLossOf<T>(problem, i, problem.row, count) - dualLossOf<T>(problem, i, problem.scores, count);
}

function dualLossOf<T>(problem: Problem, i: i32, xPtr: usize, count: i32): f64 {
  const C = at<f64>(problem.C, i);
  if (problem.sets == 0) {
    const n = count - 1;
    return dualLoss<T>(problem.loss, xPtr, n, -at<f64>(xPtr, n), C);
  }
  const t = numTrue(problem, i);
  return dualLossSet<T>(problem.loss, xPtr, t, count - t, C, weightsOf(problem, i));
}
