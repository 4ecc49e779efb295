import { addExample } from "../data/example";
import { numTrue, Problem, truthOf } from "../data/problem";
import { DUAL_LOSS } from "../data/sums";
import { at, madd, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { areEqual } from "../linalg/vectors";
import { dualsOf, isStored } from "./duals";
import { heldDuals, listOf, numMissing, rowIn, rowOfA } from "./lists";
import { restoreMove, riseOfMove } from "./moves";
import { preciseDual } from "./rests";

/**
 * Extrapolation of the dual point, as extrapolate.ts has it, where features are known through a kernel. Scores are
 * linear in dual variables,
 *     S <- S + beta (S - S0)   goes with   A <- A + beta (A - B),
 * so that all examples move at the cost of none: a row of the matrix takes only one that the domain holds back, for
 * what it takes off.
 *
 * What rounding takes off dual variables moves, too: see rests.ts.
 */

/** S0, S <- S, S + beta (S - S0), for the classes [from, from + count). */
export function moveScores(problem: Problem, from: i32, count: i32, beta: f64): void {
  const rowBytes = <usize>problem.ld << 3;
  let s = problem.W + <usize>from * rowBytes;
  let b = problem.S0 + <usize>from * rowBytes;
  const end = s + <usize>count * rowBytes;
  const factor = f64x2.splat(beta);
  for (; s < end; s += 16, b += 16) {
    const now = v128.load(s);
    const before = v128.load(b);
    v128.store(b, now);
    v128.store(s, madd<f64>(factor, f64x2.sub(now, before), now));
  }
}

/** S <- S0, likewise. */
export function takeScoresBack(problem: Problem, from: i32, count: i32): void {
  const rowBytes = <usize>problem.ld << 3;
  memory.copy(problem.W + <usize>from * rowBytes, problem.S0 + <usize>from * rowBytes, <usize>count * rowBytes);
}

/** B <- A and R0 <- R, for the examples [from, from + count). */
export function rememberDuals<T>(problem: Problem, from: i32, count: i32): void {
  problem.keepsRests = true;
  const rowBytes = <usize>problem.m << alignof<T>();
  for (let i = from; i < from + count; ++i) memory.copy(rowIn<T>(problem, problem.B, i), dualsOf<T>(problem, i), rowBytes);
  memory.copy(rowIn<T>(problem, problem.R0, from), rowIn<T>(problem, problem.R, from), <usize>count * rowBytes);
}

/**
 * B, A <- A, the nearest point of the domain to A + beta (A - B), and S with it, for the examples [from, from + count),
 * once scores have moved. Adds to DUAL_LOSS by how much the dual losses change.
 */
export function carryDuals<T>(problem: Problem, from: i32, count: i32, beta: f64): void {
  let rise = at<f64>(problem.sums, DUAL_LOSS);
  for (let i = from; i < from + count; ++i) {
    const moves = hasMoved<T>(problem, i);
    put<u8>(problem.moved, i, u8(moves));
    if (!moves) continue;
    if (isZero<T>(problem, i)) rememberOne<T>(problem, i, dualsOf<T>(problem, i), beta);
    else rise += moveRow<T>(problem, i, beta);
  }
  put<f64>(problem.sums, DUAL_LOSS, rise);
}

/** Takes back what that has done to dual variables: A <- B and R <- R0. */
export function takeDualsBack<T>(problem: Problem, from: i32, count: i32): void {
  const bytes = <usize>problem.m << alignof<T>();
  for (let i = from; i < from + count; ++i) {
    if (at<u8>(problem.moved, i) == 0) continue;
    storeDuals<T>(problem, i, rowIn<T>(problem, problem.B, i));
    memory.copy(rowIn<T>(problem, problem.R, i), rowIn<T>(problem, problem.R0, i), bytes);
  }
}

/**
 * By how much the penalty 1/2 <A, K A> is larger at A than at B, for the examples [from, from + count): 1/2 <A - B,
 * S + S0>, as K is symmetric, and so rounding of scores counts for no more than what moves.
 */
export function penaltyRise<T>(problem: Problem, from: i32, count: i32): f64 {
  let rise: f64 = 0;
  for (let i = from; i < from + count; ++i) {
    if (at<u8>(problem.moved, i) == 0) continue;
    const a = dualsOf<T>(problem, i);
    const b = rowIn<T>(problem, problem.B, i);
    for (let j = 0; j < problem.m; ++j) {
      const delta = preciseDual<T>(problem, a, problem.R, i, j) - preciseDual<T>(problem, b, problem.R0, i, j);
      if (delta == 0) continue;
      const place = j * problem.ld + i;
      rise += delta * (at<f64>(problem.W, place) + at<f64>(problem.S0, place));
    }
  }
  return 0.5 * rise;
}

/** Whether A + R is not B + R0. */
function hasMoved<T>(problem: Problem, i: i32): bool {
  if (!isStored<T>(problem, i, rowIn<T>(problem, problem.B, i))) return true;
  return !areEqual<T>(rowIn<T>(problem, problem.R, i), rowIn<T>(problem, problem.R0, i), problem.m);
}

/** Whether the rows of A and B are 0, and only what rounding has taken off has moved. */
function isZero<T>(problem: Problem, i: i32): bool {
  const a = dualsOf<T>(problem, i);
  const b = rowIn<T>(problem, problem.B, i);
  for (let j = 0; j < problem.m; ++j) if (at<T>(a, j) != 0 || at<T>(b, j) != 0) return false;
  return true;
}

/** Where that of class j would move without a domain, the row of A being at aPtr; if it is 0 and was, see `rememberOne`. */
// @ts-ignore: decorator
@inline
function target<T>(problem: Problem, aPtr: usize, i: i32, j: i32, beta: f64): f64 {
  const bPtr = rowIn<T>(problem, problem.B, i);
  if (at<T>(aPtr, j) == 0 && at<T>(bPtr, j) == 0) return 0;
  const a = preciseDual<T>(problem, aPtr, problem.R, i, j);
  return a + beta * (a - preciseDual<T>(problem, bPtr, problem.R0, i, j));
}

/**
 * Class j to problem.classes at place c, its dual variable to problem.scores and where it would move to problem.row,
 * or both with the sign changed.
 */
// @ts-ignore: decorator
@inline
function gather<T>(problem: Problem, i: i32, aPtr: usize, j: i32, c: i32, changed: bool, beta: f64): void {
  const a = <f64>at<T>(aPtr, j);
  const v = target<T>(problem, aPtr, i, j, beta);
  put<i32>(problem.classes, c, j);
  put<f64>(problem.scores, c, changed ? -a : a);
  put<f64>(problem.row, c, changed ? -v : v);
}

/**
 * Likewise the classes that are not true of example i and have or had a dual variable, from place n on, with the sign
 * changed. Returns the number of classes then.
 */
function gatherOthers<T>(problem: Problem, i: i32, aPtr: usize, n: i32, beta: f64): i32 {
  const truth = truthOf(problem, i);
  const t = numTrue(problem, i);
  const bPtr = rowIn<T>(problem, problem.B, i);
  let next = 0;
  for (let j = 0; j < problem.m; ++j) {
    if (next < t && at<i32>(truth, next) == j) ++next;
    else if (at<T>(aPtr, j) != 0 || at<T>(bPtr, j) != 0) gather<T>(problem, i, aPtr, j, n++, true, beta);
  }
  return n;
}

/** `carryDuals` for one example. */
function moveRow<T>(problem: Problem, i: i32, beta: f64): f64 {
  const aPtr = dualsOf<T>(problem, i);
  const t = problem.sets == 0 ? 0 : numTrue(problem, i);
  for (let c = 0; c < t; ++c) gather<T>(problem, i, aPtr, at<i32>(truthOf(problem, i), c), c, false, beta);
  let count = gatherOthers<T>(problem, i, aPtr, t, beta);
  if (problem.sets == 0) gather<T>(problem, i, aPtr, at<i32>(problem.y, i), count++, true, beta);
  rememberOne<T>(problem, i, aPtr, beta);
  keepTargets(problem, count, count - t);
  restoreMove<T>(problem, i, count);
  settleOn<T>(problem, i, count, count - t);
  return riseOfMove<T>(problem, i, count);
}

/**
 * B <- A and R0 <- R for one example, whose row of A is at aPtr. Of a dual variable that is 0 and was, it is the rest
 * that moves: stored, it would make a support vector of rounding, which no step is worth a row to undo.
 */
function rememberOne<T>(problem: Problem, i: i32, aPtr: usize, beta: f64): void {
  const bPtr = rowIn<T>(problem, problem.B, i);
  const rests = rowIn<T>(problem, problem.R, i);
  const restsBefore = rowIn<T>(problem, problem.R0, i);
  for (let j = 0; j < problem.m; ++j) {
    const a = at<T>(aPtr, j);
    const rest = at<T>(rests, j);
    if (a == 0 && at<T>(bPtr, j) == 0) put<T>(rests, j, <T>(<f64>rest + beta * (<f64>rest - <f64>at<T>(restsBefore, j))));
    put<T>(bPtr, j, a);
    put<T>(restsBefore, j, rest);
  }
}

/**
 * So much of the largest of its example a dual variable may be off what scores have moved for, and none of them moves
 * for that: a few roundings, which are remembered anyway.
 */
// @ts-ignore: decorator
@inline
function negligible<T>(): f64 {
  return sizeof<T>() == 4 ? 2 * <f64>f32.EPSILON : 16 * f64.EPSILON;
}

/** Keeps where the `count` of problem.row would move, the last `others` of them with the sign changed. */
function keepTargets(problem: Problem, count: i32, others: i32): void {
  const targets = problem.blockScores;
  for (let c = 0; c < count; ++c) {
    const v = at<f64>(problem.row, c);
    put<f64>(targets, c, c < count - others ? v : 0 - v);
  }
}

/**
 * The dual variables of example i become those of problem.row for the `count` classes of problem.classes, the last
 * `others` of them with the sign changed, and S moves by how far they are off those that were kept.
 */
function settleOn<T>(problem: Problem, i: i32, count: i32, others: i32): void {
  const rowBytes = <usize>problem.m << alignof<T>();
  const targets = problem.blockScores;
  const row = targets + (<usize>tiledClasses(problem.m) << 3);
  const rests = rowIn<T>(problem, problem.R, i);
  let largest: f64 = 0;
  for (let c = 0; c < count; ++c) largest = Math.max(largest, Math.abs(at<f64>(problem.row, c)));
  const most = negligible<T>() * largest;
  memory.fill(row, 0, rowBytes);
  let moved = 0;
  for (let c = 0; c < count; ++c) {
    const j = at<i32>(problem.classes, c);
    const v = at<f64>(problem.row, c);
    const a = <T>(c < count - others ? v : 0 - v);
    const target = at<f64>(targets, c);
    if (a == 0 && target == 0) continue; // only its rest has moved
    let rest = target - <f64>a;
    if (Math.abs(rest) > most) {
      const delta = <T>(0 - rest);
      put<i32>(problem.changed, moved, j);
      put<T>(problem.deltas, moved++, delta);
      rest += <f64>delta;
    }
    put<T>(row, j, a);
    put<T>(rests, j, <T>rest);
  }
  storeDuals<T>(problem, i, row);
  addExample<T>(problem, i, moved);
}

/** The dual variables of example i become those of rowPtr: T[m], wherever they are. A list that lacks one is none any more. */
function storeDuals<T>(problem: Problem, i: i32, rowPtr: usize): void {
  const listed = at<i32>(problem.listed, i);
  if (listed > 0) {
    const list = listOf(problem, i);
    const lacks = numMissing<T>(problem, i, list, listed, rowPtr) > 0;
    if (problem.sets == 0 && !lacks) {
      const held = heldDuals(list, listed);
      for (let c = 0; c <= listed; ++c) put<T>(held, c, at<T>(rowPtr, at<i32>(list, c)));
      return;
    }
    if (lacks) put<i32>(problem.listed, i, 0);
  } else put<i32>(problem.listed, i, 0);
  memory.copy(rowOfA<T>(problem, i), rowPtr, <usize>problem.m << alignof<T>());
}
