// One loss over a grid of C: for each k the C that does best on the validation rows, and what that model does on the test rows.
// `select` chooses by one metric a call: for a choice for each of four columns it would fit everything four times.
import { fit } from "../../dist/index.js";

/** What has been best so far for each k; of equals what came first. */
export function bestByColumn(ks) {
  const best = ks.map(() => ({ validation: -1 }));
  return {
    /** Accuracies in [0, 1] by k, and what they belong to. */
    offer(validation, test, C) {
      ks.forEach((k, i) => {
        if (validation[k] > best[i].validation) best[i] = { validation: validation[k], test: 100 * test[k], C };
      });
    },
    result: () => ({ accuracy: best.map((one) => one.test), C: best.map((one) => one.C) }),
  };
}

/**
 * C goes from small to large. A convex fit starts from the one before; one of a loss that is not convex from the softmax solution
 * at its own C, or where `continued` from the one before as well.
 *
 * @returns {{ accuracy: number[], C: number[], statuses: string[] }} per k in per cent, and how each fit ended
 */
export async function chooseC({ options, grid, ks, train, validation, test, continued = false }) {
  const best = bestByColumn(ks);
  const statuses = [];
  const convex = options.loss !== "truncated-topk-entropy";
  let softmax;
  let before;
  for (const C of grid) {
    // Apart, so that the time of one is not missing from the other.
    if (!convex) {
      softmax = await fit(train.features, train.labels, {
        ...options,
        loss: "softmax",
        k: undefined,
        C,
        initial: softmax,
      });
    }
    const initial = convex || continued ? (before ?? softmax) : softmax;
    const model = await fit(train.features, train.labels, { ...options, C, initial });
    statuses.push(model.certificate.status);
    const [found, held] = [validation, test].map(
      ({ features, labels }) => model.evaluate(features, labels, { k: ks }).topKAccuracy,
    );
    best.offer(found, held, C);
    before = model;
  }
  return { ...best.result(), statuses };
}
