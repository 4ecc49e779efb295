import { packSets, type PackedSets } from "./arrays/packedSets.ts";
import { check, integer, number, oneOf, readParameters } from "./constraints.ts";
import { describe, refuse } from "./errors.ts";
import { readFiniteDenseRows, type Rows } from "./features.ts";
import {
  averagePrecisionTally,
  partitionTally,
  rankLossTally,
  tallyRows,
  topKTally,
  type Partition,
} from "./metrics/multilabelMetrics.ts";
import { bestThreshold, thresholdMetrics } from "./metrics/threshold.ts";
import { rankOf } from "./model/scoring.ts";
import { finish } from "./pace/steps.ts";
import type { IndexSets, Scores, ThresholdMetric } from "./types.ts";

const averages = ["micro", "macro", "instance"] as const;

/** Scores and label sets, checked, in the order in which the functions below want them. */
function read(caller: string, scores: Scores, sets: IndexSets): [Rows<ArrayLike<number>>, PackedSets] {
  const rows = readFiniteDenseRows(caller, "scores", scores);
  return [rows, packSets(caller, sets, rows.count, rows.cols)];
}

/** All that depends on a threshold. */
function partition<options extends { threshold: number }>(
  caller: string,
  scores: Scores,
  sets: IndexSets,
  o: options,
  ...others: (keyof options & string)[]
): Partition {
  const [rows, packed] = read(caller, scores, sets);
  const { threshold } = readParameters(caller, o, ["threshold", ...others]);
  check(caller, "threshold", threshold, number("[", -Infinity, Infinity, "]"));
  return tallyRows(rows, packed, partitionTally(rows.cols, threshold));
}

/** Precision and recall at one k. */
function atK(caller: string, scores: Scores, sets: IndexSets, k: number) {
  const [rows, packed] = read(caller, scores, sets);
  check(caller, "k", k, integer(1, rows.cols));
  return tallyRows(rows, packed, topKTally(rows.cols, [k]));
}

/**
 * Metrics at given scores f (rows x m, finite, at least one row) and labels as class indices in [0, m - 1]: one label
 * for each row, or a set Y of them. 0/0 is 0. All are in [0, 1]; 0 is best of `rankLoss` and `hammingLoss`, 1 of the
 * others. Where there is a threshold, any number or infinity, the prediction is h = { j : f_j >= threshold }. Formulas:
 * Lapin, Hein, Schiele, PAMI 2018, section 3.1. All throw TypeError or RangeError naming the argument, the place and
 * the value.
 */
export const metrics = {
  /**
   * Fraction of rows in which fewer than k scores exceed that of the label: it is among the k best, ties counting as
   * correct. Lapin, Hein, Schiele, PAMI 2018, Eq. 1. k is an integer in [1, m].
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * metrics.topKAccuracy(scores, [2, 1], 1); // 0.5
   * metrics.topKAccuracy(scores, [2, 1], 2); // 1
   */
  topKAccuracy(scores: Scores, labels: IndexSets[number], k: number): number {
    const caller = "metrics.topKAccuracy";
    const rows = readFiniteDenseRows(caller, "scores", scores);
    const m = rows.cols;
    check(caller, "k", k, integer(1, m));
    const indexed = labels as ArrayLike<number>;
    if (typeof labels !== "object" || labels === null || typeof indexed.length !== "number") {
      refuse(TypeError, caller, "labels", `must be an array of class indices, got ${describe(labels)}`);
    }
    if (indexed.length !== rows.count) {
      refuse(RangeError, caller, "labels", `has length ${indexed.length} but "scores" has ${rows.count} rows`);
    }
    const classIndex = integer(0, m - 1);
    let correct = 0;
    for (let i = 0; i < rows.count; i++) {
      const y = indexed[i];
      check(caller, "labels", y, classIndex, `entry ${i}`);
      if (rankOf(rows.row(i), y) < k) correct++;
    }
    return correct / rows.count;
  },

  /**
   * Rank loss: the share of pairs (y in Y, j not in Y) with f_y <= f_j, averaged over the rows that have such pairs.
   * Ties count as wrong; rows whose set is empty or full are left out.
   *
   * @example
   * metrics.rankLoss([[0.9, 0.2, 0.6]], [[0, 1]]); // 0.5
   */
  rankLoss(scores: Scores, sets: IndexSets): number {
    const [rows, packed] = read("metrics.rankLoss", scores, sets);
    return tallyRows(rows, packed, rankLossTally(rows.cols));
  },

  /**
   * P@k: |T and Y| / k, averaged over all rows, where T are the k classes with the best scores, ties going to the lower
   * index. k is an integer in [1, m].
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.precisionAtK(scores, sets, 2); // 0.75
   */
  precisionAtK(scores: Scores, sets: IndexSets, k: number): number {
    return atK("metrics.precisionAtK", scores, sets, k).precisionAtK[k];
  },

  /**
   * R@k: |T and Y| / |Y|, averaged over the rows whose set is not empty, where T are the k classes with the best
   * scores, ties going to the lower index. k is an integer in [1, m].
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.recallAtK(scores, sets, 1); // 0.75
   */
  recallAtK(scores: Scores, sets: IndexSets, k: number): number {
    return atK("metrics.recallAtK", scores, sets, k).recallAtK[k];
  },

  /**
   * mAP: the average precision of each class that occurs, averaged over these classes. The average precision is sum_t
   * (R(t) - R(t')) P(t) over the distinct scores t of the class, falling, t' the one before: P(t) and R(t) are
   * precision and recall of { i : f_i >= t }. Nothing is interpolated.
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.meanAveragePrecision(scores, sets); // 0.8333
   */
  meanAveragePrecision(scores: Scores, sets: IndexSets): number {
    const [rows, packed] = read("metrics.meanAveragePrecision", scores, sets);
    return tallyRows(rows, packed, finish(averagePrecisionTally(rows, packed)));
  },

  /**
   * Hamming loss: the share of the rows x m decisions that are wrong, sum |h xor Y| / (rows m).
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.hammingLoss(scores, sets, { threshold: 0.5 }); // 0.1667
   */
  hammingLoss(scores: Scores, sets: IndexSets, o: { threshold: number }): number {
    return partition("metrics.hammingLoss", scores, sets, o).hammingLoss;
  },

  /**
   * Multilabel accuracy: the mean of |h and Y| / |h or Y|; a row with both empty counts 0.
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.jaccardAccuracy(scores, sets, { threshold: 0.5 }); // 0.75
   */
  jaccardAccuracy(scores: Scores, sets: IndexSets, o: { threshold: number }): number {
    return partition("metrics.jaccardAccuracy", scores, sets, o).jaccardAccuracy;
  },

  /**
   * Subset accuracy: the share of rows with h = Y; a row with both empty counts 1.
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.subsetAccuracy(scores, sets, { threshold: 0.5 }); // 0.5
   */
  subsetAccuracy(scores: Scores, sets: IndexSets, o: { threshold: number }): number {
    return partition("metrics.subsetAccuracy", scores, sets, o).subsetAccuracy;
  },

  /**
   * F1 = 2 TP / (2 TP + FP + FN), where TP, FP and FN are averaged first and F1 is taken afterwards. average "micro":
   * over rows and classes, one F1; "macro": over rows, the mean of the F1 of all m classes; "instance": over classes,
   * the mean of the F1 of all rows. A class or row with no TP, FP or FN counts 0.
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.f1(scores, sets, { threshold: 0.5, average: "micro" }); // 0.8571
   * metrics.f1(scores, sets, { threshold: 0.5, average: "macro" }); // 0.8889
   */
  f1(scores: Scores, sets: IndexSets, o: { threshold: number; average: "micro" | "macro" | "instance" }): number {
    const values = partition("metrics.f1", scores, sets, o, "average").f1;
    check("metrics.f1", "average", o.average, oneOf(averages));
    return values[o.average];
  },

  /**
   * The threshold at which a metric is best, and the metric there. metric: default "f1-micro"; "hamming" is made small,
   * all others large. Every cut between two distinct scores is considered, and predicting everything or nothing;
   * differences that rounding alone explains are ties, and of ties the largest threshold wins: the fewest labels.
   *
   * The threshold lies midway between the lowest score predicted and the next one below. To predict nothing, it lies
   * max(1, |s|) above the largest score s; for everything, as far below the smallest. Choose it on rows held out from
   * training. O(rows m) time, 24 bytes for each score. Lapin, Hein, Schiele, PAMI 2018, section 6.3.
   *
   * @example
   * const scores = [[0.9, 0.2, 0.6], [0.1, 0.8, 0.7]];
   * const sets = [[0, 2], [1]];
   * metrics.chooseThreshold(scores, sets); // { threshold: 0.4, value: 0.8571 }
   * metrics.chooseThreshold(scores, sets, { metric: "hamming" }); // { threshold: 0.75, value: 0.1667 }
   */
  chooseThreshold(
    scores: Scores,
    sets: IndexSets,
    o?: { metric?: ThresholdMetric | undefined },
  ): { threshold: number; value: number } {
    const caller = "metrics.chooseThreshold";
    const [rows, packed] = read(caller, scores, sets);
    const { metric = "f1-micro" } = readParameters(caller, o, ["metric"]);
    check(caller, "metric", metric, oneOf(thresholdMetrics));
    return bestThreshold(rows, packed, metric);
  },
};
