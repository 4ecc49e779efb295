import { type Rows, slice } from "../features.ts";
import type { Truth } from "../labels.ts";
import type { Scoring } from "../model/kernelScores.ts";
import { rowScaler, type Scaling } from "../model/scaling.ts";
import { atOnce, type Scorer, scorerOf } from "../model/scorer.ts";
import { scoringPart } from "../model/solvedState.ts";
import type { Pacer } from "../pace/pace.ts";
import { finish, type Steps } from "../pace/steps.ts";
import { constantFeature, type Settings } from "../settings.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { ROWS_TOGETHER } from "../wasm/rowScores.ts";

/** A fit under way, as far as scores go. */
export interface Moment {
  readonly problem: ResidentProblem;
  readonly settings: Settings;
  readonly truth: Truth;
  readonly scaling: Scaling | undefined;
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
    return yield* modelScorer({ ...(yield* scoringPart(problem, settings, truth)), scaling }, nonzeros);
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
