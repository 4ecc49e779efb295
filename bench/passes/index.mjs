/**
 * What the language makes of the same work: passes of SDCA steps over all n examples and every class, from dense float32 rows,
 * of ours or of the baseline. No evaluations, no lists, nothing else that the two programs do differently.
 */
import { openProblem as openBaseline } from "../baseline/index.mjs";
import { importWith } from "../layouts/bundle.mjs";
import { openProblem, toCsr } from "../layouts/index.mjs";
import { startClock } from "../lib/usage.mjs";
import { common } from "../losses.mjs";

/**
 * V8 compiles hot code while passes run: so many come first, or as many as take so long, if that is fewer. Then as many as take
 * as long again, at least two.
 */
const WARM_UP = { passes: 8, seconds: 2 };
const LEAST = { passes: 2, seconds: 0.5 };

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

/** @returns {Promise<{ milliseconds }>} processor time of a pass, the mean of those behind the first ones, in which code is compiled */
export async function passBench({ who, workload, loss, data }) {
  const pass = await openers[who](data, workload, loss);
  /** Passes until both are reached, or the most; returns how many and how long. */
  const run = (least, seconds, most = Infinity) => {
    const stop = startClock();
    let count = 0;
    let cpuSeconds = 0;
    while (count < most && (count < least || cpuSeconds < seconds)) {
      pass();
      count++;
      ({ cpuSeconds } = stop());
    }
    return { count, cpuSeconds };
  };
  run(1, WARM_UP.seconds, WARM_UP.passes);
  const { count, cpuSeconds } = run(LEAST.passes, LEAST.seconds);
  return { milliseconds: (1000 * cpuSeconds) / count };
}
