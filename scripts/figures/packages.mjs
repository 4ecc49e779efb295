// docs/figures/sections.svg and tags.svg: packages that were held out, by the losses of examples/packages.
import * as Plot from "@observablehq/plot";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { colours, drawFigure } from "../../bench/report/svg.mjs";
import { parsePackages, sectionsOf, splitByDescription } from "../../examples/packages/packages.js";
import {
  labelsOf,
  makeRows,
  readings,
  sectionLosses,
  setsOf,
  tagLosses,
  tagTask,
} from "../../examples/packages/tasks.js";
import { train } from "../../examples/packages/training.mjs";

const KS = Array.from({ length: 10 }, (_, i) => i + 1);
const POINTS = 120;
const palette = [colours.blue, colours.orange, colours.green, colours.violet];
const size = { width: 680, height: 300, marginLeft: 58, marginRight: 14, marginTop: 8, marginBottom: 42 };
const table = new URL("../../examples/packages/packages.tsv.gz", import.meta.url);

/** Of each loss, the accuracy of the first k guesses. */
async function sectionCurves(trainPart, heldOut) {
  const classes = sectionsOf([...trainPart, ...heldOut]);
  const { rows } = makeRows([trainPart, heldOut], readings.namesAndDescriptions);
  const curves = [];
  for (const { name, options } of sectionLosses) {
    const { model } = await train(name, rows[0], labelsOf(trainPart), { ...options, classes });
    const { topKAccuracy } = model.evaluate(rows[1], labelsOf(heldOut), { k: KS });
    curves.push({ name, points: KS.map((k) => ({ k, accuracy: 100 * topKAccuracy[k] })) });
  }
  return curves;
}

/** Of each loss, precision against recall as one threshold for all tags falls: both over all pairs of package and tag. */
async function tagCurves(trainPart, heldOut) {
  const { classes, parts } = tagTask(trainPart, heldOut);
  const { rows } = makeRows(parts, readings.namesAndDescriptions);
  const [sets, heldOutSets] = parts.map(setsOf);
  const curves = [];
  for (const { name, options } of tagLosses) {
    const { model } = await train(name, rows[0], sets, { ...options, classes });
    curves.push({ name, points: precisionByRecall(model.scores(rows[1]), heldOutSets, model.classes) });
  }
  return curves;
}

function precisionByRecall(scores, sets, classes) {
  const m = classes.length;
  const index = new Map(classes.map((tag, j) => [tag, j]));
  const truth = new Uint8Array(scores.length);
  sets.forEach((tags, i) => tags.forEach((tag) => (truth[i * m + index.get(tag)] = 1)));
  const order = Uint32Array.from(scores, (_, e) => e).sort((a, b) => scores[b] - scores[a]);
  const all = truth.reduce((sum, one) => sum + one, 0);
  const points = [];
  let found = 0;
  order.forEach((e, taken) => {
    found += truth[e];
    const recall = found / all;
    if (recall * POINTS < points.length + 1) return;
    points.push({ recall: 100 * recall, precision: (100 * found) / (taken + 1) });
  });
  return points;
}

const axis = (label, domain, ticks) => ({ label, domain, ticks, labelAnchor: "center", labelArrow: "none" });

/** One line for each loss; x and y are columns of its points with their axes. */
function drawCurves(title, curves, [x, xAxis], [y, yAxis]) {
  const panel = {
    ...{ ...size, x: xAxis, y: yAxis },
    marks: [
      Plot.gridX({ ticks: xAxis.ticks, strokeOpacity: 0.14 }),
      Plot.gridY({ ticks: yAxis.ticks, strokeOpacity: 0.14 }),
      Plot.frame({ strokeOpacity: 0.35 }),
      ...curves.map(({ points }, c) => Plot.line(points, { x, y, stroke: palette[c], strokeWidth: 2 })),
    ],
  };
  const legend = curves.map(({ name }, c) => ({ label: name, colour: palette[c] }));
  return drawFigure({ title, legend, rows: [[panel]], width: size.width });
}

const parts = splitByDescription(parsePackages(gunzipSync(readFileSync(table)).toString()));

export const sectionsFigure = async () =>
  drawCurves(
    "Sections of held-out packages: the right one among the first k guesses",
    await sectionCurves(...parts),
    ["k", axis("guesses k", [1, 10], KS)],
    ["accuracy", axis("accuracy, %", [80, 100], [80, 85, 90, 95, 100])],
  );

export const tagsFigure = async () =>
  drawCurves(
    "Tags of held-out packages: precision by recall, one threshold",
    await tagCurves(...parts),
    ["recall", axis("recall, %", [0, 100], [0, 20, 40, 60, 80, 100])],
    ["precision", axis("precision, %", [0, 100], [0, 20, 40, 60, 80, 100])],
  );
