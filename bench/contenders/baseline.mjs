import { peakBytes, startClock } from "../lib/usage.mjs";

/** Plain SDCA in JavaScript, bench/baseline/. */
export const baseline = {
  name: "plain SDCA in JavaScript",
  solves: () => true,
  probe: () => ({ version: "bench/baseline" }),

  async train({ data, loss, settings }) {
    const { fitBaseline } = await import("../baseline/index.mjs");
    const stop = startClock();
    const { certificate, weights, history } = fitBaseline(data.features, data.labels, { ...loss.options, ...settings });
    const time = stop();
    const { status, epochs, primalObjective, dualObjective, relativeGap } = certificate;
    return {
      ...{ status, ...time, peakBytes: peakBytes(), epochs, primalObjective, dualObjective, relativeGap },
      ...{ weights: weights.data, history },
    };
  },
};
