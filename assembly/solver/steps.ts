import { arrangeClasses, numTrue, Problem, truthOf } from "../data/problem";
import { scoresOfExample } from "../data/products";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, loadPair, put } from "../linalg/simd";
import { updateDual } from "../loss/loss";
import { updateDualSet } from "../loss/multilabel";
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
 * Where example i has one class, over every class, of a loss with few dual variables that are zero: then it takes no lists, and
 * each of them counts as changed. The true class gives its place to the last one for the time of the step. known: its scores, f64[m], or 0.
 */
function stepOnEveryClass<T>(problem: Problem, i: i32, known: usize): i32 {
  const m = problem.m;
  const q = problem.scores;
  const x = problem.row;
  const deltas = problem.deltas;
  const y = at<i32>(problem.y, i);
  const aPtr = problem.A + ((<usize>i * <usize>m) << alignof<T>());
  const K = at<f64>(problem.norm2, i);
  const padded = listAll(problem.changed, m);
  let cost = m;
  if (known == 0) cost = scoresOfExample<T>(problem, i, problem.changed, padded, q);
  else memory.copy(q, known, <usize>m << 3);
  put<f64>(problem.progress, 1, at<f64>(problem.progress, 1) + <f64>cost);

  const pairs = m & -2;
  const manyK = f64x2.splat(K);
  for (let j = 0; j < pairs; j += 2) {
    const a = loadPair<T>(aPtr + (<usize>j << alignof<T>()));
    const qj = q + (<usize>j << 3);
    v128.store(x + (<usize>j << 3), f64x2.neg(a));
    v128.store(qj, f64x2.sub(v128.load(qj), f64x2.mul(manyK, a)));
  }
  const last = m - 1;
  if (pairs < m) {
    const a = <f64>at<T>(aPtr, last);
    put<f64>(x, last, -a);
    put<f64>(q, last, at<f64>(q, last) - K * a);
  }

  const ownQ = at<f64>(q, y);
  put<f64>(q, y, at<f64>(q, last));
  put<f64>(x, y, at<f64>(x, last));
  const own = updateDual(problem.loss, q, last, ownQ, K, at<f64>(problem.C, i), x);
  put<f64>(x, last, at<f64>(x, y));
  put<f64>(x, y, -own);

  for (let j = 0; j < m; ++j) {
    const a = <T>(0 - at<f64>(x, j));
    put<T>(deltas, j, a - at<T>(aPtr, j));
    put<T>(aPtr, j, a);
  }
  return m;
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
  if (problem.sets != 0) return stepOnSet<T>(problem, i, everyClass, known);
  return problem.extra == 0 ? stepOnEveryClass<T>(problem, i, known) : stepOnClass<T>(problem, i, everyClass, known);
}
