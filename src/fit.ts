import { decideStatus, objectives, Watch, type Objectives } from "./certificate.ts";
import { readRows } from "./features.ts";
import { encodeLabels } from "./labels.ts";
import { checkGuesses } from "./losses.ts";
import { createModel } from "./model.ts";
import { Pacer, seconds } from "./pace.ts";
import { loadProblem } from "./loadProblem.ts";
import { resolveSettings } from "./settings.ts";
import type { Features, FitOptions, HistoryRecord, Labels, Model, Status } from "./types.ts";
import { init } from "./wasm/shared.ts";

/**
 * Trains a classifier: minimises  P(W) = C sum_i loss(W x_i) + 1/2 ||W||_F^2  by stochastic dual coordinate ascent.
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

  const { maxEpochs, maxSeconds, tolerance, signal, onProgress } = settings;
  const pacer = new Pacer(settings.yieldEvery);
  const interruption = (): "aborted" | "max-seconds" | undefined => {
    if (signal?.aborted) return "aborted";
    return seconds() - started >= maxSeconds ? "max-seconds" : undefined;
  };

  await init();
  const problem = await loadProblem("fit", rows, indices, classes.length, settings, pacer);
  const n = rows.count;
  const history: HistoryRecord[] = [];
  const watch = new Watch();
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
    evaluateSeconds += seconds() - began;
    const record = { epoch, visits: epoch + visits / n, seconds: seconds() - started, ...now };
    history.push(record);
    onProgress?.(record);
    return now;
  };

  let now: Objectives;
  let status: Status | undefined;
  for (;;) {
    let interrupted = interruption();
    if (!interrupted && epoch < maxEpochs) {
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
      if (!interrupted && epoch < maxEpochs && !watch.due(epoch)) continue;
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

  return createModel({
    settings,
    classes,
    problem,
    labels: indices,
    certificate: { status, epochs: epoch, ...now, tolerance, solveSeconds: seconds() - started, evaluateSeconds },
    history,
  });
}
