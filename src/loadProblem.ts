import { badValue, type Rows } from "./features.ts";
import type { Pacer } from "./pace.ts";
import { scaleRow, type Scaling } from "./scaling.ts";
import type { Settings } from "./settings.ts";
import { refuseTooLarge, ResidentProblem, type Shape } from "./wasm/problem.ts";

/** Largest magnitudes that scores and weights may reach, with room for rounding and summation. */
const RANGE = { float32: 1e37, float64: 1e290 };

/**
 * Brings a validated problem into WebAssembly memory: features in the storage precision with the constant feature appended,
 * labels, C_i, squared norms. Every value (when scaled: seen before, when the scaling was learned) is looked at on the way, and no kernel has run on the data when one is refused.
 */
export async function loadProblem(
  caller: string,
  rows: Rows,
  labels: Int32Array,
  costs: Float64Array,
  numClasses: number,
  settings: Settings,
  scaling: Scaling | undefined,
  pacer: Pacer,
): Promise<{ problem: ResidentProblem; largestNorm: number }> {
  const { intercept, interceptScale, precision, loss, seed } = settings;
  const n = rows.count;
  const d = rows.cols;
  const shape: Shape = {
    numExamples: n,
    numFeatures: d + (intercept ? 1 : 0),
    numClasses,
    precision,
    anchored: settings.anchor !== undefined,
  };
  refuseTooLarge(caller, shape, loss);

  const problem = await ResidentProblem.create(caller, shape, loss, seed);
  problem.y.set(labels);
  problem.C.set(costs);
  const scaled = scaling && new Float64Array(d);
  let largestNorm = 0;
  let reach = 0; // sum of C_i ||x_i||
  await pacer.run("load", n, (from, count) => {
    for (let i = from; i < from + count; i++) {
      const { values, offset } = rows.row(i);
      const target = problem.featureRow(i);
      if (scaling) {
        scaleRow(scaling, values, offset, d, scaled!);
        target.set(scaled!);
      } else {
        for (let l = 0; l < d; l++) {
          const v: unknown = values[offset + l];
          if (!Number.isFinite(v)) throw badValue(caller, "features", i, l, v);
          target[l] = v as number;
        }
      }
      if (intercept) target[d] = interceptScale;
      const norm = Math.sqrt(problem.measureRow(i));
      if (!Number.isFinite(norm)) throw overflow(caller, target, rows, i, settings);
      largestNorm = Math.max(largestNorm, norm);
      reach += costs[i] * norm;
    }
  });
  // |W_jl| <= sum C_i ||x_i|| at every step, since no dual variable exceeds C_i; so this bounds every score.
  const largestCost = costs.reduce((a, b) => Math.max(a, b), 0);
  if (!(Math.max(reach * largestNorm, reach, largestNorm, largestCost) < RANGE[precision])) {
    throw new RangeError(
      `${caller}: with "features" rows of norm up to ${largestNorm.toPrecision(3)} and C = ${largestCost} scores could ` +
        `overflow ${precision}; scale the features, or use a smaller C${precision === "float32" ? ' or precision "float64"' : ""}`,
    );
  }
  return { problem, largestNorm };
}

/** Says which value of a row is too large for the precision, or that their squares are. */
function overflow(
  caller: string,
  stored: ArrayLike<number>,
  { cols, row }: Rows,
  i: number,
  { precision, interceptScale }: Settings,
): RangeError {
  const { values, offset } = row(i);
  for (let l = 0; l < stored.length; l++) {
    if (Number.isFinite(stored[l])) continue;
    const [what, value] =
      l < cols ? [`"features" row ${i}, column ${l}`, values[offset + l]] : ['"interceptScale"', interceptScale];
    return new RangeError(`${caller}: ${what} is ${value}, which overflows ${precision}`);
  }
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
