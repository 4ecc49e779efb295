import { boolean, check, integer, number, readOptions } from "./constraints.ts";
import { list, refuse } from "./errors.ts";
import { slice } from "./features.ts";
import { readRowsToScore } from "./gram.ts";
import { indexClasses, lookUpLabels } from "./labels.ts";
import { type Loss, resolveLoss } from "./losses.ts";
import { defaultKs, evaluateScores } from "./model/evaluateScores.ts";
import { columnsOf } from "./model/kernelScores.ts";
import { links } from "./model/links.ts";
import type { ModelState } from "./model/modelState.ts";
import { finiteScores, LinearPredictor } from "./model/predictor.ts";
import { scorerOf } from "./model/scorer.ts";
import { exactDuals } from "./model/solvedState.ts";
import { finish } from "./pace/steps.ts";
import { decodeModel, encodeBytes, encodeJSON } from "./serialize.ts";
import type {
  DenseMatrix,
  Evaluation,
  Features,
  HistoryRecord,
  Label,
  Labels,
  LabelSets,
  Model,
  Prediction,
  Ranked,
} from "./types.ts";

/** The model of a state; `history` is what its fit recorded. */
export function createModel<prediction extends Prediction>(parts: {
  state: ModelState;
  history: readonly HistoryRecord[];
}): Model<prediction> {
  return new FittedModel(parts.state, parts.history) as Model as Model<prediction>;
}

/**
 * What a model of this package is made of; undefined for anything else, a predictor of "topk-sdca/predict" included.
 */
export function modelState(model: unknown): ModelState | undefined {
  return FittedModel.stateOf(model);
}

/**
 * Reads a model that `toBytes` or `toJSON` saved. Its history is empty, and it has dual variables only if they were
 * saved. Predicts at once; `evaluate` also needs the kernels: `await init()` first where nothing has been fitted.
 *
 * @typeParam prediction what it predicts for a row: `load<Label[]>(source)` where that is a set of labels.
 * @param source what `toBytes` gave (Uint8Array or ArrayBuffer), JSON text or its bytes, or the object parsed from it.
 * @throws TypeError for another kind of source; RangeError for what is foreign, newer, truncated or altered.
 * @example
 * const model = await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"]);
 * const again = load(JSON.stringify(model));
 * again.predict([[1, 0.5]]); // ["b"]
 */
export function load<prediction extends Prediction = Label>(
  source: Uint8Array | ArrayBuffer | string | object,
): Model<prediction> {
  return new FittedModel(decodeModel(source), []) as Model as Model<prediction>;
}

interface SaveOptions {
  readonly duals?: boolean;
}

/** The state to save: without dual variables unless asked for. */
function saved(caller: string, state: ModelState, options?: SaveOptions): ModelState {
  const { duals = false } = readOptions(caller, options, ["duals"]);
  check(caller, "duals", duals, boolean);
  if (!duals) return { ...state, duals: undefined };
  if (state.duals) return state;
  const why =
    state.certificate.dualObjective === null
      ? `the loss "${state.loss.name}" has none`
      : "it was loaded from what was saved without them";
  throw new Error(`${caller}: this model has no dual variables; ${why}`);
}

/** Scores of the rows that the method `caller` of a model was given. */
function scoresFor(state: ModelState, caller: string, features: Features): Float64Array {
  const { columns, gram } = columnsOf(state);
  const rows = finish(readRowsToScore(caller, "features", features, columns, gram));
  if (rows.cols !== columns) {
    refuse(RangeError, caller, "features", `has ${rows.cols} columns but the model was fitted on ${columns}`);
  }
  const score = finish(scorerOf(state, rows.nonzeros));
  const scores = finish(score(slice(rows, 0, rows.count)));
  return finiteScores(caller, scores, state.classes.length);
}

class FittedModel extends LinearPredictor implements Model {
  readonly history: readonly HistoryRecord[];
  readonly #state: ModelState;
  readonly #loss: Loss;
  readonly #index: ReadonlyMap<Label, number>;
  #dualVariables: DenseMatrix | undefined;

  constructor(state: ModelState, history: readonly HistoryRecord[]) {
    super(state, (caller, features) => scoresFor(state, caller, features));
    this.history = Object.freeze(history);
    this.#state = state;
    this.#loss = resolveLoss("model", state.loss.name, state.loss);
    this.#index = indexClasses("model", state.classes);
    Object.freeze(this); // what makes proxies of objects to watch them, as Vue does, leaves frozen ones alone
  }

  /** What a console calls it, whatever a minifier has made of the class's own name. */
  static override readonly name = "Model";

  static stateOf(model: unknown): ModelState | undefined {
    return typeof model === "object" && model !== null && #state in model ? model.#state : undefined;
  }

  get dualVariables(): DenseMatrix | undefined {
    if (!this.#dualVariables && this.#state.duals) {
      const m = this.classes.length;
      const data = finish(exactDuals(this.#state.duals, m, this.#loss.oneVsAll));
      this.#dualVariables = { data, rows: data.length / m, cols: m };
    }
    return this.#dualVariables;
  }

  override topK(features: Features, k: number): Ranked[][] {
    check("topK", "k", k, integer(1, this.classes.length));
    return super.topK(features, k);
  }

  override probabilities(features: Features): Float64Array {
    const { name } = this.#loss;
    if (!links[name]) {
      throw new Error(
        `probabilities: the loss "${name}" gives scores, not probabilities; fit with ${list(Object.keys(links), "or")}, or use scores()`,
      );
    }
    return super.probabilities(features);
  }

  evaluate(features: Features, labels: Labels | LabelSets, options?: { k?: readonly number[] }): Evaluation {
    const m = this.classes.length;
    const { k: ks = defaultKs(m) } = readOptions("evaluate", options, ["k"]);
    if (!Array.isArray(ks)) check("evaluate", "k", ks, { must: "an array of integers", kind: Array.isArray });
    for (const k of ks) check("evaluate", "k", k, integer(1, m));
    const scores = scoresFor(this.#state, "evaluate", features);
    const kind = this.threshold === undefined ? "class" : "set";
    const like = "the model was fitted on";
    const rows = scores.length / m;
    const truth = finish(lookUpLabels("evaluate", labels, rows, this.#index, kind, "the model's classes", like));
    return finish(evaluateScores(this.#loss, scores, truth, m, ks, this.threshold));
  }

  withThreshold(threshold: number): Model {
    if (this.threshold === undefined) {
      throw new Error("withThreshold: this model predicts one label per row; thresholds are for models of label sets");
    }
    check("withThreshold", "threshold", threshold, number("(", -Infinity, Infinity, ")"));
    return new FittedModel({ ...this.#state, threshold }, this.history);
  }

  toBytes(options?: SaveOptions): Uint8Array<ArrayBuffer> {
    return encodeBytes(saved("toBytes", this.#state, options));
  }

  /** JSON.stringify hands over the key under which it found the model. */
  toJSON(options?: SaveOptions | string): object {
    return encodeJSON(saved("toJSON", this.#state, typeof options === "string" ? undefined : options));
  }
}
