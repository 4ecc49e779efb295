import { flush } from "./console.ts";
import { InputError } from "./errors.ts";
import { watchInterrupts } from "./interrupt.ts";
import { complain, run } from "./run.ts";
import { hasCommitted } from "./writeWhole.ts";

/** The process of the command line. */

/**
 * Whoever reads our output may go away; that is their right, and no reason for a stack. A model that is lost with it
 * is, and what cannot be written for another reason.
 */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  const { exitCode = 0 } = process;
  const isGone = error.code === "EPIPE";
  if (!isGone || exitCode === 1) {
    const written = hasCommitted() ? "; the file is written" : "";
    complain(
      new InputError(`standard output: ${isGone ? "nobody reads it any more" : error.message}${written}`),
      process,
    );
  }
  process.exit(isGone ? exitCode : 1);
});
process.stderr.on("error", () => {});
watchInterrupts(() => {
  process.stderr.write(`topk-sdca: interrupted${hasCommitted() ? "" : "; no file was written"}\n`);
});

const code = await run(process.argv.slice(2), process);
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(code); // standard input may still be open
