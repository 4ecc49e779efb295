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

/** The exponent over the upper half of the range of x, where fixed costs weigh least; undefined for fewer than two points. */
export function upperExponent(points) {
  const xs = points.map(({ x }) => x);
  const middle = Math.sqrt(Math.min(...xs) * Math.max(...xs));
  const upper = points.filter(({ x }) => x >= middle * (1 - 1e-9));
  return upper.length < 2 ? undefined : fitPower(upper).exponent;
}
