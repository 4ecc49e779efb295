import { refuseValue, type Rows } from "./features.ts";
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
  const density = scaling ? 1 : await densityOf(rows, pacer);
  const nonzeros =
    density < (loss.sparse ? SPARSE_BELOW_IF_LISTED : SPARSE_BELOW)
      ? Math.round(density * n * d) + (intercept ? n : 0)
      : undefined;
  const shape: Shape = {
    numExamples: n,
    numFeatures: d + (intercept ? 1 : 0),
    ...(nonzeros !== undefined && { nonzeros }),
    skipsZeros: nonzeros === undefined && density < SKIP_ZEROS_BELOW,
    numClasses,
    precision,
    anchored: settings.anchor !== undefined,
  };
  refuseTooLarge(caller, shape, loss);

  const problem = await ResidentProblem.create(caller, shape, loss, seed);
  problem.y.set(labels);
  problem.C.set(costs);
  const scaled = scaling && new Float64Array(d);
  const scratch = precision === "float32" ? new Float32Array(shape.numFeatures) : new Float64Array(shape.numFeatures);
  const nonzeroAt = new Uint32Array(shape.numFeatures);
  let largestNorm = 0;
  let reach = 0; // sum of C_i ||x_i||
  await pacer.run("load", n, (from, count) => {
    for (let i = from; i < from + count; i++) {
      const row = rows.row(i);
      const target = nonzeros === undefined ? problem.featureRow(i) : scratch;
      if (scaling) {
        scaleRow(scaling, row, scaled!);
        target.set(scaled!);
      } else {
        for (let l = 0; l < d; l++) {
          const v: unknown = row[l];
          if (!Number.isFinite(v)) refuseValue(caller, "features", i, l, v);
          target[l] = v as number;
        }
      }
      if (intercept) target[d] = interceptScale;
      if (nonzeros !== undefined) {
        let count = 0;
        for (let l = 0; l < target.length; l++) if (target[l] !== 0) nonzeroAt[count++] = l;
        const stored = problem.appendRow(i, count);
        for (let p = 0; p < count; p++) {
          stored.indices[p] = nonzeroAt[p];
          stored.values[p] = target[nonzeroAt[p]];
        }
      }
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

/**
 * Rows are stored sparse if less than this part of their values is not zero; less, if steps are over lists of candidates,
 * where dense rows are better for longer. Evaluations skip zeros of dense rows from more on: see bench/sparse.
 */
const SPARSE_BELOW = 0.5;
const SPARSE_BELOW_IF_LISTED = 0.1;
const SKIP_ZEROS_BELOW = 0.5;
const FEW_FEATURES = 32;

/** The part of the values that is not zero; 1 if it is large or there are few features. */
async function densityOf(rows: Rows, pacer: Pacer): Promise<number> {
  const { count: n, cols: d } = rows;
  if (d < FEW_FEATURES) return 1;
  const most = Math.max(SPARSE_BELOW, SKIP_ZEROS_BELOW) * n * d;
  let nonzeros = 0;
  await pacer.run(
    "count",
    n,
    (from, count) => {
      for (let i = from; i < from + count; i++) {
        const row = rows.row(i);
        for (let l = 0; l < d; l++) if (row[l] !== 0) nonzeros++;
      }
    },
    () => nonzeros > most,
  );
  return nonzeros > most ? 1 : nonzeros / (n * d);
}

/** Says which value of a row is too large for the precision, or that their squares are. */
function overflow(
  caller: string,
  stored: ArrayLike<number>,
  { cols, row }: Rows,
  i: number,
  { precision, interceptScale }: Settings,
): RangeError {
  const values = row(i);
  for (let l = 0; l < stored.length; l++) {
    if (Number.isFinite(stored[l])) continue;
    const [what, value] =
      l < cols ? [`"features" row ${i}, column ${l}`, values[l]] : ['"interceptScale"', interceptScale];
    return new RangeError(`${caller}: ${what} is ${value}, which overflows ${precision}`);
  }
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
