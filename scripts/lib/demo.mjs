// The demos as static files: three pages and their home, bundled by Vite, with the source that they link.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";
import { shell } from "../../demo/lib/shell.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const demo = join(root, "demo");

/** The pages of the demos, files of demo/. */
export const pages = ["index", "two-guesses", "which-section", "race"];

/**
 * Builds the demos into a folder that any static host can serve, from any path, without logic of its own. Needs `npm run build`
 * first: the pages import the package as it is published.
 */
export async function buildDemo(folder) {
  await build({
    configFile: false,
    root: demo,
    base: "./",
    logLevel: "warn",
    plugins: [{ name: "shell", transformIndexHtml: { order: "pre", handler: shell } }],
    resolve: { alias: [{ find: /^topk-sdca(\/(\w+))?$/, replacement: join(root, "dist/$2") }] },
    worker: { format: "es" },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: { polyfill: false },
      rolldownOptions: { input: pages.map((page) => join(demo, `${page}.html`)), checks: { bundlerTimings: false } },
    },
  });
  await cp(demo, join(folder, "source"), { recursive: true });
}

/** Serves built demos as any static host would; returns the address, and what ends it. */
export async function serveDemo(folder) {
  const server = await preview({ configFile: false, logLevel: "warn", base: "./", build: { outDir: folder } });
  return { address: server.resolvedUrls.local[0], close: () => server.close() };
}
