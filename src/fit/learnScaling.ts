import { isSparse, type FeatureRow } from "../arrays/sparseRow.ts";
import { refuse } from "../errors.ts";
import { checkValues, type Rows } from "../features.ts";
import type { Scaling } from "../model/scaling.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";

/** 1/v, or 1 where v is too small to divide by: such a column is as good as constant. */
const reciprocal = (v: number): number => (v > 1e-300 ? 1 / v : 1);

/** Values that differ by no more than these parts of them are one value, computed in different ways. */
const SAME = 8 * Number.EPSILON;

/** Half of hi - lo, 0 for what is constant but for rounding: 0.3 and 0.1 + 0.2. */
function halfRangeOf(lo: number, hi: number): number {
  const half = hi / 2 - lo / 2;
  return half <= (SAME / 2) * Math.max(Math.abs(lo), Math.abs(hi)) ? 0 : half;
}

/**
 * Learns a scaling, looking at every value of which it learns something: what is not finite is refused.
 * standard: mean 0 and standard deviation 1 (population); minmax: [-1, 1]. A constant column is only shifted, to 0.
 */
export async function learnScaling(
  caller: string,
  kind: Settings["scaling"],
  rows: Rows,
  pacer: Pacer,
): Promise<Scaling | undefined> {
  if (kind === "none") return undefined;
  // That learns nothing, and values are looked at when they are stored.
  if (kind === "unit-rows") return { kind, shift: new Float64Array(0), factor: new Float64Array(0) };
  if (rows.nonzeros !== undefined) return learnFactors(caller, kind, rows, pacer);
  const d = rows.cols;
  const lo = new Float64Array(d).fill(Infinity);
  const hi = new Float64Array(d).fill(-Infinity);
  const values = new Float64Array(d);
  /** Calls visit for every row, which is in `values` then: of one kind, whatever they came in. */
  const pass = (name: string, visit: (i: number, row: FeatureRow) => void): Promise<number> =>
    pacer.run(name, rows.count, (from, count) => {
      for (let i = from; i < from + count; i++) {
        const row = rows.row(i) as ArrayLike<number>;
        if (!ArrayBuffer.isView(row)) checkValues(caller, "features", i, row); // it may be of what is no number
        values.set(row);
        visit(i, row);
      }
    });
  await pass("range", (i, row) => {
    if (!widen(values, lo, hi)) checkValues(caller, "features", i, row);
  });
  if (kind === "minmax") {
    return {
      kind,
      shift: lo.map((v, l) => v / 2 + hi[l] / 2),
      factor: lo.map((v, l) => reciprocal(halfRangeOf(v, hi[l]))),
    };
  }
  const moments = momentsOf(lo, hi);
  await pass("moments", () => {
    for (let l = 0; l < d; l++) moments.note(l, values[l], 1);
  });
  const { halfRange, sum } = moments;
  return {
    kind,
    shift: lo.map((v, l) => {
      const mean = sum[l] / rows.count;
      const shift = v + mean * 2 * halfRange[l];
      return Number.isFinite(shift) ? shift : v + mean * halfRange[l] + mean * halfRange[l];
    }),
    factor: moments.factors(rows.count),
  };
}

/** Makes columns as wide as the values of a row; returns whether these are finite, by the sum of their zeros. */
function widen(values: Float64Array, lo: Float64Array, hi: Float64Array): boolean {
  let zero = 0;
  for (let l = 0; l < values.length; l++) {
    const v = values[l];
    zero += 0 * v;
    if (v < lo[l]) lo[l] = v;
    if (v > hi[l]) hi[l] = v;
  }
  return zero === 0;
}

/**
 * Moments of (v - lo)/(hi - lo), in [0, 1], for each column: nothing overflows, and a large mean does not swamp a small
 * deviation.
 */
function momentsOf(lo: Float64Array, hi: Float64Array) {
  const halfRange = lo.map((v, l) => halfRangeOf(v, hi[l]));
  const sum = new Float64Array(lo.length);
  const squares = new Float64Array(lo.length);
  return {
    halfRange,
    sum,
    /** Takes note of a value of a column that is there so many times. */
    note(l: number, value: number, times: number): void {
      if (!(halfRange[l] > 0)) return;
      const v = (value / 2 - lo[l] / 2) / halfRange[l];
      sum[l] += times * v;
      squares[l] += times * v * v;
    },
    /** What divides by the standard deviations of n values each. */
    factors: (n: number): Float64Array =>
      halfRange.map((half, l) => {
        const variance = squares[l] / n - (sum[l] / n) ** 2;
        return reciprocal(Math.sqrt(Math.max(variance, 0)) * 2 * half);
      }),
  };
}

/** The scaling of sparse rows: standard divides by the standard deviation, zeros counted in, and shifts nothing. */
async function learnFactors(caller: string, kind: Scaling["kind"], rows: Rows, pacer: Pacer): Promise<Scaling> {
  if (kind === "minmax") {
    refuse(
      RangeError,
      caller,
      "scaling",
      'must be "standard", "unit-rows" or "none" with sparse features: "minmax" fills zeros',
    );
  }
  const n = rows.count;
  const none = new Float64Array(rows.cols);
  /** Calls visit(column, value) for every value but zeros, which count alike whether they are stored or not. */
  const pass = (name: string, visit: (l: number, v: number) => void): Promise<number> =>
    pacer.run(name, n, (from, count) => {
      for (let i = from; i < from + count; i++) {
        const row = rows.row(i);
        checkValues(caller, "features", i, row);
        if (!isSparse(row)) continue;
        for (let p = 0; p < row.values.length; p++) if (row.values[p] !== 0) visit(row.indices[p], row.values[p]);
      }
    });
  const stored = none.slice();
  const lo = none.slice().fill(Infinity);
  const hi = none.slice().fill(-Infinity);
  await pass("range", (l, v) => {
    stored[l]++;
    lo[l] = Math.min(lo[l], v);
    hi[l] = Math.max(hi[l], v);
  });
  for (let l = 0; l < lo.length; l++) {
    if (stored[l] === n) continue;
    lo[l] = Math.min(lo[l], 0);
    hi[l] = Math.max(hi[l], 0);
  }
  const moments = momentsOf(lo, hi);
  await pass("moments", (l, v) => moments.note(l, v, 1));
  for (let l = 0; l < lo.length; l++) moments.note(l, 0, n - stored[l]);
  return { kind, shift: none, factor: moments.factors(n) };
}
