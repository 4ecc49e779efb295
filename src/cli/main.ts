import { readFileSync } from "node:fs";
import { colorsFor, flush } from "./console.ts";
import { InputError, unknownName } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import { helpFor, overview } from "./help.ts";
import { watchInterrupts } from "./interrupt.ts";
import { commands, readArguments, type Arguments, type CommandName } from "./options.ts";
import { predict } from "./predict.ts";
import { train } from "./train.ts";
import { hasCommitted } from "./writeWhole.ts";

const actions: Record<CommandName, (args: Arguments) => Promise<number>> = { train, evaluate, predict };

async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === undefined) {
    process.stderr.write(overview);
    return 1;
  }
  if (command === "--help" || command === "-h" || command === "help") {
    process.stdout.write(overview);
    return 0;
  }
  if (command === "--version") {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const names = Object.keys(commands);
  if (!names.includes(command)) {
    throw unknownName(
      command.startsWith("-") ? "option" : "command",
      command,
      command.startsWith("-") ? ["help", "version"] : names,
      "topk-sdca",
    );
  }
  const read = readArguments(command as CommandName, args);
  if (!read) {
    process.stdout.write(helpFor(command as CommandName));
    return 0;
  }
  return actions[command as CommandName](read);
}

function complain(error: unknown): void {
  const { red } = colorsFor(process.stderr);
  const expected = error instanceof InputError;
  const text = expected ? error.message : `unexpected: ${(error instanceof Error && error.stack) || String(error)}`;
  process.stderr.write(`${red("topk-sdca:")} ${text}\n`);
}

/** Whoever reads our output may go away; that is their right, and no reason for a stack. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") complain(new InputError(`standard output: ${error.message}`));
  process.exit(error.code === "EPIPE" ? (process.exitCode ?? 0) : 1);
});
process.stderr.on("error", () => {});
watchInterrupts(() => {
  process.stderr.write(`topk-sdca: interrupted${hasCommitted() ? "" : "; no file was written"}\n`);
});

run(process.argv.slice(2))
  .catch((error: unknown) => {
    complain(error);
    return 1;
  })
  .then(async (code) => {
    await Promise.all([flush(process.stdout), flush(process.stderr)]);
    process.exit(code); // standard input may still be open
  });
