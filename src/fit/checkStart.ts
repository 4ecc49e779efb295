import { readVector } from "../arrays/vectors.ts";
import { describe, meant, refuse } from "../errors.ts";
import { readFiniteDenseRows, type Rows } from "../features.ts";
import { numExamples } from "../labels.ts";
import type { Loss } from "../losses.ts";
import { modelState } from "../model.ts";
import { columnsOf } from "../model/kernelScores.ts";
import type { DualState, LossState, ModelState } from "../model/modelState.ts";
import type { Scaling } from "../model/scaling.ts";
import { lossState } from "../model/solvedState.ts";
import type { Settings } from "../settings.ts";
import type { Label, Model } from "../types.ts";

/** What a starting point has to match. */
export interface Expected {
  /** As given, without the constant feature. */
  readonly rows: Pick<Rows, "count" | "cols" | "gram" | "nonzeros">;
  readonly classes: readonly Label[];
  readonly intercept: boolean;
}

const sameClasses = (a: readonly Label[], b: readonly Label[]): boolean =>
  a.length === b.length && a.every((label, j) => label === b[j]);

/** In an order of their own, which a saved loss may not have. */
const fieldsOf = ({ name, k, variant, gamma, rankWeights }: LossState): string =>
  JSON.stringify([name, k, variant, gamma, rankWeights]);

/** What is to be said of what is called like a model, or nearly so. */
const nearlyModels: Readonly<Record<string, string>> = {
  "a Model": " of another copy of this library, or a proxy of one",
  "a Predictor": ', of which the load of "topk-sdca" makes a model',
};

function stateOfInitial(caller: string, initial: NonNullable<Settings["initial"]>): ModelState {
  const state = modelState(initial);
  if (state) return state;
  const got = describe(initial);
  return refuse(TypeError, caller, "initial", `must be a model, got ${got}${nearlyModels[got] ?? ""}`);
}

/** Dual variables to start from. */
export interface InitialDuals extends DualState {
  /** Whether they are of this very problem, as far as loss and C_i tell: then they may solve it. */
  readonly ofSameProblem: boolean;
}

/** The dual variables of `initial`, once it is known that a fit of this shape can start from them. */
export function checkInitial(
  caller: string,
  initial: Settings["initial"],
  { rows: { count: rows, cols, gram }, classes, intercept }: Expected,
  { loss, costs }: { readonly loss: Loss; readonly costs: Float64Array },
): InitialDuals | undefined {
  if (initial === undefined) return undefined;
  const state = stateOfInitial(caller, initial);
  const refuseInitial = (what: string): never => refuse(RangeError, caller, "initial", `${what}`);
  const { duals } = state;
  if (!duals) {
    return refuseInitial(
      state.certificate.dualObjective === null
        ? `was fitted with the loss "${state.loss.name}", which has no dual variables`
        : "has no dual variables; save it with toBytes({ duals: true }) or toJSON({ duals: true })",
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
  const ofSameProblem =
    fieldsOf(state.loss) === fieldsOf(lossState(loss)) && duals.costs.every((cost, i) => cost === costs[i]);
  // Of another problem it is not known where D is higher.
  return { ...duals, ofSameProblem, ...(!ofSameProblem && { furthest: undefined }) };
}

/** Weights and intercepts to start from, or to stay near. */
export interface GivenWeights {
  /** The option it was given by. */
  readonly option: "anchor" | "initial";
  readonly rows: Rows<ArrayLike<number>>;
  readonly intercepts: ArrayLike<number> | undefined;
  /** Of a model, what it does to rows: its weights are in units of that. */
  readonly scaling: Scaling | undefined;
}

/** W0 and its intercepts, once it is known that they fit. */
export const checkAnchor = (
  caller: string,
  anchor: Settings["anchor"],
  scaling: Settings["scaling"],
  expected: Expected,
): GivenWeights | undefined => anchor && checkWeights(caller, "anchor", anchor, scaling, expected);

function checkWeights(
  caller: string,
  option: GivenWeights["option"],
  given: NonNullable<Settings["anchor"]>,
  scaling: Settings["scaling"],
  { rows: { cols, nonzeros }, classes, intercept }: Expected,
): GivenWeights {
  const state = modelState(given);
  const { classes: own, certificate } = given as Partial<Model>;
  if (!state && certificate) {
    // A copy of a model, or one of "topk-sdca/predict": which units its weights have is not to be seen.
    const what = nearlyModels[describe(given)] ?? " that is like a model but is none; there is load(model.toBytes())";
    refuse(TypeError, caller, option, `must be a model or { weights, intercepts }, got ${describe(given)}${what}`);
  }
  if (state && !state.weights) refuse(RangeError, caller, option, "has no weights: it was fitted with a kernel");
  const fitted = state ? (state.scaling?.kind ?? "none") : scaling;
  if (fitted !== scaling) {
    refuse(
      RangeError,
      caller,
      option,
      `was fitted with scaling "${fitted}", not "${scaling}": its weights are of other units`,
    );
  }
  const centres = state?.scaling?.kind === "minmax" || state?.scaling?.shift.some(Boolean);
  if (option === "anchor" && nonzeros !== undefined && centres) {
    refuse(
      RangeError,
      caller,
      option,
      "was fitted on dense rows, which its scaling centres; sparse ones it would fill",
    );
  }
  if (Array.isArray(own) && !sameClasses(own, classes)) {
    const how = `where rows of some are missing give classes: ${option}.classes`;
    refuse(RangeError, caller, option, `has other classes, or the same in another order; ${how}`);
  }
  const { weights, intercepts } = given;
  const names: readonly string[] = ["weights", "intercepts"];
  const foreign = Object.keys(given).find((name) => !state && own === undefined && !names.includes(name));
  if (foreign !== undefined) {
    refuse(TypeError, caller, option, `has the unknown name "${foreign}"${meant(foreign, names, true)}`);
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
  return { option, rows, intercepts, scaling: state?.scaling };
}

/**
 * The weights of `initial`, from which a descent can start whatever its loss; undefined where there is no `initial`.
 */
export function checkInitialWeights(
  caller: string,
  initial: Settings["initial"],
  scaling: Settings["scaling"],
  expected: Expected,
): GivenWeights | undefined {
  if (initial === undefined) return undefined;
  stateOfInitial(caller, initial);
  return checkWeights(caller, "initial", initial, scaling, expected);
}
