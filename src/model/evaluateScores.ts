import type { Rows } from "../features.ts";
import { numExamples, type Truth } from "../labels.ts";
import { lossAtScores } from "../lossFunctions.ts";
import type { Loss } from "../losses.ts";
import { evaluateMultilabel } from "../metrics/multilabelMetrics.ts";
import { searchThreshold } from "../metrics/threshold.ts";
import type { Pacer } from "../pace/pace.ts";
import { STEP, type Steps } from "../pace/steps.ts";
import type { EitherEvaluation } from "../types.ts";
import { mapRows, rankOf } from "./scoring.ts";

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
  // Of scores that are finite, as these are, differences may not be: a loss of such is as good as infinite.
  const common = { rows: n, loss: Number.isNaN(total) ? Infinity : total / n };
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
 * The threshold of label sets that makes micro F1 largest at the scores of their rows; one-vs-all losses have theirs at
 * 0, and then nothing is scored.
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
