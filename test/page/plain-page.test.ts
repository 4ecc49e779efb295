// The built package in a web page without a bundler, under three content security policies. Needs `npm run build` first.
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { skipBrowser } from "../../scripts/chromium.mjs";
import { externalScript, htmlPage, solved, training, useBrowser, type Site } from "./helpers.ts";

const script = `import { fit } from "/dist/index.js";${training}`;
const folders = { "/dist/": fileURLToPath(new URL("../../dist", import.meta.url)) };
const inline: Site = { folders, files: { "/": htmlPage(`<script type="module">${script}</script>`) } };
const external: Site = { folders, files: { "/": htmlPage(externalScript), "/page.js": script } };

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
});
