import { check, integer } from "../constraints.ts";
import { checkAnchor } from "../fit/checkStart.ts";
import { exampleCosts } from "../fit/costs.ts";
import { type HeldOut, readValidation } from "../fit/heldOut.ts";
import { checkKernelOptions } from "../fit/kernel.ts";
import { loadFine, planProblem } from "../fit/loadProblem.ts";
import { readTrainingRows } from "../gram.ts";
import { encodeLabels, type Truth } from "../labels.ts";
import { checkGuesses } from "../losses.ts";
import { Pacer } from "../pace/pace.ts";
import { upwards, type Steps } from "../pace/steps.ts";
import type { Features, FitOptions, Label, Labels, LabelSets, SelectOptions } from "../types.ts";
import { init } from "../wasm/shared.ts";
import { groupedFolds, stratifiedFolds, type Folds } from "./folds.ts";
import { pathsOf, type Path } from "./grid.ts";
import { resolveMetric, type Metric } from "./selectMetrics.ts";
import { checkFolds, readGroups, throwIfAborted } from "./selectOptions.ts";
import { takeRows, takeTruth, viewRows } from "./takeRows.ts";

/** What a fit trains on. */
export interface TrainingPart {
  readonly features: Features;
  readonly labels: Labels | LabelSets;
  /** Where some rows were left out. */
  readonly sampleWeight?: FitOptions["sampleWeight"];
}

/** What a fit trains on, and the rows that it is scored on. */
export interface Part {
  readonly training: TrainingPart;
  readonly heldOut: HeldOut;
}

/** What `select` has to do. */
interface Task {
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
  const pacer = new Pacer(settings.yieldEvery, () => throwIfAborted(o.signal));
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
  const anchor = checkAnchor(caller, settings.anchor, settings.scaling, {
    rows,
    classes,
    intercept: settings.intercept,
  });
  const folds = await pacer.finish(foldRows(caller, o, rows.count, truth, m, settings.seed));
  const kind = truth.offsets ? "set" : "class";
  const [heldOut] = await pacer.finish(readValidation(caller, o.validation, rows, classes, kind));
  await pacer.breathe();
  throwIfAborted(o.signal);
  await init();
  // To plan a problem is to look at the memory that it takes, to load it at every value, here at the largest C.
  const mayChoose = o.options?.precision === undefined;
  const looked = new Set<string>();
  for (const path of paths) {
    throwIfAborted(o.signal);
    const costs = exampleCosts(caller, path.settings, classes, truth);
    const input = { caller, settings: path.settings, rows, classes, truth, costs, anchor };
    const shape = await planProblem(input, pacer);
    const { name } = path.settings.loss;
    if (looked.has(name)) continue;
    looked.add(name);
    const { problem } = await loadFine(input, shape, mayChoose, pacer);
    problem.release();
  }

  const { sampleWeight } = settings;
  const part = async (of: Folds, fold: number): Promise<Part> => {
    const { train, held } = await pacer.finish(splitAt(of, fold));
    const own = <value>(values: ArrayLike<value>): Promise<value[]> => pacer.finish(pickAll(values, train));
    return {
      training: {
        features: await takeRows(features, train, pacer),
        labels: (await own<unknown>(labels)) as Labels | LabelSets,
        ...(sampleWeight && { sampleWeight: Float64Array.from(await own<number>(sampleWeight)) }),
      },
      heldOut: { argument: "features of a fold", rows: viewRows(rows, held, train), truth: takeTruth(truth, held) },
    };
  };
  const whole: Part = { training: { features, labels }, heldOut };
  const parts = folds
    ? Array.from({ length: folds.count }, (_, fold) => () => part(folds.of, fold))
    : [() => Promise.resolve(whole)];
  return { paths, parts, metric, classes, pacer };
}

/** The fold of each row; nothing where a validation set is given. */
function* foldRows(
  caller: string,
  { folds, groups, validation }: SelectOptions,
  n: number,
  truth: Truth,
  m: number,
  seed: number,
): Steps<{ of: Folds; count: number } | undefined> {
  if (validation) return undefined;
  const [group, numGroups] = groups ? yield* readGroups(caller, groups, n) : [];
  const count = checkFolds(caller, folds, numGroups ?? n, groups ? "groups" : "rows");
  const of = group ? groupedFolds(truth, m, count, seed, group) : stratifiedFolds(truth, m, count, seed);
  return { of: yield* of, count };
}

/** Rows to train on and rows to score on, where those of one fold are held out. */
function* splitAt(of: Folds, fold: number): Steps<{ train: Uint32Array; held: Uint32Array }> {
  const n = of.length;
  let count = 0;
  yield* upwards(n, (from, end) => {
    for (let i = from; i < end; i++) count += Number(of[i] === fold);
  });
  const held = new Uint32Array(count);
  const train = new Uint32Array(n - count);
  let h = 0;
  let t = 0;
  yield* upwards(n, (from, end) => {
    for (let i = from; i < end; i++) {
      if (of[i] === fold) held[h++] = i;
      else train[t++] = i;
    }
  });
  return { train, held };
}

/** The values at some places. */
function* pickAll<value>(values: ArrayLike<value>, places: Uint32Array): Steps<value[]> {
  const picked = new Array<value>(places.length);
  yield* upwards(places.length, (from, end) => {
    for (let p = from; p < end; p++) picked[p] = values[places[p]];
  });
  return picked;
}
