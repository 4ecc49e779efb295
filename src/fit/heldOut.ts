import { describe, refuse } from "../errors.ts";
import { type Rows, slice } from "../features.ts";
import { readRowsToScore } from "../gram.ts";
import { indexClasses, lookUpLabels, type Truth } from "../labels.ts";
import type { Scoring } from "../model/kernelScores.ts";
import { finiteScores } from "../model/predictor.ts";
import { rowScaler, type Scaling } from "../model/scaling.ts";
import { atOnce, type Scorer, scorerOf } from "../model/scorer.ts";
import { scoringPart } from "../model/solvedState.ts";
import type { Pacer } from "../pace/pace.ts";
import { finish, type Steps } from "../pace/steps.ts";
import { constantFeature, settingNames, type Settings } from "../settings.ts";
import type { Label, ValidationSet } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { ROWS_TOGETHER } from "../wasm/rowScores.ts";

/** A validation set, checked. */
export interface HeldOut {
  /** The argument that the rows have come in. */
  readonly argument: string;
  readonly rows: Rows;
  readonly truth: Truth;
}

/** A fit under way, as far as scores go. */
export interface Moment {
  readonly problem: ResidentProblem;
  readonly settings: Settings;
  readonly truth: Truth;
  readonly scaling: Scaling | undefined;
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

/** What scores rows, m numbers for each. */
export interface RowScorer {
  readonly numClasses: number;
  readonly score: Scorer;
  /** So many rows are quicker together than one by one. Undefined where it takes short steps with all of them. */
  readonly together: number | undefined;
}

/** The scorer of a model, for rows with so many nonzeros. */
export function* modelScorer(model: Scoring, nonzeros?: number): Steps<RowScorer> {
  const together = model.expansion ? undefined : ROWS_TOGETHER;
  return { numClasses: model.intercepts.length, score: yield* scorerOf(model, nonzeros), together };
}

/**
 * The scorer of the model that a problem would give at the moment: its kernels, where the model has their weights as
 * they are.
 */
export function* problemScorer(
  { problem, settings, truth, scaling }: Moment,
  nonzeros: number | undefined,
): Steps<RowScorer> {
  const { shape, scores } = problem;
  if (problem.kernel || shape.precision !== settings.precision) {
    return yield* modelScorer({ ...scoringPart(problem, settings, truth), scaling }, nonzeros);
  }
  const scale = scaling && rowScaler(scaling);
  const constant = settings.intercept ? constantFeature(settings) : undefined;
  const score = atOnce((some) => scores.of(scale ? some.map(scale) : some, constant));
  return { numClasses: shape.numClasses, score, together: scores.rowsAtOnce };
}

/** Scores of all rows. */
export async function scoreAll(
  rows: Rows,
  { numClasses: m, together, score }: RowScorer,
  pacer: Pacer,
  look?: (scores: Float64Array, first: number) => void,
): Promise<Float64Array> {
  if (!together) {
    const scores = await pacer.finish(score(slice(rows, 0, rows.count)));
    look?.(scores, 0);
    return scores;
  }
  const scores = new Float64Array(rows.count * m);
  const scoreSlice = (from: number, count: number): void => {
    const part = finish(score(slice(rows, from, count)));
    look?.(part, from);
    scores.set(part, from * m);
  };
  await pacer.run("score", rows.count, scoreSlice, undefined, together);
  return scores;
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
