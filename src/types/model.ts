import type { Certificate, HistoryRecord } from "./certificate.ts";
import type { DenseMatrix, Features, Label, Labels, LabelSets } from "./data.ts";
import type { Evaluation, Prediction } from "./evaluation.ts";

/** What is predicted for all rows. */
export type Predictions<prediction extends Prediction = Prediction> = [prediction] extends [Label]
  ? prediction[]
  : [prediction] extends [Label[]]
    ? prediction[]
    : Label[] | Label[][];

/** A class and its score, as `topK` lists them. */
export interface Ranked {
  /** One of the model's `classes`. */
  label: Label;
  /** As in `scores`; of equal ones the lower class index goes first. */
  score: number;
}

/**
 * What a model does without training and without WebAssembly: all that `load` of "topk-sdca/predict" gives.
 *
 * Features of its methods are rows as in `fit`, at least one, with as many columns as those it was fitted on; of a
 * model of a Gram matrix kernel values against the rows it was fitted on. Other shapes, values that are not finite, a k
 * out of its range and scores that overflow are a TypeError or RangeError that names method, argument, place and value;
 * what this model cannot do at all is an Error.
 *
 * @example
 * const model = await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"], { C: 10 });
 * model.predict([[1, 0.5]]); // ["b"]
 * model.topK([[1, 0.5]], 2); // [[{ label: "b", score: 1.23 }, { label: "a", score: -1.23 }]]
 * model.probabilities([[1, 0.5]]); // [0.08, 0.92]
 */
export interface Predictor<prediction extends Prediction = Prediction> {
  /** The m labels, in the order of the option `classes`: class j of weights, intercepts and scores. */
  readonly classes: readonly Label[];
  /**
   * W, m x d, row-major, a compact copy; of features after `scaling`. undefined for Gram matrices and kernels but the
   * linear one.
   */
  readonly weights: DenseMatrix;
  /** b, m values added to the scores: the weights of the constant feature times `interceptScale`, zeros without it. */
  readonly intercepts: Float64Array;
  /** What is proven about the weights; a loaded model has that of the fit it was saved from. */
  readonly certificate: Certificate;
  /**
   * u = W x + b of every row x, after `scaling`: rows x m, row-major. With a kernel, the sum of a_i k(x_i, x) over
   * support vectors, + b.
   */
  scores(features: Features): Float64Array;
  /**
   * Of a model of label sets: classes with at least this score are predicted. Chosen to make micro F1 largest on the
   * first validation set, or else on the training rows (with a kernel, up to the rounding of their scores); 0 for
   * one-vs-all losses.
   */
  readonly threshold?: number;
  /**
   * The best class of each row; ties go to the lowest class index. Of a model of label sets, all classes with a score
   * of at least `threshold`, in the order of `classes`.
   */
  predict(features: Features): Predictions<prediction>;
  /** The k best classes of each row, best first; ties go to the lower class index. k is an integer in [1, m]. */
  topK(features: Features, k: number): Ranked[][];
  /**
   * rows x m, row-major. softmax, topk-entropy (uncalibrated) and multilabel-softmax: softmax of the scores,
   * exp(u_j) / sum_l exp(u_l), each row sums to 1; ova-logistic: sigmoid of each score, 1 / (1 + exp(-u_j)). For other
   * losses an Error.
   */
  probabilities(features: Features): Float64Array;
}

/**
 * A fitted classifier with its certificate, a frozen object: of either kind, or Model<Label> with one label per row,
 * Model<Label[]> of label sets. Its methods throw as those of `Predictor`, and Error where `init` is missing.
 *
 * @example
 * const rows = [[0, 1], [1, 0], [1, 1]];
 * const model = await fit(rows, ["a", "b", "b"]);
 * model.evaluate(rows, ["a", "b", "b"]).topKAccuracy; // { 1: 1 }
 * load(model.toBytes()).predict([[0, 1]]); // ["a"]
 * load(JSON.stringify(model)).predict([[0, 1]]); // ["a"]
 *
 * const tagger = await fit(rows, [["sweet"], ["red"], ["red", "sweet"]], { loss: "ova-hinge", C: 10 });
 * tagger.predict([[2, 0], [2, 2]]); // [["red"], ["red", "sweet"]]
 * tagger.withThreshold(-2).predict([[2, 0]]); // [["red", "sweet"]]
 */
export interface Model<prediction extends Prediction = Prediction> extends Predictor<prediction> {
  /**
   * n x m, float64: the feasible A the certificate speaks of, W = A^T X; its columns are the classes. With a kernel,
   * support vectors are the examples whose row is not zero. Made when first asked for. Absent for
   * truncated-topk-entropy, and in a loaded model that was saved without it.
   */
  readonly dualVariables?: DenseMatrix;
  /** Not saved: empty in a loaded model. */
  readonly history: readonly HistoryRecord<prediction>[];
  /**
   * Mean loss and top-k accuracy, or, of label sets, the multilabel metrics. k: integers in [1, m], default 1, 3 and 5
   * as far as below m. One label, or array of labels, for each row, all of them `classes`, or RangeError. Needs
   * `await init()` where nothing was fitted.
   */
  evaluate(
    features: Features,
    labels: Labels | LabelSets,
    options?: { k?: readonly number[] | undefined },
  ): Evaluation<prediction>;
  /** A copy of a model of label sets with another threshold, any finite number. Error for other models. */
  withThreshold(threshold: number): Model<prediction>;
  /**
   * The model as bytes for `load`: versioned, with a checksum, the same on every machine but for the seconds in its
   * certificate. duals: also the dual variables, for a warm start; n m numbers more, an Error where there are none.
   * Default false.
   */
  toBytes(options?: { duals?: boolean | undefined }): Uint8Array<ArrayBuffer>;
  /** The model as plain data for JSON; `JSON.stringify(model)` calls it. Numbers keep their bits. duals: as above. */
  toJSON(options?: { duals?: boolean | undefined }): object;
}
