import { precisionOf } from "../arrays/precisionOf.ts";
import { areFine, float64Of, type StoredDuals } from "../arrays/sparseDuals.ts";
import type { Truth } from "../labels.ts";
import { isConvex, type Loss, variantOf } from "../losses.ts";
import { eachOf, type Steps } from "../pace/steps.ts";
import { constantFeature, type Settings } from "../settings.ts";
import type { Certificate, DenseMatrix, Label } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { expansionOf, weightsOf } from "./expansion.ts";
import type { Scoring } from "./kernelScores.ts";
import type { DualState, LossState, ModelState } from "./modelState.ts";

interface Solved {
  readonly settings: Settings;
  readonly classes: readonly Label[];
  readonly problem: ResidentProblem;
  readonly truth: Truth;
  /** What it scores with. */
  readonly scoring: Scoring;
  readonly threshold?: number;
  readonly certificate: Certificate;
  /** As `DualState` has it. */
  readonly furthest: StoredDuals | undefined;
}

/** The weights of the moment, the constant feature's turned into intercepts. */
function linearPart(problem: ResidentProblem, settings: Settings): { weights: DenseMatrix; intercepts: Float64Array } {
  const { intercept, precision } = settings;
  const { numFeatures, numClasses: m } = problem.shape;
  const weights = problem.weights.copy();
  // A descent has weights in float64 until it ends.
  const rounds = precision === "float32" && precisionOf(weights) === "float64";
  const stored = rounds ? new Float32Array(weights) : weights;
  const intercepts = new Float64Array(m);
  if (!intercept) return { weights: { data: stored, rows: m, cols: numFeatures }, intercepts };
  const constant = constantFeature(settings);
  const d = numFeatures - 1;
  const data = precisionOf(stored) === "float32" ? new Float32Array(m * d) : new Float64Array(m * d);
  for (let j = 0; j < m; j++) {
    data.set(stored.subarray(j * numFeatures, j * numFeatures + d), j * d);
    intercepts[j] = stored[j * numFeatures + d] * constant;
  }
  return { weights: { data, rows: m, cols: d }, intercepts };
}

/**
 * What the problem's dual variables of the moment score with: weights, or support vectors where the kernel has none.
 */
export function* scoringPart(
  problem: ResidentProblem,
  settings: Settings,
  truth: Truth,
): Steps<Omit<Scoring, "scaling">> {
  if (!problem.kernel) return linearPart(problem, settings);
  const m = problem.shape.numClasses;
  const stored = yield* problem.duals.copied();
  const A = yield* exactDuals({ stored, truth }, m, settings.loss.oneVsAll);
  const { expansion, intercepts } = yield* expansionOf(problem, A);
  if (expansion.kernel.name !== "linear") return { expansion, intercepts };
  return { weights: yield* weightsOf(expansion, m), intercepts };
}

/**
 * The dual variables that the certificate is about. In float64 they are stored. In float32 they are but for the true
 * class (of a set, the first), whose entry is minus the exact sum of the others, which float32 may not hold: it is
 * summed here. In float64 that would be another number, by as many roundings as there are classes, and K times that is
 * in every score.
 */
export function* exactDuals(
  { stored, truth: { indices, offsets } }: Pick<DualState, "stored" | "truth">,
  m: number,
  oneVsAll: boolean,
): Steps<Float64Array> {
  const data = float64Of(stored);
  if (oneVsAll || areFine(stored)) return data;
  yield* eachOf(data.length / m, m, (i) => {
    if (offsets && offsets[i] === offsets[i + 1]) return; // no true class, nothing but zeros
    const y = indices[offsets ? offsets[i] : i];
    let total = 0;
    let size = 0;
    for (let j = 0; j < m; j++) {
      if (j === y) continue;
      total -= data[i * m + j];
      size += Math.abs(data[i * m + j]);
    }
    // Of a set, where they cancel, rounding may leave less than the 0 it is.
    data[i * m + y] = total < 0 && -total <= m * Number.EPSILON * size ? 0 : total;
  });
  return data;
}

/** Takes what a model needs out of a solved problem; afterwards the problem's memory can go. */
export function* stateOf({
  settings,
  classes,
  problem,
  truth,
  scoring,
  threshold,
  certificate,
  furthest,
}: Solved): Steps<ModelState> {
  return {
    classes,
    loss: lossState(settings.loss),
    ...scoring,
    interceptScale: constantFeature(settings),
    ...(threshold !== undefined && { threshold }),
    certificate,
    ...(isConvex(settings.loss) && {
      duals: { ...(yield* dualState(problem, truth, scoring)), ...(furthest && { furthest }) },
    }),
  };
}

function* dualState(problem: ResidentProblem, truth: Truth, { weights }: Scoring): Steps<DualState> {
  const stored = yield* problem.duals.take();
  // A model is of one precision: with weights summed up in float64 the dual variables are so, too.
  const widened = problem.shape.precision === "float32" && weights && precisionOf(weights.data) === "float64";
  return { stored: widened ? float64Of(stored) : stored, truth, costs: problem.C.slice() };
}

/** The loss by name and by its own options, so that `resolveLoss` finds it again. */
export function lossState({ name, family, domain, k, gamma, rankWeights }: Loss): LossState {
  const variant = variantOf(domain);
  return {
    name,
    ...((domain !== "SIMPLEX" || family === "TRUNCATED_ENTROPY") && typeof rankWeights !== "object" && { k }),
    ...(variant && { variant }),
    ...(family.endsWith("HINGE") && { gamma }),
    ...(rankWeights && { rankWeights }), // a list is the loss's own
  };
}
