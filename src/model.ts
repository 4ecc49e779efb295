import { readFiniteRows, type Rows } from "./features.ts";
import { list } from "./errors.ts";
import { indexClasses, lookUpLabels } from "./labels.ts";
import { lossAtScores } from "./lossFunctions.ts";
import { probabilisticLosses, type Loss } from "./losses.ts";
import { argmax, rankOf, scoreRow, softmaxRows, topIndices } from "./scoring.ts";
import { check, integer, type Settings } from "./settings.ts";
import type {
  Certificate,
  DenseMatrix,
  Evaluation,
  Features,
  HistoryRecord,
  Label,
  Labels,
  Model,
  Ranked,
} from "./types.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

interface Parts {
  readonly settings: Settings;
  readonly classes: readonly Label[];
  readonly problem: ResidentProblem;
  /** Class index of each training example. */
  readonly labels: Int32Array;
  readonly certificate: Certificate;
  readonly history: readonly HistoryRecord[];
}

/** Takes what a model needs out of a solved problem; afterwards the problem's memory can go. */
export function createModel({ settings, classes, problem, labels, certificate, history }: Parts): Model {
  const { numFeatures, numClasses: m } = problem.shape;
  const stored = problem.copyWeights();
  const intercepts = new Float64Array(m);
  let weights: DenseMatrix = { data: stored, rows: m, cols: numFeatures };
  if (settings.intercept) {
    const d = numFeatures - 1;
    const data = stored instanceof Float32Array ? new Float32Array(m * d) : new Float64Array(m * d);
    for (let j = 0; j < m; j++) {
      data.set(stored.subarray(j * numFeatures, j * numFeatures + d), j * d);
      intercepts[j] = stored[j * numFeatures + d] * settings.interceptScale;
    }
    weights = { data, rows: m, cols: d };
  }
  const duals = { stored: problem.copyDuals(), labels };
  return new FittedModel(classes, weights, intercepts, settings.loss, duals, certificate, history);
}

/** Dual variables as the solver stores them. */
interface StoredDuals {
  readonly stored: Float32Array | Float64Array;
  readonly labels: Int32Array;
}

class FittedModel implements Model {
  readonly classes: readonly Label[];
  readonly weights: DenseMatrix;
  readonly intercepts: Float64Array;
  readonly certificate: Certificate;
  readonly history: readonly HistoryRecord[];
  readonly #loss: Loss;
  readonly #index: ReadonlyMap<Label, number>;
  readonly #duals: StoredDuals;
  #dualVariables: DenseMatrix | undefined;

  constructor(
    classes: readonly Label[],
    weights: DenseMatrix,
    intercepts: Float64Array,
    loss: Loss,
    duals: StoredDuals,
    certificate: Certificate,
    history: readonly HistoryRecord[],
  ) {
    this.classes = Object.freeze([...classes]);
    this.weights = weights;
    this.intercepts = intercepts;
    this.certificate = Object.freeze(certificate);
    this.history = Object.freeze(history);
    this.#loss = loss;
    this.#index = indexClasses("model", classes);
    this.#duals = duals;
  }

  /**
   * The stored numbers are feasible but for the true class, whose entry is the exact sum of the others, which the storage
   * precision may not hold: it is summed here, in the order in which the certificate summed it.
   */
  get dualVariables(): DenseMatrix {
    if (!this.#dualVariables) {
      const { stored, labels } = this.#duals;
      const m = this.classes.length;
      const data = Float64Array.from(stored);
      labels.forEach((y, i) => {
        if (this.#loss.oneVsAll) return;
        let total = 0;
        for (let j = 0; j < m; j++) if (j !== y) total -= data[i * m + j];
        data[i * m + y] = total;
      });
      this.#dualVariables = { data, rows: labels.length, cols: m };
    }
    return this.#dualVariables;
  }

  scores(features: Features): Float64Array {
    return this.#scores("scores", features).scores;
  }

  predict(features: Features): Label[] {
    const { scores, rows } = this.#scores("predict", features);
    const m = this.classes.length;
    return Array.from({ length: rows.count }, (_, i) => this.classes[argmax(scores, i * m, m)]);
  }

  topK(features: Features, k: number): Ranked[][] {
    const m = this.classes.length;
    check("topK", "k", k, integer(1, m));
    const { scores, rows } = this.#scores("topK", features);
    return Array.from({ length: rows.count }, (_, i) =>
      topIndices(scores, i * m, m, k).map((j) => ({ label: this.classes[j], score: scores[i * m + j] })),
    );
  }

  probabilities(features: Features): Float64Array {
    const { name, link } = this.#loss;
    if (link === "none") {
      throw new Error(
        `probabilities: the loss "${name}" gives scores, not probabilities; ` +
          `fit with ${list(probabilisticLosses, "or")}, or use scores()`,
      );
    }
    const { scores } = this.#scores("probabilities", features);
    if (link === "sigmoid") return scores.map((s) => 1 / (1 + Math.exp(-s)));
    softmaxRows(scores, this.classes.length);
    return scores;
  }

  evaluate(features: Features, labels: Labels, options: { k?: readonly number[] } = {}): Evaluation {
    const m = this.classes.length;
    const ks = options.k ?? [1, 3, 5].filter((k) => k < m);
    if (!Array.isArray(ks)) check("evaluate", "k", ks, { must: "an array of integers", kind: Array.isArray });
    for (const k of ks) check("evaluate", "k", k, integer(1, m));
    const { scores, rows } = this.#scores("evaluate", features);
    const indices = lookUpLabels("evaluate", labels, rows.count, this.#index, "the model's classes");
    const correct = ks.map(() => 0);
    indices.forEach((y, i) => {
      const rank = rankOf(scores, i * m, m, y);
      ks.forEach((k, p) => {
        if (rank < k) correct[p]++;
      });
    });
    const topKAccuracy: Record<number, number> = {};
    ks.forEach((k, p) => (topKAccuracy[k] = correct[p] / rows.count));
    return { rows: rows.count, loss: lossAtScores(this.#loss, scores, indices) / rows.count, topKAccuracy };
  }

  #scores(caller: string, features: Features): { scores: Float64Array; rows: Rows } {
    const rows = readFiniteRows(caller, "features", features);
    const { data, cols } = this.weights;
    if (rows.cols !== cols) {
      throw new RangeError(`${caller}: "features" has ${rows.cols} columns but the model was fitted on ${cols}`);
    }
    const m = this.classes.length;
    const scores = new Float64Array(rows.count * m);
    for (let i = 0; i < rows.count; i++) {
      const { values, offset } = rows.row(i);
      scoreRow(data, this.intercepts, cols, values, offset, scores, i * m);
    }
    return { scores, rows };
  }
}
