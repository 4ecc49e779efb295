/** Days: it is never to run. */
const NEVER_MILLISECONDS = 2 ** 30;

/**
 * Waits for what the engine does with WebAssembly on threads of its own, keeping the event loop alive meanwhile. With
 * nothing else to wait for Node 20 blocks the main thread until those threads are done, and where one of them waits for
 * that thread to collect garbage neither ever is: up to a quarter of scripts with a dozen fits hung for good.
 */
export async function awake<result>(work: Promise<result>): Promise<result> {
  const timer = setInterval(() => {}, NEVER_MILLISECONDS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
