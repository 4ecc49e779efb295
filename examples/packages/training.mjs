// What both tasks share here: a fit with its progress on stderr, what a table says of a certificate.
import { fit } from "topk-sdca";
import { createProgress } from "../../scripts/lib/progress.mjs";

const progress = createProgress(process.stderr);

/** A fitted model and the seconds of processor time that it took. */
export async function train(name, features, labels, options) {
  const before = process.cpuUsage();
  const model = await fit(features, labels, { ...options, onProgress: (record) => progress.update(name, record) });
  const { user, system } = process.cpuUsage(before); // in microseconds
  const { status, epochs, relativeGap, solveSeconds } = model.certificate;
  progress.finish(name, { epoch: epochs, relativeGap, seconds: solveSeconds }, status);
  return { model, seconds: (user + system) / 1e6 };
}

/**
 * Fits at each C of a grid, each fit from the one before it, and returns the score of each model. To choose C, a gap of 1e-2 is
 * narrow enough.
 */
export async function scoreGrid(name, grid, features, labels, options, score) {
  const scores = [];
  let initial;
  for (const C of grid) {
    const { model } = await train(`${name}, C ${C}`, features, labels, { ...options, C, initial, tolerance: 0.01 });
    scores.push(score(model));
    initial = model;
  }
  return scores;
}

export const percent = (fraction, digits = 1) => (100 * fraction).toFixed(digits);

export const trainingHeadings = ["CPU seconds", "status", "relative gap"];
export const trainingCells = (seconds, { certificate: { status, relativeGap } }) => [
  seconds.toFixed(1),
  status,
  relativeGap.toExponential(1),
];
