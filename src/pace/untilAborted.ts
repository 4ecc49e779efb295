import { onAbort } from "./onAbort.ts";

/**
 * What a promise comes to, or nothing once the signal has aborted: then nobody waits for it any more. What it rejects
 * with as it aborts, it still rejects with.
 */
export async function untilAborted<value>(
  promise: value | PromiseLike<value>,
  signal: AbortSignal | undefined,
): Promise<value | undefined> {
  if (!signal || typeof (promise as PromiseLike<value> | undefined)?.then !== "function") return promise;
  let end!: () => void;
  const aborted = new Promise<undefined>((resolve) => (end = () => void setTimeout(resolve)));
  const callOff = onAbort(signal, end);
  if (signal.aborted) end();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    callOff();
  }
}
