import { decode, fail, readLinear } from "./decode.ts";
import { readFeatures } from "./plainRows.ts";
import { LinearPredictor, scoreRows } from "./predictor.ts";
import type { Label, Prediction, Predictor } from "./types.ts";

/**
 * Reads a model that `toBytes` or `toJSON` saved, for prediction: plain JavaScript, no WebAssembly, the same scores bit for
 * bit as the `load` of "topk-sdca". Not for models with a kernel or a Gram matrix, which it refuses.
 *
 * @param source what `toBytes` gave (Uint8Array or ArrayBuffer), JSON text, or the object parsed from it.
 * @throws TypeError for another kind of source; RangeError for what is foreign, newer, truncated or altered.
 * @example
 * const model = load(await (await fetch("model.bin")).arrayBuffer());
 * model.predict([[1, 0.5]]);
 */
export function load<prediction extends Prediction = Label>(
  source: Uint8Array | ArrayBuffer | string | object,
): Predictor<prediction> {
  const state = decode(source, (header, next) => {
    if (header.kernel) fail('a kernel model, which needs the load of "topk-sdca"');
    return readLinear(header, next);
  });
  return new LinearPredictor(state, (caller, features) =>
    scoreRows(state, readFeatures(caller, features, state.weights.cols)),
  );
}

export type { Certificate, DenseMatrix, Features, Label, Prediction, Predictor, Ranked, Status } from "./types.ts";
