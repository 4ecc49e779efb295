import { formatBytes } from "../errors.ts";
import { isConvex, type Loss } from "../losses.ts";
import { Arena, roundUp } from "./arena.ts";
import { layOutAtoms, type AtomsLayout, type Direction } from "./atoms.ts";
import { layOutKernel, type KernelLayout, type KernelShape } from "./kernelMatrix.ts";
import {
  BLOCK_SIZE,
  CLASSES_AT_ONCE,
  COPIES_APART,
  DIRECTIONS,
  NONZEROS_CHUNK,
  PROGRESS,
  SUMS,
  STEP_BLOCK,
  STRUCTURE_BYTES,
} from "./kernels.ts";
import { listRoom, NO_LISTS } from "./listRoom.ts";
import { MAX_MEMORY_BYTES } from "./load.ts";

/** Where everything of a training problem lies in memory, and how much of it there is. */

type Precision = "float32" | "float64";

/**
 * Shape of a training problem. `numFeatures` counts the constant feature; with a kernel it is the number of examples.
 */
export interface Shape {
  readonly numExamples: number;
  readonly numFeatures: number;
  readonly numClasses: number;
  readonly precision: Precision;
  /** Number of nonzero features if they are stored sparse, or more: then rows are appended. */
  readonly nonzeros?: number;
  /**
   * Number of true classes of all examples together, where examples have sets of them: then `offsets` is to be filled,
   * too.
   */
  readonly numLabels?: number;
  /** Whether these have weights of their own: then `classWeights` is to be filled, too. */
  readonly weighsLabels?: boolean;
  /** Whether the last feature of each row is the same number, the constant one. */
  readonly hasConstant?: boolean;
  /** Whether evaluations had better skip the zeros of dense features. */
  readonly skipsZeros?: boolean;
  /**
   * Whether passes over every class, and evaluations of sparse rows, had better take rows in blocks, which share what
   * they fetch of W.
   */
  readonly inBlocks?: boolean;
  /** Whether there is a proximal centre W0. */
  readonly anchored?: boolean;
  /** The kernel through which features are known. */
  readonly kernel?: KernelShape;
  /** Of Frank-Wolfe, which keeps atoms of each example. */
  readonly direction?: Direction;
}

const VECTOR_BYTES = 16;
/** A call for the rows of so many dual variables, or for one row, costs little beside reading them. */
const MOST_READ = 65536;
/** Room for the static data of the kernels; checked against `heapBase` when instantiated. */
export const BASE = 26624;

/** Elements per row: whole vectors, and off the strides at which the rows of W would fall on the same cache sets. */
function leadingDimension(columns: number, elementBytes: number): number {
  const bytes = roundUp(columns * elementBytes, VECTOR_BYTES);
  const beyond = bytes % 1024;
  return (bytes >= 1024 && beyond < 64 ? bytes - beyond + 64 : bytes) / elementBytes;
}

/**
 * So many examples, and of dense ones no more features, are worth a look whether steps should be deflated; with fewer
 * examples fits are quick as they are.
 */
const WORTH_DEFLATING = { examples: 1000, features: 8192 };

/** Room for a block of sparse rows, feature by feature: see assembly/linalg/blockSparse.ts. */
const sparseBlockBytes = (d: number, nonzeros: number, elementBytes: number): number =>
  4 * (d + 4) + 2 * elementBytes * Math.min(nonzeros, BLOCK_SIZE * d);

/** Room for the nonzeros of a block of dense rows: see assembly/linalg/blockNonzeros.ts. */
const nonzerosBlockBytes = (d: number, elementBytes: number): number =>
  BLOCK_SIZE * (4 * Math.ceil(d / NONZEROS_CHUNK) + (4 + elementBytes) * d);

/** Room for a block of dense rows in float64, or, where zeros are skipped, for its nonzeros. */
const denseBlockBytes = (d: number, elementBytes: number, skipsZeros: boolean | undefined): number =>
  Math.max(BLOCK_SIZE * (8 * d + COPIES_APART), skipsZeros ? nonzerosBlockBytes(d, elementBytes) : 0);

/** A tile of the weights of sparse features is to stay in a cache: of so many features it could not. */
const TILED_FEATURES = 4096;
const TILE = 32;

/** Classes in a tile: see assembly/linalg/sparse.ts. */
function tileSize(d: number, m: number, inBlocks: boolean | undefined): number {
  if (d <= TILED_FEATURES || inBlocks) return TILE; // a block streams through its tiles
  let tile = TILE;
  while (tile < m) tile *= 2;
  return tile;
}

export interface Layout {
  readonly arena: Arena;
  readonly elementBytes: number;
  readonly paddedFeatures: number;
  readonly ld: number;
  readonly tile: number;
  readonly sizeW: number;
  readonly capacity: number;
  readonly extra: number;
  readonly few: number;
  readonly ldLists: number;
  /** The dual variables of so many examples are read at once where lists may hold them. */
  readonly readAtOnce: number;
  readonly kernel?: KernelLayout;
  readonly atoms?: AtomsLayout;
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
    | "B"
    | "S0"
    | "R"
    | "R0"
    | "moved"
    | "y"
    | "sets"
    | "classWeights"
    | "C"
    | "norm2"
    | "deflatedNorm2"
    | "multipliers"
    | "gaps"
    | "sums"
    | "scores"
    | "margins"
    | "duals"
    | "rankWeights"
    | "work"
    | "classes"
    | "changed"
    | "row"
    | "deltas"
    | "best"
    | "packed"
    | "blockScores"
    | "blockDeltas"
    | "places"
    | "read"
    | "progress"
    | "lists"
    | "listed"
    | "order"
    | "active"
    | "random",
    number
  >;
}

/**
 * Reserves room for a problem of a shape. `remembers`: also for dual variables of before, which momentum needs and a
 * fit can do without.
 */
export function layOut(
  {
    numExamples: n,
    numFeatures: d,
    numClasses: m,
    precision,
    nonzeros,
    numLabels,
    weighsLabels,
    hasConstant,
    skipsZeros,
    inBlocks,
    anchored,
    kernel,
    direction,
  }: Shape,
  loss: Loss,
  remembers = true,
): Layout {
  const elementBytes = precision === "float32" ? 4 : 8;
  const convex = isConvex(loss); // another loss has no dual
  const dense = nonzeros === undefined;
  const paddedFeatures = dense ? roundUp(d, VECTOR_BYTES / elementBytes) : d;
  const { capacity, extra, few } = direction ? NO_LISTS : listRoom(m, loss);
  const listed = !kernel && extra > 0 && n >= WORTH_DEFLATING.examples;
  // In no more directions than there are classes.
  const inDirections = listed && dense && m >= DIRECTIONS && d <= WORTH_DEFLATING.features;
  const inConstant = listed && !dense && !!hasConstant;
  const ld = leadingDimension(inDirections ? paddedFeatures + DIRECTIONS : d, elementBytes);
  const classes = kernel ? m : roundUp(m, CLASSES_AT_ONCE);
  const sizeW = classes * (dense ? ld : d);
  const longest = roundUp(capacity + extra + 1, CLASSES_AT_ONCE);
  // With their dual variables, but for label sets.
  const ldLists = extra > 0 ? longest * (numLabels === undefined ? 1 + elementBytes / 4 : 1) : 0;
  const readAtOnce = extra > 0 ? Math.min(n, Math.ceil(MOST_READ / m)) : 0;
  const arena = new Arena(BASE);
  const small = "scratch";
  const weights = kernel ? "scores" : "weights";
  const at = {
    loss: arena.reserve(STRUCTURE_BYTES.Loss, small),
    problem: arena.reserve(STRUCTURE_BYTES.Problem, small),
    random: arena.reserve(16, small),
    sums: arena.reserve(8 * SUMS.length, small),
    progress: arena.reserve(8 * PROGRESS.length, small),
    scores: arena.reserve(8 * (m + CLASSES_AT_ONCE), small),
    row: arena.reserve(8 * (m + 2), small),
    margins: arena.reserve(8 * (m + 2), small),
    duals: arena.reserve(8 * (m + 2), small),
    rankWeights: loss.weights ? arena.reserve(8 * m, small) : 0,
    work: arena.reserve(32 * (m + 2), small),
    classes: arena.reserve(4 * (m + CLASSES_AT_ONCE), small),
    changed: arena.reserve(4 * Math.max(m + CLASSES_AT_ONCE, BLOCK_SIZE), small),
    deltas: arena.reserve(8 * m, small),
    best: arena.reserve(8 * extra, small),
    packed: dense
      ? arena.reserve(kernel ? 16 * BLOCK_SIZE : denseBlockBytes(paddedFeatures, elementBytes, skipsZeros), small)
      : inBlocks
        ? arena.reserve(sparseBlockBytes(d, nonzeros, elementBytes), small)
        : 0,
    blockScores: arena.reserve(8 * BLOCK_SIZE * roundUp(m, CLASSES_AT_ONCE), small),
    blockDeltas: inBlocks
      ? arena.reserve(elementBytes * STEP_BLOCK * (roundUp(m, CLASSES_AT_ONCE) + STEP_BLOCK), small)
      : 0,
    places: arena.reserve(4 * readAtOnce * m, small),
    read: arena.reserve(elementBytes * readAtOnce * m, small),
    y: arena.reserve(4 * (numLabels ?? n), "per example"),
    sets: numLabels === undefined ? 0 : arena.reserve(4 * (n + 1), "per example"),
    classWeights: weighsLabels ? arena.reserve(8 * numLabels!, "per example") : 0,
    order: arena.reserve(4 * n, "per example"),
    active: arena.reserve(4 * n, "per example"),
    C: arena.reserve(8 * n, "per example"),
    norm2: arena.reserve(8 * n, "per example"),
    deflatedNorm2: inDirections || inConstant ? arena.reserve(8 * n, "per example") : 0,
    multipliers: inConstant ? arena.reserve(8 * m, small) : 0,
    gaps: arena.reserve(8 * n, "per example"),
    listed: arena.reserve(4 * n, "per example"),
    lists: arena.reserve(4 * n * ldLists, "candidates"),
    W: arena.reserve((kernel ? 8 : elementBytes) * sizeW, weights),
    W64: arena.reserve(8 * sizeW, weights),
    W0: anchored ? arena.reserve(8 * sizeW, weights) : 0,
    A: convex ? arena.reserve(elementBytes * n * m, "dual variables") : 0,
    B: 0,
    S0: 0,
    R: 0,
    R0: 0,
    moved: 0,
    indptr: dense ? 0 : arena.reserve(4 * (n + 1), "features"),
    indices: dense ? 0 : arena.reserve(4 * nonzeros, "features"),
    X: kernel ? 0 : arena.reserve(elementBytes * (dense ? n * ld : nonzeros), "features"),
  };
  const kernelLayout = kernel && layOutKernel(arena, kernel, n, paddedFeatures, elementBytes);
  const atoms = direction && layOutAtoms(arena, direction, n, m, loss);
  // Only address space until it is used.
  const room = MOST_BYTES - arena.bytes;
  const forDuals = elementBytes * n * m;
  const forScores = kernel ? 8 * sizeW + 2 * forDuals + n : 0;
  if (remembers && convex && !direction && forDuals + forScores <= room) {
    at.B = arena.reserve(forDuals, "dual variables before");
    if (kernel) {
      at.S0 = arena.reserve(8 * sizeW, "scores before");
      at.R = arena.reserve(forDuals, "what rounding takes off dual variables");
      at.R0 = arena.reserve(forDuals, "what rounding took off those before");
      at.moved = arena.reserve(n, "per example");
    }
  }
  const tile = tileSize(d, m, inBlocks);
  return {
    arena,
    elementBytes,
    paddedFeatures,
    ld,
    tile,
    sizeW,
    capacity,
    extra,
    few,
    ldLists,
    readAtOnce,
    kernel: kernelLayout,
    atoms,
    at,
  };
}

/** Pointers to the end of the last array must not wrap, nor may kernels that look a vector ahead. */
const MOST_BYTES = MAX_MEMORY_BYTES - 16;

/** Whether a WebAssembly memory can hold a problem. */
export const fits = (shape: Shape, loss: Loss): boolean => layOut(shape, loss).arena.bytes <= MOST_BYTES;

/** Refuses a problem that no WebAssembly memory can hold, with the estimate; nothing is allocated yet. */
export function refuseTooLarge(caller: string, shape: Shape, loss: Loss): void {
  if (fits(shape, loss)) return;
  const { arena } = layOut(shape, loss);
  const parts = arena.report.slice(0, 3).map(([what, bytes]) => `${what} ${formatBytes(bytes)}`);
  // A loss that is not convex has its weights in float64 whatever the precision.
  const smaller = isConvex(loss) && fits({ ...shape, precision: "float32" }, loss);
  const hint = smaller ? `; it fits with precision: "float32"` : "";
  const features = shape.kernel ? "with a kernel" : `x ${shape.numFeatures} features`;
  throw new RangeError(
    `${caller}: ${shape.numExamples} examples ${features} x ${shape.numClasses} classes need ` +
      `${formatBytes(arena.bytes)} of memory (${parts.join(", ")}), more than the ${formatBytes(MAX_MEMORY_BYTES)} ` +
      `that WebAssembly can address${hint}`,
  );
}
