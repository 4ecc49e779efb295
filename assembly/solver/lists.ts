import { arrangeClasses, NO_DUALS, numTrue, Problem, truthOf } from "../data/problem";
import { CLASSES_AT_ONCE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { countNonzeros } from "../linalg/vectors";

/**
 * The candidates of example i: i32[listed]. Where it has one class, that stands behind them, up to a multiple of
 * CLASSES_AT_ONCE; and behind that their dual variables and its own, T[listed + 1]. They are nowhere else: the
 * example's row of A, which may be too long to be in the cache, holds zeros for as long as there is a list, or has
 * never been touched.
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

/** How many candidates the list has that holds the dual variables of example i; 0 where its row of A does. */
// @ts-ignore: decorator
@inline
export function numHeld(problem: Problem, i: i32): i32 {
  return problem.sets == 0 ? max(at<i32>(problem.listed, i), 0) : 0;
}

/** The row of example i in an array of a number for each example and class, T[n][m]: A, B, or what is kept beside them. */
// @ts-ignore: decorator
@inline
export function rowIn<T>(problem: Problem, array: usize, i: i32): usize {
  return array + ((<usize>i * <usize>problem.m) << alignof<T>());
}
// @ts-ignore: decorator
@inline
export function rowOfA<T>(problem: Problem, i: i32): usize {
  return rowIn<T>(problem, problem.A, i);
}

/**
 * Where the dual variables of example i are, of which a list of n candidates holds them, or its row of A where n is 0;
 * and how many bytes.
 */
export function storedAt<T>(problem: Problem, i: i32, n: i32): usize {
  return n > 0 ? heldDuals(listOf(problem, i), n) : rowOfA<T>(problem, i);
}
export function storedBytes<T>(problem: Problem, n: i32): usize {
  return <usize>(n > 0 ? n + 1 : problem.m) << alignof<T>();
}

/** The dual variable of the true class where none is stored. */
// @ts-ignore: decorator
@inline
export function unstoredDual<T>(problem: Problem, i: i32): T {
  return <T>(problem.share * at<f64>(problem.C, i));
}

/** The dual variables of example i, which has one class, to its row of A, wherever they are. */
export function fillRow<T>(problem: Problem, i: i32): void {
  const listed = at<i32>(problem.listed, i);
  if (listed == NO_DUALS) {
    // Memory is zero as it is, but a page that is read before it is written costs several times as much.
    memory.fill(rowOfA<T>(problem, i), 0, <usize>problem.m << alignof<T>());
    put<T>(rowOfA<T>(problem, i), at<i32>(problem.y, i), unstoredDual<T>(problem, i));
    put<i32>(problem.listed, i, 0);
  } else if (listed > 0) {
    spreadList<T>(listOf(problem, i), listed, rowOfA<T>(problem, i));
  }
}

/** The dual variables that a list of n candidates holds to their places in a row, T[m], whose others are left alone. */
export function spreadList<T>(list: usize, n: i32, rowPtr: usize): void {
  const held = heldDuals(list, n);
  for (let c = 0; c <= n; ++c) put<T>(rowPtr, at<i32>(list, c), at<T>(held, c));
}

/** How many nonzero dual variables of a row, T[m], are neither of a true class of example i nor of one on its list. */
export function numMissing<T>(problem: Problem, i: i32, list: usize, listed: i32, rowPtr: usize): i32 {
  let missing = countNonzeros<T>(rowPtr, problem.m);
  const truth = truthOf(problem, i);
  for (let c = 0; c < numTrue(problem, i); ++c) missing -= i32(at<T>(rowPtr, at<i32>(truth, c)) != 0);
  for (let c = 0; c < listed; ++c) missing -= i32(at<T>(rowPtr, at<i32>(list, c)) != 0);
  return missing;
}

/**
 * After a step over every class of example i, which has a list: if that lacks a class with a nonzero dual variable it
 * is none any more, else it takes them back from the row of A.
 */
export function checkList<T>(problem: Problem, i: i32): void {
  const listed = at<i32>(problem.listed, i);
  const list = listOf(problem, i);
  const aPtr = rowOfA<T>(problem, i);
  if (numMissing<T>(problem, i, list, listed, aPtr) > 0) put<i32>(problem.listed, i, 0);
  else if (problem.sets == 0) takeFromRow<T>(list, listed, aPtr);
}

/** What `spreadList` has put there, or steps since then, back to the list. */
function takeFromRow<T>(list: usize, n: i32, rowPtr: usize): void {
  const held = heldDuals(list, n);
  for (let c = 0; c <= n; ++c) {
    const j = at<i32>(list, c);
    put<T>(held, c, at<T>(rowPtr, j));
    put<T>(rowPtr, j, 0);
  }
}

/**
 * The true classes of example i, which has a set of them, and behind those its `listed` candidates, or all others where
 * that is 0, to problem.classes. Returns their number.
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
