import { unseenAt, type Rounding } from "../certificate.ts";
import type { Loss } from "../losses.ts";

/**
 * What scores and losses are made of: the largest ||x_i||, and what multiplies C_i in the loss of an example, 1 but for
 * weights of labels and ranks.
 */
export interface Reach {
  /** n */
  readonly count: number;
  readonly largestNorm: number;
  readonly factor: number;
  /** sum_i C_i and sum_i C_i ||x_i||. */
  readonly costs: number;
  readonly weightedNorms: number;
}

/** One-vs-all: an example mostly has losses, or dual variables, for one or two classes. */
const CLASSES_OF_EXAMPLE = 2;

/**
 * The rounding of a margin in units of 1 + 2 ||W|| ||x||: eps and more for many features, but products are less than
 * norms, and errors differ in sign. Not those of rows that are the same: against exact arithmetic up to 0.8 of this was
 * found missing of P, and of rows that differ a tenth or less (test/solver/rounding.node.test.ts has such fits).
 */
const MARGIN_ERROR = Number.EPSILON / 4;
/** Twice as much with weights of labels or ranks, and around an anchor (test/solver/hiddenRounding.node.test.ts). */
const LARGER_ERROR = Number.EPSILON / 2;
/** With a kernel it is this and more, in units of its summands: it grows like the root of the number of examples. */
const ofKernel = (numExamples: number): number => LARGER_ERROR * (1 + Math.sqrt(numExamples) / 4);

/**
 * What rounding may hide of P at the scores of a certificate, about. Margins 1 + u_j - u_y are off in proportion to 1 +
 * 2 ||W|| ||x_i||, and so is a hinge loss times C_i near where it falls to 0, as it does for examples that have dual
 * variables, and for those that are as near without: rows that are there more than once, or all around an anchor. Which
 * these are, is looked for where it may matter: see `doubt`. Where classes are apart and rows are large, or C is, all
 * that may be more than P itself. Smoothed, the slope falls, too; of the other losses the error is in proportion to
 * what they are. Scores of a kernel, sums of a_sj K_is, are off in proportion to the sum of |a_sj| |K_is|, where these
 * cancel far more than ||W|| ||x_i||: in the place of 2 ||W|| stand the two largest `summands`, the sums of |a_ij|
 * ||x_i|| of each class.
 */
export function roundingOf(
  { family, gamma }: Loss,
  { count, factor, largestNorm, costs, weightedNorms }: Reach,
  anchorNorm: number,
  tolerance: number,
): Rounding {
  const unseen = unseenAt(tolerance);
  const classes = { HINGE: 1, OVA_HINGE: CLASSES_OF_EXAMPLE }[family as string] ?? 0;
  const error = anchorNorm > 0 || factor > 1 ? LARGER_ERROR : MARGIN_ERROR;
  const normOf = (weightsNorm2: number): number => 2 * (Math.sqrt(Math.max(weightsNorm2, 0)) + anchorNorm);
  const unitsOf = (weightsNorm2: number, summands: Float64Array | undefined): { unit: number; norm: number } =>
    summands ? { unit: ofKernel(count), norm: sumOfTwoLargest(summands) } : { unit: error, norm: normOf(weightsNorm2) };
  return {
    hidden({ weightsNorm2, partakingCosts, partakingNorms }, summands) {
      const { unit, norm } = unitsOf(weightsNorm2, summands);
      const slope = Math.min(1, (unit * (1 + norm * largestNorm)) / gamma);
      return classes * factor * slope * unit * (partakingCosts + norm * partakingNorms);
    },
    doubt({ weightsNorm2 }, summands) {
      const { unit, norm } = unitsOf(weightsNorm2, summands);
      const most = classes * factor * unit * (costs + norm * weightedNorms);
      const leastPrimal = 0.5 * weightsNorm2; // of a kernel it is not known yet, and 0
      return most > unseen * leastPrimal ? unit * Math.max(norm, 1) : 0;
    },
    costs,
    unseen,
  };
}

function sumOfTwoLargest(numbers: Float64Array): number {
  const [most, next] = numbers.slice().sort().reverse();
  return most + next;
}

/**
 * By how much P - D may be off, at most, where kernel values are rounded to float32. As |K_is| <= max K_ii, each is off
 * by no more than half the distance of numbers below that, 2^(k - 25) where max K_ii is in (2^(k - 1), 2^k]: a score
 * u_ij = sum_s a_sj K_is by delta_j, that times sum_s |a_sj|; ||A^T X||^2 by the sum of |a_ij| delta_j; and a loss by
 * as much as two scores, for no gradient of a loss has more than 1 above 0 and 1 below, or of one-vs-all losses as all.
 * masses: sum_i |a_ij| of each class.
 */
export function kernelRounding({ oneVsAll }: Loss, { factor, largestNorm, costs }: Reach) {
  const most = Math.max(factor, 1) * costs;
  const unit = 2 ** (Math.ceil(Math.log2(Math.fround(largestNorm * largestNorm))) - 25);
  return (masses: Float64Array): number => {
    const sum = masses.reduce((a, b) => a + b, 0);
    const squares = masses.reduce((a, b) => a + b * b, 0);
    return unit * (most * (oneVsAll ? sum : sumOfTwoLargest(masses)) + squares);
  };
}
