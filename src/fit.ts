import { decideStatus, isDrowned, NO_GAP, type Objectives } from "./certificate.ts";
import { kernelRounding, roundingOf } from "./fit/rounding.ts";
import { Watch } from "./solver/watch.ts";
import { readOptions } from "./constraints.ts";
import { CoordinateAscent } from "./solver/coordinateAscent.ts";
import type { StoredDuals } from "./arrays/sparseDuals.ts";
import { BestPoint } from "./fit/bestPoint.ts";
import { descend } from "./fit/descent.ts";
import { exampleScores } from "./solver/evaluate.ts";
import { Evaluations } from "./fit/evaluations.ts";
import { hintFor } from "./fit/hint.ts";
import { readFitInput } from "./fit/fitInput.ts";
import { goFurther } from "./solver/goFurther.ts";
import { FrankWolfe } from "./solver/frankWolfe.ts";
import { isConvex } from "./losses.ts";
import { createModel } from "./model.ts";
import { scoringPart, stateOf } from "./model/solvedState.ts";
import { Pacer, seconds } from "./pace/pace.ts";
import { loadProblem, planProblem } from "./fit/loadProblem.ts";
import { constantFeature, resolveSettings, settingNames, type Settings } from "./settings.ts";
import type { Interruption, SolverParts } from "./solver/solver.ts";
import { scoreAll } from "./fit/heldOut.ts";
import { thresholdFor } from "./model/evaluateScores.ts";
import { checkStart } from "./fit/checkStart.ts";
import { start, startAt } from "./fit/warmStart.ts";
import type {
  Certificate,
  CommonOptions,
  Features,
  FitOptions,
  Label,
  Labels,
  LabelSets,
  Model,
  Status,
} from "./types.ts";
import { init } from "./wasm/shared.ts";

/**
 * Trains a classifier: minimises  P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2  by stochastic dual coordinate ascent.
 *
 * A step maximises the dual objective D exactly in one example's dual variables. The first pass takes a step for every
 * example over every class, in random order. From then on an evaluation of both objectives says how much of the gap P - D each
 * example holds and which classes matter to it, and the steps of the next round go where there is something to gain. The fit
 * ends when the relative gap (P - D) / max(|P|, |D|), recomputed from scratch, is at most `tolerance`: a proven bound on the
 * distance from the optimum. Not getting there within the budgets is a status of the certificate, not an exception.
 *
 * The truncated top-k entropy loss is not convex and has no dual: there P descends from the softmax solution, or from `initial`, to
 * where its gradient is small, and nothing is proven.
 *
 * `solver: "frank-wolfe"` moves the dual variables of all examples at once instead, evaluated and certified alike.
 *
 * With a kernel or a Gram matrix the same is done without weights: a step works on the scores of all examples, A^T K.
 *
 * @param features n rows of d finite numbers, or { gram, rows }.
 * @param labels n labels, integers or strings, at least two different ones; for the losses of label sets n arrays of such.
 * @throws TypeError or RangeError naming argument, place and value, before any training; later only for what training shows: that a
 * Gram matrix is not positive semidefinite, or that scores of held-out rows overflow. RangeError where there is no memory to be
 * had; Error as `init`; whatever `onProgress` throws.
 * @example
 * const model = await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"], { loss: "hinge" });
 * model.certificate.status; // "solved"
 * model.predict([[1, 0.5]]); // ["b"]
 */
export function fit(features: Features, labels: Labels, options?: FitOptions<Label>): Promise<Model<Label>>;
export function fit(features: Features, labels: LabelSets, options?: FitOptions<Label[]>): Promise<Model<Label[]>>;
export function fit(features: Features, labels: Labels | LabelSets, options?: FitOptions): Promise<Model>;
export function fit(
  features: Features,
  labels: Labels | LabelSets,
  options?: FitOptions<Label> | FitOptions<Label[]>,
): Promise<Model> {
  return fitUnlessAborted(() => {}, features, labels, options);
}

/** `fit` for callers that want an exception, not a model, once they abort: `throwIfAborted` is called whenever control comes back. */
export async function fitUnlessAborted(
  throwIfAborted: () => void,
  features: Features,
  labels: Labels | LabelSets,
  options?: FitOptions | FitOptions<Label[]>,
): Promise<Model | Model<Label[]>> {
  const started = seconds();
  const settings = resolveSettings("fit", options as FitOptions | undefined);
  const given = readOptions("fit", options as CommonOptions, settingNames as never[]); // of now, whatever becomes of the object
  const pacer = new Pacer(settings.yieldEvery, throwIfAborted);
  const input = await pacer.finish(readFitInput("fit", features, labels, settings));
  const { rows, classes, truth, costs, initial, told, anchor, heldOut, expected } = input;
  const convex = isConvex(settings.loss);
  const { maxSeconds, tolerance, signal } = settings;
  const interruption = (): Interruption | undefined => {
    if (signal?.aborted) return "aborted";
    return seconds() - started >= maxSeconds ? "max-seconds" : undefined;
  };

  await pacer.breathe();
  await init();
  const m = classes.length;
  const shape = await planProblem("fit", rows, truth, costs, m, settings, pacer);
  const softmax =
    convex || interruption()
      ? undefined
      : await firstSoftmax(throwIfAborted, features, labels, settings, given, started);
  const { problem, scaling, reach } = await loadProblem("fit", rows, truth, costs, shape, settings, pacer);
  try {
    const { largestNorm } = reach;
    const scale = { constant: constantFeature(settings), largestNorm };
    await start(problem, initial, anchor, scale, pacer);
    const rounding = roundingOf(settings.loss, reach, problem.weights.anchorNorm);
    const watch = new Watch(tolerance, settings.precision);
    const evaluations = new Evaluations({
      problem,
      ...{ rounding, kernelRounding: kernelRounding(settings.loss, reach, problem.C), largestNorm },
      settings,
      truth,
      scaling,
      heldOut,
      watch,
      pacer,
      started,
    });
    let ended: Ended;
    let furthest: StoredDuals | undefined;
    if (convex) {
      const parts: SolverParts = { problem, settings, watch, pacer, interruption, warm: initial !== undefined };
      ({ ended, furthest } = await ascend(parts, evaluations, initial?.furthest));
    } else {
      const point = told ?? checkStart("fit", softmax, settings.scaling, expected);
      if (point) startAt(problem, point, scale);
      const epochs = softmax?.certificate.epochs ?? 0;
      ended = { ...(await descend({ problem, settings, evaluations, pacer, interruption, epochs })), ...NO_GAP };
    }

    const scoring = { ...scoringPart(problem, settings, truth), scaling };
    const score = (): Promise<Float64Array> =>
      problem.kernel ? exampleScores(problem, pacer) : scoreAll(rows, scoring, pacer);
    const threshold =
      heldOut.length > 0 ? evaluations.threshold : await thresholdFor(settings.loss, truth, m, score, pacer);
    const certificate: Certificate = {
      ...{ ...ended, tolerance: settings.tolerance },
      ...{ solveSeconds: seconds() - started, evaluateSeconds: evaluations.seconds },
    };
    await pacer.breathe();
    const drowned = ended.dualObjective !== null && isDrowned(ended as Objectives, tolerance);
    const ofRows = !problem.kernel || problem.kernel.shape.name === "linear";
    const hint = hintFor(ended.status, settings, ofRows ? largestNorm : 0, drowned);
    if (hint) certificate.hint = hint;
    const state = await pacer.finish(
      stateOf({ settings, classes, problem, truth, scoring, threshold, certificate, furthest }),
    );
    return createModel<Label>({ state, history: evaluations.history });
  } finally {
    problem.release();
  }
}

/** Where a solver has ended. */
type Ended = Omit<Certificate, "tolerance" | "solveSeconds" | "evaluateSeconds" | "hint">;

/** Rounds of a solver and evaluations in turns, until the gap is within the tolerance or something else ends the fit. */
async function ascend(
  parts: SolverParts,
  evaluations: Evaluations,
  furthest: StoredDuals | undefined,
): Promise<{ ended: Ended; furthest: StoredDuals | undefined }> {
  const { problem, settings, watch, interruption } = parts;
  const { tolerance, maxEpochs } = settings;
  const solver = settings.solver === "frank-wolfe" ? new FrankWolfe(parts) : new CoordinateAscent(parts);
  const best = new BestPoint(parts, evaluations);
  const place = () => ({ epoch: solver.epochs, visits: solver.visits / problem.shape.numExamples });

  let now: Objectives;
  let status: Status | undefined;
  for (;;) {
    const interrupted = await solver.round();
    const closing = interrupted !== undefined || solver.epochs >= maxEpochs;
    now = await evaluations.take(closing || watch.exacting || solver.likelyExacting, place());
    const better = watch.note(now);
    // An evaluation is a place to stop at, too: `onProgress` may have aborted, and time has passed.
    const decide = (): Status | undefined =>
      decideStatus(
        now,
        tolerance,
        solver.epochs,
        maxEpochs,
        interrupted ?? interruption(),
        watch.stalled || evaluations.indefinite || isDrowned(now, tolerance),
      );
    status = decide();
    if (status && !evaluations.certified) {
      now = await evaluations.take(true, place());
      status = decide();
    }
    const stretched = !status && watch.doubtful && (await best.stretch(solver.epochs));
    if (stretched) {
      now = stretched;
      status = "solved";
      await evaluations.enter(now, place());
    }
    if (status) break;
    const keeps = better && (await best.offer(now));
    const start = furthest;
    furthest = undefined;
    if (start && (await goFurther(parts, start, now))) continue; // to be evaluated first
    solver.afterEvaluation(now, keeps);
  }

  if (status !== "solved") {
    if (status === "max-epochs" || status === "no-progress") now = await best.stretchAtEnd(now, place());
    if (interruption() === "aborted") status = "aborted";
    if (now.relativeGap > tolerance && (status !== "aborted" || solver.brokenOff)) {
      const before = await best.lookBack(now, place());
      now = before.now;
      furthest = before.furthest ?? furthest;
    }
    now = await evaluations.confirm(now, !interruption(), place());
    if (now.relativeGap <= tolerance && status !== "aborted") status = "solved";
  }
  return { ended: { status, epochs: solver.epochs, ...now }, furthest };
}

/**
 * Where a descent starts unless it is told: the softmax solution, the nearest there is that can be proven. Undefined where
 * it is told, or where there are no epochs for it.
 */
async function firstSoftmax(
  throwIfAborted: () => void,
  features: Features,
  labels: Labels | LabelSets,
  { initial, maxEpochs, maxSeconds, tolerance }: Settings,
  options: CommonOptions,
  started: number,
): Promise<Model | undefined> {
  if (initial || maxEpochs === 0) return undefined;
  return fitUnlessAborted(throwIfAborted, features, labels, {
    ...options,
    ...{ loss: "softmax", k: undefined, tolerance: Math.max(tolerance, 1e-3) },
    ...{ maxSeconds: Math.max(maxSeconds - (seconds() - started), 0), validation: undefined, onProgress: undefined },
  }) as Promise<Model>;
}
