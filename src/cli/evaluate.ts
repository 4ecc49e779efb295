import { init, type ClassEvaluation } from "../index.ts";
import type { Io } from "./console.ts";
import { refusing } from "./errors.ts";
import { classFinder, readModel } from "./modelFile.ts";
import { checkStandardInput, nameOf, openData } from "./openData.ts";
import { flagOf, numberOrText, type Arguments } from "./options.ts";
import { evaluationText, formatJSON } from "./summary.ts";
import { readBatches } from "./table.ts";

/** `topk-sdca evaluate`: a thousand rows at a time. Returns the exit code. */
export async function evaluate(args: Arguments, { stdin, stdout, stderr }: Io): Promise<number> {
  const { data, dataOptions } = args;
  checkStandardInput(data, args.model);
  const [{ model, expected }] = await Promise.all([readModel(args.model, stdin), init()]);
  const k = args.text("k")?.split(",").map(numberOrText) as number[] | undefined;
  const note = (text: string): void => void stderr.write(`${nameOf(data)}: ${text}\n`);
  const reader = await openData(data, stdin, { labels: "needed", expected, note, ...dataOptions });
  const find = classFinder(model.classes, "the model");
  const name = nameOf(data);

  const total: ClassEvaluation = { rows: 0, loss: 0, topKAccuracy: {} };
  const correct: Record<string, number> = {};
  for await (const { features, labels, lines } of readBatches(reader, expected.features)) {
    const known = labels.map((label, i) => find(label, `${name} line ${lines[i]}`));
    const part = refusing(() => model.evaluate(features, known, { k }), flagOf, name, lines);
    total.rows += part.rows;
    total.loss += part.loss * part.rows;
    for (const [k, fraction] of Object.entries(part.topKAccuracy)) {
      correct[k] = (correct[k] ?? 0) + Math.round(fraction * part.rows);
    }
  }
  total.loss /= total.rows;
  for (const [k, rows] of Object.entries(correct)) total.topKAccuracy[Number(k)] = rows / total.rows;
  stdout.write(args.has("json") ? formatJSON(total) : evaluationText(model, total));
  return 0;
}
