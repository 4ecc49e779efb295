import { addExample } from "../data/example";
import { arrangeClasses, numTrue, Problem, weightsOf } from "../data/problem";
import { DUAL_LOSS } from "../data/sums";
import { at, put } from "../linalg/simd";
import { dualLoss } from "../loss/loss";
import { dualLossSet, restoreSet } from "../loss/multilabel";
import { restoreDual } from "../loss/restore";
import { heldDuals, listOf, listOnSet, numHeld, storedAt, storedBytes } from "./lists";
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
    const bPtr = rowOfB<T>(problem, i);
    const n = numHeld(problem, i);
    const aPtr = storedAt<T>(problem, i, n);
    const bytes = storedBytes<T>(problem, n);
    if (memory.compare(aPtr, bPtr, bytes) == 0) continue;
    if (beta == 0) memory.copy(bPtr, aPtr, bytes);
    else if (n > 0) rise += moveHeld<T>(problem, i, n, bPtr, beta);
    else if (problem.sets == 0) rise += moveClass<T>(problem, i, aPtr, bPtr, beta);
    else rise += moveSet<T>(problem, i, aPtr, bPtr, beta);
  }
  put<f64>(problem.sums, DUAL_LOSS, rise);
}

/** Takes note of the examples [from, from + count), as `extrapolate` with beta = 0 does of some. */
export function remember<T>(problem: Problem, from: i32, count: i32): void {
  for (let i = from; i < from + count; ++i) {
    const n = numHeld(problem, i);
    memory.copy(rowOfB<T>(problem, i), storedAt<T>(problem, i, n), storedBytes<T>(problem, n));
  }
}

function rowOfB<T>(problem: Problem, i: i32): usize {
  return problem.B + ((<usize>i * <usize>problem.m) << alignof<T>());
}

/** Moves on the dual variables of example i, which a list of n candidates holds. */
function moveHeld<T>(problem: Problem, i: i32, n: i32, bPtr: usize, beta: f64): f64 {
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const list = listOf(problem, i);
  const held = heldDuals(list, n);
  const old = problem.scores;
  const x = problem.row;
  for (let c = 0; c <= n; ++c) {
    const a = <f64>at<T>(held, c);
    put<f64>(old, c, -a);
    put<f64>(x, c, beta * (<f64>at<T>(bPtr, c) - a) - a);
  }
  memory.copy(bPtr, held, <usize>(n + 1) << alignof<T>());
  const oldOwn = -at<f64>(old, n);
  const own = restoreDual(loss, x, n, -at<f64>(x, n), C);
  put<f64>(x, n, -own);
  addExample<T>(problem, i, changeHeld<T>(problem, list, n));
  return dualLoss<T>(loss, x, n, own, C) - dualLoss<T>(loss, old, n, oldOwn, C);
}

/** Moves on the row of A of example i, which has one class, along the classes where it is or was not zero. */
function moveClass<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize, beta: f64): f64 {
  const m = problem.m;
  const loss = problem.loss;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const classes = problem.classes;
  const old = problem.scores;
  const x = problem.row;
  arrangeClasses(problem, i, classes);
  let n = 0;
  for (let c = 1; c < m; ++c) {
    const j = at<i32>(classes, c); // behind the true class
    const a = <f64>at<T>(aPtr, j);
    const b = <f64>at<T>(bPtr, j);
    if (a == 0 && b == 0) continue;
    put<i32>(classes, n, j);
    put<f64>(old, n, -a);
    put<f64>(x, n++, beta * (b - a) - a);
  }
  const oldOwn = <f64>at<T>(aPtr, y);
  let own = oldOwn + beta * (oldOwn - <f64>at<T>(bPtr, y));
  memory.copy(bPtr, aPtr, <usize>m << alignof<T>());
  own = restoreDual(loss, x, n, own, C);

  let moved = 0;
  for (let c = 0; c < n; ++c) moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(0 - at<f64>(x, c)), moved);
  addExample<T>(problem, i, change<T>(problem, aPtr, y, <T>own, moved));
  return dualLoss<T>(loss, x, n, own, C) - dualLoss<T>(loss, old, n, oldOwn, C);
}

/** `moveClass` for an example that has a set of classes. */
function moveSet<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize, beta: f64): f64 {
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const classes = problem.classes;
  const old = problem.scores;
  const x = problem.row;
  const weights = weightsOf(problem, i);
  const t = numTrue(problem, i);
  const count = listOnSet(problem, i, at<i32>(problem.listed, i));
  for (let c = 0; c < count; ++c) {
    const j = at<i32>(classes, c);
    const a = <f64>at<T>(aPtr, j);
    const v = a + beta * (a - <f64>at<T>(bPtr, j));
    put<f64>(old, c, c < t ? a : -a);
    put<f64>(x, c, c < t ? v : -v);
  }
  memory.copy(bPtr, aPtr, <usize>problem.m << alignof<T>());
  restoreSet(loss, x, t, count - t, C, weights, sizeof<T>() == 4);

  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(x, c);
    moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(c < t ? v : 0 - v), moved);
  }
  addExample<T>(problem, i, moved);
  return dualLossSet<T>(loss, x, t, count - t, C, weights) - dualLossSet<T>(loss, old, t, count - t, C, weights);
}
