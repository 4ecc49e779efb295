/**
 * The public types. Throughout, n examples, d features, m classes, and the problem solved is
 *
 *     P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2,     W is m x d, one row per class,
 *
 * with weights c_i = 1 and W0 = 0 unless asked otherwise.
 */

// ------------------------------------------------------------------------------------------------------------- data

/** Row-major: row i is `data[i * cols .. (i + 1) * cols)`. */
export interface DenseMatrix {
  /** rows * cols numbers. */
  data: Float32Array | Float64Array;
  rows: number;
  cols: number;
}

/**
 * Compressed sparse rows, as scipy's csr_matrix: row i has the values `data[p]` in the columns `indices[p]` for p from
 * `indptr[i]` to `indptr[i + 1] - 1`, and zeros elsewhere. Columns may stand in any order; values of one column that
 * stands twice are added up; explicit zeros are legal.
 */
export interface CsrMatrix {
  data: Float32Array | Float64Array;
  /** Columns, integers in [0, cols - 1], as many as values. */
  indices: Int32Array | Uint32Array;
  /** rows + 1 integers, the first 0, none below the one before it, the last the number of values. */
  indptr: Int32Array | Uint32Array;
  rows: number;
  cols: number;
}

/**
 * Values k(x, z) of a kernel in the place of features, scikit-learn's "precomputed": between all training examples for
 * `fit`, rows x rows, symmetric and positive semidefinite; against the n training examples for prediction, rows x n.
 */
export interface GramMatrix {
  /** Row-major. */
  gram: Float64Array | Float32Array;
  rows: number;
}

/**
 * One row per example, finite numbers only. The certified problem uses the features as stored in `precision`, and
 * kernel values too; a value that overflows it is refused. Sparse and dense rows of the same numbers are the same
 * problem. Arrays that are passed in, labels and weights too, are read in the course of a fit: do not overwrite them
 * until its promise has settled.
 */
export type Features =
  readonly (readonly number[] | Float32Array | Float64Array)[] | DenseMatrix | CsrMatrix | GramMatrix;

/** A safe integer or a string. 1 and "1" are different labels. */
export type Label = number | string;

/** One label per example; any values, gaps allowed. */
export type Labels = readonly Label[] | Int32Array | Uint32Array | Uint8Array;

/** Any number of labels per example, none and all included; in any order, each at most once. */
export type LabelSets = readonly (readonly Label[])[];

// -------------------------------------------------------------------------------------------------------------- fit

/** Which top-k hinge loss; see the table of docs/losses.md. */
export type Variant = "alpha" | "alpha-inclusive" | "beta";

/**
 * The weights of "weighted-topk-hinge", for the largest margin first. With k: "flat" 1/k, "linear" 2 (k + 1 - j)/(k
 * (k + 1)) and "exp" e^(-j/k) divided by their sum, j = 1 ... k. Or a list of at most m numbers >= 0, none above the
 * one before, the first above 0.
 */
export type RankWeights = "flat" | "linear" | "exp" | readonly number[];

/**
 * The loss and the options that go with it. An option that does not belong to the loss is refused when given.
 *
 * - `k`: how many guesses count, an integer in [1, m - 1].
 * - `rankWeights`: how much each of them counts; a list goes without `k`.
 * - `gamma`: smoothing, >= 0, default 0. Larger is smoother: easier to solve, further from the plain loss.
 */
export type LossOptions =
  | { loss?: "softmax" | undefined }
  | { loss: "hinge"; gamma?: number | undefined }
  | { loss: "topk-hinge"; k: number; variant?: Variant | undefined; gamma?: number | undefined }
  | { loss: "weighted-topk-hinge"; rankWeights: RankWeights; k?: number | undefined; gamma?: number | undefined }
  | { loss: "truncated-topk-entropy"; k: number }
  | { loss: "topk-entropy"; k: number; variant?: "alpha" | "beta" | undefined }
  | { loss: "ova-hinge"; gamma?: number | undefined }
  | { loss: "ova-logistic" }
  | { loss: "multilabel-hinge"; gamma?: number | undefined }
  | { loss: "multilabel-softmax" };

/**
 * k(x, z) = <x, z>, exp(-gamma ||x - z||^2), or (gamma <x, z> + coef0)^degree. `gamma` in (0, Infinity), of "poly" by
 * default 1 / (d variance of the features), which scikit-learn calls "scale"; `degree` an integer in [1, 100];
 * `coef0` >= 0, default 0.
 */
export type Kernel =
  | { name: "linear" }
  | { name: "rbf"; gamma: number }
  | { name: "poly"; degree: number; gamma?: number | undefined; coef0?: number | undefined };

/** Options of `fit` that go with every loss. Each is optional. */
export interface CommonOptions<prediction extends Prediction = Prediction> {
  /** Weight of the losses against the norm of W, in (0, Infinity). Default 1. */
  C?: number | undefined;
  /** Instead of C: C = 1 / (lambda n). Giving both is an error. */
  lambda?: number | undefined;
  /**
   * All classes, also ones without examples. Default: the distinct labels, numbers ascending, then strings by code
   * unit.
   */
  classes?: readonly Label[] | undefined;
  /** c_i, n numbers in (0, Infinity): a weight of 2 counts as two equal examples. Default 1. */
  sampleWeight?: readonly number[] | Float32Array | Float64Array | undefined;
  /**
   * A factor of c_i for each class, in (0, Infinity); classes not named have 1. "balanced": n / (classes present *
   * examples of the class), so that every class counts the same. With label sets it goes with the ova losses alone, and
   * is a factor of the binary loss of a class on the examples that have it, all others having 1. There "balanced" is
   * (n - n_j)/n_j, n_j examples having the class, so that those that have it count as much as those that have not, and
   * 1 for a class that all examples have, or none.
   */
  classWeight?: "balanced" | ReadonlyMap<Label, number> | readonly (readonly [Label, number])[] | undefined;
  /**
   * Append a constant feature of value `interceptScale`. Default true. Its weights are penalised like all others: an
   * unpenalised intercept would couple the dual variables of all examples, which coordinate ascent cannot keep. With a
   * kernel or a Gram matrix interceptScale^2 is added to the kernel, which is the same.
   */
  intercept?: boolean | undefined;
  /** Value of the constant feature, in (0, Infinity). Default 1. Larger values penalise the intercept less. */
  interceptScale?: number | undefined;
  /**
   * What is done to the features first, learned on the training rows, stored in the model and applied by prediction.
   * Default "none". "standard": mean 0 and deviation 1 for each column; "minmax": [-1, 1] for each column; "unit-rows":
   * x / ||x||. Learned on CSR features "standard" does not centre, and "minmax" is refused: both would fill zeros.
   * `weights` are in the units of the scaled features.
   */
  scaling?: "none" | "standard" | "minmax" | "unit-rows" | undefined;
  /**
   * Scores are sums of a_i k(x_i, x), with a_i the dual variables, and the penalty is the norm that belongs to k.
   * Default: linear, solved over the weights; `{ name: "linear" }` is the same problem over the dual variables alone,
   * better for fewer examples than features. Values up to 512 MiB are kept, of more those used last.
   */
  kernel?: Kernel | undefined;
  /**
   * Storage of features, weights and dual variables. Default: "float32", but "float64" where C_i ||x_i||^2 is above 1e6
   * for some example and a memory has room for it: there dual variables of float32 are too coarse. Certificates are
   * computed in float64 either way.
   */
  precision?: "float32" | "float64" | undefined;
  /** Solved when the relative gap is at most this, in [0, Infinity). Default 1e-3. */
  tolerance?: number | undefined;
  /** Budget of epochs, see `Certificate.epochs`: an integer >= 0. Default 1000. */
  maxEpochs?: number | undefined;
  /**
   * Budget in seconds counted from the call, in [0, Infinity]. The closing evaluation may overrun it. Default Infinity.
   */
  maxSeconds?: number | undefined;
  /**
   * "sdca", the default, is stochastic dual coordinate ascent. "frank-wolfe", for "hinge", "topk-hinge" and
   * "weighted-topk-hinge": every step moves all examples at once, with closed-form directions and line search; an epoch
   * is a step. It needs many more epochs.
   */
  solver?: "sdca" | "frank-wolfe" | undefined;
  /**
   * Of "frank-wolfe": "standard" moves towards the vertex of steepest ascent, "pairwise" (default) shifts weight to it
   * from the worst vertex, "away" moves towards the one or away from the other.
   */
  direction?: "standard" | "away" | "pairwise" | undefined;
  /** Order of visits, an integer in [0, 4294967295]. Default 0. Same seed, data and build give the same bits. */
  seed?: number | undefined;
  /**
   * Start from the dual variables of a model fitted on the same examples, also with another C, loss, gamma or weights:
   * they are scaled to the new C_i and projected onto the new loss's domain; steps on the entropy and logistic losses
   * begin at a multiple in [0, 1] of them. Of the same problem, an unsolved fit that has given back an earlier point
   * goes on from where it had come to. Needs the same n, m, d, classes and intercept, and a model that has its dual
   * variables.
   */
  initial?: Model | Model<Label[]> | undefined;
  /**
   * W0, the centre of the penalty: a model fitted with the same `scaling`, which is then applied as that model has
   * learned it, not learned anew, so that a column that was constant there stays unscaled; or m x d weights and m
   * intercepts, in the units of the scaled features. Not with a kernel or a Gram matrix.
   */
  anchor?:
    | Model
    | Model<Label[]>
    | { weights: DenseMatrix | readonly (readonly number[])[]; intercepts?: Vec | undefined }
    | undefined;
  /** Scored at each evaluation, into `HistoryRecord.validation`. Labels must be known classes. */
  validation?: ValidationSet | readonly ValidationSet[] | undefined;
  /**
   * Called after each evaluation, and waited for if it returns a promise, until `signal` aborts. What it throws, or
   * that rejects with, rejects the fit.
   */
  onProgress?: ((record: HistoryRecord<prediction>) => void) | undefined;
  /**
   * Aborting resolves the fit, with status "aborted" and the current point, certified by a closing evaluation. If a
   * round that may lower D was cut short, the point before that round is returned where its gap is smaller.
   */
  signal?: AbortSignal | undefined;
  /**
   * How often control goes back to the page or event loop: "auto" (about every 8 ms, well within a frame, also while
   * copying), a number of milliseconds in [1, Infinity), or "never". Default "auto". It never changes the result.
   * README says which steps are not cut up.
   */
  yieldEvery?: "auto" | number | "never" | undefined;
}

/** Options of `fit`: the loss with its own options, and those that go with every loss. For either kind of labels. */
export type FitOptions<prediction extends Prediction = Prediction> = CommonOptions<prediction> & LossOptions;

/** Rows held out from training. */
export interface ValidationSet {
  features: Features;
  labels: Labels | LabelSets;
}

/**
 * - "solved": measured, `relativeGap <= tolerance`.
 * - "max-epochs", "max-seconds", "aborted": stopped before that; the certificate still holds for what is returned.
 * - "no-progress": the dual objective no longer rises in this precision and the gap no longer shrinks.
 * - "stationary", of truncated-topk-entropy alone: `gradientNorm <= tolerance`. How far that is from the optimum is not
 *   known.
 */
export type Status = "solved" | "max-epochs" | "max-seconds" | "aborted" | "no-progress" | "stationary";

/**
 * What is proven about the returned model: P(W) - P* <= dualityGap, because D(A) <= P* for every feasible A.
 * Both objectives are recomputed in float64 from the returned dual variables and weights.
 */
export interface Certificate {
  /** Why the fit ended. */
  status: Status;
  /**
   * Rounds of steps so far, or, if that is more, example updates divided by n, rounded down; a pass over the data for
   * P, its gradient or a product with its Hessian counts as n updates.
   */
  epochs: number;
  /** P at the returned weights. */
  primalObjective: number;
  /**
   * D at the returned dual variables, which are feasible. This and the next two are null of truncated-topk-entropy,
   * which has no dual.
   */
  dualObjective: number | null;
  /** P - D, >= 0, plus what rounding may hide of a hinge loss, where that is more than 1e-6 of P. */
  dualityGap: number | null;
  /** dualityGap / max(|P|, |D|). When both are 0 it is 0, or Infinity if rounding may hide a loss: near an anchor. */
  relativeGap: number | null;
  /** Of truncated-topk-entropy: the Euclidean norm of the gradient of P at the returned weights. */
  gradientNorm?: number;
  /** The bound on `relativeGap`, or on `gradientNorm`, that was asked for. */
  tolerance: number;
  /** Wall clock from the call to the model: validation, copying and evaluations included. */
  solveSeconds: number;
  /** The part of it spent in evaluations. */
  evaluateSeconds: number;
  /** When neither solved nor stationary: what would help. */
  hint?: string;
}

/**
 * One per evaluation, the last one included. Those on the way are estimates, at the weights as the steps have left them
 * and good to the rounding of `precision`; the last one is the certificate.
 */
export interface HistoryRecord<prediction extends Prediction = Prediction> {
  /** As `Certificate.epochs`. */
  epoch: number;
  /**
   * Example updates so far divided by n, passes over the data for P counted as n. After the first pass updates go to
   * the examples that still hold a part of the gap.
   */
  visits: number;
  /** Since the call. */
  seconds: number;
  primalObjective: number;
  dualObjective: number | null;
  dualityGap: number | null;
  /** As `Certificate.relativeGap`. */
  relativeGap: number | null;
  /**
   * One for each validation set, in their order; top-k accuracy for k = 1, 3, 5 and the loss's own k, as far as below
   * m.
   */
  validation?: Evaluation<prediction>[];
}

/** What is predicted for a row: a label, or, by a model of label sets, a set. */
export type Prediction = Label | Label[];

/** What `Model.evaluate` measures of a model that predicts one label per row. */
export interface ClassEvaluation {
  rows: number;
  /** Mean loss per row, the model's own loss. */
  loss: number;
  /** For each k asked for, the fraction of rows whose label is among the k best scores; ties count as correct. */
  topKAccuracy: Record<number, number>;
}

/** What `Model.evaluate` measures of a model of label sets. */
export interface SetEvaluation {
  rows: number;
  /** Mean loss per row, the model's own loss. */
  loss: number;
  /** At the model's threshold. */
  multilabel: MultilabelEvaluation;
}

/** What `Model.evaluate` measures where only the data tell of which kind the model is. */
export interface EitherEvaluation {
  rows: number;
  loss: number;
  /** As in `ClassEvaluation`. */
  topKAccuracy?: ClassEvaluation["topKAccuracy"];
  /** As in `SetEvaluation`. */
  multilabel?: SetEvaluation["multilabel"];
}

/** What `Model.evaluate` measures. */
export type Evaluation<prediction extends Prediction = Prediction> = [prediction] extends [Label]
  ? ClassEvaluation
  : [prediction] extends [Label[]]
    ? SetEvaluation
    : EitherEvaluation;

/** What is predicted for all rows. */
export type Predictions<prediction extends Prediction = Prediction> = [prediction] extends [Label]
  ? prediction[]
  : [prediction] extends [Label[]]
    ? prediction[]
    : Label[] | Label[][];

/** A class and its score, as `topK` lists them. */
export interface Ranked {
  label: Label;
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
  /** Class j of weights, intercepts and scores. */
  readonly classes: readonly Label[];
  /** m x d, a compact copy. undefined for Gram matrices and kernels but the linear one. */
  readonly weights: DenseMatrix;
  /** m values added to the scores; zeros without intercept. */
  readonly intercepts: Float64Array;
  /** What is proven about the weights; a loaded model has that of the fit it was saved from. */
  readonly certificate: Certificate;
  /**
   * rows x m, row-major: W x + intercepts; with a kernel, the sum of a_i k(x_i, x) over support vectors, + intercepts.
   */
  scores(features: Features): Float64Array;
  /**
   * Of a model of label sets: classes with at least this score are predicted. Where micro F1 is best on the first
   * validation set, or on the training rows, with a kernel but for what rounding makes of their scores; 0 for
   * one-vs-all losses.
   */
  readonly threshold?: number;
  /**
   * The best class of each row; ties go to the lowest class index. Of a model of label sets, all classes with a score
   * of at least `threshold`, in the order of `classes`.
   */
  predict(features: Features): Predictions<prediction>;
  /** The k best classes of each row, best first; ties by class index. k is an integer in [1, m]. */
  topK(features: Features, k: number): Ranked[][];
  /**
   * rows x m, row-major. softmax, topk-entropy (uncalibrated) and multilabel-softmax: softmax of the scores, each row
   * sums to 1; ova-logistic: sigmoid of each score. Other losses throw.
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
   * support vectors are the examples whose row is not zero. Made when first asked for. Absent in a loaded model that
   * was saved without it.
   */
  readonly dualVariables?: DenseMatrix;
  /** Not saved: empty in a loaded model. */
  readonly history: readonly HistoryRecord<prediction>[];
  /**
   * Mean loss and top-k accuracy, or, of label sets, the multilabel metrics. k: default 1, 3 and 5 as far as below m.
   * One label, or array of labels, for each row, all of them `classes`. Needs `await init()` where nothing was fitted.
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
   * certificate. duals: also the dual variables, for a warm start; n m numbers more. Default false.
   */
  toBytes(options?: { duals?: boolean | undefined }): Uint8Array<ArrayBuffer>;
  /** The model as plain data for JSON; `JSON.stringify(model)` calls it. Numbers keep their bits. */
  toJSON(options?: { duals?: boolean | undefined }): object;
}

// ------------------------------------------------------------------------------------------------------------ worker

/** Options of a remote `fit`: those of `fit`, and how its features get there. */
export type RemoteOptions<prediction extends Prediction = Prediction> = FitOptions<prediction> & {
  /**
   * Hand the typed arrays of `features` (`data`, `indices`, `indptr`, `gram`) over to the worker instead of copying
   * them: nothing is copied, and the arrays here, with all others over the same buffers, are empty afterwards. What is
   * refused without a look at the values of features is refused before, which for a million labels takes a tenth of a
   * second here. Default false. What lies in a SharedArrayBuffer is shared with the worker either way; leave it as it
   * is while the fit runs.
   */
  transfer?: boolean | undefined;
};

/** What `connect` of "topk-sdca/worker" returns: fits that run in the worker. */
export interface Remote {
  /**
   * The `fit` of "topk-sdca", with the same checks, messages and results. Data are copied, or handed over, at once, so
   * what happens to them here afterwards changes nothing. Several fits are worked on one after the other, in the order
   * of the calls; `maxSeconds` and the times of a certificate count from when a fit's turn has come.
   *
   * `onProgress` runs here; what it throws, or its promise rejects with, rejects the fit and stops the work, which goes
   * on while a promise is open: the model is there when all of them have ended. An abort reaches the worker within one
   * slice of work, so a record or two may still come; one that has not had its turn is then returned, in its turn, as
   * `fit` does with a signal that was aborted before. "never" for `yieldEvery` means 50 milliseconds: the worker has to
   * hear of aborts.
   *
   * @throws as `fit`; TypeError naming what cannot be copied to a worker; Error once the worker has failed or been
   * terminated.
   */
  fit(features: Features, labels: Labels, options?: RemoteOptions<Label>): Promise<Model<Label>>;
  /** Trains on label sets. */
  fit(features: Features, labels: LabelSets, options?: RemoteOptions<Label[]>): Promise<Model<Label[]>>;
  /** Where only the data tell. */
  fit(features: Features, labels: Labels | LabelSets, options?: RemoteOptions): Promise<Model>;
  /** Ends the worker and rejects every open fit. A MessagePort is closed. */
  terminate(): void;
}

// --------------------------------------------------------------------------------------------------- model selection

/**
 * The values to choose among, each list without repetition. Every loss is combined with those of `k` and `gamma` that
 * it takes.
 */
export interface SelectGrid {
  /** Weights of the losses against the norm, in (0, Infinity). */
  C: readonly number[];
  /** Numbers of guesses that count, integers in [1, m - 1]. */
  k?: readonly number[] | undefined;
  /** Smoothing of the loss, in [0, Infinity); a kernel has a gamma of its own, the same for all cells. */
  gamma?: readonly number[] | undefined;
  /** Names of losses. */
  loss?: readonly string[] | undefined;
}

/** One value of each list of the grid, `k` and `gamma` where the loss takes them: options of `fit`. */
export interface GridValues {
  C: number;
  k?: number;
  gamma?: number;
  loss?: string;
}

/**
 * Options of every fit of `select`: those of `fit`, but for what the grid sets, and for what `select` has itself or
 * does itself: `C`, `lambda`, `initial`, `validation` and `signal`. Where the grid has losses, each takes of `k`,
 * `gamma`, `variant` and `rankWeights` what belongs to it. `onProgress` hears of the evaluations of every fit, and
 * `maxSeconds` is counted for each.
 */
export type SelectFitOptions = Omit<CommonOptions, "C" | "lambda" | "initial" | "validation" | "signal"> & {
  [elsewhere in "C" | "lambda" | "initial" | "validation" | "signal"]?: undefined;
} & {
  loss?: string | undefined;
  k?: number | undefined;
  gamma?: number | undefined;
  variant?: Variant | undefined;
  rankWeights?: RankWeights | undefined;
};

/** What can be chosen by: see `SelectOptions.metric`. */
export type SelectMetric =
  | `top-${number}`
  | "f1-micro"
  | "f1-macro"
  | "f1-instance"
  | "map"
  | "jaccard"
  | "subset"
  | "hamming"
  | "rank-loss"
  | `precision-${number}`
  | `recall-${number}`;

/** Options of `select`. */
export interface SelectOptions {
  grid: SelectGrid;
  /**
   * Parts that the rows are split into, an integer in [2, n], or with `groups` at most as many as there are. Default 5,
   * or as many as there can be.
   */
  folds?: number | undefined;
  /** The group of each row, n labels: the rows of one group stay in one fold. Not with `validation`. */
  groups?: Labels | undefined;
  /** Rows to score on instead of folds: one fit for each cell, on all rows of `features`. */
  validation?: ValidationSet | undefined;
  /**
   * What makes a cell better. One label per example: "top-K", the part of rows whose label is among the K guesses of
   * `topK`, which breaks ties, K in [1, m - 1]; default "top-1". Label sets: "f1-micro" (default), "f1-macro",
   * "f1-instance", "jaccard", "subset", "map" (mean average precision), "precision-K" and "recall-K", K in [1, m], and,
   * small ones better, "hamming" and "rank-loss". Formulas stand with `metrics`.
   */
  metric?: SelectMetric | (string & Record<never, never>) | undefined; // any string, with these for completion
  /** Kept for fits elsewhere, they may be those of any fit; what `SelectFitOptions` leaves out is refused. */
  options?: SelectFitOptions | FitOptions | undefined;
  /**
   * Called after each fit with the number of fits done and of all, the last one included. What it throws, or its
   * promise rejects with, ends the selection. With several workers it may be called while an earlier promise is open.
   */
  onProgress?: ((done: number, of: number) => void) | undefined;
  /** Aborting rejects with the signal's reason, at once; what workers of yours are at then, is left to them. */
  signal?: AbortSignal | undefined;
  /**
   * How many paths are worked on at the same time, an integer >= 1. 1, the default: one after the other, here. More: in
   * as many workers, at most one for each path of each fold, which are started for it and end with it, each with a copy
   * of its rows. Where none starts within 10 seconds (a bundle without their script, a script from another origin, a
   * Content-Security-Policy that forbids them), fits run here. Or give workers that you have connected with
   * "topk-sdca/worker", as a list; they go on afterwards. It never changes the result.
   */
  workers?: number | readonly Pick<Remote, "fit">[] | undefined;
}

/** What `select` found out about one cell of the grid. */
export interface SelectRecord extends GridValues {
  /** Mean of the scores. */
  score: number;
  /** The metric on the rows held out, fold by fold; with `validation` one number. */
  scores: number[];
  /** How each of these fits ended. One that was not solved counts like any other. */
  statuses: Status[];
  /** Wall clock of these fits together. */
  seconds: number;
}

/** What `select` resolves with. */
export interface Selection<prediction extends Prediction = Prediction> {
  /** Fitted with the best grid values on all rows. */
  model: Model<prediction>;
  /** The grid values of the best cell, and its score. */
  best: GridValues & { score: number };
  /** One record for each cell: by loss, k and gamma as the grid lists them, then C ascending. */
  table: SelectRecord[];
}

// ------------------------------------------------------------------------------------- proximal maps, losses, metrics

/** A vector of finite numbers. */
export type Vec = Float64Array | Float32Array | readonly number[];

/** Scores as rows of numbers, or as a matrix. */
export type Scores = readonly (readonly number[] | Float64Array | Float32Array)[] | DenseMatrix;

/**
 * Label sets as class indices: one list for each row of scores, in any order, each class at most once, empty ones
 * allowed.
 */
export type IndexSets = readonly (readonly number[] | Int32Array | Uint32Array | Uint8Array)[];

/**
 * What `metrics.chooseThreshold` can make best: F1 with its three averages, the mean of |h and Y| / |h or Y|, the share
 * of rows with h = Y, or the share of wrong decisions.
 */
export type ThresholdMetric = "f1-micro" | "f1-macro" | "f1-instance" | "jaccard" | "subset" | "hamming";

/** The multilabel metrics by name; `metrics` has the formula of each. */
export interface MultilabelEvaluation {
  /** In [0, 1], 0 is best. */
  rankLoss: number;
  /** In [0, 1]. */
  meanAveragePrecision: number;
  /** At the threshold, in [0, 1], 0 is best. */
  hammingLoss: number;
  /** At the threshold, in [0, 1]. */
  jaccardAccuracy: number;
  /** At the threshold, in [0, 1]. */
  subsetAccuracy: number;
  /** At the threshold, each in [0, 1]. */
  f1: { micro: number; macro: number; instance: number };
  /** For each k asked for, in [0, 1]. */
  precisionAtK: Record<number, number>;
  /** For each k asked for, in [0, 1]. */
  recallAtK: Record<number, number>;
}

/** Parameters of a loss at a vector of scores. k here may exceed the number of classes. */
export interface LossParameters {
  /** Guesses that count, an integer >= 1; of the top-k losses, which need it, and of `rankWeights` by name. */
  k?: number | undefined;
  /** Smoothing of a hinge loss, >= 0; default 0, none. */
  gamma?: number | undefined;
  /** "alpha" (default), "beta", and of "topk-hinge" also "alpha-inclusive". */
  variant?: string | undefined;
  /** Of "weighted-topk-hinge", which needs them. */
  rankWeights?: RankWeights | undefined;
}
