// The section of a package: one of 58 classes, which overlap.
import { sectionsOf } from "./packages.js";
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

const KS = [1, 3, 5];

/** C is the best of `npm run example:packages -- --choose`, by what the loss is for. */
const losses = [
  { name: "hinge", options: { loss: "hinge", C: 1 }, k: 1 },
  { name: "top-3 hinge", options: { loss: "topk-hinge", k: 3, C: 3 }, k: 3 },
  { name: "top-5 hinge", options: { loss: "topk-hinge", k: 5, C: 1 }, k: 5 },
  { name: "softmax", options: { loss: "softmax", C: 10 }, k: 1 },
];
/** The loss of the model that answers typed descriptions: it has probabilities. */
const answering = losses[3];

const labelsOf = (packages) => packages.map(({ section }) => section);

/** Every loss, and the answering one once more without the names. */
export async function trainSections(trainPart, heldOut) {
  const parts = [trainPart, heldOut];
  const classes = sectionsOf(parts.flat()); // in a small part, one may be held out only
  const table = [["loss", "C", ...KS.map((k) => `top-${k} %`), ...trainingHeadings]];
  const run = async (name, options, rows) => {
    const { model, seconds } = await train(name, rows[0], labelsOf(trainPart), { ...options, classes });
    const { topKAccuracy } = model.evaluate(rows[1], labelsOf(heldOut), { k: KS });
    const accuracies = KS.map((k) => percent(topKAccuracy[k]));
    table.push([name, String(options.C), ...accuracies, ...trainingCells(seconds, model)]);
    return model;
  };

  const { vocabulary, rows } = makeRows(parts, readings.namesAndDescriptions);
  for (const { name, options } of losses) await run(name, options, rows);
  const described = makeRows(parts, readings.descriptions);
  const model = await run(`${answering.name}, no names`, answering.options, described.rows);
  const summary =
    `Sections: ${trainPart.length} packages to train on, ${heldOut.length} held out, ` +
    `${classes.length} classes, ${vocabulary.words.length} words.`;
  return { summary, table, model, vocabulary: described.vocabulary };
}

/** Accuracy of every loss at every C on packages set aside from those to train on. */
export async function chooseSectionC(trainPart, grid) {
  const parts = setAside(trainPart);
  const [labels, asideLabels] = parts.map(labelsOf);
  const { rows } = makeRows(parts, readings.namesAndDescriptions);
  const classes = sectionsOf(trainPart);
  const table = [["loss", ...grid.map((C) => `C ${C}`)]];
  for (const { name, options, k } of losses) {
    const score = (model) => model.evaluate(rows[1], asideLabels, { k: [k] }).topKAccuracy[k];
    const scores = await scoreGrid(name, grid, rows[0], labels, { ...options, classes }, score);
    table.push([`${name}, top-${k} %`, ...scores.map((one) => percent(one))]);
  }
  return table;
}
