import { arrangeClasses, numTrue, Problem } from "../data/problem";
import { addExample } from "../data/products";
import { at, put } from "../linalg/simd";
import { dualLoss, restoreDual } from "../loss/loss";
import { dualLossSet, restoreSet } from "../loss/multilabel";
import { holdDuals, listOf, listOnSet } from "./lists";
import { change } from "./steps";

/**
 * Extrapolation of the dual point beyond where the last passes have taken it, for the examples orderPtr: u32[count]:
 *     B_i <- A_i,   A_i <- the nearest point of the domain to A_i + beta (A_i - B_i),   and W with it,
 * B being the dual point of the last call. Nesterov's accelerated gradient method does so between its steps; here they are
 * passes of coordinate ascent. beta = 0 only takes note, beta = -1 takes the last call back, after which B is what it had made.
 *
 * Adds to sums[1] by how much the dual losses change. What W changes, `penalty` says.
 */
export function extrapolate<T>(problem: Problem, orderPtr: usize, count: i32, beta: f64): void {
  let rise = at<f64>(problem.sums, 1);
  for (let e = 0; e < count; ++e) {
    const i = at<u32>(orderPtr, e);
    const start = (<usize>i * <usize>problem.m) << alignof<T>();
    const aPtr = problem.A + start;
    const bPtr = problem.B + start;
    if (memory.compare(aPtr, bPtr, <usize>problem.m << alignof<T>()) == 0) continue;
    if (beta != 0) {
      rise += problem.sets == 0 ? moveClass<T>(problem, i, aPtr, bPtr, beta) : moveSet<T>(problem, i, aPtr, bPtr, beta);
    } else {
      memory.copy(bPtr, aPtr, <usize>problem.m << alignof<T>());
    }
  }
  put<f64>(problem.sums, 1, rise);
}

/** Moves on the row of example i, which has one class, along the classes where it is or was not zero: its list has them all. */
function moveClass<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize, beta: f64): f64 {
  const m = problem.m;
  const loss = problem.loss;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const classes = problem.classes;
  const old = problem.scores;
  const x = problem.row;
  let list = listOf(problem, i);
  let count = at<i32>(problem.listed, i);
  if (count == 0) {
    count = m - arrangeClasses(problem, i, classes);
    list = classes + 4; // behind the true class
  }
  let n = 0;
  for (let c = 0; c < count; ++c) {
    const j = at<i32>(list, c);
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
  holdDuals<T>(problem, i, aPtr);
  return dualLoss<T>(loss, x, n, own, C) - dualLoss<T>(loss, old, n, oldOwn, C);
}

/** The same where it has a set of classes. */
function moveSet<T>(problem: Problem, i: i32, aPtr: usize, bPtr: usize, beta: f64): f64 {
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const classes = problem.classes;
  const old = problem.scores;
  const x = problem.row;
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
  restoreSet(loss, x, t, count - t, C, sizeof<T>() == 4);

  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(x, c);
    moved = change<T>(problem, aPtr, at<i32>(classes, c), <T>(c < t ? v : 0 - v), moved);
  }
  addExample<T>(problem, i, moved);
  return dualLossSet<T>(loss, x, t, count - t, C) - dualLossSet<T>(loss, old, t, count - t, C);
}
