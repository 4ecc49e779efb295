import { readTrainingRows } from "../gram.ts";
import { encodeLabels } from "../labels.ts";
import { checkGuesses, isConvex } from "../losses.ts";
import type { Steps } from "../pace/steps.ts";
import type { Settings } from "../settings.ts";
import type { Features, Labels, LabelSets } from "../types.ts";
import {
  checkAnchor,
  checkInitial,
  checkInitialWeights,
  type Expected,
  type GivenWeights,
  type InitialDuals,
} from "./checkStart.ts";
import { exampleCosts } from "./costs.ts";
import { type HeldOut, readValidation } from "./heldOut.ts";
import { checkKernelOptions } from "./kernel.ts";
import type { ProblemInput } from "./loadProblem.ts";

/** What a fit was given, checked but for the values of features. */
export interface FitInput extends ProblemInput {
  /** Where it starts, if it is told: dual variables or, of a loss without a dual, weights. */
  readonly initial: InitialDuals | undefined;
  readonly initialWeights: GivenWeights | undefined;
  readonly heldOut: readonly HeldOut[];
  /** What a starting point has to match. */
  readonly expected: Expected;
}

/** Refuses what does not go together, naming argument, place and value. */
export function* readFitInput(
  caller: string,
  features: Features,
  labels: Labels | LabelSets,
  settings: Settings,
): Steps<FitInput> {
  const { loss, scaling } = settings;
  const rows = readTrainingRows(caller, features);
  checkKernelOptions(caller, settings, rows);
  yield;
  const { classes, truth } = yield* encodeLabels(caller, labels, rows.count, settings.classes, loss.label);
  checkGuesses(caller, loss, classes.length);
  const costs = exampleCosts(caller, settings, classes, truth);
  const expected = { rows, classes, intercept: settings.intercept };
  const convex = isConvex(loss);
  const initial = convex ? checkInitial(caller, settings.initial, expected, { loss, costs: costs.C }) : undefined;
  const initialWeights = convex ? undefined : checkInitialWeights(caller, settings.initial, scaling, expected);
  const anchor = checkAnchor(caller, settings.anchor, scaling, expected);
  const kind = truth.offsets ? "set" : "class";
  const heldOut = yield* readValidation(caller, settings.validation, rows, classes, kind);
  return { caller, settings, rows, classes, truth, costs, initial, initialWeights, anchor, heldOut, expected };
}
