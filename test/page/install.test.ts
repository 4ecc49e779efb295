// The packed tarball, installed into a project of its own: Node, TypeScript, the command line, two bundlers and their pages.
// Needs `npm run build` first.
import { build as esbuild } from "esbuild";
import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { build as vite } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipBrowser } from "../../scripts/chromium.mjs";
import { installPacked, npm } from "../../scripts/lib/pack.mjs";
import { fit } from "../../src/index.ts";
import {
  corners,
  externalScript,
  features,
  htmlPage,
  labels,
  selected,
  selecting,
  solved,
  solvedInWorker,
  training,
  trainingInWorker,
  useBrowser,
} from "./helpers.ts";

const run = promisify(execFile);
let user: Awaited<ReturnType<typeof installPacked>>;
beforeAll(async () => {
  user = await installPacked();
});
afterAll(() => user?.remove());

/** Runs code in a process of its own, in the user's project. */
async function runInNode(code: string, type: "module" | "commonjs"): Promise<unknown> {
  const { stdout, stderr } = await run(process.execPath, [`--input-type=${type}`, "--eval", code], {
    cwd: user.folder,
  });
  // Before Node 22.13 require of an ES module announces itself.
  const warnings = stderr.split("\n").filter((line) => line && !/ExperimentalWarning|--trace-warnings/.test(line));
  expect(warnings).toEqual([]);
  return JSON.parse(stdout);
}

/** Writes files into a new folder of the user's project and returns the folder. */
async function write(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(user.folder, name);
  await mkdir(folder);
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  return folder;
}

describe("in Node", () => {
  const main = `
    async function main({ fit }, predict) {
      const features = ${JSON.stringify(features)};
      const model = await fit(features, ${JSON.stringify(labels)}, { loss: "hinge" });
      const predictions = predict.load(model.toBytes()).predict(features);
      console.log(JSON.stringify({ status: model.certificate.status, predictions }));
    }`;

  test("import of both entries", async () => {
    const code = `${main} await main(await import("topk-sdca"), await import("topk-sdca/predict"));`;
    expect(await runInNode(code, "module")).toEqual(solved);
  });

  test("require of both entries", async () => {
    const code = `${main} main(require("topk-sdca"), require("topk-sdca/predict"));`;
    expect(await runInNode(code, "commonjs")).toEqual(solved);
  });

  test("the binary, as a file to compile, and package.json resolve", async () => {
    const code = `
      const file = require.resolve("topk-sdca/core.wasm");
      const { init, losses } = require("topk-sdca");
      init({ wasm: require("node:fs").readFileSync(file) })
        .then(() => console.log(JSON.stringify([losses.value("hinge", [0, 0], 0), require("topk-sdca/package.json").name])));`;
    expect(await runInNode(code, "commonjs")).toEqual([1, "topk-sdca"]);
  });

  test("the binary by its URL, of a file, too", async () => {
    const code = `
      import { init, losses } from "topk-sdca";
      const here = import.meta.resolve("topk-sdca/core.wasm");
      const missing = await init({ wasm: new URL("./missing.wasm", here) }).catch(({ message }) => message);
      await init({ wasm: new URL(here) });
      console.log(JSON.stringify([missing.replace(/from file:.*: ENOENT.*/, "from a file: ENOENT"), losses.value("hinge", [0, 0], 0)]));`;
    expect(await runInNode(code, "module")).toEqual(['init: "wasm" could not be fetched from a file: ENOENT', 1]);
  });

  test("a worker, and the whole model that comes out of it", async () => {
    const code = `
      import { Worker } from "node:worker_threads";
      import { connect } from "topk-sdca/worker";
      const script = 'require("topk-sdca/worker").serve(require("node:worker_threads").parentPort)';
      const remote = connect(new Worker(script, { eval: true, execArgv: ["--disable-warning=ExperimentalWarning"] }));
      const features = ${JSON.stringify(features)};
      const model = await remote.fit(features, ${JSON.stringify(labels)}, { loss: "hinge" });
      remote.terminate();
      const { topKAccuracy } = model.evaluate(features, ${JSON.stringify(labels)}, { k: [1] });
      const { status } = model.certificate;
      console.log(JSON.stringify({ status, predictions: model.predict(features), accuracy: topKAccuracy[1] }));`;
    expect(await runInNode(code, "module")).toEqual(solvedInWorker);
  });

  test("a selection with workers that it starts itself, after which Node ends", async () => {
    const shows = "globalThis.document = { querySelector: () => ({ set textContent(text) { console.log(text); } }) };";
    const code = `import { select } from "topk-sdca";${shows}${selecting}`;
    expect(await runInNode(code, "module")).toEqual(selected);
  });

  test("the command line", async () => {
    const { version } = JSON.parse(
      await readFile(join(user.folder, "node_modules/topk-sdca/package.json"), "utf8"),
    ) as { version: string };
    expect((await npm(user.folder, "exec", "--no", "--", "topk-sdca", "--version")).trim()).toBe(version);
  });

  test("nothing came along", async () => {
    const installed = await readdir(join(user.folder, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["topk-sdca"]);
  });
});

test("its types work for a strict user, with and without a bundler", async () => {
  const folder = await write("types", {
    "user.mts": `
      import { fit, load, select, type Evaluation, type FitOptions, type Label, type Labels, type LabelSets, type Model } from "topk-sdca";
      import { load as loadPredictor, type Predictor } from "topk-sdca/predict";
      const model = await fit([[0, 1], [1, 0]], ["a", "b"], { C: 1 });
      export const status: string = model.certificate.status;
      export const scores: Float64Array = model.scores([[1, 1]]);
      export const loaded: Model = load(model.toBytes({ duals: true }));
      export const text: string = JSON.stringify(loaded.toJSON({ duals: true }));
      export const predictor: Predictor = loadPredictor(text);
      import { connect, serve } from "topk-sdca/worker";
      serve(self);
      const remote = connect(new Worker("w.js"));
      export const trained: Model = await remote.fit([[0, 1], [1, 0]], ["a", "b"], { loss: "hinge", transfer: true });
      export const sets: Model<(string | number)[]> = await remote.fit([[0, 1], [1, 0]], [["a"], []], { loss: "ova-hinge" });
      export const asFit: typeof fit = remote.fit;
      remote.terminate();
      // @ts-expect-error: no option of fit
      void remote.fit([[0, 1]], ["a"], { transfered: true });
      export const probabilities: Float64Array = predictor.probabilities([[1, 1]]);
      // @ts-expect-error: there is nothing to evaluate with
      predictor.evaluate([[1, 1]], ["a"]);
      const held = { features: [[0, 1]], labels: [["a"]] };
      export const f1: number[] = [];
      export const tagged: Model<Label[]> = await fit([[0, 1], [1, 0]], [["a"], ["b"]], {
        loss: "ova-hinge",
        validation: held,
        onProgress: ({ validation }) => void f1.push(validation![0]!.multilabel.f1.micro),
      });
      void fit([[0, 1], [1, 0]], ["a", "b"], { onProgress: ({ validation }) => void validation?.[0]?.topKAccuracy[1] });
      const common: FitOptions = { C: 1 };
      const forSets: FitOptions<Label[]> = { loss: "ova-hinge", onProgress: ({ validation }) => void validation?.[0]?.multilabel };
      export const both: Model<Label[]>[] = [await fit([[0, 1]], [["a"]], common), await fit([[0, 1]], [["a"]], forSets)];
      declare const labels: Labels | LabelSets;
      export const either: Model | Model<Label[]> = await fit([[0, 1]], labels, common);
      export const chosen: Model | Model<Label[]> = (await select([[0, 1]], labels, { grid: { C: [1] } })).model;
      void select([[0, 1]], ["a"], { grid: { C: [1] }, options: common, metric: text });
      // As the types of the contract have it: a model and an evaluation of either kind.
      export const ofSets: Model = await fit([[0, 1], [1, 0]], [["a"], ["b"]], { loss: "multilabel-softmax" });
      export const again: Model = ofSets.withThreshold(1);
      export const predicted: Label[] | Label[][] = again.predict([[1, 1]]);
      export const measured: Evaluation = ofSets.evaluate([[1, 1]], [["a"]]);
      export const numbers: (number | undefined)[] = [measured.multilabel?.f1.micro, measured.topKAccuracy?.[1]];
      export const train = (y: Labels | LabelSets, o: FitOptions): Promise<Model> => fit([[0, 1]], y, o);
      // @ts-expect-error: features are needed
      void fit();`,
  });
  for (const [module, moduleResolution] of [
    [ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    [ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ] as const) {
    const program = ts.createProgram([join(folder, "user.mts")], {
      module,
      moduleResolution,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
      strict: true,
      noEmit: true,
      skipDefaultLibCheck: true, // ours are checked
      types: [],
    });
    const found = ts.getPreEmitDiagnostics(program);
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  }
});

describe("bundled", () => {
  const trains = `import { fit } from "topk-sdca";${training}`;
  const predicts = `import { load } from "topk-sdca/predict";${corners}
    const model = load(await (await fetch("/model.bin")).arrayBuffer());
    show({ status: model.certificate.status, predictions: model.predict(features) });
  `;

  /** Each returns the folder of a site whose index.html loads the bundle. */
  const bundlers: Record<string, (name: string, script: string, worker?: string) => Promise<string>> = {
    async esbuild(name, script, worker) {
      const sources = { "page.js": script, ...(worker && { "w.js": worker }) };
      const folder = await write(`esbuild-${name}`, sources);
      const outdir = join(folder, "site");
      await mkdir(outdir);
      const { metafile, warnings } = await esbuild({
        entryPoints: Object.keys(sources).map((file) => join(folder, file)), // it does not follow `new Worker`
        bundle: true,
        outdir,
        minify: true,
        metafile: true,
        format: "esm",
        platform: "browser", // fails on an import of a Node module
        target: "es2022",
        logLevel: "silent",
      });
      expect(warnings).toEqual([]);
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
      await writeFile(join(outdir, "index.html"), htmlPage(externalScript));
      return outdir;
    },
    async vite(name, script, worker) {
      const sources = { "page.js": script, ...(worker && { "w.js": worker }), "index.html": htmlPage(externalScript) };
      const root = await write(`vite-${name}`, sources);
      const warnings: string[] = [];
      const log = (message: string): void => void warnings.push(message);
      await vite({
        root,
        configFile: false,
        logLevel: "warn",
        customLogger: {
          ...{ info: () => {}, clearScreen: () => {}, hasErrorLogged: () => false, hasWarned: false },
          ...{ warn: log, warnOnce: log, error: log },
        },
      });
      expect(warnings).toEqual([]); // it warns, and goes on, where a Node module is imported
      return join(root, "dist");
    },
  };

  test.each(Object.keys(bundlers))("by %s: one script, without anything of Node", async (name) => {
    const outdir = await bundlers[name]("plain", trains);
    const found = await readdir(outdir, { recursive: true });
    const scripts = found.filter((file) => file.endsWith(".js"));
    expect(scripts).toHaveLength(1);
    expect(found.filter((file) => file.endsWith(".wasm"))).toEqual([]);
    const text = await readFile(join(outdir, scripts[0]), "utf8");
    expect(text).not.toMatch(/["'`]node:|__vite-browser-external|__require/);
  });

  if (skipBrowser) console.warn("SKIP_BROWSER=1: test/page/install.test.ts opens no page");

  describe.skipIf(skipBrowser)("and opened", () => {
    const { visit } = useBrowser();

    test.each(Object.keys(bundlers))("by %s: trains under script-src 'self' 'wasm-unsafe-eval'", async (name) => {
      const folder = await bundlers[name]("trains", trains);
      const site = { folders: { "/": folder }, policy: "script-src 'self' 'wasm-unsafe-eval'" };
      expect(await visit(site)).toEqual({ result: solved, complaints: [] });
    });

    test.each(Object.keys(bundlers))("by %s: trains in a worker under such a policy", async (name) => {
      const page = trainingInWorker('new Worker(new URL("./w.js", import.meta.url), { type: "module" })');
      const folder = await bundlers[name](
        "worker",
        `import { connect } from "topk-sdca/worker";${page}`,
        'import { serve } from "topk-sdca/worker"; serve(self);',
      );
      const policy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
      const site = { folders: { "/": folder }, policy };
      expect(await visit(site)).toEqual({ result: solvedInWorker, complaints: [] });
    });

    test("by vite: selects with workers, whose script it builds, too", async () => {
      const folder = await bundlers.vite("selects", `import { select } from "topk-sdca";${selecting}`);
      expect(await visit({ folders: { "/": folder } })).toEqual({ result: selected, complaints: [] });
    });

    test("by esbuild: selects without workers, whose script it leaves out", async () => {
      const folder = await bundlers.esbuild("selects", `import { select } from "topk-sdca";${selecting}`);
      expect((await visit({ folders: { "/": folder } })).result).toEqual({ ...selected, started: 0 });
    });

    test.each(Object.keys(bundlers))("by %s: predicts from a saved model under script-src 'self'", async (name) => {
      const folder = await bundlers[name]("predicts", predicts);
      const model = await fit(features, labels, { loss: "hinge" });
      const site = {
        folders: { "/": folder },
        files: { "/model.bin": model.toBytes() },
        policy: "script-src 'self'",
      };
      expect(await visit(site)).toEqual({ result: solved, complaints: [] });
    });
  });
});
