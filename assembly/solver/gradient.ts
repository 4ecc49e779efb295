import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { Problem } from "../data/problem";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { primalLoss } from "../loss/loss";

/**
 * P and its gradient at W, for losses that have no dual. After `clear(true)`, for the examples [from, from + count), in order:
 * adds C_i L(W x_i) to sums[0] and -C_i L'(W x_i) x_i^T to W64. `finishGradient` then makes W64 the gradient.
 */
export function addGradient(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const rows = problem.blockScores; // scores, then what stands in the place of dual variables
  const gradient = problem.row;
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<f64, f64>(problem, first, size, rows);
    for (let e = 0; e < size; ++e) {
      const u = rows + (<usize>(e * ld) << 3);
      const C = at<f64>(problem.C, first + e);
      const value = primalLoss<f64>(problem.loss, u, m, at<i32>(problem.y, first + e), gradient);
      put<f64>(problem.sums, 0, at<f64>(problem.sums, 0) + C * value);
      for (let j = 0; j < m; ++j) put<f64>(u, j, -C * at<f64>(gradient, j));
      for (let j = m; j < ld; ++j) put<f64>(u, j, 0);
    }
    addBlockInFloat64<f64>(problem, first, size, rows);
  }
}

/** W64 <- W - W0 - W64, and sums[2] <- ||W - W0||^2. */
export function finishGradient(problem: Problem): void {
  let norm2: f64 = 0;
  for (let l = 0; l < problem.sizeW; ++l) {
    const z = at<f64>(problem.W, l) - (problem.W0 == 0 ? 0 : at<f64>(problem.W0, l));
    norm2 += z * z;
    put<f64>(problem.W64, l, z - at<f64>(problem.W64, l));
  }
  put<f64>(problem.sums, 2, norm2);
}
