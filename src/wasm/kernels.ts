/** The exports of assembly/index.ts as TypeScript sees them. Pointers are byte offsets into the imported memory. */
import type { DualDomain, LossFamily } from "../losses.ts";

type Pointer = number;

// Constants of the kernels that memory is laid out by before there is an instance to ask:
// test/solver/constants.node.test.ts compares.

/**
 * Classes that the kernels score together, and examples that they score together at most: see
 * assembly/linalg/scores.ts.
 */
export const CLASSES_AT_ONCE = 4;
export const BLOCK_SIZE = 32;
/** Examples whose steps are taken together at most: see assembly/data/block.ts. */
export const STEP_BLOCK = 16;
/** From so many classes on a first pass makes lists of candidates. */
export const WORTH_LISTING = 64;
/** Directions of features that steps may leave to multipliers: see assembly/solver/deflation.ts. */
export const DIRECTIONS = 4;
/** Bytes between the rows of a dense block: see assembly/linalg/blockDense.ts. */
export const COPIES_APART = 64;
/** Rows of a kernel matrix that are computed together: see assembly/data/kernelMatrix.ts. */
export const KERNEL_ROWS_TOGETHER = 4;
/** Features of a chunk of a block's nonzeros: see assembly/linalg/blockNonzeros.ts. */
export const NONZEROS_CHUNK = 128;
/** Numbers between sweeps and who calls them: see assembly/data/progress.ts. */
export const PROGRESS = ["movement", "work", "leastMovement", "taken"] as const;
/** Sums of an evaluation, and what the kernels keep behind them: see assembly/data/sums.ts. */
export const EVALUATION_SUMS = [
  "primalLoss",
  "dualLoss",
  "weightsNorm2",
  "dualWeightsNorm2",
  "anchorProduct",
  "excess",
  "partakingCosts",
  "partakingNorms",
] as const;
export const SUMS = [...EVALUATION_SUMS, "largestWeight2", "largestNorm", "weightedNorms"] as const;
/**
 * Room for the structures of the kernels, more than each takes: test/solver/structures.node.test.ts adds up their
 * fields.
 */
export const STRUCTURE_BYTES = { Loss: 64, Problem: 256, KernelMatrix: 128, Atoms: 64 };

/** Constants the kernels export by these names, so that their values stand in one place. */
type Constants = {
  readonly [
    name in
      | LossFamily
      | DualDomain
      | "STANDARD"
      | "AWAY"
      | "PAIRWISE"
      | "PRECOMPUTED"
      | "LINEAR"
      | "RBF"
      | "POLY"
      | "heapBase"
  ]: { readonly value: number };
};

/** The kernels that score rows by weights of either precision, under names that end in it. */
export interface ScoringKernels {
  scoreRows(
    W: Pointer,
    ld: number,
    m: number,
    rows: Pointer,
    size: number,
    d: number,
    packed: Pointer,
    out: Pointer,
  ): void;
  scoreSparseRow(
    W: Pointer,
    d: number,
    m: number,
    tile: number,
    indices: Pointer,
    values: Pointer,
    nonzeros: number,
    out: Pointer,
  ): void;
}

type WithSuffix<suffix extends string> = {
  readonly [name in keyof ScoringKernels as `${name}${suffix}`]: ScoringKernels[name];
};

export interface Kernels extends Constants, WithSuffix<"Float32">, WithSuffix<"Float64"> {
  beginStep(problem: Pointer, atoms: Pointer): void;
  findVertices(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  combine(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  moveDuals(problem: Pointer, atoms: Pointer, stepSize: number, from: number, count: number): void;
  moveWeights(problem: Pointer, stepSize: number): void;
  gather(problem: Pointer, from: number, count: number): void;
  spread(problem: Pointer, from: number, count: number, alpha: number): void;
  measureRows(problem: Pointer, from: number, count: number): number;
  kernelRow(problem: Pointer, i: number): Pointer;
  appendRows(problem: Pointer, first: number, count: number, base: number, gap: number, constant: number): number;
  spreadRows(problem: Pointer, first: number, count: number, columns: number, constant: number): void;
  appendDenseRows(
    problem: Pointer,
    first: number,
    count: number,
    columns: number,
    constant: number,
    room: number,
  ): void;
  packWeights(problem: Pointer, columns: number): void;
  nonzeroDuals(problem: Pointer, first: number, count: number, places: Pointer, out: Pointer): number;
  copyDuals(problem: Pointer, first: number, count: number, out: Pointer): void;
  sweep(problem: Pointer, order: Pointer, count: number, everyClass: boolean): void;
  stepsTogether(problem: Pointer, everyClass: boolean): number;
  decideOnLists(problem: Pointer): void;
  deflate(problem: Pointer, on: boolean): void;
  findDirections(problem: Pointer, samples: number): number;
  takeCoordinates(problem: Pointer, from: number, count: number): void;
  moveMultipliers(problem: Pointer, toTheEnd: boolean): number;
  extrapolate(problem: Pointer, order: Pointer, count: number, beta: number): void;
  remember(problem: Pointer, from: number, count: number): void;
  rememberDuals(problem: Pointer, from: number, count: number): void;
  carryDuals(problem: Pointer, from: number, count: number, beta: number): void;
  takeDualsBack(problem: Pointer, from: number, count: number): void;
  penaltyRise(problem: Pointer, from: number, count: number): number;
  penalty(problem: Pointer): number;
  addGradient(problem: Pointer, from: number, count: number, keeps: boolean): void;
  finishGradient(problem: Pointer, times: number): void;
  takeDualsOfGradient(problem: Pointer, from: number, count: number): void;
  addCurvature(problem: Pointer, from: number, count: number): void;
  addMoments(problem: Pointer, first: number, d: number, byClass: boolean, from: number, count: number): void;
  rebuild(problem: Pointer, from: number, count: number, exactly: boolean): void;
  project(problem: Pointer, from: number, count: number): void;
  settle(problem: Pointer): void;
  evaluate(problem: Pointer, from: number, count: number): void;
  measure(problem: Pointer): void;
  estimate(problem: Pointer, from: number, count: number): void;
  knapsack(b: Pointer, n: number, hi: number, r: number, rho: number, x: Pointer, work: Pointer): void;
  knapsackEquality(b: Pointer, n: number, hi: number, r: number, x: Pointer, work: Pointer): void;
  projectOnto(
    domain: number,
    k: number,
    weights: Pointer,
    b: Pointer,
    n: number,
    r: number,
    rho: number,
    guessed: number,
    x: Pointer,
    work: Pointer,
  ): void;
  permutahedronHull(
    a: Pointer,
    n: number,
    weights: Pointer,
    k: number,
    r: number,
    alone: boolean,
    x: Pointer,
    work: Pointer,
  ): void;
  distancesOfRows: ScoringKernels["scoreRows"];
  addExpansion(scores: Pointer, ld: number, m: number, values: Pointer, coefficients: Pointer, size: number): void;
  lambertWExp(t: Pointer, n: number, out: Pointer): void;
  topKEntropyStep(
    b: Pointer,
    n: number,
    k: number,
    beta: boolean,
    alpha: number,
    guess: number,
    single: boolean,
    z: Pointer,
    work: Pointer,
  ): void;
  softmaxStep(b: Pointer, n: number, alpha: number, guess: number, single: boolean, z: Pointer): number;
  entropicSimplex(a: Pointer, n: number, r: number, hi: number, x: Pointer): void;
  bipartiteSimplex(v: Pointer, n: number, m: number, margin: number, r: number, x: Pointer, work: Pointer): void;
  multilabelEntropyStep(
    q: Pointer,
    t: number,
    n: number,
    alpha: number,
    guessed: boolean,
    single: boolean,
    p: Pointer,
  ): void;
  describeLoss(
    loss: Pointer,
    family: number,
    domain: number,
    k: number,
    gamma: number,
    float32: boolean,
    rankWeights: Pointer,
    margins: Pointer,
    duals: Pointer,
    work: Pointer,
  ): void;
  describeProblem(
    problem: Pointer,
    loss: Pointer,
    n: number,
    m: number,
    d: number,
    sparse: boolean,
    skipsZeros: boolean,
    ld: number,
    tile: number,
    sizeW: number,
    indptr: Pointer,
    indices: Pointer,
    X: Pointer,
    W: Pointer,
    W64: Pointer,
    W0: Pointer,
    A: Pointer,
    B: Pointer,
    S0: Pointer,
    R: Pointer,
    R0: Pointer,
    moved: Pointer,
    y: Pointer,
    sets: Pointer,
    classWeights: Pointer,
    C: Pointer,
    norm2: Pointer,
    deflatedNorm2: Pointer,
    multipliers: Pointer,
    gaps: Pointer,
    sums: Pointer,
    progress: Pointer,
    capacity: number,
    extra: number,
    few: number,
    ldLists: number,
    lists: Pointer,
    listed: Pointer,
    scores: Pointer,
    row: Pointer,
    classes: Pointer,
    changed: Pointer,
    deltas: Pointer,
    best: Pointer,
    packed: Pointer,
    blockScores: Pointer,
    blockDeltas: Pointer,
  ): void;
  describeKernel(
    problem: Pointer,
    kernel: Pointer,
    kind: number,
    degree: number,
    gamma: number,
    coef0: number,
    constant: number,
    n: number,
    d: number,
    sparse: boolean,
    indptr: Pointer,
    indices: Pointer,
    X: Pointer,
    squares: Pointer,
    ld: number,
    slots: number,
    filled: number,
    rows: Pointer,
    slotOf: Pointer,
    heldBy: Pointer,
    usedAt: Pointer,
    examples: Pointer,
    missing: Pointer,
    products: Pointer,
    dense: Pointer,
    spare: Pointer,
    block: Pointer,
  ): void;
  lossValue(loss: Pointer, u: Pointer, m: number, y: number, gradient: Pointer): number;
  lossOfSet(loss: Pointer, u: Pointer, t: number, n: number, weights: Pointer, gradient: Pointer): number;
  updateDualSet(
    loss: Pointer,
    q: Pointer,
    t: number,
    n: number,
    K: number,
    C: number,
    weights: Pointer,
    x: Pointer,
  ): void;
  dualLossSet(loss: Pointer, x: Pointer, t: number, n: number, C: number, weights: Pointer): number;
  restoreSet(loss: Pointer, x: Pointer, t: number, n: number, C: number, weights: Pointer, single: boolean): void;
  describeAtoms(
    atoms: Pointer,
    direction: number,
    slots: number,
    size: number,
    sums: Pointer,
    masses: Pointer,
    counts: Pointer,
    classes: Pointer,
    values: Pointer,
    targets: Pointer,
    sources: Pointer,
    reaches: Pointer,
  ): void;
  gatherRest(problem: Pointer, atoms: Pointer): void;
  addStepNorm(problem: Pointer, atoms: Pointer): void;
  addKernelStepNorm(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  measureSums(problem: Pointer): void;
  scaleSums(problem: Pointer, alpha: number): void;
  setDoubt(problem: Pointer, doubt: number): void;
  sumNorms(problem: Pointer): void;
  seedGenerator(state: Pointer, seed: number): void;
  shuffle(order: Pointer, from: number, end: number, state: Pointer): void;
  countClasses(problem: Pointer, order: Pointer, from: number, end: number): void;
  countStretches(problem: Pointer, order: Pointer, from: number, end: number, count: number, state: Pointer): void;
  endStretches(problem: Pointer, count: number): void;
  takeTurns(problem: Pointer, order: Pointer, from: number, end: number, count: number): void;
  listAll(order: Pointer, count: number): void;
  moveScores(problem: Pointer, from: number, count: number, beta: number): void;
  takeScoresBack(problem: Pointer, from: number, count: number): void;
  keepActive(problem: Pointer, order: Pointer, count: number, fraction: number, excess: number): number;
  clear(problem: Pointer, certify: boolean): void;
}

/** Those that score by weights of one precision. */
export function scoringBy(kernels: Kernels, precision: "float32" | "float64"): ScoringKernels {
  return precision === "float32"
    ? { scoreRows: kernels.scoreRowsFloat32, scoreSparseRow: kernels.scoreSparseRowFloat32 }
    : { scoreRows: kernels.scoreRowsFloat64, scoreSparseRow: kernels.scoreSparseRowFloat64 };
}
