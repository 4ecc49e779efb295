export { fit, init, load, losses, metrics, prox } from "./core.ts";
export { select } from "./select.ts";
export type * from "./types.ts";
