import type { ClassEvaluation, Model } from "../index.ts";
import type { Colors } from "./console.ts";
import { count, rephraseHint } from "./errors.ts";
import { flagOf } from "./options.ts";
import { formatGap } from "./progress.ts";

interface Size {
  readonly rows: number;
  readonly cols: number;
}

interface Trained {
  /** The loss and its options, as they were given. */
  readonly loss: Readonly<Record<string, unknown>>;
  readonly model: Model;
  readonly features: Size;
  readonly training: ClassEvaluation;
  readonly validation: ClassEvaluation | undefined;
  readonly file: string;
}

/** What `train` prints, as text or as JSON. */
export function summarize(trained: Trained): { text(colors: Colors): string; json(): string } {
  const { loss, model, features, training, validation, file } = trained;
  const { certificate, classes } = model;
  return {
    text({ green, yellow }) {
      const { status, epochs, relativeGap, gradientNorm, tolerance, solveSeconds, hint } = certificate;
      const within = (value: number): string => `${formatGap(value)}, tolerance ${formatGap(tolerance)}`;
      const { loss: name, ...options } = loss;
      const given = Object.entries(options).filter(([, value]) => value !== undefined);
      const untrained = isUntrained(model);
      const heldOut = validation && `${accuracies(validation)} of ${count(validation.rows, "row")}`;
      return textTable([
        ["loss", [name, ...given.map(([key, value]) => `${key} ${String(value)}`)].join(", ")],
        ["data", sizes(features, classes.length)],
        ["status", (["solved", "stationary"].includes(status) ? green : yellow)(status)],
        ["epochs", String(epochs)],
        ["relative gap", relativeGap === null ? undefined : within(relativeGap)],
        ["gradient norm", gradientNorm === undefined ? undefined : within(gradientNorm)],
        ["seconds", solveSeconds.toFixed(2)],
        ["training", untrained ? ALL_TIE : accuracies(training)],
        ["validation", untrained ? undefined : heldOut],
        ["hint", hint && rephraseHint(hint, flagOf, relativeGap !== null)],
        ["model", file === "-" ? "standard output" : file],
      ]);
    },
    json: () =>
      formatJSON({
        ...loss,
        rows: features.rows,
        features: features.cols,
        classes: classes.length,
        ...certificate,
        hint: certificate.hint && rephraseHint(certificate.hint, flagOf, certificate.relativeGap !== null),
        training,
        validation,
        model: file,
      }),
  };
}

/** `150 rows, 4 features, 3 classes` */
export const sizes = ({ rows, cols }: Size, classes: number): string =>
  [count(rows, "row"), count(cols, "feature"), count(classes, "class")].join(", ");

/** What `evaluate` prints. */
export function evaluationText(model: Model, { rows, loss, topKAccuracy }: ClassEvaluation): string {
  const accuracies = Object.entries(topKAccuracy).map(([k, value]) => [`top-${k}`, percent(value)]);
  return textTable([
    ["rows", String(rows)],
    ["loss", loss.toPrecision(6)],
    ...(isUntrained(model) ? [["accuracy", ALL_TIE]] : accuracies),
  ]);
}

/** Ties count as correct, so that a model without weights would seem to be right every time. */
const ALL_TIE = "all scores tie: nothing is learned";

const isUntrained = ({ weights, intercepts }: Model): boolean =>
  ![weights.data, intercepts].some((values) => values.some((value: number) => value));

/** What is not finite, for which JSON has no number, becomes text: "Infinity". */
export const formatJSON = (value: object): string =>
  `${JSON.stringify(value, (_, v: unknown) => (typeof v === "number" && !Number.isFinite(v) ? String(v) : v), 2)}\n`;

const percent = (fraction: number): string => `${(100 * fraction).toFixed(2)} %`;

const accuracies = ({ topKAccuracy }: ClassEvaluation): string =>
  Object.entries(topKAccuracy)
    .map(([k, value]) => `top-${k} ${percent(value)}`)
    .join(", ");

/** Names and values in two columns; names without a value are left out. */
function textTable(rows: readonly (readonly (string | undefined)[])[]): string {
  const shown = rows.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(...shown.map(([name]) => name!.length));
  return shown.map(([name, value]) => `${name!.padEnd(width)}  ${value}\n`).join("");
}
