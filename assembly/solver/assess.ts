import { scoresOfDense, scoresOfExamples } from "../data/block";
import { numTrue, Problem, readRow, scoresAt, trueFirst, weightsOf } from "../data/problem";
import { excessOfRoughScores, hasRoughScores, takes16Bits, roughScores } from "../data/roughScores";
import { listExamples } from "../data/rows";
import { EXCESS } from "../data/sums";
import { widenRows } from "../data/transposed";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, madd, put, sumLanes } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { bytesOfPacked } from "../linalg/sparseInt16";
import { negate } from "../linalg/vectors";
import { dependsOnLargest } from "../loss/largestMargins";
import { dualLoss, primalLoss } from "../loss/loss";
import { dualLossSet, lossOfSet } from "../loss/multilabel";
import { isOneVsAll } from "../loss/parameters";
import { assessOnList } from "./assessOnList";
import { listCandidates, shortenList } from "./candidates";
import { dualsOf } from "./duals";
import { addBlock, isInDoubt, noteTerms } from "./gapTerms";
import { rowOfA } from "./lists";

/**
 * Step 3 of an evaluation, see certificate.ts, for the examples [from, from + count), with scores accumulated in S:
 * float64 for a certificate, T for an estimate.
 */
export function evaluate<T, S>(problem: Problem, from: i32, count: i32): void {
  const end = from + count;
  const exactly = sizeof<S>() > sizeof<T>();
  const roughly = exactly ? scoresTwice<T>(problem) : assessesRoughly<T>(problem);
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    if (sizeof<T>() == 4 && roughly) assessRoughly<T, S>(problem, first, size);
    else assessBlock<T, S>(problem, first, size);
    addBlock(problem, first, size);
  }
}

/** So many classes make up for scores that are taken twice, first in float32 or from numbers of 16 bits: measured. */
const MANY_CLASSES: i32 = 256;
const MANY_ROUNDED: i32 = 64;

/** Whether certificates take rough scores of all classes first: see `assessRoughly`. */
export function scoresTwice<T>(problem: Problem): bool {
  if (!assessesRoughly<T>(problem)) return false;
  return problem.m >= (takes16Bits(problem) ? MANY_ROUNDED : MANY_CLASSES);
}

/** Whether estimates take those. */
export function assessesRoughly<T>(problem: Problem): bool {
  return hasRoughScores<T>(problem) && dependsOnLargest(problem.loss);
}

/** Whether all that counts are the largest scores and the classes with dual variables: the candidates. */
function doesWithLists<T>(problem: Problem): bool {
  // In float64 infinite scores are not impossible, and would not be listed.
  return sizeof<T>() == 4 && problem.sets == 0 && problem.extra > 0 && dependsOnLargest(problem.loss);
}

function assessBlock<T, S>(problem: Problem, first: i32, size: i32): void {
  const onLists = doesWithLists<T>(problem);
  scoresOfExamples<T, S>(problem, first, size, problem.blockScores, true);
  for (let e = 0; e < size; ++e) {
    const u = scoresAt(problem, e);
    const i = first + e;
    if (sizeof<T>() == 4 && onLists) {
      if (!assessOnList<T, f64>(problem, i, u, false, 0)) assess<T, S>(problem, i, u);
      continue;
    }
    if (problem.sets == 0) assess<T, S>(problem, i, u);
    else assessOnSet<T, S>(problem, i, u);
    listCandidates<T, f64>(problem, i, u);
    shortenList<T, f64>(problem, i);
  }
}

/**
 * Assesses a block by rough scores of all classes, which take a fraction of the time. For a certificate they are
 * followed by those of the candidates in float64, which mostly are all that counts.
 */
function assessRoughly<T, S>(problem: Problem, first: i32, size: i32): void {
  const refine = sizeof<S>() > sizeof<T>();
  const out = problem.blockScores;
  const packed = roughScores<T>(problem, listExamples(problem, first, size), size, out, takes16Bits(problem));
  let left: u32 = 0; // bit e: for example e they are not
  for (let e = 0; e < size; ++e) {
    const row = packed == 0 ? 0 : packed + <usize>e * bytesOfPacked(problem.d);
    if (!assessOnList<T, T>(problem, first + e, scoresAt(problem, e), refine, row)) left |= <u32>1 << e;
  }
  if (refine) {
    assessLeft<T, S>(problem, first, left);
    return;
  }
  for (; left != 0; left &= left - 1) {
    const e = ctz<u32>(left);
    const u = scoresAt(problem, e);
    widenRows<T>(u, 1, tiledClasses(problem.m));
    assess<T, S>(problem, first + e, u);
  }
  if (problem.loss.gamma == 0) noteExcess(problem, first, size);
}

/** What of the terms of a block is probably rounding. With smoothing there are no kinks, and errors average out. */
function noteExcess(problem: Problem, first: i32, size: i32): void {
  let excess = at<f64>(problem.sums, EXCESS);
  for (let i = first; i < first + size; ++i) excess += excessOfRoughScores(problem, i);
  put<f64>(problem.sums, EXCESS, excess);
}

/**
 * The examples of a block that are left, bit e: example first + e, with the scores of all classes in S. Always as a
 * block of their own, however few: taken one by one they would be summed in another order, and how many they are
 * depends on where the block begins.
 */
function assessLeft<T, S>(problem: Problem, first: i32, left: u32): void {
  const examples = problem.changed;
  let count = 0;
  for (; left != 0; left &= left - 1) put<u32>(examples, count++, first + ctz<u32>(left));
  if (count == 0) return;
  scoresOfDense<T, S>(problem, examples, count, problem.blockScores);
  for (let e = 0; e < count; ++e) assess<T, S>(problem, at<u32>(examples, e), scoresAt(problem, e));
}

/**
 * Adds example i with scores uPtr: f64[m] to the sums, and notes its gap term
 *     C_i L(W x_i) + C_i L*(-a_i/C_i) + <a_i, W x_i>  >= 0   (Fenchel and Young).
 * The terms add up to P - D up to ||W - W0 - A^T X||^2 / 2, the rounding of W: what is left to gain sits where they are
 * large.
 */
function assess<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  const m = problem.m;
  const last = m - 1;
  const loss = problem.loss;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  readRow<T>(dualsOf<T>(problem, i), m, x);
  // The true class of a margin loss holds minus the sum of the others, which T may have rounded, so that <a, u> is a
  // sum over the others' margins; these also cancel less.
  const separate = isOneVsAll(loss);
  const own = separate ? 0 : at<f64>(uPtr, y);
  const ownDual = 0 - at<f64>(x, y);
  const product = productWithMargins(x, uPtr, own, m);
  put<f64>(x, y, at<f64>(x, last)); // the others alone, in any order
  const inDoubt = problem.doubt > 0 && isInDoubt(problem, i, largestMargin(uPtr, y, 1, m, separate));
  const primalTerm = C * primalLoss<S>(loss, uPtr, m, y, 0);
  noteTerms(problem, i, primalTerm, dualLoss<S>(loss, x, last, ownDual, C), -product, inDoubt);
}

/**
 * The largest margin of scores uPtr: f64[m], the true classes [from, from + t) among them: 1 + u_j - u_y of a true class
 * and another one or, of each class for itself, 1 - t_j u_j.
 */
function largestMargin(uPtr: usize, from: i32, t: i32, m: i32, separate: bool): f64 {
  let least = Infinity;
  let most = -Infinity;
  for (let j = 0; j < m; ++j) {
    const u = at<f64>(uPtr, j);
    if (j >= from && j < from + t) least = Math.min(least, u);
    else most = Math.max(most, u);
  }
  return separate ? 1 + Math.max(-least, most) : 1 + most - least;
}

/** sum_j x_j (u_j - own) over xPtr and uPtr: f64[m]. */
function productWithMargins(xPtr: usize, uPtr: usize, own: f64, m: i32): f64 {
  const shift = f64x2.splat(own);
  let sum = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= m; j += 2) {
    const place = <usize>j << 3;
    sum = madd<f64>(v128.load(xPtr + place), f64x2.sub(v128.load(uPtr + place), shift), sum);
  }
  let product = sumLanes<f64>(sum);
  if (j < m) product += at<f64>(xPtr, j) * (at<f64>(uPtr, j) - own);
  return product;
}

/** As `assess`, where example i has a set of classes. */
function assessOnSet<T, S>(problem: Problem, i: i32, uPtr: usize): void {
  const m = problem.m;
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  const u = problem.scores;
  const t = numTrue(problem, i);
  readRow<T>(rowOfA<T>(problem, i), m, x);
  memory.copy(u, uPtr, <usize>m << 3);
  trueFirst(problem, i, x);
  trueFirst(problem, i, u);
  // The first true class of a loss that is not one-vs-all holds minus the sum of the others.
  const separate = isOneVsAll(loss);
  const own = separate || t == 0 ? 0 : at<f64>(u, 0);
  const product = productWithMargins(x, u, own, m);
  negate(x, t);
  const weights = weightsOf(problem, i);
  const inDoubt = problem.doubt > 0 && isInDoubt(problem, i, largestMargin(u, 0, t, m, separate));
  const primalTerm = C * lossOfSet<S>(loss, u, t, m - t, weights, 0);
  noteTerms(problem, i, primalTerm, dualLossSet<S>(loss, x, t, m - t, C, weights), -product, inDoubt);
}
