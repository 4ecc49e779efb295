// node scripts/make-fixture.mjs: writes test/fixtures/model-v<format>.json, a saved model in both forms with what it predicts: of
// format 1 one with weights, of format 2 one with a kernel.
// Once written, a fixture stays: every later version must read it. So the state is made by formulas, not by a fit, and its
// scores by the plain loops below. Where the file exists, it is compared instead.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { outputFiles } = await build({
  stdin: { contents: 'export * from "./src/model/format.ts"; export * from "./src/serialize.ts";', resolveDir: "." },
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
});
const { encodeBytes, encodeJSON } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`
);

const m = 3;
const d = 4;
const n = 5;
const labels = Int32Array.of(0, 1, 2, 1, 0);
/** Fractions that no short decimal number holds, of either sign. */
const fraction = (i) => ((i * 7919) % 101) / 101 - 0.5;
const state = {
  classes: [7, "", "naïve ☃ 𝔸"],
  loss: { name: "topk-hinge", k: 2, gamma: 0.5, variant: "beta" },
  weights: { data: Float32Array.from({ length: m * d }, (_, i) => fraction(i + 1)), rows: m, cols: d },
  intercepts: Float64Array.from({ length: m }, (_, j) => fraction(j + 20) / 3),
  interceptScale: 0.75,
  scaling: {
    kind: "minmax",
    shift: Float64Array.from({ length: d }, (_, l) => fraction(l + 30) * 10),
    factor: Float64Array.from({ length: d }, (_, l) => 1 / (l + 3)),
  },
  certificate: {
    status: "max-epochs",
    epochs: 12,
    primalObjective: 1 / 3,
    dualObjective: -0,
    dualityGap: Infinity,
    relativeGap: Infinity,
    tolerance: 1e-3,
    solveSeconds: 0.25,
    evaluateSeconds: 0.125,
    hint: "scale the features",
  },
  duals: {
    stored: Float32Array.from({ length: n * m }, (_, p) => -Math.abs(fraction(p + 40))),
    truth: { indices: labels },
    costs: Float64Array.from({ length: n }, (_, i) => (i + 1) / 7),
  },
};

const rows = Array.from({ length: 4 }, (_, i) => Array.from({ length: d }, (_, l) => 8 * fraction(5 * i + l + 60)));
const scores = rows.map((row) =>
  state.classes.map((_, j) => {
    let score = 0;
    for (let l = 0; l < d; l++) {
      score += (row[l] - state.scaling.shift[l]) * state.scaling.factor[l] * state.weights.data[j * d + l];
    }
    return score + state.intercepts[j];
  }),
);
const duals = Array.from({ length: n }, (_, i) => [...state.duals.stored.subarray(i * m, (i + 1) * m)]);
duals.forEach((row, i) => {
  row[labels[i]] = 0;
  row[labels[i]] = -row.reduce((sum, value) => sum + value, 0);
});

await write(1, state, { weights: [...state.weights.data], scores });

// Format 2: two sparse support vectors of a polynomial kernel, behind the same scaling.
const vectors = [
  { indices: Uint32Array.of(0, 2), values: Float32Array.of(fraction(80), fraction(81)) },
  { indices: Uint32Array.of(1, 2, 3), values: Float32Array.of(fraction(82), fraction(83), fraction(84)) },
];
const kernel = { name: "poly", gamma: 0.7, degree: 2, coef0: 0.3 };
const coefficients = Float64Array.from({ length: 2 * m }, (_, p) => fraction(p + 90));
const expansion = { kernel, columns: d, precision: "float32", vectors, coefficients };
const kernelScores = rows.map((row) => {
  const x = row.map((v, l) => (v - state.scaling.shift[l]) * state.scaling.factor[l]);
  const out = [...state.intercepts];
  vectors.forEach(({ indices, values }, v) => {
    let product = 0;
    indices.forEach((l, p) => (product += x[l] * values[p]));
    const value = (kernel.gamma * product + kernel.coef0) ** kernel.degree;
    for (let j = 0; j < m; j++) out[j] += value * coefficients[v * m + j];
  });
  return out;
});
await write(2, { ...state, weights: undefined, expansion }, { coefficients: [...coefficients], scores: kernelScores });

async function write(version, saved, { scores, ...numbers }) {
  const path = `test/fixtures/model-v${version}.json`;
  const text = `${JSON.stringify(
    {
      writtenBy: "node scripts/make-fixture.mjs",
      bytes: Buffer.from(encodeBytes(saved)).toString("base64"),
      json: encodeJSON(saved),
      expected: {
        classes: state.classes,
        ...(numbers.weights && { weights: numbers.weights }),
        intercepts: [...state.intercepts],
        ...(numbers.coefficients && { coefficients: numbers.coefficients }),
        duals: duals.flat(),
        rows,
        scores: scores.flat(),
        predict: scores.map((row) => state.classes[row.indexOf(Math.max(...row))]),
      },
    },
    null,
    2,
  )}\n`;
  const existing = await readFile(path, "utf8").catch(() => undefined);
  if (existing === undefined) await writeFile(path, text);
  else if (existing !== text) throw new Error(`${path} would change; what was saved in this format must stay readable`);
  console.log(existing === undefined ? `${path} written` : `${path} is as this build writes it`);
}
