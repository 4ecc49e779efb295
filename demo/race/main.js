// Race: READ FIRST. One problem, two programs in workers (runners.js), two curves and the ratio of their times.
import { lossById } from "../../bench/losses.mjs";
import { prototypes } from "../../bench/workloads/prototypes.mjs";
import { count, gapPercent, seconds } from "../lib/format.js";
import { createLivePlot, gapAxis } from "../lib/livePlot.js";
import { runners } from "./runners.js";

const MAX_SECONDS = 60;
const SEED = 1;
const names = { package: "WebAssembly", baseline: "plain JavaScript" };
const colours = { package: "a", baseline: "b" };

const byId = (id) => document.getElementById(id);
const form = byId("settings");

byId("cores").textContent = String(navigator.hardwareConcurrency);

let plot;
let race; // the one that runs, or ran last

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
  byId("gap").querySelector(".plot").replaceChildren();
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
  race?.stop();
  const settings = readSettings();
  const own = { traces: { package: [], baseline: [] }, certificates: {}, programs: [], stopped: false };
  own.stop = () => {
    own.stopped = true;
    own.programs.forEach((program) => program.stop());
  };
  race = own;
  byId("stop").disabled = false;
  byId("start").disabled = true;
  preparePlot(settings.tolerance);
  Object.keys(names).forEach((who) => showColumn(who, "waiting"));
  say("Making the data.");
  await new Promise((resolve) => setTimeout(resolve, 30)); // shows that
  const { n, d, m } = settings.shape;
  const { data, labels } = prototypes({ n, d, m, seed: SEED });
  const problem = { features: { data, rows: n, cols: d }, labels };
  const options = {
    ...settings.loss.options,
    ...{ C: 1, intercept: false, precision: "float32", tolerance: settings.tolerance },
    ...{ maxEpochs: 100_000, maxSeconds: MAX_SECONDS },
  };

  try {
    const [wasm, plain] = await Promise.all([runners.package(), runners.baseline()]);
    own.programs.push(wasm, plain);
    if (own.stopped) return own.stop();
    say(`${count(n)} examples, ${d} numbers each, ${m} kinds, ${settings.loss.name}: running.`);
    const legs = [() => runOne(own, "package", wasm), () => runOne(own, "baseline", plain)];
    if (settings.inTurns) for (const leg of legs) await leg();
    else await Promise.all(legs.map((leg) => leg()));
    if (own.stopped) return;
    say(verdict(own.certificates));
  } catch (error) {
    if (own.stopped) return;
    byId("status").classList.add("error");
    byId("status").textContent = `This did not work: ${error.message}`;
  }
  own.stop();
  byId("stop").disabled = true;
  byId("start").disabled = false;

  async function runOne(own, who, program) {
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

function draw(traces, tolerance) {
  const all = Object.values(traces).flat();
  const x = [0, ...new Set(all.map((record) => record.seconds))].sort((a, b) => a - b);
  const columns = Object.values(traces).map((records) => {
    const gaps = new Map(records.map((record) => [record.seconds, record.relativeGap]));
    return x.map((second) => gaps.get(second) ?? null);
  });
  const texts = Object.entries(traces)
    .filter(([, records]) => records.length > 0)
    .map(
      ([who, records]) =>
        `${names[who]}: gap ${gapPercent(records.at(-1).relativeGap)} after ${seconds(records.at(-1).seconds)}.`,
    );
  plot.show([x, ...columns, x.map(() => tolerance)], texts.join(" "));
}

/** Who was faster, how much, and whether both got there. */
function verdict({ package: wasm, baseline: plain }) {
  const ratio = plain.solveSeconds / wasm.solveSeconds;
  const times = `${seconds(wasm.solveSeconds)} against ${seconds(plain.solveSeconds)}`;
  if (wasm.status !== "solved") return `WebAssembly was not solved (${wasm.status}): ${times}, no ratio.`;
  if (plain.status !== "solved") {
    return `WebAssembly solved, plain JavaScript not (${plain.status}): ${times}, more than ${ratio.toFixed(1)} times faster.`;
  }
  return ratio >= 1
    ? `Both solved: WebAssembly was ${ratio.toFixed(1)} times faster, ${times}.`
    : `Both solved: WebAssembly was ${(1 / ratio).toFixed(1)} times slower, ${times}.`;
}

function say(text) {
  byId("status").classList.remove("error");
  byId("status").textContent = text;
}

byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", () => {
  race.stop();
  Object.keys(names).forEach((who) => {
    if (!race.certificates[who]) showColumn(who, "stopped", race.traces[who].at(-1));
  });
  byId("stop").disabled = true;
  byId("start").disabled = false;
  say("Stopped.");
});
form.addEventListener("submit", (event) => event.preventDefault());
Object.keys(names).forEach((who) => showColumn(who, "–"));
preparePlot(readSettings().tolerance);
plot.show(
  [[0, 0.1], [null, null], [null, null], [1, 1].map(() => readSettings().tolerance)],
  "No race has been run yet.",
);
