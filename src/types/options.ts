import type { HistoryRecord } from "./certificate.ts";
import type { DenseMatrix, Features, Label, Labels, LabelSets, Vec } from "./data.ts";
import type { Prediction } from "./evaluation.ts";
import type { Model } from "./model.ts";

/**
 * Which top-k hinge loss, with h_j = 1 + u_j - u_y for j != y, h_(1) >= h_(2) >= ...:
 *
 *     "alpha"              max(0, (h_(1) + ... + h_(k))/k)
 *     "alpha-inclusive"    the same over the h_j and 0, for the true class, sorted together
 *     "beta"               (max(0, h_(1)) + ... + max(0, h_(k)))/k
 *
 * alpha <= alpha-inclusive <= beta <= hinge. Of "topk-entropy": how z is bounded, by s/k with "alpha", by 1/k with
 * "beta". Lapin, Hein, Schiele, NIPS 2015, Eq. 3 (alpha-inclusive) and Eq. 5 (beta); PAMI 2018, Prop. 1.
 */
export type Variant = "alpha" | "alpha-inclusive" | "beta";

/**
 * The weights rho_j of "weighted-topk-hinge", for the largest margin first. With k: "flat" 1/k, "linear" 2 (k + 1 -
 * j)/(k (k + 1)) and "exp" e^(-j/k) divided by their sum, j = 1 ... k. Or a list of at most m numbers >= 0, none above
 * the one before, the first above 0, with a finite sum; they are taken as they are. RangeError for other lists.
 * Hirohashi and Kato, 2020, section 7.2.
 */
export type RankWeights = "flat" | "linear" | "exp" | readonly number[];

/**
 * The loss and the options that go with it; `losses` has formulas and sources. An option that does not belong to the
 * loss, or is missing where it is required, is a TypeError, a value out of its range a RangeError.
 *
 * - `loss`: default "softmax". "multilabel-hinge" and "multilabel-softmax" are for label sets, "ova-hinge" and
 *   "ova-logistic" for label sets or one label per example, the others for one label per example; TypeError otherwise.
 * - `k`: how many guesses count, an integer in [1, m - 1]. Required, but refused where `rankWeights` is a list.
 * - `variant`: default "alpha".
 * - `rankWeights`: how much each of them counts, rho_1 >= rho_2 >= ... >= 0. Required.
 * - `gamma`: smoothing of a hinge loss, in [0, Infinity), default 0, the plain loss L. L_gamma(u) = max over p in
 *   DOM(1) of <h, p> - gamma/2 ||p||^2 is below L by at most gamma/2 ("ova-hinge": for each class; more for
 *   "weighted-topk-hinge" and "multilabel-hinge", see docs/losses.md). Larger is smoother: easier to solve, further
 *   from L.
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
 * Parameters of a loss at a vector of scores. k of the top-k losses may be above m - 1 here: then they are 0, but for
 * "beta", and "alpha-inclusive" with k = m.
 */
export interface LossParameters {
  /**
   * Guesses that count, an integer >= 1; of the top-k losses, which need it, and, at most m, of `rankWeights` by name.
   */
  k?: number | undefined;
  /** Smoothing of a hinge loss, in [0, Infinity); default 0, none. */
  gamma?: number | undefined;
  /** "alpha" (default), "beta", and of "topk-hinge" also "alpha-inclusive". */
  variant?: string | undefined;
  /** Of "weighted-topk-hinge", which needs them. */
  rankWeights?: RankWeights | undefined;
}

/**
 * k(x, z) = <x, z>, exp(-gamma ||x - z||^2), or (gamma <x, z> + coef0)^degree. `gamma` in (0, Infinity), of "poly" by
 * default 1 / (d variance of the features), which scikit-learn calls "scale"; `degree` an integer in [1, 100]; `coef0`
 * in [0, Infinity), default 0. TypeError for an option that is missing or not the kernel's own, RangeError for a value
 * out of its range.
 */
export type Kernel =
  | { name: "linear" }
  | { name: "rbf"; gamma: number }
  | { name: "poly"; degree: number; gamma?: number | undefined; coef0?: number | undefined };

/**
 * Options of `fit` that go with every loss. Each is optional; undefined is the default. A value of the wrong kind and
 * an unknown name are a TypeError, a value out of its range is a RangeError.
 */
export interface CommonOptions<prediction extends Prediction = Prediction> {
  /**
   * Weight of the losses against the norm: P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2. In (0, Infinity),
   * default 1.
   */
  C?: number | undefined;
  /** Instead of C: C = 1 / (lambda n), lambda in (0, Infinity). Giving both is a TypeError. */
  lambda?: number | undefined;
  /**
   * All classes, two or more, also ones without examples, in the order that the model is to have them in. Default: the
   * distinct labels, numbers ascending, then strings by code unit. RangeError for a repeated one, or a label that is
   * none of them.
   */
  classes?: readonly Label[] | undefined;
  /** c_i of P, n numbers in (0, Infinity): a weight of 2 counts as two equal examples. Default 1. */
  sampleWeight?: readonly number[] | Float32Array | Float64Array | undefined;
  /**
   * A factor of c_i for each class, in (0, Infinity); classes not named have 1, other names are a RangeError.
   * "balanced": n / (classes present * examples of the class), so that every class counts the same. With label sets it
   * goes with the ova losses alone, and is a factor of the binary loss of a class on the examples that have it, all
   * others having 1. There "balanced" is (n - n_j)/n_j, n_j examples having the class, so that those that have it count
   * as much as those that have not, and 1 for a class that all examples have, or none.
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
   * Default "none". "standard": (x - mean)/deviation for each column, the deviation that of the population; "minmax":
   * (2 x - min - max)/(max - min), in [-1, 1], for each column; "unit-rows": x / ||x||. A constant column is only
   * shifted, to 0, and a zero row stays zero. Learned on CSR features "standard" does not centre, and "minmax" is
   * refused: both would fill zeros. Not with a Gram matrix. `weights` are in the units of the scaled features.
   */
  scaling?: "none" | "standard" | "minmax" | "unit-rows" | undefined;
  /**
   * Scores are sums of a_i k(x_i, x), with a_i the dual variables, and the penalty is the norm that belongs to k, 1/2
   * sum_is <a_i, a_s> k(x_i, x_s). Not with a Gram matrix, which holds the values, nor with truncated-topk-entropy.
   * Default: linear, solved over the weights; `{ name: "linear" }` is the same problem over the dual variables alone,
   * better for fewer examples than features. Values up to 512 MiB are kept, of more those used last.
   */
  kernel?: Kernel | undefined;
  /**
   * Storage of features, weights and dual variables. Default: "float32", but "float64" where dual variables of float32
   * would be too coarse and it fits into memory: where max C_i max ||x_i||^2 is above 1e6, or max ||x_i|| times the
   * mean of C_i ||x_i|| times the root of n above 2.6e5, each times the sum of rank weights or the largest class
   * weight, if there are any; or where scores might overflow float32, or a C_i underflow it. A fit by default, but of
   * truncated-topk-entropy or by Frank-Wolfe's method, that rounding to float32 keeps above its tolerance goes on in
   * float64, for which features are read once more; its model is in float64. Certificates are computed in float64
   * either way. RangeError where scores might overflow, or a C_i underflow, what is stored, and, unless "float64" is
   * asked for, where a value of the features overflows float32.
   */
  precision?: "float32" | "float64" | undefined;
  /**
   * Solved when the relative gap (P - D) / max(|P|, |D|) is at most this, or, for truncated-topk-entropy, stationary
   * when the norm of the gradient of P is. In [0, Infinity), default 1e-3.
   */
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
   * is a step. It needs many more epochs. Hirohashi and Kato, 2020, section 5. RangeError with other losses.
   */
  solver?: "sdca" | "frank-wolfe" | undefined;
  /**
   * Of "frank-wolfe": "standard" moves towards the vertex of steepest ascent, "pairwise" (default) shifts weight to it
   * from the worst vertex, "away" moves towards the one or away from the other. TypeError with another solver.
   */
  direction?: "standard" | "away" | "pairwise" | undefined;
  /** Order of visits, an integer in [0, 4294967295]. Default 0. Same seed, data and build give the same bits. */
  seed?: number | undefined;
  /**
   * Start from the dual variables of a model fitted on the same examples, also with another C, loss, gamma or weights:
   * they are scaled to the new C_i and projected onto the new loss's domain; steps on the entropy and logistic losses
   * begin at a multiple in [0, 1] of them. Of the same problem, an unsolved fit that has given back an earlier point
   * goes on from where it had come to. Needs the same n, m, d, classes and intercept, and a model that has its dual
   * variables. For truncated-topk-entropy its weights are the start, of whatever loss and rows, with the same d,
   * classes and `scaling`. RangeError otherwise.
   */
  initial?: Model | Model<Label[]> | undefined;
  /**
   * W0, the centre of the penalty: a model fitted with the same `scaling`, which is then applied as that model has
   * learned it, not learned anew, so that a column that was constant there stays unscaled; or m x d weights and m
   * intercepts, in the units of the scaled features. Of a model, the classes must be the same, too. Not with a kernel
   * or a Gram matrix.
   */
  anchor?:
    | Model
    | Model<Label[]>
    | {
        /** m x d, row j for `classes[j]`. */
        weights: DenseMatrix | readonly (readonly number[])[];
        /** m numbers; default zeros, and nothing else without `intercept`. */
        intercepts?: Vec | undefined;
      }
    | undefined;
  /** Scored at each evaluation, into `HistoryRecord.validation`. Labels must be known classes. */
  validation?: ValidationSet | readonly ValidationSet[] | undefined;
  /**
   * Called after each evaluation, and waited for if it returns a promise, until `signal` aborts. Where the next one is
   * far off, which it may be where C is large, also on the way there: with what the last one has found, but `epoch`,
   * `visits` and `seconds` of the moment, and not on record in the history. What it throws, or that rejects with,
   * rejects the fit.
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
  /** As those that are trained on, with as many columns; of a Gram matrix kernel values against these, rows x n. */
  features: Features;
  /** One label, or array of labels, for each row, of the kind that the training labels are, all of them classes. */
  labels: Labels | LabelSets;
}
