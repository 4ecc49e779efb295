// Which section?: READ FIRST. prepare.js makes rows in a worker, two trainers learn sections and tags, answer.js explains.
import { transfer } from "comlink";
import tableUrl from "../../examples/packages/packages.tsv.gz?url";
import { answering, sectionLosses } from "../../examples/packages/tasks.js";
import { count, describeCertificate, gapPercent, percent, seconds, signed } from "../lib/format.js";
import { createLivePlot, gapAxis, gapColumns } from "../lib/livePlot.js";
import { createRemote } from "../lib/remote.js";
import { createTrainer } from "../lib/trainer.js";
import { bestFive, reached, read } from "./answer.js";
import { drawChart } from "./chart.js";

const KS = [1, 3, 5];
const MOST_TAGS = 8;
const SHOWN_WORDS = 3;
const TOLERANCE = 1e-3;
/** What the plot has room for at the least. */
const SECONDS = 0.5;
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

const preparer = createRemote(new Worker(new URL("./prepare.js", import.meta.url), { type: "module" }));
const trainers = { sections: createTrainer(), tags: createTrainer() };
const gapPlot = createLivePlot(byId("gap"), {
  x: { label: "seconds", least: SECONDS },
  y: gapAxis(TOLERANCE),
  series: [
    { label: "sections", colour: "a" },
    { label: "tags", colour: "b" },
    { label: `goal: ${gapPercent(TOLERANCE)}`, colour: "soft", dashed: true },
  ],
});

/**
 * What is learned from the packages chosen: the prepared tasks, the sections by loss, the tags. Each that is learned has the records
 * of its training, then its model, and whether that has failed.
 */
const nothing = () => ({ tasks: undefined, failed: false, sections: new Map(), tags: { records: [] } });
let learned = nothing();
let controller = new AbortController();
const chosen = () => losses.find(({ name }) => name === form.elements.loss.value);
const chosenSections = () => learned.sections.get(chosen().name);

async function start() {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  learned = nothing();
  showLosses();
  answer();
  drawGaps();
  say("Reading the packages.");
  try {
    const share = Number(form.elements.share.value);
    const tasks = await preparer.call("prepare", new URL(tableUrl, import.meta.url).href, share);
    if (signal.aborted) return;
    learned.tasks = tasks;
  } catch (error) {
    return fail(learned, error, signal);
  }
  learnSections(signal);
  learnTags(signal);
}

/** Learns the sections with the loss that is chosen, unless that has been done or is under way. */
async function learnSections(signal) {
  const { name, options } = chosen();
  const known = learned.sections.get(name);
  if (!learned.tasks || (known && !known.failed)) return showSections();
  const { rows, labels, classes } = learned.tasks.sections;
  const own = { records: [] };
  learned.sections.set(name, own);
  showSections();
  // Scored in the worker, where it keeps nobody waiting.
  const validation = { features: rows[1], labels: labels[1] };
  const problem = { ...options, classes, tolerance: TOLERANCE, validation };
  const onProgress = tracing(own, signal);
  try {
    const model = await trainers.sections.fit(rows[0], labels[0], { ...problem, onProgress, signal });
    if (signal.aborted) return;
    const { topKAccuracy } = model.history.at(-1).validation[0];
    Object.assign(own, { model, accuracies: KS.map((k) => topKAccuracy[k]) });
    showSections();
  } catch (error) {
    fail(own, error, signal);
  }
}

function showSections() {
  showLosses();
  answer();
  drawGaps();
  const { name } = chosen();
  const certificate = chosenSections()?.model?.certificate;
  if (certificate) say(`${name}: ${describeCertificate(certificate)} It took ${seconds(certificate.solveSeconds)}.`);
  else if (learned.tasks)
    say(`Learning the sections of ${count(learned.tasks.sections.rows[0].rows)} packages: ${name}.`);
}

async function learnTags(signal) {
  const { tags: own, tasks } = learned;
  const { rows, labels, classes } = tasks.tags;
  const problem = { ...answering.tags.options, classes, tolerance: TOLERANCE };
  const onProgress = tracing(own, signal);
  try {
    const model = await trainers.tags.fit(rows[0], labels[0], { ...problem, onProgress, signal });
    if (signal.aborted) return;
    const bytes = model.toBytes();
    const threshold = await preparer.call("thresholdOf", transfer(bytes, [bytes.buffer]), rows[1], labels[1]);
    if (signal.aborted) return;
    own.model = model.withThreshold(threshold);
    answer();
  } catch (error) {
    fail(own, error, signal);
  }
}

/** Keeps the records of a training, also while the curve of another is shown. */
const tracing = (own, signal) => (record) => {
  if (signal.aborted) return;
  own.records.push(record);
  drawGaps();
  if (own === learned.tags) showTagsStatus();
};

function drawGaps() {
  const traces = { sections: chosenSections()?.records ?? [], tags: learned.tags.records };
  gapPlot.show(
    gapColumns(Object.values(traces), [0, SECONDS], TOLERANCE),
    Object.entries(traces)
      .filter(([, records]) => records.length > 0)
      .map(([name, records]) => `The gap of the ${name} is ${gapPercent(records.at(-1).relativeGap)}.`)
      .join(" "),
  );
}

/** Reads the typed description and shows what the models of now say of it. */
function answer() {
  const text = byId("text").value;
  const section = chosenSections();
  const sections = section?.model && read(learned.tasks.sections.vocabulary, text);
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

  const tags = learned.tags.model;
  const tagged = tags && read(learned.tasks.tags.vocabulary, text);
  const given =
    tagged && tagged.row.data.length > 0 ? reached(tags, learned.tasks.tags.vocabulary, tagged.row, MOST_TAGS) : [];
  fill(byId("tags"), MOST_TAGS, given, given.length > 0 ? probabilitiesOf(tags, tagged.row) : undefined);
  showTagsStatus(given.length, tagged?.row.data.length === 0);
}

/** How far the learning of the tags has come, and then whether there are any of them. */
function showTagsStatus(given, nothingKnown) {
  const { model, records, failed } = learned.tags;
  const said = () => {
    if (learned.failed || failed) return "Could not be learned.";
    if (!model && records.length > 0) return `Learning: ${gapPercent(records.at(-1).relativeGap)} to gain at most.`;
    if (!model) return "Being learned.";
    const threshold = signed(model.threshold, 2);
    if (nothingKnown) return `${describeCertificate(model.certificate)} There is no word to go by.`;
    if (given === 0) return `No tag reaches the threshold, ${threshold}.`;
    return `${describeCertificate(model.certificate)} Shown are those that reach the threshold, ${threshold}, ${MOST_TAGS} at most.`;
  };
  byId("tags-status").textContent = said();
}

function probabilitiesOf(model, row) {
  const probabilities = model.probabilities(row);
  return new Map(model.classes.map((label, j) => [label, probabilities[j]]));
}

function showWords(found) {
  const place = byId("read");
  if (!found) {
    place.textContent = learned.failed || chosenSections()?.failed ? "Could not be learned." : "Still learning.";
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
  if (!found.some(({ known }) => known)) place.append(" (none was seen in training: there is no answer)");
  else if (found.some(({ known }) => !known)) place.append(" (struck out: never seen in training)");
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
    const accuracies = learned.sections.get(name)?.accuracies;
    const row = byId("losses").tBodies[0].rows[r];
    row.classList.toggle("current", name === chosen().name);
    const cells = KS.map((_, i) => (accuracies ? percent(accuracies[i]) : "–"));
    cells.forEach((text, j) => (row.cells[j + 1].textContent = text));
  });
}

function say(text) {
  byId("status").classList.remove("error");
  byId("status").textContent = text;
}

/** Says what did not work, above and in place of what `own` would have been. */
function fail(own, error, signal) {
  if (signal.aborted) return;
  own.failed = true;
  answer();
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
  radio.addEventListener("change", () => learnSections(controller.signal));
}
new ResizeObserver(answer).observe(byId("chart"));
start();
