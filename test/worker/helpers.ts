import { afterAll } from "vitest";
import type { Model, Remote } from "../../src/index.ts";
import { connect } from "../../src/worker.ts";
import { untimed } from "../helpers/untimed.ts";

/** Whether the tests run in a page, where the worker is one of the browser's; otherwise it is one of Node's. */
export const inPage = typeof window === "object";

interface AnyWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** Starts a worker that serves fits; the message "throw" makes it fail, "exit" leave. */
async function startWorker(): Promise<AnyWorker> {
  if (inPage) {
    const worker = new Worker(new URL("./page.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("error", (event) => event.preventDefault()); // or the page would report it as its own
    return worker;
  }
  const threads = await import("node:worker_threads");
  return new threads.Worker(new URL("./node.worker.mjs", import.meta.url));
}

interface Connected {
  worker: AnyWorker;
  remote: Remote;
}

/** A worker for all tests of a file, started when first asked for, and fresh ones for tests that end theirs. */
export function useWorkers(): { shared: () => Promise<Connected>; fresh: () => Promise<Connected> } {
  const started: AnyWorker[] = [];
  const fresh = async (): Promise<Connected> => {
    const worker = await startWorker();
    started.push(worker);
    return { worker, remote: connect(worker) };
  };
  let one: Promise<Connected> | undefined;
  afterAll(async () => {
    for (const worker of started) await worker.terminate();
  });
  return { fresh, shared: () => (one ??= fresh()) };
}

/** All of a model but the times. */
export function bitsOf(model: Model<any>): unknown {
  const saved = JSON.stringify(model.toJSON({ duals: true }), (key, value) =>
    /Seconds$|^checksum$/.test(key) ? undefined : value,
  );
  return { saved, history: model.history.map(untimed), duals: model.dualVariables };
}
