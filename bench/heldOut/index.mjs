/** Fits with a validation set and without, and the scores of its rows. */
import { median } from "../lib/statistics.mjs";
import { startClock } from "../lib/usage.mjs";
import { readPart } from "../workloads/load.mjs";

const TIMES = 5;

/**
 * Everything once more than it is timed: code is compiled before. `order`: the sides, the one that begins first.
 *
 * @returns {{ without, with, evaluations, rows, kernels, plain }} CPU seconds of fits, and milliseconds for the scores of all rows
 */
export async function heldOutBench({ workload, loss, settings, order }) {
  const { fit } = await import("../../dist/index.js");
  const predict = await import("../../dist/predict.js");
  const train = readPart(workload, "train");
  const { features, labels } = readPart(workload, "test");
  const sides = { without: {}, with: { validation: { features, labels } } };
  const result = { rows: features.rows };
  let model;
  for (const side of [...order, ...order]) {
    const stop = startClock();
    model = await fit(train.features, train.labels, { ...loss.options, ...settings, ...sides[side] });
    result[side] = stop().cpuSeconds;
  }
  result.evaluations = model.history.length;
  result.kernels = milliseconds(() => model.scores(features));
  if (!loss.options.kernel) {
    const plain = predict.load(model.toBytes());
    result.plain = milliseconds(() => plain.scores(features));
  }
  return result;
}

function milliseconds(work) {
  work();
  const times = Array.from({ length: TIMES }, () => {
    const stop = startClock();
    work();
    return 1000 * stop().seconds;
  });
  return median(times);
}
