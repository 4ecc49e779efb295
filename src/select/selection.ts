import { describe, refuse } from "../errors.ts";
import { fitOrThrow } from "../fit.ts";
import { type HeldOut, scoreHeldOut } from "../fit/heldOut.ts";
import { modelScorer } from "../fit/rowScorer.ts";
import type { Truth } from "../labels.ts";
import { isConvex, type Loss } from "../losses.ts";
import { modelState } from "../model.ts";
import { evaluateScores, thresholdFor } from "../model/evaluateScores.ts";
import { mapRows, placeOf } from "../model/scoring.ts";
import { onAbort } from "../pace/onAbort.ts";
import type { Pacer } from "../pace/pace.ts";
import { finish } from "../pace/steps.ts";
import { untilAborted } from "../pace/untilAborted.ts";
import type {
  Features,
  FitOptions,
  Label,
  Labels,
  LabelSets,
  Model,
  Remote,
  Selection,
  SelectOptions,
  SelectRecord,
  Status,
} from "../types.ts";
import type { Cell, Path } from "./grid.ts";
import { prepare, type Part, type TrainingPart } from "./selectData.ts";
import type { Metric } from "./selectMetrics.ts";
import { readSelectOptions, throwIfAborted, throwNaming } from "./selectOptions.ts";

type Fit = (features: Features, labels: Labels, options: FitOptions) => Promise<Model>;

/** One fit of one cell. */
interface Result {
  readonly score: number;
  readonly status: Status;
  readonly seconds: number;
}

/**
 * A fit of no more epochs is no start for the next one: to take its dual variables over and evaluate them takes longer
 * than it saves. Measured on the workloads of bench/.
 */
const FEW_EPOCHS = 3;

/** Where the next fit of a path starts: where the last one has ended, if that is of use. */
function startFrom(last: Model | undefined, loss: Loss): Model | undefined {
  // Where a descent that is not convex ends depends on where it starts: there each fit starts as the last one will.
  return isConvex(loss) && last && last.certificate.epochs > FEW_EPOCHS ? last : undefined;
}

/** Starts workers, up to `count`, that end when the signal aborts: as many as can be started, which may be none. */
export type StartWorkers = (count: number, signal: AbortSignal) => Promise<Workers>;
type Workers = readonly Pick<Remote, "fit">[];

/** `select`, which says what it does, given what starts workers. */
export async function selectOn(
  start: StartWorkers,
  features: Features,
  labels: Labels | LabelSets,
  given: SelectOptions,
): Promise<Selection | Selection<Label[]>> {
  const o = readSelectOptions("select", given);
  const { signal, onProgress, validation, workers } = o;
  const { paths, parts, metric, classes, pacer } = await prepare("select", features, labels, o).catch(throwNaming);
  const stop = new AbortController();
  const throwIfStopped = (): void => throwIfAborted(stop.signal);

  const cells = paths.flatMap((path) => path.cells);
  const results: Result[][] = cells.map(() => []); // of each cell, by fold
  const best = (among: readonly Cell[]): Cell => {
    const scores = among.map(({ place }) => mean(results[place].map(({ score }) => score)));
    return bestCell(among, scores, metric, parts.length);
  };
  /** With `validation` every fit is on all rows, and the best so far is kept. */
  let kept: { readonly cell: Cell; readonly model: Model } | undefined;

  const total = cells.length * parts.length + (validation ? 0 : 1);
  let done = 0;
  const report = async (): Promise<void> => {
    throwIfStopped();
    await untilAborted(onProgress?.(++done, total), stop.signal);
    throwIfStopped();
  };
  const train = (run: Fit, part: TrainingPart, path: Path, { values: { C } }: Cell, initial?: Model): Promise<Model> =>
    trainOn(run, part, { ...path.options, classes, C, initial, signal: stop.signal }).finally(throwIfStopped);

  const jobs = parts.flatMap((make, fold) => paths.map((path) => ({ make, fold, path })));
  /** Takes one job after the other until none is left. */
  const work = async (run: Fit): Promise<void> => {
    let made: { readonly fold: number; readonly part: Part } | undefined;
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { make, fold, path } = job;
      if (made?.fold !== fold) made = { fold, part: await make() };
      const { training, heldOut } = made.part;
      let model: Model | undefined;
      for (const cell of path.cells) {
        model = await train(run, training, path, cell, startFrom(model, path.settings.loss));
        const { status, solveSeconds: seconds } = model.certificate;
        const scored = await score(model, heldOut, path, metric, pacer, !!validation);
        results[cell.place][fold] = { score: scored.value, status, seconds };
        if (validation && (!kept || best([kept.cell, cell]) === cell)) kept = { cell, model: scored.model };
        await report();
      }
    }
  };

  const abort = (): void => stop.abort(signal?.reason);
  const callOff = signal && onAbort(signal, abort);
  try {
    if (signal?.aborted) abort();
    throwIfStopped();
    const here: Fit = (...call) => fitOrThrow(throwIfStopped, ...call);
    const runs = (await runsOn(workers, jobs.length, start, stop.signal)) ?? [here];
    throwIfStopped();
    await Promise.all(runs.map(work));

    const table = cells.map((cell) => recordOf(cell, results[cell.place]));
    const cell = best(cells);
    let model = kept?.model;
    if (!model) {
      const path = paths.find((one) => one.cells.includes(cell))!;
      model = await train(runs[0], { features, labels }, path, cell);
      await report();
    }
    return { model: model as Model, best: { ...cell.values, score: table[cell.place].score }, table };
  } finally {
    stop.abort(); // ends the workers started here; where one of several has failed, the others are still at it
    callOff?.();
  }
}

/** A model of some rows, from wherever it is fitted. */
async function trainOn(run: Fit, { features, labels, ...weights }: TrainingPart, options: object): Promise<Model> {
  const settings = { ...options, ...weights } as FitOptions;
  const model = await untilAborted(run(features, labels as Labels, settings), settings.signal);
  if (model && modelState(model)) return model;
  refuse(TypeError, "select", "workers", `returned ${describe(model)} from a fit; it must be a model`);
}

/** What the table says of a cell. */
function recordOf({ values }: Cell, results: readonly Result[]): SelectRecord {
  const scores = results.map(({ score }) => score);
  const statuses = results.map(({ status }) => status);
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  return { ...values, score: mean(scores), scores, statuses, seconds };
}

/** Where fits run, on each place one at a time: on workers given or started for them; or nowhere but here. */
async function runsOn(
  workers: SelectOptions["workers"] = 1,
  numJobs: number,
  start: StartWorkers,
  signal: AbortSignal,
): Promise<Fit[] | undefined> {
  let remotes: Workers = [];
  if (typeof workers === "object") remotes = workers;
  else if (workers > 1) remotes = await start(Math.min(workers, numJobs), signal);
  if (remotes.length === 0) return undefined;
  return remotes.map(
    (remote) =>
      (...call) =>
        remote.fit(...call),
  );
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Of the best scores, equal where rounding explains the difference of means, that of the smallest C, then the first.
 */
function bestCell(
  cells: readonly Cell[],
  scores: readonly number[],
  { smallerIsBetter }: Metric,
  numScores: number,
): Cell {
  const worth = smallerIsBetter ? scores.map((value) => -value) : scores;
  const most = Math.max(...worth);
  const rounding = (numScores - 1) * Number.EPSILON * Math.abs(most);
  const equal = cells.filter((_, c) => worth[c] >= most - rounding);
  return equal.reduce((a, b) => ((b.values.C - a.values.C || b.place - a.place) < 0 ? b : a));
}

/** The metric at the scores that a model gives. */
function valueOf(metric: Metric, scores: Float64Array, truth: Truth, loss: Loss, model: Model): number {
  const m = model.classes.length;
  const { guesses } = metric;
  if (guesses === undefined) {
    return metric.of(finish(evaluateScores(loss, scores, truth, m, metric.ks, model.threshold)).multilabel!);
  }
  const places = mapRows(scores, m, (row, i) => placeOf(row, truth.indices[i]));
  return places.filter((place) => place < guesses).length / places.length;
}

/**
 * The metric of a model on held-out rows, and the model. Where it predicts sets, its threshold is its own, or is moved
 * to where it is best on these rows, as `fit` does with a validation set.
 */
async function score(
  model: Model,
  heldOut: HeldOut,
  { settings: { loss } }: Path,
  metric: Metric,
  pacer: Pacer,
  movesThreshold: boolean,
): Promise<{ value: number; model: Model }> {
  const m = model.classes.length;
  const { truth } = heldOut;
  const scorer = await pacer.finish(modelScorer(modelState(model)!, heldOut.rows.nonzeros));
  const scores = await scoreHeldOut("select", heldOut, scorer, pacer);
  if (movesThreshold && truth.offsets) {
    model = model.withThreshold((await thresholdFor(loss, truth, m, () => Promise.resolve(scores), pacer))!);
  }
  await pacer.breathe();
  return { value: valueOf(metric, scores, truth, loss, model), model };
}
