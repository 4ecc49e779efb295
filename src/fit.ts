import type { StoredDuals } from "./arrays/sparseDuals.ts";
import { decideStatus, isDrowned, NO_GAP, type Interruption, type Objectives } from "./certificate.ts";
import { assembleModel } from "./fit/assembleModel.ts";
import { BestPoint } from "./fit/bestPoint.ts";
import { Certifier } from "./fit/certifier.ts";
import { checkInitialWeights, type InitialDuals } from "./fit/checkStart.ts";
import { descend } from "./fit/descent.ts";
import { type Before, Evaluations } from "./fit/evaluations.ts";
import { readFitInput } from "./fit/fitInput.ts";
import { loadFine, planProblem } from "./fit/loadProblem.ts";
import { Refinement, startsFine } from "./fit/refine.ts";
import { kernelRounding, roundingOf } from "./fit/rounding.ts";
import type { Running, Solved } from "./fit/running.ts";
import { adoptStart, adoptWeights, type Scale } from "./fit/warmStart.ts";
import { isRoundedGram } from "./gram.ts";
import { gapAtZero } from "./lossFunctions.ts";
import { isConvex } from "./losses.ts";
import { Pacer, seconds } from "./pace/pace.ts";
import { constantFeature, resolveSettings, type Settings } from "./settings.ts";
import { Continuation } from "./solver/continuation.ts";
import { FrankWolfe } from "./solver/frankWolfe.ts";
import { goFurther } from "./solver/goFurther.ts";
import type { Place, SolverParts } from "./solver/solver.ts";
import { Watch } from "./solver/watch.ts";
import type { Features, FitOptions, Label, Labels, LabelSets, Model, Status } from "./types.ts";
import { init } from "./wasm/shared.ts";

/**
 * Trains a classifier: minimises  P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2  by stochastic dual coordinate
 * ascent; `Certificate` has the dual objective D. Shalev-Shwartz and Zhang, _Accelerated Proximal Stochastic Dual
 * Coordinate Ascent_, 2014; Lapin, Hein, Schiele, PAMI 2018, section 5.
 *
 * A step maximises the dual objective D exactly in one example's dual variables. A first pass takes a step for every
 * example. From then on an evaluation of both objectives says how much of the gap P - D each example holds and which
 * classes matter to it, and the steps of the next round go where there is something to gain. The fit ends when the
 * relative gap (P - D) / max(|P|, |D|), recomputed from scratch, is at most `tolerance`: a proven bound on the distance
 * from the optimum. Not getting there within the budgets is a status of the certificate, not an exception.
 *
 * The truncated top-k entropy loss is not convex and has no dual: there P descends from the softmax solution, or from
 * `initial`, to where its gradient is small, and nothing is proven.
 *
 * `solver: "frank-wolfe"` moves the dual variables of all examples at once instead, evaluated and certified alike:
 * Hirohashi and Kato, 2020, sections 5 and 6.
 *
 * With a kernel or a Gram matrix the same is done without weights: a step works on the scores of all examples, A^T K.
 *
 * @param features n >= 1 rows of d finite numbers, or { gram, rows }.
 * @param labels n labels, integers or strings, of at least two classes: the distinct ones, or those that the option
 * `classes` names; for the losses of label sets n arrays of such.
 * @param options the loss with its options, C, budgets and the rest, see `FitOptions`. Default: softmax with C = 1.
 * @returns the model, whatever its `certificate.status`: a fit that is not solved is no error.
 * @throws TypeError or RangeError naming argument, place and value, before any training; later only for what training
 * shows: that a Gram matrix is not positive semidefinite, or that scores of held-out rows overflow. RangeError where
 * there is no memory to be had; Error as `init`; whatever `onProgress` throws.
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
  return fitOrThrow(() => {}, features, labels, options);
}

/**
 * `fit` for callers that can do without a model once they abort: `throwIfAborted` is called whenever control comes
 * back, and what it throws ends the fit.
 *
 * What happens, in this order: arguments are checked (fit/fitInput) and the problem is brought into memory
 * (fit/loadProblem); the solver makes a round of steps (solver/coordinateAscent) and an evaluation tells the gap
 * (fit/evaluations), in turns, until `decideStatus` (certificate) says why it is over; where that is the rounding of
 * float32, which nobody has asked for, it goes on in float64 (fit/refine); the model is taken out (fit/assembleModel).
 */
export async function fitOrThrow(
  throwIfAborted: () => void,
  features: Features,
  labels: Labels | LabelSets,
  options?: FitOptions | FitOptions<Label[]>,
): Promise<Model | Model<Label[]>> {
  const started = seconds();
  const settings = resolveSettings("fit", options as FitOptions | undefined);
  const { loss, maxSeconds, signal } = settings;
  const mayChoose = options?.precision === undefined;
  const pacer = new Pacer(settings.yieldEvery, throwIfAborted);
  const interruption = (): Interruption | undefined => {
    if (signal?.aborted) return "aborted";
    return seconds() - started >= maxSeconds ? "max-seconds" : undefined;
  };

  const given = await pacer.finish(readFitInput("fit", features, labels, settings));
  await pacer.breathe();
  await init();
  const shape = await planProblem(given, pacer);
  const startsAtSoftmax = !isConvex(loss) && !given.initialWeights && !interruption();
  const forSoftmax = { ...settings, precision: mayChoose ? undefined : settings.precision };
  const softmax = startsAtSoftmax
    ? await firstSoftmax(throwIfAborted, features, labels, forSoftmax, started)
    : undefined;
  const common = { pacer, interruption, started };
  let running: Running = { ...(await loadFine(given, shape, mayChoose, pacer, startsFine(given))), ...common };
  const refinement = new Refinement(running);
  try {
    let solved = isConvex(loss) ? await solve(running, refinement) : await descendFrom(softmax, running);
    const finer = isConvex(loss) ? await refinement.take(solved) : undefined;
    if (finer) {
      running.problem.release();
      running = { ...finer.loaded, ...common };
      solved = await solve(running, new Refinement(running), finer.before);
    }
    return await assembleModel(running, solved);
  } finally {
    refinement.release();
    running.problem.release();
  }
}

/** The solver's way from `initial` and `anchor` to a certificate, after what a fit has done `before`, if it goes on. */
async function solve(running: Running, refinement: Refinement, before?: Before): Promise<Solved> {
  const { input, problem, pacer, interruption } = running;
  const { settings, initial, anchor } = input;
  await adoptStart(problem, initial, anchor, startScale(running), pacer);
  const watch = new Watch(settings.tolerance, settings.precision);
  const evaluations = evaluationsOf(running, watch, before);
  const parts: SolverParts = {
    ...{ problem, settings, watch, leftAside: {}, pacer, interruption, warm: initial !== undefined },
    tell: (place) => evaluations.tell(place),
  };
  const { numClasses: m } = problem.shape;
  const atZero = (): number => (anchor ? Infinity : gapAtZero(settings.loss, input.truth, input.costs, m));
  return { evaluations, ...(await ascend(parts, evaluations, initial, refinement, atZero)) };
}

/**
 * Rounds of a solver and evaluations in turns, until the gap is within the tolerance or something else ends the fit, as
 * where the storage precision is too coarse and another one is at hand.
 */
async function ascend(
  parts: SolverParts,
  evaluations: Evaluations,
  initial: InitialDuals | undefined,
  refinement: Refinement,
  atZero: () => number,
): Promise<Omit<Solved, "evaluations">> {
  const { problem, settings, watch, leftAside, interruption } = parts;
  let furthest = initial?.furthest;
  let atStart = true;
  const { tolerance, maxEpochs } = settings;
  const solver = settings.solver === "frank-wolfe" ? new FrankWolfe(parts) : new Continuation(parts);
  const best = new BestPoint(parts, evaluations, atZero);
  const place = (): Place => ({ epoch: solver.epochs, visits: solver.visits / problem.shape.numExamples });

  for (;;) {
    const interrupted = await solver.round();
    const closing = interrupted !== undefined || solver.epochs >= maxEpochs;
    // Of a start that may solve the problem an estimate might not tell, and steps would lead away from it.
    const startMaySolve = watch.last === undefined && initial?.ofSameProblem;
    const exactly = closing || startMaySolve || watch.exacting || solver.likelyExacting;
    let now = await evaluations.take(exactly, place());
    const better = watch.note(now);
    const isTooCoarse = leftAside.finer !== undefined || watch.tooCoarse;
    const mayBeCoarse = isTooCoarse && now.relativeGap > tolerance && refinement.isPossible;
    const isCoarse = mayBeCoarse && !closing && (await refinement.isReady());
    // An evaluation is a place to stop at, too: `onProgress` may have aborted, and time has passed.
    const decide = (): Status | undefined =>
      decideStatus(now, {
        ...{ tolerance, maxEpochs, epoch: solver.epochs, interrupted: interrupted ?? interruption() },
        stalled: watch.stalled || isCoarse || evaluations.indefinite || isDrowned(now, tolerance),
      });
    let status = decide();
    if (status && !evaluations.certified) {
      now = await evaluations.take(true, place());
      status = decide();
    }
    const stretched = !status && watch.doubtful ? await best.stretch(solver.epochs) : undefined;
    if (stretched) {
      now = stretched;
      await evaluations.recordCertificate(now, place());
      status = decide();
    }
    if (status === "solved") return { ended: { status, ...now }, furthest };
    if (status) {
      const unsolved: Unsolved = { status, now, brokenOff: solver.brokenOff, place: place() };
      const end = await endUnsolved(unsolved, parts, evaluations, best);
      return { ...end, furthest: (mayBeCoarse ? leftAside.finer : undefined) ?? end.furthest ?? furthest };
    }
    const isKept = better && (await best.offer(now));
    const earlierEnd = furthest;
    furthest = undefined;
    if (atStart && startMaySolve) {
      best.keepStart(await evaluations.asAtEnd(now, !interruption()), initial.stored);
    }
    atStart = false;
    if (earlierEnd && (await goFurther(parts, earlierEnd, now))) {
      best.leaveStart();
      watch.startOver();
      continue;
    }
    solver.afterEvaluation(now, isKept);
  }
}

/** Why and where a fit stops short of its tolerance. */
interface Unsolved {
  readonly status: Status;
  readonly now: Objectives;
  readonly brokenOff: boolean;
  readonly place: Place;
}

/**
 * The end of a fit that is not solved: at the best point there is. By then that may be within the tolerance. After an
 * abort nothing takes longer than it must.
 */
async function endUnsolved(
  { status, now, brokenOff, place }: Unsolved,
  { settings: { tolerance }, interruption }: SolverParts,
  evaluations: Evaluations,
  best: BestPoint,
): Promise<Omit<Solved, "evaluations">> {
  const aborted = (): boolean => interruption() === "aborted";
  let furthest: StoredDuals | undefined;
  if (status === "max-epochs" || status === "no-progress") now = await best.stretchAtEnd(now, place);
  now = await evaluations.recertify(now, !interruption(), place);
  if (now.relativeGap > tolerance && (brokenOff || !aborted())) {
    ({ now, furthest } = await best.giveBack(now, place));
  }
  if (aborted()) status = "aborted";
  else if (now.relativeGap <= tolerance) status = "solved";
  return { ended: { status, ...now }, furthest };
}

/** Where there is no dual: P descends from the weights of `initial`, or from the softmax solution. */
async function descendFrom(softmax: Model | undefined, running: Running): Promise<Solved> {
  const { input, problem, pacer, interruption } = running;
  const { settings, initial, anchor, expected } = input;
  await adoptStart(problem, initial, anchor, startScale(running), pacer);
  const start = input.initialWeights ?? checkInitialWeights("fit", softmax, settings.scaling, expected);
  if (start) adoptWeights(problem, start, startScale(running));
  const evaluations = evaluationsOf(running, new Watch(settings.tolerance, settings.precision));
  const epochs = softmax?.certificate.epochs ?? 0;
  const descended = await descend({ problem, settings, evaluations, pacer, interruption, epochs });
  return { ended: { ...descended, ...NO_GAP }, evaluations };
}

/**
 * The softmax solution, the nearest there is that can be proven, in a precision of its own unless one was asked for.
 * Undefined where there are no epochs for it.
 */
async function firstSoftmax(
  throwIfAborted: () => void,
  features: Features,
  labels: Labels | LabelSets,
  settings: Omit<Settings, "precision"> & Pick<FitOptions, "precision">,
  started: number,
): Promise<Model | undefined> {
  const { maxEpochs, maxSeconds, tolerance } = settings;
  if (maxEpochs === 0) return undefined;
  return fitOrThrow(throwIfAborted, features, labels, {
    ...settings,
    ...{ loss: "softmax", k: undefined, tolerance: Math.max(tolerance, 1e-3) },
    ...{ maxSeconds: Math.max(maxSeconds - (seconds() - started), 0), validation: undefined, onProgress: undefined },
  } as FitOptions) as Promise<Model>;
}

/** What the weights of a starting point are for. */
const startScale = ({ input: { settings }, reach: { largestNorm } }: Running): Scale => ({
  constant: constantFeature(settings),
  largestNorm,
});

function evaluationsOf(
  { input, problem, reach, scaling, pacer, started }: Running,
  watch: Watch,
  before?: Before,
): Evaluations {
  const { settings, truth, heldOut } = input;
  const { loss, tolerance } = settings;
  const { numClasses } = problem.shape;
  const shape = problem.kernel?.shape;
  const origin = {
    kernel: shape && { roundings: shape.name === "poly" ? shape.degree : 1 },
    ...{ numClasses, anchorNorm: problem.weights.anchorNorm },
  };
  const certifier = new Certifier({
    ...{ problem, tolerance, pacer, largestNorm: reach.largestNorm },
    valuesIn: isRoundedGram(input.rows) ? "float32" : settings.precision,
    rounding: roundingOf(loss, reach, origin, tolerance),
    kernelRounding: kernelRounding(loss, reach),
  });
  return new Evaluations({ problem, settings, truth, scaling, heldOut, certifier, watch, pacer, started, before });
}
