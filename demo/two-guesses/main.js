// Two guesses: READ FIRST. The controls choose a loss, training.js trains in a worker, ring.js draws what it guesses.
import { createRandom } from "../../bench/workloads/random.mjs";
import { describeCertificate, gapPercent, percent } from "../lib/format.js";
import { createLivePlot, gapAxis } from "../lib/livePlot.js";
import { createTrainer } from "../lib/trainer.js";
import { accuracy, bestAccuracy, CLASSES, drawPoints, rankGrid, toFeatures } from "./circle.js";
import { makeEditable } from "./editing.js";
import { createRing } from "./ring.js";
import { watchedFit } from "./training.js";

const POINTS = 200;
const TOLERANCE = 1e-3;
const MAX_PASSES = 20_000;
const PAUSE_MILLISECONDS = 90;
const GAMMAS = [0, 0.01, 0.1, 1, 10];

const byId = (id) => document.getElementById(id);
const form = byId("settings");
const svg = byId("circle");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** What the page calls a loss, and its options of fit, in the order of the table. */
const variants = [
  { name: "hinge", loss: "hinge", k: 1, options: { loss: "hinge" } },
  { name: "top-2 hinge", loss: "hinge", k: 2, options: { loss: "topk-hinge", k: 2 } },
  { name: "softmax (entropy)", loss: "entropy", k: 1, options: { loss: "softmax" } },
  { name: "top-2 entropy", loss: "entropy", k: 2, options: { loss: "topk-entropy", k: 2 } },
];

function readSettings() {
  const { k, loss, c, gamma } = form.elements;
  const variant = variants.find((one) => one.loss === loss.value && one.k === Number(k.value));
  const C = 10 ** Number(c.value);
  const smooth = GAMMAS[Number(gamma.value)];
  gamma.disabled = variant.loss !== "hinge";
  form.querySelector("output[for=c]").value = String(Number(C.toPrecision(2)));
  form.querySelector("output[for=gamma]").value = String(smooth);
  c.ariaValueText = String(Number(C.toPrecision(2))); // the sliders' own values are an exponent and a place in a list
  gamma.ariaValueText = String(smooth);
  return { variant, options: { ...variant.options, C, ...(variant.loss === "hinge" && { gamma: smooth }) } };
}

const points = [];
/** A typical draw: with hinge and top-2 hinge its accuracies are close to the medians over the seeds 1 to 30. */
let seed = 7;
function renewPoints() {
  points.splice(0, points.length, ...drawPoints(POINTS, createRandom(seed++).uniform));
}
renewPoints();

const ring = createRing(svg);
const say = (text) => {
  byId("status").classList.remove("error");
  byId("status").textContent = text;
};
const editor = makeEditable(svg, ring, {
  points,
  mode: () => byId("editing").elements.mode.value,
  changed: () => trainSoon(),
  say: (text) => (byId("edits").textContent = text),
});

const best = [1, 2].map(bestAccuracy);
const accuracyPlot = createLivePlot(byId("accuracy"), {
  x: { label: "passes over the points", least: 5 },
  y: { range: [0.2, 1.02], splits: [0.2, 0.4, 0.6, 0.8, 1], format: (value) => percent(value, 0) },
  series: [
    { label: "first guess", colour: "a" },
    { label: "one of two", colour: "b" },
    { label: `best possible: ${percent(best[0])}`, colour: "a", dashed: true },
    { label: `best possible: ${percent(best[1])}`, colour: "b", dashed: true },
  ],
});
const gapPlot = createLivePlot(byId("gap"), {
  x: { label: "passes over the points", least: 5 },
  y: gapAxis(TOLERANCE),
  series: [
    { label: "gap", colour: "a" },
    { label: `goal: ${gapPercent(TOLERANCE)}`, colour: "soft", dashed: true },
  ],
});

const rows = new Map(variants.map((variant, r) => [variant, byId("results").tBodies[0].rows[r]]));

const trainer = createTrainer();
let controller = new AbortController();

async function train() {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const { variant, options } = readSettings();
  rows.forEach((row, one) => row.classList.toggle("current", one === variant));
  if (points.length === 0) {
    ring.showNothing();
    svg.removeAttribute("aria-busy");
    return say("There are no points to learn from: add some.");
  }
  say(`Training ${variant.name}.`);
  svg.setAttribute("aria-busy", "true");

  const trace = { passes: [], first: [], second: [], gap: [] };
  const features = toFeatures(points.map(({ turns }) => turns));
  const labels = points.map(({ label }) => label);
  const problem = { ...options, classes: CLASSES, intercept: false, tolerance: TOLERANCE };
  try {
    let last;
    for await (const step of watchedFit(trainer, features, labels, { ...problem, maxPasses: MAX_PASSES, signal })) {
      last = step;
      show(step, trace);
      if (!calm.matches) await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
      if (signal.aborted) return;
    }
    if (!last || signal.aborted) return;
    const [first, second, passes] = [trace.first.at(-1), trace.second.at(-1), trace.passes.at(-1)];
    [percent(first), percent(second), String(passes)].forEach((text, j) => {
      rows.get(variant).cells[j + 1].textContent = text;
    });
    say(
      `${variant.name}: ${describeCertificate({ ...last.model.certificate, epochs: passes })} ` +
        `First guess right: ${percent(first)}; one of two: ${percent(second)}.`,
    );
    svg.removeAttribute("aria-busy");
  } catch (error) {
    if (signal.aborted) return;
    byId("status").classList.add("error");
    byId("status").textContent = `This cannot be trained: ${error.message}`;
    svg.removeAttribute("aria-busy");
  }
}

function show({ model, passes }, trace) {
  const ranks = rankGrid(model);
  const [first, second] = [1, 2].map((k) => accuracy(ranks, k));
  const { relativeGap } = model.certificate;
  trace.passes.push(passes);
  trace.first.push(first);
  trace.second.push(second);
  trace.gap.push(relativeGap);

  ring.showGuesses(ranks);
  ring.showFigures(percent(first), percent(second));
  // The lines of what is possible reach from edge to edge, also before the first pass.
  const x = [0, ...trace.passes];
  const level = (value) => x.map(() => value);
  accuracyPlot.show(
    [x, [null, ...trace.first], [null, ...trace.second], level(best[0]), level(best[1])],
    `After ${passes} passes the first guess is right at ${percent(first)}, one of two at ${percent(second)}; ` +
      `the best possible are ${best.map((value) => percent(value)).join(" and ")}.`,
  );
  gapPlot.show(
    [x, [null, ...trace.gap], level(TOLERANCE)],
    `After ${passes} passes the relative gap is ${percent(relativeGap, 2)}; the goal is ${gapPercent(TOLERANCE)}.`,
  );
}

/** While a point is dragged or a slider moved, a training that starts at each step would show nothing. */
let timer;
function trainSoon() {
  clearTimeout(timer);
  timer = setTimeout(train, 120);
}

form.addEventListener("input", () => {
  readSettings();
  trainSoon();
});
byId("again").addEventListener("click", train);
byId("fresh").addEventListener("click", () => {
  renewPoints();
  byId("edits").textContent = `${POINTS} points.`;
  rows.forEach((row) => [1, 2, 3].forEach((j) => (row.cells[j].textContent = "–")));
  editor.renew();
  train();
});
train();
