/**
 * Top-1 and top-5 accuracy on the test rows of the classifier that takes the nearest class mean: a yardstick for how hard a
 * workload is that no solver has a part in.
 */
export function nearestMeanAccuracy({ train, test }, m) {
  const d = train.features.cols;
  const means = new Float64Array(m * d);
  const counts = new Float64Array(m);
  train.labels.forEach((y, i) => {
    counts[y]++;
    for (let f = 0; f < d; f++) means[y * d + f] += train.features.data[i * d + f];
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
  test.labels.forEach((y, i) => {
    for (let j = 0; j < m; j++) {
      let sum = offsets[j];
      for (let f = 0; f < d; f++) sum += means[j * d + f] * test.features.data[i * d + f];
      scores[j] = sum;
    }
    const better = scores.reduce((count, score) => count + (score > scores[y] ? 1 : 0), 0);
    for (const k of [1, 5]) if (better < k) hits[k]++;
  });
  return { 1: hits[1] / test.labels.length, 5: hits[5] / test.labels.length };
}
