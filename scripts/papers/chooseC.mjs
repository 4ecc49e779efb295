// One loss over a grid of C: for each k the C that does best on the validation rows, and what that model does on the test rows.
import { fit } from "../../dist/index.js";

/**
 * C goes from small to large, and each fit starts from the one before; those of a loss that is not convex from softmax, since they
 * would stay where the smallest C has taken them.
 *
 * @returns {{ accuracy: number[], C: number[], statuses: string[] }} per k in per cent, and how each fit ended
 */
export async function chooseC({ options, grid, ks, train, validation, test }) {
  const best = ks.map(() => ({ validation: -1 }));
  const statuses = [];
  const convex = options.loss !== "truncated-topk-entropy";
  let initial;
  for (const C of grid) {
    const model = await fit(train.features, train.labels, { ...options, C, initial });
    statuses.push(model.certificate.status);
    const [found, held] = [validation, test].map(
      ({ features, labels }) => model.evaluate(features, labels, { k: ks }).topKAccuracy,
    );
    ks.forEach((k, i) => {
      // Of equals the smaller C.
      if (found[k] > best[i].validation) best[i] = { validation: found[k], test: 100 * held[k], C };
    });
    if (convex) initial = model;
  }
  return { accuracy: best.map((one) => one.test), C: best.map((one) => one.C), statuses };
}

/** Mean of |ours - theirs| over all cells. */
export const meanDifference = (rows) => {
  const apart = rows.flatMap(({ accuracy, published }) => accuracy.map((value, i) => Math.abs(value - published[i])));
  return apart.reduce((sum, value) => sum + value, 0) / apart.length;
};
