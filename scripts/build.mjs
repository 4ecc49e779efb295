// npm run build: kernels -> dist/ (one bundled ES module per entry, its type declarations, the bare WebAssembly binary).
import { execFileSync } from "node:child_process";
import { copyFile, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildCli } from "./lib/buildCli.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await import("./build-kernels.mjs");
await rm("dist", { recursive: true, force: true });

/**
 * The loader makes a TextDecoder and patches Object.hasOwn when imported. We use neither strings nor old engines, and
 * promise that importing this package does nothing, so the first waits until it is needed and the second is taken out of
 * the bundled copy.
 */
const quietLoader = {
  name: "quiet-loader",
  setup(bundle) {
    bundle.onLoad({ filter: /@assemblyscript[\\/]loader[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const quiet = source
        .replace(/^const utf16 = (new TextDecoder\(.*\));/m, "const utf16 = { decode: (units) => $1.decode(units) };")
        .replace(/^Object\.hasOwn = [\s\S]*?^\};\n/m, "")
        .replace(/^ *if \(isResponse\(source = await source\)\) return instantiateStreaming\(.*\n/m, "")
        .replace(/^export default \{[\s\S]*?^\};?\n/m, ""); // nothing here needs it, or streams
      if (
        !quiet.includes("=> new TextDecoder(") ||
        quiet.includes("Object.hasOwn =") ||
        quiet.includes("export default")
      ) {
        throw new Error("build: @assemblyscript/loader has changed; look at its module-level statements again");
      }
      return { contents: quiet, loader: "js" };
    });
  },
};

/** What all entries have in common. Each is bundled by itself: a chunk shared with the trainer would weigh on "predict". */
const common = {
  outdir: "dist",
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  minify: true,
  sourcemap: false,
  legalComments: "none",
};
await build({
  ...common,
  entryPoints: { index: "src/index.ts" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: "/*! topk-sdca, MIT. Bundles @assemblyscript/loader, Apache-2.0; see LICENSE. */" },
  plugins: [quietLoader],
});
await build({
  ...common,
  entryPoints: { predict: "src/predict.ts" },
  banner: { js: "/*! topk-sdca, MIT; see LICENSE. */" },
});
await buildCli("dist");
await copyFile("build/core.wasm", "dist/core.wasm");
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
