// Race: READ FIRST. One problem, two programs in workers (runners.js), two curves and the ratio of their times.
import { lossById } from "../../bench/losses.mjs";
import { count, gapPercent, seconds } from "../lib/format.js";
import { createLivePlot, gapAxis, gapColumns } from "../lib/livePlot.js";
import { createMaker, runners } from "./runners.js";

const MAX_SECONDS = 60;
const SEED = 1;
const names = { package: "topk-sdca", baseline: "plain SDCA" };
const colours = { package: "a", baseline: "b" };

const byId = (id) => document.getElementById(id);
const form = byId("settings");

byId("cores").textContent = String(navigator.hardwareConcurrency);

let plot;
let race; // the one that runs, or ran last
let running = false;

/** Not by `disabled`, as a button that has the focus would lose it: a press would put those who use keys back at the top. */
function setRunning(now) {
  running = now;
  byId("start").setAttribute("aria-disabled", String(running));
  byId("stop").setAttribute("aria-disabled", String(!running));
}

function readSettings() {
  const { n, d, m, loss, tolerance, order } = form.elements;
  return {
    shape: { n: Number(n.value), d: Number(d.value), m: Number(m.value) },
    loss: lossById(loss.value),
    tolerance: Number(tolerance.value),
    inTurns: order.value === "turns",
  };
}

function preparePlot(tolerance) {
  plot?.destroy();
  plot = createLivePlot(byId("gap"), {
    x: { label: "seconds", least: 0.1 },
    y: gapAxis(tolerance),
    series: [
      ...Object.keys(names).map((who) => ({ label: names[who], colour: colours[who] })),
      { label: `goal: ${gapPercent(tolerance)}`, colour: "soft", dashed: true },
    ],
  });
}

/** Fills one column of the table, top to bottom. */
function showColumn(who, status, record) {
  const figures = record
    ? [
        seconds(record.seconds),
        count(record.epoch),
        gapPercent(record.relativeGap),
        record.primalObjective.toPrecision(6),
      ]
    : ["–", "–", "–", "–"];
  const column = 1 + Object.keys(names).indexOf(who);
  const { rows } = byId("results").tBodies[0];
  [status, ...figures].forEach((text, r) => (rows[r].cells[column].textContent = text));
}

async function start() {
  if (running) return;
  const settings = readSettings();
  const own = { traces: { package: [], baseline: [] }, certificates: {}, workers: [], stopped: false };
  own.stop = () => {
    own.stopped = true;
    own.workers.forEach((worker) => worker.stop());
  };
  race = own;
  setRunning(true);
  preparePlot(settings.tolerance);
  Object.keys(names).forEach((who) => showColumn(who, "waiting"));
  say("Making the data.");
  const { n, d, m } = settings.shape;
  const options = {
    ...settings.loss.options,
    ...{ C: 1, intercept: false, precision: "float32", tolerance: settings.tolerance },
    ...{ maxEpochs: 100_000, maxSeconds: MAX_SECONDS },
  };

  try {
    const [maker, wasm, plain] = (own.workers = [createMaker(), runners.package(), runners.baseline()]);
    const made = maker.make({ n, d, m, seed: SEED });
    const [{ data, labels }] = await Promise.all([made, wasm.ready, plain.ready]);
    if (own.stopped) return;
    maker.stop();
    own.workers = [wasm, plain];
    const problem = { features: { data, rows: n, cols: d }, labels };
    say(`${count(n)} examples, ${d} numbers each, ${m} kinds, ${settings.loss.name}: running.`);
    const legs = [() => runOne("package", wasm, problem), () => runOne("baseline", plain, problem)];
    if (settings.inTurns) for (const leg of legs) await leg();
    else await Promise.all(legs.map((leg) => leg()));
    if (own.stopped) return;
    end();
    say(verdict(own.certificates));
  } catch (error) {
    if (own.stopped) return;
    end("failed");
    byId("status").classList.add("error");
    byId("status").textContent = `This did not work: ${error.message}`;
  }

  async function runOne(who, program, problem) {
    const show = (status, record) => {
      own.traces[who].push(record);
      showColumn(who, status, record);
      draw(own.traces, settings.tolerance);
    };
    showColumn(who, "running");
    const certificate = await program.run(problem, options, (record) => {
      // Progress takes another way than the result, and may come after it.
      if (!own.stopped && !own.certificates[who]) show("running", record);
    });
    if (own.stopped) return;
    own.certificates[who] = certificate;
    show(certificate.status, { ...certificate, seconds: certificate.solveSeconds, epoch: certificate.epochs });
  }
}

/** Ends the race; of a program that has not got there the table says why. */
function end(why) {
  race.stop();
  Object.keys(names).forEach((who) => {
    if (!race.certificates[who]) showColumn(who, why, race.traces[who].at(-1));
  });
  setRunning(false);
}

function draw(traces, tolerance) {
  const texts = Object.entries(traces)
    .filter(([, records]) => records.length > 0)
    .map(
      ([who, records]) =>
        `${names[who]}: gap ${gapPercent(records.at(-1).relativeGap)} after ${seconds(records.at(-1).seconds)}.`,
    );
  plot.show(gapColumns(Object.values(traces), [0], tolerance), texts.join(" "));
}

/** Who was faster, how much, and whether both got there. */
function verdict({ package: wasm, baseline: plain }) {
  const ratio = plain.solveSeconds / wasm.solveSeconds;
  const times = `${seconds(wasm.solveSeconds)} against ${seconds(plain.solveSeconds)}`;
  if (wasm.status !== "solved") return `topk-sdca did not reach the goal (${wasm.status}): ${times}, no ratio.`;
  if (plain.status !== "solved") {
    return `topk-sdca reached the goal, plain SDCA in JavaScript did not (${plain.status}): ${times}, more than ${ratio.toFixed(1)} times faster.`;
  }
  return ratio >= 1
    ? `Both reached the goal: topk-sdca was ${ratio.toFixed(1)} times faster, ${times}.`
    : `Both reached the goal: topk-sdca was ${(1 / ratio).toFixed(1)} times slower, ${times}.`;
}

function say(text) {
  byId("status").classList.remove("error");
  byId("status").textContent = text;
}

byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", () => {
  if (!running) return;
  end("stopped");
  say("Stopped.");
});
form.addEventListener("submit", (event) => event.preventDefault());
Object.keys(names).forEach((who) => showColumn(who, "–"));
preparePlot(readSettings().tolerance);
plot.show(
  [[0, 0.1], [null, null], [null, null], [1, 1].map(() => readSettings().tolerance)],
  "No race has been run yet.",
);
say("Ready.");
