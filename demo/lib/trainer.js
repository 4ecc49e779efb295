import { connect } from "topk-sdca/worker";

/** `fit` in a worker of its own: { fit, terminate }. */
export const createTrainer = () =>
  connect(new Worker(new URL("./trainerWorker.js", import.meta.url), { type: "module" }));
