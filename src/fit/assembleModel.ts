import { isDrowned, type Objectives } from "../certificate.ts";
import { isRoundedGram } from "../gram.ts";
import { createModel } from "../model.ts";
import { thresholdFor } from "../model/evaluateScores.ts";
import { scoringPart, stateOf } from "../model/solvedState.ts";
import { seconds } from "../pace/pace.ts";
import { exampleScores } from "../solver/evaluate.ts";
import type { Certificate, Label, Model } from "../types.ts";
import { hintFor } from "./hint.ts";
import { problemScorer, scoreAll } from "./rowScorer.ts";
import type { Running, Solved } from "./running.ts";

/**
 * The best threshold for the training rows, where they have label sets. Of a kernel it is that at the solver's scores,
 * which differ from the model's by rounding: to score the rows anew would take several times as long as the fit.
 */
async function thresholdOf({ input, problem, scaling, pacer }: Running): Promise<number | undefined> {
  const { settings, rows, classes, truth } = input;
  const score = async (): Promise<Float64Array> => {
    if (problem.kernel) return exampleScores(problem, pacer);
    const scorer = await pacer.finish(problemScorer({ problem, settings, truth, scaling }, rows.nonzeros));
    return scoreAll(rows, scorer, pacer);
  };
  return thresholdFor(settings.loss, truth, classes.length, score, pacer);
}

/** The model that the problem holds, with its certificate. */
export async function assembleModel(
  running: Running,
  { ended, evaluations, furthest }: Solved,
): Promise<Model | Model<Label[]>> {
  const { input, problem, scaling, reach, pacer, started } = running;
  const { settings, rows, classes, truth, heldOut } = input;
  const { tolerance } = settings;
  const scoring = { ...(await pacer.finish(scoringPart(problem, settings, truth))), scaling };
  const threshold = heldOut.length > 0 ? evaluations.threshold : await thresholdOf(running);
  const certificate: Certificate = {
    ...{ ...ended, epochs: evaluations.epochs, tolerance },
    ...{ solveSeconds: seconds() - started, evaluateSeconds: evaluations.seconds },
  };
  await pacer.breathe();
  const drowned = ended.dualObjective !== null && isDrowned(ended as Objectives, tolerance);
  const kernel = problem.kernel?.shape.name;
  const { largestNorm } = reach;
  const indefinite = kernel !== undefined && ended.relativeGap === Infinity;
  const roundedGram = isRoundedGram(rows);
  const obstacles = { kernel, largestNorm, drowned, coarse: running.coarse, indefinite, roundedGram };
  const hint = hintFor(ended.status, settings, obstacles);
  if (hint) certificate.hint = hint;
  const solved = { settings, classes, problem, truth, scoring, threshold, certificate, furthest };
  return createModel<Label>({ state: await pacer.finish(stateOf(solved)), history: evaluations.history });
}
