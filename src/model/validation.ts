import { refuse } from "../errors.ts";
import { slice, type Rows } from "../features.ts";
import { readRowsToScore } from "../gram.ts";
import { ROWS_TOGETHER, scoresOf, type Scoring } from "./kernelScores.ts";
import { indexClasses, lookUpLabels, numExamples, type Truth } from "../labels.ts";
import { lossAtScores } from "../lossFunctions.ts";
import type { Loss } from "../losses.ts";
import { evaluateMultilabel } from "../metrics/multilabelMetrics.ts";
import type { Pacer } from "../pace/pace.ts";
import { finiteScores } from "./predictor.ts";
import { mapRows, rankOf } from "./scoring.ts";
import { settingNames, type Settings } from "../settings.ts";
import { STEP, type Steps } from "../pace/steps.ts";
import { searchThreshold } from "../metrics/threshold.ts";
import type { EitherEvaluation, Label, ValidationSet } from "../types.ts";

/** Mean loss, and how the true classes rank, at given scores. `threshold`: of a model of label sets. */
export function* evaluateScores(
  loss: Loss,
  scores: Float64Array,
  truth: Truth,
  m: number,
  ks: readonly number[],
  threshold: number | undefined,
): Steps<EitherEvaluation> {
  const { indices, offsets } = truth;
  const n = numExamples(truth);
  const atOnce = Math.ceil(STEP / m);
  let total = 0;
  const hits = ks.map(() => 0);
  for (let from = 0; from < n; from += atOnce) {
    yield;
    const rows = Math.min(atOnce, n - from);
    const part = scores.subarray(from * m, (from + rows) * m);
    const of = offsets
      ? { indices, offsets: offsets.subarray(from, from + rows + 1) }
      : { indices: indices.subarray(from, from + rows) };
    total += lossAtScores(loss, part, of);
    if (offsets) continue;
    for (const rank of mapRows(part, m, (row, i) => rankOf(row, of.indices[i]))) {
      for (const [e, k] of ks.entries()) if (rank < k) hits[e]++;
    }
  }
  const common = { rows: n, loss: total / n };
  if (offsets) {
    const multilabel = yield* evaluateMultilabel(asRows(scores, m), { indices, offsets }, threshold!, ks);
    return { ...common, multilabel };
  }
  return { ...common, topKAccuracy: Object.fromEntries(ks.map((k, e) => [k, hits[e] / n])) };
}

const asRows = (scores: Float64Array, m: number): Rows<Float64Array> => ({
  count: scores.length / m,
  cols: m,
  row: (i) => scores.subarray(i * m, (i + 1) * m),
});

/**
 * The threshold of label sets that makes micro F1 largest at the scores of their rows; one-vs-all losses have theirs at 0, and
 * then nothing is scored.
 */
export async function thresholdFor(
  loss: Loss,
  { indices, offsets }: Truth,
  m: number,
  score: () => Promise<Float64Array>,
  pacer: Pacer,
): Promise<number | undefined> {
  if (!offsets) return undefined;
  if (loss.oneVsAll) return 0;
  return pacer.finish(searchThreshold(asRows(await score(), m), { indices, offsets }, "f1-micro"));
}

/** 1, 3, 5 and the loss's own k, as far as below m. */
export function defaultKs(m: number, own = 1): number[] {
  return [...new Set([1, 3, 5, own])].filter((k) => k < m).sort((a, b) => a - b);
}

/** A validation set, checked. */
export interface HeldOut {
  /** The argument that the rows have come in. */
  readonly argument: string;
  readonly rows: Rows;
  readonly truth: Truth;
}

/** Checks the validation sets; their messages name which one. */
export function* readValidation(
  caller: string,
  given: Settings["validation"],
  { cols, gram }: Rows,
  classes: readonly Label[],
  kind: "class" | "set",
): Steps<HeldOut[]> {
  if (given === undefined) return [];
  const index = indexClasses(caller, classes);
  const sets = (Array.isArray(given) ? given : [given]) as readonly ValidationSet[];
  const read: HeldOut[] = [];
  for (const [v, set] of sets.entries()) {
    const where = Array.isArray(given) ? `validation[${v}]` : "validation";
    if (typeof set !== "object" || set === null || !("features" in set) || !("labels" in set)) {
      refuse(TypeError, caller, where, "must be { features, labels }");
    }
    const option = Object.keys(set).find((name) => settingNames.includes(name));
    if (option)
      refuse(TypeError, caller, where, `has "${option}", which is an option of the fit; there is { features, labels }`);
    const rows = yield* readRowsToScore(caller, `${where}.features`, set.features, cols, gram !== undefined);
    if (rows.cols !== cols) {
      refuse(RangeError, caller, `${where}.features`, `has ${rows.cols} columns but "features" has ${cols}`);
    }
    const whose = 'the classes of the training data; the option "classes" says what others there may be';
    const truth = yield* lookUpLabels(caller, set.labels, rows.count, index, kind, whose, 'in "labels"', where);
    read.push({ argument: `${where}.features`, rows, truth });
  }
  return read;
}

/** Scores of all rows by the model of the moment. */
export async function scoreAll(
  rows: Rows,
  model: Scoring,
  pacer: Pacer,
  look?: (scores: Float64Array, first: number) => void,
): Promise<Float64Array> {
  const m = model.intercepts.length;
  const scores = new Float64Array(rows.count * m);
  const together = model.expansion ? ROWS_TOGETHER : 1;
  const score = (from: number, count: number): void => {
    const part = scoresOf(model, slice(rows, from, count));
    look?.(part, from);
    scores.set(part, from * m);
  };
  await pacer.run("score", rows.count, score, undefined, together);
  return scores;
}

/** The same of held-out rows, which nobody has looked at before: scores may overflow. */
export async function scoreHeldOut(
  caller: string,
  { rows, argument }: HeldOut,
  model: Scoring,
  pacer: Pacer,
): Promise<Float64Array> {
  const look = (scores: Float64Array, first: number): void => {
    finiteScores(caller, scores, model.intercepts.length, argument, first);
  };
  return scoreAll(rows, model, pacer, look);
}
