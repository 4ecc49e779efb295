/**
 * What weights are worth, recomputed in float64 from the weights alone and by code that no contender uses: the objective
 * P(W) = C sum_i L(W x_i) + 1/2 ||W||^2 on the training rows, and the accuracy on the test rows.
 */
import { readPart } from "../workloads/load.mjs";
import { rowReader } from "./nonzeros.mjs";

/** Losses whose objective a peer minimises too. */
const values = {
  hinge(scores, y) {
    let largest = -1; // where the loss is 0
    for (let j = 0; j < scores.length; j++) if (j !== y) largest = Math.max(largest, scores[j] - scores[y]);
    return 1 + largest;
  },
  "ova-hinge"(scores, y) {
    let sum = 0;
    for (let j = 0; j < scores.length; j++) sum += Math.max(0, 1 + (j === y ? -scores[j] : scores[j]));
    return sum;
  },
  softmax(scores, y) {
    const top = scores.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (let j = 0; j < scores.length; j++) sum += Math.exp(scores[j] - top);
    return Math.log(sum) + top - scores[y];
  },
};

/**
 * @param {object} o weights: m x d numbers, row-major, or `predicted`: one class per test row, for a peer without weights.
 * @returns {{ primal?: number, accuracy?: { 1: number, 5?: number } }} primal where `loss` is one that peers minimise too
 */
export function score({ weights, predicted, workload, data, loss, C }) {
  const { d, m, numTest } = workload;
  const result = {};
  if (weights && values[loss.id]) {
    let sum = 0;
    eachRow(data, weights, m, d, (scores, y) => (sum += values[loss.id](scores, y)));
    result.primal = C * sum + weights.reduce((total, w) => total + w * w, 0) / 2;
  }
  if (numTest === 0) return result;
  const test = readPart(workload, "test");
  if (weights) result.accuracy = topKAccuracy(test, weights, m, d);
  else result.accuracy = { 1: test.labels.reduce((hits, y, i) => hits + (predicted[i] === y), 0) / numTest };
  return result;
}

/** Ties count as correct, as in the package. */
function topKAccuracy(test, weights, m, d) {
  const hits = { 1: 0, 5: 0 };
  eachRow(test, weights, m, d, (scores, y) => {
    let better = 0;
    for (let j = 0; j < m; j++) if (scores[j] > scores[y]) better++;
    for (const k of [1, 5]) if (better < k) hits[k]++;
  });
  return { 1: hits[1] / test.labels.length, 5: hits[5] / test.labels.length };
}

/** Calls visit(scores, label) for every row; eight classes at a time share the loads of the row, whose zeros are skipped. */
function eachRow({ features, labels }, weights, m, d, visit) {
  const padded = Math.ceil(m / 8) * 8;
  const W = new Float64Array(padded * d); // one kind of array for the loop below; the padding scores 0
  W.set(weights);
  const all = new Float64Array(padded);
  const scores = all.subarray(0, m);
  const { columns, values, read } = rowReader(features);
  for (let i = 0; i < labels.length; i++) {
    const count = read(i);
    for (let j = 0; j < padded; j += 8) scoreEight(all, W, values, columns, count, j, d);
    visit(scores, labels[i]);
  }
}

function scoreEight(scores, W, values, columns, count, j, d) {
  const r0 = j * d;
  const r1 = r0 + d;
  const r2 = r1 + d;
  const r3 = r2 + d;
  const r4 = r3 + d;
  const r5 = r4 + d;
  const r6 = r5 + d;
  const r7 = r6 + d;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let p = 0; p < count; p++) {
    const v = values[p];
    const f = columns[p];
    s0 += v * W[r0 + f];
    s1 += v * W[r1 + f];
    s2 += v * W[r2 + f];
    s3 += v * W[r3 + f];
    s4 += v * W[r4 + f];
    s5 += v * W[r5 + f];
    s6 += v * W[r6 + f];
    s7 += v * W[r7 + f];
  }
  scores[j] = s0;
  scores[j + 1] = s1;
  scores[j + 2] = s2;
  scores[j + 3] = s3;
  scores[j + 4] = s4;
  scores[j + 5] = s5;
  scores[j + 6] = s6;
  scores[j + 7] = s7;
}
