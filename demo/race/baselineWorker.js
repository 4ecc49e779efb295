// The plain JavaScript program in a worker. It does not pause, so it is stopped by ending the worker.
import { expose } from "comlink";

// Imported on the first call: the program awaits its parts, and a worker that waits while it starts loses messages.
expose({
  /** The certificate; `onProgress` is called with each record of the history. */
  async fit(features, labels, options, onProgress) {
    const { fitBaseline } = await import("../../bench/baseline/index.mjs");
    return fitBaseline(features, labels, { ...options, onProgress }).certificate;
  },
});
