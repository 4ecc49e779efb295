import { buffer } from "node:stream/consumers";
import { load, type Label, type Model } from "../index.ts";
import { assemble, takeApart } from "../model/binaryForm.ts";
import { MAGIC } from "../model/format.ts";
import type { ColumnNames, Expected } from "./dataFile.ts";
import { InputError, isRefusal, rephrase } from "./errors.ts";
import { nameOf, openBytes } from "./openData.ts";

/** Reads a model file, "-" for `stdin`: what `train` or `toBytes` wrote, or the JSON form. */
export async function readModel(
  path: string,
  stdin: AsyncIterable<Buffer>,
): Promise<{ model: Model<Label>; expected: Expected }> {
  const bytes = await buffer(await openBytes(path, stdin));
  let model: Model<Label>;
  try {
    model = load(bytes[0] === "{".charCodeAt(0) ? bytes.toString("utf8") : bytes);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new InputError(`${nameOf(path)}: ${rephrase(error.message, new Map())}`);
  }
  if (model.threshold !== undefined) {
    throw new InputError(`${nameOf(path)}: a model of label sets, which are for the library; here a row has one label`);
  }
  if (!model.weights) {
    throw new InputError(`${nameOf(path)}: a model with a kernel, which is for the library; the command line has none`);
  }
  return { model, expected: { features: model.weights.cols, by: "the model", names: namesOf(new Uint8Array(bytes)) } };
}

/** The names that `withNames` has put into a saved model; in JSON there are none. */
function namesOf(saved: Uint8Array<ArrayBuffer>): ColumnNames | undefined {
  if (saved[0] !== MAGIC.charCodeAt(0)) return undefined;
  const { featureNames, labelName, features } = takeApart(saved).header as Record<string, unknown>;
  if (!Array.isArray(featureNames) || featureNames.length !== features) return undefined;
  return { features: featureNames, label: typeof labelName === "string" ? labelName : undefined };
}

/** A saved model with the names of its columns, if they have any, in its header. */
export function withNames(saved: Uint8Array<ArrayBuffer>, names: ColumnNames | undefined): Uint8Array<ArrayBuffer> {
  if (!names) return saved;
  const { header, body } = takeApart(saved);
  const version = new DataView(saved.buffer).getUint16(6, true);
  return assemble({ ...header, featureNames: names.features, labelName: names.label }, version, (bodyAt) => {
    const bytes = new Uint8Array(bodyAt + body.byteLength);
    bytes.set(saved.subarray(body.byteOffset), bodyAt);
    return bytes;
  });
}

/** Finds the class that a label of a file is. */
export function classFinder(classes: readonly Label[], whose: string): (text: string, place: string) => Label {
  const byText = new Map(classes.map((label) => [String(label), label]));
  const twin = classes.find((label) => byText.get(String(label)) !== label);
  if (twin !== undefined) {
    const both = `${JSON.stringify(twin)} and ${JSON.stringify(byText.get(String(twin)))}`;
    throw new InputError(`${whose} tells ${both} apart, which are the same in a file`);
  }
  return (text, place) => {
    const label = byText.get(text);
    if (label === undefined)
      throw new InputError(`${place}: the label ${JSON.stringify(text)} is not among the classes of ${whose}`);
    return label;
  };
}
