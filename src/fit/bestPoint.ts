import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Objectives } from "../certificate.ts";
import { adoptDuals } from "../solver/evaluate.ts";
import type { Aside, Place, SolverParts } from "../solver/solver.ts";
import { stretch } from "../solver/stretch.ts";
import type { Evaluations } from "./evaluations.ts";

/** So often is the dual point stretched at the end of a fit: each time what is left is a smaller part of the gap. */
const MOST_STRETCHES = 3;

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
  #kept: Objectives | undefined;
  /** Where the fit has begun, if that was a certified point of the same problem. */
  #start: Aside | undefined;
  /** Not before so many epochs: where it has led nowhere, the dual point is not good enough yet. */
  #stretchesFrom = 0;

  constructor(parts: SolverParts, evaluations: Evaluations) {
    this.#parts = parts;
    this.#evaluations = evaluations;
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

  /**
   * Goes back to the point with the smallest gap, if that is less than here. That of a point may have been an estimate,
   * and then it is the next one's turn. `furthest` is where D is highest among those left, if it is higher there: the
   * place to go on from.
   */
  async lookBack(now: Objectives, place: Place): Promise<Looked> {
    const { leftAside, interruption } = this.#parts;
    const kept = this.#kept && { now: this.#kept };
    const earlier: (Partial<Aside> & Pick<Aside, "now">)[] = [this.#start, leftAside.lower, kept].filter((p) => !!p);
    earlier.sort((a, b) => a.now.dualityGap - b.now.dualityGap);
    let highest: Aside | undefined;
    for (const { now: expected, duals } of earlier) {
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
