/**
 * npm run bench:tasks: how long `fit` keeps a page from doing anything else. Chromium's own record of the main thread's tasks,
 * and what its long-task API reports (tasks of 50 ms and more), for fits on Letter, on 20000 x 512 x 100 and on 60000 x 64 x 300.
 *
 *   --only letter,clouds   some of the workloads
 *   --cases a,b            the cases whose name contains one of these; nothing is stored then
 */
import { build } from "esbuild";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { chromiumArgs, needChromium } from "../../scripts/chromium.mjs";
import { leanLoader } from "../../scripts/lib/leanLoader.mjs";
import { machine, textTable } from "../../scripts/lib/report.mjs";
import { resultsFolder, writeResults } from "../lib/files.mjs";
import { clouds, workloads } from "../workloads/catalogue.mjs";
import { prepareWorkload, readPart } from "../workloads/load.mjs";
import { cases } from "./cases.js";
import { categories, readTasks } from "./trace.mjs";

/** A frame. */
const LONG_MILLISECONDS = 16;
const measured = {
  letter: workloads.letter,
  clouds: clouds({ n: 20000, d: 512, m: 100 }),
  manyClasses: clouds({ n: 60000, d: 64, m: 300 }),
};

const { values } = parseArgs({ options: { only: { type: "string" }, cases: { type: "string" } } });
const wanted = values.only?.split(",") ?? Object.keys(measured);
const chosen = Object.keys(cases).filter(
  (name) => values.cases?.split(",").some((text) => name.includes(text)) ?? true,
);

const server = await serve(await bundle());
const browser = await chromium.launch({ executablePath: needChromium(), args: chromiumArgs });
try {
  const figures = {};
  for (const workload of wanted) {
    prepareWorkload(measured[workload]);
    figures[workload] = {};
    for (const name of chosen) {
      const result = await measure(workload, name);
      figures[workload][name] = result;
      print(workload, name, result);
    }
  }
  const complete = !values.only && !values.cases;
  const command = "npm run bench:tasks";
  const browserVersion = browser.version();
  const results = {
    machine: machine(),
    command,
    browser: browserVersion,
    longMilliseconds: LONG_MILLISECONDS,
    figures,
  };
  if (complete) await writeResults(resultsFolder, "longTasks", results);
} finally {
  await browser.close();
  server.close();
}

/** The sources with their names, so that a trace can say what took long, and the two scripts. */
async function bundle() {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const entry = (contents) => ({ contents, resolveDir: root });
  const common = {
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    mainFields: ["module", "main"],
    plugins: [leanLoader],
  };
  const page = entry(`
    import { fit } from "./src/index.ts";
    import { connect } from "./src/worker.ts";
    import { cases } from "./bench/longTasks/cases.js";
    globalThis.bench = { library: { fit, connect }, cases };`);
  const worker = entry('import { serve } from "./src/worker.ts"; serve(self);');
  const [pageText, workerText] = await Promise.all(
    [page, worker].map(async (stdin) => (await build({ ...common, stdin })).outputFiles[0].text),
  );
  return {
    "/page.js": pageText,
    "/w.js": workerText,
    "/": '<!doctype html><script type="module" src="/page.js"></script>',
  };
}

function serve(files) {
  const types = { "/": "text/html" };
  const answer = ({ url }, response) => {
    const [, workload, what] = url.split("/");
    const content = files[url] ?? (measured[workload] && bytesOf(workload, what));
    response.writeHead(content === undefined ? 404 : 200, {
      "content-type": types[url] ?? (files[url] ? "text/javascript" : "application/octet-stream"),
    });
    response.end(content);
  };
  const server = createServer(answer);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function bytesOf(workload, what) {
  const { features, labels } = readPart(measured[workload], "train");
  const { buffer, byteOffset, byteLength } = what === "labels" ? labels : features.data;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function measure(workload, name) {
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.evaluate(prepareInPage, { workload, name, cols: measured[workload].d });
    await browser.startTracing(page, { categories });
    const { seconds, longTasks } = await page.evaluate(runInPage);
    const { count, long } = readTasks(await browser.stopTracing(), LONG_MILLISECONDS);
    const longInCpu = long.filter(({ cpuMilliseconds }) => cpuMilliseconds >= LONG_MILLISECONDS);
    return {
      seconds,
      tasks: count,
      long: long.length,
      longInCpu: longInCpu.length,
      reported: longTasks,
      longest: {
        milliseconds: Math.max(0, ...long.map((task) => task.milliseconds)),
        cpuMilliseconds: Math.max(0, ...long.map((task) => task.cpuMilliseconds)),
      },
      most: long.slice(0, 5),
    };
  } finally {
    await page.close();
  }
}

async function prepareInPage({ workload, name, cols }) {
  const { library, cases } = globalThis.bench;
  const read = async (what) => (await fetch(`/${workload}/${what}`)).arrayBuffer();
  const data = new Float32Array(await read("features"));
  const train = { features: { data, rows: data.length / cols, cols }, labels: new Int32Array(await read("labels")) };
  const startWorker = () => new Worker("/w.js", { type: "module" });
  globalThis.bench.run = await cases[name](library, train, startWorker);
}

async function runInPage() {
  const longTasks = [];
  const observer = new PerformanceObserver((list) =>
    longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  );
  const rest = () => new Promise((resolve) => setTimeout(resolve, 300));
  await rest();
  observer.observe({ type: "longtask" });
  const began = performance.mark("begin").startTime;
  await globalThis.bench.run();
  const seconds = (performance.mark("end").startTime - began) / 1000;
  await rest();
  return { seconds, longTasks };
}

function print(workload, name, { seconds, tasks, long, longInCpu, reported, most }) {
  console.log(
    `\n${workload}, ${name}: ${seconds.toFixed(2)} s, ${tasks} tasks, ${long} of ${LONG_MILLISECONDS} ms and more, ` +
      `${longInCpu} of so much processor time; ${reported.length} reported as long`,
  );
  if (most.length === 0) return;
  const rows = most.map(({ milliseconds, cpuMilliseconds, inside }) => [
    milliseconds.toFixed(1),
    cpuMilliseconds.toFixed(1),
    Object.entries(inside)
      .slice(0, 7)
      .map(([name, time]) => `${name} ${time.toFixed(0)}`)
      .join(", "),
  ]);
  console.log(textTable([["ms", "CPU ms", "inside"], ...rows]));
}
