// A browser of our own, apart from the one that runs the other tests, and small sites to open in it.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright";
import { afterAll, beforeAll } from "vitest";
import { chromiumArgs, needChromium } from "../../scripts/chromium.mjs";

/** Six points in three corners. */
export const features = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [1, 8]]; // prettier-ignore
export const labels = ["a", "a", "b", "b", "c", "c"];
export const solved = { status: "solved", predictions: labels };

/** The same in a page, and how it tells what came of them. */
export const corners = `
  const features = ${JSON.stringify(features)};
  const labels = ${JSON.stringify(labels)};
  const show = (result) => { document.querySelector("output").textContent = JSON.stringify(result); };
`;

/** Trains on the corners; goes after an import of `fit`. */
export const training = `${corners}
  try {
    const model = await fit(features, labels, { loss: "hinge" });
    show({ status: model.certificate.status, predictions: model.predict(features) });
  } catch (error) {
    show({ error: error.message });
  }
`;

/** The same in a worker of which `create` is the code. The model has to be a whole one, without `init` on this side. */
export const trainingInWorker = (create: string): string => `${corners}
  const remote = connect(${create});
  try {
    const model = await remote.fit(features, labels, { loss: "hinge" });
    const { topKAccuracy } = model.evaluate(features, labels, { k: [1] });
    show({ status: model.certificate.status, predictions: model.predict(features), accuracy: topKAccuracy[1] });
  } catch (error) {
    show({ error: error.message });
  }
`;
export const solvedInWorker = { ...solved, accuracy: 1 };

/**
 * Selects here and with two workers; goes after an import of `select`, in a page or in Node. A worker that has started gets more than
 * the one message that tries it.
 */
export const selecting = `${corners}
  const asked = [];
  const counted = (Worker) => class extends Worker {
    #place = asked.push(0) - 1;
    postMessage(...message) {
      asked[this.#place]++;
      super.postMessage(...message);
    }
  };
  const builtin = globalThis.process?.getBuiltinModule;
  const { Worker: Thread } = builtin?.("worker_threads") ?? {};
  if (Thread) {
    process.getBuiltinModule = (name) => (name === "worker_threads" ? { Worker: counted(Thread) } : builtin(name));
  }
  else globalThis.Worker = counted(Worker);
  const grid = { C: [0.1, 1] };
  const of = async (workers) => {
    const { table, model } = await select(features, labels, { grid, folds: 2, options: { loss: "hinge" }, workers });
    return JSON.stringify([table.map((one) => ({ ...one, seconds: 0 })), model.weights]);
  };
  try {
    show({ same: (await of(1)) === (await of(2)), tried: asked.length, started: asked.filter((count) => count > 1).length });
  } catch (error) {
    show({ error: error.message });
  }
`;
export const selected = { same: true, tried: 2, started: 2 };

/** A page around `body`, with the <output> that `show` writes to. */
export const htmlPage = (body: string): string =>
  `<!doctype html><title>page</title><link rel="icon" href="data:,"><output></output>${body}`;
export const externalScript = '<script type="module" src="/page.js"></script>';

export interface Site {
  /** Contents by path; "/" is the page. */
  files?: Record<string, string | Uint8Array>;
  /** Folders by the path they are served under, such as "/dist/". */
  folders?: Record<string, string>;
  /** Content-Security-Policy of every answer. */
  policy?: string;
  /** Cross-origin isolated: pages and workers have SharedArrayBuffer. */
  isolated?: boolean;
  /** How many milliseconds a script takes to come. */
  scriptsTake?: number;
  /** The page to open, instead of "/". */
  path?: string;
  /** Colour scheme, size of the window and the like. */
  view?: BrowserContextOptions;
}

const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

const types: Record<string, string> = {
  "": "text/html",
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

function serve({ files = {}, folders = {}, policy, isolated, scriptsTake = 0 }: Site): Promise<Server> {
  const read = async (path: string): Promise<string | Uint8Array> => {
    if (Object.hasOwn(files, path)) return files[path];
    const under = Object.keys(folders).find((prefix) => path.startsWith(prefix));
    if (!under || path.includes("..")) throw new Error("not served");
    return readFile(join(folders[under], path.slice(under.length) || "index.html"));
  };
  const server = createServer(async ({ url = "/" }, response) => {
    try {
      const content = await read(url);
      if (scriptsTake > 0 && extname(url) === ".js") await new Promise((done) => setTimeout(done, scriptsTake));
      const type = types[extname(url)] ?? "application/octet-stream";
      const security = { ...(policy && { "content-security-policy": policy }), ...(isolated && isolation) };
      response.writeHead(200, { "content-type": type, ...security });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** What `show` wrote into the page. */
export async function shown(page: Page): Promise<unknown> {
  const output = page.locator("output:not(:empty)");
  await output.waitFor({ state: "attached", timeout: 20_000 });
  return JSON.parse((await output.textContent()) ?? "");
}

/** Launches a browser for the tests of the enclosing suite. */
export function useBrowser(): {
  /** Opens the page of the site; returns what `read` found there and what the console complained of. */
  visit<result = unknown>(
    site: Site,
    read?: (page: Page) => Promise<result>,
  ): Promise<{ result: result; complaints: string[] }>;
} {
  let browser: Browser;
  /** For all sites that ask for no view of their own: a new one takes longer than most of what is tried in it. */
  let tab: Page;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: needChromium(), args: chromiumArgs });
    tab = await browser.newPage();
  });
  afterAll(() => browser?.close());

  return {
    async visit(site, read = shown as never) {
      const server = await serve(site);
      const page = site.view ? await browser.newPage(site.view) : tab;
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("requestfailed", (request) => complaints.push(`not loaded: ${request.url()}`));
      page.on("response", (response) => {
        if (!response.ok()) complaints.push(`${response.status()}: ${response.url()}`);
      });
      try {
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${site.path ?? "/"}`);
        const result = await read(page).catch((error) => {
          throw new Error(`the page did not get there; its console: ${complaints.join("; ") || "silent"}`, {
            cause: error,
          });
        });
        return { result, complaints };
      } finally {
        for (const event of ["console", "pageerror", "requestfailed", "response"]) page.removeAllListeners(event);
        await (page === tab ? page.goto("about:blank") : page.close()); // ends its workers
        server.close();
      }
    },
  };
}
