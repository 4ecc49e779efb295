// The tags of a package: any number of labels for each.
import { metrics } from "topk-sdca";
import { frequentTags, keepTags } from "./packages.js";
import {
  makeRows,
  percent,
  readings,
  scoreGrid,
  setAside,
  train,
  trainingCells,
  trainingHeadings,
} from "./training.mjs";

const MIN_USES = 20;

/** C is the best of `npm run example:packages -- --choose`, by the measure that is closest to the loss. */
const losses = [
  { name: "multilabel hinge", options: { loss: "multilabel-hinge", C: 10 }, measure: "rankLoss" },
  { name: "multilabel softmax", options: { loss: "multilabel-softmax", C: 30 }, measure: "rankLoss" },
  { name: "one-vs-all hinge", options: { loss: "ova-hinge", C: 1 }, measure: "meanAveragePrecision" },
  { name: "one-vs-all logistic", options: { loss: "ova-logistic", C: 3 }, measure: "meanAveragePrecision" },
];
/** The loss of the model that answers typed descriptions: it has a probability for each tag. */
const answering = losses[3];

const setsOf = (packages) => packages.map(({ tags }) => tags);

/** The frequent tags of the training packages, and of each part the packages that carry any of them. */
function tagTask(trainPart, ...parts) {
  const classes = frequentTags(trainPart, MIN_USES);
  return { classes, parts: [trainPart, ...parts].map((part) => keepTags(part, classes)) };
}

/** The model with the threshold that has the best micro F1 on some rows: those set aside, as training rows are no measure of it. */
function chooseThreshold(model, features, sets) {
  const indices = new Map(model.classes.map((tag, j) => [tag, j]));
  const scores = { data: model.scores(features), rows: features.rows, cols: model.classes.length };
  const asIndices = sets.map((tags) => tags.map((tag) => indices.get(tag)));
  return model.withThreshold(metrics.chooseThreshold(scores, asIndices).threshold);
}

/** Every loss, and the answering one once more without the names. One-vs-all is scored at its own threshold, 0, as well. */
export async function trainTags(trainPart, heldOut) {
  const { classes, parts } = tagTask(trainPart, heldOut);
  parts.unshift(...setAside(parts.shift())); // to train on, to choose the threshold on, held out
  const [sets, aside, heldOutSets] = parts.map(setsOf);
  const scored = ["threshold", "micro F1 %", "macro F1 %", "instance F1 %", "mAP %", "rank loss %"];
  const table = [["loss", "C", ...scored, ...trainingHeadings]];
  const run = async (name, options, rows, atZero) => {
    const { model: plain, seconds } = await train(name, rows[0], sets, { ...options, classes });
    const addRow = (model, suffix = "") => {
      const { f1, meanAveragePrecision, rankLoss } = model.evaluate(rows[2], heldOutSets).multilabel;
      const measures = [f1.micro, f1.macro, f1.instance, meanAveragePrecision].map((one) => percent(one));
      const threshold = model.threshold.toFixed(2);
      table.push([
        `${name}${suffix}`,
        String(options.C),
        threshold,
        ...measures,
        percent(rankLoss, 2),
        ...trainingCells(seconds, model),
      ]);
    };
    const model = chooseThreshold(plain, rows[1], aside);
    addRow(model);
    if (atZero) addRow(plain, ", at 0");
    return model;
  };

  const { vocabulary, rows } = makeRows(parts, readings.namesAndDescriptions);
  for (const { name, options } of losses) await run(name, options, rows, options.loss.startsWith("ova"));
  const described = makeRows(parts, readings.descriptions);
  const model = await run(`${answering.name}, no names`, answering.options, described.rows);
  const summary =
    `Tags: ${parts[0].length} packages to train on, ${parts[1].length} for the threshold, ${parts[2].length} held out, ` +
    `${classes.length} tags, ${vocabulary.words.length} words.`;
  return { summary, table, model, vocabulary: described.vocabulary };
}

/** Rank loss or mean average precision of every loss at every C on packages set aside from those to train on. */
export async function chooseTagC(trainPart, grid) {
  const { classes, parts: tagged } = tagTask(trainPart);
  const parts = setAside(tagged[0]);
  const [sets, asideSets] = parts.map(setsOf);
  const { rows } = makeRows(parts, readings.namesAndDescriptions);
  const table = [["loss", ...grid.map((C) => `C ${C}`)]];
  for (const { name, options, measure } of losses) {
    const score = (model) => model.evaluate(rows[1], asideSets).multilabel[measure];
    const scores = await scoreGrid(name, grid, rows[0], sets, { ...options, classes }, score);
    const shown = measure === "rankLoss" ? "rank loss" : "mAP";
    table.push([`${name}, ${shown} %`, ...scores.map((one) => percent(one, 2))]);
  }
  return table;
}
