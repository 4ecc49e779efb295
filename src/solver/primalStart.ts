import { isSmooth } from "../losses.ts";
import { Detour } from "./detour.ts";
import { estimate, rebuildWeights, restoreDuals } from "./evaluate.ts";
import { hardnessOf } from "./hardness.ts";
import { Newton } from "./newton.ts";
import { Preconditioner } from "./preconditioner.ts";
import { PrimalDescent, type Point } from "./primalDescent.ts";
import { groupsOf, partOf, type Groups } from "./sampling.ts";
import { tellPasses, type Place, type SolverParts } from "./solver.ts";

/** Tables of so many rows for each weight, of so few classes, are tall. */
const TALL = { rowsPerWeight: 8, classes: 10 };
/**
 * With less hardness steps are over in two or three epochs, or before a descent is: the more features, the more passes
 * that takes, beside those for its preconditioner.
 */
const HARD = { least: 2, perFeature: 1 / 16, perPass: 2 };
/**
 * The first descent is on so many examples for each weight, or on this part of all if that is more; there is none if it
 * would be `most` of all.
 */
const FIRST = { perWeight: 32, part: 1 / 16, most: 0.5 };
/**
 * It ends where P, as these examples have it, is above its minimum by no more than that for each weight and each
 * example that one of them stands for: by half of that for each weight the minimum of all differs from theirs.
 */
const AS_GOOD = 0.25;
/** Examples that steps visit at the end, in the same terms. */
const LAST = { perWeight: 8, part: 1 / 16 };
/** What the gap is then, divided by the decrement and by n / d: no more where features are alike. */
const GAP_PER_DECREMENT = 1;
/**
 * Where P falls below that part of what it is at W0, classes are apart: few rows are between them, which do not tell H,
 * and steps are soon where they lead.
 */
const APART = 0.03;
/** Descents aim at that part of the gap that would end the fit. */
const AIM = 0.5;
/** They take so many passes at most, and no fewer are to be left. */
const MOST_PASSES = 48;
/** With a larger gap to expect, as a part of P, one has led nowhere. */
const WORTH_AN_EVALUATION = 0.1;
/** Where so many have not led to the end, steps are to. */
const MOST_DESCENTS = 3;
/** A point where P is lower by less than this part of it, and not by half of the decrement, differs by rounding. */
const ROUNDING = 1e-13;

/**
 * The start of tall tables: near the minimum of P, by Newton's method. There steps are many, as each is for one of many
 * rows, while P and its gradient take one pass, shorter than one of steps. And some rows tell the weights nearly as
 * well as all: a first descent is on them alone, after which all rows are looked at a few times.
 *
 * The dual point of the gradients (see detour.ts) is not yet one to end a fit with: its weights are W - g, where the
 * gap is about g^T H g / 2, and H is large. But steps for some of the rows bring g to nearly 0, as weights are fewer;
 * what is left is a multiple of g^T H^-1 g / 2, half the square of the Newton decrement, by which P is above its
 * minimum. So that is what descents look at.
 */
export class PrimalStart {
  readonly #parts: SolverParts;
  readonly #descent: PrimalDescent;
  #now: Point | undefined;
  /** P at W0, as far as the first look tells. */
  #atAnchor = 0;
  /** Passes of looks that no descent counts. */
  #looks = 0;
  #descents = 0;
  /** Whether it can come no nearer. */
  #ended = false;
  /** The gap by the decrement. */
  #ratio: number;

  constructor(parts: SolverParts) {
    const { problem, pacer, interruption } = parts;
    const { numExamples: n, numFeatures: d } = problem.shape;
    this.#parts = parts;
    this.#descent = new PrimalDescent(problem, new Newton(parts), pacer, () => !!interruption());
    this.#ratio = (GAP_PER_DECREMENT * n) / d;
  }

  /** Whether it is worth it: where single steps do not lead far, and Newton's method is at hand. */
  static suits(parts: SolverParts): boolean {
    const { problem, settings } = parts;
    const { numExamples: n, numFeatures: d, numClasses: m } = problem.shape;
    const tall = m <= TALL.classes && n >= TALL.rowsPerWeight * m * d;
    if (!tall || !isSmooth(settings.loss) || !Detour.suits(parts)) return false;
    if (!Preconditioner.suits(problem.shape)) return false;
    const passes = Preconditioner.passesToMake(problem.shape);
    return hardnessOf(problem) > Math.max(HARD.least, HARD.perFeature * d, HARD.perPass * passes);
  }

  /** Passes over the examples so far. */
  get passes(): number {
    return this.#looks + this.#descent.passes;
  }

  /** Whether there is anywhere to go, and enough passes to go there, after so many epochs. */
  mayBeTaken(epochs: number): boolean {
    const left = this.#parts.settings.maxEpochs - epochs;
    return !this.#ended && this.#descents < MOST_DESCENTS && left > MOST_PASSES;
  }

  /** Takes note of the gap where it has led, if it has. */
  noteGap(gap: number): void {
    if (this.#now) this.#ratio = gap / this.#descent.decrement;
  }

  /**
   * From W0 on or, the next time, from where it has led, with steps for some examples, `visit`, at the end. Returns
   * whether the gap probably is small enough there; undefined if all is as it was.
   */
  async take(place: Place, visit: (examples: number) => Promise<boolean>): Promise<boolean | undefined> {
    const { problem, settings, pacer, watch, interruption } = this.#parts;
    const duals = await pacer.finish(problem.duals.copied());
    const before = this.passes;
    const tell = (): Promise<void> => tellPasses(this.#parts, place, this.passes - before);
    this.#descents++;
    this.#descent.forgetDuals();
    this.#now ??= await this.#first();
    await this.#descend(before + MOST_PASSES, tell);
    const near = !this.#isApart(this.#now) && this.#expectedGap <= WORTH_AN_EVALUATION;
    const went = near && (await this.#project()) && (await visit(this.#some(LAST)));
    problem.progress.take(); // which is not that of a round
    if (went) {
      if (!watch.last) return this.#expectedGap <= settings.tolerance;
      const { dualObjective, relativeGap } = await estimate(problem, pacer);
      if (dualObjective > watch.last.dualObjective) return relativeGap <= settings.tolerance;
    }
    this.#ended = true;
    await restoreDuals(problem, duals, pacer);
    if (watch.last && !interruption()) await estimate(problem, pacer);
    return undefined;
  }

  /** So many examples for each weight, or a part of all if that is more; all at most. */
  #some({ perWeight, part }: { perWeight: number; part: number }): number {
    const { numExamples: n, numFeatures: d, numClasses: m } = this.#parts.problem.shape;
    return Math.min(Math.max(perWeight * m * d, part * n), n);
  }

  /** The decrement to come below. */
  get #enough(): number {
    return (AIM * this.#parts.settings.tolerance * this.#now!.value) / this.#ratio;
  }

  /** The relative gap to expect where it is. */
  get #expectedGap(): number {
    return this.#now ? (this.#ratio * this.#descent.decrement) / this.#now.value : Infinity;
  }

  /** Whether a point says that classes are apart. */
  #isApart(point: Point | undefined): boolean {
    return point !== undefined && point.value < APART * this.#atAnchor;
  }

  async #look(weights: Float64Array, some?: Groups): Promise<Point | undefined> {
    this.#looks += partOf(some);
    return this.#descent.look(weights, { some });
  }

  /**
   * Where the descent begins that is on all examples: at W0, or where one on some has led from there. The dual
   * variables of a smaller C, multiplied as they are for a larger, have weights where P is larger than at W0.
   */
  async #first(): Promise<Point | undefined> {
    const { problem } = this.#parts;
    const { numExamples: n, numFeatures: d, numClasses: m } = problem.shape;
    const examples = this.#some(FIRST);
    const some = examples <= FIRST.most * n ? groupsOf(n, examples, 0) : undefined;
    let now = await this.#look(problem.weights.takeAnchor(), some);
    this.#atAnchor = now?.value ?? 0;
    if (!some) return now;
    const decrement = (AS_GOOD * m * d) / some.part;
    for (;;) {
      const left = MOST_PASSES * some.part - this.#descent.passes;
      if (!now || this.#isApart(now) || left <= some.part) return undefined; // that is for a look
      const next: Point | undefined = await this.#descent.next(now, left, { decrement });
      if (!next || next === now) break;
      now = next;
    }
    this.#descent.forgetDuals();
    return this.#look(now.weights);
  }

  /** On, in so many passes of all at most, `tell` being called at each point. */
  async #descend(most: number, tell: () => Promise<void>): Promise<void> {
    const descent = this.#descent;
    let before = Infinity;
    while (this.#now && !this.#isApart(this.#now) && this.passes < most) {
      const next = await descent.next(this.#now, most - this.passes, { decrement: this.#enough });
      await tell();
      if (next === this.#now) return;
      const falls = next && next.value < this.#now.value - ROUNDING * Math.abs(this.#now.value);
      if (!next || !(falls || descent.decrement < 0.5 * before)) break;
      before = descent.decrement;
      this.#now = next;
    }
    this.#ended = true;
  }

  /** Makes the dual point that of the gradients where it is; returns whether nothing stopped it. */
  async #project(): Promise<boolean> {
    const { problem, pacer, interruption } = this.#parts;
    if (!this.#now || interruption() || !(await this.#descent.takeDualPoint(this.#now))) return false;
    await rebuildWeights(problem, pacer);
    return true;
  }
}
