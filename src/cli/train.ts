import { fit, type DenseMatrix, type FitOptions, type Label, type Labels, type ValidationSet } from "../index.ts";
import { isConvex } from "../losses.ts";
import { defaultKs } from "../model/evaluateScores.ts";
import { resolveSettings } from "../settings.ts";
import { colorsFor, type Io } from "./console.ts";
import type { DataReader } from "./dataFile.ts";
import { InputError, isRefusal, refusing, rephrase } from "./errors.ts";
import { onInterrupt } from "./interrupt.ts";
import { classFinder, readModel, withNames } from "./modelFile.ts";
import { checkStandardInput, nameOf, openData } from "./openData.ts";
import { flagOf, type Arguments } from "./options.ts";
import { createProgress } from "./progress.ts";
import { sizes, summarize } from "./summary.ts";
import { readTable, typedLabels, writtenOut, type Table } from "./table.ts";
import { checkWritable, refuseOverwriting, writeWhole } from "./writeWhole.ts";

/** `topk-sdca train`. Returns the exit code. */
export async function train(args: Arguments, io: Io): Promise<number> {
  const { data, model: target } = args;
  const { initial: initialFile, validation: validationFile, ...given } = args.fit as Record<string, string | undefined>;
  const settings = refusing(() => resolveSettings("fit", given as FitOptions), flagOf);
  if (args.has("duals") && !isConvex(settings.loss)) {
    throw new InputError(
      `--duals: the loss "${settings.loss.name}" has no dual variables; --initial takes a model of it as it is`,
    );
  }
  checkStandardInput(data, validationFile, initialFile);
  await refuseOverwriting("--model", target, { data, "validation data": validationFile });
  await checkWritable(target);
  const progress = createProgress(io.stderr, colorsFor(io.stderr), args.has("quiet"), settings);

  const initial = initialFile === undefined ? undefined : (await readModel(initialFile, io.stdin)).model;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const reader = await openData(data, io.stdin, { labels: "needed", note, ...args.dataOptions });
  const table = await readTable(reader);
  const features = given.scaling === "minmax" ? denseFor(given.scaling, table.features, data) : table.features;
  const labels = typedLabels(table.labels);
  const classes = [...new Set(labels)];
  progress.note([`${nameOf(data)}: ${sizes(features, classes.length)}`, ...notes].join("; "));
  if (classes.length > Math.max(20, labels.length / 2)) {
    progress.note(
      `most labels are there only once${notes.length > 0 ? "" : "; if they are in another column, give --label"}`,
    );
  }
  const validation =
    validationFile === undefined ? undefined : await readHeldOut(validationFile, args, io, { table, reader }, classes);

  const abort = new AbortController();
  onInterrupt(() => {
    abort.abort();
    progress.note("interrupted: the model so far will be written; Ctrl-C again ends at once");
    progress.stop();
  });
  const options = { ...given, initial, validation, signal: abort.signal, onProgress: progress.update } as FitOptions;
  const model = await fit(features, labels, options)
    .catch((error) => {
      throw isRefusal(error) ? placed(error.message, data, table, reader) : error;
    })
    .finally(progress.stop);
  if (target === "-") io.exitCode = 1; // until whoever reads it has the whole
  await writeWhole(target, withNames(model.toBytes({ duals: args.has("duals") }), reader.names()), io.stdout);

  const { status } = model.certificate;
  const where = target === "-" ? "standard output" : target;
  if (status === "aborted") progress.note(`${where}: the model so far is written, with its certificate`);
  const k = defaultKs(classes.length, settings.loss.k);
  const summary = summarize({
    loss: {
      ...{ loss: settings.loss.name, k: given.k, gamma: given.gamma, variant: given.variant },
      rankWeights: given.rankWeights,
    },
    model,
    features,
    training: model.evaluate(features, labels, { k }),
    validation: validation && model.evaluate(validation.features, validation.labels as Labels, { k }),
    file: target,
  });
  const stream = target === "-" ? io.stderr : io.stdout;
  io.exitCode = status === "solved" || status === "stationary" ? 0 : 2; // also if nobody reads what follows
  stream.write(args.has("json") ? summary.json() : summary.text(colorsFor(stream)));
  return io.exitCode;
}

/** With less than this part of the values in a file they are not written out. */
const DENSE_FROM = 0.1;

/**
 * Rows with their zeros, which a scaling fills; refused where that would need many times the memory of what is there.
 */
function denseFor(scaling: string, features: Table["features"], data: string): DenseMatrix {
  if (!("indptr" in features)) return features;
  const { rows, cols } = features;
  const given = features.data.length;
  if (given >= DENSE_FROM * rows * cols) return writtenOut(features);
  throw new InputError(
    `--scaling ${scaling} would fill the zeros of ${nameOf(data)}, which has ${given} of ${rows * cols} values; standard and unit-rows keep them`,
  );
}

async function readHeldOut(
  path: string,
  args: Arguments,
  { stdin }: Io,
  { table, reader }: { table: Table; reader: DataReader },
  classes: readonly Label[],
): Promise<ValidationSet> {
  const { cols } = table.features;
  const expected = { features: cols, by: nameOf(args.data), names: reader.names() };
  const heldOut = await openData(path, stdin, { labels: "needed", expected, ...args.dataOptions });
  const { features, labels, lines } = await readTable(heldOut, cols);
  const find = classFinder(classes, nameOf(args.data));
  return { features, labels: labels.map((label, i) => find(label, `${nameOf(path)} line ${lines[i]}`)) };
}

/** A refusal of `fit` with the place in the file, where it names a row. */
function placed(message: string, data: string, { lines, features }: Table, { columnName }: DataReader): InputError {
  const [, row, column, what] = /"features" row (\d+)(?:, column (\d+))? (.*)/.exec(message) ?? [];
  if (row === undefined) return new InputError(rephrase(message, flagOf));
  const place = column !== undefined && Number(column) < features.cols ? `, ${columnName(Number(column))}` : "";
  return new InputError(`${nameOf(data)} line ${lines[Number(row)]}${place} ${rephrase(what, flagOf)}`);
}
