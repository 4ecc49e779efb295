import type { Status } from "./types.ts";
import type { Sums } from "./wasm/sums.ts";

/** Both objectives at one point, and how far apart they are. */
export interface Objectives {
  readonly primalObjective: number;
  readonly dualObjective: number;
  readonly dualityGap: number;
  readonly relativeGap: number;
}

/** What a fit without a dual knows of them. */
export const NO_GAP = { dualObjective: null, dualityGap: null, relativeGap: null };

/** What rounding makes of P and D. */
export interface Rounding {
  /** Whether it takes `summands`, as `roundingOf` has them, to say so, once the weights are known. */
  takesSummands(sums: Sums): boolean;
  /** What it may hide of P - D at a certificate. */
  hidden(sums: Sums, summands?: Float64Array): number;
  /**
   * The largest rounding error of a margin at these weights, divided by 1 + ||x_i||; 0 where it is too small to matter,
   * and examples near their kink need not be looked for.
   */
  doubt(sums: Sums, summands?: Float64Array): number;
  /** sum_i C_i: what `hidden` is compared with where both objectives are 0. */
  readonly costs: number;
  /** Below this part of max(|P|, |D|) it is not added to the gap. */
  readonly unseen: number;
}

/** What a gap is relative to. */
export const scaleOf = ({
  primalObjective,
  dualObjective,
}: Pick<Objectives, "primalObjective" | "dualObjective">): number =>
  Math.max(Math.abs(primalObjective), Math.abs(dualObjective));

/** What part of the objectives rounding may hide without a word: a tenth of the tolerance, within bounds. */
export const unseenAt = (tolerance: number): number => Math.min(Math.max(tolerance / 10, 1e-12), 1e-6);

/**
 * P = sum_i C_i L_i + 1/2 ||W - W0||^2 and D = sum_i -C_i L*(-a_i/C_i) - <A^T X, W0> - 1/2 ||A^T X||^2 from their
 * float64 sums.
 *
 * Weak duality makes P - D >= 0 in exact arithmetic. Rounding may leave it below zero by parts in 1e-16 of the
 * objectives, which counts as 0; by more than `unseen` it shows how much rounding there is, and by more than 1e-9 it
 * would mean that A is not feasible, and then nothing is claimed. `hidden`, what rounding may hide besides, is part of
 * the gap if it is more than `unseen` of the objectives; where these are 0, as near an anchor, of `costs`, sum_i C_i.
 */
export function objectives(
  { primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2, anchorProduct }: Sums,
  { hidden, costs, unseen } = { hidden: 0, costs: 0, unseen: unseenAt(1) },
): Objectives {
  const primalObjective = primalLoss + 0.5 * weightsNorm2;
  const dualObjective = dualLoss - anchorProduct - 0.5 * dualWeightsNorm2;
  const scale = scaleOf({ primalObjective, dualObjective });
  const difference = primalObjective - dualObjective;
  const rounding = hidden > unseen * (scale > 0 ? scale : costs) ? hidden : 0;
  const credible = difference >= -1e-9 * scale - rounding;
  const seen = difference > -unseen * scale ? Math.max(difference, 0) : -difference;
  const dualityGap = credible ? seen + rounding : Infinity;
  return {
    primalObjective,
    dualObjective,
    dualityGap,
    relativeGap: !(scale < Infinity) ? Infinity : dualityGap === 0 ? 0 : dualityGap / scale,
  };
}

/** With what rounding of kernel values may hide as a part of the gap. */
export function widened(found: Objectives, hidden: number): Objectives {
  const { primalObjective, dualObjective } = found;
  const dualityGap = Math.max(found.dualityGap, Math.max(primalObjective - dualObjective, 0) + hidden);
  return { ...found, dualityGap, relativeGap: dualityGap / scaleOf(found) };
}

/** Where rounding may hide more than this part of the tolerance, steps will hardly get the gap into what is left. */
const MOST_HIDDEN = 0.5;

/** Whether P - D is within the tolerance, and the gap, with what rounding may hide, is not and will not be. */
export function isDrowned(now: Objectives, tolerance: number): boolean {
  const scale = scaleOf(now);
  if (scale === 0) return now.dualityGap > 0;
  const measured = Math.max(now.primalObjective - now.dualObjective, 0) / scale;
  const hidden = now.relativeGap - measured;
  return measured <= tolerance && hidden > MOST_HIDDEN * tolerance && hidden < Infinity;
}

/** Why a fit is to end before it is solved. */
export type Interruption = Extract<Status, "aborted" | "max-seconds">;

/** What ends a fit besides a small gap. */
interface Limits {
  readonly tolerance: number;
  readonly epoch: number;
  readonly maxEpochs: number;
  readonly interrupted: Interruption | undefined;
  /** Nothing improves any more. */
  readonly stalled: boolean;
}

/** Why a fit ends at this evaluation; undefined if it goes on. */
export function decideStatus(
  now: Objectives,
  { tolerance, epoch, maxEpochs, interrupted, stalled }: Limits,
): Status | undefined {
  if (interrupted === "aborted") return "aborted";
  if (now.relativeGap <= tolerance) return "solved";
  if (interrupted) return interrupted;
  if (epoch >= maxEpochs) return "max-epochs";
  return stalled ? "no-progress" : undefined;
}
