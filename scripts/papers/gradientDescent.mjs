// Plain gradient descent on the truncated entropy loss, which is what PAMI section 6.2 names for it; the package takes L-BFGS.
import { fit } from "../../dist/index.js";
import { bestByColumn } from "./chooseC.mjs";

/** Sufficient decrease of a step; each search starts from twice the step before. */
const DECREASE = 1e-4;

/**
 * From the softmax solution at each C; for each number of `steps`, the C that does best on the validation rows.
 *
 * @returns {{ steps: number, accuracy: number[], C: number[] }[]} accuracy per k in per cent
 */
export async function descendByGradient({ k, grid, ks, steps, maxSeconds, train, validation, test }) {
  const best = steps.map(() => bestByColumn(ks));
  let initial;
  for (const C of grid) {
    initial = await fit(train.features, train.labels, { C, intercept: false, tolerance: 1e-3, maxSeconds, initial });
    const { classes } = initial;
    const weights = initial.weights.data;
    const lookUp = ({ features, labels }) => ({ features, labels: labels.map((label) => classes.indexOf(label)) });
    const [own, held, last] = [train, validation, test].map(lookUp);
    const problem = objective(own, k, C, classes.length);
    let point = { weights: Float64Array.from(weights), gradient: new Float64Array(weights.length) };
    point.value = problem(point.weights, point.gradient);
    let size = 1 / (C * own.labels.length);
    for (let step = 1; step <= steps.at(-1); step++) {
      [point, size] = descendOnce(problem, point, 2 * size);
      const place = steps.indexOf(step);
      if (place >= 0) best[place].offer(...[held, last].map((part) => accuracies(point.weights, part, ks)), C);
    }
  }
  return steps.map((count, s) => ({ steps: count, ...best[s].result() }));
}

/** The next point along the steepest descent, and the length of the step, halved until it pays. */
function descendOnce(problem, { weights, value, gradient }, size) {
  const slope = gradient.reduce((sum, entry) => sum + entry * entry, 0);
  for (; size > Number.EPSILON * Number.EPSILON; size /= 2) {
    const next = weights.map((weight, j) => weight - size * gradient[j]);
    if (problem(next) > value - DECREASE * size * slope) continue;
    const there = { weights: next, gradient: new Float64Array(gradient.length) };
    there.value = problem(next, there.gradient);
    return [there, size];
  }
  return [{ weights, value, gradient }, size];
}

function scoresInto(scores, weights, { data, cols }, row) {
  for (let j = 0; j < scores.length; j++) {
    let sum = 0;
    for (let f = 0; f < cols; f++) sum += weights[j * cols + f] * data[row * cols + f];
    scores[j] = sum;
  }
}

/** P = |W|^2/2 + C sum of losses; writes its gradient where asked. */
function objective({ features, labels }, k, C, m) {
  const { data, cols } = features;
  const margins = new Float64Array(m);
  const largest = new Float64Array(k);
  return (weights, gradient) => {
    let value = weights.reduce((sum, weight) => sum + weight * weight, 0) / 2;
    gradient?.set(weights);
    labels.forEach((label, i) => {
      scoresInto(margins, weights, features, i);
      const own = margins[label];
      for (let j = 0; j < m; j++) margins[j] -= own;
      const bound = kthLargest(margins, label, largest);
      const shift = Math.max(bound, 0);
      let sum = Math.exp(-shift);
      for (let j = 0; j < m; j++) {
        margins[j] = j !== label && margins[j] <= bound ? Math.exp(margins[j] - shift) : 0;
        sum += margins[j];
      }
      value += C * (shift + Math.log(sum));
      if (!gradient) return;
      let total = 0;
      const add = (j, share) => {
        for (let f = 0; f < cols; f++) gradient[j * cols + f] += share * data[i * cols + f];
      };
      for (let j = 0; j < m; j++) {
        if (margins[j] === 0) continue;
        const share = (C * margins[j]) / sum;
        total += share;
        add(j, share);
      }
      add(label, -total);
    });
    return value;
  };
}

/** The k-th largest of the values but that at `left`; `largest` has room for k. */
function kthLargest(values, left, largest) {
  largest.fill(-Infinity);
  const last = largest.length - 1;
  for (let j = 0; j < values.length; j++) {
    if (j === left || values[j] <= largest[last]) continue;
    let place = last;
    for (; place > 0 && largest[place - 1] < values[j]; place--) largest[place] = largest[place - 1];
    largest[place] = values[j];
  }
  return largest[last];
}

/** By k, in [0, 1]. Ties go against the true class. */
function accuracies(weights, { features, labels }, ks) {
  const scores = new Float64Array(weights.length / features.cols);
  const hits = Object.fromEntries(ks.map((k) => [k, 0]));
  labels.forEach((label, i) => {
    scoresInto(scores, weights, features, i);
    const above = scores.reduce((count, score, j) => count + (j !== label && score >= scores[label] ? 1 : 0), 0);
    for (const k of ks) if (above < k) hits[k] += 1 / labels.length;
  });
  return hits;
}
