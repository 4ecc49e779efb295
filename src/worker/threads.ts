/** What we need of node:worker_threads. */
interface Threads {
  readonly Worker: new (script: URL, options: { execArgv: string[] }) => unknown;
  readonly parentPort: unknown;
}
interface Runtime {
  readonly process?: { getBuiltinModule?(name: "worker_threads"): Threads };
}

/** node:worker_threads, in Node. Not by an import, over which bundlers for pages would stumble. */
export const threads = (): Threads | undefined => (globalThis as Runtime).process?.getBuiltinModule?.("worker_threads");
