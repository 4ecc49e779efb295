import { scoresOfEveryClass } from "../data/example";
import { countScores, numTrue, Problem, readRow, trueBack, trueFirst, weightsOf } from "../data/problem";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, lanes, loadNarrow, madd, put } from "../linalg/simd";
import { keepNonzeros, negate } from "../linalg/vectors";
import { updateDual } from "../loss/loss";
import { updateDualSet } from "../loss/multilabel";

/**
 * Steps over every class, without lists: all m of them count as changed, as with most losses they have; of those whose
 * dual variables are few `dropUnchanged` keeps what has. What goes in and out is as in steps.ts.
 */

/** 0, 1, ..., m - 1, then 0 up to a multiple of CLASSES_AT_ONCE. */
function listEveryClass(listPtr: usize, m: i32): i32 {
  const padded = (m + CLASSES_AT_ONCE - 1) & -CLASSES_AT_ONCE;
  let next = i32x4(0, 1, 2, 3);
  for (let j = 0; j < padded; j += 4) {
    v128.store(listPtr + (<usize>j << 2), next);
    next = i32x4.add(next, i32x4.splat(4));
  }
  for (let j = m; j < padded; ++j) put<i32>(listPtr, j, 0);
  return padded;
}

/**
 * x = -a to problem.row, and q = u - K a to problem.scores; both f64[m]. The scores u are known, or computed where that
 * is 0; then problem.changed lists all classes, for which a block has no use.
 */
function beginOnEvery<T>(problem: Problem, i: i32, aPtr: usize, known: usize): void {
  const m = problem.m;
  const q = problem.scores;
  const x = problem.row;
  let u = known;
  let cost = m;
  if (known == 0) {
    u = q;
    listEveryClass(problem.changed, m);
    cost = scoresOfEveryClass<T>(problem, i, problem.changed, u);
  }
  countScores(problem, cost);
  readRow<T>(aPtr, m, x);
  const K = f64x2.splat(at<f64>(problem.norm2, i));
  for (let j = 0; j < m; j += 2) {
    const place = <usize>j << 3;
    v128.store(q + place, madd<f64>(K, v128.load(x + place), v128.load(u + place)));
  }
}

/** The new x, in problem.row, to the row aPtr of A, and what has changed to problem.deltas. */
function endOnEvery<T>(problem: Problem, aPtr: usize): void {
  const m = problem.m;
  const x = problem.row;
  const deltas = problem.deltas;
  const zero = v128.splat<T>(<T>0);
  const whole = m & -lanes<T>();
  for (let j = 0; j < whole; j += lanes<T>()) {
    const place = <usize>j << alignof<T>();
    const a = v128.sub<T>(zero, loadNarrow<T>(x + (<usize>j << 3), m - j));
    v128.store(deltas + place, v128.sub<T>(a, v128.load(aPtr + place)));
    v128.store(aPtr + place, a);
  }
  for (let j = whole; j < m; ++j) {
    const a = <T>(0 - at<f64>(x, j));
    put<T>(deltas, j, a - at<T>(aPtr, j));
    put<T>(aPtr, j, a);
  }
}

/** Of the m changes, those that are not zero. Returns their number. */
export function dropUnchanged<T>(problem: Problem): i32 {
  return keepNonzeros<T>(problem.deltas, problem.m, 0, problem.changed, problem.deltas);
}

/** Where example i has one class, which gives its place to the last one for the time of the step. */
export function stepOnEveryClass<T>(problem: Problem, i: i32, aPtr: usize, known: usize): void {
  const q = problem.scores;
  const x = problem.row;
  const y = at<i32>(problem.y, i);
  const last = problem.m - 1;
  beginOnEvery<T>(problem, i, aPtr, known);
  const ownQ = at<f64>(q, y);
  put<f64>(q, y, at<f64>(q, last));
  put<f64>(x, y, at<f64>(x, last));
  const own = updateDual(problem.loss, q, last, ownQ, at<f64>(problem.norm2, i), at<f64>(problem.C, i), x);
  put<f64>(x, last, at<f64>(x, y));
  put<f64>(x, y, -own);
  endOnEvery<T>(problem, aPtr);
}

/** Where it has a set of classes. */
export function stepOnEverySet<T>(problem: Problem, i: i32, aPtr: usize, known: usize): void {
  const m = problem.m;
  const q = problem.scores;
  const x = problem.row;
  const t = numTrue(problem, i);
  beginOnEvery<T>(problem, i, aPtr, known);
  trueFirst(problem, i, q);
  trueFirst(problem, i, x);
  negate(x, t);
  const K = at<f64>(problem.norm2, i);
  updateDualSet(problem.loss, q, t, m - t, K, at<f64>(problem.C, i), weightsOf(problem, i), x);
  negate(x, t);
  trueBack(problem, i, x);
  endOnEvery<T>(problem, aPtr);
}
