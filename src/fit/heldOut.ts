import { describe, refuse } from "../errors.ts";
import type { Rows } from "../features.ts";
import { readRowsToScore } from "../gram.ts";
import { indexClasses, lookUpLabels, type Truth } from "../labels.ts";
import { finiteScores } from "../model/predictor.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Steps } from "../pace/steps.ts";
import { settingNames, type Settings } from "../settings.ts";
import type { Label, ValidationSet } from "../types.ts";
import { type RowScorer, scoreAll } from "./rowScorer.ts";

/** A validation set, checked. */
export interface HeldOut {
  /** The argument that the rows have come in. */
  readonly argument: string;
  readonly rows: Rows;
  readonly truth: Truth;
}

/** Checks the validation sets; their messages name which one. */
export function* readValidation(
  caller: string,
  given: Settings["validation"],
  { cols, gram }: Rows,
  classes: readonly Label[],
  kind: "class" | "set",
): Steps<HeldOut[]> {
  if (given === undefined) return [];
  const index = indexClasses(caller, classes);
  const sets = (Array.isArray(given) ? given : [given]) as readonly ValidationSet[];
  const read: HeldOut[] = [];
  for (const [v, set] of sets.entries()) {
    const where = Array.isArray(given) ? `validation[${v}]` : "validation";
    if (typeof set !== "object" || set === null) {
      refuse(TypeError, caller, where, `must be { features, labels }, got ${describe(set)}`);
    }
    for (const name of ["features", "labels"]) {
      if (!(name in set)) refuse(TypeError, caller, where, `must be { features, labels }; it has no "${name}"`);
    }
    const option = Object.keys(set).find((name) => settingNames.includes(name));
    if (option !== undefined) {
      const what = `has "${option}", which is an option of the fit; there is { features, labels }`;
      refuse(TypeError, caller, where, what);
    }
    const rows = yield* readRowsToScore(caller, `${where}.features`, set.features, cols, gram !== undefined);
    if (rows.cols !== cols) {
      refuse(RangeError, caller, `${where}.features`, `has ${rows.cols} columns but "features" has ${cols}`);
    }
    const whose = 'the classes of the training data; the option "classes" says what others there may be';
    const truth = yield* lookUpLabels(caller, set.labels, rows.count, index, kind, whose, 'in "labels"', where);
    read.push({ argument: `${where}.features`, rows, truth });
  }
  return read;
}

/** Scores of held-out rows, which nobody has looked at before: those that overflow are refused. */
export async function scoreHeldOut(
  caller: string,
  { rows, argument }: HeldOut,
  scorer: RowScorer,
  pacer: Pacer,
): Promise<Float64Array> {
  const look = (scores: Float64Array, first: number): void => {
    finiteScores(caller, scores, scorer.numClasses, argument, first);
  };
  return scoreAll(rows, scorer, pacer, look);
}
