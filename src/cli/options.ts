import { parseArgs } from "node:util";
import { nearest } from "../errors.ts";
import { classLossNames } from "../losses.ts";
import { InputError, unknownName } from "./errors.ts";
import { isDecimal } from "./numbers.ts";
import type { DataOptions } from "./openData.ts";

interface Option {
  /** Placeholder of its value; without one it is a switch. */
  readonly value?: string;
  /** All values there are, where `fit` is not to say so. */
  readonly choices?: readonly string[];
  readonly doc: string;
  /** The option of `fit` that it sets, and whether it is a number there. */
  readonly fit?: string;
  readonly number?: boolean;
  /** Whether it may be numbers with commas between them there. */
  readonly numbers?: boolean;
}

export type CommandName = "train" | "evaluate" | "predict";

interface Command {
  readonly synopsis: string;
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
}

const data: Record<string, Option> = {
  label: {
    value: "COLUMN",
    doc: 'CSV: name of the label column, or its number from 1 [the model\'s, else "label", else the first]',
  },
  "no-header": { doc: "CSV: the first line is data, columns have numbers only" },
  header: { doc: "CSV: the first line holds names even if they look like data" },
  format: {
    value: "csv|libsvm",
    choices: ["csv", "libsvm"],
    doc: "format of the data files [by the file's name, else by its first line]",
  },
};
const help: Record<string, Option> = { help: { doc: "print this" } };

/** Those of one label per row. */
const losses = classLossNames;

/** The one table of commands and options: for parsing, for the help texts and for the wording of errors. */
export const commands: Readonly<Record<CommandName, Command>> = {
  train: {
    synopsis: "train DATA --model FILE [options]",
    about: "Trains a classifier, writes it to FILE and prints a summary with its certificate.",
    options: {
      model: {
        value: "FILE",
        doc: "where the model goes; - is standard output, the summary then goes to standard error",
      },
      ...data,
      loss: {
        value: "NAME",
        choices: losses,
        doc: `${losses.slice(0, -1).join(", ")} or ${losses.at(-1)} [softmax]`,
        fit: "loss",
      },
      k: { value: "K", doc: "top-k losses: how many guesses count, from 1 to classes - 1", fit: "k", number: true },
      gamma: { value: "NUMBER", doc: "hinge losses: smoothing, >= 0 [0]", fit: "gamma", number: true },
      variant: { value: "NAME", doc: "top-k losses: alpha, alpha-inclusive or beta [alpha]", fit: "variant" },
      "rank-weights": {
        value: "NAME|W,W,...",
        doc: "weighted-topk-hinge: flat, linear or exp with --k, or the weights, largest first",
        fit: "rankWeights",
        numbers: true,
      },
      C: { value: "NUMBER", doc: "weight of the losses against the norm, > 0 [1]", fit: "C", number: true },
      lambda: { value: "NUMBER", doc: "instead of --C: C = 1/(lambda rows)", fit: "lambda", number: true },
      "no-intercept": { doc: "no constant feature", fit: "intercept" },
      "intercept-scale": {
        value: "NUMBER",
        doc: "value of the constant feature, > 0 [1]",
        fit: "interceptScale",
        number: true,
      },
      scaling: {
        value: "NAME",
        doc: "none, standard, minmax or unit-rows, learned here and kept in the model [none]",
        fit: "scaling",
      },
      solver: {
        value: "NAME",
        doc: "sdca or frank-wolfe, for hinge, topk-hinge and weighted-topk-hinge [sdca]",
        fit: "solver",
      },
      direction: { value: "NAME", doc: "frank-wolfe: standard, away or pairwise [pairwise]", fit: "direction" },
      precision: { value: "NAME", doc: "float32 or float64 [float32, for large rows float64]", fit: "precision" },
      tolerance: {
        value: "NUMBER",
        doc: "solved when the relative gap is at most this [0.001]",
        fit: "tolerance",
        number: true,
      },
      "max-epochs": {
        value: "N",
        doc: "epochs: n updates each, or a round of fewer [1000]",
        fit: "maxEpochs",
        number: true,
      },
      "max-seconds": { value: "NUMBER", doc: "time budget of the fit [none]", fit: "maxSeconds", number: true },
      seed: { value: "N", doc: "order of visits; the same seed gives the same weights [0]", fit: "seed", number: true },
      "class-weight": {
        value: "balanced",
        choices: ["balanced"],
        doc: "every class counts the same, however many rows it has",
        fit: "classWeight",
      },
      initial: {
        value: "MODEL",
        doc: "start from a model trained on the same data, with --duals if the loss has dual variables",
        fit: "initial",
      },
      validation: { value: "DATA", doc: "held-out rows, scored while training and in the summary", fit: "validation" },
      duals: { doc: "keep the dual variables in the model, for --initial" },
      json: { doc: "the summary as JSON" },
      quiet: { doc: "no progress and no notes on standard error" },
      ...help,
    },
  },
  evaluate: {
    synopsis: "evaluate DATA --model FILE [options]",
    about: "Scores a model on labelled rows: mean loss and top-k accuracy.",
    options: {
      model: { value: "FILE", doc: "the model; - is standard input" },
      ...data,
      k: { value: "K,K,...", doc: "which top-k accuracies [1,3,5 as far as below the number of classes]" },
      json: { doc: "print JSON" },
      ...help,
    },
  },
  predict: {
    synopsis: "predict DATA --model FILE [options]",
    about: "Writes the best labels of each row and their scores as CSV: label_1,score_1,label_2,score_2,...",
    options: {
      model: { value: "FILE", doc: "the model; - is standard input" },
      ...data,
      k: { value: "K", doc: "how many labels [5, or all if there are fewer]", number: true },
      probabilities: {
        doc: "probabilities instead of scores, where the loss is softmax, topk-entropy or ova-logistic",
      },
      out: { value: "FILE", doc: "where the predictions go [-, standard output]" },
      ...help,
    },
  },
};

/** Options of `fit`, and its arguments, as the command line calls them. */
export const flagOf: ReadonlyMap<string, string> = new Map([
  ...Object.entries(commands.train.options).flatMap(([flag, { fit }]) => (fit ? [[fit, `--${flag}`] as const] : [])),
  ["labels", "the label column"],
  ["features", "the data"],
]);

export interface Arguments {
  readonly data: string;
  readonly model: string;
  /** Text of an option that was given. */
  text(name: string): string | undefined;
  /** A number that was given; what is not one stays text, for the library to refuse. */
  number(name: string): number | string | undefined;
  has(name: string): boolean;
  /** How the data files are to be read. */
  readonly dataOptions: DataOptions;
  /** The options of `fit` that were given, numbers likewise. */
  readonly fit: Readonly<Record<string, unknown>>;
}

/** Reads the arguments of a command; undefined if they ask for help. */
export function readArguments(command: CommandName, args: readonly string[]): Arguments | undefined {
  const { options } = commands[command];
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [name, { type: value ? "string" : "boolean" } as const]),
    ),
    strict: false, // the messages here name what was meant
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  const files: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") files.push(token.value);
    if (token.kind !== "option") continue;
    const name = token.rawName === "-h" ? "help" : token.name;
    if (name === "help") return undefined;
    if (!token.rawName.startsWith("--") || !Object.hasOwn(options, name)) {
      if (name === "kernel") throw new InputError("unknown option --kernel; kernels are for the JavaScript package");
      throw unknownName("option", token.rawName, Object.keys(options), `topk-sdca ${command}`);
    }
    if (given.has(name)) throw new InputError(`--${name} is given twice`);
    const { value, choices } = options[name];
    if (!value && token.value !== undefined)
      throw new InputError(`--${name} takes no value, got ${JSON.stringify(token.value)}`);
    if (value && (token.value === undefined || (!token.inlineValue && token.value.startsWith("--")))) {
      throw new InputError(`--${name} needs a value: --${name} ${value}`);
    }
    if (choices && !choices.includes(token.value!)) {
      const like = nearest(token.value!, choices);
      const hint = like ? `; did you mean ${like}?` : "";
      throw new InputError(`--${name} must be ${choices.join(" or ")}, got ${JSON.stringify(token.value)}${hint}`);
    }
    given.set(name, token.value ?? "");
  }
  if (files.length === 0) throw new InputError(`${command} needs a data file: topk-sdca ${commands[command].synopsis}`);
  if (files.length > 1)
    throw new InputError(
      `${command} takes one data file, got ${files.map((file) => JSON.stringify(file)).join(" and ")}`,
    );
  const model = given.get("model");
  if (!model) throw new InputError(`${command} needs --model FILE`);
  if (given.has("header") && given.has("no-header"))
    throw new InputError("--header and --no-header contradict each other");

  const number = (name: string): number | string | undefined => {
    const text = given.get(name);
    return text === undefined ? undefined : numberOrText(text);
  };
  const fit: Record<string, unknown> = {};
  for (const [name, text] of given) {
    const option = options[name];
    if (!option.fit) continue;
    if (option.value === undefined) fit[option.fit] = false;
    else if (option.number) fit[option.fit] = number(name);
    else fit[option.fit] = option.numbers ? numbersOrText(text) : text;
  }
  const header = given.has("header") ? true : given.has("no-header") ? false : undefined;
  return {
    data: files[0],
    model,
    text: (name) => given.get(name),
    number,
    has: (name) => given.has(name),
    dataOptions: { label: given.get("label"), header, format: given.get("format") as DataOptions["format"] },
    fit,
  };
}

/**
 * A list if there are commas or it begins as a number, of numbers as far as they are written as such; else the text.
 */
function numbersOrText(text: string): (number | string)[] | string {
  return /^[-+.\d]|,/.test(text) ? text.split(",").map(numberOrText) : text;
}

/** A number if it is written as one, else the text, which no option that wants a number accepts. */
export function numberOrText(text: string): number | string {
  return isDecimal(text) || text === "Infinity" ? Number(text) : text;
}
