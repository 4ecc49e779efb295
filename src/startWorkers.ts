import type { Here } from "./here.ts";
import { onAbort } from "./pace/onAbort.ts";
import type { Remote } from "./types.ts";
import { createRemote } from "./worker/remote.ts";
import { threads } from "./worker/threads.ts";

/** A worker that is not at work by then counts as not started: its script may be one that never answers. */
const START_MILLISECONDS = 10_000;

/**
 * Starts workers that run fits until the signal aborts, up to `count`: those that can be started. Nothing is thrown, as
 * without them fits can run here.
 */
export async function startWorkers(count: number, here: Here, signal: AbortSignal): Promise<Remote[]> {
  const started = await Promise.all(Array.from({ length: count }, () => startWorker(here, signal)));
  return started.filter((remote) => remote !== undefined);
}

/** A worker has started when it has done a fit: that takes its script, and the leave to compile the kernels. */
async function startWorker(here: Here, signal: AbortSignal): Promise<Remote | undefined> {
  let remote: Remote | undefined;
  const end = (): void => {
    remote?.terminate();
    remote = undefined;
  };
  const timer = setTimeout(end, START_MILLISECONDS);
  onAbort(signal, end);
  try {
    if (signal.aborted) return undefined;
    remote = createRemote(openWorker(), here);
    await remote.fit([[0], [1]], [0, 1], { maxEpochs: 0 });
    return remote;
  } catch {
    end();
  } finally {
    clearTimeout(timer);
  }
}

function openWorker(): unknown {
  if (typeof Worker === "function") {
    // In this form, all of it in one expression, bundlers find the script and build it, too.
    return new Worker(new URL("./selectWorker.js", import.meta.url), { type: "module" });
  }
  // Not in that form, or bundlers would ship the script twice. Flags of the program, such as those of --eval, are not
  // for it.
  const script = new URL(import.meta.url.replace(/[^/]*$/, "selectWorker.js"));
  return new (threads()!.Worker)(script, { execArgv: [] });
}
