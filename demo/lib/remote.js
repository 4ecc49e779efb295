// Calls into a worker that exposes functions by comlink, which by itself waits for ever for a worker that cannot be loaded.
import { releaseProxy, wrap } from "comlink";

/** { call(name, ...values), stop() }: calls are rejected once the worker has failed or been stopped. stop is for one call. */
export function createRemote(worker) {
  const functions = wrap(worker);
  let giveUp;
  const ended = new Promise((_, reject) => (giveUp = (why) => reject(new Error(`a worker ${why}`))));
  ended.catch(() => {}); // those who call are told
  worker.addEventListener("error", ({ message }) => giveUp(`failed: ${message || "its script could not be loaded"}`));
  return {
    call: (name, ...values) => Promise.race([functions[name](...values), ended]),
    stop() {
      functions[releaseProxy](); // or comlink would keep the worker
      worker.terminate();
      giveUp("was stopped");
    },
  };
}
