// The script of the workers that `select` starts: of a browser's or, where there is no scope to post to, of Node's.
import { serve } from "./worker.ts";
import { threads } from "./worker/threads.ts";

serve("postMessage" in globalThis ? globalThis : threads()?.parentPort);
