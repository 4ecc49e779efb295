import { scoresInFloat64 } from "../data/example";
import { Problem } from "../data/problem";
import { errorOfRoughScores } from "../data/roughScores";
import { at, put } from "../linalg/simd";
import { placesAbove, shift } from "../linalg/vectors";
import { lossOfMargins, mostUnnoticed } from "../loss/largestMargins";
import { dualLoss } from "../loss/loss";
import { maximum } from "../math/logSumExp";
import { highestBeyond, lengthKeeping, listCandidates, shortenList } from "./candidates";
import { isInDoubt, noteTerms } from "./gapTerms";
import { noScore } from "./ladder";
import { closeList, heldDuals, listOf } from "./lists";

/**
 * Step 3 of an evaluation where the loss depends on the largest margins alone: most classes need no more than a rough
 * score. Of an example that a few candidates do not do for, all classes count that may have a part by theirs.
 */

/**
 * Adds example i to the sums by the scores of its candidates, which are listed first by uPtr: R[m'], or by those in
 * float64 if `refine`, when uPtr is destroyed; packed as for `scoresInFloat64`. False if there are too many for a list
 * or others may count; then nothing has been added.
 */
export function assessOnList<T, R>(problem: Problem, i: i32, uPtr: usize, refine: bool, packed: usize): bool {
  listCandidates<T, R>(problem, i, uPtr);
  const n = at<i32>(problem.listed, i);
  if (n == 0) return false;
  if (refine) {
    // The k best of the rest are enough without smoothing, and with it most have dual variables.
    const kept = min((problem.loss.k + 2) & -2, problem.extra);
    const length = lengthKeeping<R>(problem, n, kept);
    const error = errorOfRoughScores(problem, i);
    const unlisted = highestBeyond<R>(problem, kept) + error;
    return assessRefined<T>(problem, i, n, length, unlisted, packed) || assessFurther<T, R>(problem, i, n, length, uPtr, error, packed);
  }
  const list = listOf(problem, i);
  const u = problem.scores;
  for (let c = 0; c <= n; ++c) put<f64>(u, c, <f64>at<R>(uPtr, at<i32>(list, c)));
  const own = toMargins(u, n);
  const unlisted = problem.loss.gamma > 0 ? highestBeyond<R>(problem, problem.extra) : -Infinity;
  const assessed = assessCandidates<T>(problem, i, n, n, unlisted - own);
  shortenList<T, R>(problem, i);
  return assessed;
}

/** Takes the score behind the n of uPtr: f64[n + 1] off these. Returns it; it is left as it is. */
function toMargins(uPtr: usize, n: i32): f64 {
  const own = at<f64>(uPtr, n);
  shift(uPtr, n, -own);
  put<f64>(uPtr, n, own);
  return own;
}

/**
 * Over the first `length` of n candidates, which are all that have dual variables, with scores in float64; those of no
 * others are higher than `unlisted`.
 */
function assessRefined<T>(problem: Problem, i: i32, n: i32, length: i32, unlisted: f64, packed: usize): bool {
  const classes = problem.classes;
  const u = problem.scores;
  memory.copy(classes, listOf(problem, i), <usize>length << 2);
  scoresInFloat64<T>(problem, i, classes, closeList(classes, length, at<i32>(problem.y, i)), u, packed);
  const own = toMargins(u, length);
  return assessCandidates<T>(problem, i, n, length, unlisted - own);
}

/** Margins that are less than this part apart may be so by rounding. */
const CLOSE: f64 = 1e-12;

/**
 * Where those are not enough: with all others that may count, as far as the rough scores uPtr: R[m'] tell, destroyed,
 * which may be off by `error`. False if they are so many that scores of all classes are quicker.
 */
function assessFurther<T, R>(problem: Problem, i: i32, n: i32, length: i32, uPtr: usize, error: f64, packed: usize): bool {
  const m = problem.m;
  const y = at<i32>(problem.y, i);
  const list = listOf(problem, i);
  const classes = problem.classes;
  const u = problem.scores; // the margins of those, and the score of the true class
  const further = u + (<usize>length << 3);
  const own = at<f64>(u, length);
  const level = mostUnnoticed(problem.loss, u, length);
  const rest = level - CLOSE * (Math.abs(level) + Math.abs(own));
  for (let c = 0; c < length; ++c) put<R>(uPtr, at<i32>(list, c), <R>noScore<R>());
  put<R>(uPtr, y, <R>noScore<R>());
  const count = placesAbove<R>(uPtr, m, rest + own - error, classes);
  if (2 * (length + count) > m) return false;
  scoresInFloat64<T>(problem, i, classes, closeList(classes, count, y), further, packed);
  toMargins(further, count);
  return assessCandidates<T>(problem, i, n, length + count, rest);
}

/**
 * Over `length` classes, the first of which are the n candidates of example i or those of them that have dual
 * variables. Their margins are in problem.scores, and no others are higher than `rest`. False if these may count.
 */
function assessCandidates<T>(problem: Problem, i: i32, n: i32, length: i32, rest: f64): bool {
  const duals = heldDuals(listOf(problem, i), n);
  const u = problem.scores;
  const C = at<f64>(problem.C, i);
  const x = problem.row;
  const held = min(n, length);
  let linear: f64 = 0;
  for (let c = 0; c < held; ++c) {
    const a = <f64>at<T>(duals, c);
    linear += a * at<f64>(u, c);
    put<f64>(x, c, -a);
  }
  // Before the margins are destroyed.
  const inDoubt = problem.doubt > 0 && isInDoubt(problem, i, 1 + Math.max(length > 0 ? maximum(u, length) : rest, rest));
  const loss = lossOfMargins(problem.loss, u, length, rest);
  if (isNaN(loss)) return false;
  noteTerms(problem, i, C * loss, dualLoss<T>(problem.loss, x, held, <f64>at<T>(duals, n), C), linear, inDoubt);
  return true;
}
