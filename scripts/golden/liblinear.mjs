// Writes test/golden/liblinear.json: the weights that liblinear finds on two small data sets, with the command and the
// version that made them. Needs `liblinear-train` (Debian: apt-get install liblinear-tools); the tests do not.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import { uniforms } from "../lib/uniforms.mjs";

const OUT = new URL("../../test/golden/liblinear.json", import.meta.url);

/** liblinear's solvers whose objective is one of ours: 1/2 ||W||^2 + C sum of the losses, the bias a feature like the others. */
const SOLVERS = [
  { s: 3, loss: "ova-hinge", epsilon: 1e-10 },
  { s: 0, loss: "ova-logistic", epsilon: 1e-10 },
  { s: 7, loss: "ova-logistic", epsilon: 1e-10 },
  { s: 4, loss: "hinge", epsilon: 1e-10 },
];
const COSTS = [1, 0.1];
const DATA = [
  { name: "200 x 5, 4 classes", n: 200, d: 5, m: 4, noise: 1, seed: 1 },
  { name: "120 x 4, 3 classes that overlap", n: 120, d: 4, m: 3, noise: 1.5, seed: 2 },
];

/** Points around class means, in thousandths, with a constant last feature; the classes first appear in the order 0, 1, ... */
function clouds({ name, n, d, m, noise, seed }) {
  const next = uniforms(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const means = Array.from({ length: m }, () => Array.from({ length: d - 1 }, normal));
  const labels = Array.from({ length: n }, (_, i) => (i < m ? i : Math.floor(m * next() ** 1.5)));
  const features = labels.map((y) => [...means[y].map((v) => Math.round(1000 * (v + noise * normal())) / 1000), 1]);
  return { name, numClasses: m, features, labels };
}

/** "label 1:value 2:value ..." per line. The shortest decimal that reads back as the same double has at most 17 digits. */
const svmLight = ({ features, labels }) =>
  features.map((row, i) => `${labels[i]} ${row.map((v, f) => `${f + 1}:${v}`).join(" ")}\n`).join("");

/** W, one row per class 0, 1, ..., from a model file: one line per feature, one column per class in the order of `label`. */
function readModel(text) {
  const lines = text.trim().split("\n");
  const header = Object.fromEntries(lines.slice(0, lines.indexOf("w")).map((line) => line.split(/ (.*)/)));
  if (Number(header.bias) >= 0) throw new Error("liblinear appended a bias of its own");
  const order = header.label.trim().split(" ").map(Number);
  const columns = lines.slice(lines.indexOf("w") + 1).map((line) => line.trim().split(/\s+/).map(Number));
  return [...order.keys()].map((j) => columns.map((row) => row[order.indexOf(j)]));
}

const version = execFileSync("dpkg-query", ["-W", "-f", "${Package} ${Version}", "liblinear-tools"]).toString();
const directory = mkdtempSync(join(tmpdir(), "liblinear-"));
try {
  const problems = DATA.map((settings) => {
    const data = clouds(settings);
    writeFileSync(join(directory, "data"), svmLight(data));
    const models = SOLVERS.flatMap(({ s, loss, epsilon }) =>
      COSTS.map((C) => {
        const options = ["-s", s, "-c", C, "-e", epsilon, "-B", -1].map(String);
        const log = execFileSync("liblinear-train", [...options, "data", "model"], { cwd: directory }).toString();
        const converged = !log.includes("WARNING"); // its solvers say so when they give up
        const weights = readModel(readFileSync(join(directory, "model"), "utf8"));
        return { command: `liblinear-train ${options.join(" ")} data model`, loss, C, converged, weights };
      }),
    );
    return { ...data, models };
  });
  const text = JSON.stringify({ writtenBy: "node scripts/golden/liblinear.mjs", version, problems });
  writeFileSync(OUT, await format(text, { parser: "json", printWidth: 120 }));
} finally {
  rmSync(directory, { recursive: true });
}
