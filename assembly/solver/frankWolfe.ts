import { addBlockInFloat64, scoresOfExamples } from "../data/block";
import { hasKernel, Problem, scoresAt, widenRow } from "../data/problem";
import { tileWeights } from "../data/weights";
import { BLOCK_SIZE, squaredNorm } from "../linalg/scores";
import { at, put } from "../linalg/simd";
import { tiledClasses } from "../linalg/sparse";
import { negate, scale } from "../linalg/vectors";
import { ascent, curvature, vertex } from "../loss/vertex";
import { rowOfA } from "./lists";

/**
 * Batch Frank-Wolfe steps for the hinge losses. The dual domain is a product of one polytope for each example, so the
 * vertex in whose direction D rises most is found example by example in closed form: minus C_i times a subgradient of
 * the loss. A step moves all examples along their directions d_i by one common step size, and D along it is a parabola:
 *     1. `findVertices`:  scores, vertices, directions; the slope of D along them, and the gap sum <h_i, s_i - x_i>
 *     2. `combine`:       W64 = sum d_i x_i^T
 *     3. `addStepNorm`: ||W64||^2 + sum gamma/C_i ||d_i||^2
 *     4. `moveDuals`, `moveWeights`: A += stepSize d, W += stepSize W64
 * Hirohashi and Kato 2020, section 5 and Prop. 5; the signs of Eq. 28 are put right. Lacoste-Julien and Jaggi, NIPS
 * 2015.
 *
 * With x the current point of an example, s its vertex, and x = sum mu_a v_a a combination of atoms, the direction is
 * one of
 *     standard   s - x
 *     pairwise   reach (s - v_a),                  reach <= mu_a: mass of one atom to the vertex
 *     away       reach (s - x),                    reach <= 1, or
 *                reach (x - v_a),                  reach <= mu_a/(1 - mu_a): mass of one atom to all others
 * where an example of the last two takes the a, and the reach, that would make D highest if it moved alone. One step
 * size for all would else be so small that the largest gap allows it, while examples that have arrived go to and fro;
 * and by slope alone, as with one polytope, atoms of next to no mass would be taken again and again. The standard
 * direction is that of the textbook.
 *
 * Of an example's atoms there are at most `slots`, the vertices last gone to; what is left of x is one more atom, the
 * rest, no vertex, known by its mass and as x less the others. A new vertex takes the place of the atom with the least
 * mass, which joins the rest. At the start all is rest. With the standard direction it stays so.
 */
@unmanaged
export class Atoms {
  direction: i32;
  slots: i32;
  size: i32; // classes of an atom at most
  sums: usize; // f64[3]: slope, curvature, gap
  masses: usize; // f64[n][slots + 1], the last of the rest
  counts: usize; // i32[n][slots], classes of each atom
  classes: usize; // i32[n][slots][size]
  values: usize; // f64[n][slots][size], x of each class, for C_i = 1
  targets: usize; // i32[n], the slot of the vertex
  sources: usize; // i32[n], the slot moved away from, the rest's being `slots`; WHOLE: all of x
  reaches: usize; // f64[n]
}

// Directions.
export const STANDARD: i32 = 0;
export const AWAY: i32 = 1;
export const PAIRWISE: i32 = 2;

const WHOLE: i32 = -1;

/** Less is rounding. */
const LEAST_MASS: f64 = 1e-14;
const MOST_REACH: f64 = 100;

// @ts-ignore: decorator
@inline
function massesOf(atoms: Atoms, i: i32): usize {
  return atoms.masses + ((<usize>i * <usize>(atoms.slots + 1)) << 3);
}

// @ts-ignore: decorator
@inline
function slotOf(atoms: Atoms, i: i32, slot: i32): i32 {
  return i * atoms.slots + slot;
}

/** Before the first step: every example is all rest. */
export function gatherRest(problem: Problem, atoms: Atoms): void {
  for (let i = 0; i < problem.n; ++i) put<f64>(massesOf(atoms, i), atoms.slots, 1);
}

/** Before step 1, for all examples. */
export function beginStep<T>(problem: Problem, atoms: Atoms): void {
  memory.fill(atoms.sums, 0, 24);
  if (problem.skipsZeros) tileWeights<T, T>(problem);
}

/** Step 1 for the examples [from, from + count). */
export function findVertices<T>(problem: Problem, atoms: Atoms, from: i32, count: i32): void {
  const end = from + count;
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    scoresOfExamples<T, T>(problem, first, size, problem.blockScores, true);
    for (let e = 0; e < size; ++e) choose(problem, atoms, first + e, scoresAt(problem, e));
  }
}

/** Finds the vertex and the direction of example i with scores uPtr: f64[m], which become slopes of D in x. */
function choose(problem: Problem, atoms: Atoms, i: i32, uPtr: usize): void {
  const m = problem.m;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const K = at<f64>(problem.norm2, i);
  const x = problem.row;
  const d = problem.scores;
  takeOthers(problem, i, x);
  negate(x, m);
  ascent(problem.loss, uPtr, x, m, y, C);
  vertex(problem.loss, uPtr, m, y, d);
  const target = keepVertex(atoms, i, m, d);
  put<i32>(atoms.targets, i, target);

  let source = WHOLE;
  toward(problem, atoms, i, WHOLE, 1, d);
  const gap = Math.max(slopeAlong(uPtr, d, m, y), 0);
  let slope = gap;
  let reach: f64 = 1;
  if (atoms.direction != STANDARD) {
    const pairwise = atoms.direction == PAIRWISE;
    const masses = massesOf(atoms, i);
    let best: f64 = -1;
    for (let a = pairwise ? 0 : WHOLE; a <= atoms.slots; ++a) {
      const mass = a == WHOLE ? 1 : at<f64>(masses, a);
      if (mass < LEAST_MASS || (pairwise && a == target)) continue;
      const most = a == WHOLE || pairwise ? mass : mass / (1 - mass);
      if (most > MOST_REACH) continue; // nearly all of x: x - v_a is rounding, which that would make larger
      toward(problem, atoms, i, a, 1, d);
      const along = slopeAlong(uPtr, d, m, y);
      const bent = K * squaredNorm<f64>(d, m) + curvature(problem.loss, d, m, y, C);
      const length = along > 0 ? Math.min(along / bent, most) : 0;
      const gain = length * (along - 0.5 * length * bent);
      if (gain <= best) continue;
      best = gain;
      source = a;
      slope = length * along;
      reach = length;
    }
    if (best < 0) reach = slope = 0;
  }
  put<i32>(atoms.sources, i, source);
  put<f64>(atoms.reaches, i, reach);
  put<f64>(atoms.sums, 0, at<f64>(atoms.sums, 0) + slope);
  put<f64>(atoms.sums, 2, at<f64>(atoms.sums, 2) + gap);
}

/** <h, d> in x, of a row dPtr of A, whose entries have the other sign. */
function slopeAlong(hPtr: usize, dPtr: usize, m: i32, y: i32): f64 {
  let total: f64 = 0;
  for (let j = 0; j < m; ++j) if (j != y) total -= at<f64>(hPtr, j) * at<f64>(dPtr, j);
  return total;
}

/**
 * The slot that holds the vertex vPtr: f64[m] of example i: one that has it, or an empty one, or that of the least
 * mass.
 */
function keepVertex(atoms: Atoms, i: i32, m: i32, vPtr: usize): i32 {
  const masses = massesOf(atoms, i);
  let place = 0;
  for (let a = 0; a < atoms.slots; ++a) {
    const mass = at<f64>(masses, a);
    if (mass > 0 && holds(atoms, slotOf(atoms, i, a), m, vPtr)) return a;
    if (mass < at<f64>(masses, place)) place = a;
  }
  put<f64>(masses, atoms.slots, at<f64>(masses, atoms.slots) + at<f64>(masses, place));
  put<f64>(masses, place, 0);
  const slot = slotOf(atoms, i, place);
  let p = slot * atoms.size;
  for (let j = 0; j < m; ++j) {
    const v = at<f64>(vPtr, j);
    if (v == 0) continue;
    put<i32>(atoms.classes, p, j);
    put<f64>(atoms.values, p++, v);
  }
  put<i32>(atoms.counts, slot, p - slot * atoms.size);
  return place;
}

function holds(atoms: Atoms, slot: i32, m: i32, vPtr: usize): bool {
  const start = slot * atoms.size;
  const count = at<i32>(atoms.counts, slot);
  for (let p = start; p < start + count; ++p) {
    if (at<f64>(vPtr, at<i32>(atoms.classes, p)) != at<f64>(atoms.values, p)) return false;
  }
  let nonzeros = 0;
  for (let j = 0; j < m; ++j) nonzeros += i32(at<f64>(vPtr, j) != 0);
  return nonzeros == count;
}

/** Adds share C_i v of the atom in a slot to the row dPtr: f64[m] of A, in which x is negative. */
function add(atoms: Atoms, slot: i32, share: f64, dPtr: usize): void {
  const start = slot * atoms.size;
  const end = start + at<i32>(atoms.counts, slot);
  for (let p = start; p < end; ++p) {
    const j = at<i32>(atoms.classes, p);
    put<f64>(dPtr, j, at<f64>(dPtr, j) - share * at<f64>(atoms.values, p));
  }
}

/** The dual variables of example i but that of its class to out: f64[m], which has 0 in the place of that. */
function takeOthers(problem: Problem, i: i32, out: usize): void {
  if (problem.loss.float32) widenRow<f32>(rowOfA<f32>(problem, i), problem.m, out);
  else widenRow<f64>(rowOfA<f64>(problem, i), problem.m, out);
  put<f64>(out, at<i32>(problem.y, i), 0);
}

/** The way of example i from a source, times reach, as a row of A: dPtr: f64[m]. */
function toward(problem: Problem, atoms: Atoms, i: i32, source: i32, reach: f64, dPtr: usize): void {
  const m = problem.m;
  const slots = atoms.slots;
  const y = at<i32>(problem.y, i);
  const C = at<f64>(problem.C, i);
  const masses = massesOf(atoms, i);
  const toVertex = source == WHOLE || atoms.direction == PAIRWISE;
  // The rest as a point: what x less its atoms holds, by its mass.
  const ofRest = source == slots ? reach / at<f64>(masses, slots) : 0;
  const ofX = source == WHOLE ? -reach : (toVertex ? 0 : reach) - ofRest;
  takeOthers(problem, i, dPtr);
  scale(dPtr, m, ofX);
  if (toVertex) add(atoms, slotOf(atoms, i, at<i32>(atoms.targets, i)), reach * C, dPtr);
  if (source == slots) {
    for (let a = 0; a < slots; ++a) {
      const mass = at<f64>(masses, a);
      if (mass > 0) add(atoms, slotOf(atoms, i, a), ofRest * mass * C, dPtr);
    }
  } else if (source != WHOLE) {
    add(atoms, slotOf(atoms, i, source), -reach * C, dPtr);
  }
  let own: f64 = 0;
  for (let j = 0; j < m; ++j) own -= at<f64>(dPtr, j);
  put<f64>(dPtr, y, own);
}

/** The direction of example i. */
function directionOf(problem: Problem, atoms: Atoms, i: i32, dPtr: usize): void {
  toward(problem, atoms, i, at<i32>(atoms.sources, i), at<f64>(atoms.reaches, i), dPtr);
}

/** Step 2 for the examples [from, from + count), once W64 is zero. */
export function combine<T>(problem: Problem, atoms: Atoms, from: i32, count: i32): void {
  const m = problem.m;
  const ld = tiledClasses(m);
  const rows = problem.blockScores;
  const end = from + count;
  let total = at<f64>(atoms.sums, 1);
  for (let first = from; first < end; first += BLOCK_SIZE) {
    const size = min(BLOCK_SIZE, end - first);
    for (let e = 0; e < size; ++e) {
      const row = rows + (<usize>(e * ld) << 3);
      const i = first + e;
      directionOf(problem, atoms, i, row);
      for (let j = m; j < ld; ++j) put<f64>(row, j, 0);
      total += curvature(problem.loss, row, m, at<i32>(problem.y, i), at<f64>(problem.C, i));
    }
    addBlockInFloat64<T>(problem, first, size, rows);
  }
  put<f64>(atoms.sums, 1, total);
}

/** Step 3, where there are weights. */
export function addStepNorm(problem: Problem, atoms: Atoms): void {
  put<f64>(atoms.sums, 1, at<f64>(atoms.sums, 1) + squaredNorm<f64>(problem.W64, problem.sizeW));
}

/**
 * Step 3 with a kernel, for the examples [from, from + count): W64 is d^T K, and its norm as a function sum <d_i, W64
 * of i>.
 */
export function addKernelStepNorm(problem: Problem, atoms: Atoms, from: i32, count: i32): void {
  let total = at<f64>(atoms.sums, 1);
  for (let i = from; i < from + count; ++i) {
    directionOf(problem, atoms, i, problem.row);
    for (let j = 0; j < problem.m; ++j) {
      total += at<f64>(problem.row, j) * at<f64>(problem.W64, j * problem.ld + i);
    }
  }
  put<f64>(atoms.sums, 1, total);
}

/** Step 4 for the examples [from, from + count). */
export function moveDuals<T>(problem: Problem, atoms: Atoms, stepSize: f64, from: i32, count: i32): void {
  const m = problem.m;
  for (let i = from; i < from + count; ++i) {
    directionOf(problem, atoms, i, problem.row);
    const y = at<i32>(problem.y, i);
    const aPtr = rowOfA<T>(problem, i);
    let own: f64 = 0;
    for (let j = 0; j < m; ++j) {
      if (j == y) continue;
      const a = <T>Math.min(<f64>at<T>(aPtr, j) + stepSize * at<f64>(problem.row, j), 0);
      put<T>(aPtr, j, a);
      own -= <f64>a;
    }
    put<T>(aPtr, y, <T>own);
    if (atoms.direction != STANDARD) moveMass(atoms, i, stepSize);
  }
}

/** Step 4, and the last of it. */
export function moveWeights<T>(problem: Problem, stepSize: f64): void {
  // Scores are float64 whatever is stored.
  if (hasKernel(problem)) addStep<f64>(problem, stepSize);
  else addStep<T>(problem, stepSize);
}

function addStep<S>(problem: Problem, stepSize: f64): void {
  for (let l = 0; l < problem.sizeW; ++l) put<S>(problem.W, l, <S>(<f64>at<S>(problem.W, l) + stepSize * at<f64>(problem.W64, l)));
}

function moveMass(atoms: Atoms, i: i32, stepSize: f64): void {
  const masses = massesOf(atoms, i);
  const source = at<i32>(atoms.sources, i);
  const target = at<i32>(atoms.targets, i);
  const moved = stepSize * at<f64>(atoms.reaches, i);
  if (source == WHOLE || atoms.direction == AWAY) {
    const scale = source == WHOLE ? 1 - moved : 1 + moved;
    for (let a = 0; a <= atoms.slots; ++a) put<f64>(masses, a, at<f64>(masses, a) * scale);
  }
  if (source != WHOLE) {
    const left = at<f64>(masses, source) - moved;
    put<f64>(masses, source, left < LEAST_MASS ? 0 : left);
  }
  if (source == WHOLE || atoms.direction == PAIRWISE) put<f64>(masses, target, at<f64>(masses, target) + moved);
}
