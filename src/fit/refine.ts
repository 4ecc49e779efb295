import { areFine } from "../arrays/sparseDuals.ts";
import { isDrowned, type Objectives } from "../certificate.ts";
import type { InitialDuals } from "./checkStart.ts";
import type { Before } from "./evaluations.ts";
import type { FitInput } from "./fitInput.ts";
import { loadFiner, type LoadedInput } from "./loadProblem.ts";
import type { Running, Solved } from "./running.ts";

/**
 * Whether a fit goes on with the very problem that one before it has ended with in float64, at dual variables that
 * float32 does not hold: it may undo what has been solved.
 */
export const startsFine = ({ initial }: FitInput): boolean => !!initial?.ofSameProblem && areFine(initial.stored);

/** The same fit in float64, and what has been done before. */
interface Finer {
  readonly loaded: LoadedInput<FitInput>;
  readonly before: Before;
}

/** Going on in float64, where float32, which nobody has asked for, does not do. */
export class Refinement {
  /** The fit in float32. */
  readonly #coarse: Running;
  #loaded: LoadedInput<FitInput> | undefined;
  #tried = false;

  constructor(coarse: Running) {
    this.#coarse = coarse;
  }

  /** Whether that may be, as far as is known without loading the problem. */
  get isPossible(): boolean {
    return this.#loaded !== undefined || (!this.#tried && this.#coarse.mayRefine);
  }

  /** Gives the memory of what is loaded back, if it is not taken. */
  release(): void {
    this.#loaded?.problem.release();
  }

  /** Whether the problem is there in float64, too: it is loaded the first time, if that may be and there is memory. */
  async isReady(): Promise<boolean> {
    const { input, pacer, interruption } = this.#coarse;
    if (this.#loaded || !this.isPossible || interruption()) return this.#loaded !== undefined;
    this.#tried = true;
    try {
      this.#loaded = await loadFiner(input, pacer);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    return this.#loaded !== undefined;
  }

  /**
   * The problem in float64, to go on from where the fit has ended in the epochs that are left; undefined if that would
   * not help, or cannot be.
   */
  async take(end: Solved): Promise<Finer | undefined> {
    const helps = this.#mayHelp(end) && (await this.isReady()) && !this.#coarse.interruption();
    if (!helps) return undefined;
    const { input, problem, pacer } = this.#coarse;
    const { evaluations, furthest } = end;
    const { truth, settings } = input;
    // Not by `keep`: `furthest` may be what it has kept, which it would write over.
    const stored = await pacer.finish(problem.duals.take());
    const initial: InitialDuals = { stored, truth, costs: problem.C.slice(), ofSameProblem: true, furthest };
    const maxEpochs = settings.maxEpochs - evaluations.epochs;
    const loaded = this.#loaded!;
    this.#loaded = undefined;
    const finer: FitInput = { ...loaded.input, initial };
    return {
      loaded: { ...loaded, input: { ...finer, settings: { ...finer.settings, maxEpochs } } },
      before: { history: evaluations.history, seconds: evaluations.seconds },
    };
  }

  /** Whether rounding to float32 is what keeps the gap above the tolerance. */
  #mayHelp({ ended, evaluations }: Solved): boolean {
    const { input, problem } = this.#coarse;
    const { tolerance, maxEpochs } = input.settings;
    if (ended.status !== "no-progress" || evaluations.epochs >= maxEpochs) return false;
    // Rounding of scores in float64 would remain, but that of kernel values is of float32.
    return problem.kernel !== undefined || !isDrowned(ended as Objectives, tolerance);
  }
}
