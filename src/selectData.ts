import { check, integer } from "./constraints.ts";
import { exampleCosts } from "./costs.ts";
import { groupedFolds, stratifiedFolds } from "./folds.ts";
import { readTrainingRows } from "./gram.ts";
import { pathsOf, type Path } from "./grid.ts";
import { checkKernelOptions } from "./kernel.ts";
import { encodeLabels, type Truth } from "./labels.ts";
import { loadProblem, planProblem } from "./loadProblem.ts";
import { checkGuesses } from "./losses.ts";
import { Pacer } from "./pace.ts";
import { resolveMetric, type Metric } from "./selectMetrics.ts";
import { checkFolds, readGroups, throwIfAborted } from "./selectOptions.ts";
import { takeRows, takeTruth, viewRows } from "./takeRows.ts";
import type { Features, FitOptions, Label, Labels, LabelSets, SelectOptions } from "./types.ts";
import { readValidation, type HeldOut } from "./validation.ts";
import { checkAnchor } from "./warmStart.ts";
import { init } from "./wasm/shared.ts";

/** What a fit trains on. */
export interface TrainingPart {
  readonly features: Features;
  readonly labels: Labels | LabelSets;
  /** Where some rows were left out. */
  readonly sampleWeight?: FitOptions["sampleWeight"];
}

/** The same with the rows that the fit is scored on. */
export interface Part {
  readonly training: TrainingPart;
  readonly heldOut: HeldOut;
}

/** What `select` has to do. */
export interface Task {
  readonly paths: readonly Path[];
  /** Each copies its rows when it is called. */
  readonly parts: readonly (() => Promise<Part>)[];
  readonly metric: Metric;
  readonly classes: readonly Label[];
  readonly pacer: Pacer;
}

/** Checks everything else, down to the last value of the features, before any fit; splits the rows. */
export async function prepare(
  caller: string,
  features: Features,
  labels: Labels | LabelSets,
  o: SelectOptions,
): Promise<Task> {
  const paths = pathsOf(caller, o.grid, o.options ?? {});
  const [{ settings }] = paths;
  const pacer = new Pacer(settings.yieldEvery);
  const rows = readTrainingRows(caller, features);
  for (const path of paths) checkKernelOptions(caller, path.settings, rows);
  await pacer.breathe();
  const kinds = new Set(paths.map((path) => path.settings.loss.label));
  const encoded = [];
  for (const kind of kinds) {
    encoded.push(await pacer.finish(encodeLabels(caller, labels, rows.count, settings.classes, kind)));
  }
  const { classes, truth } = encoded[0];

  const m = classes.length;
  o.grid.k?.forEach((k, p) => check(caller, "grid.k", k, integer(1, m - 1), `entry ${p}`));
  for (const path of paths) checkGuesses(caller, path.settings.loss, m);
  const metric = resolveMetric(caller, o.metric, truth.offsets !== undefined, m);
  checkAnchor(caller, settings.anchor, settings.scaling, { rows, classes, intercept: settings.intercept });
  const splits = splitRows(caller, o, rows.count, truth, m, settings.seed);
  const kind = truth.offsets ? "set" : "class";
  const [heldOut] = await pacer.finish(readValidation(caller, o.validation, rows, classes, kind));
  await pacer.breathe();
  throwIfAborted(o.signal);
  await init();
  // To plan a problem is to look at the memory that it takes, to load it at every value, here at the largest C.
  const looked = new Set<string>();
  for (const path of paths) {
    throwIfAborted(o.signal);
    const costs = exampleCosts(caller, path.settings, classes, truth);
    const shape = await planProblem(caller, rows, truth, costs, m, path.settings, pacer);
    const { name } = path.settings.loss;
    if (looked.has(name)) continue;
    looked.add(name);
    const { problem } = await loadProblem(caller, rows, truth, costs, shape, path.settings, pacer);
    problem.release();
  }

  const { sampleWeight } = settings;
  const part = async ([train, held]: Split): Promise<Part> => ({
    training: {
      features: await takeRows(features, train, pacer),
      labels: Array.from(train, (i) => labels[i]) as Labels | LabelSets,
      ...(sampleWeight && { sampleWeight: Float64Array.from(train, (i) => sampleWeight[i]) }),
    },
    heldOut: { argument: "features of a fold", rows: viewRows(rows, held, train), truth: takeTruth(truth, held) },
  });
  const whole: Part = { training: { features, labels }, heldOut };
  const parts = splits?.map((split) => () => part(split)) ?? [() => Promise.resolve(whole)];
  return { paths, parts, metric, classes, pacer };
}

/** Rows to train on and rows to score on. */
type Split = readonly [train: Uint32Array, held: Uint32Array];

/** One for each fold; none where a validation set is given. */
function splitRows(
  caller: string,
  { folds = 5, groups, validation }: SelectOptions,
  n: number,
  truth: Truth,
  m: number,
  seed: number,
): Split[] | undefined {
  if (validation) return undefined;
  const [group, numGroups] = groups ? readGroups(caller, groups, n) : [];
  checkFolds(caller, folds, numGroups ?? n, groups ? "groups" : "rows");
  const fold = group ? groupedFolds(truth, m, folds, seed, group) : stratifiedFolds(truth, m, folds, seed);
  const rows = Uint32Array.from({ length: n }, (_, i) => i);
  return Array.from({ length: folds }, (_, f) => [
    rows.filter((i) => fold[i] !== f),
    rows.filter((i) => fold[i] === f),
  ]);
}
