// Rows of the Letter data in the ways that a text which does not say how it prepares them can be read.
import { loadLetter } from "../lib/letter.mjs";

const MEASURED = 16;
const { train, test } = loadLetter();

const column = ({ features: { data, rows, cols } }, j) => Array.from({ length: rows }, (_, i) => data[i * cols + j]);

/** Mean and standard deviation of each feature over the first 15000 rows. */
const moments = Array.from({ length: MEASURED }, (_, j) => {
  const values = column(train, j);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) };
});

/** Least and greatest value of each feature over all 20000 rows: of one they are not those of the first 15000. */
const ranges = Array.from({ length: MEASURED }, (_, j) => {
  const values = [...column(train, j), ...column(test, j)];
  return { least: Math.min(...values), greatest: Math.max(...values) };
});
const inRange = (value, { least, greatest }) => (value - least) / (greatest - least);

const norm = (row) => Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));

/** What becomes of a row as `loadLetter` gives it, which is "[-1, 1] by 15000". */
const preparations = {
  "[-1, 1] by 20000": (row) => row.map((value, j) => 2 * inRange(value, ranges[j]) - 1),
  "[-1, 1] by 15000": (row) => row,
  "[0, 1] by 20000": (row) => row.map((value, j) => inRange(value, ranges[j])),
  "[0, 1], then unit rows": (row) => {
    const shifted = row.map((value, j) => inRange(value, ranges[j]));
    const length = norm(shifted);
    return shifted.map((value) => value / length);
  },
  standardised: (row) => row.map((value, j) => (value - moments[j].mean) / moments[j].deviation),
};

/** Those of HK20's block; its text, like PAMI's, says d = 16, and nothing of a constant. */
export const byTrainingRows = [false, true].map((constant) => ({ preparation: "[-1, 1] by 15000", constant }));

/** The first is that of PAMI's block: LIBSVM's Letter, which it took, is scaled to [-1, 1] and has 16 features. */
export const readings = [
  { preparation: "[-1, 1] by 20000", constant: false },
  ...byTrainingRows,
  { preparation: "[0, 1] by 20000", constant: false },
  { preparation: "[0, 1], then unit rows", constant: false },
  { preparation: "standardised", constant: false },
];

/** Rows [from, to) of all 20000, in the original order. */
export function letterRows(from, to, { preparation, constant }) {
  const prepare = preparations[preparation];
  const cols = MEASURED + (constant ? 1 : 0);
  const data = new Float64Array((to - from) * cols);
  const labels = [];
  for (let i = from; i < to; i++) {
    const [part, place] = i < train.features.rows ? [train, i] : [test, i - train.features.rows];
    const start = place * part.features.cols;
    data.set(prepare(part.features.data.subarray(start, start + MEASURED)), (i - from) * cols);
    if (constant) data[(i - from) * cols + MEASURED] = 1;
    labels.push(part.labels[place]);
  }
  return { features: { data, rows: to - from, cols }, labels };
}
