import { KernelMatrix } from "./data/kernelMatrix";
import { Problem } from "./data/problem";
import { Loss } from "./loss/parameters";
import { Atoms } from "./solver/frankWolfe";

/** How the host fills each structure, in one call; it has laid out everything that they point to. */

export function describeLoss(
  loss: Loss,
  family: i32,
  domain: i32,
  k: i32,
  gamma: f64,
  float32: bool,
  rankWeights: usize,
  margins: usize,
  duals: usize,
  work: usize,
): void {
  loss.family = family;
  loss.domain = domain;
  loss.k = k;
  loss.gamma = gamma;
  loss.float32 = float32;
  loss.rankWeights = rankWeights;
  loss.margins = margins;
  loss.duals = duals;
  loss.work = work;
}

export function describeProblem(
  problem: Problem,
  loss: Loss,
  n: i32,
  m: i32,
  d: i32,
  sparse: bool,
  skipsZeros: bool,
  ld: i32,
  tile: i32,
  sizeW: i32,
  indptr: usize,
  indices: usize,
  X: usize,
  W: usize,
  W64: usize,
  W0: usize,
  A: usize,
  B: usize,
  S0: usize,
  R: usize,
  R0: usize,
  moved: usize,
  y: usize,
  sets: usize,
  classWeights: usize,
  C: usize,
  norm2: usize,
  deflatedNorm2: usize,
  multipliers: usize,
  gaps: usize,
  sums: usize,
  progress: usize,
  capacity: i32,
  extra: i32,
  few: i32,
  ldLists: i32,
  lists: usize,
  listed: usize,
  scores: usize,
  row: usize,
  classes: usize,
  changed: usize,
  deltas: usize,
  best: usize,
  packed: usize,
  blockScores: usize,
  blockDeltas: usize,
): void {
  problem.loss = loss;
  problem.n = n;
  problem.m = m;
  problem.d = d;
  problem.sparse = sparse;
  problem.skipsZeros = skipsZeros;
  problem.ld = ld;
  problem.tile = tile;
  problem.sizeW = sizeW;
  problem.indptr = indptr;
  problem.indices = indices;
  problem.X = X;
  problem.W = W;
  problem.W64 = W64;
  problem.W0 = W0;
  problem.A = A;
  problem.B = B;
  problem.S0 = S0;
  problem.R = R;
  problem.R0 = R0;
  problem.moved = moved;
  problem.keepsRests = false;
  problem.deflated = false;
  problem.tooMany = false;
  problem.y = y;
  problem.sets = sets;
  problem.classWeights = classWeights;
  problem.C = C;
  problem.norm2 = norm2;
  problem.deflatedNorm2 = deflatedNorm2;
  problem.multipliers = multipliers;
  problem.gaps = gaps;
  problem.sums = sums;
  problem.progress = progress;
  problem.capacity = capacity;
  problem.extra = extra;
  problem.few = few;
  problem.ldLists = ldLists;
  problem.lists = lists;
  problem.listed = listed;
  problem.share = 0;
  problem.doubt = 0;
  problem.scores = scores;
  problem.row = row;
  problem.classes = classes;
  problem.changed = changed;
  problem.deltas = deltas;
  problem.best = best;
  problem.packed = packed;
  problem.blockScores = blockScores;
  problem.blockDeltas = blockDeltas;
}

/** The matrix that stands for the features of a problem; its fields are those of KernelMatrix, in their order. */
export function describeKernel(
  problem: Problem,
  kernel: KernelMatrix,
  kind: i32,
  degree: i32,
  gamma: f64,
  coef0: f64,
  constant: f64,
  n: i32,
  d: i32,
  sparse: bool,
  indptr: usize,
  indices: usize,
  X: usize,
  squares: usize,
  ld: i32,
  slots: i32,
  filled: i32,
  rows: usize,
  slotOf: usize,
  heldBy: usize,
  usedAt: usize,
  examples: usize,
  missing: usize,
  products: usize,
  dense: usize,
  spare: usize,
  block: usize,
): void {
  problem.kernel = kernel;
  kernel.kind = kind;
  kernel.degree = degree;
  kernel.gamma = gamma;
  kernel.coef0 = coef0;
  kernel.constant = constant;
  kernel.n = n;
  kernel.d = d;
  kernel.sparse = sparse;
  kernel.indptr = indptr;
  kernel.indices = indices;
  kernel.X = X;
  kernel.squares = squares;
  kernel.ld = ld;
  kernel.slots = slots;
  kernel.filled = filled;
  kernel.rows = rows;
  kernel.slotOf = slotOf;
  kernel.heldBy = heldBy;
  kernel.usedAt = usedAt;
  kernel.examples = examples;
  kernel.missing = missing;
  kernel.products = products;
  kernel.dense = dense;
  kernel.spare = spare;
  kernel.block = block;
}

export function describeAtoms(
  atoms: Atoms,
  direction: i32,
  slots: i32,
  size: i32,
  sums: usize,
  masses: usize,
  counts: usize,
  classes: usize,
  values: usize,
  targets: usize,
  sources: usize,
  reaches: usize,
): void {
  atoms.direction = direction;
  atoms.slots = slots;
  atoms.size = size;
  atoms.sums = sums;
  atoms.masses = masses;
  atoms.counts = counts;
  atoms.classes = classes;
  atoms.values = values;
  atoms.targets = targets;
  atoms.sources = sources;
  atoms.reaches = reaches;
}
