import { flush } from "./console.ts";
import { InputError } from "./errors.ts";
import { watchInterrupts } from "./interrupt.ts";
import { complain, run } from "./run.ts";
import { hasCommitted } from "./writeWhole.ts";

/** The process of the command line. */

/** Whoever reads our output may go away; that is their right, and no reason for a stack. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") complain(new InputError(`standard output: ${error.message}`), process);
  process.exit(error.code === "EPIPE" ? (process.exitCode ?? 0) : 1);
});
process.stderr.on("error", () => {});
watchInterrupts(() => {
  process.stderr.write(`topk-sdca: interrupted${hasCommitted() ? "" : "; no file was written"}\n`);
});

const code = await run(process.argv.slice(2), process);
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(code); // standard input may still be open
