/**
 * Multilabel metrics at given scores f and label sets Y: Lapin, Hein, Schiele, PAMI 2018, section 3.1. A prediction is
 * h = { j : f_j >= threshold }. 0/0 is 0. Each metric is a tally that the rows are told to one by one, so that one pass
 * gives any number of them.
 */
import type { PackedSets } from "../arrays/packedSets.ts";
import type { Rows } from "../features.ts";
import { finish, STEP, type Steps } from "../pace/steps.ts";
import type { MultilabelEvaluation } from "../types.ts";

/** One row: its m scores, its set of labels, and for each class j 1 if it is relevant, that is in the set, else 0. */
type AddRow = (scores: ArrayLike<number>, labels: Int32Array, relevant: Uint8Array) => void;

/** Takes the rows in, then says what they amount to. */
interface Tally<Result> {
  readonly add: AddRow;
  readonly result: () => Result;
}

const ratio = (a: number, b: number): number => (b === 0 ? 0 : a / b);

/** 2 TP / (2 TP + FP + FN) from TP, |h| = TP + FP and |Y| = TP + FN, added up or averaged alike. */
export const f1 = (hits: number, predicted: number, actual: number): number => ratio(2 * hits, predicted + actual);

/** |h and Y| / |h or Y|. */
export const jaccard = (hits: number, predicted: number, actual: number): number =>
  ratio(hits, predicted + actual - hits);

/** Where the entries <= s of the ascending sorted[from .. to) end. O(log(to - from)). */
function upperBound(sorted: Float64Array, from: number, to: number, s: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle] <= s) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Tells `add` every row. */
export function* forEachRow(rows: Rows<ArrayLike<number>>, { offsets, indices }: PackedSets, add: AddRow): Steps<void> {
  const relevant = new Uint8Array(rows.cols);
  const atOnce = Math.ceil(STEP / rows.cols);
  for (let i = 0; i < rows.count; i++) {
    if (i % atOnce === 0) yield;
    const labels = indices.subarray(offsets[i], offsets[i + 1]);
    for (const y of labels) relevant[y] = 1;
    add(rows.row(i), labels, relevant);
    for (const y of labels) relevant[y] = 0;
  }
}

/** What one tally says of all rows. */
export function tallyRows<Result>(
  rows: Rows<ArrayLike<number>>,
  sets: PackedSets,
  { add, result }: Tally<Result>,
): Result {
  finish(forEachRow(rows, sets, add));
  return result();
}

/**
 * Mean share of pairs (y in Y, j not in Y) with f_y <= f_j, over rows that have such pairs. O(m log |Y|) for each row.
 */
export function rankLossTally(m: number): Tally<number> {
  const own = new Float64Array(m);
  let total = 0;
  let counted = 0;
  return {
    add(scores, labels, relevant) {
      const size = labels.length;
      if (size === 0 || size === m) return;
      for (let p = 0; p < size; p++) own[p] = scores[labels[p]];
      own.subarray(0, size).sort();
      let reversed = 0;
      for (let j = 0; j < m; j++) if (!relevant[j]) reversed += upperBound(own, 0, size, scores[j]);
      total += reversed / (size * (m - size));
      counted++;
    },
    result: () => ratio(total, counted),
  };
}

/**
 * |T and Y| / k averaged over all rows, and |T and Y| / |Y| over rows with labels, for each k; T are the k best scores,
 * ties to the lower index. O(m log m + m ks) for each row.
 */
export function topKTally(
  m: number,
  ks: readonly number[],
): Tally<Pick<MultilabelEvaluation, "precisionAtK" | "recallAtK">> {
  const sorted = new Float64Array(m);
  const total = ks.map(() => 0);
  const recall = ks.map(() => 0);
  let rows = 0;
  let labelled = 0;
  const byK = (value: (p: number) => number): Record<number, number> =>
    Object.fromEntries(ks.map((k, p) => [k, value(p)]));
  return {
    add(scores, labels, relevant) {
      rows++;
      if (labels.length === 0) return;
      labelled++;
      for (let j = 0; j < m; j++) sorted[j] = scores[j];
      sorted.sort();
      for (let p = 0; p < ks.length; p++) {
        const last = sorted[m - ks[p]];
        let ties = ks[p] - (m - upperBound(sorted, 0, m, last)); // as many as still fit in
        let hits = 0;
        for (let j = 0; j < m; j++) {
          const s = scores[j];
          if (s > last || (s === last && ties-- > 0)) hits += relevant[j];
        }
        total[p] += hits;
        recall[p] += hits / labels.length;
      }
    },
    result: () => ({
      precisionAtK: byK((p) => ratio(total[p], ks[p] * rows)),
      recallAtK: byK((p) => ratio(recall[p], labelled)),
    }),
  };
}

/**
 * Mean over the classes that occur of the average precision: the sum over distinct scores t, falling, of precision at {
 * i : f_ij >= t } times the growth of recall. Only scores of relevant rows let recall grow, so only these are sorted,
 * and the others are counted between them: O(log of the class's size) for each score.
 */
export function* averagePrecisionTally(rows: Rows<ArrayLike<number>>, sets: PackedSets): Steps<Tally<number>> {
  const m = rows.cols;
  const starts = new Uint32Array(m + 1);
  for (const y of sets.indices) starts[y + 1]++;
  for (let j = 0; j < m; j++) starts[j + 1] += starts[j];
  const own = new Float64Array(sets.indices.length); // class after class, ascending
  const ends = starts.slice(0, m);
  yield* forEachRow(rows, sets, (scores, labels) => {
    for (const y of labels) own[ends[y]++] = scores[y];
  });
  for (let j = 0; j < m; j++) {
    yield;
    own.subarray(starts[j], ends[j]).sort();
  }

  const others = new Uint32Array(own.length); // irrelevant rows from this score up to the next
  return {
    add(scores, _labels, relevant) {
      for (let j = 0; j < m; j++) {
        if (relevant[j]) continue;
        const p = upperBound(own, starts[j], ends[j], scores[j]);
        if (p > starts[j]) others[p - 1]++;
      }
    },
    result() {
      let total = 0;
      let occurring = 0;
      for (let j = 0; j < m; j++) {
        const size = ends[j] - starts[j];
        if (size === 0) continue;
        let precisions = 0;
        let misses = 0;
        let first = ends[j];
        while (first > starts[j]) {
          const end = first--;
          while (first > starts[j] && own[first - 1] === own[first]) first--; // [first, end) is one score
          misses += others[end - 1];
          const hits = ends[j] - first;
          precisions += ((end - first) * hits) / (hits + misses);
        }
        total += precisions / size;
        occurring++;
      }
      return ratio(total, occurring);
    },
  };
}

/** What depends on a threshold. */
export type Partition = Pick<MultilabelEvaluation, "hammingLoss" | "jaccardAccuracy" | "subsetAccuracy" | "f1">;

/** Hamming loss, accuracies and F1 of the prediction h = { j : f_j >= threshold }. O(m) for each row. */
export function partitionTally(m: number, threshold: number): Tally<Partition> {
  const hitsOf = new Float64Array(m);
  const predictedOf = new Float64Array(m);
  const actualOf = new Float64Array(m);
  let rows = 0;
  let accuracies = 0;
  let exact = 0;
  let instance = 0;
  return {
    add(scores, labels, relevant) {
      let hits = 0;
      let predicted = 0;
      for (let j = 0; j < m; j++) {
        if (!(scores[j] >= threshold)) continue;
        predicted++;
        predictedOf[j]++;
        hits += relevant[j];
        hitsOf[j] += relevant[j];
      }
      for (const y of labels) actualOf[y]++;
      const actual = labels.length;
      rows++;
      accuracies += jaccard(hits, predicted, actual);
      instance += f1(hits, predicted, actual);
      if (hits === predicted && hits === actual) exact++;
    },
    result() {
      let hits = 0;
      let predicted = 0;
      let actual = 0;
      let macro = 0;
      for (let j = 0; j < m; j++) {
        hits += hitsOf[j];
        predicted += predictedOf[j];
        actual += actualOf[j];
        macro += f1(hitsOf[j], predictedOf[j], actualOf[j]);
      }
      return {
        hammingLoss: ratio(predicted + actual - 2 * hits, rows * m),
        jaccardAccuracy: ratio(accuracies, rows),
        subsetAccuracy: ratio(exact, rows),
        f1: { micro: f1(hits, predicted, actual), macro: macro / m, instance: ratio(instance, rows) },
      };
    },
  };
}

/** All of them in one pass: what `Model.evaluate` says of label sets. Each k is an integer in [1, m]. */
export function* evaluateMultilabel(
  rows: Rows<ArrayLike<number>>,
  sets: PackedSets,
  threshold: number,
  ks: readonly number[],
): Steps<MultilabelEvaluation> {
  const ranks = rankLossTally(rows.cols);
  const precisions = yield* averagePrecisionTally(rows, sets);
  const partition = partitionTally(rows.cols, threshold);
  const best = topKTally(rows.cols, ks);
  const tallies = [ranks, precisions, partition, best];
  yield* forEachRow(rows, sets, (...row) => tallies.forEach(({ add }) => add(...row)));
  yield;
  return {
    rankLoss: ranks.result(),
    meanAveragePrecision: precisions.result(),
    ...partition.result(),
    ...best.result(),
  };
}
