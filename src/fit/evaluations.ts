import { NO_GAP, type Objectives, type Rounding, widened } from "../certificate.ts";
import { isIndefinite, refuseIndefinite } from "../gram.ts";
import { defaultKs, evaluateScores, thresholdFor } from "../model/evaluateScores.ts";
import { seconds, type Pacer } from "../pace/pace.ts";
import { untilAborted } from "../pace/untilAborted.ts";
import { certify, estimate } from "../solver/evaluate.ts";
import type { Watch } from "../solver/watch.ts";
import type { Evaluation, HistoryRecord } from "../types.ts";
import { type HeldOut, scoreHeldOut } from "./heldOut.ts";
import { type Moment, problemScorer } from "./rowScorer.ts";

interface Parts extends Moment {
  /** What rounding may hide of P, and what that of kernel values may add to P - D or take from it: see rounding.ts. */
  readonly rounding: Rounding;
  readonly kernelRounding: (masses: Float64Array) => number;
  /** The largest ||x_i||. */
  readonly largestNorm: number;
  readonly heldOut: readonly HeldOut[];
  readonly watch: Watch;
  readonly pacer: Pacer;
  /** When the fit was called. */
  readonly started: number;
}

/** Where a fit stands in its budget: epochs so far, and example updates by n. */
export type Place = Pick<HistoryRecord, "epoch" | "visits">;

/** What is known where there is no dual. */
type Primal = Pick<Objectives, "primalObjective"> & typeof NO_GAP;

/**
 * So much of the tolerance may be left to rounding of kernel values: steps to the rest of it take less time than to
 * compute these anew.
 */
const MOST_LEFT = 0.5;
/** So much of a gap may be rounding of kernel values where it is not within the tolerance anyway. */
const MOST_ROUNDED = 0.1;

/** Of a point where kernel values are indefinite: then D is no bound. */
const unproven = (found: Objectives): Objectives => ({ ...found, dualityGap: Infinity, relativeGap: Infinity });

/** The evaluations of a fit: both objectives and the held-out rows, on record. */
export class Evaluations {
  readonly history: HistoryRecord[] = [];
  /** Time spent here. */
  seconds = 0;
  /** Whether the last one was a certificate, not an estimate. */
  certified = false;
  /**
   * Whether kernel values have been found to be indefinite in this precision, as they may be by rounding: there is no
   * going on.
   */
  indefinite = false;
  /** Of label sets: the best one for the first held-out rows, as of the last evaluation. */
  threshold: number | undefined;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Where the fit stands. An estimate will do, unless `exactly`, as long as it says that there is progress and more to
   * come.
   */
  async take(exactly: boolean, place: Place): Promise<Objectives> {
    const { problem, pacer, watch, largestNorm } = this.#parts;
    const began = seconds();
    let now = await (exactly ? this.#proven() : estimate(problem, pacer));
    this.certified = exactly || !watch.trusts(now);
    if (this.certified && !exactly) now = await this.#proven();
    this.indefinite = this.#isIndefinite;
    if (this.indefinite) {
      const { duals, shape } = problem;
      if (problem.kernel!.shape.name === "precomputed") {
        refuseIndefinite("fit", problem.sums, await pacer.finish(duals.masses()), largestNorm, shape.precision);
      }
      now = unproven(now);
    }
    await this.#record(place, now, began);
    return now;
  }

  /** The certificate of the point of the moment, off the record. */
  async certifyOffRecord(): Promise<Objectives> {
    const began = seconds();
    const found = await this.#proven();
    this.seconds += seconds() - began;
    return this.#isIndefinite ? unproven(found) : found;
  }

  /** Whether kernel values are, as the last evaluation shows. */
  get #isIndefinite(): boolean {
    const { problem } = this.#parts;
    return problem.kernel !== undefined && isIndefinite(problem.sums);
  }

  /**
   * A certificate. That the gap is within the tolerance holds for the kernel values themselves, not only for what they
   * are rounded to.
   */
  async #proven(): Promise<Objectives> {
    const { problem, rounding, settings, pacer } = this.#parts;
    const found = await certify(problem, pacer, rounding);
    if (found.relativeGap > settings.tolerance) return found;
    const hidden = await this.#roundingOfKernel();
    const most = settings.tolerance * (found.primalObjective - hidden);
    if (hidden === 0 || found.dualityGap + hidden <= most) return found;
    return hidden <= MOST_LEFT * most ? widened(found, hidden) : certify(problem, pacer, rounding, true);
  }

  /**
   * The end of a fit that is not solved, `last` being its last certificate. Where rounding of kernel values may be more
   * than a tenth of the gap, the certificate is recomputed with exact values or, with no `time` left, the bound of that
   * rounding is added to the gap.
   */
  async recertifyAtEnd(last: Objectives, time: boolean, place: Place): Promise<Objectives> {
    const { problem, rounding, pacer } = this.#parts;
    const hidden = await this.#roundingOfKernel();
    if (hidden === 0 || hidden <= MOST_ROUNDED * (last.primalObjective - last.dualObjective)) return last;
    const began = seconds();
    const now = time ? await certify(problem, pacer, rounding, true) : widened(last, hidden);
    this.certified = true;
    await this.#record(place, now, began);
    return now;
  }

  /** What it may be of P - D, if kernel values are computed and rounded. */
  async #roundingOfKernel(): Promise<number> {
    const { problem, kernelRounding, pacer } = this.#parts;
    const { kernel, shape, duals } = problem;
    const rounds = kernel && kernel.shape.name !== "precomputed" && shape.precision === "float32";
    return rounds ? kernelRounding(await pacer.finish(duals.masses())) : 0;
  }

  /** Puts a certificate on record that has been made off it. */
  async recordCertificate(certificate: Objectives, place: Place): Promise<void> {
    this.certified = true;
    await this.#record(place, certificate, seconds());
  }

  /** Puts on record where a fit without a dual stands. */
  async recordPrimal(primalObjective: number, place: Place): Promise<void> {
    await this.#record(place, { primalObjective, ...NO_GAP }, seconds());
  }

  /**
   * Scores the held-out rows, appends a record to the history and shows it to `onProgress`. `began`: when the
   * evaluation did.
   */
  async #record(place: Place, found: Objectives | Primal, began: number): Promise<void> {
    const { settings, heldOut, pacer, started } = this.#parts;
    const record: HistoryRecord = { ...place, seconds: 0, ...found };
    if (heldOut.length > 0) record.validation = await this.#validate();
    this.seconds += seconds() - began;
    record.seconds = seconds() - started;
    this.history.push(record);
    await untilAborted(settings.onProgress?.({ ...record }), settings.signal);
    await pacer.breathe(); // copies may come next
  }

  /** The model of the moment on the held-out rows. */
  async #validate(): Promise<Evaluation[]> {
    const { problem, settings, heldOut, pacer } = this.#parts;
    const { loss } = settings;
    const m = problem.shape.numClasses;
    const nonzeros = heldOut.reduce((sum, { rows }) => sum + (rows.nonzeros ?? 0), 0);
    const scorer = await pacer.finish(problemScorer(this.#parts, nonzeros));
    const scores: Float64Array[] = [];
    for (const set of heldOut) scores.push(await scoreHeldOut("fit", set, scorer, pacer));
    this.threshold = await thresholdFor(loss, heldOut[0].truth, m, () => Promise.resolve(scores[0]), pacer);
    const ks = defaultKs(m, loss.k);
    const scored: Evaluation[] = [];
    for (const [v, { truth }] of heldOut.entries()) {
      scored.push(await pacer.finish(evaluateScores(loss, scores[v], truth, m, ks, this.threshold)));
    }
    return scored;
  }
}
