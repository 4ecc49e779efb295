// The built package in a web page without a bundler, with and without a worker, under content security policies. Needs `npm run build` first.
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { skipBrowser } from "../../scripts/chromium.mjs";
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
  type Site,
} from "./helpers.ts";

const script = `import { fit } from "/dist/index.js";${training}`;
const folders = { "/dist/": fileURLToPath(new URL("../../dist", import.meta.url)) };
const inline: Site = { folders, files: { "/": htmlPage(`<script type="module">${script}</script>`) } };
const external: Site = { folders, files: { "/": htmlPage(externalScript), "/page.js": script } };

const startWorker = 'new Worker("/w.js", { type: "module" })';
const serving = 'import { serve } from "/dist/worker.js"; serve(self);';
const withWorker = (page: string): Site => ({
  folders,
  files: {
    "/": htmlPage(externalScript),
    "/page.js": `import { connect } from "/dist/worker.js";${page}`,
    "/w.js": serving,
  },
});
const worker = withWorker(trainingInWorker(startWorker));

if (skipBrowser) console.warn("SKIP_BROWSER=1: test/page/plain-page.test.ts opens no page");

describe.skipIf(skipBrowser)("a page without a bundler", () => {
  const { visit } = useBrowser();

  test("trains from an inline module", async () => {
    expect(await visit(inline)).toEqual({ result: solved, complaints: [] });
  });

  test("trains under script-src 'self' 'wasm-unsafe-eval'", async () => {
    const site = { ...external, policy: "script-src 'self' 'wasm-unsafe-eval'" };
    expect(await visit(site)).toEqual({ result: solved, complaints: [] });
  });

  test("says what to add under script-src 'self'", async () => {
    const { result, complaints } = await visit({ ...external, policy: "script-src 'self'" });
    expect(result).toEqual({
      error: expect.stringMatching(/^init: WebAssembly is blocked by this page's Content-Security-Policy/),
    });
    // Chromium itself reports the refused compilation; we add nothing to it.
    expect(complaints.filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
  });

  test("predicts under script-src 'self'", async () => {
    const predicts = `import { load } from "/dist/predict.js";${corners}
      const model = load(await (await fetch("/model.bin")).arrayBuffer());
      show({ status: model.certificate.status, predictions: model.predict(features) });
    `;
    const model = await fit(features, labels, { loss: "hinge" });
    const files = { "/": htmlPage(externalScript), "/page.js": predicts, "/model.bin": model.toBytes() };
    const site = { folders, files, policy: "script-src 'self'" };
    expect(await visit(site)).toEqual({ result: solved, complaints: [] });
  });

  test("trains in a worker", async () => {
    expect(await visit(worker)).toEqual({ result: solvedInWorker, complaints: [] });
  });

  test("trains in a worker under script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'", async () => {
    const site = { ...worker, policy: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'" };
    expect(await visit(site)).toEqual({ result: solvedInWorker, complaints: [] });
  });

  test("says, from a worker, what to add under script-src 'self'", async () => {
    const { result } = await visit({ ...worker, policy: "script-src 'self'" });
    expect(result).toEqual({
      error: expect.stringMatching(/^init: WebAssembly is blocked by this page's Content-Security-Policy/),
    });
  });

  test("says that a worker's script is not there", async () => {
    const site = withWorker(trainingInWorker('new Worker("/none.js", { type: "module" })'));
    const { result } = await visit(site);
    expect(result).toEqual({ error: "fit: the worker failed: its script could not be loaded" });
  });

  test("trains on shared memory where the page is cross-origin isolated, and nothing changes there", async () => {
    const shares = `${corners}
      const remote = connect(${startWorker});
      const data = new Float64Array(new SharedArrayBuffer(8 * features.flat().length));
      data.set(features.flat());
      const model = await remote.fit({ data, rows: features.length, cols: 2 }, labels, { loss: "hinge", transfer: true });
      const kept = data.every((value, p) => value === features.flat()[p]);
      show({ isolated: crossOriginIsolated, kept, status: model.certificate.status });
    `;
    const { result, complaints } = await visit({ ...withWorker(shares), isolated: true });
    expect({ result, complaints }).toEqual({
      result: { isolated: true, kept: true, status: "solved" },
      complaints: [],
    });
  });

  describe("selects", () => {
    const script = `import { select } from "/dist/index.js";${selecting}`;
    const site: Site = { folders, files: { "/": htmlPage(externalScript), "/page.js": script } };

    test("with workers of its own under script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'", async () => {
      const policy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
      expect(await visit({ ...site, policy })).toEqual({ result: selected, complaints: [] });
    });

    test("without them where a policy forbids them", async () => {
      const { result } = await visit({ ...site, policy: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'" });
      expect(result).toEqual({ ...selected, started: 0 });
    });
  });

  test("stays in motion while a worker trains on what would take the page seconds", async () => {
    const moves = `${corners}
      const rows = 4000, cols = 100;
      const data = Float32Array.from({ length: rows * cols }, (_, p) => Math.sin(p * p));
      const many = Array.from({ length: rows }, (_, i) => i % 20);
      const stop = new AbortController();
      const remote = connect(${startWorker});
      let frames = 0;
      const fitting = remote.fit({ data, rows, cols }, many, {
        ...{ loss: "hinge", C: 100, tolerance: 0, transfer: true, signal: stop.signal },
        onProgress: () => { if (frames > 30) stop.abort(); },
      });
      const count = () => { frames++; requestAnimationFrame(count); };
      count();
      const model = await fitting;
      show({ status: model.certificate.status, moved: frames > 30, length: data.length, epochs: model.certificate.epochs > 0 });
    `;
    const { result } = await visit(withWorker(moves));
    expect(result).toEqual({ status: "aborted", moved: true, length: 0, epochs: true });
  });
});
