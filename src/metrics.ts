import { readFiniteDenseRows } from "./features.ts";
import { describe, refuse } from "./errors.ts";
import { rankOf } from "./scoring.ts";
import { check, integer } from "./constraints.ts";
import type { Scores } from "./types.ts";

/** Metrics at given scores (rows x m) and labels as class indices. */
export const metrics = {
  /**
   * Fraction of rows in which fewer than k scores exceed that of the label: it is among the k best, ties counting as
   * correct. Lapin, Hein, Schiele, PAMI 2018, section 3.1. k is an integer in [1, m].
   */
  topKAccuracy(scores: Scores, labels: readonly number[], k: number): number {
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
};
