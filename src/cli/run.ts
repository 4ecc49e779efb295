import { readFileSync } from "node:fs";
import { colorsFor, type Io } from "./console.ts";
import { InputError, unknownName } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import { helpFor, overview } from "./help.ts";
import { commands, readArguments, type Arguments, type CommandName } from "./options.ts";
import { predict } from "./predict.ts";
import { train } from "./train.ts";

const actions: Record<CommandName, (args: Arguments, io: Io) => Promise<number>> = { train, evaluate, predict };

/** Runs a command. Returns the exit code; what went wrong is said on standard error. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    complain(error, io);
    return 1;
  }
}

async function dispatch([command, ...args]: readonly string[], io: Io): Promise<number> {
  if (command === undefined) {
    io.stderr.write(overview);
    return 1;
  }
  if (command === "--help" || command === "-h" || command === "help") {
    const about = args.find((name): name is CommandName => Object.hasOwn(commands, name));
    if (!about && args.length > 0 && !args[0].startsWith("-")) {
      throw unknownName("command", args[0], Object.keys(commands), "topk-sdca");
    }
    io.stdout.write(about ? helpFor(about) : overview);
    return 0;
  }
  if (command === "--version") {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    io.stdout.write(`${version}\n`);
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
    io.stdout.write(helpFor(command as CommandName));
    return 0;
  }
  return actions[command as CommandName](read, io);
}

/** In one line if it was expected, else with its stack. */
export function complain(error: unknown, { stderr }: Pick<Io, "stderr">): void {
  const { red } = colorsFor(stderr);
  const expected = error instanceof InputError;
  const text = expected ? error.message : `unexpected: ${(error instanceof Error && error.stack) || String(error)}`;
  stderr.write(`${red("topk-sdca:")} ${text}\n`);
}
