// Which section?: READ FIRST. prepare.js makes rows in a worker, two trainers learn sections and tags, answer.js explains.
import { transfer, wrap } from "comlink";
import { answering, sectionLosses } from "../../examples/packages/tasks.js";
import tableUrl from "../../examples/packages/packages.tsv.gz?url";
import { count, describeCertificate, gapPercent, percent, seconds, signed } from "../lib/format.js";
import { createLivePlot, gapAxis } from "../lib/livePlot.js";
import { createTrainer } from "../lib/trainer.js";
import { bestFive, reached, read } from "./answer.js";
import { drawChart } from "./chart.js";

const KS = [1, 3, 5];
const MOST_TAGS = 8;
const SHOWN_WORDS = 3;
const TOLERANCE = 1e-3;
const EXAMPLES = [
  "a text editor for programmers",
  "read and write PNG images",
  "space shooter for two players",
  "Perl module to parse dates",
  "encrypted chat",
];

const byId = (id) => document.getElementById(id);
const form = byId("settings");
/** In the order of the table. */
const losses = ["hinge", "top-5 hinge", "softmax"].map((name) => sectionLosses.find((one) => one.name === name));

const { prepare, thresholdOf } = wrap(new Worker(new URL("./prepare.js", import.meta.url), { type: "module" }));
const trainers = { sections: createTrainer(), tags: createTrainer() };
const gapPlot = createLivePlot(byId("gap"), {
  x: { label: "seconds", least: 0.5 },
  y: gapAxis(TOLERANCE),
  series: [
    { label: "sections", colour: "a" },
    { label: "tags", colour: "b" },
    { label: "goal: 0.1 %", colour: "soft", dashed: true },
  ],
});

/** What has been learned from the packages chosen: the prepared tasks, a model for each loss, one for the tags. */
let learned = { tasks: undefined, sections: new Map(), tags: undefined };
let controller = new AbortController();
const chosen = () => losses.find(({ name }) => name === form.elements.loss.value);

async function start() {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  learned = { tasks: undefined, sections: new Map(), tags: undefined };
  traces.sections = [];
  traces.tags = [];
  showLosses();
  answer();
  say("Reading the packages.");
  try {
    const tasks = await prepare(new URL(tableUrl, import.meta.url).href, Number(form.elements.share.value));
    if (signal.aborted) return;
    learned.tasks = tasks;
    await Promise.all([learnSections(signal), learnTags(signal)]);
  } catch (error) {
    fail(error, signal);
  }
}

/** Learns the sections with the loss that is chosen, unless that has been done. */
async function learnSections(signal) {
  const { name, options } = chosen();
  if (!learned.tasks || learned.sections.has(name)) return showSections();
  const { rows, labels, classes } = learned.tasks.sections;
  learned.sections.set(name, undefined); // not twice
  showSections();
  const onProgress = traceAnew("sections");
  // Scored in the worker, where it keeps nobody waiting.
  const validation = { features: rows[1], labels: labels[1] };
  const problem = { ...options, classes, tolerance: TOLERANCE, validation };
  const model = await trainers.sections.fit(rows[0], labels[0], { ...problem, onProgress, signal }).catch((error) => {
    learned.sections.delete(name); // the next time it is chosen is another try
    throw error;
  });
  if (signal.aborted) return;
  const { topKAccuracy } = model.history.at(-1).validation[0];
  learned.sections.set(name, { model, accuracies: KS.map((k) => topKAccuracy[k]) });
  showSections();
}

function showSections() {
  showLosses();
  answer();
  const { name } = chosen();
  const certificate = learned.sections.get(name)?.model.certificate;
  if (certificate) say(`${name}: ${describeCertificate(certificate)} It took ${seconds(certificate.solveSeconds)}.`);
  else if (learned.tasks)
    say(`Learning the sections of ${count(learned.tasks.sections.rows[0].rows)} packages: ${name}.`);
}

async function learnTags(signal) {
  const { rows, labels, classes } = learned.tasks.tags;
  const problem = { ...answering.tags.options, classes, tolerance: TOLERANCE };
  const onProgress = traceAnew("tags");
  const model = await trainers.tags.fit(rows[0], labels[0], { ...problem, onProgress, signal });
  if (signal.aborted) return;
  const bytes = model.toBytes();
  const threshold = await thresholdOf(transfer(bytes, [bytes.buffer]));
  if (signal.aborted) return;
  learned.tags = model.withThreshold(threshold);
  answer();
}

const traces = { sections: [], tags: [] };

/** Begins a curve; what a fit before it has still to say is left out. */
function traceAnew(task) {
  const own = (traces[task] = []);
  return (record) => traces[task] === own && trace(task, record);
}

function trace(task, { seconds, relativeGap }) {
  traces[task].push({ seconds, relativeGap });
  const all = Object.values(traces).flat();
  const x = [0, ...new Set(all.map((record) => record.seconds))].sort((a, b) => a - b);
  const column = (records) => {
    const gaps = new Map(records.map((record) => [record.seconds, record.relativeGap]));
    return x.map((second) => gaps.get(second) ?? null);
  };
  gapPlot.show(
    [x, column(traces.sections), column(traces.tags), x.map(() => TOLERANCE)],
    Object.entries(traces)
      .filter(([, records]) => records.length > 0)
      .map(([name, records]) => `The gap of the ${name} is ${gapPercent(records.at(-1).relativeGap)}.`)
      .join(" "),
  );
  if (task === "tags" && !learned.tags)
    byId("tags-status").textContent = `Learning: ${gapPercent(relativeGap)} to gain at most.`;
}

/** Reads the typed description and shows what the models of now say of it. */
function answer() {
  const text = byId("text").value;
  const section = learned.sections.get(chosen().name);
  const sections = section && read(learned.tasks.sections.vocabulary, text);
  const known = sections && sections.row.data.length > 0;
  showWords(sections?.words);
  const answers = known ? bestFive(section.model, learned.tasks.sections.vocabulary, sections.row) : [];
  const hasProbabilities = chosen().options.loss === "softmax";
  fill(
    byId("sections"),
    5,
    answers,
    known && hasProbabilities ? probabilitiesOf(section.model, sections.row) : undefined,
  );
  if (known) drawChart(byId("chart"), answers);
  else byId("chart").replaceChildren();

  const { tags } = learned;
  const tagged = tags && read(learned.tasks.tags.vocabulary, text);
  const given =
    tagged && tagged.row.data.length > 0 ? reached(tags, learned.tasks.tags.vocabulary, tagged.row, MOST_TAGS) : [];
  fill(byId("tags"), MOST_TAGS, given, given.length > 0 ? probabilitiesOf(tags, tagged.row) : undefined);
  if (!tags) byId("tags-status").textContent = "Being learned.";
  else {
    byId("tags-status").textContent =
      given.length === 0
        ? `No tag reaches the threshold, ${signed(tags.threshold, 2)}.`
        : `${describeCertificate(tags.certificate)} Shown are those that reach the threshold, ${signed(tags.threshold, 2)}, ${MOST_TAGS} at most.`;
  }
}

function probabilitiesOf(model, row) {
  const probabilities = model.probabilities(row);
  return new Map(model.classes.map((label, j) => [label, probabilities[j]]));
}

function showWords(found) {
  const place = byId("read");
  if (!found) {
    place.textContent = "Still learning.";
    return;
  }
  if (found.length === 0) {
    place.textContent = "Type a description above.";
    return;
  }
  place.replaceChildren("Words read: ");
  found.forEach(({ word, known }, i) => {
    const shown = document.createElement(known ? "b" : "s");
    shown.textContent = word;
    place.append(i > 0 ? " " : "", shown);
  });
  if (found.some(({ known }) => !known)) place.append(" (struck out: never seen in training)");
}

/** A table of answers, two rows each; it always has room for `most`, so that the page keeps its shape. */
function fill(table, most, answers, probabilities) {
  const body = table.tBodies[0];
  body.replaceChildren();
  for (let i = 0; i < most; i++) {
    const { label, score, parts } = answers[i] ?? {};
    const figures = body.insertRow();
    const spoke = body.insertRow();
    figures.innerHTML = '<th scope="row"></th><td class="number"></td><td class="number"></td>';
    spoke.innerHTML = '<td colspan="3"></td>';
    for (const row of [figures, spoke]) row.classList.toggle("empty", !label);
    spoke.classList.add("words");
    if (!label) continue;
    figures.cells[0].textContent = label;
    figures.cells[1].textContent = signed(score, 2);
    figures.cells[2].textContent = probabilities ? percent(probabilities.get(label)) : "–";
    spoke.cells[0].textContent = parts
      .slice(0, SHOWN_WORDS)
      .map(({ word, value }) => `${word} ${signed(value, 1, "+")}`)
      .join(", ");
  }
}

function showLosses() {
  losses.forEach(({ name }, r) => {
    const done = learned.sections.get(name);
    const row = byId("losses").tBodies[0].rows[r];
    row.classList.toggle("current", name === chosen().name);
    const cells = KS.map((_, i) => (done ? percent(done.accuracies[i]) : "–"));
    cells.forEach((text, j) => (row.cells[j + 1].textContent = text));
  });
}

function say(text) {
  byId("status").classList.remove("error");
  byId("status").textContent = text;
}

function fail(error, signal) {
  if (signal.aborted) return;
  byId("status").classList.add("error");
  byId("status").textContent = `This did not work: ${error.message}`;
}

byId("examples").replaceChildren(
  ...EXAMPLES.map((text) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      byId("text").value = text;
      answer();
    });
    return button;
  }),
);
byId("text").addEventListener("input", answer);
byId("share").addEventListener("change", start);
form.addEventListener("submit", (event) => event.preventDefault());
for (const radio of form.elements.loss) {
  radio.addEventListener("change", () => {
    const { signal } = controller;
    learnSections(signal).catch((error) => fail(error, signal));
  });
}
new ResizeObserver(answer).observe(byId("chart"));
start();
