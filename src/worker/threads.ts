import { builtin } from "../platform/builtin.ts";

/** What we need of node:worker_threads. */
interface Threads {
  readonly Worker: new (script: URL, options: { execArgv: string[] }) => unknown;
  readonly parentPort: unknown;
}

/** node:worker_threads, in Node. */
export const threads = (): Threads | undefined => builtin("worker_threads");
