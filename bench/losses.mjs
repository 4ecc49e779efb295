/** The losses that are compared, as options of fit; `family` says which yardstick a goal is scaled by (report/goals.mjs). */
export const losses = [
  { id: "hinge", name: "hinge", family: "hinge", options: { loss: "hinge" } },
  { id: "smooth-hinge", name: "smooth hinge, gamma 1", family: "hinge", options: { loss: "hinge", gamma: 1 } },
  { id: "top5", name: "top-5 alpha", family: "hinge", options: { loss: "topk-hinge", k: 5 } },
  { id: "smooth-top5", name: "top-5 alpha, gamma 1", family: "hinge", options: { loss: "topk-hinge", k: 5, gamma: 1 } },
  {
    ...{ id: "smooth-top5-beta", name: "top-5 beta, gamma 1", family: "hinge" },
    options: { loss: "topk-hinge", k: 5, variant: "beta", gamma: 1 },
  },
  { id: "softmax", name: "softmax", family: "entropy", options: { loss: "softmax" } },
  { id: "top5-entropy", name: "top-5 entropy", family: "entropy", options: { loss: "topk-entropy", k: 5 } },
];

/** Losses of label sets, which no peer has. */
export const setLosses = ["multilabel-hinge", "multilabel-softmax", "ova-hinge", "ova-logistic"].map((loss) => ({
  ...{ id: loss, name: loss, options: { loss } },
}));

/** Options that hold for every measured fit. The data hold the constant where there is one, hence no intercept. */
export const common = { C: 1, tolerance: 1e-3, intercept: false, precision: "float32" };

export function lossById(id) {
  const all = [...losses, ...setLosses];
  const loss = all.find((one) => one.id === id);
  if (!loss) throw new RangeError(`no loss "${id}"; there are ${all.map((one) => one.id).join(", ")}`);
  return loss;
}
