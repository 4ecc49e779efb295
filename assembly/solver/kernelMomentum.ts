import { addExample } from "../data/example";
import { numTrue, Problem, truthOf, weightsOf } from "../data/problem";
import { DUAL_LOSS } from "../data/sums";
import { at, madd, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { dualLoss } from "../loss/loss";
import { dualLossSet, restoreSet } from "../loss/multilabel";
import { restoreDual } from "../loss/restore";
import { dualsOf } from "./duals";
import { heldDuals, listOf, numHeld, numMissing, rowOfA, storedAt } from "./lists";

/**
 * Extrapolation of the dual point, as extrapolate.ts has it, where features are known through a kernel. Scores are
 * linear in dual variables,
 *     S <- S + beta (S - S0)   goes with   A <- A + beta (A - B),
 * so that all examples move at the cost of none: a row of the matrix takes only one that the domain holds back, for
 * what it takes off.
 *
 * What rounding takes off dual variables is not in S, which is float64, and the moves after that go on with it: it
 * would grow to 1/(1 - beta) times itself and, with C = 1000 in float32, to more than is left to gain. So it is
 * remembered: S belongs to A + R, and S0 to B + R0. A certificate makes S anew, of A alone.
 */

// @ts-ignore: decorator
@inline
function rowOf<T>(problem: Problem, array: usize, i: i32): usize {
  return array + ((<usize>i * <usize>problem.m) << alignof<T>());
}

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
  problem.carried = true;
  const rowBytes = <usize>problem.m << alignof<T>();
  for (let i = from; i < from + count; ++i) memory.copy(rowOf<T>(problem, problem.B, i), dualsOf<T>(problem, i), rowBytes);
  memory.copy(rowOf<T>(problem, problem.R0, from), rowOf<T>(problem, problem.R, from), <usize>count * rowBytes);
}

/**
 * Takes note of what rounding has taken off the changes of example i, which S follows, in a step that has not moved them
 * elsewhere; keptPtr: its dual variables before, as they are stored.
 */
export function noteRests<T>(problem: Problem, i: i32, keptPtr: usize): void {
  const n = numHeld(problem, i);
  const list = listOf(problem, i);
  const now = storedAt<T>(problem, i, n);
  const rests = rowOf<T>(problem, problem.R, i);
  const count = n > 0 ? n + 1 : problem.m;
  for (let c = 0; c < count; ++c) {
    const a = at<T>(now, c);
    const before = at<T>(keptPtr, c);
    const delta = <T>(a - before);
    const rest = <f64>delta - (<f64>a - <f64>before);
    if (rest == 0) continue;
    const j = n > 0 ? at<i32>(list, c) : c;
    put<T>(rests, j, <T>(<f64>at<T>(rests, j) + rest));
  }
}

/**
 * Before S becomes W64, which belongs to A alone: S0 <- S0 + W64 - S, R0 <- R0 - R, R <- 0. The direction stays as it
 * is, and what rounding has made of S is taken off S0 as well: else moves would carry that on.
 */
export function renewScoresBefore<T>(problem: Problem): void {
  for (let l = 0; l < problem.sizeW; ++l) {
    put<f64>(problem.S0, l, at<f64>(problem.S0, l) + (at<f64>(problem.W64, l) - at<f64>(problem.W, l)));
  }
  const size = problem.n * problem.m;
  for (let l = 0; l < size; ++l) put<T>(problem.R0, l, at<T>(problem.R0, l) - at<T>(problem.R, l));
  memory.fill(problem.R, 0, <usize>size << alignof<T>());
}

/**
 * B, A <- A, the nearest point of the domain to A + beta (A - B), and S with it, for the examples [from, from + count),
 * once scores have moved. Adds to DUAL_LOSS by how much the dual losses change.
 */
export function carryDuals<T>(problem: Problem, from: i32, count: i32, beta: f64): void {
  let rise = at<f64>(problem.sums, DUAL_LOSS);
  for (let i = from; i < from + count; ++i) {
    if (!hasMoved<T>(problem, i)) continue;
    if (isZero<T>(problem, i)) rememberOne<T>(problem, i, dualsOf<T>(problem, i), beta);
    else rise += problem.sets == 0 ? moveClass<T>(problem, i, beta) : moveSet<T>(problem, i, beta);
  }
  put<f64>(problem.sums, DUAL_LOSS, rise);
}

/** Takes back what that has done to dual variables: A <- B and R <- R0. */
export function takeDualsBack<T>(problem: Problem, from: i32, count: i32): void {
  const bytes = <usize>problem.m << alignof<T>();
  for (let i = from; i < from + count; ++i) {
    if (!hasMoved<T>(problem, i)) continue;
    storeDuals<T>(problem, i, rowOf<T>(problem, problem.B, i));
    memory.copy(rowOf<T>(problem, problem.R, i), rowOf<T>(problem, problem.R0, i), bytes);
  }
}

/**
 * By how much the penalty 1/2 <A, K A> is larger at A than at B, for the examples [from, from + count): 1/2 <A - B,
 * S + S0>, as K is symmetric, and so rounding of scores counts for no more than what moves.
 */
export function penaltyRise<T>(problem: Problem, from: i32, count: i32): f64 {
  let rise: f64 = 0;
  for (let i = from; i < from + count; ++i) {
    if (!hasMoved<T>(problem, i)) continue;
    const a = dualsOf<T>(problem, i);
    const b = rowOf<T>(problem, problem.B, i);
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
  const bytes = <usize>problem.m << alignof<T>();
  if (memory.compare(dualsOf<T>(problem, i), rowOf<T>(problem, problem.B, i), bytes) != 0) return true;
  return memory.compare(rowOf<T>(problem, problem.R, i), rowOf<T>(problem, problem.R0, i), bytes) != 0;
}

/** Whether the rows of A and B are 0, and only what rounding has taken off has moved. */
function isZero<T>(problem: Problem, i: i32): bool {
  const a = dualsOf<T>(problem, i);
  const b = rowOf<T>(problem, problem.B, i);
  for (let j = 0; j < problem.m; ++j) if (at<T>(a, j) != 0 || at<T>(b, j) != 0) return false;
  return true;
}

/** The dual variable of class j in a row of A or B, with what rounding has taken off. */
// @ts-ignore: decorator
@inline
function preciseDual<T>(problem: Problem, row: usize, rests: usize, i: i32, j: i32): f64 {
  return <f64>at<T>(row, j) + <f64>at<T>(rowOf<T>(problem, rests, i), j);
}

/** Where that of class j would move without a domain, the row of A being at aPtr; if it is 0 and was, see `rememberOne`. */
// @ts-ignore: decorator
@inline
function target<T>(problem: Problem, aPtr: usize, i: i32, j: i32, beta: f64): f64 {
  const bPtr = rowOf<T>(problem, problem.B, i);
  if (at<T>(aPtr, j) == 0 && at<T>(bPtr, j) == 0) return 0;
  const a = preciseDual<T>(problem, aPtr, problem.R, i, j);
  return a + beta * (a - preciseDual<T>(problem, bPtr, problem.R0, i, j));
}

/**
 * The classes that are not true of example i and have a dual variable, or would have one, to problem.classes from place
 * n on; with the sign changed, these to problem.scores and where they would move to problem.row. Returns the number of
 * classes then.
 */
function gatherOthers<T>(problem: Problem, i: i32, aPtr: usize, n: i32, beta: f64): i32 {
  const truth = truthOf(problem, i);
  const t = numTrue(problem, i);
  let next = 0;
  for (let j = 0; j < problem.m; ++j) {
    if (next < t && at<i32>(truth, next) == j) {
      ++next;
      continue;
    }
    const v = target<T>(problem, aPtr, i, j, beta);
    const a = <f64>at<T>(aPtr, j);
    if (v == 0 && a == 0) continue;
    put<i32>(problem.classes, n, j);
    put<f64>(problem.scores, n, -a);
    put<f64>(problem.row, n++, -v);
  }
  return n;
}

/** `carryDuals` for an example that has one class, which stands behind the others. */
function moveClass<T>(problem: Problem, i: i32, beta: f64): f64 {
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const y = at<i32>(problem.y, i);
  const x = problem.row;
  const aPtr = dualsOf<T>(problem, i);
  const n = gatherOthers<T>(problem, i, aPtr, 0, beta);
  put<i32>(problem.classes, n, y);
  put<f64>(x, n, -target<T>(problem, aPtr, i, y, beta));
  const oldOwn = <f64>at<T>(aPtr, y);
  rememberOne<T>(problem, i, aPtr, beta);
  keepTargets(problem, n + 1, n + 1);
  const own = restoreDual(loss, x, n, -at<f64>(x, n), C);
  put<f64>(x, n, -own);
  settleOn<T>(problem, i, n + 1, n + 1);
  return dualLoss<T>(loss, x, n, own, C) - dualLoss<T>(loss, problem.scores, n, oldOwn, C);
}

/** For one that has a set of them, which stand before the others. */
function moveSet<T>(problem: Problem, i: i32, beta: f64): f64 {
  const loss = problem.loss;
  const C = at<f64>(problem.C, i);
  const t = numTrue(problem, i);
  const x = problem.row;
  const aPtr = dualsOf<T>(problem, i);
  for (let c = 0; c < t; ++c) {
    const j = at<i32>(truthOf(problem, i), c);
    put<i32>(problem.classes, c, j);
    put<f64>(problem.scores, c, at<T>(aPtr, j));
    put<f64>(x, c, target<T>(problem, aPtr, i, j, beta));
  }
  const count = gatherOthers<T>(problem, i, aPtr, t, beta);
  const weights = weightsOf(problem, i);
  rememberOne<T>(problem, i, aPtr, beta);
  keepTargets(problem, count, count - t);
  restoreSet(loss, x, t, count - t, C, weights, sizeof<T>() == 4);
  settleOn<T>(problem, i, count, count - t);
  return dualLossSet<T>(loss, x, t, count - t, C, weights) - dualLossSet<T>(loss, problem.scores, t, count - t, C, weights);
}

/**
 * B <- A and R0 <- R for one example, whose row of A is at aPtr. Of a dual variable that is 0 and was, it is the rest
 * that moves: stored, it would make a support vector of rounding, which no step is worth a row to undo.
 */
function rememberOne<T>(problem: Problem, i: i32, aPtr: usize, beta: f64): void {
  const bPtr = rowOf<T>(problem, problem.B, i);
  const rests = rowOf<T>(problem, problem.R, i);
  const restsBefore = rowOf<T>(problem, problem.R0, i);
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
  const rests = rowOf<T>(problem, problem.R, i);
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
