// What "topk-sdca" and "topk-sdca/worker" share, built as one file, dist/core.js: one copy of the kernels and one kind of model
// for both, so that a model of either can be given to the other. The last lines are for the entry "topk-sdca/worker" alone.
export { fit } from "./fit.ts";
export { select } from "./select.ts";
export { load } from "./model.ts";
export { init } from "./wasm/shared.ts";
export { prox } from "./prox.ts";
export { losses } from "./lossFunctions.ts";
export { metrics } from "./metrics.ts";
export { readTrainingRows } from "./gram.ts";
export { createModel, modelState } from "./model.ts";
export { resolveSettings } from "./settings.ts";
