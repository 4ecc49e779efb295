import { addBlockInFloat64, addExactRows } from "../data/block";
import { addEntries, beginEntries, endEntries } from "../data/entries";
import { hasKernel, narrowRow, NO_DUALS, numTrue, Problem, scoresAt, trueBack, trueFirst, weightsOf, widenRow } from "../data/problem";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { keepNonzeros, negate } from "../linalg/vectors";
import { restoreSet } from "../loss/multilabel";
import { projectDual, repair } from "../loss/restore";
import { heldDuals, listOf, numHeld, rowOfA } from "./lists";

/**
 * Step 1 of an evaluation, see certificate.ts, for the examples [from, from + count). exactly: of a kernel whose values
 * are computed, which are then not rounded to T.
 */
export function rebuild<T>(problem: Problem, from: i32, count: i32, exactly: bool): void {
  const end = from + count;
  if (problem.extra > 0 && !problem.sparse && !hasKernel(problem)) {
    beginEntries(problem);
    for (let i = from; i < end; ++i) {
      if (at<i32>(problem.listed, i) != NO_DUALS) rebuildExample<T>(problem, i);
    }
    endEntries<T>(problem);
    return;
  }
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    for (let e = 0; e < size; ++e) widenRepaired<T>(problem, first + e, scoresAt(problem, e));
    if (exactly) addExactRows(problem, first, size, problem.blockScores);
    else addBlockInFloat64<T>(problem, first, size, problem.blockScores);
  }
}

/** Step 1 for one example, entry by entry. */
function rebuildExample<T>(problem: Problem, i: i32): void {
  const row = problem.row;
  const n = numHeld(problem, i);
  if (n > 0) {
    const list = listOf(problem, i);
    repairRow<T>(problem, i, heldDuals(list, n), n + 1, n, row);
    addEntries<T>(problem, i, n + 1, list, row);
  } else {
    repairAll<T>(problem, i, row);
    const nonzeros = keepNonzeros<f64>(row, problem.m, 0, problem.classes, row);
    addEntries<T>(problem, i, nonzeros, problem.classes, row);
  }
}

/** Repairs the dual variables of example i, and widens them to rowPtr: f64[m'], zeros behind the m-th. */
function widenRepaired<T>(problem: Problem, i: i32, rowPtr: usize): void {
  const m = problem.m;
  const n = numHeld(problem, i);
  if (n > 0) {
    const list = listOf(problem, i);
    repairRow<T>(problem, i, heldDuals(list, n), n + 1, n, problem.row);
    memory.fill(rowPtr, 0, <usize>tiledClasses(m) << 3);
    for (let c = 0; c <= n; ++c) put<f64>(rowPtr, at<i32>(list, c), at<f64>(problem.row, c));
    return;
  }
  repairAll<T>(problem, i, rowPtr);
  for (let j = m; j < tiledClasses(m); ++j) put<f64>(rowPtr, j, 0);
}

/** Repairs row i of A, and widens it to rowPtr: f64[m]. */
function repairAll<T>(problem: Problem, i: i32, rowPtr: usize): void {
  const aPtr = rowOfA<T>(problem, i);
  if (problem.sets == 0) repairRow<T>(problem, i, aPtr, problem.m, at<i32>(problem.y, i), rowPtr);
  else repairSet<T>(problem, i, aPtr, rowPtr);
}

/**
 * Repairs the dual variables of example i, which has one class, for n classes, all or a list of them, the true one at
 * place y; and widens them. duals: T[n]; rowPtr: f64[n].
 */
function repairRow<T>(problem: Problem, i: i32, duals: usize, n: i32, y: i32, rowPtr: usize): void {
  widenRow<T>(duals, n, rowPtr);
  if (repair<T>(problem.loss, rowPtr, n, y, at<f64>(problem.C, i))) narrowRow<T>(rowPtr, n, duals);
  else put<T>(duals, y, <T>at<f64>(rowPtr, y));
}

/**
 * Repairs the dual variables of an example that has a set of classes, and widens them. Dual variables of the others
 * that are zero stay so: a list that has the nonzero ones has them afterwards. duals: T[m]; rowPtr: f64[m].
 */
function repairSet<T>(problem: Problem, i: i32, duals: usize, rowPtr: usize): void {
  widenRow<T>(duals, problem.m, rowPtr);
  restoreOnSet(problem, i, rowPtr, sizeof<T>() == 4);
  narrowRow<T>(rowPtr, problem.m, duals);
}

/**
 * Takes dual variables from elsewhere (another C, another loss) to the nearest point of the domain, row by row, for the
 * examples [from, from + count), before there are lists. To be followed by steps 1 and 2, which give W.
 */
export function project<T>(problem: Problem, from: i32, count: i32): void {
  const m = problem.m;
  for (let i = from; i < from + count; ++i) {
    const aPtr = rowOfA<T>(problem, i);
    widenRow<T>(aPtr, m, problem.row);
    if (problem.sets == 0) projectDual(problem.loss, problem.row, m, at<i32>(problem.y, i), at<f64>(problem.C, i));
    else restoreOnSet(problem, i, problem.row, sizeof<T>() == 4);
    narrowRow<T>(problem.row, m, aPtr);
  }
}

/** Brings the row of example i, which has a set of classes, into the domain. rowPtr: f64[m], in place. */
function restoreOnSet(problem: Problem, i: i32, rowPtr: usize, single: bool): void {
  const t = numTrue(problem, i);
  const n = problem.m - t;
  const others = rowPtr + (<usize>t << 3);
  trueFirst(problem, i, rowPtr);
  negate(others, n);
  restoreSet(problem.loss, rowPtr, t, n, at<f64>(problem.C, i), weightsOf(problem, i), single);
  negate(others, n);
  trueBack(problem, i, rowPtr);
}
