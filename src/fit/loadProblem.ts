import { entriesOf, type FeatureRow } from "../arrays/sparseRow.ts";
import { refuseChanged } from "../errors.ts";
import { checkValues, type Rows } from "../features.ts";
import { largestOnDiagonal, storeGramRow } from "../gram.ts";
import type { Truth } from "../labels.ts";
import { isConvex, type Loss } from "../losses.ts";
import { rowScaler, type Scaling } from "../model/scaling.ts";
import type { Pacer } from "../pace/pace.ts";
import { constantFeature, type Settings } from "../settings.ts";
import type { Label } from "../types.ts";
import { fits, refuseTooLarge, type Shape } from "../wasm/layout.ts";
import { ResidentProblem } from "../wasm/problem.ts";
import type { GivenWeights } from "./checkStart.ts";
import type { Costs } from "./costs.ts";
import { kernelShape, scaleGamma } from "./kernel.ts";
import { learnScaling } from "./learnScaling.ts";
import type { Reach } from "./rounding.ts";
import { chooseStorage, countAll, sparseBelow } from "./storage.ts";

/** Largest magnitudes that scores and weights may reach, with room for rounding and summation. */
export const RANGE = { float32: 1e37, float64: 1e290 };

/** No dual variable exceeds C_i: below these there is next to no number for them. */
const LEAST_COST = { float32: 1e-44, float64: 0 };

/**
 * A dual variable of float32 is off by up to 2^-24 C_i, and that moves the example's own score by ||x_i||^2 times as
 * much; n of them may move a score by the root of n times that. From these parts of a margin on no W = A^T X is good
 * any more. Measured, of 1500 tables of up to 300 rows with C ||x||^2 from 3e4 to 1e6: where `alone` decides 89 are
 * solved in float64 only, with both 5.
 */
const COARSE = { alone: 1 / 16, together: 1 / 64 };

/** Whether dual variables of float32 are that. */
const isCoarse = (largestCost: number, { factor, largestNorm, weightedNorms, count }: Reach): boolean => {
  const unit = 2 ** -24 * factor * largestNorm;
  const alone = largestCost * largestNorm;
  return unit * alone > COARSE.alone || (unit * weightedNorms) / Math.sqrt(count) > COARSE.together;
};

/** What a problem is made of, checked but for the values of features. */
export interface ProblemInput {
  /** The function that was called, for messages. */
  readonly caller: string;
  readonly settings: Settings;
  readonly rows: Rows;
  readonly classes: readonly Label[];
  readonly truth: Truth;
  readonly costs: Costs;
  /** W0, whose scaling is that of the problem, if it has one. */
  readonly anchor: GivenWeights | undefined;
}

/** A problem in memory, and what was learned of the features on the way. */
export interface Loaded {
  readonly problem: ResidentProblem;
  readonly scaling: Scaling | undefined;
  readonly reach: Reach;
  /** Whether dual variables of float32, if they are that, are too coarse for it. */
  readonly coarse: boolean;
}

/** What a first try at it has found. */
interface Tried {
  /** Of numbers that are out of the range of its precision. */
  readonly refusal: RangeError | undefined;
}

/**
 * The shape that a validated problem will have in memory, none of which is taken yet; one that does not fit is refused.
 */
export async function planProblem(
  { caller, settings, rows, classes, truth, costs }: ProblemInput,
  pacer: Pacer,
): Promise<Shape> {
  const { intercept, precision, loss } = settings;
  const numClasses = classes.length;
  const n = rows.count;
  const d = rows.cols;
  const below = sparseBelow(settings, numClasses);
  const nonzeros = rows.gram ? n * d : await countAll(rows, settings.scaling, below, pacer);
  const kernel = kernelShape(caller, rows, nonzeros, settings);
  // A descent has its weights in float64, features being what `precision` makes of them.
  const storage = isConvex(loss) ? precision : "float64";
  const shape: Shape = {
    ...{ numExamples: n, numFeatures: d + (intercept ? 1 : 0), numClasses, precision: storage },
    ...(kernel ? { numFeatures: n, kernel } : chooseStorage(nonzeros, n, d, numClasses, intercept, below)),
    ...(truth.offsets && { numLabels: truth.indices.length, weighsLabels: costs.ofLabels !== undefined }),
    anchored: settings.anchor !== undefined,
    ...(settings.direction && { direction: settings.direction }),
  };
  refuseTooLarge(caller, shape, loss);
  return shape;
}

/**
 * Brings a problem of that shape into WebAssembly memory: features scaled as asked, in the storage precision and with
 * the constant feature appended, or what a kernel needs; labels, C_i, squared norms. Every value is looked at on the
 * way, and no kernel has run on the data when one is refused. Whoever calls gives the memory back.
 */
async function loadProblem(input: ProblemInput, shape: Shape, pacer: Pacer): Promise<Loaded & Tried> {
  const { caller, settings, rows, truth, costs } = input;
  const { loss, seed } = settings;
  const { kernel } = shape;
  const scaling = input.anchor?.scaling ?? (await learnScaling(caller, settings.scaling, rows, pacer));
  const scale = scaling && rowScaler(scaling);
  const whole =
    kernel && isNaN(kernel.gamma)
      ? { ...shape, kernel: { ...kernel, gamma: await scaleGamma(caller, rows, scale, pacer) } }
      : shape;
  const problem = await ResidentProblem.create(caller, whole, loss, seed);
  try {
    problem.y.set(truth.indices);
    if (truth.offsets) problem.offsets.set(truth.offsets);
    problem.C.set(costs.C);
    if (costs.ofLabels) problem.classWeights.set(costs.ofLabels);
    await storeRows(input, problem, scale, pacer);
    const { largestNorm, weightedNorms } = problem.takeNorms();
    const { C, total, mostAt } = costs;
    const factor = factorOf(costs, loss);
    const reach = { count: C.length, largestNorm, factor, costs: total, weightedNorms };
    const refusal = refusalOf(caller, reach, costs, settings);
    const coarse = problem.shape.precision === "float32" && isCoarse(C[mostAt], reach);
    return { problem, scaling, reach, coarse, refusal };
  } catch (error) {
    problem.release();
    throw error;
  }
}

/**
 * `loadProblem`, and if the precision may be chosen, in float64 where dual variables of float32 would be too coarse or
 * scores could overflow it, and there is room: `input` is then that of the problem that was loaded. That is loaded
 * twice: to measure the rows before would take every fit time.
 */
export async function loadFine<input extends ProblemInput>(
  input: input,
  shape: Shape,
  mayChoose: boolean,
  pacer: Pacer,
): Promise<Loaded & { readonly input: input }> {
  const { settings } = input;
  const chooses =
    mayChoose && settings.precision === "float32" && fits({ ...shape, precision: "float64" }, settings.loss);
  const { refusal, ...loaded } = await loadProblem(input, shape, pacer);
  if (!refusal && !(chooses && loaded.coarse)) return { ...loaded, input };
  loaded.problem.release();
  if (refusal && !chooses) throw refusal;
  const finer: input = { ...input, settings: { ...input.settings, precision: "float64" } };
  return loadFine(finer, await planProblem(finer, pacer), false, pacer);
}

/** Brings the features in, and measures them. */
async function storeRows(
  { caller, settings, rows }: ProblemInput,
  problem: ResidentProblem,
  scale: ((row: FeatureRow) => FeatureRow) | undefined,
  pacer: Pacer,
): Promise<void> {
  const { intercept, precision } = settings;
  const { kernel, shape } = problem;
  const n = rows.count;
  const constant = intercept ? constantFeature(settings) : undefined;
  const rounds = precision !== shape.precision;
  const largest = rows.gram ? largestOnDiagonal(rows) : 0;
  const store = (i: number): void => {
    const row = rows.row(i);
    // Of numbers the norm will tell.
    if (kernel || !ArrayBuffer.isView(entriesOf(row).values)) checkValues(caller, "features", i, row);
    const scaled = scale ? scale(row) : row;
    if (kernel?.shape.name === "precomputed") {
      storeGramRow(caller, rows, i, largest, kernel.shape.constant, kernel.gramRow(i));
    } else if (kernel) kernel.features.store(i, scaled, undefined, precision === "float32");
    else problem.features.store(i, scaled, constant, rounds);
  };
  const asTheyAre = !scale && !kernel;
  // Rows are put in as they came, explicit zeros and all, only where there is room for every stored value.
  const needed = (rows.nonzeros ?? Infinity) + (intercept ? n : 0);
  const haveRoom = shape.nonzeros !== undefined && needed <= shape.nonzeros;
  const raw = asTheyAre && !rounds && haveRoom ? rows.raw : undefined;
  const stored = kernel?.features ?? problem.features;
  await pacer.run("load", n, (from, count) => {
    const block = raw || !asTheyAre ? undefined : rows.block?.(from, count);
    let done = 0;
    if (raw) done = problem.appendRows(from, count, raw(from, count), constant);
    else if (block) {
      problem.storeBlock(from, count, block, constant, rounds);
      done = count;
    }
    for (let i = from + done; i < from + count; i++) store(i);
    // The room is that for what was there when nonzeros were counted.
    if (stored.overflows(from + count)) refuseChanged(caller, "features");
    const measured = problem.measureRows(from, count);
    if (measured < count) refuseRow(caller, rows, from + measured, settings);
  });
}

/**
 * The sum of rank weights or the largest class weight, if there are any: what multiplies C_i in the bounds of dual
 * variables.
 */
const factorOf = ({ mostOfLabels }: Costs, { weights }: Loss): number =>
  weights?.reduce((sum, weight) => sum + weight, 0) ?? mostOfLabels;

/** What is to be said of what could overflow in the course of a fit, or underflow. */
function refusalOf(
  caller: string,
  { largestNorm, factor, weightedNorms }: Reach,
  { C, leastAt, mostAt, leastOfLabels }: Costs,
  { precision, direction, sampleWeight, classWeight }: Settings,
): RangeError | undefined {
  // |W_jl| <= sum C_i ||x_i|| at every step, since no dual variable exceeds C_i times that factor; so this bounds every
  // score.
  const reach = factor * weightedNorms;
  const weighted = sampleWeight !== undefined || classWeight !== undefined;
  const largestCost = C[mostAt] * Math.max(factor, 1);
  const scores = Math.max(reach * largestNorm, reach, largestNorm, largestCost);
  // The curvature along a direction of Frank-Wolfe is of second order in C, and computed in float64.
  if (!(scores < RANGE[precision] && (!direction || largestCost * largestCost < RANGE.float64))) {
    const cost =
      weighted || factor > 1 ? `C times weights of up to ${largestCost.toPrecision(3)}` : `C = ${largestCost}`;
    return new RangeError(
      `${caller}: with "features" rows of norm up to ${largestNorm.toPrecision(3)} and ${cost} scores could ` +
        `overflow ${precision}; scale the features, or use a smaller C${precision === "float32" ? ' or precision "float64"' : ""}`,
    );
  }
  if (!(factor * Math.max(reach * largestNorm, 1) < RANGE.float64)) {
    return new RangeError(
      `${caller}: with "features" rows of norm up to ${largestNorm.toPrecision(3)} and weights of labels or ranks of ${factor} losses ` +
        "could overflow; scale the features, or use smaller weights",
    );
  }
  const least = C[leastAt] * leastOfLabels;
  if (least < LEAST_COST[precision]) {
    const whose = weighted ? `the weights of row ${leastAt} give it C_i = ` : "C = ";
    return new RangeError(
      `${caller}: ${whose}${least}, too small for dual variables in ${precision}; use precision "float64"`,
    );
  }
  return undefined;
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
  // Only of float32 a finite value can be too large.
  const better = 'use precision "float64", or other units';
  const overflows = (what: string, value: number): RangeError =>
    new RangeError(`${caller}: ${what} is ${value}, which overflows ${precision}; ${better}`);
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
  if (settings.intercept && interceptScale ** 2 === Infinity) {
    return new RangeError(`${caller}: "interceptScale" is ${interceptScale}, whose square overflows float64`);
  }
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
