import type { FeatureRow } from "../arrays/sparseRow.ts";
import type { Certificate, DenseMatrix, Features, Label, Predictions, Predictor, Ranked } from "../types.ts";
import { links } from "./links.ts";
import type { LinearState } from "./modelState.ts";
import { mustBe } from "./plainErrors.ts";
import { rowScaler } from "./scaling.ts";
import { argmax, mapRows, scoreRow, softmax, topIndices } from "./scoring.ts";

/**
 * Scores of rows, m for each: of the scaled rows where the model was fitted on such. `score` writes those of one row,
 * over zeros.
 */
export function scoreRows(
  { weights, intercepts, scaling }: Pick<LinearState, "weights" | "intercepts" | "scaling">,
  rows: readonly FeatureRow[],
  score = scoreRow,
): Float64Array {
  const m = intercepts.length;
  const scores = new Float64Array(rows.length * m);
  const scale = scaling && rowScaler(scaling);
  mapRows(scores, m, (out, i) => {
    score(weights, intercepts, scale ? scale(rows[i]) : rows[i], out);
  });
  return scores;
}

/**
 * Scores, m for each row from `first` on that the method `caller` was given, unless they overflow: then nothing follows
 * from them.
 */
export function finiteScores(
  caller: string,
  scores: Float64Array,
  m: number,
  argument = "features",
  first = 0,
): Float64Array {
  // Not findIndex: to call it back takes twenty times as long as to look.
  let at = 0;
  while (Number.isFinite(scores[at])) at++;
  if (at < scores.length)
    mustBe(caller, `"${argument}" row ${first + Math.floor(at / m)}: its scores`, "finite", scores[at]);
  return scores;
}

type PredictorState = Omit<LinearState, "weights"> & Partial<LinearState>;

/**
 * What a model can do without WebAssembly: `topk-sdca/predict` offers nothing else, so nothing else is imported here.
 */
export class LinearPredictor implements Predictor {
  // Declared for the compiler only: the constructor makes them.
  declare readonly classes: readonly Label[];
  declare readonly weights: DenseMatrix;
  declare readonly intercepts: Float64Array;
  declare readonly certificate: Certificate;
  declare readonly threshold?: number;
  /** What messages call it, whatever a minifier has made of the class's own name. */
  static readonly name: string = "Predictor";
  readonly #loss: string;
  /** The scores of rows that the method `caller` was given. */
  readonly #scoresFor: (caller: string, features: Features) => Float64Array;

  constructor(state: PredictorState, scoresFor: (caller: string, features: Features) => Float64Array) {
    this.classes = Object.freeze(state.classes);
    this.weights = state.weights!;
    this.intercepts = state.intercepts;
    this.certificate = Object.freeze(state.certificate);
    if (state.threshold !== undefined) this.threshold = state.threshold;
    this.#loss = state.loss.name;
    this.#scoresFor = scoresFor;
  }

  scores(features: Features): Float64Array {
    return this.#scoresFor("scores", features);
  }

  predict(features: Features): Predictions {
    const { classes, threshold } = this;
    return mapRows(this.#scoresFor("predict", features), classes.length, (row) =>
      threshold === undefined ? classes[argmax(row)] : classes.filter((_, j) => row[j] >= threshold),
    ) as Predictions;
  }

  topK(features: Features, k: number): Ranked[][] {
    const { classes } = this;
    const m = classes.length;
    if (!(Number.isSafeInteger(k) && k >= 1 && k <= m)) mustBe("topK", "k", `an integer in [1, ${m}]`, k);
    return mapRows(this.#scoresFor("topK", features), m, (row) =>
      topIndices(row, k).map((j) => ({ label: classes[j], score: row[j] })),
    );
  }

  probabilities(features: Features): Float64Array {
    const link = links[this.#loss];
    if (!link) throw new Error(`probabilities: the loss "${this.#loss}" has none`);
    const scores = this.#scoresFor("probabilities", features);
    if (link === "sigmoid") return scores.map((s) => 1 / (1 + Math.exp(-s)));
    mapRows(scores, this.classes.length, softmax);
    return scores;
  }
}
