import type { Rows } from "./features.ts";

/**
 * What is done to a feature row before the model sees it: (x - shift) * factor column by column, or x / ||x|| for unit rows
 * (a zero row stays zero). Learned on the training rows, stored in the model, applied by prediction.
 */
export interface Scaling {
  readonly kind: "standard" | "minmax" | "unit-rows";
  /** d values each; empty for unit rows. */
  readonly shift: Float64Array;
  readonly factor: Float64Array;
}

/**
 * Learns a scaling from rows whose values are finite.
 * standard: mean 0 and standard deviation 1 (population); minmax: [-1, 1]. A constant column is only shifted, to 0.
 */
export function learnScaling(kind: Scaling["kind"], rows: Rows): Scaling {
  if (kind === "unit-rows") return { kind, shift: new Float64Array(0), factor: new Float64Array(0) };
  const d = rows.cols;
  const lo = new Float64Array(d).fill(Infinity);
  const hi = new Float64Array(d).fill(-Infinity);
  for (let i = 0; i < rows.count; i++) {
    const { values, offset } = rows.row(i);
    for (let l = 0; l < d; l++) {
      const v = values[offset + l];
      if (v < lo[l]) lo[l] = v;
      if (v > hi[l]) hi[l] = v;
    }
  }
  if (kind === "minmax") {
    return {
      kind,
      shift: lo.map((v, l) => v / 2 + hi[l] / 2),
      factor: lo.map((v, l) => (hi[l] > v ? 1 / (hi[l] / 2 - v / 2) : 1)),
    };
  }
  // Sums of (v - lo)/(hi - lo), in [0, 1]: nothing overflows, and a large mean does not swamp a small deviation.
  const sum = new Float64Array(d);
  const squares = new Float64Array(d);
  const range = lo.map((v, l) => hi[l] - v);
  for (let i = 0; i < rows.count; i++) {
    const { values, offset } = rows.row(i);
    for (let l = 0; l < d; l++) {
      if (!(range[l] > 0)) continue;
      const v = (values[offset + l] - lo[l]) / range[l];
      sum[l] += v;
      squares[l] += v * v;
    }
  }
  const n = rows.count;
  return {
    kind,
    shift: lo.map((v, l) => v + (sum[l] / n) * (range[l] > 0 ? range[l] : 0)),
    factor: range.map((r, l) => {
      const variance = squares[l] / n - (sum[l] / n) ** 2;
      return r > 0 && variance > 0 ? 1 / (Math.sqrt(variance) * r) : 1;
    }),
  };
}

/** Writes the scaled row into target[0..d). */
export function scaleRow(
  scaling: Scaling,
  values: ArrayLike<number>,
  offset: number,
  d: number,
  target: Float64Array,
): void {
  if (scaling.kind !== "unit-rows") {
    for (let l = 0; l < d; l++) target[l] = (values[offset + l] - scaling.shift[l]) * scaling.factor[l];
    return;
  }
  // The largest entry goes first, so that squares neither overflow nor vanish.
  let largest = 0;
  for (let l = 0; l < d; l++) largest = Math.max(largest, Math.abs(values[offset + l]));
  let norm2 = 0;
  for (let l = 0; l < d; l++) {
    target[l] = largest > 0 ? values[offset + l] / largest : 0;
    norm2 += target[l] * target[l];
  }
  const norm = Math.sqrt(norm2) || 1;
  for (let l = 0; l < d; l++) target[l] /= norm;
}
