import type { Label } from "./data.ts";

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

/**
 * What `metrics.chooseThreshold` can make best: F1 with its three averages, the mean of |h and Y| / |h or Y|, the share
 * of rows with h = Y, or the share of wrong decisions.
 */
export type ThresholdMetric = "f1-micro" | "f1-macro" | "f1-instance" | "jaccard" | "subset" | "hamming";
