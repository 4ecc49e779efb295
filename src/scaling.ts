import { refuseValue, type Rows } from "./features.ts";
import type { Pacer } from "./pace.ts";

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

/** 1/v, or 1 where v is too small to divide by: such a column is as good as constant. */
const reciprocal = (v: number): number => (v > 1e-300 ? 1 / v : 1);

/**
 * Learns a scaling, looking at every value on the way: what is not finite is refused.
 * standard: mean 0 and standard deviation 1 (population); minmax: [-1, 1]. A constant column is only shifted, to 0.
 */
export async function learnScaling(caller: string, kind: Scaling["kind"], rows: Rows, pacer: Pacer): Promise<Scaling> {
  const d = rows.cols;
  const lo = new Float64Array(d).fill(Infinity);
  const hi = new Float64Array(d).fill(-Infinity);
  await pacer.run("range", rows.count, (from, count) => {
    for (let i = from; i < from + count; i++) {
      const row = rows.row(i);
      for (let l = 0; l < d; l++) {
        const v: unknown = row[l];
        if (!Number.isFinite(v)) refuseValue(caller, "features", i, l, v);
        lo[l] = Math.min(lo[l], v as number);
        hi[l] = Math.max(hi[l], v as number);
      }
    }
  });
  if (kind === "unit-rows") return { kind, shift: new Float64Array(0), factor: new Float64Array(0) };
  if (kind === "minmax") {
    return {
      kind,
      shift: lo.map((v, l) => v / 2 + hi[l] / 2),
      factor: lo.map((v, l) => reciprocal(hi[l] / 2 - v / 2)),
    };
  }
  // Moments of (v - lo)/(hi - lo), in [0, 1]: nothing overflows, and a large mean does not swamp a small deviation.
  const sum = new Float64Array(d);
  const squares = new Float64Array(d);
  const halfRange = lo.map((v, l) => hi[l] / 2 - v / 2);
  await pacer.run("moments", rows.count, (from, count) => {
    for (let i = from; i < from + count; i++) {
      const row = rows.row(i);
      for (let l = 0; l < d; l++) {
        if (!(halfRange[l] > 0)) continue;
        const v = (row[l] / 2 - lo[l] / 2) / halfRange[l];
        sum[l] += v;
        squares[l] += v * v;
      }
    }
  });
  const n = rows.count;
  return {
    kind,
    shift: lo.map((v, l) => v + (sum[l] / n) * 2 * halfRange[l]),
    factor: halfRange.map((half, l) => {
      const variance = squares[l] / n - (sum[l] / n) ** 2;
      return reciprocal(Math.sqrt(Math.max(variance, 0)) * 2 * half);
    }),
  };
}

/** Writes the scaled row into target, d values. */
export function scaleRow({ kind, shift, factor }: Scaling, row: ArrayLike<number>, target: Float64Array): void {
  const d = target.length;
  if (kind !== "unit-rows") {
    for (let l = 0; l < d; l++) target[l] = (row[l] - shift[l]) * factor[l];
    return;
  }
  // The largest entry goes first, so that squares neither overflow nor vanish.
  let largest = 0;
  for (let l = 0; l < d; l++) largest = Math.max(largest, Math.abs(row[l]));
  let norm2 = 0;
  for (let l = 0; l < d; l++) {
    const v = row[l] / (largest || 1);
    target[l] = v;
    norm2 += v * v;
  }
  for (let l = 0; l < d; l++) target[l] /= Math.sqrt(norm2) || 1;
}
