// The tags of a package: any number of labels for each.
import {
  answering,
  balancedTagLosses,
  chooseThreshold,
  makeRows,
  readings,
  setAside,
  setsOf,
  tagLosses,
  tagTask,
} from "./tasks.js";
import { percent, scoreGrid, train, trainingCells, trainingHeadings } from "./training.mjs";

const all = [...tagLosses, ...balancedTagLosses];

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
  for (const { name, options } of all) await run(name, options, rows, options.loss.startsWith("ova"));
  const described = makeRows(parts, readings.descriptions);
  const model = await run(`${answering.tags.name}, no names`, answering.tags.options, described.rows);
  const summary =
    `Tags: ${parts[0].length} packages to train on, ${parts[1].length} for the threshold, ${parts[2].length} held out, ` +
    `${classes.length} tags, ${vocabulary.words.length} words.`;
  return { summary, table, model, vocabulary: described.vocabulary };
}

/** Rank loss or mean average precision of every loss at every C on packages set aside from those to train on. */
export async function chooseTagC(trainPart, grid) {
  const { classes, parts: tagged } = tagTask(trainPart);
  const parts = setAside(tagged[0]);
  const { rows } = makeRows(parts, readings.namesAndDescriptions);
  const labelled = parts.map((part, p) => [rows[p], setsOf(part)]);
  const table = [["loss", ...grid.map((C) => `C ${C}`)]];
  for (const { name, options, metric } of all) {
    const scores = await scoreGrid(name, grid, labelled, { ...options, classes }, metric);
    const shown = metric === "map" ? "mAP" : "rank loss";
    table.push([`${name}, ${shown} %`, ...scores.map((one) => percent(one, 2))]);
  }
  return table;
}
