import { list, meant, refuse } from "../errors.ts";
import { thresholdMetrics, valueOf } from "../metrics/threshold.ts";
import type { MultilabelEvaluation } from "../types.ts";

/** A number that says how well a model does on held-out rows. */
export type Metric = ClassMetric | SetMetric;

/**
 * The part of rows whose label is among the k guesses of `topK`. Where all scores are equal a model has learned
 * nothing: no ties here.
 */
interface ClassMetric {
  readonly smallerIsBetter: false;
  readonly guesses: number;
}

interface SetMetric {
  readonly smallerIsBetter: boolean;
  readonly guesses?: undefined;
  /** The k that `evaluateScores` is to look at. */
  readonly ks: readonly number[];
  readonly of: (multilabel: MultilabelEvaluation) => number;
}

/** The metrics of label sets that have no k. */
const ofSets: Record<string, (multilabel: MultilabelEvaluation) => number> = {
  ...Object.fromEntries(thresholdMetrics.map((metric) => [metric, (multilabel) => valueOf(metric, multilabel)])),
  map: (multilabel) => multilabel.meanAveragePrecision,
  "rank-loss": (multilabel) => multilabel.rankLoss,
};
const errors = ["hamming", "rank-loss"];

/** Those with a k, by what stands before it. */
const ofClasses = "top";
const ofSetsAtK: Record<string, (multilabel: MultilabelEvaluation) => Record<number, number>> = {
  precision: (multilabel) => multilabel.precisionAtK,
  recall: (multilabel) => multilabel.recallAtK,
};
const setNames = [...Object.keys(ofSets), "precision-K", "recall-K"];

/** The metric called `name`, by default "top-1", or "f1-micro" where labels are sets, for m classes. */
export function resolveMetric(caller: string, name: string | undefined, areSets: boolean, m: number): Metric {
  const given = name ?? (areSets ? "f1-micro" : "top-1");
  const wrong = (what: string): never => refuse(RangeError, caller, "metric", what);
  const [, stem, digits] = /^(top|precision|recall)-(0|[1-9]\d*)$/.exec(given) ?? [];
  const forSets = stem ? stem !== ofClasses : Object.hasOwn(ofSets, given);
  if (!stem && !forSets) {
    const [names, like] = areSets ? [setNames, meant(given, setNames)] : [["top-K"], '; did you mean "top-1"?'];
    wrong(`must be ${list(names, "or")}, got "${given}"${like}`);
  }
  if (forSets !== areSets) {
    wrong(
      areSets
        ? `"${given}" is for one label per example; for label sets there are ${list(setNames)}`
        : `"${given}" is for label sets; for one label per example there is "top-K"`,
    );
  }
  if (!stem) {
    const of = ofSets[given];
    return { smallerIsBetter: errors.includes(given), ks: [], of };
  }
  const k = Number(digits);
  const most = areSets ? m : m - 1; // one of m guesses always is the label
  if (!(k >= 1 && k <= most)) wrong(`must have K in [1, ${most}]${areSets ? "" : " (classes − 1)"}, got "${given}"`);
  if (!areSets) return { smallerIsBetter: false, guesses: k };
  return { smallerIsBetter: false, ks: [k], of: (multilabel) => ofSetsAtK[stem](multilabel)[k] };
}
