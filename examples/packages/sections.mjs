// The section of a package: one of 58 classes, which overlap.
import { sectionsOf } from "./packages.js";
import { answering, labelsOf, makeRows, readings, sectionLosses, setAside } from "./tasks.js";
import { percent, scoreGrid, train, trainingCells, trainingHeadings } from "./training.mjs";

const KS = [1, 3, 5];

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
  for (const { name, options } of sectionLosses) await run(name, options, rows);
  const described = makeRows(parts, readings.descriptions);
  const model = await run(`${answering.sections.name}, no names`, answering.sections.options, described.rows);
  const summary =
    `Sections: ${trainPart.length} packages to train on, ${heldOut.length} held out, ` +
    `${classes.length} classes, ${vocabulary.words.length} words.`;
  return { summary, table, model, vocabulary: described.vocabulary };
}

/** Accuracy of every loss at every C on packages set aside from those to train on. */
export async function chooseSectionC(trainPart, grid) {
  const parts = setAside(trainPart);
  const { rows } = makeRows(parts, readings.namesAndDescriptions);
  const labelled = parts.map((part, p) => [rows[p], labelsOf(part)]);
  const classes = sectionsOf(trainPart);
  const table = [["loss", ...grid.map((C) => `C ${C}`)]];
  for (const { name, options, k } of sectionLosses) {
    const scores = await scoreGrid(name, grid, labelled, { ...options, classes }, `top-${k}`);
    table.push([`${name}, top-${k} %`, ...scores.map((one) => percent(one))]);
  }
  return table;
}
