import { inFreshProcess } from "./inFreshProcess.mjs";

/** Makes a workload unless it is there, and says how large and how hard it is, and what a process takes that only loads it. */
export async function describeWorkload(workload) {
  const { nearestMean } = await inFreshProcess({ kind: "prepare", workload });
  const { inputBytes, peakBytes } = await inFreshProcess({ kind: "load", workload });
  const { made, numTrain: n, numTest, d, m } = workload;
  return { made, n, numTest, d, m, nearestMean, inputBytes, loadedBytes: peakBytes };
}
