import { hasPlaces, type StoredDuals } from "../arrays/sparseDuals.ts";
import { type Interruption, isDrowned, type Objectives } from "../certificate.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Certificate } from "../types.ts";
import type { InitialDuals } from "./checkStart.ts";
import type { Evaluations } from "./evaluations.ts";
import type { FitInput } from "./fitInput.ts";
import { loadFiner, type LoadedInput } from "./loadProblem.ts";

/** Whether a fit goes on with the very problem that one before it has ended with in float64: float32 may undo that. */
export const startsFine = ({ initial }: FitInput): boolean => {
  if (!initial?.ofSameProblem) return false;
  const { stored } = initial;
  return (hasPlaces(stored) ? stored.values : stored) instanceof Float64Array;
};

/** A fit. */
interface Coarse extends LoadedInput<FitInput> {
  readonly pacer: Pacer;
  readonly interruption: () => Interruption | undefined;
}

/** Where it has ended. */
interface End {
  readonly ended: Pick<Certificate, "status" | keyof Objectives>;
  readonly evaluations: Evaluations;
  /** As `DualState` has it. */
  readonly furthest?: StoredDuals | undefined;
}

/** Whether rounding to float32, which nobody has asked for, is what keeps the gap above the tolerance. */
function isTooCoarse({ mayRefine, input, problem, interruption }: Coarse, { ended, evaluations }: End): boolean {
  const { tolerance, maxEpochs } = input.settings;
  if (!mayRefine || ended.status !== "no-progress") return false;
  if (evaluations.epochs >= maxEpochs || interruption()) return false;
  // Rounding of scores in float64 would remain, but that of kernel values is of float32.
  return problem.kernel !== undefined || !isDrowned(ended as Objectives, tolerance);
}

/**
 * The same problem in float64, to go on from where a fit in float32 has ended, in the epochs that are left. Undefined
 * if that would not help, or there is no memory for both.
 */
export async function refine(coarse: Coarse, end: End): Promise<LoadedInput<FitInput> | undefined> {
  if (!isTooCoarse(coarse, end)) return undefined;
  const { input, problem, pacer } = coarse;
  const { settings, truth } = input;
  const stored = await pacer.finish(problem.duals.copied());
  const { furthest } = end;
  const initial: InitialDuals = { stored, truth, costs: problem.C.slice(), ofSameProblem: true, furthest };
  const maxEpochs = settings.maxEpochs - end.evaluations.epochs;
  try {
    return await loadFiner({ ...input, initial, settings: { ...settings, maxEpochs } }, pacer);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
