/** libsvm compiled to WebAssembly: C-SVC, linear kernel, one against one. Another objective than ours; its own stopping rule. */
import { peakBytes, startClock } from "../lib/usage.mjs";
import { readPart } from "../workloads/load.mjs";
import { installed, rowsOf } from "./npmPeer.mjs";

export const libsvmJs = {
  name: "libsvm-js",
  solves: ({ id }) => id === "hinge",
  probe: () => installed("libsvm-js", "0.2.1"),

  async train({ workload, data, settings: { C } }) {
    const { default: ready } = await import("libsvm-js");
    const SVM = await ready;
    const rows = rowsOf(data);
    const labels = Array.from(data.labels);
    const stop = startClock();
    const svm = new SVM({ type: SVM.SVM_TYPES.C_SVC, kernel: SVM.KERNEL_TYPES.LINEAR, cost: C, quiet: true });
    svm.train(rows, labels);
    const time = stop();
    const result = { status: "stopped", ...time, peakBytes: peakBytes() };
    return { ...result, predicted: svm.predict(rowsOf(readPart(workload, "test"))) };
  },
};
