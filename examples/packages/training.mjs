// What both tasks share here: a fit with its progress on stderr, what a table says of a certificate.
import { fit, select } from "topk-sdca";
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
 * The score of a loss at each C of a grid, by a metric of `select`, on the second of two parts, each with rows and labels; trained on
 * the first. To choose C, a gap of 1e-2 is narrow enough.
 */
export async function scoreGrid(name, grid, [[features, labels], [asideFeatures, asideLabels]], options, metric) {
  let record;
  const { table } = await select(features, labels, {
    grid: { C: grid },
    validation: { features: asideFeatures, labels: asideLabels },
    metric,
    options: { ...options, C: undefined, tolerance: 0.01, onProgress: (now) => progress.update(name, (record = now)) },
    onProgress: (done) => progress.finish(`${name}, C ${grid[done - 1]}`, record, `fit ${done} of ${grid.length}`),
  });
  return table.map(({ score }) => score);
}

export const percent = (fraction, digits = 1) => (100 * fraction).toFixed(digits);

export const trainingHeadings = ["CPU seconds", "status", "relative gap"];
export const trainingCells = (seconds, { certificate: { status, relativeGap } }) => [
  seconds.toFixed(1),
  status,
  relativeGap.toExponential(1),
];
