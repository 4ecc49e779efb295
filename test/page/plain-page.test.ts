// The built package in a web page without a bundler, under three content security policies. Needs `npm run build` first.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, needChromium, skipBrowser } from "../../scripts/chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Trains on six points in three corners and writes what came of it into the page. */
const script = `
  import { fit } from "/dist/index.js";
  const features = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [1, 8]];
  const show = (result) => { document.querySelector("output").textContent = JSON.stringify(result); };
  try {
    const model = await fit(features, ["a", "a", "b", "b", "c", "c"], { loss: "hinge" });
    show({ status: model.certificate.status, predictions: model.predict(features) });
  } catch (error) {
    show({ error: error.message });
  }
`;
const inline = `<script type="module">${script}</script>`;
const external = `<script type="module" src="/page.js"></script>`;
const solved = { status: "solved", predictions: ["a", "a", "b", "b", "c", "c"] };

const types: Record<string, string> = { ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves dist/ as it is, the script, and a page that holds `body` under `policy`. */
function serve(body: string, policy: string | undefined): Promise<Server> {
  const page = `<!doctype html><title>page</title><link rel="icon" href="data:,"><output></output>${body}`;
  const server = createServer(async ({ url = "/" }, response) => {
    const send = (type: string, content: string | Buffer): void => {
      const headers = { "content-type": type, ...(policy && { "content-security-policy": policy }) };
      response.writeHead(200, headers).end(content);
    };
    if (url === "/") return send("text/html", page);
    if (url === "/page.js") return send("text/javascript", script);
    try {
      if (!/^\/dist\/[\w/.-]+$/.test(url) || url.includes("..")) throw new Error("not served");
      send(types[extname(url)] ?? "application/octet-stream", await readFile(join(root, url)));
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

if (skipBrowser) console.warn("SKIP_BROWSER=1: test/page/plain-page.test.ts opens no page");

describe.skipIf(skipBrowser)("a page without a bundler", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: needChromium(), args: chromiumArgs });
  });
  afterAll(() => browser?.close());

  /** Opens the page and returns what it wrote and what the console complained of. */
  async function open(body: string, policy?: string): Promise<{ result: unknown; complaints: string[] }> {
    const server = await serve(body, policy);
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => complaints.push(`not loaded: ${request.url()}`));
    try {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const output = page.locator("output:not(:empty)");
      await output.waitFor({ state: "attached", timeout: 20_000 }).catch((error) => {
        throw new Error(`the page wrote nothing; its console: ${complaints.join("; ") || "silent"}`, { cause: error });
      });
      return { result: JSON.parse((await output.textContent()) ?? ""), complaints };
    } finally {
      await page.close();
      server.close();
    }
  }

  test("trains from an inline module", async () => {
    expect(await open(inline)).toEqual({ result: solved, complaints: [] });
  });

  test("trains under script-src 'self' 'wasm-unsafe-eval'", async () => {
    expect(await open(external, "script-src 'self' 'wasm-unsafe-eval'")).toEqual({ result: solved, complaints: [] });
  });

  test("says what to add under script-src 'self'", async () => {
    const { result, complaints } = await open(external, "script-src 'self'");
    expect(result).toEqual({
      error: expect.stringMatching(/^init: WebAssembly is blocked by this page's Content-Security-Policy/),
    });
    // Chromium itself reports the refused compilation; we add nothing to it.
    expect(complaints.filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
  });
});
