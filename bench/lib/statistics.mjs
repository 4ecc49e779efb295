/** Summaries of repeated measurements. */

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and spread; undefined for no values. */
export function summarise(values) {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

export const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

/** Least squares of log y = log scale + exponent log x. Needs two different x; all x, y > 0. */
export function fitPower(points) {
  const logs = points.map(({ x, y }) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, pair) => sum + pair[i], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let xy = 0;
  let xx = 0;
  for (const [x, y] of logs) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) ** 2;
  }
  const exponent = xy / xx;
  return { exponent, scale: Math.exp(meanY - exponent * meanX) };
}

/** What a line through fewer points says is chance. */
const FEWEST_POINTS = 4;

/** The power over the upper half of the range of x, where fixed costs weigh least, and where that begins; undefined where it has few points. */
export function upperPower(points) {
  const xs = points.map(({ x }) => x);
  const middle = Math.sqrt(Math.min(...xs) * Math.max(...xs));
  const upper = points.filter(({ x }) => x >= middle * (1 - 1e-9));
  return upper.length < FEWEST_POINTS ? undefined : { ...fitPower(upper), from: Math.min(...upper.map(({ x }) => x)) };
}
