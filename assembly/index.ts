/** The exports, grouped by layer. Everything takes pointers into the imported memory; the host owns its layout. */

import { kernelRow } from "./data/keptRows";
import { appendDenseRows, appendRows, measureRows, spreadRows } from "./data/loading";
import { Problem } from "./data/problem";
import { packWeights } from "./data/weights";
import { scoreRows, scoreSparseRow } from "./linalg/otherRows";
import { primalLoss } from "./loss/loss";
import * as multilabel from "./loss/multilabel";
import { Loss } from "./loss/parameters";
import { lambertWExpInto } from "./math/lambertW";
import { evaluate } from "./solver/assess";
import { measure, penalty, settle } from "./solver/certificate";
import { addCurvature, addMoments } from "./solver/curvature";
import { deflate, findDirections, moveMultipliers, takeCoordinates } from "./solver/deflation";
import { copyDuals, nonzeroDuals } from "./solver/duals";
import { extrapolate, remember } from "./solver/extrapolate";
import { decideOnLists } from "./solver/firstLists";
import * as frankWolfe from "./solver/frankWolfe";
import { addGradient, finishGradient, takeDualsOfGradient } from "./solver/gradient";
import { carryDuals, penaltyRise, rememberDuals, takeDualsBack } from "./solver/kernelMomentum";
import { project, rebuild } from "./solver/rebuild";
import * as start from "./solver/start";
import { stepsTogether, sweep } from "./solver/sweep";

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
export function measureRowsFloat32(problem: Problem, from: i32, count: i32): i32 {
  return measureRows<f32>(problem, from, count);
}
export function measureRowsFloat64(problem: Problem, from: i32, count: i32): i32 {
  return measureRows<f64>(problem, from, count);
}
export { sumNorms } from "./data/loading";
export function kernelRowFloat32(problem: Problem, i: i32): usize {
  return kernelRow<f32>(problem.kernel, i);
}
export function kernelRowFloat64(problem: Problem, i: i32): usize {
  return kernelRow<f64>(problem.kernel, i);
}
export function appendRowsFloat32(problem: Problem, first: i32, count: i32, base: u32, gap: i32, constant: f64): i32 {
  return appendRows<f32>(problem, first, count, base, gap, constant);
}
export function appendRowsFloat64(problem: Problem, first: i32, count: i32, base: u32, gap: i32, constant: f64): i32 {
  return appendRows<f64>(problem, first, count, base, gap, constant);
}
export function spreadRowsFloat32(problem: Problem, first: i32, count: i32, columns: i32, constant: f64): void {
  spreadRows<f32>(problem, first, count, columns, constant);
}
export function spreadRowsFloat64(problem: Problem, first: i32, count: i32, columns: i32, constant: f64): void {
  spreadRows<f64>(problem, first, count, columns, constant);
}
export function appendDenseRowsFloat32(problem: Problem, first: i32, count: i32, columns: i32, constant: f64, room: u32): void {
  appendDenseRows<f32>(problem, first, count, columns, constant, room);
}
export function appendDenseRowsFloat64(problem: Problem, first: i32, count: i32, columns: i32, constant: f64, room: u32): void {
  appendDenseRows<f64>(problem, first, count, columns, constant, room);
}
export function packWeightsFloat32(problem: Problem, columns: i32): void {
  packWeights<f32>(problem, columns);
}
export function packWeightsFloat64(problem: Problem, columns: i32): void {
  packWeights<f64>(problem, columns);
}
export function copyDualsFloat32(problem: Problem, first: i32, count: i32, out: usize): void {
  copyDuals<f32>(problem, first, count, out);
}
export function copyDualsFloat64(problem: Problem, first: i32, count: i32, out: usize): void {
  copyDuals<f64>(problem, first, count, out);
}
export function nonzeroDualsFloat32(problem: Problem, first: i32, count: i32, placesPtr: usize, out: usize): i32 {
  return nonzeroDuals<f32>(problem, first, count, placesPtr, out);
}
export function nonzeroDualsFloat64(problem: Problem, first: i32, count: i32, placesPtr: usize, out: usize): i32 {
  return nonzeroDuals<f64>(problem, first, count, placesPtr, out);
}

// solver: start, order of visits, steps
export { countClasses, countStretches, endStretches, takeTurns } from "./solver/balance";
export { seedGenerator, shuffle } from "./solver/random";
export { measureSums, scaleSums } from "./solver/start";

/** What rounding may add to a margin, by 1 + ||x_i||. */
export function setDoubt(problem: Problem, doubt: f64): void {
  problem.doubt = doubt;
}
export function gatherFloat32(problem: Problem, from: i32, count: i32): void {
  start.gather<f32>(problem, from, count);
}
export function gatherFloat64(problem: Problem, from: i32, count: i32): void {
  start.gather<f64>(problem, from, count);
}
export function spreadFloat32(problem: Problem, from: i32, count: i32, alpha: f64): void {
  start.spread<f32>(problem, from, count, alpha);
}
export function spreadFloat64(problem: Problem, from: i32, count: i32, alpha: f64): void {
  start.spread<f64>(problem, from, count, alpha);
}
export function stepsTogetherFloat32(problem: Problem, everyClass: bool): i32 {
  return stepsTogether<f32>(problem, everyClass);
}
export function stepsTogetherFloat64(problem: Problem, everyClass: bool): i32 {
  return stepsTogether<f64>(problem, everyClass);
}
export function decideOnListsFloat32(problem: Problem): void {
  decideOnLists<f32>(problem);
}
export function decideOnListsFloat64(problem: Problem): void {
  decideOnLists<f64>(problem);
}
export function sweepFloat32(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  sweep<f32>(problem, orderPtr, count, everyClass);
}
export function sweepFloat64(problem: Problem, orderPtr: usize, count: i32, everyClass: bool): void {
  sweep<f64>(problem, orderPtr, count, everyClass);
}
export function deflateFloat32(problem: Problem, on: bool): void {
  deflate<f32>(problem, on);
}
export function deflateFloat64(problem: Problem, on: bool): void {
  deflate<f64>(problem, on);
}
export function findDirectionsFloat32(problem: Problem, samples: i32): f64 {
  return findDirections<f32>(problem, samples);
}
export function findDirectionsFloat64(problem: Problem, samples: i32): f64 {
  return findDirections<f64>(problem, samples);
}
export function takeCoordinatesFloat32(problem: Problem, from: i32, count: i32): void {
  takeCoordinates<f32>(problem, from, count);
}
export function takeCoordinatesFloat64(problem: Problem, from: i32, count: i32): void {
  takeCoordinates<f64>(problem, from, count);
}
export function moveMultipliersFloat32(problem: Problem, toTheEnd: bool): f64 {
  return moveMultipliers<f32>(problem, toTheEnd);
}
export function moveMultipliersFloat64(problem: Problem, toTheEnd: bool): f64 {
  return moveMultipliers<f64>(problem, toTheEnd);
}
export { keepActive, listAll } from "./solver/candidates";
export { moveScores, takeScoresBack } from "./solver/kernelMomentum";
export function rememberFloat32(problem: Problem, from: i32, count: i32): void {
  remember<f32>(problem, from, count);
}
export function rememberFloat64(problem: Problem, from: i32, count: i32): void {
  remember<f64>(problem, from, count);
}
export function extrapolateFloat32(problem: Problem, orderPtr: usize, count: i32, beta: f64): void {
  extrapolate<f32>(problem, orderPtr, count, beta);
}
export function extrapolateFloat64(problem: Problem, orderPtr: usize, count: i32, beta: f64): void {
  extrapolate<f64>(problem, orderPtr, count, beta);
}
export function rememberDualsFloat32(problem: Problem, from: i32, count: i32): void {
  rememberDuals<f32>(problem, from, count);
}
export function rememberDualsFloat64(problem: Problem, from: i32, count: i32): void {
  rememberDuals<f64>(problem, from, count);
}
export function carryDualsFloat32(problem: Problem, from: i32, count: i32, beta: f64): void {
  carryDuals<f32>(problem, from, count, beta);
}
export function carryDualsFloat64(problem: Problem, from: i32, count: i32, beta: f64): void {
  carryDuals<f64>(problem, from, count, beta);
}
export function takeDualsBackFloat32(problem: Problem, from: i32, count: i32): void {
  takeDualsBack<f32>(problem, from, count);
}
export function takeDualsBackFloat64(problem: Problem, from: i32, count: i32): void {
  takeDualsBack<f64>(problem, from, count);
}
export function penaltyRiseFloat32(problem: Problem, from: i32, count: i32): f64 {
  return penaltyRise<f32>(problem, from, count);
}
export function penaltyRiseFloat64(problem: Problem, from: i32, count: i32): f64 {
  return penaltyRise<f64>(problem, from, count);
}

// solver: P and its gradient
export function addGradientFloat32(problem: Problem, from: i32, count: i32, keeps: bool): void {
  addGradient<f32>(problem, from, count, keeps);
}
export function addGradientFloat64(problem: Problem, from: i32, count: i32, keeps: bool): void {
  addGradient<f64>(problem, from, count, keeps);
}
export function finishGradientFloat32(problem: Problem, times: f64): void {
  finishGradient<f32>(problem, times);
}
export function finishGradientFloat64(problem: Problem, times: f64): void {
  finishGradient<f64>(problem, times);
}
export function takeDualsOfGradientFloat32(problem: Problem, from: i32, count: i32): void {
  takeDualsOfGradient<f32>(problem, from, count);
}
export function takeDualsOfGradientFloat64(problem: Problem, from: i32, count: i32): void {
  takeDualsOfGradient<f64>(problem, from, count);
}
export function addCurvatureFloat32(problem: Problem, from: i32, count: i32): void {
  addCurvature<f32>(problem, from, count);
}
export function addCurvatureFloat64(problem: Problem, from: i32, count: i32): void {
  addCurvature<f64>(problem, from, count);
}
export function addMomentsFloat32(problem: Problem, feature: i32, from: i32, count: i32): void {
  addMoments<f32>(problem, feature, from, count);
}
export function addMomentsFloat64(problem: Problem, feature: i32, from: i32, count: i32): void {
  addMoments<f64>(problem, feature, from, count);
}

// Frank-Wolfe: directions, atoms, and one step in its parts
export { AWAY, gatherRest, PAIRWISE, STANDARD, addStepNorm, addKernelStepNorm } from "./solver/frankWolfe";
export function beginStepFloat32(problem: Problem, atoms: frankWolfe.Atoms): void {
  frankWolfe.beginStep<f32>(problem, atoms);
}
export function beginStepFloat64(problem: Problem, atoms: frankWolfe.Atoms): void {
  frankWolfe.beginStep<f64>(problem, atoms);
}
export function findVerticesFloat32(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  frankWolfe.findVertices<f32>(problem, atoms, from, count);
}
export function findVerticesFloat64(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  frankWolfe.findVertices<f64>(problem, atoms, from, count);
}
export function combineFloat32(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  frankWolfe.combine<f32>(problem, atoms, from, count);
}
export function combineFloat64(problem: Problem, atoms: frankWolfe.Atoms, from: i32, count: i32): void {
  frankWolfe.combine<f64>(problem, atoms, from, count);
}
export function moveDualsFloat32(problem: Problem, atoms: frankWolfe.Atoms, stepSize: f64, from: i32, count: i32): void {
  frankWolfe.moveDuals<f32>(problem, atoms, stepSize, from, count);
}
export function moveDualsFloat64(problem: Problem, atoms: frankWolfe.Atoms, stepSize: f64, from: i32, count: i32): void {
  frankWolfe.moveDuals<f64>(problem, atoms, stepSize, from, count);
}
export function moveWeightsFloat32(problem: Problem, stepSize: f64): void {
  frankWolfe.moveWeights<f32>(problem, stepSize);
}
export function moveWeightsFloat64(problem: Problem, stepSize: f64): void {
  frankWolfe.moveWeights<f64>(problem, stepSize);
}

// solver: the certificate's parts
export { clear } from "./solver/certificate";
export function penaltyFloat32(problem: Problem): f64 {
  return penalty<f32>(problem);
}
export function penaltyFloat64(problem: Problem): f64 {
  return penalty<f64>(problem);
}
export function rebuildFloat32(problem: Problem, from: i32, count: i32, exactly: bool): void {
  rebuild<f32>(problem, from, count, exactly);
}
export function rebuildFloat64(problem: Problem, from: i32, count: i32, exactly: bool): void {
  rebuild<f64>(problem, from, count, exactly);
}
export function projectFloat32(problem: Problem, from: i32, count: i32): void {
  project<f32>(problem, from, count);
}
export function projectFloat64(problem: Problem, from: i32, count: i32): void {
  project<f64>(problem, from, count);
}
export function settleFloat32(problem: Problem): void {
  settle<f32>(problem);
}
export function settleFloat64(problem: Problem): void {
  settle<f64>(problem);
}
export function measureFloat32(problem: Problem): void {
  measure<f32>(problem);
}
export function measureFloat64(problem: Problem): void {
  measure<f64>(problem);
}
export function evaluateFloat32(problem: Problem, from: i32, count: i32): void {
  evaluate<f32, f64>(problem, from, count);
}
export function evaluateFloat64(problem: Problem, from: i32, count: i32): void {
  evaluate<f64, f64>(problem, from, count);
}
export function estimateFloat32(problem: Problem, from: i32, count: i32): void {
  evaluate<f32, f32>(problem, from, count);
}
export function estimateFloat64(problem: Problem, from: i32, count: i32): void {
  evaluate<f64, f64>(problem, from, count);
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
