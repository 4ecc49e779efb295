/**
 * One job in a process of its own (lib/inFreshProcess.mjs): reads a message, does it, answers. The kinds:
 *
 *   prepare   makes the files of a workload, and scores the nearest class mean on it
 *   load      reads the training rows and nothing else: the memory that a job needs before it trains
 *   train     one contender, one workload, one loss; then the objective and the accuracy of what it found
 *   passes    steps over every class by themselves, of ours or of the baseline
 *   probe     whether a contender is installed
 *   micro     kernels and proximal maps by themselves
 *   epochs    one fit of ours, and the processor time at each of its evaluations
 *   layouts   features dense and sparse in memory
 *   heldOut   fits with held-out rows and without, and the scores of these
 */
import { contenders } from "./contenders/index.mjs";
import { score } from "./lib/score.mjs";
import { peakBytes, startClock } from "./lib/usage.mjs";
import { prepareWorkload, readPart } from "./workloads/load.mjs";
import { nearestMeanAccuracy } from "./workloads/nearestMean.mjs";

const jobs = {
  prepare({ workload }) {
    prepareWorkload(workload);
    if (workload.numTest === 0) return {};
    const parts = { train: readPart(workload, "train"), test: readPart(workload, "test") };
    return { nearestMean: nearestMeanAccuracy(parts, workload.m) };
  },

  load({ workload }) {
    const { features, labels } = readPart(workload, "train");
    const arrays = [features.data, features.indices, features.indptr, labels];
    return { inputBytes: arrays.reduce((sum, a) => sum + (a?.byteLength ?? 0), 0), peakBytes: peakBytes() };
  },

  async probe({ contender }) {
    return contenders[contender].probe();
  },

  async train({ contender, workload, loss, settings, want = {} }) {
    const data = readPart(workload, "train");
    const { weights, predicted, history, ...result } = await contenders[contender].train({
      workload,
      data,
      loss,
      settings,
      want,
    });
    if (want.history) result.history = history;
    if (want.score) Object.assign(result, score({ weights, predicted, workload, data, loss, C: settings.C }));
    return result;
  },

  async passes(job) {
    const { passBench } = await import("./passes/index.mjs");
    return passBench({ ...job, data: readPart(job.workload, "train") });
  },

  async micro({ quick }) {
    const { microBench } = await import("./micro/index.mjs");
    return microBench({ quick });
  },

  async epochs({ workload, loss, settings }) {
    const data = readPart(workload, "train");
    const { fit } = await import("../dist/index.js");
    const points = [];
    const stop = startClock();
    const onProgress = ({ visits, relativeGap }) => points.push({ visits, relativeGap, ...stop() });
    await fit(data.features, data.labels, { ...loss.options, ...settings, onProgress });
    return { points, cpuSeconds: stop().cpuSeconds };
  },

  async layouts(job) {
    const { layoutBench } = await import("./layouts/index.mjs");
    return layoutBench(job);
  },

  async heldOut(job) {
    const { heldOutBench } = await import("./heldOut/index.mjs");
    return heldOutBench(job);
  },
};

process.once("message", async (job) => {
  const answer = await jobs[job.kind](job);
  process.send(answer, () => process.disconnect());
});
