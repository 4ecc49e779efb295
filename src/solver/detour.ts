import { isSmooth, type Loss } from "../losses.ts";
import { estimate, MOST_COPIED, rebuildWeights, restoreDuals } from "./evaluate.ts";
import { Lbfgs } from "./lbfgs.ts";
import { dot } from "./linearAlgebra.ts";
import { Newton } from "./newton.ts";
import { Preconditioner } from "./preconditioner.ts";
import { PrimalDescent, type Point } from "./primalDescent.ts";
import { tellPasses, type Place, type SolverParts } from "./solver.ts";

/**
 * Passes over the examples that the descent of a detour takes at most, where losses have all derivatives and where they
 * have kinks of the second order: there twice as many take epochs from rounds for nothing.
 */
const MOST_PASSES = { smooth: 800, kinked: 400 };
/** Fewer are no use. */
const LEAST_PASSES = 64;
/**
 * Passes that unpromising descents by one method may take in a whole fit: `first`, or as many as the rounds have taken
 * epochs, if that is more; the part `behind` of these epochs where the rounds have the lower P.
 */
const ALLOWED = { first: 128, behind: 0.25 };
/**
 * A descent is promising if in so many passes 1/2 ||g||^2 would fall to its goal, should it go on as it has begun.
 * Those that get there have been on the way to it in a few hundred, and then ever faster. Where few examples are
 * between the kinks of their losses, as where nearly all are classified right, many more directions than theirs have no
 * curvature but that of 1/2 ||W||^2, and steps are cut to a thousandth: it would take thousands, while momentum takes
 * the rounds there in a few hundred epochs.
 */
const PROMISING = 800;
/**
 * Steps on all examples that a new dual point has, before it is judged for good: measured, many a good one is behind
 * after the first. Of others it is the second that makes the gap larger again.
 */
const PASSES_AFTER = 2;
/**
 * After them the gap is so much of 1/2 ||g||^2 at most where losses have all derivatives, mostly a tenth to a third;
 * where they have kinks of the second order it may be many times as much.
 */
const MENDED = { smooth: 1 / 3, kinked: 1 };
/** Points between which P has fallen by less than this part of it, and 1/2 ||g||^2 not by half, differ by rounding. */
const ROUNDING = 1e-13;
/**
 * Where the last descent has come near enough, but the detour has not, the next one is to come nearer by this factor.
 */
const NEARER = 0.1;
/** Descents keep up to three dozen vectors of weights, 72 MB of so many. */
const MOST_WEIGHTS = 2 ** 18;

/** With less smoothing a hinge loss has too many kinks for Newton's method, or for any. */
const LEAST_SMOOTHING = { newton: 0.5, any: 0.01 };
/** Domains whose curvature assembly/loss/curvature.ts knows. */
const DOMAINS: readonly Loss["domain"][] = ["SIMPLEX", "TOPK", "TOPK_BETA"];

/** A way down P. */
interface Way {
  readonly descent: PrimalDescent;
  /** What is left to be done where it goes no further: whether it may, then. */
  readonly again: () => boolean;
  /** It has come as far as it can. */
  ended: boolean;
}

/** Whether a loss, of label sets or not, has second derivatives that are known, with not too many jumps. */
function suitsNewton(loss: Loss, sets: boolean): boolean {
  if (isSmooth(loss)) return true;
  const { family, domain, gamma } = loss;
  if (gamma < LEAST_SMOOTHING.newton) return false;
  return family === "OVA_HINGE" || (!sets && DOMAINS.includes(domain));
}

/**
 * A detour by the primal problem, where many more rounds would be needed and P is smooth. Steps are short in directions
 * in which the scores of many examples move together with little of P changing; a descent on P does not mind, by
 * Newton's method where second derivatives are known, which takes rows that are not scaled, too, and for smoothed hinge
 * losses by the L-BFGS method, in turns, which does without them and with fewer examples between the kinks. The dual
 * point of the gradients at its weights W,
 *
 *     a_i = -C_i grad L_i(W x_i),
 *
 * stands for the weights W - g, g = grad P(W), and since Fenchel-Young holds with equality for every example
 *
 *     P(W) - D(A) = 1/2 ||g||^2.
 *
 * So the descent ends when that would solve the problem, or nearly. P at the weights of the dual point may still be
 * larger, since g is longest where P is curved most: what a pass of steps mends at once. The dual point is kept if
 * after one or two of them D has risen, and else all is as it was. The next detour goes on from where the descent has
 * been, unless the rounds have come lower.
 */
export class Detour {
  /** Whether there are too many features for a preconditioner, without which a descent takes many times as long. */
  readonly blind: boolean;
  readonly #parts: SolverParts;
  /** Epochs that are to be left for another way. */
  readonly #spare: () => number;
  /** Taken in turns, the next one at that place. */
  readonly #ways: readonly Way[];
  #turn = 0;
  #now: Point | undefined;

  constructor(parts: SolverParts, spare: () => number) {
    const { problem, pacer, interruption } = parts;
    this.#spare = spare;
    this.blind = !Preconditioner.suits(problem.shape);
    this.#parts = parts;
    const { loss } = parts.settings;
    const methods: (Newton | Lbfgs)[] = [];
    if (suitsNewton(loss, problem.shape.numLabels !== undefined)) methods.push(new Newton(parts));
    if (!isSmooth(loss)) methods.push(new Lbfgs());
    this.#ways = methods.map((method) => ({
      descent: new PrimalDescent(problem, method, pacer, () => !!interruption()),
      again: () => (method instanceof Newton ? method.takeAll() : method.forget()),
      ended: false,
    }));
  }

  /** Whether there may be one. */
  static suits({ problem: { shape, kernel }, settings: { loss } }: SolverParts): boolean {
    const { numExamples: n, numFeatures: d, numClasses: m } = shape;
    const small = m * d <= MOST_WEIGHTS && n * m <= MOST_COPIED;
    return small && !kernel && (isSmooth(loss) || loss.gamma >= LEAST_SMOOTHING.any);
  }

  get #kind(): "smooth" | "kinked" {
    return isSmooth(this.#parts.settings.loss) ? "smooth" : "kinked";
  }

  get #way(): Way {
    return this.#ways[this.#turn];
  }

  /** Passes over the examples that descents have taken so far. */
  get passes(): number {
    return this.#ways.reduce((sum, { descent }) => sum + descent.passes, 0);
  }

  /** Whether P is lower where the rounds are than where a descent has been, if there was one. */
  get #isBehind(): boolean {
    return !this.#now || this.#parts.watch.last!.primalObjective <= this.#now.value;
  }

  /** How many more passes the next descent may take, promising or not, after so many epochs of the fit. */
  #allowance(epochs: number): number {
    const share = this.#isBehind ? ALLOWED.behind : 1;
    const allowed = Math.max(ALLOWED.first, share * (epochs - this.passes));
    return Math.min(Math.floor(allowed) - this.#way.descent.passes, this.#left(epochs));
  }

  /** How many more there is time for. */
  #left(epochs: number): number {
    // For the dual point, and for parts of a pass that have been made and are no epoch yet.
    return this.#parts.settings.maxEpochs - epochs - 2 - PASSES_AFTER - this.#spare();
  }

  /** Whether there is anywhere to go, and enough passes to go there, after so many epochs. */
  mayBeTaken(epochs: number): boolean {
    return !this.#way.ended && this.#allowance(epochs) >= LEAST_PASSES;
  }

  /**
   * From the last evaluation on, which was there, `pass` over all examples being an epoch. Returns the gap where it has
   * led, as good as an estimate is; Infinity if all is as it was.
   */
  async take(place: Place, pass: () => Promise<boolean>): Promise<number> {
    const { problem, pacer, watch, interruption } = this.#parts;
    const duals = await pacer.finish(problem.duals.copied());
    this.#way.descent.forgetDuals();
    const before = this.passes;
    const tell = (): Promise<void> => tellPasses(this.#parts, place, this.passes - before);
    await this.#descend(this.#allowance(place.epoch), Math.min(this.#left(place.epoch), MOST_PASSES[this.#kind]), tell);
    let went = !interruption() && (await this.#project());
    for (let p = 1; went && p <= PASSES_AFTER; p++) {
      went = await pass();
      problem.progress.take(); // which is not that of a round
      if (!went) break;
      const { dualObjective, dualityGap } = await estimate(problem, pacer);
      const does = p === PASSES_AFTER || dualityGap <= watch.target;
      if (does && dualObjective > watch.last!.dualObjective) return dualityGap;
    }
    const next = (this.#turn + 1) % this.#ways.length;
    if (!this.#ways[next].ended) this.#turn = next;
    await restoreDuals(problem, duals, pacer);
    // It lists candidates again, whose lists have gone with the dual variables.
    if (!interruption()) await estimate(problem, pacer);
    return Infinity;
  }

  /**
   * On, until P - D would be small enough, in so many passes or, if it is promising, in `most`; `tell` is called at
   * each point.
   */
  async #descend(passes: number, most: number, tell: () => Promise<void>): Promise<void> {
    const { settings, interruption } = this.#parts;
    const way = this.#way;
    const { descent } = way;
    const distance = ({ gradient }: Point): number => 0.5 * dot(gradient, gradient);
    const same = (now: Point, next: Point): boolean =>
      next.value > now.value - ROUNDING * Math.abs(now.value) && distance(next) > 0.5 * distance(now);
    const nearer = this.#now ? NEARER * distance(this.#now) : Infinity;
    // By P where the descent is: in the last evaluation it may have been a million times as large.
    const goalAt = ({ value }: Point): number =>
      Math.min((settings.tolerance * Math.abs(value)) / MENDED[this.#kind], nearer);
    const start = descent.passes;
    if (this.#isBehind) this.#now = await this.#start();
    const first = this.#now ? distance(this.#now) : 0;
    let least = first;
    const goesOn = (now: Point): boolean => {
      const goal = goalAt(now);
      const taken = descent.passes - start;
      if (least <= goal || taken >= most) return false;
      return taken < passes || taken * Math.log(least / goal) <= PROMISING * Math.log(first / least);
    };
    while (this.#now && goesOn(this.#now)) {
      const next = await descent.next(this.#now, start + most - descent.passes, { distance: goalAt(this.#now) });
      await tell();
      if (!next || same(this.#now, next)) {
        if (!interruption() && way.again()) continue;
        way.ended = !interruption() && descent.passes + 1 < start + most; // else it was for want of passes
        return;
      }
      this.#now = next;
      least = Math.min(least, distance(next));
    }
  }

  /** Where the rounds are or, for the first descent, at W0 if P is lower there: with a large C steps may lead far. */
  async #start(): Promise<Point | undefined> {
    const { weights } = this.#parts.problem;
    const { descent } = this.#way;
    const where = weights.take();
    const atAnchor = this.#now ? undefined : await descent.look(weights.takeAnchor());
    const here = await descent.look(where); // at last, as it mostly is from there that a descent goes on
    return here && atAnchor && atAnchor.value < here.value ? atAnchor : here;
  }

  /**
   * Makes the dual point that of the gradients where the descent is; returns whether it is anywhere, and nothing
   * stopped it.
   */
  async #project(): Promise<boolean> {
    if (!this.#now || !(await this.#way.descent.takeDualPoint(this.#now))) return false;
    const { problem, pacer } = this.#parts;
    await rebuildWeights(problem, pacer);
    return true;
  }
}
