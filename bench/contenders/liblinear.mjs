/**
 * liblinear's solvers of Crammer and Singer's SVM and of one SVM per class, the same objectives as our "hinge" and "ova-hinge":
 * `liblinear-train -s 4 -B -1` and `-s 3`.
 *
 * It reads its data as text. The text is written once, and the time of a run over the same text with all labels but one alike
 * and hardly any training (one pass over two classes) is taken off: what is left is training. Both files are read before anything
 * is timed, so that no run waits for a disk, and the smaller of two such runs is taken off. Nor is writing the model timed, text again: these
 * runs cannot. Where the weights are wanted, another run writes them.
 *
 * Debian's build is a generic one, float64, of rows as lists of their nonzeros, dense ones too.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { rowReader } from "../lib/nonzeros.mjs";
import { peakBytes } from "../lib/usage.mjs";
import { cachePath } from "../workloads/load.mjs";

const run = promisify(execFile);

/** What -s says, by our loss. */
const solvers = { hinge: 4, "ova-hinge": 3 };

export const liblinear = {
  name: "liblinear",
  solves: ({ id }) => id in solvers,
  ladder: [30, 10, 5, 3, 2, 1, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001].map((e) => ({ e })),

  async probe() {
    const missing = "liblinear-train, Debian: apt-get install liblinear-tools";
    // Without arguments it prints its usage and fails; only a program that is not there gives ENOENT.
    const found = await run("liblinear-train").catch((error) => error);
    if (found.code === "ENOENT") return { missing };
    const dpkg = await run("dpkg-query", ["-W", "-f", "${Version}", "liblinear-tools"]).catch(() => undefined);
    return { version: dpkg?.stdout ?? "unknown" };
  },

  async train({ workload, data, loss, settings: { C, e }, want }) {
    const solver = solvers[loss.id];
    const text = await writeText(cachePath(workload, "svm"), data, (i) => data.labels[i]);
    const trivial = await writeText(cachePath(workload, "one.svm"), data, (i) => (i === 0 ? 1 : 0));
    for (const file of [text, trivial]) await readThrough(file);
    const readings = [await timed(trivial, { solver, C, e: 1e6 }), await timed(trivial, { solver, C, e: 1e6 })];
    const reading = readings.reduce((a, b) => (b.cpuSeconds < a.cpuSeconds ? b : a));
    const whole = await timed(text, { solver, C, e });
    return {
      status: "stopped",
      seconds: Math.max(whole.seconds - reading.seconds, 0),
      cpuSeconds: Math.max(whole.cpuSeconds - reading.cpuSeconds, 0),
      readingCpuSeconds: reading.cpuSeconds,
      peakBytes: whole.peakBytes,
      weights: want.score
        ? readWeights((await timed(text, { solver, C, e, writes: true })).model, workload)
        : undefined,
    };
  },
};

async function readThrough(file) {
  await finished(createReadStream(file).resume());
}

/** One line per row, zeros left out; nine digits name a float32. */
export async function writeText(file, { features, labels }, labelOf) {
  if (existsSync(file)) return file;
  const { columns, values, read } = rowReader(features);
  const out = createWriteStream(`${file}.tmp`);
  for (let i = 0; i < labels.length; i++) {
    let line = String(labelOf(i));
    const count = read(i);
    for (let p = 0; p < count; p++) line += ` ${columns[p] + 1}:${Number(values[p].toPrecision(9))}`;
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
  renameSync(`${file}.tmp`, file);
  return file;
}

/** bash, because its `time` asks the system for the finished child's times, which Node does not pass on. */
const script =
  'TIMEFORMAT="%R %U %S"; liblinear-train -q -s "$1" -B -1 -c "$2" -e "$3" "$4" "$5" & echo $!; time wait $!';

async function timed(file, { solver, C, e, writes = false }) {
  const folder = mkdtempSync(join(tmpdir(), "liblinear-"));
  try {
    const model = join(folder, writes ? "model" : "missing/model");
    const child = spawn("bash", ["-c", script, "bash", String(solver), String(C), String(e), file, model], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" },
    });
    let peak = 0;
    let watch;
    let times = "";
    child.stdout.once("data", (chunk) => {
      const pid = Number(chunk);
      watch = setInterval(() => (peak = Math.max(peak, peakBytes(pid) ?? 0)), 10);
    });
    child.stderr.on("data", (chunk) => (times += chunk));
    const [code] = await once(child, "close");
    clearInterval(watch);
    const numbers = times.trim().split("\n").at(-1).split(" ").map(Number);
    const isDone = writes ? code === 0 : code === 1 && times.startsWith("can't save model");
    if (!isDone || numbers.length !== 3) throw new Error(`liblinear-train ended with code ${code}: ${times}`);
    const [seconds, user, system] = numbers;
    const text = writes ? readFileSync(model, "latin1") : undefined;
    return { seconds, cpuSeconds: user + system, peakBytes: peak || undefined, model: text };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** W, m x d, from a model file: one line per feature, one column per class in the order of its line "label". */
export function readWeights(text, { m, d }) {
  const lines = text.trimEnd().split("\n");
  const first = lines.indexOf("w") + 1;
  const order = lines
    .find((line) => line.startsWith("label "))
    .trim()
    .split(" ")
    .slice(1)
    .map(Number);
  const weights = new Float64Array(m * d);
  for (let f = 0; f < lines.length - first; f++) {
    const columns = lines[first + f].trim().split(" ");
    for (let j = 0; j < order.length; j++) weights[order[j] * d + f] = Number(columns[j]);
  }
  return weights;
}
