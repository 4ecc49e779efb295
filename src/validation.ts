import { refuse } from "./errors.ts";
import { readFiniteRows, slice, type Rows } from "./features.ts";
import { indexClasses, lookUpLabels } from "./labels.ts";
import { lossAtScores } from "./lossFunctions.ts";
import type { Loss } from "./losses.ts";
import type { Pacer } from "./pace.ts";
import { scoreRows } from "./predictor.ts";
import { mapRows, rankOf } from "./scoring.ts";
import type { Settings } from "./settings.ts";
import type { Evaluation, Label } from "./types.ts";

/** Mean loss, and the fraction of rows whose label is among the k best, at given scores. */
export function evaluateScores(
  loss: Loss,
  scores: Float64Array,
  labels: Int32Array,
  m: number,
  ks: readonly number[],
): Evaluation {
  const ranks = mapRows(scores, m, (row, i) => rankOf(row, labels[i]));
  const topKAccuracy: Record<number, number> = {};
  for (const k of ks) topKAccuracy[k] = ranks.filter((rank) => rank < k).length / labels.length;
  return { rows: labels.length, loss: lossAtScores(loss, scores, labels) / labels.length, topKAccuracy };
}

/** 1, 3, 5 and the loss's own k, as far as below m. */
export function defaultKs(m: number, own = 1): number[] {
  return [...new Set([1, 3, 5, own])].filter((k) => k < m).sort((a, b) => a - b);
}

/** A validation set, checked. */
export interface HeldOut {
  readonly rows: Rows;
  readonly labels: Int32Array;
}

/** Checks the validation sets; their messages name which one. */
export function readValidation(
  caller: string,
  given: Settings["validation"],
  cols: number,
  classes: readonly Label[],
): HeldOut[] {
  if (given === undefined) return [];
  const index = indexClasses(caller, classes);
  const sets = Array.isArray(given) ? given : [given];
  return sets.map((set, v) => {
    const where = Array.isArray(given) ? `validation[${v}]` : "validation";
    if (typeof set !== "object" || set === null || !("features" in set) || !("labels" in set)) {
      refuse(TypeError, caller, where, "must be { features, labels }");
    }
    const rows = readFiniteRows(caller, `${where}.features`, set.features);
    if (rows.cols !== cols) {
      refuse(RangeError, caller, `${where}.features`, `has ${rows.cols} columns but "features" has ${cols}`);
    }
    const labels = lookUpLabels(caller, set.labels, rows.count, index, "the classes of the training data", where);
    return { rows, labels };
  });
}

/** Scores a validation set with the model of the moment, and evaluates. */
export async function validate(
  { rows, labels }: HeldOut,
  model: Parameters<typeof scoreRows>[0],
  loss: Loss,
  pacer: Pacer,
): Promise<Evaluation> {
  const m = model.intercepts.length;
  const scores = new Float64Array(rows.count * m);
  await pacer.run("validate", rows.count, (from, count) => {
    scores.set(scoreRows(model, slice(rows, from, count)), from * m);
  });
  return evaluateScores(loss, scores, labels, m, defaultKs(m, loss.k));
}
