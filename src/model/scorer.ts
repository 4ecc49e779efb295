import { isSparse, type FeatureRow, type SparseRow } from "../arrays/sparseRow.ts";
import { STEP, type Steps } from "../pace/steps.ts";
import type { DenseMatrix } from "../types.ts";
import { scoresByKernels } from "../wasm/rowScores.ts";
import { kernelScores, type Scoring } from "./kernelScores.ts";
import { scoreRows } from "./predictor.ts";
import { rowScaler } from "./scaling.ts";
import { scoreRow } from "./scoring.ts";

/** The m scores of each of some rows, which may be part of a whole. With weights that is a single step. */
export type Scorer = (rows: readonly FeatureRow[]) => Steps<Float64Array>;

/** A scorer that takes a single step. */
export const atOnce = (score: (rows: readonly FeatureRow[]) => Float64Array): Scorer =>
  function* (rows) {
    return score(rows);
  };

/**
 * To copy the weights feature by feature takes about as long as it saves with so many nonzeros for each feature; and it
 * saves next to nothing where there are so few weights that the second cache has room for them. Measured.
 */
const WORTH_COPYING = { nonzeros: 2, weights: 2 ** 20 };
/** Features copied together: a cache line of float64. */
const FEATURES_AT_ONCE = 8;

/** What scores rows, of which there are `nonzeros` in all if they are sparse: then weights may have to be copied. */
export function* scorerOf(scoring: Scoring, nonzeros = 0): Steps<Scorer> {
  const { weights, expansion, intercepts, scaling } = scoring;
  if (expansion) return (rows) => kernelScores(expansion, scoring, rows);
  const linear = { weights: weights!, intercepts, scaling };
  const { data, cols: d } = linear.weights;
  if (nonzeros < WORTH_COPYING.nonzeros * d || data.length < WORTH_COPYING.weights) {
    const scale = scaling && rowScaler(scaling);
    return atOnce((rows) => scoresByKernels(linear.weights, intercepts, rows, scale) ?? scoreRows(linear, rows));
  }
  const byFeature = yield* transposed(linear.weights);
  const score: typeof scoreRow = (byClass, b, row, scores) => {
    if (isSparse(row)) scoreSparse(byFeature, b, row, scores);
    else scoreRow(byClass, b, row, scores);
  };
  return atOnce((rows) => scoreRows(linear, rows, score));
}

/** The m weights of the first feature, of the second, and so on. */
function* transposed({ data, rows: m, cols: d }: DenseMatrix): Steps<DenseMatrix["data"]> {
  const copy = data.slice();
  const atOnce = Math.ceil(STEP / (m * FEATURES_AT_ONCE)) * FEATURES_AT_ONCE;
  for (let from = 0; from < d; from += FEATURES_AT_ONCE) {
    if (from % atOnce === 0) yield;
    const end = Math.min(from + FEATURES_AT_ONCE, d);
    for (let j = 0; j < m; j++) for (let l = from; l < end; l++) copy[l * m + j] = data[j * d + l];
  }
  return copy;
}

/**
 * As `scoreRow`, to the last bit, by weights feature by feature: a nonzero reads those of all classes, which are
 * neighbours: two fifths of the time on the tags of bench/, 338 classes. scores: m zeros.
 */
function scoreSparse(
  w: DenseMatrix["data"],
  intercepts: Float64Array,
  { indices, values }: SparseRow,
  scores: Float64Array,
): void {
  const m = intercepts.length;
  let p = 0;
  for (; p + 4 <= values.length; p += 4) {
    const [w0, w1, w2, w3] = [indices[p] * m, indices[p + 1] * m, indices[p + 2] * m, indices[p + 3] * m];
    const [x0, x1, x2, x3] = [values[p], values[p + 1], values[p + 2], values[p + 3]];
    for (let j = 0; j < m; j++) {
      scores[j] = scores[j] + x0 * w[w0 + j] + x1 * w[w1 + j] + x2 * w[w2 + j] + x3 * w[w3 + j];
    }
  }
  for (; p < values.length; p++) {
    const first = indices[p] * m;
    for (let j = 0; j < m; j++) scores[j] += values[p] * w[first + j];
  }
  for (let j = 0; j < m; j++) scores[j] += intercepts[j];
}
