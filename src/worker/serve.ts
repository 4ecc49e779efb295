import { createModel, fit, modelState } from "../core.ts";
import type { FitOptions, Labels } from "../types.ts";
import { checkChannel, listen } from "./channel.ts";
import { complaint, plainError, readRequest, sendable, type Answer, type Request } from "./protocol.ts";

/** A fit that never handed control back would not hear of an abort. It looks at its budgets this often anyway. */
const LISTENING_MILLISECONDS = 50;

/**
 * An array is moved to the caller from this size on: to move a buffer costs the same whatever its size, to copy a small
 * one less.
 */
const LARGE_BYTES = 16384;

/**
 * Runs, inside a worker, the fits that `connect` asks for on the other side: one after the other, in the order in which
 * they were asked for. Call it once, at the start of the worker's script; messages that are none of its own are left to
 * others.
 *
 * @param scope `self` in a browser's worker, `parentPort` of node:worker_threads, or a MessagePort.
 * @throws TypeError for anything else.
 * @example
 * import { serve } from "topk-sdca/worker";
 * serve(self);
 */
export function serve(scope: unknown): void {
  const channel = checkChannel("serve", "scope", scope, "the scope of a worker, parentPort or a MessagePort");
  let last = Promise.resolve();
  listen(channel, "message", (message) => {
    const request = readRequest(message);
    if (!request) return;
    const run = prepare(request);
    last = last.then(run);
  });
  listen(channel, "messageerror", () => channel.postMessage(complaint, []));
  channel.start?.();
}

/** Ports have queues of their own: lets what was sent until now, an abort among it, be heard before a fit begins. */
const allHeard = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Listens for an abort from now on; what is returned runs the fit and answers, whatever comes of it. */
function prepare({ features, labels, options, models, progress, aborted, port }: Request): () => Promise<void> {
  const answer = (content: Answer, transfer: Transferable[] = []): void => port.postMessage(content, transfer);
  const stop = new AbortController();
  if (aborted) stop.abort();
  port.onmessage = () => {
    stop.abort();
    answer({});
  };
  answer({});
  return async () => {
    await allHeard();
    try {
      const given: Record<string, unknown> = { ...options, signal: stop.signal };
      if (given.yieldEvery === "never") given.yieldEvery = LISTENING_MILLISECONDS;
      if (progress) given.onProgress = (record: Answer["record"]) => answer({ record });
      for (const [name, state] of Object.entries(models)) given[name] = createModel({ state, history: [] });
      const fitted = await fit(features, labels as Labels, given as FitOptions);
      const model = { state: sendable(modelState(fitted)!), history: fitted.history };
      answer({ model }, [...largeBuffers(model.state)]);
    } catch (error) {
      answer({ error: plainError(error) });
    }
  };
}

/** The buffers of the large arrays in plain data. */
function largeBuffers(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LARGE_BYTES) found.add(buffer);
  } else if (Object(value) === value) {
    for (const part of Object.values(value as object)) largeBuffers(part, found);
  }
  return found;
}
