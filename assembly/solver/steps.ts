import { scoresOfEveryClass, scoresOfExample } from "../data/example";
import { countScores, NO_DUALS, numTrue, Problem, weightsOf } from "../data/problem";
import { MOVEMENT } from "../data/progress";
import { CLASSES_AT_ONCE, squaredNorm } from "../linalg/scores";
import { at, loadPair, madd, put } from "../linalg/simd";
import { countNonzeros } from "../linalg/vectors";
import { updateDual } from "../loss/loss";
import { updateDualSet } from "../loss/multilabel";
import { listCandidates } from "./candidates";
import { dropUnchanged, stepOnEveryClass, stepOnEverySet } from "./denseSteps";
import { listsInSteps } from "./firstLists";
import { checkList, closedLength, fillRow, heldDuals, listOf, listOnSet, rowOfA } from "./lists";

/**
 * The dual step of one example, see sweep.ts, on its row of A. The changes go to problem.changed and problem.deltas;
 * their number is returned, and the number of scores computed is added to WORK of the progress.
 */

/** The dual variable of class j, at dualPtr: T, becomes a. Returns the number of changes so far. */
// @ts-ignore: decorator
@inline
function changeAt<T>(problem: Problem, dualPtr: usize, j: i32, a: T, moved: i32): i32 {
  // Whether anything changes is hard to foresee: it is written either way, and written over if not.
  const delta = <T>(a - load<T>(dualPtr));
  store<T>(dualPtr, a);
  put<i32>(problem.changed, moved, j);
  put<T>(problem.deltas, moved, delta);
  return moved + i32(delta != 0);
}

/** Sets the dual variable of class j in a row of A and notes its change, as `changeAt`. */
// @ts-ignore: decorator
@inline
export function change<T>(problem: Problem, aPtr: usize, j: i32, a: T, moved: i32): i32 {
  return changeAt<T>(problem, aPtr + (<usize>j << alignof<T>()), j, a, moved);
}

/** Scores of the classes of a list, i32[padded], to qPtr: f64[padded]. */
// @ts-ignore: decorator
@inline
function scoresOfList<T>(problem: Problem, i: i32, classes: usize, padded: i32, qPtr: usize): void {
  countScores(problem, scoresOfExample<T>(problem, i, classes, padded, qPtr));
}

/**
 * The dual variables of a list of n candidates, which holds them, become those of problem.row: f64[n + 1], with the
 * sign changed. Returns the number of changes.
 */
export function changeHeld<T>(problem: Problem, list: usize, n: i32): i32 {
  const held = heldDuals(list, n);
  let moved = 0;
  for (let c = 0; c <= n; ++c) {
    const dualPtr = held + (<usize>c << alignof<T>());
    moved = changeAt<T>(problem, dualPtr, at<i32>(list, c), <T>(0 - at<f64>(problem.row, c)), moved);
  }
  return moved;
}

/** Over the n candidates of example i, which has one class. known: the scores of all classes, f64[m], or 0. */
function stepOnClass<T>(problem: Problem, i: i32, n: i32, known: usize): i32 {
  const q = problem.scores;
  const x = problem.row;
  const K = at<f64>(problem.norm2, i);
  const classes = listOf(problem, i);
  const held = heldDuals(classes, n);
  if (known == 0) scoresOfList<T>(problem, i, classes, closedLength(n), q);
  else for (let c = 0; c <= n; ++c) put<f64>(q, c, at<f64>(known, at<i32>(classes, c)));

  for (let c = 0; c <= n; c += 2) {
    const minusA = f64x2.sub(f64x2.splat(0), loadPair<T>(held + (<usize>c << alignof<T>())));
    const place = <usize>c << 3;
    v128.store(x + place, minusA);
    v128.store(q + place, madd<f64>(f64x2.splat(K), minusA, v128.load(q + place)));
  }
  const ownQ = at<f64>(q, n); // the true class stands behind the others
  put<f64>(x, n, -updateDual(problem.loss, q, n, ownQ, K, at<f64>(problem.C, i), x));
  return changeHeld<T>(problem, classes, n);
}

/** Where it has a set of classes: all true ones, and of the others the `listed` candidates. */
function stepOnSet<T>(problem: Problem, i: i32, aPtr: usize, listed: i32): i32 {
  const q = problem.scores;
  const x = problem.row;
  const classes = problem.classes;
  const K = at<f64>(problem.norm2, i);
  const t = numTrue(problem, i);
  const count = listOnSet(problem, i, listed);
  const padded = (count + CLASSES_AT_ONCE - 1) & -CLASSES_AT_ONCE;
  for (let c = count; c < padded; ++c) put<i32>(classes, c, 0);
  scoresOfList<T>(problem, i, classes, padded, q);

  for (let c = 0; c < count; ++c) {
    const a = <f64>at<T>(aPtr, at<i32>(classes, c));
    put<f64>(x, c, c < t ? a : -a);
    put<f64>(q, c, at<f64>(q, c) - K * a);
  }
  updateDualSet(problem.loss, q, t, count - t, K, at<f64>(problem.C, i), weightsOf(problem, i), x);

  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(x, c);
    moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(c < t ? v : 0 - v), moved);
  }
  return moved;
}

/** The step of example i, whatever is true of it. known: its scores, f64[m], if all are known, or 0. */
// @ts-ignore: decorator
@inline
export function step<T>(problem: Problem, i: i32, everyClass: bool, known: usize): i32 {
  const aPtr = rowOfA<T>(problem, i);
  const listed = problem.extra == 0 ? 0 : at<i32>(problem.listed, i);
  if (listed > 0 && !everyClass) {
    return problem.sets == 0 ? stepOnClass<T>(problem, i, listed, 0) : stepOnSet<T>(problem, i, aPtr, listed);
  }
  if (sizeof<T>() == 4 && known == 0 && listed == NO_DUALS && listsInSteps(problem)) {
    const u = problem.blockScores;
    const count = scoresOfEveryClass<T>(problem, i, 0, u);
    // Where all scores are zero, nothing tells one class from another.
    if (countNonzeros<f64>(u, problem.m) > 0) {
      countScores(problem, count);
      listCandidates<T, f64>(problem, i, u);
      return stepOnClass<T>(problem, i, at<i32>(problem.listed, i), u);
    }
  }
  if (listed != 0 && problem.sets == 0) fillRow<T>(problem, i);
  if (problem.sets == 0) stepOnEveryClass<T>(problem, i, aPtr, known);
  else stepOnEverySet<T>(problem, i, aPtr, known);
  if (problem.extra == 0) return problem.m;
  if (listed > 0) checkList<T>(problem, i);
  return dropUnchanged<T>(problem);
}

/** K ||change||^2 of the step that example i has made, over the `moved` classes of problem.changed. */
export function movementOf<T>(problem: Problem, i: i32, moved: i32): f64 {
  return at<f64>(problem.norm2, i) * squaredNorm<T>(problem.deltas, moved);
}

/** Notes what the step of example i has moved. */
export function noteMovement<T>(problem: Problem, i: i32, moved: i32): void {
  const movement = movementOf<T>(problem, i, moved);
  put<f64>(problem.gaps, i, movement);
  put<f64>(problem.progress, MOVEMENT, at<f64>(problem.progress, MOVEMENT) + movement);
}
