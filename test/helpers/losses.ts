import type { LossOptions } from "../../src/index.ts";
import type { LossSpec } from "../reference/losses.ts";
import type { SetLossSpec } from "../reference/multilabel.ts";

/** Every loss of the package, smoothed and not, with a k in the middle. */
export const allLosses: readonly LossSpec[] = [
  { loss: "softmax" },
  { loss: "hinge" },
  { loss: "hinge", gamma: 1 },
  ...(["alpha", "alpha-inclusive", "beta"] as const).flatMap((variant) =>
    [0, 0.5].map((gamma): LossSpec => ({ loss: "topk-hinge", k: 3, variant, gamma })),
  ),
  { loss: "weighted-topk-hinge", rankWeights: "linear", k: 3 },
  { loss: "weighted-topk-hinge", rankWeights: "exp", k: 2, gamma: 0.5 },
  { loss: "weighted-topk-hinge", rankWeights: [0.9, 0.5, 0.5, 0.1] },
  { loss: "topk-entropy", k: 3, variant: "alpha" },
  { loss: "topk-entropy", k: 3, variant: "beta" },
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 0.5 },
  { loss: "ova-logistic" },
];

/** Every loss of label sets, smoothed and not. */
export const setLosses: readonly SetLossSpec[] = [
  { loss: "multilabel-hinge" },
  { loss: "multilabel-hinge", gamma: 0.5 },
  { loss: "multilabel-softmax" },
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 0.5 },
  { loss: "ova-logistic" },
];

/** The same as options of `fit`. */
export const optionsOf = (spec: LossSpec): LossOptions => spec as LossOptions;

export const nameOf = ({ loss, k, variant, gamma, rankWeights }: LossSpec): string =>
  [loss, rankWeights && String(rankWeights), k && `k = ${k}`, variant, gamma && `gamma = ${gamma}`]
    .filter(Boolean)
    .join(", ");
