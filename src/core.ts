// What "topk-sdca" and "topk-sdca/worker" share, built as one file, dist/core.js: one copy of the kernels and one kind
// of model for both, so that a model of either can be given to the other. The last lines are for remote fits, and for
// `select`, which may start workers for them: that is the part of the main entry which must not be here, where the
// scripts of these workers would find it again.
export { fit } from "./fit.ts";
export { selectOn } from "./select/selection.ts";
export { load } from "./model.ts";
export { init } from "./wasm/shared.ts";
export { prox } from "./prox.ts";
export { losses } from "./lossFunctions.ts";
export { metrics } from "./metrics.ts";
export { createModel, modelState } from "./model.ts";
export { here } from "./here.ts";
