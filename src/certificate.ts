import type { Status } from "./types.ts";
import type { Sums } from "./wasm/problem.ts";

/** Both objectives at one point, and how far apart they are. */
export interface Objectives {
  readonly primalObjective: number;
  readonly dualObjective: number;
  readonly dualityGap: number;
  readonly relativeGap: number;
}

/**
 * P = sum_i C_i L_i + 1/2 ||W - W0||^2 and D = sum_i -C_i L*(-a_i/C_i) - <A^T X, W0> - 1/2 ||A^T X||^2 from their float64
 * sums.
 *
 * Weak duality makes P - D >= 0 in exact arithmetic. Rounding may leave it below zero by parts in 1e-16 of the objectives,
 * which counts as 0; by more than 1e-9 it would mean that A is not feasible, and then nothing is claimed.
 */
export function objectives({ primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2, anchorProduct }: Sums): Objectives {
  const primalObjective = primalLoss + 0.5 * weightsNorm2;
  const dualObjective = dualLoss - anchorProduct - 0.5 * dualWeightsNorm2;
  const scale = Math.max(Math.abs(primalObjective), Math.abs(dualObjective));
  const difference = primalObjective - dualObjective;
  const credible = difference >= -1e-9 * scale;
  const dualityGap = credible ? Math.max(difference, 0) : Infinity;
  return { primalObjective, dualObjective, dualityGap, relativeGap: scale === 0 ? 0 : dualityGap / scale };
}

/** A dual rise below this, relative to the objectives, is rounding. */
const NO_RISE = 4 * Number.EPSILON;
/** So many evaluations in a row, none with a smaller gap than the one before, end a fit whose dual has stopped rising. */
const PATIENCE = 3;

/** Watches evaluations: when the next is due, which was the best, and whether anything still improves. */
export class Watch {
  best: Objectives | undefined;
  #nextEpoch: number;
  #lastGap = Infinity;
  #unimproved = 0;
  #lastDual = -Infinity;
  #rising = true;

  /** @param firstEpoch when the first evaluation is due. */
  constructor(firstEpoch: number) {
    this.#nextEpoch = firstEpoch;
  }

  /**
   * After epochs 1, 2, 3, ... and then at intervals of an eighth of what has passed: an evaluation costs about an epoch,
   * and a run is at most an eighth longer than it had to be.
   */
  due(epoch: number): boolean {
    return epoch >= this.#nextEpoch;
  }

  /** Takes note of an evaluation after `epoch` epochs; true if it is the best so far. */
  note(epoch: number, now: Objectives): boolean {
    this.#nextEpoch = epoch + Math.max(1, Math.floor(epoch / 8));
    const scale = Math.max(Math.abs(now.primalObjective), Math.abs(now.dualObjective));
    this.#rising = !(now.dualObjective - this.#lastDual < NO_RISE * scale);
    this.#lastDual = now.dualObjective;
    // Compared with the one before, not with the best: without smoothing, P may have come close by chance once, long
    // before it gets there for good.
    this.#unimproved = now.dualityGap < this.#lastGap ? 0 : this.#unimproved + 1;
    this.#lastGap = now.dualityGap;
    const better = this.best === undefined || now.dualityGap < this.best.dualityGap;
    if (better) this.best = now;
    return better;
  }

  get stalled(): boolean {
    return !this.#rising && this.#unimproved >= PATIENCE;
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
