export { fit } from "./fit.ts";
export { load } from "./model.ts";
export { init } from "./wasm/shared.ts";
export { prox } from "./prox.ts";
export { losses } from "./lossFunctions.ts";
export { metrics } from "./metrics.ts";
export type * from "./types.ts";
