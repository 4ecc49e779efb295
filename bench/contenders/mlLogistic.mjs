/**
 * ml-logistic-regression: one against all, gradient steps of fixed length and number, no regularisation. A thousand steps
 * instead of its default of 50000, which nobody would wait for.
 */
import { peakBytes, startClock } from "../lib/usage.mjs";
import { readPart } from "../workloads/load.mjs";
import { installed, rowsOf } from "./npmPeer.mjs";

const STEPS = 1000;

export const mlLogistic = {
  name: `ml-logistic-regression, ${STEPS} steps`,
  solves: ({ id }) => id === "softmax",
  probe: () => installed("ml-logistic-regression", "2.0.0"),

  async train({ workload, data }) {
    const { Matrix } = await import("ml-matrix");
    const { default: LogisticRegression } = await import("ml-logistic-regression");
    const rows = new Matrix(rowsOf(data));
    const labels = Matrix.columnVector(Array.from(data.labels));
    const stop = startClock();
    const model = new LogisticRegression({ numSteps: STEPS, learningRate: 5e-3 });
    model.train(rows, labels);
    const time = stop();
    const result = { status: "stopped", ...time, peakBytes: peakBytes() };
    return { ...result, predicted: model.predict(new Matrix(rowsOf(readPart(workload, "test")))) };
  },
};
