import { decideStatus, objectives, Watch, type Objectives } from "./certificate.ts";
import { exampleCosts } from "./costs.ts";
import { readRows } from "./features.ts";
import { hintFor } from "./hint.ts";
import { encodeLabels } from "./labels.ts";
import { checkGuesses } from "./losses.ts";
import { createModel, linearPart, stateOf } from "./model.ts";
import { Pacer, seconds } from "./pace.ts";
import { loadProblem } from "./loadProblem.ts";
import { learnScaling } from "./scaling.ts";
import { resolveSettings } from "./settings.ts";
import { readValidation, validate } from "./validation.ts";
import { checkAnchor, checkInitial, start } from "./warmStart.ts";
import type { Certificate, Features, FitOptions, HistoryRecord, Labels, Model, Status } from "./types.ts";
import { init } from "./wasm/shared.ts";

/**
 * Trains a classifier: minimises  P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2  by stochastic dual coordinate ascent.
 *
 * One epoch visits the n examples in a fresh random order and maximises the dual objective D exactly in each example's row
 * of dual variables. Every so often both objectives are recomputed from scratch; the fit ends when the relative gap
 * (P - D) / max(|P|, |D|), a proven bound on the distance from the optimum, is at most `tolerance`. Not getting there within
 * the budgets is a status of the certificate, not an exception.
 *
 * @param features n rows of d finite numbers.
 * @param labels n labels, integers or strings, at least two different ones.
 * @throws TypeError or RangeError naming argument, place and value, before any training; whatever `onProgress` throws.
 * @example
 * const model = await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"], { loss: "hinge" });
 * model.certificate.status; // "solved"
 * model.predict([[1, 0.5]]); // ["b"]
 */
export async function fit(features: Features, labels: Labels, options?: FitOptions): Promise<Model> {
  const started = seconds();
  const settings = resolveSettings("fit", options);
  const rows = readRows("fit", "features", features);
  const { classes, indices } = encodeLabels("fit", labels, rows.count, settings.classes);
  checkGuesses("fit", settings.loss, classes.length);

  const costs = exampleCosts("fit", settings, classes, indices);
  const expected = { rows: rows.count, cols: rows.cols, classes, intercept: settings.intercept };
  const initial = checkInitial("fit", settings.initial, expected);
  const anchor = checkAnchor("fit", settings.anchor, expected);
  const heldOut = readValidation("fit", settings.validation, rows.cols, classes);

  const { maxEpochs, maxSeconds, tolerance, signal, onProgress } = settings;
  const pacer = new Pacer(settings.yieldEvery);
  const interruption = (): "aborted" | "max-seconds" | undefined => {
    if (signal?.aborted) return "aborted";
    return seconds() - started >= maxSeconds ? "max-seconds" : undefined;
  };

  await init();
  const n = rows.count;
  const m = classes.length;
  const scaling = settings.scaling === "none" ? undefined : await learnScaling("fit", settings.scaling, rows, pacer);
  const { problem, largestNorm } = await loadProblem("fit", rows, indices, costs, m, settings, scaling, pacer);
  await start(problem, initial, anchor, settings.interceptScale, pacer);
  const history: HistoryRecord[] = [];
  // A warm start may be all it takes; a cold one never is.
  const watch = new Watch(initial ? 0 : 1);
  let bestDuals: Float32Array | Float64Array | undefined;
  let evaluateSeconds = 0;
  let epoch = 0;
  let visits = 0;

  /** Recomputes both objectives from the dual variables alone, and puts it on record. */
  const evaluate = async (): Promise<Objectives> => {
    const began = seconds();
    problem.clear();
    await pacer.run("rebuild", n, (from, count) => problem.rebuild(from, count));
    problem.settle();
    await pacer.run("evaluate", n, (from, count) => problem.evaluate(from, count));
    const now = objectives(problem.sums);
    const record: HistoryRecord = { epoch, visits: epoch + visits / n, seconds: 0, ...now };
    if (heldOut.length > 0) {
      const model = { ...linearPart(problem, settings), scaling };
      record.validation = [];
      for (const set of heldOut) record.validation.push(await validate(set, model, settings.loss, pacer));
    }
    evaluateSeconds += seconds() - began;
    record.seconds = seconds() - started;
    history.push(record);
    onProgress?.(record);
    return now;
  };

  let now: Objectives;
  let status: Status | undefined;
  for (;;) {
    let interrupted = interruption();
    while (!interrupted && epoch < maxEpochs && !watch.due(epoch)) {
      problem.shuffle();
      visits = await pacer.run(
        "sweep",
        n,
        (from, count) => problem.sweep(from, count),
        () => !!interruption(),
      );
      if (visits === n) {
        epoch++;
        visits = 0;
      }
      interrupted = interruption();
    }
    now = await evaluate();
    const better = watch.note(epoch, now);
    // An evaluation is a place to stop at, too: `onProgress` may have aborted, and time has passed.
    status = decideStatus(now, tolerance, epoch, maxEpochs, interrupted ?? interruption(), watch.stalled);
    if (status) break;
    if (better) bestDuals = problem.copyDuals(bestDuals);
  }

  // Without smoothing P is not monotone, so an earlier point may have had the smaller gap.
  if (bestDuals && status !== "solved" && status !== "aborted" && watch.best!.dualityGap < now.dualityGap) {
    problem.restoreDuals(bestDuals);
    now = await evaluate();
  }

  const certificate: Certificate = {
    ...{ status, epochs: epoch, ...now, tolerance },
    ...{ solveSeconds: seconds() - started, evaluateSeconds },
  };
  const hint = hintFor(status, settings, largestNorm);
  if (hint) certificate.hint = hint;
  const state = stateOf({ settings, classes, problem, labels: indices, certificate, scaling });
  return createModel({ state, history });
}
