import type { Costs } from "./costs.ts";
import { checkValues, countNonzeros, type Rows } from "./features.ts";
import { storeGramRow } from "./gram.ts";
import { FEW_FEATURES, kernelShape, scaleGamma, SPARSE_KERNEL_BELOW } from "./kernel.ts";
import type { Truth } from "./labels.ts";
import { isConvex, hasSparseDuals } from "./losses.ts";
import type { Pacer } from "./pace.ts";
import { evenly } from "./sampling.ts";
import { learnScaling, rowScaler, type Scaling } from "./scaling.ts";
import type { Settings } from "./settings.ts";
import { entriesOf, type FeatureRow } from "./sparseRow.ts";
import type { ResidentKernel } from "./wasm/kernelMatrix.ts";
import { refuseTooLarge, type Shape } from "./wasm/layout.ts";
import { ResidentProblem } from "./wasm/problem.ts";

/** Largest magnitudes that scores and weights may reach, with room for rounding and summation. */
export const RANGE = { float32: 1e37, float64: 1e290 };

/** No dual variable exceeds C_i: below these there is next to no number for them. */
const LEAST_COST = { float32: 1e-44, float64: 0 };

/**
 * Brings a validated problem into WebAssembly memory: features scaled as asked, in the storage precision and with the constant
 * feature appended, or what a kernel needs; labels, C_i, squared norms. What does not fit is refused first. Every value is
 * looked at on the way, and no kernel has run on the data when one is refused.
 */
export async function loadProblem(
  caller: string,
  rows: Rows,
  truth: Truth,
  costs: Costs,
  numClasses: number,
  settings: Settings,
  pacer: Pacer,
): Promise<{ problem: ResidentProblem; scaling: Scaling | undefined; largestNorm: number }> {
  const { intercept, interceptScale, precision, loss, seed } = settings;
  const n = rows.count;
  const d = rows.cols;
  const listed = hasSparseDuals(loss, numClasses);
  const sparseBelow = settings.kernel ? SPARSE_KERNEL_BELOW : listed ? SPARSE_BELOW_IF_LISTED : SPARSE_BELOW;
  const nonzeros = rows.gram ? n * d : await countAll(rows, settings.scaling, sparseBelow, pacer);
  const kernel = kernelShape(caller, rows, nonzeros, settings);
  // A descent has its weights in float64, features being what `precision` makes of them.
  const storage = isConvex(loss) ? precision : "float64";
  const shape: Shape = {
    ...{ numExamples: n, numFeatures: d + (intercept ? 1 : 0), numClasses, precision: storage },
    ...(kernel ? { numFeatures: n, kernel } : chooseStorage(nonzeros, n, d, numClasses, intercept, sparseBelow)),
    ...(truth.offsets && { numLabels: truth.indices.length, weighsLabels: costs.ofLabels !== undefined }),
    anchored: settings.anchor !== undefined,
    ...(settings.direction && { direction: settings.direction }),
  };
  refuseTooLarge(caller, shape, loss);

  const scaling = await learnScaling(caller, settings.scaling, rows, pacer);
  const scale = scaling && rowScaler(scaling);
  const whole =
    kernel && isNaN(kernel.gamma)
      ? { ...shape, kernel: { ...kernel, gamma: await scaleGamma(rows, scale, pacer) } }
      : shape;
  const problem = await ResidentProblem.create(caller, whole, loss, seed);
  problem.y.set(truth.indices);
  if (truth.offsets) problem.offsets.set(truth.offsets);
  problem.C.set(costs.C);
  if (costs.ofLabels) problem.classWeights.set(costs.ofLabels);
  const constant = intercept ? interceptScale : undefined;
  const rounds = precision !== storage;
  const store = (i: number): void => {
    const row = rows.row(i);
    // Of numbers the norm will tell.
    if (problem.kernel || !ArrayBuffer.isView(entriesOf(row).values)) checkValues(caller, "features", i, row);
    const scaled = scale ? scale(row) : row;
    if (problem.kernel) storeInKernel(caller, problem.kernel, rows, i, scaled, precision);
    else problem.features.store(i, scaled, constant, rounds);
  };
  const asTheyAre = !scale && !problem.kernel;
  // As they came, zeros and all, there has to be room for them.
  const needed = (rows.nonzeros ?? Infinity) + (intercept ? n : 0);
  const fits = shape.nonzeros !== undefined && needed <= shape.nonzeros;
  const raw = asTheyAre && !rounds && fits ? rows.raw : undefined;
  await pacer.run("load", n, (from, count) => {
    const block = raw || !asTheyAre ? undefined : rows.block?.(from, count);
    let stored = 0;
    if (raw) stored = problem.appendRows(from, count, raw(from, count), constant);
    else if (block) {
      problem.storeBlock(from, count, block, constant, rounds);
      stored = count;
    }
    for (let i = from + stored; i < from + count; i++) store(i);
    const measured = problem.measureRows(from, count);
    if (measured < count) refuseRow(caller, rows, from + measured, settings);
  });
  // |W_jl| <= sum C_i ||x_i|| at every step, since no dual variable exceeds C_i, times the sum of rank weights or the largest class
  // weight if there are any; so this bounds every score.
  const { ofLabels } = costs;
  const most = loss.weights?.reduce((sum, weight) => sum + weight, 0) ?? largest(ofLabels, 1);
  const { largestNorm, weightedNorms } = problem.takeNorms();
  const reach = most * weightedNorms;
  const largestCost = largest(costs.C, 0) * Math.max(most, 1);
  if (!(Math.max(reach * largestNorm, reach, largestNorm, largestCost) < RANGE[precision])) {
    throw new RangeError(
      `${caller}: with "features" rows of norm up to ${largestNorm.toPrecision(3)} and C = ${largestCost} scores could ` +
        `overflow ${precision}; scale the features, or use a smaller C${precision === "float32" ? ' or precision "float64"' : ""}`,
    );
  }
  const least = smallest(costs.C, Infinity) * smallest(ofLabels, 1);
  if (least < LEAST_COST[precision]) {
    throw new RangeError(
      `${caller}: C = ${least} is too small for dual variables in ${precision}; use precision "float64"`,
    );
  }
  return { problem, scaling, largestNorm };
}

const largest = (values: Float64Array | undefined, bound: number): number =>
  values?.reduce((a, b) => Math.max(a, b), bound) ?? bound;
const smallest = (values: Float64Array | undefined, bound: number): number =>
  values?.reduce((a, b) => Math.min(a, b), bound) ?? bound;

/** Row i of a Gram matrix, or of features in numbers of the storage precision. */
function storeInKernel(
  caller: string,
  kernel: ResidentKernel,
  rows: Rows,
  i: number,
  row: FeatureRow,
  precision: Settings["precision"],
): void {
  const { name, constant } = kernel.shape;
  if (name === "precomputed") return storeGramRow(caller, rows, i, constant, kernel.gramRow(i));
  kernel.features.store(i, row, undefined, precision === "float32");
}

/**
 * Rows are stored sparse if less than this part of their values is not zero; less, if steps are over lists of candidates,
 * where dense rows are better for longer. Evaluations skip zeros of dense rows from more on. See `npm run bench`.
 */
const SPARSE_BELOW = 0.5;
const SPARSE_BELOW_IF_LISTED = 0.1;
const SKIP_ZEROS_BELOW = 0.5;
/**
 * Sparse rows are taken in blocks if the weights are more than the caches hold, here half a million, and if a block of 32 has two values
 * or more of most features.
 */
const MANY_WEIGHTS = 1 << 19;
const SHARED_ABOVE = 1 / 16;
/** Dense rows are taken in blocks from so many features on: with fewer a step costs more than its scores. */
const MANY_FEATURES = 64;

function chooseStorage(
  nonzeros: number,
  n: number,
  d: number,
  numClasses: number,
  intercept: boolean,
  sparseBelow: number,
): Pick<Shape, "nonzeros" | "constant" | "skipsZeros" | "inBlocks"> {
  const density = nonzeros / (n * d);
  if (d < FEW_FEATURES) return {};
  if (density >= sparseBelow) {
    return { skipsZeros: density < SKIP_ZEROS_BELOW, inBlocks: d >= MANY_FEATURES };
  }
  return {
    nonzeros: nonzeros + (intercept ? n : 0),
    constant: intercept,
    inBlocks: density >= SHARED_ABOVE && numClasses * d >= MANY_WEIGHTS,
  };
}

/** So few are sparse whatever becomes of zeros and duplicates among them. */
const VERY_FEW = 1 / 32;
/** Of more values than these some rows are looked at first, here and there: so many in all, and at least so many. */
const MANY_VALUES = 2 ** 20;
const SAMPLED = { part: 1 / 16, least: 256 };
/** If of those so many times what would be sparse is not zero, all will not be. */
const CLEARLY = 1.5;

/**
 * Number of nonzeros once the rows are scaled, or at least as many as matter to `chooseStorage`; where that is clear from a sample, what is
 * expected of all. Of sparse rows those that are left when duplicates are added up: what is stored how does not depend on how it was given.
 * Where they are very few, no fewer than that.
 */
async function countAll(rows: Rows, scaling: Settings["scaling"], sparseBelow: number, pacer: Pacer): Promise<number> {
  const { count: n, cols: d } = rows;
  const shifts = rows.nonzeros === undefined && (scaling === "standard" || scaling === "minmax");
  if (d < FEW_FEATURES || shifts) return n * d;
  if (rows.nonzeros !== undefined && rows.nonzeros < VERY_FEW * n * d) return rows.nonzeros;
  const nonzerosOf = (i: number): number => countNonzeros(entriesOf(rows.row(i)).values);
  if (n * d > MANY_VALUES) {
    const size = Math.min(n, Math.max(Math.ceil(SAMPLED.part * n), SAMPLED.least));
    let sampled = 0;
    await pacer.run("sample", size, (from, count) => {
      for (let r = from; r < from + count; r++) sampled += nonzerosOf(Math.floor(evenly(r) * n));
    });
    if (sampled >= CLEARLY * sparseBelow * size * d) return Math.round((sampled / size) * n);
  }
  let nonzeros = 0;
  const enough = Math.max(SPARSE_BELOW, SKIP_ZEROS_BELOW) * n * d;
  await pacer.run(
    "count",
    n,
    (from, count) => {
      const block = rows.block?.(from, count);
      if (block) nonzeros += countNonzeros(block.values);
      else for (let i = from; i < from + count; i++) nonzeros += nonzerosOf(i);
    },
    () => nonzeros >= enough,
  );
  return nonzeros;
}

/** Refuses row i, whose norm is not finite. */
function refuseRow(caller: string, rows: Rows, i: number, settings: Settings): never {
  const row = rows.row(i);
  checkValues(caller, "features", i, row);
  throw overflow(caller, row, i, settings);
}

/** Says which value of a row is too large for the precision, or that their squares are. */
function overflow(caller: string, row: FeatureRow, i: number, settings: Settings): RangeError {
  const { precision, interceptScale } = settings;
  const tooLarge = (v: number): boolean => !Number.isFinite(precision === "float32" ? Math.fround(v) : v);
  const overflows = (what: string, value: number): RangeError =>
    new RangeError(`${caller}: ${what} is ${value}, which overflows ${precision}`);
  const { indices, values } = entriesOf(row);
  for (let p = 0; p < values.length; p++) {
    const l = indices ? indices[p] : p;
    if (tooLarge(values[p])) return overflows(`"features" row ${i}, column ${l}`, values[p]);
  }
  if (settings.kernel && settings.kernel.name !== "rbf") {
    return new RangeError(
      `${caller}: "features" row ${i} has a kernel value that overflows ${precision}; scale the features` +
        `${settings.kernel.name === "poly" ? ", or use a smaller gamma or degree" : ""}`,
    );
  }
  if (tooLarge(interceptScale)) return overflows('"interceptScale"', interceptScale);
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
