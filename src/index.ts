export { fit, init, load, losses, metrics, prox, select } from "./core.ts";
export type * from "./types.ts";
