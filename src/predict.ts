import { decode, fail, readLinear, scalings, unreadable, type Refusals } from "./model/decode.ts";
import { readFeatures } from "./model/plainRows.ts";
import { finiteScores, LinearPredictor, scoreRows } from "./model/predictor.ts";
import { kindOf } from "./platform/kindOf.ts";
import type { Label, Prediction, Predictor } from "./types.ts";

const altered = (): never => fail("altered");

const refusals: Refusals = {
  foreign: (source, hint) => fail(`${unreadable}${typeof source === "string" ? "" : `: got ${kindOf(source)}`}${hint}`),
  length(length, total) {
    if (length < total) fail("truncated"); // otherwise the checksum does not match
  },
  array: altered,
};

/**
 * Reads a model that `toBytes` or `toJSON` saved, for prediction: plain JavaScript, no WebAssembly, the same scores bit
 * for bit as the `load` of "topk-sdca". Not for models with a kernel or a Gram matrix, which it refuses.
 *
 * @typeParam prediction what it predicts for a row: `load<Label[]>(source)` where that is a set of labels.
 * @param source what `toBytes` gave (Uint8Array or ArrayBuffer), JSON text or its bytes, or the object parsed from it.
 * @throws RangeError for what is foreign, newer, truncated or altered.
 * @example
 * const response = await fetch("model.bin");
 * if (!response.ok) throw new Error(response.statusText);
 * const model = load(await response.arrayBuffer());
 * model.predict([[1, 0.5]]); // ["b"]
 */
export function load<prediction extends Prediction = Label>(
  source: Uint8Array | ArrayBuffer | string | object,
): Predictor<prediction> {
  const state = decode(source, refusals, (header, next) => {
    const { kernel, classes, features, loss, scaling, threshold, certificate } = header;
    if (kernel) fail('a kernel model, which needs the load of "topk-sdca"');
    // The checksum says that a header is as it was written; so this is only for predictions to make sense. serialize.ts
    // checks more.
    const m = new Set(classes).size;
    const sound =
      m > 1 &&
      m === classes.length &&
      Number.isSafeInteger(features) &&
      features > 0 &&
      scalings.includes(scaling) &&
      loss.name &&
      "status" in certificate &&
      (threshold === undefined || Number.isFinite(threshold));
    return sound ? readLinear(header, next) : altered();
  });
  const predictor: Predictor = new LinearPredictor(state, (caller, features) =>
    finiteScores(caller, scoreRows(state, readFeatures(caller, features, state.weights.cols)), state.classes.length),
  );
  return Object.freeze(predictor) as Predictor<prediction>;
}

export type { Certificate, DenseMatrix, Features, Label, Prediction, Predictor, Ranked, Status } from "./types.ts";
