export { fit, init, load, losses, metrics, prox } from "./core.ts";
export type * from "./types.ts";
