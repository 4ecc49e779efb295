import { formatBytes } from "../errors.ts";
import type { Loss } from "../losses.ts";
import { Arena } from "./arena.ts";
import { layOutKernel, ResidentKernel, type KernelLayout, type KernelShape } from "./kernelMatrix.ts";
import type { Kernels } from "./kernels.ts";
import { instantiate, MAX_MEMORY_BYTES } from "./load.ts";

export type Precision = "float32" | "float64";
type Floats = Float32Array | Float64Array;

/** Shape of a training problem. `numFeatures` counts the constant feature; with a kernel it is the number of examples. */
export interface Shape {
  readonly numExamples: number;
  readonly numFeatures: number;
  readonly numClasses: number;
  readonly precision: Precision;
  /** Number of nonzero features if they are stored sparse: then rows come by `appendRow`, else by `featureRow`. */
  readonly nonzeros?: number;
  /** Number of true classes of all examples together, where examples have sets of them: then `offsets` is to be filled, too. */
  readonly numLabels?: number;
  /** Whether evaluations had better skip the zeros of dense features. */
  readonly skipsZeros?: boolean;
  /** Whether there is a proximal centre W0. */
  readonly anchored?: boolean;
  /** The kernel through which features are known. */
  readonly kernel?: KernelShape;
}

/** The sums a certificate is made of. */
export interface Sums {
  readonly primalLoss: number;
  readonly dualLoss: number;
  /** ||W - W0||^2 of the weights as stored; ||A^T X||^2 and <A^T X, W0> before rounding to `precision`. */
  readonly weightsNorm2: number;
  readonly dualWeightsNorm2: number;
  readonly anchorProduct: number;
}

const VECTOR_BYTES = 16;
/** Room for the static data of the kernels; checked against `heapBase` when instantiated. */
const BASE = 16384;

/** Classes that the kernels score together, and examples that they score together at most: see assembly/linalg/scores.ts. */
const CLASSES_AT_ONCE = 4;
const BLOCK_SIZE = 32;
/** Classes in a tile of the weights of sparse features: see assembly/linalg/sparse.ts. */
const TILE = 32;

/** Fractions of the mean: of the gap terms, and of the movement in the last pass. Measured on the workloads of bench/. */
const WORTH_A_VISIT = 0.1;
const WORTH_ANOTHER = 0.03;

/**
 * Room in the list of candidates of each example: for so many classes with a nonzero dual variable (more make no list), and for
 * so many others, an even number: enough for the k largest, and the more the more classes there are.
 */
function listRoom(numClasses: number, k: number): { capacity: number; extra: number } {
  return {
    capacity: Math.min(numClasses - 1, 128),
    extra: Math.max(4, 2 * k, 2 * Math.round(0.375 * Math.sqrt(numClasses))),
  };
}

const roundUp = (count: number, multiple: number): number => Math.ceil(count / multiple) * multiple;

/** Elements per row: whole vectors, and off the strides at which the rows of W would fall on the same cache sets. */
function leadingDimension(columns: number, elementBytes: number): number {
  const bytes = Math.ceil((columns * elementBytes) / VECTOR_BYTES) * VECTOR_BYTES;
  return (bytes > 0 && bytes % 1024 === 0 ? bytes + 64 : bytes) / elementBytes;
}

interface Layout {
  readonly arena: Arena;
  readonly elementBytes: number;
  readonly paddedFeatures: number;
  readonly ldW: number;
  readonly sizeW: number;
  readonly capacity: number;
  readonly extra: number;
  readonly ldLists: number;
  readonly kernel?: KernelLayout;
  readonly at: Record<
    | "loss"
    | "problem"
    | "indptr"
    | "indices"
    | "X"
    | "W"
    | "W64"
    | "W0"
    | "A"
    | "y"
    | "sets"
    | "C"
    | "norm2"
    | "gaps"
    | "sums"
    | "scores"
    | "margins"
    | "duals"
    | "work"
    | "classes"
    | "changed"
    | "row"
    | "deltas"
    | "best"
    | "packed"
    | "blockScores"
    | "progress"
    | "lists"
    | "listed"
    | "order"
    | "active"
    | "random",
    number
  >;
}

function layOut(
  {
    numExamples: n,
    numFeatures: d,
    numClasses: m,
    precision,
    nonzeros,
    numLabels,
    skipsZeros,
    anchored,
    kernel,
  }: Shape,
  loss: Loss,
): Layout {
  const elementBytes = precision === "float32" ? 4 : 8;
  const dense = nonzeros === undefined;
  const paddedFeatures = dense ? roundUp(d, VECTOR_BYTES / elementBytes) : d;
  const ldW = leadingDimension(d, elementBytes);
  const sizeW = dense ? m * ldW : d * roundUp(m, CLASSES_AT_ONCE);
  const { capacity, extra } = listRoom(m, loss.k);
  const ldLists = roundUp(capacity + extra + 1, CLASSES_AT_ONCE);
  const arena = new Arena(BASE);
  const small = "scratch";
  const weights = kernel ? "scores" : "weights";
  const at = {
    loss: arena.reserve(64, small),
    problem: arena.reserve(256, small),
    random: arena.reserve(16, small),
    sums: arena.reserve(40, small),
    progress: arena.reserve(16, small),
    scores: arena.reserve(8 * (m + CLASSES_AT_ONCE), small),
    row: arena.reserve(8 * (m + 2), small),
    margins: arena.reserve(8 * (m + 2), small),
    duals: arena.reserve(8 * (m + 2), small),
    work: arena.reserve(16 * (m + 2), small),
    classes: arena.reserve(4 * (m + CLASSES_AT_ONCE), small),
    changed: arena.reserve(4 * Math.max(m, BLOCK_SIZE), small),
    deltas: arena.reserve(8 * m, small),
    best: arena.reserve(8 * extra, small),
    packed: dense ? arena.reserve((skipsZeros ? 12 : 8) * BLOCK_SIZE * (kernel ? 2 : paddedFeatures), small) : 0,
    blockScores: arena.reserve(8 * BLOCK_SIZE * roundUp(m, CLASSES_AT_ONCE), small),
    y: arena.reserve(4 * (numLabels ?? n), "per example"),
    sets: numLabels === undefined ? 0 : arena.reserve(4 * (n + 1), "per example"),
    order: arena.reserve(4 * n, "per example"),
    active: arena.reserve(4 * n, "per example"),
    C: arena.reserve(8 * n, "per example"),
    norm2: arena.reserve(8 * n, "per example"),
    gaps: arena.reserve(8 * n, "per example"),
    listed: arena.reserve(4 * n, "per example"),
    lists: arena.reserve(4 * n * ldLists, "candidates"),
    W: arena.reserve(elementBytes * sizeW, weights),
    W64: arena.reserve(8 * Math.max(sizeW, skipsZeros ? paddedFeatures * roundUp(m, CLASSES_AT_ONCE) : 0), weights),
    W0: anchored ? arena.reserve(8 * sizeW, weights) : 0,
    A: arena.reserve(elementBytes * n * m, "dual variables"),
    indptr: dense ? 0 : arena.reserve(4 * (n + 1), "features"),
    indices: dense ? 0 : arena.reserve(4 * nonzeros, "features"),
    X: kernel ? 0 : arena.reserve(elementBytes * (dense ? n * paddedFeatures : nonzeros), "features"),
  };
  const kernelLayout = kernel && layOutKernel(arena, kernel, n, paddedFeatures, elementBytes);
  return { arena, elementBytes, paddedFeatures, ldW, sizeW, capacity, extra, ldLists, kernel: kernelLayout, at };
}

/** Fills the kernels' description of a loss; scratch for m classes is f64[m + 2], f64[m + 2] and f64[2 m + 4]. */
export function describeLoss(
  kernels: Kernels,
  at: number,
  { family, domain, k, gamma }: Loss,
  margins: number,
  duals: number,
  work: number,
): void {
  kernels.describeLoss(at, kernels[family].value, kernels[domain].value, k, gamma, margins, duals, work);
}

/** Refuses a problem that no WebAssembly memory can hold, with the estimate; nothing is allocated yet. */
export function refuseTooLarge(caller: string, shape: Shape, loss: Loss): void {
  const { arena } = layOut(shape, loss);
  if (arena.bytes <= MAX_MEMORY_BYTES) return;
  const parts = arena.report.slice(0, 3).map(([what, bytes]) => `${what} ${formatBytes(bytes)}`);
  const hint = shape.precision === "float64" ? `; precision "float32" halves most of it` : "";
  const features = shape.kernel ? "with a kernel" : `x ${shape.numFeatures} features`;
  throw new RangeError(
    `${caller}: ${shape.numExamples} examples ${features} x ${shape.numClasses} classes need ` +
      `${formatBytes(arena.bytes)} of memory (${parts.join(", ")}), more than the ${formatBytes(MAX_MEMORY_BYTES)} ` +
      `that WebAssembly can address${hint}`,
  );
}

/**
 * A training problem resident in the memory of its own WebAssembly instance: views of its arrays, and the kernels as
 * methods. The only file besides prox.ts that knows pointers of a problem; what it hands out are numbers and copies.
 */
export class ResidentProblem {
  readonly shape: Shape;
  /**
   * C_i and y_i of every example; to be filled before the first step. Where examples have sets of classes, y holds the sets one
   * after the other, each ascending, and `offsets` where each of them begins, n + 1 entries.
   */
  readonly C: Float64Array;
  readonly y: Int32Array;
  readonly offsets: Uint32Array;
  /** Gap term of every example at the last evaluation. */
  readonly gaps: Float64Array;
  /** The features, where they are known through a kernel: `featureRow`, `appendRow` and `measureRow` are then its own. */
  readonly kernel: ResidentKernel | undefined;

  readonly #kernels: Kernels;
  readonly #layout: Layout;
  readonly #X: Floats;
  readonly #indices: Uint32Array;
  readonly #indptr: Uint32Array;
  readonly #W: Floats;
  readonly #A: Floats;
  readonly #W0: Float64Array;
  readonly #norm2: Float64Array;
  readonly #sums: Float64Array;
  readonly #progress: Float64Array;
  readonly #order: Uint32Array;
  readonly #active: Uint32Array;
  #numActive = 0;
  readonly #sweep: Kernels["sweepFloat32"];
  readonly #rebuild: Kernels["rebuildFloat32"];
  readonly #project: Kernels["projectFloat32"];
  readonly #settle: Kernels["settleFloat32"];
  readonly #evaluate: Kernels["evaluateFloat32"];
  readonly #measure: Kernels["measureFloat32"];
  readonly #estimate: Kernels["estimateFloat32"];
  readonly #squaredNorm: Kernels["squaredNormFloat32"];

  static async create(caller: string, shape: Shape, loss: Loss, seed: number): Promise<ResidentProblem> {
    const layout = layOut(shape, loss);
    const { kernels, memory } = await instantiate(caller, layout.arena.bytes);
    if (kernels.heapBase.value > BASE) throw new Error("topk-sdca: static data exceed BASE");
    return new ResidentProblem(shape, layout, loss, seed, kernels, memory.buffer);
  }

  private constructor(shape: Shape, layout: Layout, loss: Loss, seed: number, kernels: Kernels, buffer: ArrayBuffer) {
    const { numExamples: n, numClasses: m, precision } = shape;
    const { at, paddedFeatures: d, ldW, sizeW, capacity, extra, ldLists } = layout;
    const { nonzeros } = shape;
    const sparse = nonzeros !== undefined;
    const float32 = precision === "float32";
    const Floats = float32 ? Float32Array : Float64Array;
    this.shape = shape;
    this.#layout = layout;
    this.#kernels = kernels;
    this.#X = new Floats(buffer, at.X, shape.kernel ? 0 : (nonzeros ?? n * d));
    this.#indices = new Uint32Array(buffer, at.indices, nonzeros ?? 0);
    this.#indptr = new Uint32Array(buffer, at.indptr, sparse ? n + 1 : 0);
    this.#W = new Floats(buffer, at.W, sizeW);
    this.#A = new Floats(buffer, at.A, n * m);
    this.#W0 = new Float64Array(buffer, at.W0, shape.anchored ? sizeW : 0);
    this.y = new Int32Array(buffer, at.y, shape.numLabels ?? n);
    this.offsets = new Uint32Array(buffer, at.sets, shape.numLabels === undefined ? 0 : n + 1);
    this.C = new Float64Array(buffer, at.C, n);
    this.gaps = new Float64Array(buffer, at.gaps, n);
    this.#norm2 = new Float64Array(buffer, at.norm2, n);
    this.#sums = new Float64Array(buffer, at.sums, 5);
    this.#progress = new Float64Array(buffer, at.progress, 2);
    this.#order = new Uint32Array(buffer, at.order, n);
    this.#active = new Uint32Array(buffer, at.active, n);
    this.#sweep = float32 ? kernels.sweepFloat32 : kernels.sweepFloat64;
    this.#rebuild = float32 ? kernels.rebuildFloat32 : kernels.rebuildFloat64;
    this.#project = float32 ? kernels.projectFloat32 : kernels.projectFloat64;
    this.#settle = float32 ? kernels.settleFloat32 : kernels.settleFloat64;
    this.#evaluate = float32 ? kernels.evaluateFloat32 : kernels.evaluateFloat64;
    this.#measure = float32 ? kernels.measureFloat32 : kernels.measureFloat64;
    this.#estimate = float32 ? kernels.estimateFloat32 : kernels.evaluateFloat64;
    this.#squaredNorm = float32 ? kernels.squaredNormFloat32 : kernels.squaredNormFloat64;

    describeLoss(kernels, at.loss, loss, at.margins, at.duals, at.work);
    kernels.describeProblem(
      at.problem, at.loss, n, m, d, sparse, !!shape.skipsZeros, d, ldW, sizeW,
      at.indptr, at.indices, at.X, at.W, at.W64, at.W0, at.A, at.y, at.sets, at.C, at.norm2, at.gaps, at.sums,
      at.progress, capacity, extra, ldLists, at.lists, at.listed,
      at.scores, at.row, at.classes, at.changed, at.deltas, at.best, at.packed, at.blockScores,
    ); // prettier-ignore
    this.kernel =
      shape.kernel &&
      new ResidentKernel(shape.kernel, layout.kernel!, kernels, buffer, at.problem, n, Floats, this.#norm2);
    kernels.seedGenerator(at.random, seed);
    this.activateAll();
    this.visitActive();
  }

  /** Row i of dense features, to be written; the padding behind it stays zero. To be followed by `measureRow`. */
  featureRow(i: number): Floats {
    const start = i * this.#layout.paddedFeatures;
    return this.#X.subarray(start, start + this.shape.numFeatures);
  }

  /** Room for `count` nonzeros of row i of sparse features, rows coming in order. To be followed by `measureRow`. */
  appendRow(i: number, count: number): { indices: Uint32Array; values: Floats } {
    const start = this.#indptr[i];
    const end = start + count;
    this.#indptr[i + 1] = end;
    return { indices: this.#indices.subarray(start, end), values: this.#X.subarray(start, end) };
  }

  /** Computes and returns ||x_i||^2, once row i is written. */
  measureRow(i: number): number {
    const { paddedFeatures, elementBytes, at } = this.#layout;
    const sparse = this.shape.nonzeros !== undefined;
    const start = sparse ? this.#indptr[i] : i * paddedFeatures;
    const count = sparse ? this.#indptr[i + 1] - start : paddedFeatures;
    const norm2 = this.#squaredNorm(at.X + start * elementBytes, count);
    this.#norm2[i] = norm2;
    return norm2;
  }

  /** Where the weight of class j and feature 0 is, and how far it is from there to the next feature's. */
  #weightsOf(j: number): { start: number; stride: number } {
    const { numFeatures: d, numClasses: m, nonzeros } = this.shape;
    if (nonzeros === undefined) return { start: j * this.#layout.ldW, stride: 1 };
    const first = j - (j % TILE);
    return { start: first * d + (j - first), stride: Math.min(TILE, roundUp(m, CLASSES_AT_ONCE) - first) };
  }

  /** Sets row j of the proximal centre, numFeatures values. Call `startAtAnchor` after the last. */
  setAnchorRow(j: number, values: ArrayLike<number>): void {
    const { start, stride } = this.#weightsOf(j);
    for (let l = 0; l < values.length; l++) this.#W0[start + l * stride] = values[l];
  }

  /** W = W0, the weights of A = 0. */
  startAtAnchor(): void {
    this.#W.set(this.#W0);
  }

  /** Projects the rows [from, from + count) of A, put there by `restoreDuals`, onto the domain of the loss. */
  project(from: number, count: number): void {
    this.#project(this.#layout.at.problem, from, count);
  }

  /** Every example is active. */
  activateAll(): void {
    for (let i = 0; i < this.#active.length; i++) this.#active[i] = i;
    this.#numActive = this.#active.length;
  }

  /** Active are the examples whose gap term at the last evaluation exceeds a tenth of the mean. */
  activate(): void {
    this.activateAll();
    const { problem, active } = this.#layout.at;
    this.#numActive = this.#kernels.keepActive(problem, active, this.#numActive, WORTH_A_VISIT);
  }

  /** The next pass visits all active examples. Returns their number. */
  visitActive(): number {
    this.#order.set(this.#active.subarray(0, this.#numActive));
    return this.#numActive;
  }

  /** The next pass visits those of the last one's `count` that moved by more than a few per cent of the mean. Returns their number. */
  visitMoving(count: number): number {
    return this.#kernels.keepActive(this.#layout.at.problem, this.#layout.at.order, count, WORTH_ANOTHER);
  }

  /** Draws a fresh order of the `count` visits. */
  shuffle(count: number): void {
    this.#kernels.shuffle(this.#layout.at.order, count, this.#layout.at.random);
  }

  /** One dual step for each of the examples at places [from, from + count) of the order: over every class, or candidates. */
  sweep(from: number, count: number, everyClass: boolean): void {
    this.#sweep(this.#layout.at.problem, this.#layout.at.order + 4 * from, count, everyClass);
  }

  /** What the sweeps have done since the last call: sum of K_i ||change of a_i||^2, and scores computed. */
  takeProgress(): { movement: number; work: number } {
    const [movement, work] = this.#progress;
    this.#progress.fill(0);
    return { movement, work };
  }

  /**
   * The steps of an evaluation, see assembly/solver/evaluate.ts. A certificate: clear(true), rebuild all rows, settle,
   * evaluate all rows. An estimate: clear(false), measure, estimate all rows.
   */
  clear(certify: boolean): void {
    this.#kernels.clear(this.#layout.at.problem, certify);
  }
  rebuild(from: number, count: number): void {
    this.#rebuild(this.#layout.at.problem, from, count);
  }
  settle(): void {
    this.#settle(this.#layout.at.problem);
  }
  evaluate(from: number, count: number): void {
    this.#evaluate(this.#layout.at.problem, from, count);
  }
  measure(): void {
    this.#measure(this.#layout.at.problem);
  }
  estimate(from: number, count: number): void {
    this.#estimate(this.#layout.at.problem, from, count);
  }
  get sums(): Sums {
    const [primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2, anchorProduct] = this.#sums;
    return { primalLoss, dualLoss, weightsNorm2, dualWeightsNorm2, anchorProduct };
  }

  /** A copy of the weights without padding, m x numFeatures. */
  copyWeights(): Floats {
    const { numClasses: m, numFeatures: d } = this.shape;
    const out = this.#W instanceof Float32Array ? new Float32Array(m * d) : new Float64Array(m * d);
    for (let j = 0; j < m; j++) {
      const { start, stride } = this.#weightsOf(j);
      for (let l = 0; l < d; l++) out[j * d + l] = this.#W[start + l * stride];
    }
    return out;
  }

  /** A copy of the dual variables as stored, n x m, into `target` if given. */
  copyDuals(target?: Floats): Floats {
    if (!target) return this.#A.slice();
    target.set(this.#A);
    return target;
  }

  /** Puts back what `copyDuals` gave. W is stale until the next certificate. */
  restoreDuals(source: Floats): void {
    this.#A.set(source);
  }
}
