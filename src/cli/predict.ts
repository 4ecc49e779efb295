import type { Ranked } from "../index.ts";
import type { Io } from "./console.ts";
import { refusing } from "./errors.ts";
import { readModel } from "./modelFile.ts";
import { checkStandardInput, nameOf, openData } from "./openData.ts";
import { flagOf, type Arguments } from "./options.ts";
import { readBatches } from "./table.ts";
import { openWhole, refuseOverwriting } from "./writeWhole.ts";

/** `topk-sdca predict`: a thousand rows at a time. Returns the exit code. */
export async function predict(args: Arguments, { stdin, stdout, stderr }: Io): Promise<number> {
  const { data, dataOptions } = args;
  checkStandardInput(data, args.model);
  const out = args.text("out") ?? "-";
  await refuseOverwriting("--out", out, { data, model: args.model });
  const { model, expected } = await readModel(args.model, stdin);
  const cols = expected.features;
  const k = (args.number("k") ?? Math.min(5, model.classes.length)) as number;
  refusing(() => model.topK([new Float64Array(cols)], k), flagOf); // refuses k before anything is written
  const reader = await openData(data, stdin, {
    labels: "ignored",
    note: (text) => void stderr.write(`${nameOf(data)}: ${text}\n`),
    expected,
    ...dataOptions,
  });
  const target = await openWhole(out, stdout);
  try {
    let text = formatRow(Array.from({ length: k }, (_, p) => [`label_${p + 1}`, `score_${p + 1}`]));
    for await (const { features, lines } of readBatches(reader, cols)) {
      const ranks = refusing(() => model.topK(features, k), flagOf, nameOf(data), lines);
      await target.write(text + ranks.map(formatRanks).join(""));
      text = "";
    }
    await target.commit();
  } finally {
    await target.discard();
  }
  return 0;
}

const formatRanks = (ranks: readonly Ranked[]): string => formatRow(ranks.map(({ label, score }) => [label, score]));

/** A line of CSV by RFC 4180, with the line end of text files here. */
const formatRow = (pairs: readonly (readonly (string | number)[])[]): string =>
  `${pairs.flatMap((pair) => pair.map(quoted)).join(",")}\n`;

function quoted(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
