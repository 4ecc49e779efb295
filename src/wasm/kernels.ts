/** The exports of assembly/index.ts as TypeScript sees them. Pointers are byte offsets into the imported memory. */

type Pointer = number;

/** Classes that the kernels score together, and examples that they score together at most: see assembly/linalg/scores.ts. */
export const CLASSES_AT_ONCE = 4;
export const BLOCK_SIZE = 32;
/** Examples whose steps are taken together at most: see assembly/solver/blockSweep.ts. */
export const STEP_BLOCK = 16;

/** Constants the kernels export by these names, so that their values stand in one place. */
export type LossFamily = "HINGE" | "ENTROPY" | "TRUNCATED_ENTROPY" | "OVA_HINGE" | "OVA_LOGISTIC";
export type DualDomain = "SIMPLEX" | "TOPK" | "TOPK_INCLUSIVE" | "TOPK_BETA" | "WEIGHTED";

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
  ]: WebAssembly.Global;
};

export interface Kernels extends Constants {
  knapsack(b: Pointer, n: number, hi: number, r: number, rho: number, x: Pointer, work: Pointer): void;
  knapsackEquality(b: Pointer, n: number, hi: number, r: number, x: Pointer, work: Pointer): void;
  topKSimplex(b: Pointer, n: number, k: number, r: number, rho: number, x: Pointer, work: Pointer): void;
  topKSimplexBeta(b: Pointer, n: number, k: number, r: number, rho: number, x: Pointer, work: Pointer): void;
  topKSimplexInclusive(b: Pointer, n: number, k: number, r: number, rho: number, x: Pointer, work: Pointer): void;
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
  softmaxStep(b: Pointer, n: number, alpha: number, mass: number, guess: number, single: boolean, z: Pointer): number;
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
    weights: Pointer,
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
    y: Pointer,
    sets: Pointer,
    C: Pointer,
    norm2: Pointer,
    gaps: Pointer,
    sums: Pointer,
    progress: Pointer,
    capacity: number,
    extra: number,
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
    products: Pointer,
    dense: Pointer,
    spare: Pointer,
    block: Pointer,
  ): void;
  lossValue(loss: Pointer, u: Pointer, m: number, y: number, gradient: Pointer): number;
  lossOfSet(loss: Pointer, u: Pointer, t: number, n: number, gradient: Pointer): number;
  updateDualSet(loss: Pointer, q: Pointer, t: number, n: number, K: number, C: number, x: Pointer): void;
  dualLossSet(loss: Pointer, x: Pointer, t: number, n: number, C: number): number;
  restoreSet(loss: Pointer, x: Pointer, t: number, n: number, C: number, single: boolean): void;

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
  beginStepFloat32(problem: Pointer, atoms: Pointer): void;
  beginStepFloat64(problem: Pointer, atoms: Pointer): void;
  seekFloat32(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  seekFloat64(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  combineFloat32(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  combineFloat64(problem: Pointer, atoms: Pointer, from: number, count: number): void;
  bendFloat32(problem: Pointer, atoms: Pointer): void;
  bendFloat64(problem: Pointer, atoms: Pointer): void;
  advanceFloat32(problem: Pointer, atoms: Pointer, share: number): void;
  advanceFloat64(problem: Pointer, atoms: Pointer, share: number): void;

  gatherFloat32(problem: Pointer, from: number, count: number): void;
  gatherFloat64(problem: Pointer, from: number, count: number): void;
  centre(problem: Pointer): void;
  spreadFloat32(problem: Pointer, from: number, count: number, alpha: number): void;
  spreadFloat64(problem: Pointer, from: number, count: number, alpha: number): void;
  stretch(problem: Pointer, alpha: number): void;
  measureRowsFloat32(problem: Pointer, from: number, count: number): number;
  measureRowsFloat64(problem: Pointer, from: number, count: number): number;
  sumNorms(problem: Pointer): void;
  seedGenerator(state: Pointer, seed: number): void;
  shuffle(order: Pointer, count: number, state: Pointer): void;
  appendRowsFloat32(
    problem: Pointer,
    first: number,
    count: number,
    base: number,
    gap: number,
    constant: number,
  ): number;
  appendRowsFloat64: Kernels["appendRowsFloat32"];
  appendDenseRowsFloat32(
    problem: Pointer,
    first: number,
    count: number,
    columns: number,
    constant: number,
    room: number,
  ): void;
  appendDenseRowsFloat64: Kernels["appendDenseRowsFloat32"];
  packWeightsFloat32(problem: Pointer, columns: number): void;
  packWeightsFloat64(problem: Pointer, columns: number): void;
  nonzeroDualsFloat32(problem: Pointer, first: number, count: number, places: Pointer, out: Pointer): number;
  nonzeroDualsFloat64(problem: Pointer, first: number, count: number, places: Pointer, out: Pointer): number;
  copyDualsFloat32(problem: Pointer, first: number, count: number, out: Pointer): void;
  copyDualsFloat64(problem: Pointer, first: number, count: number, out: Pointer): void;
  listAll(order: Pointer, count: number): void;
  keepActive(problem: Pointer, order: Pointer, count: number, fraction: number): number;
  clear(problem: Pointer, certify: boolean): void;
  addGradient(problem: Pointer, from: number, count: number): void;
  finishGradient(problem: Pointer): void;
  sweepFloat32(problem: Pointer, order: Pointer, count: number, everyClass: boolean): void;
  sweepFloat64(problem: Pointer, order: Pointer, count: number, everyClass: boolean): void;
  stepsTogetherFloat32(problem: Pointer, everyClass: boolean): number;
  stepsTogetherFloat64(problem: Pointer, everyClass: boolean): number;
  extrapolateFloat32(problem: Pointer, order: Pointer, count: number, beta: number): void;
  extrapolateFloat64(problem: Pointer, order: Pointer, count: number, beta: number): void;
  rememberFloat32(problem: Pointer): void;
  rememberFloat64(problem: Pointer): void;
  penaltyFloat32(problem: Pointer): number;
  penaltyFloat64(problem: Pointer): number;
  rebuildFloat32(problem: Pointer, from: number, count: number): void;
  rebuildFloat64(problem: Pointer, from: number, count: number): void;
  projectFloat32(problem: Pointer, from: number, count: number): void;
  projectFloat64(problem: Pointer, from: number, count: number): void;
  settleFloat32(problem: Pointer): void;
  settleFloat64(problem: Pointer): void;
  evaluateFloat32(problem: Pointer, from: number, count: number): void;
  evaluateFloat64(problem: Pointer, from: number, count: number): void;
  measureFloat32(problem: Pointer): void;
  measureFloat64(problem: Pointer): void;
  estimateFloat32(problem: Pointer, from: number, count: number): void;
}
