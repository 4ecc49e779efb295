import type { Features, Label, Model } from "../index.ts";
import type { Io } from "./console.ts";
import { refusing } from "./errors.ts";
import { readModel } from "./modelFile.ts";
import { checkStandardInput, nameOf, openData } from "./openData.ts";
import { flagOf, type Arguments } from "./options.ts";
import { readBatches } from "./table.ts";
import { openWhole, refuseOverwriting } from "./writeWhole.ts";

/** What is written beside the labels, by the names of columns. */
type Measure = "score" | "probability";

/** `topk-sdca predict`: a thousand rows at a time. Returns the exit code. */
export async function predict(args: Arguments, { stdin, stdout, stderr }: Io): Promise<number> {
  const { data, dataOptions } = args;
  checkStandardInput(data, args.model);
  const out = args.text("out") ?? "-";
  await refuseOverwriting("--out", out, { data, model: args.model });
  const { model, expected } = await readModel(args.model, stdin);
  const cols = expected.features;
  const k = (args.number("k") ?? Math.min(5, model.classes.length)) as number;
  const measure = args.has("probabilities") ? "probability" : "score";
  refusing(() => best(model, [new Float64Array(cols)], k, measure), flagOf); // before anything is written
  const reader = await openData(data, stdin, {
    labels: "ignored",
    note: (text) => void stderr.write(`${nameOf(data)}: ${text}\n`),
    expected,
    ...dataOptions,
  });
  const target = await openWhole(out, stdout);
  try {
    let text = formatRow(Array.from({ length: k }, (_, p) => [`label_${p + 1}`, `${measure}_${p + 1}`]));
    for await (const { features, lines } of readBatches(reader, cols)) {
      const ranks = refusing(() => best(model, features, k, measure), flagOf, nameOf(data), lines);
      await target.write(text + ranks.map(formatRow).join(""));
      text = "";
    }
    await target.commit();
  } finally {
    await target.discard();
  }
  return 0;
}

/** For each row its k best labels, each with its score or its probability. */
function best(model: Model, features: Features, k: number, measure: Measure): [Label, number][][] {
  const ranks = model.topK(features, k);
  if (measure === "score") return ranks.map((row) => row.map(({ label, score }) => [label, score]));
  const probabilities = model.probabilities(features);
  const { classes } = model;
  const place = new Map(classes.map((label, j) => [label, j]));
  return ranks.map((row, i) => row.map(({ label }) => [label, probabilities[i * classes.length + place.get(label)!]]));
}

/** A line of CSV by RFC 4180, with the line end of text files here. */
const formatRow = (pairs: readonly (readonly (string | number)[])[]): string =>
  `${pairs.flatMap((pair) => pair.map(quoted)).join(",")}\n`;

function quoted(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
