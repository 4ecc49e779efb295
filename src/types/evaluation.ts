import type { Label } from "./data.ts";

/** What is predicted for a row: a label, or, by a model of label sets, a set. */
export type Prediction = Label | Label[];

/** What `Model.evaluate` measures of a model that predicts one label per row. */
export interface ClassEvaluation {
  /** How many were evaluated. */
  rows: number;
  /** Mean over the rows of the model's own loss, see `losses`; sample and class weights do not count. */
  loss: number;
  /**
   * For each k asked for, the fraction of rows whose label is among the k best scores, that is in which fewer than k
   * scores exceed its own: ties count as correct. Lapin, Hein, Schiele, PAMI 2018, Eq. 1.
   */
  topKAccuracy: Record<number, number>;
}

/** What `Model.evaluate` measures of a model of label sets. */
export interface SetEvaluation {
  /** How many were evaluated. */
  rows: number;
  /** Mean over the rows of the model's own loss, see `losses`; sample and class weights do not count. */
  loss: number;
  /** At the model's threshold. */
  multilabel: MultilabelEvaluation;
}

/** What `Model.evaluate` measures where only the data tell of which kind the model is. */
export interface EitherEvaluation {
  /** How many were evaluated. */
  rows: number;
  /** Mean loss per row, as in the other two. */
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

/**
 * The multilabel metrics by name, of scores u, label sets Y and predictions h = { j : u_j >= threshold }, the mean over
 * rows but where it says otherwise; 0/0 is 0. `metrics` has each of them as a function, with details and sources.
 */
export interface MultilabelEvaluation {
  /** Share of pairs (y in Y, j not in Y) with u_y <= u_j, over rows that have such pairs. In [0, 1], 0 is best. */
  rankLoss: number;
  /** Average precision of each class that occurs, its mean over these classes. In [0, 1]. */
  meanAveragePrecision: number;
  /** |h xor Y| / m. In [0, 1], 0 is best. */
  hammingLoss: number;
  /** |h and Y| / |h or Y|. In [0, 1]. */
  jaccardAccuracy: number;
  /** Share of rows with h = Y. In [0, 1]. */
  subsetAccuracy: number;
  /**
   * 2 TP / (2 TP + FP + FN), in [0, 1]: `micro` of the counts over all rows and classes, `macro` the mean over the m
   * classes, `instance` over the rows.
   */
  f1: { micro: number; macro: number; instance: number };
  /** For each k asked for |T and Y| / k, in [0, 1]. T are the k best scores, ties to the lower index. */
  precisionAtK: Record<number, number>;
  /** For each k asked for |T and Y| / |Y|, over rows that have labels. In [0, 1]. */
  recallAtK: Record<number, number>;
}

/**
 * What `metrics.chooseThreshold` can make best: F1 with its three averages, the mean of |h and Y| / |h or Y|, the share
 * of rows with h = Y, or the share of wrong decisions.
 */
export type ThresholdMetric = "f1-micro" | "f1-macro" | "f1-instance" | "jaccard" | "subset" | "hamming";
