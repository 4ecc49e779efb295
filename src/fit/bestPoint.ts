import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Objectives } from "../certificate.ts";
import { adoptDuals } from "../solver/evaluate.ts";
import type { Aside, Place, SolverParts } from "../solver/solver.ts";
import { stretch } from "../solver/stretch.ts";
import type { Evaluations } from "./evaluations.ts";

/** So often is the dual point stretched at the end of a fit: each time what is left is a smaller part of the gap. */
const MOST_STRETCHES = 3;
/**
 * Where the gap is larger than at A = 0, parts t A of the dual point are looked at, the last one t = 0: of early ends
 * with a large C the first has a smaller gap than that in two of three.
 */
const MOST_SHORTENINGS = 3;
/** t is this part of the largest for which the gap, convex in t, is known to be no more than twice that at 0. */
const SHORTENED = 0.25;
/** What is above the gap at A = 0 by less than this part is that gap, added up in another order. */
const SAME = 1e-9;

/** A point that a fit has gone back to, or stayed at, and the one it has left for it, as `DualState` has it. */
interface Looked {
  readonly now: Objectives;
  readonly furthest?: StoredDuals | undefined;
}

/**
 * The point with the smallest gap on the way, whose dual variables are kept. Without smoothing P is not monotone, nor
 * is it amid a round, so an earlier point may have a smaller gap than the one that a fit ends at.
 */
export class BestPoint {
  readonly #parts: SolverParts;
  readonly #evaluations: Evaluations;
  readonly #atZero: () => number;
  #kept: Objectives | undefined;
  /** Where the fit has begun, if that was a certified point of the same problem. */
  #start: Aside | undefined;
  /** Not before so many epochs: where it has led nowhere, the dual point is not good enough yet. */
  #stretchesFrom = 0;

  /** `atZero`: the gap of A = 0, Infinity if it is not known. */
  constructor(parts: SolverParts, evaluations: Evaluations, atZero: () => number) {
    this.#parts = parts;
    this.#evaluations = evaluations;
    this.#atZero = atZero;
  }

  /** Keeps the dual variables of the moment, unless better ones are; returns whether it does. */
  async offer(now: Objectives): Promise<boolean> {
    if (this.#kept && this.#kept.dualityGap <= now.dualityGap) return false;
    const { problem, pacer } = this.#parts;
    await pacer.finish(problem.duals.keep());
    this.#kept = now;
    return true;
  }

  /** The fit has begun at these dual variables, with that certificate: no estimate is better than it for sure. */
  keepStart(now: Objectives, duals: StoredDuals): void {
    this.#start = { now, duals };
  }

  /** It goes on from another point: what is kept is of now on. */
  leaveStart(): void {
    this.#kept = undefined;
  }

  readonly #certify = (): Promise<Objectives> => this.#evaluations.certifyOffRecord();

  /**
   * Where the gap does not shrink any more it may be the rounding of W alone: the certificate at stretched dual
   * variables, if these solve the problem. Else the point is as it was.
   */
  async stretch(epochs: number): Promise<Objectives | undefined> {
    if (epochs < this.#stretchesFrom) return undefined;
    const stretched = await stretch(this.#parts, this.#certify);
    if (!stretched) return undefined;
    if (stretched.certificate.relativeGap <= this.#parts.settings.tolerance) return stretched.certificate;
    await this.offer(stretched.certificate); // not yet, but it may be better than all before
    await stretched.undo();
    this.#stretchesFrom = 2 * epochs;
    return undefined;
  }

  /**
   * Stretches the dual point at the end of a fit, where a smaller gap is worth having, whether or not it solves the
   * problem.
   */
  async stretchAtEnd(now: Objectives, place: Place): Promise<Objectives> {
    const { settings, interruption } = this.#parts;
    for (let times = 0; times < MOST_STRETCHES; times++) {
      if (now.relativeGap <= settings.tolerance || interruption()) break;
      const stretched = await stretch(this.#parts, this.#certify, true);
      if (!stretched) break;
      if (!(stretched.certificate.dualityGap < now.dualityGap)) {
        await stretched.undo();
        break;
      }
      now = stretched.certificate;
      await this.#evaluations.recordCertificate(now, place);
    }
    return now;
  }

  /** The points that there are to go back to, the one with the smallest gap first; those kept have no duals here. */
  get #earlier(): (Partial<Aside> & Pick<Aside, "now">)[] {
    const kept = this.#kept && { now: this.#kept };
    return [this.#start, this.#parts.leftAside.lower, kept]
      .filter((point) => !!point)
      .sort((a, b) => a.now.dualityGap - b.now.dualityGap);
  }

  /**
   * The point that an unsolved fit ends at: the one with the smallest gap or, where none has one as small as A = 0, a
   * part of one. After an abort nothing takes longer than it must.
   */
  async giveBack(now: Objectives, place: Place): Promise<Looked> {
    // Where no step is made, the start stays as it is.
    const most = place.visits === 0 || this.#evaluations.indefinite ? Infinity : (1 + SAME) * this.#atZero();
    const aborted = (): boolean => this.#parts.interruption() === "aborted";
    const leadsBack = aborted() || [{ now }, ...this.#earlier].some((point) => point.now.dualityGap <= most);
    const found: Looked = leadsBack ? await this.#lookBack(now, place) : { now };
    if (aborted() || found.now.dualityGap <= most) return found;
    const { now: there, furthest } = await this.#shorten(found.now, most, place);
    return { now: there, furthest: found.furthest ?? furthest };
  }

  /**
   * Goes back to the point with the smallest gap, if that is less than here. That of a point may have been an estimate,
   * and then it is the next one's turn. `furthest` is where D is highest among those left, if it is higher there: the
   * place to go on from.
   */
  async #lookBack(now: Objectives, place: Place): Promise<Looked> {
    const { interruption } = this.#parts;
    let highest: Aside | undefined;
    for (const { now: expected, duals } of this.#earlier) {
      if (!(expected.dualityGap < now.dualityGap)) break;
      const left = await this.#goTo(duals);
      const there = await this.#evaluations.takeAtEnd(!interruption(), place);
      if (there.dualityGap <= now.dualityGap) {
        if (!(highest && highest.now.dualObjective >= now.dualObjective)) highest = { now, duals: left };
        now = there;
      } else {
        await this.#goTo(duals && left);
        now = await this.#evaluations.takeAtEnd(!interruption(), place);
      }
    }
    const isHigher = highest && highest.now.dualObjective > now.dualObjective;
    return { now, furthest: isHigher ? highest!.duals : undefined };
  }

  /**
   * Leaves a point for a part of it with a gap of `most` or less, that of A = 0: with a large C early steps lead far
   * beyond where P is least. Rows are classified alike by it. `furthest` is what has been left, if D is higher there.
   */
  async #shorten(now: Objectives, most: number, place: Place): Promise<Looked> {
    const { problem, pacer, interruption } = this.#parts;
    const { duals } = problem;
    const left = await pacer.finish(duals.copied());
    let there = now;
    for (let times = 1; !(there.dualityGap <= most) && times <= MOST_SHORTENINGS; times++) {
      const part = times < MOST_SHORTENINGS ? (SHORTENED * most) / there.dualityGap : 0;
      await pacer.finish(duals.multiply(part > 0 ? part : 0));
      there = await this.#evaluations.asAtEnd(await this.#certify(), !interruption());
    }
    await this.#evaluations.recordCertificate(there, place);
    return { now: there, furthest: now.dualObjective > there.dualObjective ? left : undefined };
  }

  /** To these dual variables, or to those kept, in whose place those of the moment then are. Returns these. */
  async #goTo(there: StoredDuals | undefined): Promise<StoredDuals> {
    const { problem, pacer } = this.#parts;
    const { duals } = problem;
    if (!there) {
      await pacer.finish(duals.exchangeKept());
      return duals.kept!;
    }
    const left = await pacer.finish(duals.copied());
    await pacer.finish(duals.put(there));
    await adoptDuals(problem, pacer);
    return left;
  }
}
