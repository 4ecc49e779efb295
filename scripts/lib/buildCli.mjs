// The command line: the one file in dist/ that is for Node only. It trains and predicts through index.js beside it; tables of
// options and losses, and words for errors, it has bundled once more.
import { build } from "esbuild";
import { chmod } from "node:fs/promises";
import { join } from "node:path";

const library = {
  name: "library",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\.\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
  },
};

/** Writes cli.js, with what it needs of npm, into a folder. */
export async function buildCli(outdir) {
  await build({
    entryPoints: { cli: "src/cli/main.ts" },
    outdir,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    legalComments: "none",
    banner: {
      js: `#!/usr/bin/env node
/*! topk-sdca, MIT. Bundles csv-parse, cli-progress, picocolors and what they need, MIT and ISC; see LICENSE. */
import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`, // for the CommonJS among them
    },
    plugins: [library],
  });
  await chmod(join(outdir, "cli.js"), 0o755);
}
