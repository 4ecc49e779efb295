import { scoresOfDense } from "../data/block";
import { countScores, Problem, scoresAt } from "../data/problem";
import { hasRoughScores, prepareRoughScores, roughScores } from "../data/roughScores";
import { LARGEST_WEIGHT2 } from "../data/sums";
import { widenRows } from "../data/transposed";
import { BLOCK_SIZE } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { countNonzeros } from "../linalg/vectors";
import { primalLoss } from "../loss/loss";
import { isOneVsAll } from "../loss/parameters";
import { listCandidates } from "./candidates";

/**
 * A pass over every class lists candidates where there are many classes, without an evaluation: steps over those are as
 * good. Of dense rows it does so beforehand by rough scores, and steps take those of candidates anew; of sparse rows
 * each first step does, by its own scores. Not so with smoothing where C is small: margins hardly differ, most classes
 * have a part in the losses, and lists would take many rounds to grow until they had all of them. Nor of one-vs-all
 * losses, of which every class that misses its margin has a part.
 */

/** So many examples have their lists made, and so many classes make up for it. */
export const LIST_BLOCK: i32 = 128;
const WORTH_LISTING: i32 = 64;
/**
 * So many examples tell how many classes have a part, and by the root of their number so many are too many: measured on
 * the workloads of bench/.
 */
const SAMPLE: i32 = 2 * BLOCK_SIZE;
const TOO_MANY: f64 = 2;

/** Whether it does beforehand. */
export function listsFirst<T>(problem: Problem): bool {
  return hasRoughScores<T>(problem) && isWorthListing(problem) && !problem.tooMany;
}

/**
 * Whether first steps do, of sparse rows in float32. Only without smoothing: at the start weights are zero, and say
 * nothing about how many classes will have a part. It saves a tenth of the time of hinge on one-tag of
 * bench/workloads/packages.mjs, four tenths with weights by rank, and the memory of A.
 */
export function listsInSteps(problem: Problem): bool {
  const likely = problem.sparse && problem.sets == 0 && problem.extra > 0 && problem.loss.gamma == 0;
  return likely && isWorthListing(problem);
}

function isWorthListing(problem: Problem): bool {
  return problem.m >= WORTH_LISTING && !isOneVsAll(problem.loss);
}

/**
 * Decides whether it does beforehand at the weights of the moment, by the classes in the gradients of some
 * examples' losses, which at the optimum have dual variables.
 */
export function decideOnLists<T>(problem: Problem): void {
  if (!listsFirst<T>(problem) || problem.loss.gamma == 0) return;
  const n = problem.n;
  const m = problem.m;
  const size = min(SAMPLE, n);
  const examples = problem.changed;
  const gradient = problem.row;
  let count = 0;
  for (let first = 0; first < size; first += BLOCK_SIZE) {
    const part = min(BLOCK_SIZE, size - first);
    for (let e = 0; e < part; ++e) put<u32>(examples, e, <u32>((<u64>(first + e) * <u64>n) / <u64>size));
    scoresOfDense<T, T>(problem, examples, part, problem.blockScores);
    widenRows<T>(problem.blockScores, part, tiledClasses(m));
    for (let e = 0; e < part; ++e) {
      primalLoss<T>(problem.loss, scoresAt(problem, e), m, at<i32>(problem.y, at<u32>(examples, e)), gradient);
      count += countNonzeros<f64>(gradient, m);
    }
  }
  problem.tooMany = <f64>count > TOO_MANY * Math.sqrt(m) * <f64>size;
}

/** Lists the candidates of examples, u32[size]. False where W is zero, and with it every score. */
export function listBlock<T>(problem: Problem, orderPtr: usize, size: i32): bool {
  prepareRoughScores<T>(problem, true);
  if (at<f64>(problem.sums, LARGEST_WEIGHT2) == 0) return false;
  for (let b = 0; b < size; b += BLOCK_SIZE) {
    const examples = orderPtr + (<usize>b << 2);
    const count = min(BLOCK_SIZE, size - b);
    roughScores<T>(problem, examples, count, problem.blockScores, true);
    for (let e = 0; e < count; ++e) {
      listCandidates<T, T>(problem, at<u32>(examples, e), scoresAt(problem, e));
    }
  }
  countScores(problem, size * problem.m);
  return true;
}
