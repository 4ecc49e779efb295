import { readFileSync } from "node:fs";
import { peakBytes, startClock } from "../lib/usage.mjs";

/**
 * This package, through its public entry: the clock runs from the call of `fit` to the certified model. `want.warm` asks for the same
 * fit once more in the same process, where all code is compiled, and is answered by its times.
 */
export const ours = {
  name: "topk-sdca",
  solves: () => true,

  probe() {
    return { version: JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version };
  },

  async train({ data, loss, settings, want }) {
    const { fit } = await import("../../dist/index.js");
    const options = { ...loss.options, ...settings };
    const stop = startClock();
    const model = await fit(data.features, data.labels, options);
    const time = stop();
    const result = { ...time, peakBytes: peakBytes() };
    const { status, epochs, primalObjective, dualObjective, relativeGap } = model.certificate;
    if (want.warm) {
      const stopAgain = startClock();
      await fit(data.features, data.labels, options);
      result.warm = stopAgain();
    }
    return {
      ...{ status, ...result, epochs, primalObjective, dualObjective, relativeGap },
      ...{ weights: model.weights?.data, history: model.history },
    };
  },
};
