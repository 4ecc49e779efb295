// A worker of Node's, which takes no TypeScript: the built package. Needs `npm run build` first.
import { parentPort } from "node:worker_threads";
import { serve } from "../../dist/worker.js";

serve(parentPort);
parentPort.on("message", (message) => {
  if (message === "throw") throw new Error("the sky fell");
  if (message === "exit") process.exit(3);
});
