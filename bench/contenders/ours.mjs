import { readFileSync } from "node:fs";
import { peakBytes, startClock } from "../lib/usage.mjs";

/** This package, through its public entry: the clock runs from the call of `fit` to the certified model. */
export const ours = {
  name: "topk-sdca",
  solves: () => true,

  probe() {
    return { version: JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version };
  },

  async train({ data, loss, settings }) {
    const { fit } = await import("../../dist/index.js");
    const stop = startClock();
    const model = await fit(data.features, data.labels, { ...loss.options, ...settings });
    const time = stop();
    const { status, epochs, primalObjective, dualObjective, relativeGap } = model.certificate;
    return {
      ...{ status, ...time, peakBytes: peakBytes(), epochs, primalObjective, dualObjective, relativeGap },
      ...{ weights: model.weights.data, history: model.history },
    };
  },
};
