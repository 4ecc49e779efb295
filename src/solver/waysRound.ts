import { hasSparseDuals } from "../losses.ts";
import { Detour } from "./detour.ts";
import { EPOCHS_NEEDED, InteriorPoint } from "./interiorPoint.ts";
import type { Rounds } from "./schedule.ts";
import type { SolverParts } from "./solver.ts";

/**
 * Where rounds would take the work of more evaluations, a detour takes less time; steps over lists are quicker than
 * their work would say. `blind`: where there are too many features for a preconditioner a detour takes fifty to two
 * hundred passes, and rounds with momentum mostly ten to a hundred: softmax on texts of two to a hundred classes, with
 * C from 100 on, takes a third to a seventh of the epochs for waiting that long.
 */
const WORTH_A_DETOUR = { dense: 8, blind: 100, sparse: 150 };
/**
 * Over lists the first rounds do not tell how fast the gap will fall: P may be a hundred times too large, and the gap
 * is all of it until D has risen. After so many epochs it is known, and no more than that is lost beside a detour.
 */
export const EPOCHS_TO_TELL = 32;
/**
 * An interior point method comes after that part of its work, so that no more is lost where rounds would have been
 * there soon; at last where so many epochs are left and rounds are not likely to get there in them, if it is short or
 * takes no more than so many times as long as all epochs. It is `cheap` if it takes no more than so many times as long
 * as those so far; then rounds are to be sure to get there.
 */
const INTERIOR = { after: 0.25, lastEpochs: 300, longer: 20, cheap: 4, sure: 0.25 };
/**
 * A round ends for it to be thought of where so many epochs are left, and where it just has room, with a few more for
 * what the round or a detour takes beyond that.
 */
const CALLS = [INTERIOR.lastEpochs, EPOCHS_NEEDED + 16];

/** The ways round where steps are slow, and when one of them is worth taking. */
export class WaysRound {
  readonly #parts: SolverParts;
  readonly #detour: Detour | undefined;
  readonly #interior: InteriorPoint | undefined;
  readonly #sparse: boolean;
  #calls = 0;

  constructor(parts: SolverParts) {
    this.#parts = parts;
    this.#sparse = hasSparseDuals(parts.settings.loss, parts.problem.shape.numClasses);
    if (!parts.onTheWay && InteriorPoint.suits(parts)) this.#interior = new InteriorPoint(parts);
    if (Detour.suits(parts)) this.#detour = new Detour(parts, () => (this.#mayCome ? CALLS[1] : 0));
  }

  /** Whether there are detours, and quick ones. */
  get hasQuickDetours(): boolean {
    return this.#detour?.blind === false;
  }

  /** The one that is worth taking after so many epochs, these rounds. */
  due(epochs: number, rounds: Rounds): Detour | InteriorPoint | undefined {
    const { watch } = this.#parts;
    const early = epochs < EPOCHS_TO_TELL;
    if (watch.wavering || (this.#sparse && early)) return undefined;
    const interior = this.#interior;
    if (!early && watch.last && interior?.mayBeTaken(epochs) && this.#isWorth(interior, epochs, rounds)) {
      return interior;
    }
    const kind = this.#sparse ? "sparse" : this.hasQuickDetours ? "dense" : "blind";
    if (!this.#detour?.mayBeTaken(epochs)) return undefined;
    return rounds.workTo(watch.target) > WORTH_A_DETOUR[kind] ? this.#detour : undefined;
  }

  /** Whether an interior point method is affordable, and has not been. A detour is to leave the epochs for it. */
  get #mayCome(): boolean {
    return !!this.#interior?.mayBeTaken(0) && this.#isAffordable(this.#interior);
  }

  #isAffordable({ work, isShort }: InteriorPoint): boolean {
    return isShort || work < INTERIOR.longer * this.#parts.settings.maxEpochs;
  }

  #isWorth(interior: InteriorPoint, epochs: number, rounds: Rounds): boolean {
    const { watch, settings } = this.#parts;
    const { workSoFar } = rounds;
    const { work } = interior;
    const workLeft = rounds.workTo(watch.target);
    const epochsLeft = settings.maxEpochs - epochs;
    const affordable = this.#isAffordable(interior);
    const part = work < INTERIOR.cheap * workSoFar ? INTERIOR.sure : 1;
    const isTooMuch = workLeft > (part * workSoFar * epochsLeft) / epochs;
    if (epochsLeft <= INTERIOR.lastEpochs && isTooMuch && affordable) return true;
    return workSoFar > INTERIOR.after * work && Math.max(workLeft, workSoFar) > work;
  }

  /**
   * Whether so few epochs are left after so many that one is taken soon or never: a round that goes on might leave too
   * few. The second call is for where the first came too early to tell.
   */
  isLastCall(epochs: number): boolean {
    if (!this.#interior?.mayBeTaken(epochs)) return false;
    if (this.#calls > 0 && epochs < EPOCHS_TO_TELL) return false;
    if (!(this.#parts.settings.maxEpochs - epochs <= CALLS[this.#calls])) return false;
    this.#calls++;
    return true;
  }
}
