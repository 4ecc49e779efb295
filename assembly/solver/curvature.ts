import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { numTrue, Problem, scoresAt, trueBack, trueFirst, truthOf, weightsOf, widenRow } from "../data/problem";
import { addFeatures } from "../data/rows";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { curvatureProduct } from "../loss/loss";
import { curvatureOfSet } from "../loss/multilabel";
import { ENTROPY } from "../loss/parameters";
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
 * Second moments of d features, rows [first, first + m) of them, as if they were weights of classes: after `clear(true)`,
 * adds those of the examples [from, from + count) to W64. They are sum_i C_i x_i x_i^T or, if `byClass`, sum_i C_i p_ij
 * (1 - p_ij) x_i x_i^T for class after class, one below the other, p_ij being its probability: the diagonal blocks of
 * the Hessian of softmax and logistic losses, and nearly that of others with an entropy.
 */
export function addMoments<T>(problem: Problem, first: i32, d: i32, byClass: bool, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const end = from + count;
  const last = min(first + m, byClass ? m * d : d);
  for (let block = from; block < end; block += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - block);
    memory.fill(problem.blockScores, 0, <usize>(size * ld) << 3);
    for (let e = 0; e < size; ++e) {
      const i = block + e;
      for (let row = first; row < last; ) {
        const j = row / d;
        const feature = row - j * d;
        const rows = min(d - feature, last - row);
        const weight = byClass ? varianceOf<T>(problem, i, j) : at<f64>(problem.C, i);
        if (weight > 0) addFeatures<T>(problem, i, feature, rows, weight, scoresAt(problem, e) + (<usize>(row - first) << 3));
        row += rows;
      }
    }
    addBlockInFloat64<T>(problem, block, size, problem.blockScores);
  }
}

/** C_i p_ij (1 - p_ij), p_ij as the dual variable says it: |a_ij|/C_i or, of a set of t true classes, 1/t - a_ij/C_i. */
function varianceOf<T>(problem: Problem, i: i32, j: i32): f64 {
  const C = at<f64>(problem.C, i);
  if (!(C > 0)) return 0;
  const a = <f64>at<T>(rowOfA<T>(problem, i), j);
  let p = Math.abs(a) / C;
  if (problem.sets != 0 && problem.loss.family == ENTROPY) {
    const t = numTrue(problem, i);
    const truth = truthOf(problem, i);
    for (let c = 0; c < t; ++c) if (at<i32>(truth, c) == j) p = 1 / <f64>t - a / C;
  }
  return C * Math.max(p * (1 - p), 0);
}
