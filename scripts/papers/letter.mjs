// Letter of PAMI Table 5: the first 10500 rows to train, the next 4500 to choose C for each column, the last 5000 to test.
import { chooseC } from "./chooseC.mjs";
import { descendByGradient } from "./gradientDescent.mjs";
import { letterRows, readings } from "./letterRows.mjs";
import { letter as published } from "./published.mjs";

const ks = [1, 3, 5, 10];
const grid = Array.from({ length: 9 }, (_, e) => 10 ** (e - 5));
const STEPS = [20, 30, 50];

const isTruncated = ({ loss }) => loss === "truncated-topk-entropy";
const parts = (reading) => ({
  train: letterRows(0, 10_500, reading),
  validation: letterRows(10_500, 15_000, reading),
  test: letterRows(15_000, 20_000, reading),
});
const optionsOf = (loss, maxSeconds) => ({
  ...loss,
  intercept: false,
  precision: isTruncated(loss) ? "float64" : "float32", // its tolerance is absolute
  tolerance: 1e-3,
  maxSeconds,
});

export async function runLetter({ log, maxSeconds, wanted }) {
  const data = parts(readings[0]);
  const rows = [];
  for (const [name, loss, figures] of published.filter(wanted)) {
    log(`letter: ${name}`);
    const options = optionsOf(loss, maxSeconds);
    rows.push({ name, published: figures, ...(await chooseC({ options, grid, ks, ...data })) });
  }
  return { ks, grid, maxSeconds, rows };
}

/** Liblinear's own default for one-vs-all: max(0, 1 - z)^2 is 2 gamma times the hinge smoothed by a gamma above every 1 - z. */
const GAMMA = 100;
const squared = { loss: "ova-hinge", gamma: GAMMA };

/** Rows that tell preparations apart, among them both meanings of "SVM" in liblinear. */
export async function runReadings({ log, maxSeconds, wanted }) {
  const asked = ["SVM OVA", "LR OVA", "SVM Multi", "LR Multi", "top-1 SVM, gamma 1", "top-3 SVM, gamma 1"];
  const chosen = published.filter(([name]) => asked.includes(name));
  const methods = [...chosen, ["SVM OVA, squared hinge", squared, chosen.find(([name]) => name === "SVM OVA")[2]]];
  const results = [];
  for (const reading of readings) {
    const data = parts(reading);
    const rows = [];
    for (const [name, loss, figures] of methods.filter(wanted)) {
      log(`readings: ${reading.preparation}, constant: ${reading.constant}, ${name}`);
      const scaled = loss === squared ? grid.map((C) => 2 * GAMMA * C) : grid;
      const options = optionsOf(loss, maxSeconds);
      rows.push({ name, published: figures, ...(await chooseC({ options, grid: scaled, ks, ...data })) });
    }
    results.push({ ...reading, rows });
  }
  return { maxSeconds, results };
}

/** Ent_tr is not convex: where a fit starts, and when it stops, decides what it finds. */
export async function runTruncated({ log, maxSeconds, wanted }) {
  const data = parts(readings[0]);
  const rows = [];
  for (const [name, loss, figures] of published.filter(([, loss]) => isTruncated(loss)).filter(wanted)) {
    log(`truncated: ${name}`);
    const options = optionsOf(loss, maxSeconds);
    const continued = await chooseC({ options, grid, ks, ...data, continued: true });
    const stopped = await descendByGradient({ k: loss.k, grid, ks, steps: STEPS, maxSeconds, ...data });
    rows.push({ name, published: figures, continued, stopped });
  }
  return { maxSeconds, rows };
}
