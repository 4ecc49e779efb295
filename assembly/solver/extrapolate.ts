import { addExample } from "../data/example";
import { arrangeClasses, numTrue, Problem } from "../data/problem";
import { DUAL_LOSS } from "../data/sums";
import { at, put } from "../linalg/simd";
import { heldDuals, listOf, listOnSet, numHeld, rowIn, storedAt, storedBytes } from "./lists";
import { restoreMove, riseOfMove } from "./moves";
import { change, changeHeld } from "./steps";

/**
 * Extrapolation of the dual point beyond where the last passes have taken it, for the examples orderPtr: u32[count]:
 *     B_i <- A_i,   A_i <- the nearest point of the domain to A_i + beta (A_i - B_i),   and W with it,
 * B being the dual point of the last call. Nesterov's accelerated gradient method does so between its steps; here they
 * are passes of coordinate ascent. beta = 0 only takes note, beta = -1 takes the last call back, after which B is what
 * it had made.
 *
 * Where a list holds an example's dual variables its row of B begins with those of before, in the order of the list:
 * between two calls lists are not to change.
 *
 * Adds to DUAL_LOSS by how much the dual losses change; the change of the penalty is that of `penalty`.
 */
export function extrapolate<T>(problem: Problem, orderPtr: usize, count: i32, beta: f64): void {
  let rise = at<f64>(problem.sums, DUAL_LOSS);
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const bPtr = rowIn<T>(problem, problem.B, i);
    const n = numHeld(problem, i);
    const aPtr = storedAt<T>(problem, i, n);
    const bytes = storedBytes<T>(problem, n);
    if (memory.compare(aPtr, bPtr, bytes) == 0) continue;
    if (beta == 0) memory.copy(bPtr, aPtr, bytes);
    else if (n > 0) rise += moveHeld<T>(problem, i, n, bPtr, beta);
    else rise += moveRow<T>(problem, i, aPtr, bPtr, beta);
  }
  put<f64>(problem.sums, DUAL_LOSS, rise);
}

/** Takes note of the examples [from, from + count), as `extrapolate` with beta = 0 does of some. */
export function remember<T>(problem: Problem, from: i32, count: i32): void {
  for (let i = from; i < from + count; ++i) {
    const n = numHeld(problem, i);
    memory.copy(rowIn<T>(problem, problem.B, i), storedAt<T>(problem, i, n), storedBytes<T>(problem, n));
  }
}

/** Moves on the dual variables of example i, which a list of n candidates holds. */
function moveHeld<T>(problem: Problem, i: i32, n: i32, bPtr: usize, beta: f64): f64 {
  const list = listOf(problem, i);
  const held = heldDuals(list, n);
  for (let c = 0; c <= n; ++c) {
    const a = <f64>at<T>(held, c);
    put<f64>(problem.scores, c, -a);
    put<f64>(problem.row, c, beta * (<f64>at<T>(bPtr, c) - a) - a);
  }
  memory.copy(bPtr, held, <usize>(n + 1) << alignof<T>());
  restoreMove<T>(problem, i, n + 1);
  addExample<T>(problem, i, changeHeld<T>(problem, list, n));
  return riseOfMove<T>(problem, i, n + 1);
}

/** Moves on the row of A of example i along the classes where it is or was not zero. */
function moveRow<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize, beta: f64): f64 {
  const classes = problem.classes;
  const x = problem.row;
  const t = problem.sets == 0 ? 0 : numTrue(problem, i);
  const count = problem.sets == 0 ? listOnClass<T>(problem, i, aPtr, bPtr) : listOnSet(problem, i, at<i32>(problem.listed, i));
  for (let c = 0; c < count; ++c) {
    const j = at<i32>(classes, c);
    const a = <f64>at<T>(aPtr, j);
    const v = a + beta * (a - <f64>at<T>(bPtr, j));
    put<f64>(problem.scores, c, c < t ? a : -a);
    put<f64>(x, c, c < t ? v : -v);
  }
  memory.copy(bPtr, aPtr, <usize>problem.m << alignof<T>());
  restoreMove<T>(problem, i, count);

  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(x, c);
    moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(c < t ? v : 0 - v), moved);
  }
  addExample<T>(problem, i, moved);
  return riseOfMove<T>(problem, i, count);
}

/**
 * The classes where an example of one class has or had a dual variable, the true one last, to problem.classes; returns
 * how many.
 */
function listOnClass<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize): i32 {
  const classes = problem.classes;
  arrangeClasses(problem, i, classes);
  let n = 0;
  for (let c = 1; c < problem.m; ++c) {
    const j = at<i32>(classes, c); // behind the true class
    if (at<T>(aPtr, j) != 0 || at<T>(bPtr, j) != 0) put<i32>(classes, n++, j);
  }
  put<i32>(classes, n, at<i32>(problem.y, i));
  return n + 1;
}
