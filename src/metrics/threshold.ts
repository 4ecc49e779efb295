import type { PackedSets } from "../arrays/packedSets.ts";
import { sortTagged, type Tagged } from "../arrays/radixSort.ts";
import type { Rows } from "../features.ts";
import { finish, STEP, type Steps } from "../pace/steps.ts";
import type { ThresholdMetric } from "../types.ts";
import { f1, forEachRow, jaccard, partitionTally, tallyRows, type Partition } from "./multilabelMetrics.ts";

/** A metric as a sum over groups of scores, to be made large, and where it stands among the results. */
interface Measure {
  readonly groups: "one" | "classes" | "rows";
  /** Of a group with `predicted` scores >= threshold and `actual` relevant ones; `hits` are both. */
  readonly value: (hits: number, predicted: number, actual: number) => number;
  readonly of: (partition: Partition) => number;
}

const measures: Record<ThresholdMetric, Measure> = {
  "f1-micro": { groups: "one", value: f1, of: (p) => p.f1.micro },
  "f1-macro": { groups: "classes", value: f1, of: (p) => p.f1.macro },
  "f1-instance": { groups: "rows", value: f1, of: (p) => p.f1.instance },
  jaccard: { groups: "rows", value: jaccard, of: (p) => p.jaccardAccuracy },
  subset: {
    groups: "rows",
    value: (hits, predicted, actual) => (hits === predicted && hits === actual ? 1 : 0),
    of: (p) => p.subsetAccuracy,
  },
  hamming: {
    groups: "one",
    value: (hits, predicted, actual) => 2 * hits - predicted - actual,
    of: (p) => p.hammingLoss,
  },
};

export const thresholdMetrics = Object.keys(measures) as ThresholdMetric[];

/** The value of a metric, out of those of all. */
export const valueOf = (metric: ThresholdMetric, partition: Partition): number => measures[metric].of(partition);

/** A sum of many terms, of which most are taken away again: in two numbers, so that it stays as exact as its terms. */
function exactSum() {
  let high = 0;
  let low = 0;
  return {
    add(term: number): void {
      const sum = high + term;
      const grown = sum - high;
      low += high - (sum - grown) + (term - grown);
      high = sum;
    },
    total: () => high + low,
  };
}

/**
 * Midway between two neighbouring scores, above the lower and at most the higher; next to infinity max(1, |s|) from s,
 * as far as there are numbers.
 */
function between(below: number, above: number): number {
  const { MAX_VALUE } = Number;
  if (above === Infinity && below < MAX_VALUE) return Math.min(below + Math.max(1, Math.abs(below)), MAX_VALUE);
  if (below === -Infinity && above < Infinity) return Math.max(above - Math.max(1, Math.abs(above)), -MAX_VALUE);
  const middle = below / 2 + above / 2; // the sum might overflow
  return middle > below && middle <= above ? middle : above;
}

/** The threshold that is best for a metric at these scores, of equally good ones the largest, and the metric there. */
export function bestThreshold(
  rows: Rows<ArrayLike<number>>,
  sets: PackedSets,
  metric: ThresholdMetric,
): { threshold: number; value: number } {
  const threshold = finish(searchThreshold(rows, sets, metric));
  return { threshold, value: measures[metric].of(tallyRows(rows, sets, partitionTally(rows.cols, threshold))) };
}

/** All scores, each tagged with 2 * group + relevant. */
function* takeAll(rows: Rows<ArrayLike<number>>, sets: PackedSets, groups: Measure["groups"]): Steps<Tagged> {
  const { count, cols: m } = rows;
  const keys = new Float64Array(count * m);
  const tags = new Uint32Array(count * m);
  let i = 0;
  yield* forEachRow(rows, sets, (scores, _labels, relevant) => {
    for (let j = 0; j < m; j++) {
      const g = groups === "one" ? 0 : groups === "classes" ? j : i;
      keys[i * m + j] = scores[j] + 0; // -0 becomes 0: by their bits they differ
      tags[i * m + j] = 2 * g + relevant[j];
    }
    i++;
  });
  return { keys, tags };
}

/**
 * Bins of a histogram are for each value of so many of a double's highest bits: about as many as there are scores, but
 * at least one for each doubling, and 64 at most.
 */
const BIN_BITS = { least: 12, most: 18 };

/**
 * Of finite scores, all of one group, those from which a best threshold and its neighbour below will come, tagged as by
 * `takeAll`; undefined if these are many. A histogram has the values between its bins. Where all relevant ones together
 * would not reach the best of these with as many predicted as are above, no lower score need be looked at: mostly one
 * in twenty is left to be sorted.
 */
function* takePromising(
  rows: Rows<ArrayLike<number>>,
  sets: PackedSets,
  value: Measure["value"],
): Steps<Tagged | undefined> {
  const m = rows.cols;
  const bits = Math.min(Math.max(Math.ceil(Math.log2(rows.count * m)), BIN_BITS.least), BIN_BITS.most);
  const row = new Float64Array(m);
  const words = new Int32Array(row.buffer); // little-endian
  const read = (scores: ArrayLike<number>): void => {
    for (let j = 0; j < m; j++) row[j] = scores[j] + 0; // as above
  };
  // Bits of negative numbers are turned over, so that bins are in the order of the numbers.
  const binOf = (j: number): number => {
    const high = words[2 * j + 1];
    return (high < 0 ? ~high : high ^ -0x80000000) >>> (32 - bits);
  };
  const counts = new Uint32Array(1 << bits);
  const relevant = new Uint32Array(1 << bits);
  yield* forEachRow(rows, sets, (scores, labels) => {
    read(scores);
    for (let j = 0; j < m; j++) counts[binOf(j)]++;
    for (const y of labels) relevant[binOf(y)]++;
  });

  const actual = sets.indices.length;
  let best = value(0, 0, actual);
  for (let bin = counts.length - 1, hits = 0, predicted = 0; bin >= 0; bin--) {
    hits += relevant[bin];
    predicted += counts[bin];
    best = Math.max(best, value(hits, predicted, actual));
  }
  let lowest = counts.length;
  let kept = 0;
  while (lowest > 0 && value(actual, Math.max(kept, actual), actual) >= best) kept += counts[--lowest];
  if (2 * kept > rows.count * m) return undefined;

  const keys = new Float64Array(kept);
  const tags = new Uint32Array(kept);
  let to = 0;
  yield* forEachRow(rows, sets, (scores, _labels, isRelevant) => {
    read(scores);
    for (let j = 0; j < m; j++) {
      if (binOf(j) < lowest) continue;
      keys[to] = row[j];
      tags[to++] = isRelevant[j];
    }
  });
  return { keys, tags };
}

/** How many labels of each group are relevant. */
function countActual({ offsets, indices }: PackedSets, groups: Measure["groups"], m: number): Float64Array {
  if (groups === "one") return Float64Array.of(indices.length);
  if (groups === "rows") return Float64Array.from(offsets.subarray(1), (end, i) => end - offsets[i]);
  const actual = new Float64Array(m);
  for (const y of indices) actual[y]++;
  return actual;
}

/**
 * That threshold. Scores are sorted once, of one group as many as matter; going down through them, each changes the
 * value of the one group it belongs to.
 */
export function* searchThreshold(
  rows: Rows<ArrayLike<number>>,
  sets: PackedSets,
  metric: ThresholdMetric,
): Steps<number> {
  const { groups, value } = measures[metric];
  const promising = groups === "one" ? yield* takePromising(rows, sets, value) : undefined;
  const sorted = yield* sortTagged(promising ?? (yield* takeAll(rows, sets, groups)));

  const actual = countActual(sets, groups, rows.cols);
  const numGroups = actual.length;
  const hits = new Float64Array(numGroups);
  const predicted = new Float64Array(numGroups);
  const sum = exactSum();
  for (let g = 0; g < numGroups; g++) sum.add(value(0, 0, actual[g]));
  const slack = 2 * numGroups * Number.EPSILON; // what rounding can make of equal sums
  let best = sum.total();
  let cut = sorted.keys.length; // this one and all above are predicted
  for (let p = cut - 1; p >= 0; p--) {
    if (p % STEP === 0) yield;
    const g = sorted.tags[p] >>> 1;
    const before = value(hits[g], predicted[g], actual[g]);
    predicted[g]++;
    hits[g] += sorted.tags[p] & 1;
    const after = value(hits[g], predicted[g], actual[g]);
    if (after !== before) {
      sum.add(-before);
      sum.add(after);
    }
    if ((p === 0 || sorted.keys[p - 1] !== sorted.keys[p]) && sum.total() > best + slack) {
      best = sum.total();
      cut = p;
    }
  }
  return between(sorted.keys[cut - 1] ?? -Infinity, sorted.keys[cut] ?? Infinity);
}
