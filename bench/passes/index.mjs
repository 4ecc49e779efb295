/**
 * What the language makes of the same work: passes of SDCA steps over all n examples and every class, from dense float32 rows,
 * of ours or of the baseline. No evaluations, no lists, nothing else that the two programs do differently.
 */
import { openProblem as openBaseline } from "../baseline/index.mjs";
import { importWith } from "../layouts/bundle.mjs";
import { openProblem, toCsr } from "../layouts/index.mjs";
import { summarise } from "../lib/statistics.mjs";
import { startClock } from "../lib/usage.mjs";
import { common } from "../losses.mjs";

const PASSES = 3;

const openers = {
  async ours({ features, labels }, { numTrain: n, d, m }, loss) {
    const solver = await importWith("dense");
    await solver.init();
    const shape = { numExamples: n, numFeatures: d, numClasses: m, precision: common.precision };
    const rows = toCsr(features);
    const problem = await openProblem({
      solver,
      layout: "dense",
      shape,
      features: rows,
      labels,
      loss: loss.options.loss,
    });
    return () => {
      solver.finish(problem.visits.shuffle(n));
      problem.sweep(0, n, true);
    };
  },

  async baseline({ features, labels }, { numTrain: n, m }, loss) {
    const { C, precision } = common;
    const classes = Array.from({ length: m }, (_, j) => j);
    const { solver, problem } = openBaseline(features, labels, { ...loss.options, C, precision, classes });
    const order = Int32Array.from({ length: n }, (_, i) => i);
    const random = solver.createRandom(0);
    return () => {
      solver.shuffle(order, random);
      solver.sweep(problem, order);
    };
  },
};

/** @returns {Promise<{ median, min, max }>} processor milliseconds of the passes after the first, in which code is compiled */
export async function passBench({ who, workload, loss, data }) {
  const pass = await openers[who](data, workload, loss);
  pass();
  const times = Array.from({ length: PASSES }, () => {
    const stop = startClock();
    pass();
    return 1000 * stop().cpuSeconds;
  });
  return summarise(times);
}
