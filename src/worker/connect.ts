import { here } from "../core.ts";
import type { Remote } from "../types.ts";
import { createRemote } from "./remote.ts";

/**
 * The other side of a worker that calls `serve`: `fit` there is the `fit` of "topk-sdca", and what it resolves with a
 * model like any other, down to the bits. The kernels are compiled on this side, too, while the worker is at work, so
 * that `evaluate` needs no `init`; where that fails `evaluate` says so, and nothing else is the worse for it.
 *
 * A worker that fails, exits or sends what cannot be read is given up: fits that are open are rejected with what it
 * said, and so are later ones. A fit that a worker has not heard of within a minute, or within 5 s after its signal
 * aborted, is rejected: the script of the worker may never have called `serve`. End a worker by `terminate` of
 * what this returns: of one that is ended from elsewhere a browser may not say so, and a fit in it is rejected a minute
 * after its signal aborts, else never.
 *
 * @param worker a Worker of the browser or of node:worker_threads, or a MessagePort.
 * @throws TypeError for anything else.
 * @example
 * const remote = connect(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
 * const model = await remote.fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"], { loss: "hinge" });
 * model.predict([[1, 0.5]]); // ["b"]
 * remote.terminate();
 */
export function connect(worker: unknown): Remote {
  return createRemote(worker, here);
}
