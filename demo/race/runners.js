// The two programs, alike to call: run(problem, options, onProgress) resolves with the certificate, stop() ends it.
import { proxy, wrap } from "comlink";
import { createTrainer } from "../lib/trainer.js";

/** Each resolves once its worker has loaded and is ready to start. */
export const runners = {
  async package() {
    const trainer = createTrainer();
    await trainer.fit([[0], [1]], [0, 1], { maxEpochs: 0 }); // compiles the kernels
    return {
      run: async ({ features, labels }, options, onProgress) =>
        (await trainer.fit(features, labels, { ...options, onProgress })).certificate,
      stop: () => trainer.terminate(),
    };
  },

  async baseline() {
    const worker = new Worker(new URL("./baselineWorker.js", import.meta.url), { type: "module" });
    const remote = wrap(worker);
    const tiny = { data: new Float32Array([0, 1]), rows: 2, cols: 1 };
    await remote.fit(tiny, [0, 1], { maxEpochs: 0 }, undefined);
    return {
      run: ({ features, labels }, options, onProgress) => remote.fit(features, labels, options, proxy(onProgress)),
      stop: () => worker.terminate(),
    };
  },
};
