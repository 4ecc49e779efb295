export { connect } from "./worker/connect.ts";
export { serve } from "./worker/serve.ts";
export type { Remote, RemoteOptions } from "./types.ts";
