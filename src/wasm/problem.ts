import type { RawBlock, RowBlock } from "../arrays/sparseRow.ts";
import type { Loss } from "../losses.ts";
import { ResidentAtoms } from "./atoms.ts";
import { ResidentDerivatives } from "./derivatives.ts";
import { ResidentDuals } from "./duals.ts";
import { FeatureRows } from "./featureRows.ts";
import { ResidentKernel } from "./kernelMatrix.ts";
import { BLOCK_SIZE, STEP_BLOCK, SUMS, type Kernels } from "./kernels.ts";
import { BASE, layOut, type Layout, type Shape } from "./layout.ts";
import { giveBack, instantiate, type Instance } from "./load.ts";
import { describeLoss } from "./loss.ts";
import { ResidentMultipliers } from "./multipliers.ts";
import { SweepProgress } from "./progress.ts";
import { RowScores } from "./rowScores.ts";
import { ScoreMoves } from "./scoreMoves.ts";
import { readNorms, readSums, type Norms, type Sums } from "./sums.ts";
import { ResidentVisits } from "./visits.ts";
import { ResidentWeights } from "./weights.ts";

type Floats = Float32Array | Float64Array;

/**
 * A training problem resident in the memory of its own WebAssembly instance: views of its arrays, and the kernels as
 * methods. Outside of this folder only prox.ts and lossFunctions.ts know pointers; what is handed out are numbers and
 * copies.
 */
export class ResidentProblem {
  readonly shape: Shape;
  /**
   * C_i and y_i of every example; to be filled before the first step. Where examples have sets of classes, y holds the
   * sets one after the other, each ascending, and `offsets` where each of them begins, n + 1 entries; `classWeights`,
   * if there are any, goes along with y.
   */
  readonly C: Float64Array;
  readonly y: Int32Array;
  readonly offsets: Uint32Array;
  readonly classWeights: Float64Array;
  /**
   * Right after an evaluation the gap term of every example; a sample renews some of them. Steps write K ||change of
   * a_i||^2 over those of the examples they visit, and balancing uses all as room for numbers of its own.
   */
  readonly gaps: Float64Array;
  /** The rows of features, each to be written before it is measured. */
  readonly features: FeatureRows<Floats>;
  /** Its weights, zero at first. */
  readonly weights: ResidentWeights;
  /** Its dual variables, zero at first. */
  readonly duals: ResidentDuals;
  /** Where features are known through a kernel: it has `features` of its own. */
  readonly kernel: ResidentKernel | undefined;
  /** How its dual point moves on, scores with it, if there is room for what that takes. */
  readonly scoreMoves: ScoreMoves | undefined;
  /** What steps may leave to multipliers. */
  readonly multipliers: ResidentMultipliers;
  /** Which examples the next pass visits. */
  readonly visits: ResidentVisits;
  /** What passes have done. */
  readonly progress: SweepProgress;
  /** Of P at its weights. */
  readonly derivatives: ResidentDerivatives;
  /** Scores of any rows of features. */
  readonly scores: RowScores;
  /** Of Frank-Wolfe: its steps. */
  readonly atoms: ResidentAtoms | undefined;

  /** Until it is given back. */
  #instance: Instance | undefined;
  readonly #kernels: Kernels;
  readonly #problem: number;
  readonly #order: number;
  readonly #sums: Float64Array;

  static async create(caller: string, shape: Shape, loss: Loss, seed: number): Promise<ResidentProblem> {
    let layout = layOut(shape, loss);
    const instance = await instantiate(caller, layout.arena.bytes).catch((error) => {
      if (!(error instanceof RangeError) || layout.at.B === 0) throw error;
      layout = layOut(shape, loss, false);
      return instantiate(caller, layout.arena.bytes);
    });
    if (instance.kernels.heapBase.value > BASE) throw new Error("topk-sdca: static data exceed BASE");
    return new ResidentProblem(shape, layout, loss, seed, instance);
  }

  private constructor(shape: Shape, layout: Layout, loss: Loss, seed: number, instance: Instance) {
    const { kernels } = instance;
    const { buffer } = instance.memory;
    this.#instance = instance;
    const { numExamples: n, numClasses: m, precision } = shape;
    const { at, paddedFeatures: d, ld, tile, sizeW, capacity, extra, few, ldLists } = layout;
    const { nonzeros } = shape;
    const sparse = nonzeros !== undefined;
    const Floats = precision === "float32" ? Float32Array : Float64Array;
    this.shape = shape;
    this.#problem = at.problem;
    this.#order = at.order;
    this.#kernels = kernels;
    this.features = new FeatureRows<Floats>(
      new Floats(buffer, at.X, shape.kernel ? 0 : (nonzeros ?? n * ld)),
      shape.numFeatures,
      ld,
      new Uint32Array(buffer, at.indices, nonzeros ?? 0),
      new Uint32Array(buffer, at.indptr, sparse ? n + 1 : 0),
    );
    this.weights = new ResidentWeights(shape, layout, kernels, buffer, Floats);
    this.duals = new ResidentDuals(layout, kernels, buffer, n, m, Floats);
    this.y = new Int32Array(buffer, at.y, shape.numLabels ?? n);
    this.offsets = new Uint32Array(buffer, at.sets, shape.numLabels === undefined ? 0 : n + 1);
    this.classWeights = new Float64Array(buffer, at.classWeights, shape.weighsLabels ? shape.numLabels : 0);
    this.C = new Float64Array(buffer, at.C, n);
    this.gaps = new Float64Array(buffer, at.gaps, n);
    this.#sums = new Float64Array(buffer, at.sums, SUMS.length);
    this.progress = new SweepProgress(layout, buffer);
    describeLoss(kernels, buffer, loss, m, at, precision === "float32");
    kernels.describeProblem(
      at.problem, at.loss, n, m, d, sparse, !!shape.skipsZeros, ld, tile, sizeW,
      at.indptr, at.indices, at.X, at.W, at.W64, at.W0, at.A, at.B,
      at.S0, at.R, at.R0, at.moved, at.y, at.sets, at.classWeights, at.C, at.norm2, at.deflatedNorm2, at.multipliers,
      at.gaps, at.sums, at.progress, capacity, extra, few, ldLists, at.lists, at.listed,
      at.scores, at.row, at.classes, at.changed, at.deltas, at.best, at.packed, at.blockScores,
      at.blockDeltas,
    ); // prettier-ignore
    this.kernel =
      shape.kernel && new ResidentKernel(shape.kernel, layout.kernel!, kernels, buffer, at.problem, n, Floats);
    if (at.S0 > 0) this.scoreMoves = new ScoreMoves(kernels, layout);
    this.multipliers = new ResidentMultipliers(kernels, layout);
    this.atoms = shape.direction && new ResidentAtoms(shape.direction, layout.atoms!, kernels, buffer, at.problem);
    this.visits = new ResidentVisits(kernels, layout, buffer, n, seed);
    this.scores = new RowScores(kernels, shape, layout, buffer);
    this.derivatives = new ResidentDerivatives(kernels, at.problem, shape, this.weights);
  }

  /** So many examples are evaluated together, while weights pass by; with a kernel one costs what its rows of K do. */
  get rowsAtOnce(): number {
    return this.kernel ? 1 : BLOCK_SIZE;
  }

  /**
   * Stores sparse rows [first, first + count), which nobody has looked at, with the constant feature where there is
   * one. Returns how many come before the first whose columns are not ascending or not legal: from that on
   * `features.store` has to do it.
   */
  appendRows(first: number, count: number, block: RawBlock, constant?: number): number {
    const gap = constant === undefined ? 0 : count;
    this.features.putRaw(first, block, gap);
    return this.#kernels.appendRows(this.#problem, first, count, block.indptr[0], gap, constant ?? 0);
  }

  /** Writes rows [first, first + count) as `features.storeBlock` does, dense ones in less time. */
  storeBlock(first: number, count: number, block: RowBlock, constant?: number, rounds = false): void {
    const { features } = this;
    if (block.indices || rounds) features.storeBlock(first, count, block, constant, rounds);
    else if (features.sparse) this.#appendDense(first, count, block.values as Floats, constant);
    else {
      features.putDense(first, count, block.values);
      this.#kernels.spreadRows(this.#problem, first, count, block.values.length / count, constant ?? 0);
    }
  }

  /**
   * Copies dense rows to where W64 lies, as many as fit there at a time, from where the kernels take what is not zero.
   */
  #appendDense(first: number, count: number, values: Floats, constant?: number): void {
    const room = this.shape.nonzeros!;
    const copies = this.weights.scratch;
    const columns = values.length / count;
    const most = Math.floor(copies.length / columns);
    for (let done = 0; done < count; done += most) {
      const part = Math.min(most, count - done);
      copies.set(values.subarray(done * columns, (done + part) * columns));
      this.#kernels.appendDenseRows(this.#problem, first + done, part, columns, constant ?? 0, room);
    }
  }

  /**
   * Computes ||x_i||^2 or K_ii of the rows [from, from + count), once written, and zeros their dual variables and their
   * share of W: what is to stand there otherwise comes after it. Returns how many are finite before the first that is
   * not.
   */
  measureRows(from: number, count: number): number {
    return this.#kernels.measureRows(this.#problem, from, count);
  }

  /** The largest ||x_i|| and sum C_i ||x_i||, once all rows are measured. */
  takeNorms(): Norms {
    this.#kernels.sumNorms(this.#problem);
    return readNorms(this.#sums);
  }

  /** Projects the rows [from, from + count) of A, put there by `duals.restore`, onto the domain of the loss. */
  project(from: number, count: number): void {
    this.#kernels.project(this.#problem, from, count);
  }

  /**
   * The steps of an even start, see assembly/solver/start.ts: clear(true), gather all rows, measureSums, which returns
   * ||Z||^2 and <Z, W0>, spread all rows, scaleSums.
   */
  gather(from: number, count: number): void {
    this.#kernels.gather(this.#problem, from, count);
  }
  measureSums(): { norm2: number; anchorProduct: number } {
    this.#kernels.measureSums(this.#problem);
    const { dualWeightsNorm2, anchorProduct } = this.sums;
    return { norm2: dualWeightsNorm2, anchorProduct };
  }
  spread(from: number, count: number, alpha: number): void {
    this.#kernels.spread(this.#problem, from, count, alpha);
  }
  scaleSums(alpha: number): void {
    this.#kernels.scaleSums(this.#problem, alpha);
    this.settle();
  }

  /**
   * What rounding may add to a margin, by 1 + ||x_i||: so near to 0 an example without a loss partakes in what rounding
   * may hide. 0 unless it is set.
   */
  set doubt(doubt: number) {
    this.#kernels.setDoubt(this.#problem, doubt);
  }

  /** So many steps belong together: `sweep` is to begin at multiples of that. */
  stepsAtOnce(everyClass: boolean): number {
    return this.#kernels.stepsTogether(this.#problem, everyClass);
  }

  /** Decides by the weights of the moment, before the first pass, whether it is to make lists. */
  decideOnLists(): void {
    this.#kernels.decideOnLists(this.#problem);
  }

  /** Whether a pass over every class makes lists of candidates beforehand, which do for another pass. */
  get listsFirst(): boolean {
    return this.stepsAtOnce(true) > STEP_BLOCK;
  }

  /**
   * One dual step for each of the examples at places [from, from + count) of the order: over every class, or
   * candidates.
   */
  sweep(from: number, count: number, everyClass: boolean): void {
    this.#kernels.sweep(this.#problem, this.#order + 4 * from, count, everyClass);
  }

  /**
   * Takes the dual variables of the examples at places [from, from + count) of the order further by beta times what has
   * changed since the last call or `duals.remember`, and adds to `sums.dualLoss` what that changes. See
   * assembly/solver/extrapolate.ts.
   */
  extrapolate(from: number, count: number, beta: number): void {
    this.#kernels.extrapolate(this.#problem, this.#order + 4 * from, count, beta);
  }

  /**
   * <A^T X, W0> + 1/2 ||A^T X||^2, where there is no kernel: the dual objective is the sum of dual losses less this.
   * The norms in `sums` become others.
   */
  takePenalty(): number {
    return this.#kernels.penalty(this.#problem);
  }

  /**
   * The steps of an evaluation, see assembly/solver/certificate.ts. A certificate: clear(true), rebuild all rows,
   * settle, evaluate all rows. An estimate: clear(false), measure, estimate all rows.
   */
  clear(certify: boolean): void {
    this.#kernels.clear(this.#problem, certify);
  }
  rebuild(from: number, count: number, exactly = false): void {
    this.#kernels.rebuild(this.#problem, from, count, exactly);
  }
  settle(): void {
    this.#kernels.settle(this.#problem);
  }
  evaluate(from: number, count: number): void {
    this.#kernels.evaluate(this.#problem, from, count);
  }
  measure(): void {
    this.#kernels.measure(this.#problem);
  }
  estimate(from: number, count: number): void {
    this.#kernels.estimate(this.#problem, from, count);
  }
  get sums(): Sums {
    return readSums(this.#sums);
  }

  /**
   * Gives its memory back. What has been handed out are copies, but for dual variables that fill most of a large
   * memory.
   */
  release(): void {
    if (this.#instance) giveBack(this.#instance);
    this.#instance = undefined;
  }
}
