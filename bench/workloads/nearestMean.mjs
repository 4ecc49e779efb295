import { rowReader } from "../lib/nonzeros.mjs";

/**
 * Top-1 and top-5 accuracy on the test rows of the classifier that takes the nearest class mean: a yardstick for how hard a
 * workload is that no solver has a part in.
 */
export function nearestMeanAccuracy({ train, test }, m) {
  const d = train.features.cols;
  const means = new Float64Array(m * d);
  const counts = new Float64Array(m);
  const own = rowReader(train.features);
  train.labels.forEach((y, i) => {
    counts[y]++;
    const count = own.read(i);
    for (let p = 0; p < count; p++) means[y * d + own.columns[p]] += own.values[p];
  });
  const offsets = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    for (let f = 0; f < d; f++) {
      means[j * d + f] /= counts[j];
      offsets[j] -= means[j * d + f] ** 2 / 2;
    }
  }
  const hits = { 1: 0, 5: 0 };
  const scores = new Float64Array(m);
  const { columns, values, read } = rowReader(test.features);
  test.labels.forEach((y, i) => {
    const count = read(i);
    for (let j = 0; j < m; j++) {
      let sum = offsets[j];
      for (let p = 0; p < count; p++) sum += means[j * d + columns[p]] * values[p];
      scores[j] = sum;
    }
    const better = scores.reduce((count, score) => count + (score > scores[y] ? 1 : 0), 0);
    for (const k of [1, 5]) if (better < k) hits[k]++;
  });
  return { 1: hits[1] / test.labels.length, 5: hits[5] / test.labels.length };
}
