import { entriesOf, type FeatureRow } from "../arrays/sparseRow.ts";
import { refuseChanged } from "../errors.ts";
import { checkValues, type Rows } from "../features.ts";
import { largestOnDiagonal, storeGramRow } from "../gram.ts";
import type { Truth } from "../labels.ts";
import { isConvex } from "../losses.ts";
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
import { factorOf, isCoarse, refusalOf, refuseRow } from "./range.ts";
import type { Reach } from "./rounding.ts";
import { chooseStorage, countAll, sparseBelow } from "./storage.ts";

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
interface Loaded {
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

/** A problem in memory, and the input with the precision that it is in. */
export interface LoadedInput<input extends ProblemInput> extends Loaded {
  readonly input: input;
  /**
   * Whether it is in float32 by choice, float64 would have room, and the solver could go on there: Frank-Wolfe's method
   * does not get far from a point that rounding has taken off its vertices.
   */
  readonly mayRefine: boolean;
}

/**
 * `loadProblem`, and if the precision may be chosen, in float64 where dual variables of float32 would be too coarse or
 * scores could overflow it, or at once if it `startsFine`, and there is room. Else that is loaded twice: to measure the
 * rows before would take every fit time.
 */
export async function loadFine<input extends ProblemInput>(
  input: input,
  shape: Shape,
  mayChoose: boolean,
  pacer: Pacer,
  startsFine = false,
): Promise<LoadedInput<input>> {
  const { settings } = input;
  const mayBeFiner =
    mayChoose && settings.precision === "float32" && fits({ ...shape, precision: "float64" }, settings.loss);
  if (mayBeFiner && startsFine) return loadFiner(input, pacer);
  const { refusal, ...loaded } = await loadProblem(input, shape, pacer);
  if (!refusal && !(mayBeFiner && loaded.coarse)) {
    const mayRefine = mayBeFiner && isConvex(settings.loss) && settings.solver === "sdca";
    return { ...loaded, input, mayRefine };
  }
  loaded.problem.release();
  if (refusal && !mayBeFiner) throw refusal;
  return loadFiner(input, pacer);
}

/** The same problem in float64. */
export async function loadFiner<input extends ProblemInput>(input: input, pacer: Pacer): Promise<LoadedInput<input>> {
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
