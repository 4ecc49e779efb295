import { nearest } from "../errors.ts";

/** Wrong usage or input: said to the user in one line, without a stack. */
export class InputError extends Error {}

/** `1 row`, `2 rows`. */
export const count = (n: number, what: string): string =>
  `${n} ${what}${n === 1 ? "" : what.endsWith("s") ? "es" : "s"}`;

const causes: Record<string, string> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "no such file or folder",
  EISDIR: "is a folder, not a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  ENAMETOOLONG: "the name is too long",
};

/** What went wrong with a file: `<file>: <what>`. */
export function fileError(name: string, error: unknown): InputError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new InputError(`${name}: ${causes[code ?? ""] ?? message}`);
}

/** `unknown option --lmabda; did you mean --lambda?`. `known` without dashes; `command --help` prints them. */
export function unknownName(
  kind: "command" | "option",
  given: string,
  known: readonly string[],
  command: string,
): InputError {
  const like = nearest(given.replace(/^-+/, ""), known);
  const hint = like ? `did you mean ${kind === "option" ? "--" : ""}${like}?` : `see ${command} --help`;
  return new InputError(`unknown ${kind} ${given}; ${hint}`);
}

/** Whether the library refused what it was given, which begins with the name of its function. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && /^(fit|load|topK|probabilities|evaluate): /.test(error.message);

/** What the library says in terms of JavaScript, and how that is said here. */
const wordings = [
  ["was fitted with intercept: true", "was trained without --no-intercept"],
  ["was fitted with intercept: false", "was trained with --no-intercept"],
  ["save it with toBytes({ duals: true }) or toJSON({ duals: true })", "train it with --duals"],
  ["an array of numbers", "numbers with commas between them"],
  [": for others, `anchor` holds to the weights", ""],
  [', "ova-hinge" and "multilabel-hinge"', ' and "ova-hinge"'],
  [
    '; fit with "softmax", "topk-entropy", "ova-logistic" or "multilabel-softmax", or use scores()',
    ", as softmax does",
  ],
] as const;

/**
 * A refusal of the library in the words of the command line: without the function's name, flags in place of quoted
 * arguments.
 */
export function rephrase(message: string, flags: ReadonlyMap<string, string>): string {
  return wordings
    .reduce((text, [library, here]) => text.replace(library, here), message)
    .replace(/^\w+: /, "")
    .replace(/\b(\w+):? "([\w-]+)"/g, (text, name: string, value: string) =>
      flags.has(name) && name !== "loss" ? `${flags.get(name)} ${value}` : text,
    )
    .replace(/(?<!(?:got|is|only|loss) )"(\w+)"/g, (quoted, name: string) => flags.get(name) ?? quoted);
}

/**
 * Runs what may be refused, and words that for the command line: flags in place of options, and the line of the file
 * `name` for a row, rows having begun on these lines.
 */
export function refusing<result>(
  action: () => result,
  flags: ReadonlyMap<string, string>,
  name = "",
  lines: readonly number[] = [],
): result {
  try {
    return action();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [, row, what] = /"features" row (\d+):? (.*)/.exec(error.message) ?? [];
    if (row === undefined) throw new InputError(rephrase(error.message, flags));
    throw new InputError(`${name} line ${lines[Number(row)]}: ${what}`);
  }
}

/** A hint of a certificate likewise: `--gamma 1` for `gamma: 1`. `dual`: whether the loss has dual variables. */
export function rephraseHint(hint: string, flags: ReadonlyMap<string, string>, dual: boolean): string {
  return hint
    .replace(/initial: model(?:, more (\w+))?/, (_, budget?: string) => {
      const more = budget === undefined ? "" : ` and more ${budget}`;
      return `--initial${more}${dual ? ", from a model that was trained with --duals" : ""}`;
    })
    .replace(/\b(\w+): "?([\w-]+)"?/g, (text, name: string, value: string) =>
      flags.has(name) ? `${flags.get(name)} ${value}` : text,
    )
    .replace(/\b(more|smaller) (\w+)/g, (text, how: string, name: string) =>
      flags.has(name) ? `${how} ${flags.get(name)}` : text,
    );
}
