// The two programs and the maker of their data, each in a worker of its own that stop() ends.
import { proxy } from "comlink";
import { createRemote } from "../lib/remote.js";
import { createTrainer } from "../lib/trainer.js";

/** make({ n, d, m, seed }) resolves with { data, labels }. */
export function createMaker() {
  const remote = createRemote(new Worker(new URL("./dataWorker.js", import.meta.url), { type: "module" }));
  return { make: (shape) => remote.call("make", shape), stop: remote.stop };
}

/** Alike to call: run(problem, options, onProgress) resolves with the certificate, `ready` once the worker has loaded. */
export const runners = {
  package() {
    const trainer = createTrainer();
    return {
      ready: trainer.fit([[0], [1]], [0, 1], { maxEpochs: 0 }), // compiles the kernels
      run: async ({ features, labels }, options, onProgress) =>
        (await trainer.fit(features, labels, { ...options, onProgress })).certificate,
      stop: () => trainer.terminate(),
    };
  },

  baseline() {
    const remote = createRemote(new Worker(new URL("./baselineWorker.js", import.meta.url), { type: "module" }));
    const tiny = { data: new Float32Array([0, 1]), rows: 2, cols: 1 };
    return {
      ready: remote.call("fit", tiny, [0, 1], { maxEpochs: 0 }, undefined),
      run: ({ features, labels }, options, onProgress) =>
        remote.call("fit", features, labels, options, proxy(onProgress)),
      stop: remote.stop,
    };
  },
};
