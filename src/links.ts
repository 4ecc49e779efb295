/** How scores become probabilities: by softmax over the classes, class by class, or not at all. */
export type Link = "softmax" | "sigmoid" | "none";

/** All that prediction needs to know of a loss; what training needs is in losses.ts, under the same names. */
export const links: Readonly<Record<string, Link>> = {
  softmax: "softmax",
  hinge: "none",
  "topk-hinge": "none",
  "topk-entropy": "softmax",
  "ova-hinge": "none",
  "ova-logistic": "sigmoid",
  "multilabel-hinge": "none",
  "multilabel-softmax": "softmax",
};

/** Those that give probabilities, in words. */
export const probabilistic = '"softmax", "topk-entropy", "ova-logistic" or "multilabel-softmax"';
