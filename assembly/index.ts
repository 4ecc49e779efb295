/**
 * The exports, grouped by layer. Everything takes pointers into the imported memory; the host owns its layout. Those that
 * take a problem choose by its storage precision.
 */

import * as keptRows from "./data/keptRows";
import * as loading from "./data/loading";
import { Problem } from "./data/problem";
import * as weights from "./data/weights";
import { scoreRows, scoreSparseRow } from "./linalg/otherRows";
import { primalLoss } from "./loss/loss";
import * as multilabel from "./loss/multilabel";
import { Loss } from "./loss/parameters";
import { lambertWExpInto } from "./math/lambertW";
import * as assess from "./solver/assess";
import * as certificate from "./solver/certificate";
import * as curvature from "./solver/curvature";
import * as deflation from "./solver/deflation";
import * as duals from "./solver/duals";
import * as extrapolation from "./solver/extrapolate";
import * as firstLists from "./solver/firstLists";
import * as frankWolfe from "./solver/frankWolfe";
import * as gradient from "./solver/gradient";
import * as kernelMomentum from "./solver/kernelMomentum";
import * as rebuilding from "./solver/rebuild";
import * as start from "./solver/start";
import * as sweeps from "./solver/sweep";

/** First byte after static data: where the host's layout begins. */
export const heapBase: usize = __heap_base;

// loss families and dual domains: the ids that `Loss` holds
export { HINGE, ENTROPY, TRUNCATED_ENTROPY, OVA_HINGE, OVA_LOGISTIC } from "./loss/parameters";
export { SIMPLEX, TOPK, TOPK_INCLUSIVE, TOPK_BETA, WEIGHTED } from "./prox/domain";

// proximal maps
export { knapsack, knapsackEquality } from "./prox/knapsack";
export { project as projectOnto } from "./prox/domain";
export { permutahedronHull } from "./prox/permutahedron";
export { topKEntropyStep } from "./prox/topKEntropyStep";
export { softmaxStep } from "./prox/softmaxStep";
export { entropicSimplex } from "./prox/entropicSimplex";
export { bipartiteSimplex } from "./prox/bipartiteSimplex";
export { multilabelEntropyStep } from "./prox/multilabelEntropyStep";
export function lambertWExp(tPtr: usize, n: i32, outPtr: usize): void {
  lambertWExpInto(tPtr, n, 0, 0, outPtr);
}

// structures: the one call each that fills them, and the kinds of kernels
export { describeAtoms, describeKernel, describeLoss, describeProblem } from "./structures";
export { PRECOMPUTED, LINEAR, RBF, POLY } from "./data/kernelMatrix";

/** Loss at the scores uPtr, gradient into gradientPtr: both f64[m + 1], the last entry for whatever comes to lie there. */
export function lossValue(loss: Loss, uPtr: usize, m: i32, y: i32, gradientPtr: usize): f64 {
  return primalLoss<f64>(loss, uPtr, m, y, gradientPtr);
}

// the same for a set of t true classes, on compact arrays: the true classes first, then n others
export { restoreSet, updateDualSet } from "./loss/multilabel";
export function lossOfSet(loss: Loss, uPtr: usize, t: i32, n: i32, weightsPtr: usize, gradientPtr: usize): f64 {
  return multilabel.lossOfSet<f64>(loss, uPtr, t, n, weightsPtr, gradientPtr);
}
export function dualLossSet(loss: Loss, xPtr: usize, t: i32, n: i32, C: f64, weightsPtr: usize): f64 {
  return multilabel.dualLossSet<f64>(loss, xPtr, t, n, C, weightsPtr);
}

// data: rows on their way in, weights and dual variables on their way out
export function measureRows(problem: Problem, from: i32, count: i32): i32 {
  if (problem.loss.float32) return loading.measureRows<f32>(problem, from, count);
  return loading.measureRows<f64>(problem, from, count);
}
export { sumNorms } from "./data/loading";
export function kernelRow(problem: Problem, i: i32): usize {
  return problem.loss.float32 ? keptRows.kernelRow<f32>(problem.kernel, i) : keptRows.kernelRow<f64>(problem.kernel, i);
}
export function appendRows(problem: Problem, first: i32, count: i32, base: u32, gap: i32, constant: f64): i32 {
  if (problem.loss.float32) return loading.appendRows<f32>(problem, first, count, base, gap, constant);
  return loading.appendRows<f64>(problem, first, count, base, gap, constant);
}
export function spreadRows(problem: Problem, first: i32, count: i32, columns: i32, constant: f64): void {
  if (problem.loss.float32) loading.spreadRows<f32>(problem, first, count, columns, constant);
  else loading.spreadRows<f64>(problem, first, count, columns, constant);
}
export function appendDenseRows(problem: Problem, first: i32, count: i32, columns: i32, constant: f64, room: u32): void {
  if (problem.loss.float32) loading.appendDenseRows<f32>(problem, first, count, columns, constant, room);
  else loading.appendDenseRows<f64>(problem, first, count, columns, constant, room);
}
export function packWeights(problem: Problem, columns: i32): void {
  if (problem.loss.float32) weights.packWeights<f32>(problem, columns);
  else weights.packWeights<f64>(problem, columns);
}
export function copyDuals(problem: Problem, first: i32, count: i32, out: usize): void {
  if (problem.loss.float32) duals.copyDuals<f32>(problem, first, count, out);
  else duals.copyDuals<f64>(problem, first, count, out);
}
export function nonzeroDuals(problem: Problem, first: i32, count: i32, placesPtr: usize, out: usize): i32 {
  if (problem.loss.float32) return duals.nonzeroDuals<f32>(problem, first, count, placesPtr, out);
  return duals.nonzeroDuals<f64>(problem, first, count, placesPtr, out);
}

// solver: start, order of visits, steps
export { countClasses, countStretches, endStretches, takeTurns } from "./solver/balance";
export { seedGenerator, shuffle } from "./solver/random";
export { measureSums, scaleSums } from "./solver/start";

/** What rounding may add to a margin, by 1 + ||x_i||. */
export function setDoubt(problem: Problem, doubt: f64): void {
  problem.doubt = doubt;
}
export function gather(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) start.gather<f32>(problem, from, count);
  else start.gather<f64>(problem, from, count);
}
export function spread(problem: Problem, from: i32, count: i32, alpha: f64): void {
  if (problem.loss.float32) start.spread<f32>(problem, from, count, alpha);
  else start.spread<f64>(problem, from, count, alpha);
}
export function stepsTogether(problem: Problem, everyClass: bool): i32 {
  if (problem.loss.float32) return sweeps.stepsTogether<f32>(problem, everyClass);
  return sweeps.stepsTogether<f64>(problem, everyClass);
}
export function decideOnLists(problem: Problem): void {
  if (problem.loss.float32) firstLists.decideOnLists<f32>(problem);
  else firstLists.decideOnLists<f64>(problem);
}
export function sweep(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  if (problem.loss.float32) sweeps.sweep<f32>(problem, orderPtr, count, everyClass);
  else sweeps.sweep<f64>(problem, orderPtr, count, everyClass);
}
export function deflate(problem: Problem, on: bool): void {
  if (problem.loss.float32) deflation.deflate<f32>(problem, on);
  else deflation.deflate<f64>(problem, on);
}
export function findDirections(problem: Problem, samples: i32): f64 {
  if (problem.loss.float32) return deflation.findDirections<f32>(problem, samples);
  return deflation.findDirections<f64>(problem, samples);
}
export function takeCoordinates(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) deflation.takeCoordinates<f32>(problem, from, count);
  else deflation.takeCoordinates<f64>(problem, from, count);
}
export function moveMultipliers(problem: Problem, toTheEnd: bool): f64 {
  if (problem.loss.float32) return deflation.moveMultipliers<f32>(problem, toTheEnd);
  return deflation.moveMultipliers<f64>(problem, toTheEnd);
}
export { keepActive, listAll } from "./solver/candidates";
export { moveScores, takeScoresBack } from "./solver/kernelMomentum";
export function remember(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) extrapolation.remember<f32>(problem, from, count);
  else extrapolation.remember<f64>(problem, from, count);
}
export function extrapolate(problem: Problem, orderPtr: usize, count: i32, beta: f64): void {
  if (problem.loss.float32) extrapolation.extrapolate<f32>(problem, orderPtr, count, beta);
  else extrapolation.extrapolate<f64>(problem, orderPtr, count, beta);
}
export function rememberDuals(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) kernelMomentum.rememberDuals<f32>(problem, from, count);
  else kernelMomentum.rememberDuals<f64>(problem, from, count);
}
export function carryDuals(problem: Problem, from: i32, count: i32, beta: f64): void {
  if (problem.loss.float32) kernelMomentum.carryDuals<f32>(problem, from, count, beta);
  else kernelMomentum.carryDuals<f64>(problem, from, count, beta);
}
export function takeDualsBack(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) kernelMomentum.takeDualsBack<f32>(problem, from, count);
  else kernelMomentum.takeDualsBack<f64>(problem, from, count);
}
export function penaltyRise(problem: Problem, from: i32, count: i32): f64 {
  if (problem.loss.float32) return kernelMomentum.penaltyRise<f32>(problem, from, count);
  return kernelMomentum.penaltyRise<f64>(problem, from, count);
}

// solver: P and its gradient
export function addGradient(problem: Problem, from: i32, count: i32, keeps: bool): void {
  if (problem.loss.float32) gradient.addGradient<f32>(problem, from, count, keeps);
  else gradient.addGradient<f64>(problem, from, count, keeps);
}
export function finishGradient(problem: Problem, times: f64): void {
  if (problem.loss.float32) gradient.finishGradient<f32>(problem, times);
  else gradient.finishGradient<f64>(problem, times);
}
export function takeDualsOfGradient(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) gradient.takeDualsOfGradient<f32>(problem, from, count);
  else gradient.takeDualsOfGradient<f64>(problem, from, count);
}
export function addCurvature(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) curvature.addCurvature<f32>(problem, from, count);
  else curvature.addCurvature<f64>(problem, from, count);
}
export function addMoments(problem: Problem, first: i32, d: i32, byClass: bool, from: i32, count: i32): void {
  if (problem.loss.float32) curvature.addMoments<f32>(problem, first, d, byClass, from, count);
  else curvature.addMoments<f64>(problem, first, d, byClass, from, count);
}

// Frank-Wolfe: directions, atoms, and one step in its parts
export { AWAY, gatherRest, PAIRWISE, STANDARD, addStepNorm, addKernelStepNorm } from "./solver/frankWolfe";
export function beginStep(problem: Problem, atoms: frankWolfe.Atoms): void {
  if (problem.loss.float32) frankWolfe.beginStep<f32>(problem, atoms);
  else frankWolfe.beginStep<f64>(problem, atoms);
}
export function findVertices(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  if (problem.loss.float32) frankWolfe.findVertices<f32>(problem, atoms, from, count);
  else frankWolfe.findVertices<f64>(problem, atoms, from, count);
}
export function combine(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  if (problem.loss.float32) frankWolfe.combine<f32>(problem, atoms, from, count);
  else frankWolfe.combine<f64>(problem, atoms, from, count);
}
export function moveDuals(problem: Problem, atoms: frankWolfe.Atoms, stepSize: f64, from: i32, count: i32): void {
  if (problem.loss.float32) frankWolfe.moveDuals<f32>(problem, atoms, stepSize, from, count);
  else frankWolfe.moveDuals<f64>(problem, atoms, stepSize, from, count);
}
export function moveWeights(problem: Problem, stepSize: f64): void {
  if (problem.loss.float32) frankWolfe.moveWeights<f32>(problem, stepSize);
  else frankWolfe.moveWeights<f64>(problem, stepSize);
}

// solver: the certificate's parts
export { clear } from "./solver/certificate";
export function penalty(problem: Problem): f64 {
  return problem.loss.float32 ? certificate.penalty<f32>(problem) : certificate.penalty<f64>(problem);
}
export function rebuild(problem: Problem, from: i32, count: i32, exactly: bool): void {
  if (problem.loss.float32) rebuilding.rebuild<f32>(problem, from, count, exactly);
  else rebuilding.rebuild<f64>(problem, from, count, exactly);
}
export function project(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) rebuilding.project<f32>(problem, from, count);
  else rebuilding.project<f64>(problem, from, count);
}
export function settle(problem: Problem): void {
  if (problem.loss.float32) certificate.settle<f32>(problem);
  else certificate.settle<f64>(problem);
}
export function measure(problem: Problem): void {
  if (problem.loss.float32) certificate.measure<f32>(problem);
  else certificate.measure<f64>(problem);
}
export function evaluate(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) assess.evaluate<f32, f64>(problem, from, count);
  else assess.evaluate<f64, f64>(problem, from, count);
}
export function estimate(problem: Problem, from: i32, count: i32): void {
  if (problem.loss.float32) assess.evaluate<f32, f32>(problem, from, count);
  else assess.evaluate<f64, f64>(problem, from, count);
}

// scores of rows in float64
export { addExpansion, distancesOfRows } from "./linalg/otherRows";
export function scoreRowsFloat32(
  W: usize,
  ld: i32,
  m: i32,
  rows: usize,
  size: i32,
  d: i32,
  packed: usize,
  out: usize,
): void {
  scoreRows<f32>(W, ld, m, rows, size, d, packed, out);
}
export function scoreRowsFloat64(
  W: usize,
  ld: i32,
  m: i32,
  rows: usize,
  size: i32,
  d: i32,
  packed: usize,
  out: usize,
): void {
  scoreRows<f64>(W, ld, m, rows, size, d, packed, out);
}
export function scoreSparseRowFloat32(
  W: usize,
  d: i32,
  m: i32,
  tile: i32,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  scoreSparseRow<f32>(W, d, m, tile, indices, values, nonzeros, out);
}
export function scoreSparseRowFloat64(
  W: usize,
  d: i32,
  m: i32,
  tile: i32,
  indices: usize,
  values: usize,
  nonzeros: i32,
  out: usize,
): void {
  scoreSparseRow<f64>(W, d, m, tile, indices, values, nonzeros, out);
}
