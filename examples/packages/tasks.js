// The two tasks: what is read of a package, the labels, the losses, and what is set aside. No Node API here either.
import { metrics } from "topk-sdca";
import { frequentTags, keepTags, splitByDescription } from "./packages.js";
import { learnVocabulary, packageWords, toRows, words } from "./text.js";

/** What of a package is read. */
export const readings = {
  namesAndDescriptions: packageWords,
  descriptions: ({ description }) => words(description),
};

/** C is the best of `npm run example:packages -- --choose`, by what the loss is for. */
export const sectionLosses = [
  { name: "hinge", options: { loss: "hinge", C: 1 }, k: 1 },
  { name: "top-3 hinge", options: { loss: "topk-hinge", k: 3, C: 3 }, k: 3 },
  { name: "top-5 hinge", options: { loss: "topk-hinge", k: 5, C: 1 }, k: 5 },
  { name: "softmax", options: { loss: "softmax", C: 10 }, k: 1 },
];

/** C is the best of `npm run example:packages -- --choose`, by the metric that is closest to the loss. */
export const tagLosses = [
  { name: "multilabel hinge", options: { loss: "multilabel-hinge", C: 10 }, metric: "rank-loss" },
  { name: "multilabel softmax", options: { loss: "multilabel-softmax", C: 30 }, metric: "rank-loss" },
  { name: "one-vs-all hinge", options: { loss: "ova-hinge", C: 1 }, metric: "map" },
  { name: "one-vs-all logistic", options: { loss: "ova-logistic", C: 3 }, metric: "map" },
];

/** The same two where rare tags count as much as frequent ones. */
export const balancedTagLosses = [
  {
    name: "one-vs-all hinge, balanced",
    options: { loss: "ova-hinge", C: 0.3, classWeight: "balanced" },
    metric: "map",
  },
  {
    name: "one-vs-all logistic, balanced",
    options: { loss: "ova-logistic", C: 3, classWeight: "balanced" },
    metric: "map",
  },
];

/** The losses of the models that answer typed descriptions: they have probabilities, of one section and for each tag. */
export const answering = { sections: sectionLosses[3], tags: tagLosses[3] };

const MIN_USES = 20;

export const labelsOf = (packages) => packages.map(({ section }) => section);
export const setsOf = (packages) => packages.map(({ tags }) => tags);

/** The frequent tags of the training packages, and of each part the packages that carry any of them. */
export function tagTask(trainPart, ...parts) {
  const classes = frequentTags(trainPart, MIN_USES);
  return { classes, parts: [trainPart, ...parts].map((part) => keepTags(part, classes)) };
}

/** The first part to train on, the second for what is chosen without a look at the held-out packages: C, and the tags' threshold. */
export const setAside = (packages) => splitByDescription(packages, { share: 0.1, seed: 2 });

/** About this share of the packages, those with the same description together. */
export const smallPart = (packages, share) => splitByDescription(packages, { share, seed: 3 })[1];

/** Rows of each part, with a vocabulary learned on the first. */
export function makeRows(parts, reading) {
  const documents = parts.map((part) => part.map(reading));
  const vocabulary = learnVocabulary(documents[0]);
  return { vocabulary, rows: documents.map((part) => toRows(vocabulary, part)) };
}

/** The model with the threshold that has the best micro F1 on some rows: those set aside, as training rows are no measure of it. */
export function chooseThreshold(model, features, sets) {
  const indices = new Map(model.classes.map((tag, j) => [tag, j]));
  const scores = { data: model.scores(features), rows: features.rows, cols: model.classes.length };
  const asIndices = sets.map((tags) => tags.map((tag) => indices.get(tag)));
  return model.withThreshold(metrics.chooseThreshold(scores, asIndices).threshold);
}
