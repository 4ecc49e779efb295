import { arrangeClasses, numTrue, Problem, truthOf } from "../data/problem";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { countNonzeros } from "../linalg/vectors";

/**
 * The candidates of example i: i32[listed]. Where it has one class, that stands behind them, up to a multiple of CLASSES_AT_ONCE; and behind
 * that their dual variables and its own, T[listed + 1], as they are in A, whose row may be too long to be in the cache.
 */
// @ts-ignore: decorator
@inline
export function listOf(problem: Problem, i: i32): usize {
  return problem.lists + ((<usize>i * <usize>problem.ldLists) << 2);
}

/** How long a list of n classes is with the true one behind it, which fills it up. */
// @ts-ignore: decorator
@inline
export function closedLength(n: i32): i32 {
  return (n + CLASSES_AT_ONCE) & -CLASSES_AT_ONCE;
}

/** Fills up a list of n classes with the true one. Returns how long it is. */
export function closeList(listPtr: usize, n: i32, y: i32): i32 {
  const end = closedLength(n);
  for (let c = n; c < end; ++c) put<i32>(listPtr, c, y);
  return end;
}

/** Where a list of n candidates holds their dual variables. */
// @ts-ignore: decorator
@inline
export function heldDuals(listPtr: usize, n: i32): usize {
  return listPtr + (<usize>closedLength(n) << 2);
}

/** After a change of the row aPtr of A, among the candidates of an example that has one class: its list holds the dual variables as they are. */
export function holdDuals<T>(problem: Problem, i: i32, aPtr: usize): void {
  const listed = at<i32>(problem.listed, i);
  if (listed == 0) return;
  const list = listOf(problem, i);
  const held = heldDuals(list, listed);
  for (let c = 0; c <= listed; ++c) put<T>(held, c, at<T>(aPtr, at<i32>(list, c)));
}

/** After any other change of that row, of any example: a list that lacks a class with a nonzero dual variable is none any more. */
export function checkList<T>(problem: Problem, i: i32, aPtr: usize): void {
  const listed = at<i32>(problem.listed, i);
  if (listed == 0) return;
  const list = listOf(problem, i);
  let missing = countNonzeros<T>(aPtr, problem.m);
  const truth = truthOf(problem, i);
  for (let c = 0; c < numTrue(problem, i); ++c) missing -= i32(at<T>(aPtr, at<i32>(truth, c)) != 0);
  for (let c = 0; c < listed; ++c) missing -= i32(at<T>(aPtr, at<i32>(list, c)) != 0);
  if (missing > 0) put<i32>(problem.listed, i, 0);
  else if (problem.sets == 0) holdDuals<T>(problem, i, aPtr);
}

/**
 * The true classes of example i, which has a set of them, and behind those its `listed` candidates, or all others where that is 0, to
 * problem.classes. Returns their number.
 */
export function listOnSet(problem: Problem, i: i32, listed: i32): i32 {
  const classes = problem.classes;
  if (listed == 0) {
    arrangeClasses(problem, i, classes);
    return problem.m;
  }
  const t = numTrue(problem, i);
  memory.copy(classes, truthOf(problem, i), <usize>t << 2);
  memory.copy(classes + (<usize>t << 2), listOf(problem, i), <usize>listed << 2);
  return t + listed;
}
