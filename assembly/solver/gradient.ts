import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { narrowRow, numTrue, Problem, scoresAt, trueBack, trueFirst, weightsOf } from "../data/problem";
import { PRIMAL_LOSS, WEIGHTS_NORM2 } from "../data/sums";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { primalLoss } from "../loss/loss";
import { lossOfSet } from "../loss/multilabel";
import { rowOfA } from "./lists";

/**
 * -C_i L'(W x_i) of a block of examples to problem.blockScores, zeros behind the m-th of each row, and C_i L(W x_i) to
 * PRIMAL_LOSS of the sums, one by one: where a block begins is to change no bit.
 */
function gradientsOfBlock<T>(problem: Problem, first: i32, size: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const gradient = problem.row;
  let total = at<f64>(problem.sums, PRIMAL_LOSS);
  scoresOfExamples<T, f64>(problem, first, size, problem.blockScores, false);
  for (let e = 0; e < size; ++e) {
    const u = scoresAt(problem, e);
    const C = at<f64>(problem.C, first + e);
    total += C * lossOfExample(problem, first + e, u, gradient);
    for (let j = 0; j < m; ++j) put<f64>(u, j, -C * at<f64>(gradient, j));
    for (let j = m; j < ld; ++j) put<f64>(u, j, 0);
  }
  put<f64>(problem.sums, PRIMAL_LOSS, total);
}

/** The loss of example i at the scores uPtr: f64[m + 1], and its gradient to gradientPtr: f64[m]. */
function lossOfExample(problem: Problem, i: i32, uPtr: usize, gradientPtr: usize): f64 {
  const m = problem.m;
  if (problem.sets == 0) return primalLoss<f64>(problem.loss, uPtr, m, at<i32>(problem.y, i), gradientPtr);
  const t = numTrue(problem, i);
  trueFirst(problem, i, uPtr);
  const value = lossOfSet<f64>(problem.loss, uPtr, t, m - t, weightsOf(problem, i), gradientPtr);
  trueBack(problem, i, gradientPtr);
  return value;
}

/** What that has left in problem.blockScores becomes the rows of A, none of which is in a list any more. */
function keepDuals<T>(problem: Problem, first: i32, size: i32): void {
  for (let e = 0; e < size; ++e) {
    narrowRow<T>(scoresAt(problem, e), problem.m, rowOfA<T>(problem, first + e));
    put<i32>(problem.listed, first + e, 0);
  }
}

/**
 * P and its gradient at W, for losses that are smooth or have no dual. After `clear(true)`, for the examples [from,
 * from + count), in order: adds C_i L(W x_i) to PRIMAL_LOSS and -C_i L'(W x_i) x_i^T to W64. `finishGradient` then
 * makes W64 the gradient. If `keeps`, A becomes the dual point of the gradients on the way, as `takeDualsOfGradient`
 * makes it.
 */
export function addGradient<T>(problem: Problem, from: i32, count: i32, keeps: bool): void {
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    gradientsOfBlock<T>(problem, first, size);
    if (keeps) keepDuals<T>(problem, first, size);
    addBlockInFloat64<T>(problem, first, size, problem.blockScores);
  }
}

/**
 * The dual point of the gradients at W, a_i = -C_i L'(W x_i), all in A and none in lists: where the gradient of P is 0
 * it is optimal, and elsewhere as far from standing for W as that is long. To be repaired, and to be followed by steps
 * 1 and 2 of an evaluation, which give W.
 */
export function takeDualsOfGradient<T>(problem: Problem, from: i32, count: i32): void {
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    gradientsOfBlock<T>(problem, first, size);
    keepDuals<T>(problem, first, size);
  }
}

/** W64 <- W - W0 - times W64, and WEIGHTS_NORM2 <- ||W - W0||^2: some examples stand for so many times as many. */
export function finishGradient<T>(problem: Problem, times: f64): void {
  let norm2: f64 = 0;
  for (let l = 0; l < problem.sizeW; ++l) {
    const z = <f64>at<T>(problem.W, l) - (problem.W0 == 0 ? 0 : at<f64>(problem.W0, l));
    norm2 += z * z;
    put<f64>(problem.W64, l, z - times * at<f64>(problem.W64, l));
  }
  put<f64>(problem.sums, WEIGHTS_NORM2, norm2);
}
