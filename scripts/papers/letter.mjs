// Letter of PAMI Table 5: the first 10500 rows to train, the next 4500 to choose C for each column, the last 5000 to test.
import { loadLetter } from "../lib/letter.mjs";
import { chooseC } from "./chooseC.mjs";
import { letter as published } from "./published.mjs";

const ks = [1, 3, 5, 10];
const grid = Array.from({ length: 9 }, (_, e) => 10 ** (e - 5));

export async function runLetter({ log, maxSeconds, wanted }) {
  const { train: both, test } = loadLetter();
  const part = (from, to) => ({
    features: {
      data: both.features.data.subarray(from * both.features.cols, to * both.features.cols),
      rows: to - from,
      cols: both.features.cols,
    },
    labels: both.labels.slice(from, to),
  });
  const data = { train: part(0, 10_500), validation: part(10_500, 15_000), test };
  const rows = [];
  for (const [name, loss, figures] of published.filter(wanted)) {
    log(`letter: ${name}`);
    // The constant feature is among the columns.
    const precision = loss.loss.startsWith("truncated") ? "float64" : "float32"; // its tolerance is absolute
    const options = { ...loss, intercept: false, precision, tolerance: 1e-3, maxSeconds };
    rows.push({ name, published: figures, ...(await chooseC({ options, grid, ks, ...data })) });
  }
  return { ks, grid, maxSeconds, rows };
}
