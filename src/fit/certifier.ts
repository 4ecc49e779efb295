import { type Objectives, type Rounding, widened } from "../certificate.ts";
import { isIndefinite, refuseIndefinite } from "../gram.ts";
import type { Pacer } from "../pace/pace.ts";
import { certify } from "../solver/evaluate.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

export interface CertifierParts {
  readonly problem: ResidentProblem;
  readonly tolerance: number;
  /** What rounding may hide of P, and what that of kernel values may add to P - D or take from it: see rounding.ts. */
  readonly rounding: Rounding;
  readonly kernelRounding: (masses: Float64Array) => number;
  /** The largest ||x_i||. */
  readonly largestNorm: number;
  /** To which kernel values have been rounded, in memory or as they were given. */
  readonly valuesIn: "float32" | "float64";
  readonly pacer: Pacer;
}

/**
 * So much of the tolerance may be left to rounding of kernel values: steps to the rest of it take less time than to
 * compute these anew.
 */
const MOST_LEFT = 0.5;
/** So much of a gap may be rounding of kernel values where it is not within the tolerance anyway. */
const MOST_ROUNDED = 0.1;

/** Certifies the point that a problem holds: with a kernel, for its values, not for what they are rounded to. */
export class Certifier {
  readonly #parts: CertifierParts;

  constructor(parts: CertifierParts) {
    this.#parts = parts;
  }

  /** The certificate, whatever the values of a kernel show. */
  async certify(): Promise<Objectives> {
    const { problem, rounding, tolerance, pacer } = this.#parts;
    const found = await certify(problem, pacer, rounding);
    if (found.relativeGap > tolerance) return found;
    const hidden = await this.#roundingOfKernel();
    const most = tolerance * (found.primalObjective - hidden);
    if (hidden === 0 || found.dualityGap + hidden <= most) return found;
    return hidden <= MOST_LEFT * most ? widened(found, hidden) : certify(problem, pacer, rounding, true);
  }

  /**
   * At the end of a fit that is not solved, in the place of `last`, its last certificate: where rounding of kernel
   * values may be more than a tenth of the gap, one with exact values or, with no `time` left, the bound of that
   * rounding added to the gap. Undefined where it may not.
   */
  async certifyAtEnd(last: Objectives, time: boolean): Promise<Objectives | undefined> {
    const { problem, rounding, pacer } = this.#parts;
    const hidden = await this.#roundingOfKernel();
    if (hidden === 0 || hidden <= MOST_ROUNDED * (last.primalObjective - last.dualObjective)) return undefined;
    return time ? certify(problem, pacer, rounding, true) : widened(last, hidden);
  }

  /**
   * Whether the last evaluation shows that kernel values are indefinite in this precision, as they may be by rounding:
   * there is no going on.
   */
  get indefinite(): boolean {
    const { problem } = this.#parts;
    return problem.kernel !== undefined && isIndefinite(problem.sums);
  }

  /** What is left of a certificate then: D is no bound. Throws where they are indefinite as they were given. */
  async disproven(found: Objectives): Promise<Objectives> {
    const { problem, largestNorm, valuesIn, pacer } = this.#parts;
    const { kernel, duals, sums } = problem;
    if (kernel!.shape.name === "precomputed") {
      refuseIndefinite("fit", sums, await pacer.finish(duals.masses()), largestNorm, valuesIn);
    }
    return { ...found, dualityGap: Infinity, relativeGap: Infinity };
  }

  /** What it may be of P - D, if kernel values are computed and rounded. */
  async #roundingOfKernel(): Promise<number> {
    const { problem, kernelRounding, pacer } = this.#parts;
    const { kernel, shape, duals } = problem;
    const rounds = kernel && kernel.shape.name !== "precomputed" && shape.precision === "float32";
    return rounds ? kernelRounding(await pacer.finish(duals.masses())) : 0;
  }
}
