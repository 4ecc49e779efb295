import { scaleOf, type Objectives } from "../certificate.ts";
import type { Loss } from "../losses.ts";
import { eachOf } from "../pace/steps.ts";
import type { Shape } from "../wasm/layout.ts";
import { CentralPath } from "./centralPath.ts";
import { ClassEquations } from "./classEquations.ts";
import type { DualDomains } from "./dualDomains.ts";
import { estimate, rebuildWeights, restoreDuals } from "./evaluate.ts";
import { factorKernel, type Rows } from "./kernelFactor.ts";
import { STEP_OVERHEAD } from "./schedule.ts";
import { SimplexDomains } from "./simplexDomains.ts";
import { tellPasses, type Place, type SolverParts } from "./solver.ts";
import { WeightedDomains } from "./weightedDomains.ts";

/** Steps at most, usually, and so many there is to be room for: of tables of a thousand rows they are up to fifty. */
const MOST_STEPS = 100;
const USUAL_STEPS = 20;
const ROOM = 40;
/** Passes over the examples that each of them takes: for derivatives, and for each of three directions. */
const PASSES_PER_STEP = 4;
/** The epochs that are to be left for it. */
export const EPOCHS_NEEDED = ROOM * PASSES_PER_STEP;
/** Multiply-adds of a step at most: half a second. */
const MOST_WORK = 2 ** 29;
/** So many in all take no more than a few seconds. */
const SHORT = 2 ** 32;
/** Weights at most: equations have half of their square as entries, 4 MB. */
const MOST_WEIGHTS = 1024;
/**
 * So many features, or numbers that second derivatives take, all examples have at most, each 8 MB; slacks, multipliers
 * and directions take up to five times that. And so many are these.
 */
const MOST_NUMBERS = 2 ** 20;
const MOST_EXAMPLES = 2 ** 16;
/** Classes at most, as the inverse for one example takes their third power and cannot yield. */
const MOST_CLASSES = 128;
/** So many times as long as one of a dual step takes one of its multiply-adds. */
const SLOWNESS = 3;
/** It aims at that part of the gap that would end the fit, as its last steps are by far the longest. */
const AIM = 0.25;
/** Steps from a point within the tolerance on, if it does not come there: stored in float32 there may be none. */
const FURTHER = 2;
/** So many points in a row that are no nearer end it: rounding. */
const PATIENCE = 4;
/**
 * D may be lower by that part of it: by the rounding of an estimate, or by that part of the tolerance. It is exact long
 * before P is, and a point that is solved is none to throw away for a difference as small as that.
 */
const LOWER = { float32: 1e-6, float64: 1e-15, tolerance: 1e-3 };

/** The kind of domains that a loss has, if it is one of these. */
const domainsFor = (loss: Loss, shape: Shape): typeof SimplexDomains | typeof WeightedDomains | undefined =>
  [SimplexDomains, WeightedDomains].find((kind) => kind.suits(loss, shape));

/** A point, its gap, and whether D is high enough there. */
interface Found {
  readonly z: Float64Array;
  readonly gap: number;
  readonly isHigher: boolean;
}

/**
 * An interior point method in the place of steps, for small tables and hinge losses. Where C is large, what a step
 * gains for its example thousands of others take back, and tens of thousands of epochs may get nowhere. To this method
 * all problems are much alike: a dozen to fifty of its steps (centralPath.ts), of which each takes as long as a few
 * epochs or a few dozen. With a kernel, columns of a factor of its matrix (kernelFactor.ts) stand for features.
 *
 * Its points are dual variables like any others, inside of their domains, and are certified like any others. If D is
 * lower at the best of them than it was before, everything is as it was; but if its gap is smaller, the fit may end
 * there.
 */
export class InteriorPoint {
  passes = 0;
  /** How long it will take, in evaluations, and whether that is no more than a few seconds. */
  readonly work: number;
  readonly isShort: boolean;
  readonly #parts: SolverParts;
  #ended = false;

  constructor(parts: SolverParts) {
    this.#parts = parts;
    const { numExamples: n, numFeatures: d, numClasses: m } = parts.problem.shape;
    const { settings, problem } = parts;
    const { slowness } = domainsFor(settings.loss, problem.shape)!;
    const work = USUAL_STEPS * slowness * InteriorPoint.#workOf(parts);
    this.work = (SLOWNESS * work) / (n * (m * d + STEP_OVERHEAD));
    this.isShort = work <= SHORT;
  }

  static suits(parts: SolverParts): boolean {
    const { problem, settings } = parts;
    const { numExamples: n, numClasses: m } = problem.shape;
    const kind = domainsFor(settings.loss, problem.shape);
    if (!kind) return false;
    const d = InteriorPoint.#columnsOf(parts);
    if (m * d > MOST_WEIGHTS || m > MOST_CLASSES) return false;
    if (n * Math.max(kind.numbersOf(settings.loss, m), d) > MOST_NUMBERS || n > MOST_EXAMPLES) return false;
    return InteriorPoint.#workOf(parts) <= MOST_WORK;
  }

  /** Features, or those that are to stand for a kernel, at most. */
  static #columnsOf({ problem: { kernel, shape } }: SolverParts): number {
    return kernel ? Math.min(shape.numFeatures, Math.floor(MOST_WEIGHTS / shape.numClasses)) : shape.numFeatures;
  }

  /** Multiply-adds of a step. */
  static #workOf(parts: SolverParts): number {
    const { problem, settings } = parts;
    const { numExamples: n, numClasses: m } = problem.shape;
    const d = InteriorPoint.#columnsOf(parts);
    const coupled = !settings.loss.oneVsAll;
    const ofExample = 2 * PASSES_PER_STEP * m * d + (coupled ? m ** 3 : 0);
    return n * ofExample + ClassEquations.work(n, m, d, coupled);
  }

  /** Whether it has not been, and enough epochs are left after so many. */
  mayBeTaken(epochs: number): boolean {
    return !this.#ended && epochs + EPOCHS_NEEDED <= this.#parts.settings.maxEpochs;
  }

  /**
   * From the last evaluation on, which was there. Returns the gap where it has led, as good as an estimate is; Infinity
   * if all is as it was.
   */
  async take(place: Place): Promise<number> {
    const { problem, settings, watch, leftAside, pacer, interruption } = this.#parts;
    this.#ended = true;
    const { dualObjective } = watch.last!;
    const lower = Math.max(LOWER[settings.precision], LOWER.tolerance * settings.tolerance);
    const leastDual = dualObjective - lower * Math.abs(dualObjective);
    const duals = await pacer.finish(problem.duals.copied());
    const now = await this.#follow(leastDual, place);
    if (now && now.dualObjective >= leastDual) return now.dualityGap;
    if (now && now.dualityGap < watch.last!.dualityGap) {
      leftAside.lower = { now, duals: await pacer.finish(problem.duals.copied()) };
    }
    await restoreDuals(problem, duals, pacer);
    if (!interruption()) await estimate(problem, pacer);
    return Infinity;
  }

  /**
   * Steps until the gap is small enough and D is no lower than that, or there are no more to be had. Returns what the
   * best point is worth, where the problem is then; undefined if it was stopped.
   */
  async #follow(leastDual: number, place: Place): Promise<Objectives | undefined> {
    const { problem, settings, watch, leftAside, interruption } = this.#parts;
    const domains: DualDomains = new (domainsFor(settings.loss, problem.shape)!)(problem, settings.loss);
    const rows = await this.#takeRows(domains);
    if (!rows) return undefined;
    const path = new CentralPath(domains, rows.X, this.#takeAnchor(rows.columns));
    if (!(await this.#run("start", path.examples, (from, count) => path.begin(from, count)))) return undefined;
    const most = Math.min(Math.floor((settings.maxEpochs - place.epoch) / PASSES_PER_STEP), MOST_STEPS);
    let target = AIM * watch.target;
    // The point nearest to the optimum as the path has it, then the best of those that have been evaluated.
    let best: Found = { z: path.z, gap: Infinity, isHigher: false };
    let evaluated = false;
    let solved = 0;
    // By the path's own numbers, in float64.
    let finest: Pick<Found, "z" | "gap"> | undefined;
    let unimproved = 0;
    for (let steps = 0; unimproved < PATIENCE; steps++) {
      let { gap } = path;
      let isHigher = false;
      let improves = gap < best.gap;
      if (gap <= target || steps === most) {
        if (gap <= target && !(finest && finest.gap <= gap)) finest = { z: path.z.slice(), gap };
        const now = await this.#put(domains, path.z);
        target = AIM * settings.tolerance * scaleOf(now);
        gap = now.dualityGap;
        isHigher = now.dualObjective >= leastDual;
        if (isHigher && gap <= target) return now;
        if (solved > 0 || (isHigher && now.relativeGap <= settings.tolerance)) solved++;
        improves = !evaluated || (isHigher === best.isHigher ? gap < best.gap : isHigher);
        evaluated = true;
      }
      if (improves) best = { z: path.z.slice(), gap, isHigher };
      unimproved = improves ? 0 : unimproved + 1;
      if (steps === most || solved > FURTHER || !(await this.#step(path))) break;
      await tellPasses(this.#parts, place, (steps + 1) * PASSES_PER_STEP);
    }
    if (interruption()) return undefined;
    const found = await this.#put(domains, best.z);
    const isCoarse = settings.precision === "float32" && !(found.relativeGap <= settings.tolerance);
    if (finest && isCoarse) leftAside.finer = this.#dualsOf(domains, finest.z);
    return found;
  }

  /** One step; returns whether nothing stopped it, and there was anywhere to go. */
  async #step(path: CentralPath): Promise<boolean> {
    const { equations } = path;
    this.passes += PASSES_PER_STEP;
    equations.clear();
    if (!(await this.#run("barriers", path.examples, (from, count) => path.prepare(from, count)))) return false;
    equations.finish();
    const { rows } = equations;
    if (!(await this.#run("factors", rows, (from, count) => equations.factorise(from, count)))) return false;
    path.aimAtOptimum();
    if (!(await this.#turn(path, true))) return false;
    path.aimAtPath();
    if (!(await this.#turn(path, true)) || !path.step()) return false;
    path.aimAtWeights();
    if (!(await this.#run("weights", path.examples, (from, count) => path.measure(from, count)))) return false;
    if (!(await this.#turn(path, false))) return false;
    path.mend();
    return true;
  }

  /** A direction, with the forces on examples or without. */
  async #turn(path: CentralPath, pushes: boolean): Promise<boolean> {
    path.clear();
    const push = (from: number, count: number): void => path.push(from, count);
    if (pushes && !(await this.#run("forces", path.examples, push))) return false;
    path.solve();
    return this.#run("turns", path.examples, (from, count) => path.turn(from, count));
  }

  /** In slices; returns whether nothing stopped it. */
  async #run(kind: string, total: number, slice: (from: number, count: number) => void): Promise<boolean> {
    const { pacer, interruption } = this.#parts;
    return (await pacer.run(`interior ${kind}`, total, slice, () => !!interruption())) === total;
  }

  /** The features of each example that partakes, or what stands for them; undefined if there are too many. */
  async #takeRows({ examples }: DualDomains): Promise<Rows | undefined> {
    const { problem, settings, pacer } = this.#parts;
    const { features, shape, kernel } = problem;
    if (kernel) {
      const most = InteriorPoint.#columnsOf(this.#parts);
      return pacer.finish(factorKernel(kernel.row, examples, settings.precision, most));
    }
    const { numFeatures: d } = shape;
    const X = new Float64Array(examples.length * d);
    const read = (e: number): void => {
      if (!features.sparse) return X.set(features.dense(examples[e]), e * d);
      const { indices, values } = features.entries(examples[e]);
      for (let p = 0; p < indices.length; p++) X[e * d + indices[p]] = values[p];
    };
    await pacer.finish(eachOf(examples.length, d, read));
    return { X, columns: d };
  }

  /** W0, a row for each class; zero with a kernel. */
  #takeAnchor(columns: number): Float64Array {
    const { weights, shape, kernel } = this.#parts.problem;
    const { numFeatures: d, numClasses: m } = shape;
    if (kernel) return new Float64Array(m * columns);
    const anchor = weights.takeAnchor();
    const rows = new Float64Array(m * d);
    for (let j = 0; j < m; j++) rows.set(weights.readRow(anchor, j), j * d);
    return rows;
  }

  /** Makes the dual variables those of z, and W that of these; returns what they are worth. */
  async #put(domains: DualDomains, z: Float64Array): Promise<Objectives> {
    const { problem, pacer } = this.#parts;
    await pacer.finish(problem.duals.put(this.#dualsOf(domains, z)));
    await rebuildWeights(problem, pacer);
    return estimate(problem, pacer);
  }

  /** The dual variables of all examples. */
  #dualsOf(domains: DualDomains, z: Float64Array): Float64Array {
    const { examples, numClasses: m } = domains;
    const A = new Float64Array(this.#parts.problem.shape.numExamples * m);
    for (const [e, i] of examples.entries()) domains.putDuals(e, z, A.subarray(i * m, i * m + m));
    return A;
  }
}
