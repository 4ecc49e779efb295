import { describe, list } from "./errors.ts";
import { readFiniteRows, type Rows } from "./features.ts";
import { links } from "./links.ts";
import type { ModelState } from "./modelState.ts";
import { scaleRow } from "./scaling.ts";
import { argmax, scoreRow, softmaxRows, topIndices } from "./scoring.ts";
import type { Certificate, DenseMatrix, Features, Label, Predictor, Ranked } from "./types.ts";

/** Scores of the rows [from, from + count) into out, rows x m: scaled first where the model was. */
export function scoreRows(
  { weights, intercepts, scaling }: Pick<ModelState, "weights" | "intercepts" | "scaling">,
  rows: Rows,
  from: number,
  count: number,
  out: Float64Array,
): void {
  const { data, cols } = weights;
  const scaled = new Float64Array(scaling ? cols : 0);
  for (let i = from; i < from + count; i++) {
    const { values, offset } = rows.row(i);
    if (scaling) scaleRow(scaling, values, offset, cols, scaled);
    scoreRow(data, intercepts, cols, scaling ? scaled : values, scaling ? 0 : offset, out, i * intercepts.length);
  }
}

/** The scores of rows, for the method `caller`. */
export function scoresOf(
  state: ModelState,
  caller: string,
  features: Features,
): { scores: Float64Array; rows: number } {
  const rows = readFiniteRows(caller, "features", features);
  const { cols } = state.weights;
  if (rows.cols !== cols) {
    throw new RangeError(`${caller}: "features" has ${rows.cols} columns but the model was fitted on ${cols}`);
  }
  const scores = new Float64Array(rows.count * state.classes.length);
  scoreRows(state, rows, 0, rows.count, scores);
  return { scores, rows: rows.count };
}

/** What a model can do without WebAssembly: `topk-sdca/predict` offers nothing else, so nothing else is imported here. */
export class LinearPredictor implements Predictor {
  readonly classes: readonly Label[];
  readonly weights: DenseMatrix;
  readonly intercepts: Float64Array;
  readonly certificate: Certificate;
  readonly #state: ModelState;

  constructor(state: ModelState) {
    this.classes = Object.freeze([...state.classes]);
    this.weights = state.weights;
    this.intercepts = state.intercepts;
    this.certificate = Object.freeze(state.certificate);
    this.#state = state;
  }

  scores(features: Features): Float64Array {
    return scoresOf(this.#state, "scores", features).scores;
  }

  predict(features: Features): Label[] {
    const { scores, rows } = scoresOf(this.#state, "predict", features);
    const m = this.classes.length;
    return Array.from({ length: rows }, (_, i) => this.classes[argmax(scores, i * m, m)]);
  }

  topK(features: Features, k: number): Ranked[][] {
    const m = this.classes.length;
    if (!(Number.isInteger(k) && k >= 1 && k <= m)) {
      const message = `topK: "k" must be an integer in [1, ${m}], got ${describe(k)}`;
      throw typeof k === "number" ? new RangeError(message) : new TypeError(message);
    }
    const { scores, rows } = scoresOf(this.#state, "topK", features);
    return Array.from({ length: rows }, (_, i) =>
      topIndices(scores, i * m, m, k).map((j) => ({ label: this.classes[j], score: scores[i * m + j] })),
    );
  }

  probabilities(features: Features): Float64Array {
    const { name } = this.#state.loss;
    const link = links[name];
    if (link === "none") {
      const probabilistic = Object.keys(links).filter((other) => links[other] !== "none");
      throw new Error(
        `probabilities: the loss "${name}" gives scores, not probabilities; ` +
          `fit with ${list(probabilistic, "or")}, or use scores()`,
      );
    }
    const { scores } = scoresOf(this.#state, "probabilities", features);
    if (link === "sigmoid") return scores.map((s) => 1 / (1 + Math.exp(-s)));
    softmaxRows(scores, this.classes.length);
    return scores;
  }
}
