import { rebuildWeights } from "../solver/evaluate.ts";
import { describe, meant, refuse } from "../errors.ts";
import { readFiniteDenseRows, type Rows } from "../features.ts";
import { RANGE } from "./loadProblem.ts";
import { numExamples } from "../labels.ts";
import { columnsOf } from "../model/kernelScores.ts";
import type { Loss } from "../losses.ts";
import { lossState, modelState } from "../model.ts";
import type { DualState, ModelState } from "../model/modelState.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";
import { float64Of } from "../arrays/sparseDuals.ts";
import type { Label, Model } from "../types.ts";
import { readVector } from "../arrays/vectors.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/** What a starting point has to match. */
export interface Expected {
  /** As given, without the constant feature. */
  readonly rows: Pick<Rows, "count" | "cols" | "gram">;
  readonly classes: readonly Label[];
  readonly intercept: boolean;
}

const sameClasses = (a: readonly Label[], b: readonly Label[]): boolean =>
  a.length === b.length && a.every((label, j) => label === b[j]);

function stateOfInitial(caller: string, initial: NonNullable<Settings["initial"]>): ModelState {
  const state = modelState(initial);
  if (state) return state;
  const got = describe(initial);
  const hint =
    got === "a Model"
      ? " of another copy of this library, or a proxy of one"
      : got === "a Predictor"
        ? ', of which the load of "topk-sdca" makes a model'
        : "";
  return refuse(TypeError, caller, "initial", `must be a model, got ${got}${hint}`);
}

/** The dual variables of `initial`, once it is known that a fit of this shape can start from them. */
export function checkInitial(
  caller: string,
  initial: Settings["initial"],
  { rows: { count: rows, cols, gram }, classes, intercept }: Expected,
  { loss, costs }: { readonly loss: Loss; readonly costs: Float64Array },
): DualState | undefined {
  if (initial === undefined) return undefined;
  const state = stateOfInitial(caller, initial);
  const refuseInitial = (what: string): never => refuse(RangeError, caller, "initial", `${what}`);
  const { duals } = state;
  if (!duals) {
    return refuseInitial(
      state.certificate.dualObjective === null
        ? `was fitted with the loss "${state.loss.name}", which has no dual variables`
        : "has no dual variables; save it with toBytes({ duals: true })",
    );
  }
  const n = numExamples(duals.truth);
  if (n !== rows) {
    refuseInitial(
      `was fitted on ${n} rows but "features" has ${rows}; dual variables belong to rows: for others, \`anchor\` holds to the weights`,
    );
  }
  const fitted = columnsOf(state);
  if (fitted.gram !== !!gram) refuseInitial(`was ${gram ? "not " : ""}fitted on a Gram matrix`);
  if (fitted.columns !== cols) refuseInitial(`was fitted on ${fitted.columns} columns but "features" has ${cols}`);
  if (!sameClasses(state.classes, classes)) refuseInitial("has other classes, or the same in another order");
  if (state.interceptScale > 0 !== intercept) refuseInitial(`was fitted with intercept: ${!intercept}`);
  // Of another problem it is not known where D is higher.
  const same =
    JSON.stringify(state.loss) === JSON.stringify(lossState(loss)) && duals.costs.every((cost, i) => cost === costs[i]);
  return same ? duals : { ...duals, furthest: undefined };
}

/** Weights and intercepts of one model to be. */
export interface Point {
  /** The option it was given by. */
  readonly option: "anchor" | "initial";
  readonly rows: Rows<ArrayLike<number>>;
  readonly intercepts: ArrayLike<number> | undefined;
}

/** W0 and its intercepts, once it is known that they fit. */
export const checkAnchor = (
  caller: string,
  anchor: Settings["anchor"],
  scaling: Settings["scaling"],
  expected: Expected,
): Point | undefined => anchor && checkPoint(caller, "anchor", anchor, scaling, expected);

function checkPoint(
  caller: string,
  option: Point["option"],
  point: NonNullable<Settings["anchor"]>,
  scaling: Settings["scaling"],
  { rows: { cols }, classes, intercept }: Expected,
): Point {
  const state = modelState(point);
  // A model of "topk-sdca/predict", or a copy, is no model here, but says which classes its weights are for.
  const { classes: own } = point as Partial<Model>;
  const fitted = state ? (state.scaling?.kind ?? "none") : scaling;
  if (fitted !== scaling) {
    refuse(
      RangeError,
      caller,
      option,
      `was fitted with scaling "${fitted}", not "${scaling}": its weights are of other units`,
    );
  }
  if (Array.isArray(own) && !sameClasses(own, classes)) {
    refuse(RangeError, caller, option, "has other classes, or the same in another order");
  }
  const { weights, intercepts } = point;
  if (!state && own === undefined) {
    const names: readonly string[] = ["weights", "intercepts"];
    for (const name of Object.keys(point)) {
      if (!names.includes(name)) {
        refuse(TypeError, caller, option, `has the unknown name "${name}"${meant(name, names, true)}`);
      }
    }
  }
  const argument = `${option}.weights`;
  const m = classes.length;
  const rows = readFiniteDenseRows(caller, argument, weights);
  if (rows.count !== m || rows.cols !== cols) {
    refuse(
      RangeError,
      caller,
      argument,
      `is ${rows.count} x ${rows.cols} but the model will be ${m} x ${cols} (classes x features)`,
    );
  }
  if (intercepts !== undefined) {
    const b = readVector(caller, `${option}.intercepts`, intercepts);
    if (b.length !== m) {
      refuse(RangeError, caller, `${option}.intercepts`, `has length ${b.length} but there are ${m} classes`);
    }
    if (!intercept && b.some((value) => value !== 0)) {
      refuse(RangeError, caller, option, `has intercepts but "intercept" is false`);
    }
  }
  return { option, rows, intercepts };
}

/** The starting point that `initial` gives a descent: its weights, whatever its loss; undefined where there is no `initial`. */
export function checkStart(
  caller: string,
  initial: Settings["initial"],
  scaling: Settings["scaling"],
  expected: Expected,
): Point | undefined {
  if (initial === undefined) return undefined;
  const state = stateOfInitial(caller, initial);
  if (!state.weights) refuse(RangeError, caller, "initial", "has no weights: it was fitted with a kernel");
  return checkPoint(caller, "initial", initial, scaling, expected);
}

/** What weights are for: the value of the constant feature, and the largest norm of a row. */
interface Scale {
  readonly constant: number;
  readonly largestNorm: number;
}

/** Puts the starting point into the problem: A from the old duals, W = W0 + A^T X. */
export async function start(
  problem: ResidentProblem,
  initial: DualState | undefined,
  anchor: Point | undefined,
  scale: Scale,
  pacer: Pacer,
): Promise<void> {
  const { numExamples: n, numClasses: m } = problem.shape;
  if (anchor) {
    forEachClass(problem, anchor, scale, (j, row) => problem.weights.setAnchorRow(j, row));
    problem.weights.startAtAnchor();
  }
  if (!initial) return;
  // Dual rows live in C_i times a fixed set, so scaling by the ratio keeps them feasible for the same loss; other class weights of label
  // sets are the projection's business.
  await pacer.run("rescale", n, (from, count) => {
    const scaled = float64Of(initial.stored, from * m, (from + count) * m);
    for (let i = from, e = 0; i < from + count; i++) {
      const factor = problem.C[i] / initial.costs[i];
      for (let j = 0; j < m; j++) scaled[e++] *= factor;
    }
    problem.duals.restore(scaled, from);
  });
  await pacer.run("project", n, (from, count) => problem.project(from, count));
  await rebuildWeights(problem, pacer);
}

/** Puts the weights of a point into the problem, for a descent. */
export function startAt(problem: ResidentProblem, point: Point, scale: Scale): void {
  forEachClass(problem, point, scale, (j, row) => problem.weights.setRow(j, row));
}

/** The weights of each class as the problem has them, the constant feature's among them. The row is the same one every time. */
function forEachClass(
  { shape: { numClasses, numFeatures, precision } }: ResidentProblem,
  { option, rows, intercepts }: Point,
  { constant, largestNorm }: Scale,
  put: (j: number, row: Float64Array) => void,
): void {
  const row = new Float64Array(numFeatures);
  for (let j = 0; j < numClasses; j++) {
    row.set(rows.row(j));
    if (rows.cols < numFeatures) row[rows.cols] = (intercepts?.[j] ?? 0) / constant;
    const size = row.reduce((sum, w) => sum + Math.abs(w), 0);
    if (!(size * Math.max(largestNorm, 1) < RANGE[precision])) {
      refuse(RangeError, "fit", option, `has weights of class ${j} so large that scores could overflow ${precision}`);
    }
    put(j, row);
  }
}
