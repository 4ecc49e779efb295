import type { Status } from "./certificate.ts";
import type { Labels } from "./data.ts";
import type { Prediction } from "./evaluation.ts";
import type { Model } from "./model.ts";
import type { CommonOptions, FitOptions, RankWeights, ValidationSet, Variant } from "./options.ts";
import type { Remote } from "./remote.ts";

/**
 * The values to choose among, each list with one entry at least and without repetition. Every loss is combined with
 * those of `k` and `gamma` that it takes. TypeError for a list that goes with none of the losses.
 */
export interface SelectGrid {
  /** Weights of the losses against the norm, as `CommonOptions.C`, in (0, Infinity). */
  C: readonly number[];
  /** Numbers of guesses that count, integers in [1, m - 1]. */
  k?: readonly number[] | undefined;
  /** Smoothing of the loss, in [0, Infinity); a kernel has a gamma of its own, the same for all cells. */
  gamma?: readonly number[] | undefined;
  /** Names of losses, as in `LossOptions`, all for the kind of labels that there is. */
  loss?: readonly string[] | undefined;
}

/** One value of each list of the grid, `k` and `gamma` where the loss takes them: options of `fit`. */
export interface GridValues {
  /** Of `SelectGrid.C`. */
  C: number;
  /** Of `SelectGrid.k`; absent where that is, or the loss takes none. */
  k?: number;
  /** Of `SelectGrid.gamma`; absent where that is, or the loss takes none. */
  gamma?: number;
  /** Of `SelectGrid.loss`; absent where that is: then it is that of `SelectOptions.options`. */
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
  /** As in `LossOptions`, default "softmax"; not beside `SelectGrid.loss`. */
  loss?: string | undefined;
  /** An integer in [1, m - 1]; not beside `SelectGrid.k`. */
  k?: number | undefined;
  /** In [0, Infinity), default 0; not beside `SelectGrid.gamma`. */
  gamma?: number | undefined;
  /** Default "alpha". */
  variant?: Variant | undefined;
  /** As in `LossOptions`. */
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
  /** What to try: every combination that makes sense is a cell. */
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
  /** Mean of `scores`. */
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
  /** The grid values of the best cell, and its score; without that they are options of `fit`. */
  best: GridValues & { score: number };
  /** One record for each cell: by loss, k and gamma as the grid lists them, then C ascending. */
  table: SelectRecord[];
}
