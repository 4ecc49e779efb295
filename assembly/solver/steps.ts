import { arrangeClasses, numTrue, Problem, readRow, trueBack, trueFirst, truthOf } from "../data/problem";
import { scoresOfExample } from "../data/products";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, lanes, loadNarrow, madd, put } from "../linalg/simd";
import { updateDual } from "../loss/loss";
import { negate, updateDualSet } from "../loss/multilabel";
import { checkList, listOf, listOthers } from "./candidates";

/**
 * The dual step of one example, see sweep.ts, on its row of A. The changes go to problem.changed and problem.deltas; their
 * number is returned, and the number of scores computed is added to problem.progress[1].
 */

/** Notes that the dual variable of class j becomes a. Returns the number of changes so far. */
// @ts-ignore: decorator
@inline
export function change<T>(problem: Problem, aPtr: usize, j: i32, a: T, moved: i32): i32 {
  const delta = <T>(a - at<T>(aPtr, j));
  if (delta == 0) return moved;
  put<T>(aPtr, j, a);
  put<i32>(problem.changed, moved, j);
  put<T>(problem.deltas, moved, delta);
  return moved + 1;
}

/** Scores of the classes of a list, i32[padded], to qPtr: those known, f64[m], or computed where that is 0. */
// @ts-ignore: decorator
@inline
function scoresOfList<T>(problem: Problem, i: i32, classes: usize, padded: i32, known: usize, qPtr: usize): void {
  let cost = padded;
  if (known == 0) cost = scoresOfExample<T>(problem, i, classes, padded, qPtr);
  else for (let c = 0; c < padded; ++c) put<f64>(qPtr, c, at<f64>(known, at<i32>(classes, c)));
  put<f64>(problem.progress, 1, at<f64>(problem.progress, 1) + <f64>cost);
}

/** 0, 1, ..., m - 1, then 0 up to a multiple of CLASSES_AT_ONCE. */
function listAll(listPtr: usize, m: i32): i32 {
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
 * Steps of a loss of whose dual variables few are zero: it takes no lists, and all m of them count as changed. Here x = -a goes to
 * problem.row and q = u - K a, with the scores u, which are known or computed where that is 0, to problem.scores; both f64[m].
 */
function beginOnEvery<T>(problem: Problem, i: i32, aPtr: usize, known: usize): void {
  const m = problem.m;
  const q = problem.scores;
  const x = problem.row;
  const padded = listAll(problem.changed, m);
  let cost = m;
  if (known == 0) cost = scoresOfExample<T>(problem, i, problem.changed, padded, q);
  else memory.copy(q, known, <usize>m << 3);
  put<f64>(problem.progress, 1, at<f64>(problem.progress, 1) + <f64>cost);
  readRow<T>(aPtr, m, x);
  const K = f64x2.splat(at<f64>(problem.norm2, i));
  for (let j = 0; j < m; j += 2) {
    const place = <usize>j << 3;
    v128.store(q + place, madd<f64>(K, v128.load(x + place), v128.load(q + place)));
  }
}

/** The new x, in problem.row, to the row aPtr of A, and what has changed to problem.deltas. Returns m. */
function endOnEvery<T>(problem: Problem, aPtr: usize): i32 {
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
  return m;
}

/** Where example i has one class, which gives its place to the last one for the time of the step. */
function stepOnEveryClass<T>(problem: Problem, i: i32, known: usize): i32 {
  const q = problem.scores;
  const x = problem.row;
  const y = at<i32>(problem.y, i);
  const last = problem.m - 1;
  const aPtr = problem.A + ((<usize>i * <usize>problem.m) << alignof<T>());
  beginOnEvery<T>(problem, i, aPtr, known);
  const ownQ = at<f64>(q, y);
  put<f64>(q, y, at<f64>(q, last));
  put<f64>(x, y, at<f64>(x, last));
  const own = updateDual(problem.loss, q, last, ownQ, at<f64>(problem.norm2, i), at<f64>(problem.C, i), x);
  put<f64>(x, last, at<f64>(x, y));
  put<f64>(x, y, -own);
  return endOnEvery<T>(problem, aPtr);
}

/** Where it has a set of classes. */
function stepOnEverySet<T>(problem: Problem, i: i32, known: usize): i32 {
  const m = problem.m;
  const q = problem.scores;
  const x = problem.row;
  const t = numTrue(problem, i);
  const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
  beginOnEvery<T>(problem, i, aPtr, known);
  trueFirst(problem, i, q);
  trueFirst(problem, i, x);
  negate(x, t);
  updateDualSet(problem.loss, q, t, m - t, at<f64>(problem.norm2, i), at<f64>(problem.C, i), x);
  negate(x, t);
  trueBack(problem, i, x);
  return endOnEvery<T>(problem, aPtr);
}

/** Where example i has one class. known: its scores, f64[m], or 0. */
function stepOnClass<T>(problem: Problem, i: i32, everyClass: bool, known: usize): i32 {
  const q = problem.scores;
  const x = problem.row;
  const y = at<i32>(problem.y, i);
  const aPtr = problem.A + ((<usize>i * <usize>problem.m) << alignof<T>());
  const K = at<f64>(problem.norm2, i);
  let classes = listOf(problem, i);
  let n = everyClass ? 0 : at<i32>(problem.listed, i);
  if (n == 0) {
    classes = problem.classes;
    n = listOthers(classes, problem.m, y);
  }
  const padded = (n + CLASSES_AT_ONCE) & -CLASSES_AT_ONCE; // the true class stands behind the others
  scoresOfList<T>(problem, i, classes, padded, known, q);

  for (let c = 0; c < n; ++c) {
    const a = <f64>at<T>(aPtr, at<i32>(classes, c));
    put<f64>(x, c, -a);
    put<f64>(q, c, at<f64>(q, c) - K * a);
  }
  const oldOwn = at<T>(aPtr, y);
  const own = <T>updateDual(problem.loss, q, n, at<f64>(q, n) - K * <f64>oldOwn, K, at<f64>(problem.C, i), x);

  let moved = 0;
  for (let c = 0; c < n; ++c) moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(0 - at<f64>(x, c)), moved);
  if (everyClass) checkList<T>(problem, i, aPtr);
  return change<T>(problem, aPtr, y, own, moved);
}

/** Where it has a set of classes: all true ones, and of the others all or the candidates. */
function stepOnSet<T>(problem: Problem, i: i32, everyClass: bool, known: usize): i32 {
  const q = problem.scores;
  const x = problem.row;
  const classes = problem.classes;
  const aPtr = problem.A + ((<usize>i * <usize>problem.m) << alignof<T>());
  const K = at<f64>(problem.norm2, i);
  const t = numTrue(problem, i);
  const listed = everyClass ? 0 : at<i32>(problem.listed, i);
  let count = problem.m;
  if (listed == 0) {
    arrangeClasses(problem, i, classes);
  } else {
    count = t + listed;
    memory.copy(classes, truthOf(problem, i), <usize>t << 2);
    memory.copy(classes + (<usize>t << 2), listOf(problem, i), <usize>listed << 2);
  }
  const padded = (count + CLASSES_AT_ONCE - 1) & -CLASSES_AT_ONCE;
  for (let c = count; c < padded; ++c) put<i32>(classes, c, 0);
  scoresOfList<T>(problem, i, classes, padded, known, q);

  for (let c = 0; c < count; ++c) {
    const a = <f64>at<T>(aPtr, at<i32>(classes, c));
    put<f64>(x, c, c < t ? a : -a);
    put<f64>(q, c, at<f64>(q, c) - K * a);
  }
  updateDualSet(problem.loss, q, t, count - t, K, at<f64>(problem.C, i), x);

  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(x, c);
    moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(c < t ? v : 0 - v), moved);
  }
  if (everyClass) checkList<T>(problem, i, aPtr);
  return moved;
}

/** Whatever it has. */
// @ts-ignore: decorator
@inline
export function step<T>(problem: Problem, i: i32, everyClass: bool, known: usize): i32 {
  if (problem.sets == 0) {
    return problem.extra == 0 ? stepOnEveryClass<T>(problem, i, known) : stepOnClass<T>(problem, i, everyClass, known);
  }
  return problem.extra == 0 ? stepOnEverySet<T>(problem, i, known) : stepOnSet<T>(problem, i, everyClass, known);
}
