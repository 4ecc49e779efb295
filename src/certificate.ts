import type { Loss } from "./losses.ts";
import type { Status } from "./types.ts";
import type { Sums } from "./wasm/problem.ts";

/** Both objectives at one point, and how far apart they are. */
export interface Objectives {
  readonly primalObjective: number;
  readonly dualObjective: number;
  readonly dualityGap: number;
  readonly relativeGap: number;
}

/** What a fit without a dual knows of them. */
export const NO_GAP = { dualObjective: null, dualityGap: null, relativeGap: null };

const scaleOf = ({ primalObjective, dualObjective }: Pick<Objectives, "primalObjective" | "dualObjective">): number =>
  Math.max(Math.abs(primalObjective), Math.abs(dualObjective));

/** What scores are made of: the largest ||x_i||, and what multiplies C_i in the loss of an example, 1 but for weights of labels and ranks. */
export interface Reach {
  readonly largestNorm: number;
  readonly factor: number;
}

/** One-vs-all: an example mostly has losses, or dual variables, for one or two classes. */
const CLASSES_OF_EXAMPLE = 2;

/**
 * The rounding of a margin in units of 1 + 2 ||W|| ||x||: eps at most, but products are less than norms, and errors differ in sign. Against
 * exact arithmetic this is 10 to 80 times what was found missing of P (test/solver/rounding.node.test.ts has such fits).
 */
const MARGIN_ERROR = Number.EPSILON / 8;

/**
 * What rounding may hide of P at the scores of a certificate, about. Margins 1 + u_j - u_y are off in proportion to 1 + 2 ||W|| ||x_i||, and so
 * is a hinge loss times C_i near where it falls to 0, as it does for examples that have dual variables. Where classes are apart and rows are
 * large, or C is, that may be more than P itself. Smoothed, the slope falls, too; of the other losses the error is in proportion to what they are.
 * Scores of a kernel, sums of a_sj K_is, are off in proportion to the sum of |a_sj| |K_is|, where these cancel far more than ||W|| ||x_i||;
 * masses: sum_i |a_ij| of each class.
 */
export function roundingOf(
  { family, gamma }: Loss,
  { factor, largestNorm }: Reach,
  anchorNorm: number,
): (sums: Sums, masses?: Float64Array) => number {
  const classes = { HINGE: 1, OVA_HINGE: CLASSES_OF_EXAMPLE }[family as string] ?? 0;
  return ({ weightsNorm2, partakingCosts, partakingNorms }, masses) => {
    const norm = 2 * (Math.sqrt(Math.max(weightsNorm2, 0)) + anchorNorm);
    const summands = masses && largestNorm * largestNorm * sumOfTwoLargest(masses);
    const slope = Math.min(1, (MARGIN_ERROR * (1 + (summands ?? norm * largestNorm))) / gamma);
    const scores = summands === undefined ? norm * partakingNorms : summands * partakingCosts;
    return classes * factor * slope * MARGIN_ERROR * (partakingCosts + scores);
  };
}

function sumOfTwoLargest(numbers: Float64Array): number {
  const [most, next] = numbers.slice().sort().reverse();
  return most + next;
}

/**
 * By how much P - D may be off, at most, where kernel values are rounded to float32. As |K_is| <= max K_ii, each is off by no more than half the
 * distance of numbers below that, 2^(k - 25) where max K_ii is in (2^(k - 1), 2^k]: a score u_ij = sum_s a_sj K_is by delta_j, that times
 * sum_s |a_sj|; ||A^T X||^2 by the sum of |a_ij| delta_j; and a loss by as much as two scores, for no gradient of a loss has more than 1 above 0
 * and 1 below, or of one-vs-all losses as all. masses: sum_i |a_ij| of each class.
 */
export function kernelRounding({ oneVsAll }: Loss, { factor, largestNorm }: Reach, C: Float64Array) {
  const costs = Math.max(factor, 1) * C.reduce((sum, cost) => sum + cost, 0);
  const unit = 2 ** (Math.ceil(Math.log2(Math.fround(largestNorm * largestNorm))) - 25);
  return (masses: Float64Array): number => {
    const sum = masses.reduce((a, b) => a + b, 0);
    const squares = masses.reduce((a, b) => a + b * b, 0);
    return unit * (costs * (oneVsAll ? sum : sumOfTwoLargest(masses)) + squares);
  };
}

/** Less than this part of the objectives is left aside. */
const UNSEEN = 1e-6;

/**
 * P = sum_i C_i L_i + 1/2 ||W - W0||^2 and D = sum_i -C_i L*(-a_i/C_i) - <A^T X, W0> - 1/2 ||A^T X||^2 from their float64
 * sums.
 *
 * Weak duality makes P - D >= 0 in exact arithmetic. Rounding may leave it below zero by parts in 1e-16 of the objectives,
 * which counts as 0; by more than 1e-9 it would mean that A is not feasible, and then nothing is claimed. `rounding`, if it
 * matters, is part of the gap.
 */
export function objectives(
  { primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2, anchorProduct }: Sums,
  rounding = 0,
): Objectives {
  const primalObjective = primalLoss + 0.5 * weightsNorm2;
  const dualObjective = dualLoss - anchorProduct - 0.5 * dualWeightsNorm2;
  const scale = scaleOf({ primalObjective, dualObjective });
  const difference = primalObjective - dualObjective;
  const hidden = scale > 0 && rounding > UNSEEN * scale ? rounding : 0;
  const credible = difference >= -1e-9 * scale - hidden;
  const dualityGap = credible ? Math.max(difference, 0) + hidden : Infinity;
  return {
    primalObjective,
    dualObjective,
    dualityGap,
    relativeGap: scale === 0 ? 0 : scale < Infinity ? dualityGap / scale : Infinity,
  };
}

/** With what rounding may hide as a part of the gap. */
export function widened(found: Objectives, hidden: number): Objectives {
  const dualityGap = Math.max(found.primalObjective - found.dualObjective, 0) + hidden;
  return { ...found, dualityGap, relativeGap: dualityGap / scaleOf(found) };
}

/** Where rounding may hide more than this part of the tolerance, steps will hardly get the gap into what is left. */
const MOST_HIDDEN = 0.5;

/** Whether P - D is within the tolerance, and the gap, with what rounding may hide, is not and will not be. */
export function isDrowned(now: Objectives, tolerance: number): boolean {
  const measured = Math.max(now.primalObjective - now.dualObjective, 0) / scaleOf(now);
  const hidden = now.relativeGap - measured;
  return measured <= tolerance && hidden > MOST_HIDDEN * tolerance && hidden < Infinity;
}

/** A dual rise below this, relative to the objectives, is rounding. */
const NO_RISE = 4 * Number.EPSILON;
/** A gap no larger than so many times the one that would end the fit is nearly small enough. */
const NEARLY = 2;
/** So many evaluations in a row, none with a smaller gap than the one before, end a fit whose dual has stopped rising. */
const PATIENCE = 4;
/**
 * And so do two periods of so many without a higher dual objective, if the median gap of the second is no smaller than that of the first:
 * gaps that are all rounding may go up and down for long. Without smoothing D is exact long before P comes down to it: alone it says nothing.
 */
const PERIOD = 8;

/** Below such a relative gap an estimate, whose scores are summed in the storage precision or less, says nothing any more. */
const ESTIMATE_LIMIT = { float32: 1e-5, float64: 1e-11 };

/** Watches evaluations: which was the last, and whether anything still improves. */
export class Watch {
  last: Objectives | undefined;
  readonly #tolerance: number;
  readonly #limit: number;
  /** The larger of both. */
  readonly #least: number;
  #unimproved = 0;
  #rising = true;
  #highest = -Infinity;
  #smallest = Infinity;
  /** Of the period, since the dual objective was higher than ever before, and the median of those of the period before. */
  #gaps: number[] = [];
  #medianBefore: number | undefined;
  #idle = false;

  constructor(tolerance: number, precision: "float32" | "float64") {
    this.#tolerance = tolerance;
    this.#limit = ESTIMATE_LIMIT[precision];
    this.#least = Math.max(tolerance, this.#limit);
  }

  /** The gap that would end the fit. */
  get target(): number {
    return this.last ? this.#tolerance * scaleOf(this.last) : 0;
  }

  /** Whether gaps have become too small for estimates. */
  get exacting(): boolean {
    return this.last !== undefined && this.last.relativeGap <= this.#limit;
  }

  /** Whether an estimate can tell that the gap is within the tolerance. */
  get estimatesTell(): boolean {
    return this.#tolerance >= this.#limit;
  }

  /** The least gap that may be left to an estimate; 0 before the first evaluation. */
  get leastEstimate(): number {
    return this.last ? this.#least * scaleOf(this.last) : 0;
  }

  /** An estimate is good enough to go on with, not to end with: it has to show progress, and more to come. */
  trusts(estimate: Objectives): boolean {
    return (
      estimate.relativeGap > this.#least && (this.last === undefined || estimate.dualityGap < this.last.dualityGap)
    );
  }

  /** Takes note of an evaluation; true if it is the best so far. */
  note(now: Objectives): boolean {
    const last = this.last;
    const { dualObjective } = now;
    const rounding = NO_RISE * scaleOf(now);
    this.#rising = !last || !(dualObjective - last.dualObjective < rounding);
    const higher = !(dualObjective - this.#highest < rounding);
    if (higher) this.#highest = dualObjective;
    this.#noteIdle(higher, now.dualityGap);
    // Compared with the one before, not with the best: without smoothing, P may have come close by chance once, long
    // before it gets there for good.
    this.#unimproved = !last || now.dualityGap < last.dualityGap ? 0 : this.#unimproved + 1;
    this.last = now;
    const better = now.dualityGap < this.#smallest;
    if (better) this.#smallest = now.dualityGap;
    return better;
  }

  #noteIdle(higher: boolean, gap: number): void {
    this.#idle = false;
    if (higher) {
      this.#gaps = [];
      this.#medianBefore = undefined;
      return;
    }
    if (this.#gaps.push(gap) < PERIOD) return;
    const median = this.#gaps.sort((a, b) => a - b)[PERIOD >> 1];
    this.#idle = this.#medianBefore !== undefined && median >= this.#medianBefore;
    this.#medianBefore = median;
    this.#gaps = [];
  }

  /** The last round has not made the gap smaller. */
  get doubtful(): boolean {
    return this.#unimproved > 0;
  }

  /** Only the last round has not, which may be chance, and before it the gap was nearly small enough: few rounds are left. */
  get wavering(): boolean {
    return this.#unimproved === 1 && this.#smallest <= NEARLY * this.target;
  }

  get stalled(): boolean {
    return this.#idle || (!this.#rising && this.#unimproved >= PATIENCE);
  }
}

/** Why a fit ends at this evaluation; undefined if it goes on. */
export function decideStatus(
  now: Objectives,
  tolerance: number,
  epoch: number,
  maxEpochs: number,
  interrupted: "aborted" | "max-seconds" | undefined,
  stalled: boolean,
): Status | undefined {
  if (interrupted === "aborted") return "aborted";
  if (now.relativeGap <= tolerance) return "solved";
  if (interrupted) return interrupted;
  if (epoch >= maxEpochs) return "max-epochs";
  return stalled ? "no-progress" : undefined;
}
