import { buffer } from "node:stream/consumers";
import { load, type Label, type Model } from "../index.ts";
import { InputError, isRefusal, rephrase } from "./errors.ts";
import { nameOf, openBytes } from "./openData.ts";

/** Reads a model file, "-" for `stdin`: what `train` or `toBytes` wrote, or the JSON form. */
export async function readModel(path: string, stdin: AsyncIterable<Buffer>): Promise<Model<Label>> {
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
  if (model.weights) return model;
  throw new InputError(`${nameOf(path)}: a model with a kernel, which is for the library; the command line has none`);
}

/** Finds the class that a label of a file is. */
export function classFinder(classes: readonly Label[], whose: string): (text: string, place: string) => Label {
  const byText = new Map(classes.map((label) => [String(label), label]));
  return (text, place) => {
    const label = byText.get(text);
    if (label === undefined)
      throw new InputError(`${place}: the label ${JSON.stringify(text)} is not among the classes of ${whose}`);
    return label;
  };
}
