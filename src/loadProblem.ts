import { badValue, type Rows } from "./features.ts";
import type { Pacer } from "./pace.ts";
import type { Settings } from "./settings.ts";
import { refuseTooLarge, ResidentProblem } from "./wasm/problem.ts";

/** Largest magnitudes that scores and weights may reach, with room for rounding and summation. */
const RANGE = { float32: 1e37, float64: 1e290 };

/**
 * Brings a validated problem into WebAssembly memory: features in the storage precision with the constant feature appended,
 * labels, C_i, squared norms. Every value is looked at on the way, and no kernel has run on the data when one is refused.
 */
export async function loadProblem(
  caller: string,
  rows: Rows,
  labels: Int32Array,
  numClasses: number,
  settings: Settings,
  pacer: Pacer,
): Promise<ResidentProblem> {
  const { intercept, interceptScale, precision, loss, seed } = settings;
  const n = rows.count;
  const d = rows.cols;
  const shape = { numExamples: n, numFeatures: d + (intercept ? 1 : 0), numClasses, precision };
  refuseTooLarge(caller, shape);
  const C = settings.lambda === undefined ? (settings.C ?? 1) : 1 / (settings.lambda * n);
  if (!(C > 0 && C < Infinity)) {
    throw new RangeError(`${caller}: "lambda" ${settings.lambda} with ${n} rows gives C = 1/(lambda n) = ${C}`);
  }

  const problem = await ResidentProblem.create(caller, shape, loss, seed);
  problem.y.set(labels);
  problem.C.fill(C);
  let largestNorm = 0;
  let sumOfNorms = 0;
  await pacer.run("load", n, (from, count) => {
    for (let i = from; i < from + count; i++) {
      const { values, offset } = rows.row(i);
      const target = problem.featureRow(i);
      for (let l = 0; l < d; l++) {
        const v: unknown = values[offset + l];
        if (!Number.isFinite(v)) throw badValue(caller, "features", i, l, v);
        target[l] = v as number;
      }
      if (intercept) target[d] = interceptScale;
      const norm = Math.sqrt(problem.measureRow(i));
      if (!Number.isFinite(norm)) throw overflow(caller, target, values, offset, i, precision);
      largestNorm = Math.max(largestNorm, norm);
      sumOfNorms += norm;
    }
  });
  // |W_jl| <= C sum ||x_i|| at every step, since no dual variable exceeds C; so this bounds every score.
  const largestScore = C * sumOfNorms * largestNorm;
  if (!(Math.max(largestScore, C * sumOfNorms, largestNorm) < RANGE[precision])) {
    throw new RangeError(
      `${caller}: with "features" rows of norm up to ${largestNorm.toPrecision(3)} and C = ${C} scores could overflow ` +
        `${precision}; scale the features, or use a smaller C${precision === "float32" ? ' or precision "float64"' : ""}`,
    );
  }
  return problem;
}

/** Says which value of a row is too large for the precision, or that their squares are. */
function overflow(
  caller: string,
  stored: ArrayLike<number>,
  values: ArrayLike<number>,
  offset: number,
  i: number,
  precision: string,
): RangeError {
  for (let l = 0; l < stored.length; l++) {
    if (Number.isFinite(stored[l])) continue;
    return new RangeError(
      `${caller}: "features" row ${i}, column ${l} is ${values[offset + l]}, which overflows ${precision}`,
    );
  }
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
