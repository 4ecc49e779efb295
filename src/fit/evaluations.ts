import { plainOf } from "../arrays/plainOf.ts";
import { NO_GAP, type Objectives } from "../certificate.ts";
import { defaultKs, evaluateScores, thresholdFor } from "../model/evaluateScores.ts";
import { seconds, type Pacer } from "../pace/pace.ts";
import { untilAborted } from "../pace/untilAborted.ts";
import { estimate } from "../solver/evaluate.ts";
import type { Place } from "../solver/solver.ts";
import type { Watch } from "../solver/watch.ts";
import type { Evaluation, HistoryRecord } from "../types.ts";
import type { Certifier } from "./certifier.ts";
import { type HeldOut, scoreHeldOut } from "./heldOut.ts";
import { type Moment, problemScorer } from "./rowScorer.ts";

/** What a fit has done before it goes on with another problem. */
export interface Before {
  readonly history: readonly HistoryRecord[];
  /** Time spent on evaluations. */
  readonly seconds: number;
}

interface Parts extends Moment {
  readonly certifier: Certifier;
  readonly heldOut: readonly HeldOut[];
  readonly watch: Watch;
  readonly pacer: Pacer;
  /** When the fit was called. */
  readonly started: number;
  readonly before?: Before | undefined;
}

/**
 * Between evaluations `onProgress` is called after so many epochs, or this part of all so far, if that is more; and
 * where epochs take long after so many seconds.
 */
const QUIET = { epochs: 8, part: 0.25, seconds: 1 };

/** What is known where there is no dual. */
type Primal = Pick<Objectives, "primalObjective"> & typeof NO_GAP;

/** The evaluations of a fit: both objectives and the held-out rows, on record. */
export class Evaluations {
  readonly history: HistoryRecord[];
  /** Time spent here. */
  seconds: number;
  /** Whether the last one was a certificate, not an estimate. */
  certified = false;
  /** Whether kernel values have been found to be indefinite: there is no going on. */
  indefinite = false;
  /** Of label sets: the best one for the first held-out rows, as of the last evaluation. */
  threshold: number | undefined;
  readonly #parts: Parts;
  /** What places are counted from. */
  readonly #start: Place;
  /** The epoch that `onProgress` was told last. */
  #told = 0;
  /** And when. */
  #toldAt = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.history = parts.before?.history.slice() ?? [];
    this.seconds = parts.before?.seconds ?? 0;
    this.#start = this.history.at(-1) ?? { epoch: 0, visits: 0 };
  }

  /** The epochs of the last one. */
  get epochs(): number {
    return this.history.at(-1)!.epoch;
  }

  /** A place in the whole fit. */
  #whole({ epoch, visits }: Place): Place {
    return { epoch: this.#start.epoch + epoch, visits: this.#start.visits + visits };
  }

  /**
   * How far a round is: shown to `onProgress`, if it is a while since the last time, with what the last evaluation has
   * found.
   */
  async tell(place: Place): Promise<void> {
    const last = this.history.at(-1);
    if (!last) return;
    const whole = this.#whole(place);
    const epochs = whole.epoch - this.#told;
    if (epochs < Math.max(QUIET.epochs, QUIET.part * this.#told) && seconds() - this.#toldAt < QUIET.seconds) return;
    await this.#show({ ...last, ...whole, seconds: seconds() - this.#parts.started });
  }

  /**
   * Where the fit stands. An estimate will do, unless `exactly`, as long as it says that there is progress and more to
   * come.
   */
  async take(exactly: boolean, place: Place): Promise<Objectives> {
    const { problem, pacer, watch, certifier } = this.#parts;
    const began = seconds();
    let now = await (exactly ? certifier.certify() : estimate(problem, pacer));
    this.certified = exactly || !watch.trusts(now);
    if (this.certified && !exactly) {
      const estimated = now;
      const isRough = problem.sums.excess > 0;
      now = await certifier.certify();
      if (!isRough) watch.compare(estimated, now);
    }
    this.indefinite = certifier.indefinite;
    if (this.indefinite) now = await certifier.disproven(now);
    await this.#record(place, now, began);
    return now;
  }

  /** The certificate of the point of the moment, off the record. */
  async certifyOffRecord(): Promise<Objectives> {
    const { certifier } = this.#parts;
    const began = seconds();
    const found = await certifier.certify();
    this.seconds += seconds() - began;
    return certifier.indefinite ? certifier.disproven(found) : found;
  }

  /** What `recertify` would make of the last certificate, off the record. */
  async asAtEnd(last: Objectives, time: boolean): Promise<Objectives> {
    const began = seconds();
    const now = await this.#parts.certifier.certifyAtEnd(last, time);
    this.seconds += seconds() - began;
    return now ?? last;
  }

  /** A point that may be the end of a fit that is not solved. */
  async takeAtEnd(time: boolean, place: Place): Promise<Objectives> {
    return this.recertify(await this.take(true, place), time, place);
  }

  /** Likewise, `last` being its certificate; `time`: whether there is any left. */
  async recertify(last: Objectives, time: boolean, place: Place): Promise<Objectives> {
    const now = await this.asAtEnd(last, time);
    if (now !== last) await this.recordCertificate(now, place);
    return now;
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
    const { heldOut, pacer, started } = this.#parts;
    const record: HistoryRecord = { ...this.#whole(place), seconds: 0, ...found };
    if (heldOut.length > 0) record.validation = await this.#validate();
    this.seconds += seconds() - began;
    record.seconds = seconds() - started;
    this.history.push(record);
    await this.#show(record);
    await pacer.breathe(); // copies may come next
  }

  async #show(record: HistoryRecord): Promise<void> {
    const { onProgress, signal } = this.#parts.settings;
    this.#told = record.epoch;
    this.#toldAt = seconds();
    await untilAborted(onProgress?.(plainOf(record)), signal);
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
