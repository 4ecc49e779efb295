import { commands, type CommandName } from "./options.ts";

const exitCodes = `Exit codes:
  0    done; train: solved, the relative gap is at most the tolerance, or stationary
  1    wrong usage or input; no file was written, unless the message says so
  2    train: not solved within the budgets or interrupted once; the model was written
  130  interrupted twice, or while there was nothing to keep; no file was written
`;

const dataFiles = `Data files are CSV or LIBSVM text ("label index:value ...", indices from 1 and increasing), plain or gzipped;
- is standard input. Files named .csv, .tsv, .svm or .libsvm (and then .gz) are read as such, others by the look of their
first line. CSV follows RFC 4180, with commas, or with tabs or semicolons where the first line has these and no comma.
Labels are integers if all of them are, written plainly (7, not 07 or 7.0), else strings.
`;

export const overview = `topk-sdca trains linear classifiers with a certificate, evaluates them and predicts with them: one label per row. Label sets and
kernels are for the JavaScript package.

Usage:
${Object.values(commands)
  .map(({ synopsis }) => `  topk-sdca ${synopsis}`)
  .join("\n")}
  topk-sdca COMMAND --help
  topk-sdca --version

${dataFiles}
${exitCodes}`;

const notes: Record<CommandName, string> = {
  train: `${dataFiles}
LIBSVM rows stay sparse: memory goes with the pairs in the file. There --scaling standard divides by the deviation without
centring, and --scaling minmax, which fills zeros, is refused if less than a tenth of the values are in the file.

CSV columns of the --validation data are taken in the order of DATA; the same names in another order are refused. Names
go into the model, where they are compared likewise and tell the label from the features.

Ctrl-C once ends the fit: the model so far is certified and written. Ctrl-C again ends at once.

`,
  evaluate: `${dataFiles}
The data must have as many features as the model. CSV columns are taken in their order; the names that the model was
trained with in another order are refused, other names are reported. Without --label the label is the column named as the
model's labels were, else "label", else the only one whose name is none of the model's, else the first. LIBSVM rows may leave
features out. A label that ties with others counts as correct.

`,
  predict: `${dataFiles}
The data must have as many features as the model. CSV columns are taken in their order; the names that the model was
trained with in another order are refused, other names are reported. A label column is passed over: the one named by --label,
else the one named as the model's labels were, else "label", else, if there is one column too many, the only one whose name
is none of the model's, else the first.

`,
};

/** The help text of a command. */
export function helpFor(command: CommandName): string {
  const { synopsis, about, options } = commands[command];
  const flags = Object.entries(options).map(([name, { value, doc }]) => [`--${name}${value ? ` ${value}` : ""}`, doc]);
  const width = Math.max(...flags.map(([flag]) => flag.length));
  const lines = flags.map(([flag, doc]) => `  ${flag.padEnd(width)}  ${doc}`);
  return `Usage: topk-sdca ${synopsis}

${about}

Options [default]:
${lines.join("\n")}

${notes[command]}${exitCodes}`;
}
