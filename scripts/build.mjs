// npm run build: kernels -> dist/ (one bundled ES module per entry, its type declarations, the bare WebAssembly binary).
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { minify, parseAst } from "vite";
import { buildCli } from "./lib/buildCli.mjs";
import { leanLoader } from "./lib/leanLoader.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { kernelsId, kernelsLength, kernelsText } = await import("./build-kernels.mjs");
await rm("dist", { recursive: true, force: true });

/**
 * Puts the text of the kernels at the end of the file, where gzip can give it a code of its own: among the program it would
 * take 1 kB more.
 */
const kernelsLast = {
  name: "kernels-last",
  setup(bundle) {
    bundle.initialOptions.footer = { js: `var KERNELS="${kernelsText}";` };
    bundle.onLoad({ filter: /[\\/]kernels\.generated\.ts$/ }, () => ({
      contents: `export const kernelsText = () => KERNELS;\nexport const kernelsLength = ${kernelsLength};\nexport const kernelsId = "${kernelsId}";\n`,
      loader: "js",
    }));
  },
};

/**
 * Bundles src/NAME.ts into dist/NAME.js. "predict" all by itself: a file shared with the trainer would weigh on it. The minifier
 * is Vite's, which leaves 2 % less than that of esbuild.
 */
async function buildEntry(name, banner, plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [`src/${name}.ts`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target,
    charset: "utf8", // as modules always are
    banner: { js: banner },
    plugins,
  });
  const { code, errors } = await minify(`${name}.js`, outputFiles[0].text, {
    module: true,
    compress: { target },
    mangle: { toplevel: true },
    codegen: { removeWhitespace: true, legalComments: "inline" },
  });
  if (errors.length > 0) throw new Error(`build: ${name}.js: ${errors[0].message}`);
  // The minifier writes `./file.js`, which not every bundler takes for the name of a file.
  await writeFile(`dist/${name}.js`, onLines(code).replace(/`(\.\/\w+\.js)`/g, '"$1"'));
}

/** Every statement on a line of its own: of an error that nobody catches Node shows the line, which is not to be all of it. */
function onLines(code) {
  const starts = parseAst(code).body.map(({ start }) => start);
  const pieces = [0, ...starts].map((start, i) => code.slice(start, starts[i]).trimEnd());
  return `${pieces.filter(Boolean).join("\n")}\n`;
}

/** What imports src/NAME.ts imports dist/NAME.js, which is built by itself. */
const beside = (...names) => ({
  name: "beside",
  setup(bundle) {
    const filter = new RegExp(`/(${names.join("|")})\\.ts$`);
    bundle.onResolve({ filter }, ({ path }) => ({ path: `./${filter.exec(path)[1]}.js`, external: true }));
  },
});

const target = "es2022";
const banner = "/*! topk-sdca, MIT; see LICENSE. */";
await mkdir("dist");
await buildEntry("predict", banner);
await buildEntry("core", "/*! topk-sdca, MIT. Bundles @assemblyscript/loader, Apache-2.0; see LICENSE. */", [
  leanLoader,
  kernelsLast,
]);
await buildEntry("index", "", [beside("core", "startWorkers")]);
await buildEntry("worker", banner, [beside("core")]);
await buildEntry("startWorkers", banner);
await buildEntry("selectWorker", "", [beside("worker")]);
await buildCli("dist");
await copyFile("build/core.wasm", "dist/core.wasm");
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
