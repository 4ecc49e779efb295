import { type Objectives, scaleOf } from "../certificate.ts";

/** A dual rise below this, relative to the objectives, is rounding. */
const NO_RISE = 4 * Number.EPSILON;
/** A gap no larger than so many times the one that would end the fit is nearly small enough. */
const NEARLY = 2;
/**
 * So many evaluations in a row, none with a smaller gap than the one before, end a fit whose dual has stopped rising.
 */
const PATIENCE = 4;
/**
 * And so do two periods of so many without a higher dual objective, if the median gap of the second is no smaller than
 * that of the first: gaps that are all rounding may go up and down for long. Without smoothing D is exact long before P
 * comes down to it: alone it says nothing.
 */
const PERIOD = 8;

/**
 * Below such a relative gap an estimate, whose scores are summed in the storage precision or less, says nothing any
 * more.
 */
const ESTIMATE_LIMIT = { float32: 1e-5, float64: 1e-11 };

/**
 * Where an estimate by scores as steps have left them and the certificate of the same point differ by more than that
 * part of the gap, so many times in a row, it is rounding in the storage precision that steps work on. Once may be
 * chance, and a certificate sets scores right. Measured on kernels with C = 1000.
 */
const DRIFT = { part: 0.5, times: 2 };
/**
 * Gaps that are too small for estimates are all rounding if so many in a row are not smaller than the least before by
 * this part of it, however D creeps.
 */
const LAST = { evaluations: 8, part: 0.1 };

/** Watches evaluations: which was the last, and whether anything still improves. */
export class Watch {
  last: Objectives | undefined;
  readonly #tolerance: number;
  readonly #limit: number;
  /** The larger of both: gaps above it may be left to estimates. */
  readonly #least: number;
  #unimproved = 0;
  #rising = true;
  #highest = -Infinity;
  #smallest = Infinity;
  /**
   * Of the period, since the dual objective was higher than ever before, and the median of those of the period before.
   */
  #gaps: number[] = [];
  #medianBefore: number | undefined;
  #idle = false;
  /** So many certificates in a row were far from their estimates. */
  #drifts = 0;
  /** The least gap but for small improvements, and how many evaluations ago that was. */
  #low = Infinity;
  #sinceLeast = 0;

  constructor(tolerance: number, precision: "float32" | "float64") {
    this.#tolerance = tolerance;
    this.#limit = ESTIMATE_LIMIT[precision];
    this.#least = Math.max(tolerance, this.#limit);
  }

  /** What has been seen is of another point than what is to come. */
  startOver(): void {
    this.last = undefined;
    this.#unimproved = 0;
    this.#rising = true;
    this.#smallest = Infinity;
    this.#gaps = [];
    this.#medianBefore = undefined;
    this.#idle = false;
    this.#drifts = 0;
    this.#low = Infinity;
    this.#sinceLeast = 0;
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
    this.#sinceLeast++;
    if (now.dualityGap < (1 - LAST.part) * this.#low) {
      this.#low = now.dualityGap;
      this.#sinceLeast = 0;
    }
    const better = now.dualityGap < this.#smallest;
    if (better) this.#smallest = now.dualityGap;
    return better;
  }

  /** Takes note of what the certificate of a point is that steps have left with that estimate. */
  compare(estimate: Objectives, certificate: Objectives): void {
    const ofPrimal = Math.abs(certificate.primalObjective - estimate.primalObjective);
    const ofDual = Math.abs(certificate.dualObjective - estimate.dualObjective);
    const { relativeGap, dualityGap } = certificate;
    const drifted = relativeGap > this.#tolerance && ofPrimal + ofDual > DRIFT.part * dualityGap;
    this.#drifts = drifted ? this.#drifts + 1 : 0;
  }

  /** Whether the storage precision is too coarse for the tolerance, by what evaluations say. */
  get tooCoarse(): boolean {
    return this.#drifts >= DRIFT.times || (this.exacting && this.#sinceLeast >= LAST.evaluations);
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

  /**
   * Only the last round has not, which may be chance, and before it the gap was nearly small enough: few rounds are
   * left.
   */
  get wavering(): boolean {
    return this.#unimproved === 1 && this.#smallest <= NEARLY * this.target;
  }

  get stalled(): boolean {
    return this.#idle || (!this.#rising && this.#unimproved >= PATIENCE);
  }
}
