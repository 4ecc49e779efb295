/**
 * npm run bench: this package against the same algorithm in plain JavaScript (bench/baseline), on Letter, in one process.
 *
 *   --repeats N   turns per row (default 5)      --quick   two turns
 *   --json FILE   where the figures go (default bench/results/letter.json)      --readme   the tables into README.md too
 *
 * The two take turns, ours first in even turns and the baseline first in odd ones, after one short fit each that is not
 * counted; turn r has seed r. Two figures:
 *
 *   time per epoch   a fit of a fixed number of epochs minus one of none, its evaluations taken off, divided by the epochs
 *   time to a gap    the wall clock of a whole call that certifies a relative gap of 1e-3: copying in, every evaluation and
 *                    the making of the model included. The orders of visits differ, and so do the epochs needed; both
 *                    evaluate after the same epochs.
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fit } from "../dist/index.js";
import { loadLetter } from "../scripts/lib/letter.mjs";
import { letterModels } from "../scripts/lib/letterModels.mjs";
import { updateReadme } from "../scripts/lib/readme.mjs";
import { describeMachine, machine, markdownTable, textTable } from "../scripts/lib/report.mjs";
import { fitBaseline } from "./baseline/index.mjs";

const { repeats, jsonPath, readme } = readArguments();
const { features, labels } = loadLetter().train;

const contenders = {
  ours: (options) => fit(features, labels, options),
  baseline: async (options) => fitBaseline(features, labels, options),
};

const inFloat64 = new Set(["hinge", "softmax"]);
const problems = [
  ...letterModels.map((model) => ({ ...model, precision: "float32" })),
  ...letterModels.filter(({ name }) => inFloat64.has(name)).map((model) => ({ ...model, precision: "float64" })),
];

const rows = [];
for (const problem of problems) rows.push(await compare(problem));

const facts = machine();
console.log(`\nSeconds to a certified relative gap of 1e-3\n\n${textTable(gapTable(rows))}`);
console.log(`\nMilliseconds per epoch\n\n${textTable(epochTable(rows))}`);
const caption = `Median (min - max) of ${repeats} turns; ratio = baseline / ours, turn by turn.`;
console.log(`\n${caption}\n${describeMachine(facts)}`);
await writeWhole(jsonPath, `${JSON.stringify({ machine: facts, repeats, rows }, null, 2)}\n`);
if (readme) {
  await updateReadme(
    "bench-table",
    `Seconds to a certified relative gap of 1e-3:\n\n${markdownTable(gapTable(rows))}\n\n` +
      `Milliseconds per epoch:\n\n${markdownTable(epochTable(rows))}\n\n` +
      `${caption} ${describeMachine(facts)}; \`npm run readme\` writes these tables.`,
  );
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      repeats: { type: "string" },
      quick: { type: "boolean" },
      json: { type: "string" },
      readme: { type: "boolean" },
    },
  });
  const repeats = values.repeats === undefined ? (values.quick ? 2 : 5) : Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new RangeError(`bench: --repeats must be an integer >= 1, got ${values.repeats}`);
  return {
    repeats,
    readme: values.readme,
    jsonPath: values.json ? resolve(values.json) : fileURLToPath(new URL("results/letter.json", import.meta.url)),
  };
}

async function compare({ name, precision, options }) {
  const epochs = options.loss === "softmax" ? 8 : 24;
  const measured = {
    ours: { secondsPerEpoch: [], secondsToGap: [], epochsToGap: [] },
    baseline: { secondsPerEpoch: [], secondsToGap: [], epochsToGap: [] },
  };
  for (const train of Object.values(contenders)) await train({ ...options, precision, tolerance: 0, maxEpochs: 5 });

  for (let seed = 0; seed < repeats; seed++) {
    process.stderr.write(`bench: ${name}, ${precision}, turn ${seed + 1} of ${repeats}\n`);
    const order = seed % 2 === 0 ? ["ours", "baseline"] : ["baseline", "ours"];
    const certificates = [];
    for (const who of order) {
      const into = measured[who];
      into.secondsPerEpoch.push(await secondsPerEpoch(contenders[who], { ...options, precision, seed }, epochs));
      const began = performance.now();
      const { certificate } = await contenders[who]({ ...options, precision, seed });
      into.secondsToGap.push((performance.now() - began) / 1000);
      into.epochsToGap.push(certificate.epochs);
      if (certificate.status !== "solved") throw new Error(`bench: ${who} ended as ${certificate.status} on ${name}`);
      certificates.push(certificate);
    }
    checkAgreement(name, certificates);
  }

  const summary = {};
  for (const measure of Object.keys(measured.ours)) {
    const ours = summarise(measured.ours[measure]);
    const baseline = summarise(measured.baseline[measure]);
    const ratio = summarise(baseline.values.map((value, turn) => value / ours.values[turn]));
    summary[measure] = { ours, baseline, ratio };
  }
  return { name, precision, options, ...summary };
}

/** Set-up and copying cancel in the difference; evaluations are timed by the certificate. */
async function secondsPerEpoch(train, options, epochs) {
  const sweeps = async (maxEpochs) => {
    const { solveSeconds, evaluateSeconds } = (await train({ ...options, tolerance: 0, maxEpochs })).certificate;
    return solveSeconds - evaluateSeconds;
  };
  const none = await sweeps(0);
  return ((await sweeps(epochs)) - none) / epochs;
}

/** The optimum lies between D and P of either: certificates that contradict each other would make the times worthless. */
function checkAgreement(name, certificates) {
  const atLeast = Math.max(...certificates.map(({ dualObjective }) => dualObjective));
  const atMost = Math.min(...certificates.map(({ primalObjective }) => primalObjective));
  if (atLeast > atMost * (1 + 1e-9))
    throw new Error(`bench: on ${name} one D exceeds the other P: ${atLeast} > ${atMost}`);
}

function summarise(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1), values };
}

function gapTable(rows) {
  const show = spread(2, 1);
  const showRatio = spread(2, 1);
  return [
    ["loss", "precision", "ours", "baseline", "ratio", "epochs, ours", "baseline"],
    ...rows.map(({ name, precision, secondsToGap: t, epochsToGap: e }) => [
      name,
      precision,
      show(t.ours),
      show(t.baseline),
      showRatio(t.ratio),
      e.ours.median.toFixed(0),
      e.baseline.median.toFixed(0),
    ]),
  ];
}

function epochTable(rows) {
  const show = spread(1, 1000);
  const showRatio = spread(2, 1);
  return [
    ["loss", "precision", "ours", "baseline", "ratio"],
    ...rows.map(({ name, precision, secondsPerEpoch: t }) => [
      name,
      precision,
      show(t.ours),
      show(t.baseline),
      showRatio(t.ratio),
    ]),
  ];
}

function spread(digits, unit) {
  const show = (value) => (value * unit).toFixed(digits);
  return ({ median, min, max }) => `${show(median)} (${show(min)} - ${show(max)})`;
}

async function writeWhole(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
}
