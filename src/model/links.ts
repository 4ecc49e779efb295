/** How scores become probabilities: by softmax over the classes, or class by class. */
type Link = "softmax" | "sigmoid";

/** Losses that give probabilities; what training needs to know of all losses is in losses.ts, under the same names. */
export const links: Readonly<Record<string, Link | undefined>> = {
  softmax: "softmax",
  "topk-entropy": "softmax",
  "ova-logistic": "sigmoid",
  "multilabel-softmax": "softmax",
};
