import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { numTrue, Problem, scoresAt, trueBack, trueFirst, weightsOf, widenRow } from "../data/problem";
import { addFeatures } from "../data/rows";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { curvatureProduct } from "../loss/loss";
import { curvatureOfSet } from "../loss/multilabel";
import { rowOfA } from "./lists";

/**
 * The Hessian of P at the weights whose gradients the dual variables are (see gradient.ts), times weights V, which are
 * in the place of W. After `clear(true)`, for the examples [from, from + count), in order: adds C_i L''(W x_i) V x_i
 * x_i^T to W64. The product is V more. No dual variables are in lists, as they are not after that.
 */
export function addCurvature<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<T, f64>(problem, first, size, problem.blockScores, false);
    for (let e = 0; e < size; ++e) {
      const u = scoresAt(problem, e);
      const i = first + e;
      widenRow<T>(rowOfA<T>(problem, i), m, problem.row);
      curvatureOfExample(problem, i, problem.row, u);
      for (let j = m; j < ld; ++j) put<f64>(u, j, 0);
    }
    addBlockInFloat64<T>(problem, first, size, problem.blockScores);
  }
}

/** C_i L'' v in the place of vPtr: f64[m], where -C_i L' is aPtr: f64[m], destroyed. */
function curvatureOfExample(problem: Problem, i: i32, aPtr: usize, vPtr: usize): void {
  const m = problem.m;
  const C = at<f64>(problem.C, i);
  if (problem.sets == 0) {
    curvatureProduct(problem.loss, aPtr, m, at<i32>(problem.y, i), C, vPtr);
    return;
  }
  const t = numTrue(problem, i);
  trueFirst(problem, i, aPtr);
  trueFirst(problem, i, vPtr);
  curvatureOfSet(problem.loss, aPtr, t, m - t, C, weightsOf(problem, i), vPtr);
  trueBack(problem, i, vPtr);
}

/**
 * Rows [feature, feature + m) of the second moments sum_i C_i x_i x_i^T, as if they were weights of classes: after
 * `clear(true)`, adds those of the examples [from, from + count) to W64. Rows beyond the last feature are zero.
 */
export function addMoments<T>(problem: Problem, feature: i32, from: i32, count: i32): void {
  const ld = tiledClasses(problem.m);
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    memory.fill(problem.blockScores, 0, <usize>(size * ld) << 3);
    for (let e = 0; e < size; ++e) {
      addFeatures<T>(problem, first + e, feature, problem.m, at<f64>(problem.C, first + e), scoresAt(problem, e));
    }
    addBlockInFloat64<T>(problem, first, size, problem.blockScores);
  }
}
