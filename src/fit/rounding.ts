import { sum } from "../arrays/vectors.ts";
import { objectives, unseenAt, type Rounding } from "../certificate.ts";
import type { Loss } from "../losses.ts";
import type { Sums } from "../wasm/sums.ts";

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
/**
 * Twice as much with weights of labels or ranks, smoothed, and around an anchor
 * (test/solver/hiddenRounding.node.test.ts).
 */
const LARGER_ERROR = Number.EPSILON / 2;
/** Of sums over the examples it is this and more, in units of their summands: it grows like the root of how many. */
const summationError = (numExamples: number): number => LARGER_ERROR * (1 + Math.sqrt(numExamples) / 4);

type Summands = Float64Array | undefined;

/** Where scores and norms come from. */
interface Origin {
  /** A kernel, not weights: by what factor its values are off by more than a product, as powers are. */
  readonly kernel: { readonly roundings: number } | undefined;
  readonly numClasses: number;
  readonly anchorNorm: number;
}

/**
 * What rounding may hide of P - D, about, at the weights or scores of a certificate.
 *
 * By weights. Margins 1 + u_j - u_y are off in proportion to 1 + 2 ||W|| ||x_i||, and so is a hinge loss times C_i near
 * where it falls to 0, as it does for examples that have dual variables, and for those that are as near without: rows
 * that are there more than once, or all around an anchor. Which these are, is looked for where it may matter: see
 * `doubt`. Where classes are apart and rows are large, or C is, all that may be more than P itself. Smoothed, the slope
 * falls, too: it is p = h/gamma, and the loss ||h||^2/(2 gamma) or more; but what the score of the true class is off by
 * moves all margins, so that <p, error> may be (m - 1)^(1/2) times ||p||. The slope of an entropy loss is no more than
 * the loss, until an error is as large as a margin; then it is 1 at most. In D, A^T X is off in proportion to the
 * `summands` of each class, s_j = sum_i |a_ij| ||x_i||.
 *
 * By a kernel. Scores, sums of a_sj K_is, are off in proportion to s_j ||x_i||, where they cancel far more than to
 * ||W|| ||x_i||: in the place of 2 ||W|| stand the two largest s_j. The norm is that of the same scores, so that P - D
 * is the sum of the terms C_i L_i(u_i) + C_i L_i*(-a_i/C_i) + <a_i, u_i>, each the least that it can be where a_i =
 * -C_i L_i'(u_i). Of a smooth loss it is off by the curvature alone, 1 at most, or (m - 1)/gamma: with e the largest
 * error of a margin by e (2 sum C_i (P - D))^(1/2) + e^2/2 sum C_i.
 */
export function roundingOf(
  { family, gamma, oneVsAll }: Loss,
  { count, factor, largestNorm, costs, weightedNorms }: Reach,
  { kernel, numClasses, anchorNorm }: Origin,
  tolerance: number,
): Rounding {
  const unseen = unseenAt(tolerance);
  const classes = { HINGE: 1, OVA_HINGE: CLASSES_OF_EXAMPLE }[family as string] ?? 0;
  const ofSums = summationError(count);
  const ofMargins = anchorNorm > 0 || factor > 1 || gamma > 0 ? LARGER_ERROR : MARGIN_ERROR;
  const unit = kernel ? ofSums * kernel.roundings : ofMargins;
  /** How many margins the score of the true class moves; of a loss of one class at a time it is one. */
  const together = family === "HINGE" ? numClasses - 1 : 1;
  const normOf = ({ weightsNorm2 }: Sums): number => Math.sqrt(Math.max(weightsNorm2, 0)) + anchorNorm;
  /** What times ||x_i|| scores differ by at most. */
  const spreadOf = (sums: Sums, summands: Summands): number => (kernel ? sumOfTwoLargest(summands!) : 2 * normOf(sums));
  /** Of a smooth loss with a kernel. */
  const byCurvature = (sums: Sums, error: number, partaking: number): number => {
    const curvature = factor * partaking * (gamma > 0 ? together / gamma : 1);
    return error * (Math.sqrt(2 * curvature * leastGap(sums)) + 0.5 * error * curvature);
  };

  const ofHinge = (sums: Sums, spread: number): number => {
    const { partakingCosts, partakingNorms, primalLoss } = sums;
    const most = factor * unit * (partakingCosts + spread * partakingNorms);
    if (gamma === 0) return most;
    const error = unit * (1 + spread * largestNorm);
    if (kernel) return Math.min(most, byCurvature(sums, error, partakingCosts));
    const bySlopes = factor * error * Math.sqrt((2 * together * partakingCosts * primalLoss) / gamma);
    return Math.min(most, ((together * error) / gamma) * most + bySlopes);
  };
  const ofEntropy = (sums: Sums, summands: Summands, spread: number): number => {
    const all = kernel ? sum(summands!) : Math.sqrt(numClasses) * normOf(sums);
    const each = oneVsAll ? all : spread;
    const most = factor * unit * each * weightedNorms;
    if (kernel) return Math.min(most, byCurvature(sums, unit * each * largestNorm, costs));
    const error = unit * spread * largestNorm;
    return Math.min(most, error * Math.exp(error) * sums.primalLoss);
  };
  const ofNorm = (sums: Sums, summands: Summands): number => {
    if (kernel || !summands) return 0;
    const error = ofSums * Math.sqrt(summands.reduce((total, s) => total + s * s, 0));
    return error * normOf(sums) + 0.5 * error * error;
  };
  return {
    takesSummands(sums) {
      if (kernel) return true;
      const most = ofSums * factor * (oneVsAll ? numClasses : 2) * weightedNorms;
      return most * normOf(sums) + 0.5 * most * most > unseen * 0.5 * sums.weightsNorm2;
    },
    hidden(sums, summands) {
      const spread = spreadOf(sums, summands);
      const ofLosses = classes > 0 ? classes * ofHinge(sums, spread) : ofEntropy(sums, summands, spread);
      return ofLosses + ofNorm(sums, summands);
    },
    doubt(sums, summands) {
      const spread = spreadOf(sums, summands);
      const most = classes * factor * unit * (costs + spread * weightedNorms);
      const leastPrimal = 0.5 * sums.weightsNorm2; // of a kernel it is not known yet, and 0
      return most > unseen * leastPrimal ? unit * Math.max(spread, 1) : 0;
    },
    costs,
    unseen,
  };
}

/** P - D of these sums, and the rounding of adding them up. */
function leastGap(sums: Sums): number {
  const { primalObjective, dualObjective } = objectives(sums);
  return Math.max(primalObjective - dualObjective, 0) + Number.EPSILON * (sums.primalLoss + sums.weightsNorm2);
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
    const squares = masses.reduce((a, b) => a + b * b, 0);
    return unit * (most * (oneVsAll ? sum(masses) : sumOfTwoLargest(masses)) + squares);
  };
}
