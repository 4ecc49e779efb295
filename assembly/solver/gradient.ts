import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { narrowRow, Problem, scoresAt } from "../data/problem";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { scale } from "../linalg/vectors";
import { primalLoss } from "../loss/loss";
import { rowOfA } from "./lists";

/**
 * P and its gradient at W, for losses that are smooth or have no dual. After `clear(true)`, for the examples [from, from + count), in order:
 * adds C_i L(W x_i) to sums[0] and -C_i L'(W x_i) x_i^T to W64. `finishGradient` then makes W64 the gradient. Examples have one class each,
 * and there are no lists.
 */
export function addGradient<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const rows = problem.blockScores; // scores, then what stands in the place of dual variables
  const gradient = problem.row;
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<T, f64>(problem, first, size, rows);
    for (let e = 0; e < size; ++e) {
      const u = scoresAt(problem, e);
      const C = at<f64>(problem.C, first + e);
      const value = primalLoss<f64>(problem.loss, u, m, at<i32>(problem.y, first + e), gradient);
      put<f64>(problem.sums, 0, at<f64>(problem.sums, 0) + C * value);
      for (let j = 0; j < m; ++j) put<f64>(u, j, -C * at<f64>(gradient, j));
      for (let j = m; j < ld; ++j) put<f64>(u, j, 0);
    }
    addBlockInFloat64<T>(problem, first, size, rows);
  }
}

/**
 * The dual point of the gradients at W, a_i = -C_i L'(W x_i): where the gradient of P is 0 it is optimal, and elsewhere as far from standing
 * for W as that is long. To be repaired, and to be followed by steps 1 and 2 of an evaluation, which give W.
 */
export function takeDualsOfGradient<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const rows = problem.blockScores;
  const gradient = problem.row;
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<T, f64>(problem, first, size, rows);
    for (let e = 0; e < size; ++e) {
      const i = first + e;
      const C = at<f64>(problem.C, i);
      primalLoss<f64>(problem.loss, scoresAt(problem, e), m, at<i32>(problem.y, i), gradient);
      scale(gradient, m, -C);
      narrowRow<T>(gradient, m, rowOfA<T>(problem, i));
    }
  }
}

/** W64 <- W - W0 - W64, and sums[2] <- ||W - W0||^2. */
export function finishGradient<T>(problem: Problem): void {
  let norm2: f64 = 0;
  for (let l = 0; l < problem.sizeW; ++l) {
    const z = <f64>at<T>(problem.W, l) - (problem.W0 == 0 ? 0 : at<f64>(problem.W0, l));
    norm2 += z * z;
    put<f64>(problem.W64, l, z - at<f64>(problem.W64, l));
  }
  put<f64>(problem.sums, 2, norm2);
}
