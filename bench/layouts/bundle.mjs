/** The sources, bundled so that features lie in memory as asked, whatever src/fit/storage.ts would choose. */
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cacheFolder } from "../workloads/load.mjs";

const source = new URL("../../src/fit/storage.ts", import.meta.url);
const names = ["SPARSE_BELOW", "SPARSE_BELOW_IF_LISTED", "SPARSE_BELOW_IF_FEW", "SKIP_ZEROS_BELOW"];
const pattern = (name) => new RegExp(`^const ${name} = ([\\d.]+);$`, "m");

/** Thresholds that lead to each layout at every density: below 0 never, below 2 always. */
const forced = { dense: [0, 0, 0, 0], skipping: [0, 0, 0, 2], sparse: [2, 2, 2, 0] };
export const layouts = Object.keys(forced);

/** The densities at which `fit` changes the layout. */
export async function readThresholds() {
  const text = await readFile(source, "utf8");
  return Object.fromEntries(
    names.map((name) => {
      const found = pattern(name).exec(text);
      if (!found) throw new Error(`bench: src/fit/storage.ts has no constant ${name}`);
      return [name, Number(found[1])];
    }),
  );
}

/** @returns {Promise<{ fit, init, ResidentProblem, resolveLoss, finish }>} of which `fit` stores features in that layout */
export async function importWith(layout) {
  await readThresholds();
  const root = fileURLToPath(new URL("../../src/", import.meta.url));
  const outfile = join(cacheFolder, "layouts", `${layout}.mjs`);
  await build({
    stdin: {
      contents: `export { fit, init } from "./index.ts";
        export { ResidentProblem } from "./wasm/problem.ts";
        export { resolveLoss } from "./losses.ts";
        export { finish } from "./pace/steps.ts";`,
      resolveDir: root,
    },
    ...{ outfile, bundle: true, format: "esm", platform: "neutral", target: "es2022", mainFields: ["module", "main"] },
    plugins: [
      {
        name: "layout",
        setup(bundle) {
          bundle.onLoad({ filter: /[\\/]storage\.ts$/ }, async ({ path }) => {
            const text = await readFile(path, "utf8");
            const set = (sum, name, at) => sum.replace(pattern(name), `const ${name} = ${forced[layout][at]};`);
            return { contents: names.reduce(set, text), loader: "ts" };
          });
        },
      },
    ],
  });
  return import(pathToFileURL(outfile).href);
}
