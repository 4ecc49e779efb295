// The package as it is published: package.json, dist/ and the tarball. Needs `npm run build` first (npm test does it).
import { build, type Metafile } from "esbuild";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { pack } from "../scripts/lib/pack.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const pkg = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));

/**
 * Bytes; 1 kB = 1000. A JavaScript entry counts with the files it imports statically, gzipped, and "worker" with what it has
 * beside those of "index"; the binary counts raw.
 */
const budgets: Record<string, number> = {
  "./dist/index.js": 123_000,
  "./dist/predict.js": 3_600,
  "./dist/worker.js": 3_600,
  "./dist/core.wasm": 152_300,
};

const targets: string[] = Object.values(pkg.exports).flatMap((target) =>
  typeof target === "string" ? [target] : Object.values(target as Record<string, string>),
);
const entries = targets.filter((target) => target.endsWith(".js"));

/** The command line; for Node only, no entry. */
const command = join("dist", "cli.js");

/** Every file below a folder of the repository, as paths relative to the root, `skip` left out. */
async function filesBelow(folder: string, skip: readonly string[] = []): Promise<string[]> {
  const found = await readdir(join(root, folder), { withFileTypes: true });
  const lists = found
    .filter((item) => !skip.includes(item.name))
    .map((item) => (item.isDirectory() ? filesBelow(join(folder, item.name), skip) : [join(folder, item.name)]));
  return (await Promise.all(lists)).flat();
}

/** Runs a module in a process of its own, in the root, so that "topk-sdca" resolves through our own exports. */
async function runModule(code: string, type: "module" | "commonjs" = "module"): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, "--eval", code], { cwd: root });
  return stdout.trim();
}

/** Bundles code that imports the package and returns what esbuild would ship. */
async function bundle(code: string): Promise<{ text: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "browser",
    logLevel: "error",
    logOverride: { "ignored-bare-import": "silent" },
  });
  return { text: outputFiles[0]!.text, metafile };
}

describe("package.json", () => {
  test("exports name types first and default last, and every target is in dist/", async () => {
    expect(Object.keys(pkg.exports)[0]).toBe(".");
    for (const [entry, target] of Object.entries(pkg.exports)) {
      if (typeof target !== "string") expect(Object.keys(target as object), entry).toEqual(["types", "default"]);
    }
    const files = [...(await filesBelow("dist")), "package.json"].map((file) => `./${file}`);
    expect(files).toEqual(expect.arrayContaining(targets));
  });

  test("needs nothing at run time", () => {
    for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
      expect(pkg, field).not.toHaveProperty(field);
    }
    for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(pkg.scripts, script).not.toHaveProperty(script);
    }
  });

  test("pins its tools, and the lock file agrees", () => {
    for (const [name, version] of Object.entries(pkg.devDependencies)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`].version, name).toBe(version);
    }
    expect(lock.packages[""].version).toBe(pkg.version);
  });

  test("is an ES module without side effects, with an engine range and a list of files", () => {
    expect(pkg).toMatchObject({ type: "module", sideEffects: false, license: "MIT", engines: { node: ">=20.19" } });
    expect(pkg.files).toContain("dist");
    expect(pkg).not.toHaveProperty("main");
  });

  test("publint finds nothing", async () => {
    const { messages } = await publint({ pkgDir: root, level: "suggestion", strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });
});

describe("dist", () => {
  test("keeps its size budgets, and README says how large it is", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    for (const target of targets.filter((target) => /\.(js|wasm)$/.test(target))) {
      expect(budgets, `${target} needs a budget`).toHaveProperty([target]);
      const files = target.endsWith(".wasm") ? [target] : await staticFiles(target);
      const shared = target === "./dist/worker.js" ? await staticFiles("./dist/index.js") : [];
      let bytes = 0;
      for (const file of files.filter((file) => !shared.includes(file))) {
        const content = await readFile(join(root, file));
        bytes += file.endsWith(".wasm") ? content.length : gzipSync(content).length;
      }
      expect(bytes, `bytes of ${target}`).toBeLessThanOrEqual(budgets[target]!);
      if (target.endsWith(".wasm")) continue;
      const entry = target.replace("./dist", pkg.name).replace("/index", "").replace(".js", "");
      const stated = new RegExp(`^\\| \`${entry}\` .* (\\d+) kB +\\|$`, "m").exec(readme);
      expect(Math.abs(Number(stated?.[1]) - bytes / 1000), `${entry} in README, ${bytes} bytes`).toBeLessThanOrEqual(
        0.6,
      );
    }
  });

  /** An entry and all that it imports statically. */
  async function staticFiles(entry: string): Promise<string[]> {
    const { metafile } = await bundle(`export * from "${entry}"`);
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      const { imports } = metafile.inputs[file]!;
      imports.filter(({ kind }) => kind === "import-statement").forEach(({ path }) => visit(path));
    };
    visit(relative(root, join(root, entry)));
    return [...reached];
  }

  async function textOf(entry: string): Promise<string> {
    const texts = (await staticFiles(entry)).map((file) => readFile(join(root, file), "utf8"));
    return (await Promise.all(texts)).join("\n");
  }

  test("index and worker share the file that holds the kernels", async () => {
    const core = join("dist", "core.js");
    expect(await staticFiles("./dist/index.js")).toEqual([join("dist", "index.js"), core]);
    expect(await staticFiles("./dist/worker.js")).toEqual([join("dist", "worker.js"), core]);
    expect(await staticFiles("./dist/predict.js")).toEqual([join("dist", "predict.js")]);
  });

  test("what select loads on demand stands alone, and the script of its workers does not lead back to it", async () => {
    // A bundler that makes one file of all would take along what it imports, and one that builds workers would never end.
    const [starting, script] = ["startWorkers.js", "selectWorker.js"].map((file) => join("dist", file));
    expect(await staticFiles(`./${starting}`)).toEqual([starting]);
    expect(await staticFiles(`./${script}`)).toEqual([script, join("dist", "worker.js"), join("dist", "core.js")]);
    expect(await textOf(`./${script}`)).not.toMatch(/startWorkers|\bimport\(/);
    expect(await textOf("./dist/index.js")).toContain('import("./startWorkers.js")');
    // The form in which bundlers find the script of a worker.
    expect(await textOf(`./${starting}`)).toMatch(
      /new Worker\(new URL\("\.\/selectWorker\.js",import\.meta\.url\),\{type:/,
    );
  });

  test("an error that nobody catches shows its message, not the whole program", async () => {
    const code = 'import { fit } from "topk-sdca"; await fit([[1, NaN], [1, 2]], ["a", "b"]);';
    const { stderr } = await runModule(code).then(
      () => expect.unreachable("the features are not finite"),
      (error: { stderr: string }) => error,
    );
    expect(stderr).toContain('RangeError: fit: "features" row 0, column 1 is NaN');
    expect(stderr.length).toBeLessThan(20_000);
  });

  test("predict carries neither WebAssembly nor anything of training", async () => {
    const text = await textOf("./dist/predict.js");
    const whole = await textOf("./dist/index.js");
    for (const foreign of ["WebAssembly", "heapBase", "Apache-2.0", "dualVariables", "maxEpochs", "lambda"]) {
      expect(text, foreign).not.toContain(foreign);
      expect(whole, foreign).toContain(foreign);
    }
  });

  test("what predict loads, the main entry saved", async () => {
    const output = await runModule(`
      import { fit, load as loadModel } from "topk-sdca";
      import { load } from "topk-sdca/predict";
      const model = await fit([[0, 1], [1, 0], [2, 1]], ["a", "b", "b"]);
      const rows = [[0.3, 0.2], [4, 1]];
      const all = [model, loadModel(model.toBytes()), load(model.toBytes()), load(JSON.stringify(model))];
      console.log(new Set(all.map((one) => one.scores(rows).join() + one.predict(rows).join())).size);
    `);
    expect(output).toBe("1");
  });

  test("is plain: no Node modules, no chance, no hard need of a Node global", async () => {
    const scripts = (await filesBelow("dist")).filter((file) => file.endsWith(".js") && file !== command);
    for (const file of scripts) {
      const text = await readFile(join(root, file), "utf8");
      expect(text, file).not.toMatch(/["'`]node:/);
      expect(text, file).not.toMatch(/\bMath\s*\.\s*random\b/);
      const globals = freeNames(text, file);
      for (const name of ["process", "require", "module", "global", "__dirname", "__filename", "setImmediate"]) {
        expect(globals, file).not.toContain(name);
      }
      if (globals.includes("Buffer")) expect(text, file).toMatch(/typeof Buffer\b/);
    }
  });

  /** Identifiers that are not property names. */
  function freeNames(text: string, file: string): string[] {
    const names: string[] = [];
    const visit = (node: ts.Node): void => {
      const { parent } = node;
      if (ts.isIdentifier(node) && !(ts.isPropertyAccessExpression(parent) && parent.name === node)) {
        if (!ts.isPropertyAssignment(parent) || parent.name !== node) names.push(node.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS));
    return names;
  }

  test.each(entries)("%s awaits nothing at top level: it can be required", async (entry) => {
    const code = `console.log(Object.keys(require(${JSON.stringify(join(root, entry))})).join())`;
    expect(await runModule(code, "commonjs")).not.toBe("");
  });

  test.each(entries)("%s does nothing when imported", async (entry) => {
    const url = new URL(`../${entry}`, import.meta.url).href;
    const output = await runModule(`
      const trap = (name) => function () { throw new Error(name + " was used at import"); };
      const callable = Object.getOwnPropertyNames(WebAssembly).filter((name) => typeof WebAssembly[name] === "function");
      for (const name of callable) WebAssembly[name] = trap("WebAssembly." + name);
      const asynchronous = ["fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "MessageChannel"];
      for (const name of ["TextDecoder", "TextEncoder", "atob", "Worker", ...asynchronous]) globalThis[name] = trap(name);
      Object.defineProperty(Object, "hasOwn", { get: () => undefined, set: trap("Object.hasOwn =") });
      const owners = [globalThis, Object, Object.prototype, Array.prototype, Float64Array.prototype, Function.prototype];
      const names = () => owners.map((owner) => Reflect.ownKeys(owner).map(String).join()).join("\\n");
      const before = names();
      await import(${JSON.stringify(url)});
      process.stdout.write(names() === before ? "untouched" : "globals were added");
    `);
    expect(output).toBe("untouched");
  });

  test.each([
    'import "topk-sdca";',
    'import { fit } from "topk-sdca";',
    'import "topk-sdca/predict";',
    'import { load } from "topk-sdca/predict";',
    'import "topk-sdca/worker";',
    'import { connect, serve } from "topk-sdca/worker";',
  ])("%s costs nothing unless used", async (code) => {
    expect((await bundle(code)).text.length).toBeLessThanOrEqual(1);
  });
});

describe("the command", () => {
  test("is an executable that npm links, and has no types", async () => {
    expect(pkg.bin).toEqual({ "topk-sdca": "dist/cli.js" });
    expect(await readFile(join(root, command), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    if (process.platform !== "win32") expect((await stat(join(root, command))).mode & 0o111).toBe(0o111);
    const files = await filesBelow("dist");
    expect(files.filter((file) => file !== command && /\bcli\b/.test(file))).toEqual([]);
  });

  test("needs Node and the library beside it, and keeps its budget", async () => {
    const { metafile } = await build({
      ...{ entryPoints: [join(root, command)], bundle: true, write: false, metafile: true, format: "esm" },
      ...{ platform: "node", external: ["./index.js"], logLevel: "error" },
    });
    const [{ imports }] = Object.values(metafile.outputs);
    const outside = imports.map(({ path }) => path.replace(/^node:/, "")).filter((path) => !isBuiltin(path));
    expect([...new Set(outside)]).toEqual(["./index.js"]);
    expect(gzipSync(await readFile(join(root, command))).length).toBeLessThanOrEqual(35_000);
  });
});

describe("what others receive", () => {
  test("the tarball holds dist, package.json, the three texts and what they link to, nothing else", async () => {
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      shell: process.platform === "win32",
    });
    const files: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
    const outside = files.filter((file) => !/^dist\/|^docs\/(api|demos|figures)\//.test(file));
    const pages = ["benchmarks", "certificate", "design", "losses", "papers"].map((page) => `docs/${page}.md`);
    const readmes = ["data", "examples/letter", "examples/packages"].map((folder) => `${folder}/README.md`);
    const others = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    expect(outside.sort()).toEqual([...others, ...pages, ...readmes].sort());
    for (const page of files.filter((file) => file.endsWith(".md"))) {
      const text = await readFile(join(root, page), "utf8");
      for (const [, link] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        const target = join(dirname(page), link).replaceAll("\\", "/");
        const found = files.filter((file) => file === target || file.startsWith(`${target}/`));
        expect(found, `${page} links to ${link}`).not.toEqual([]);
      }
    }
    expect(files).toEqual(expect.arrayContaining(targets.map((target) => target.replace("./", ""))));
  });

  test("attw finds nothing wrong with the types of any entry", async () => {
    const folder = await mkdtemp(join(tmpdir(), "topk-sdca-types-"));
    try {
      const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
      // core.wasm is a file to fetch or to compile, not a module to import: it has no types.
      const options = ["--profile", "esm-only", "--exclude-entrypoints", "core.wasm", "--no-definitely-typed"];
      const args = [attw, await pack(folder), ...options, "--format", "ascii", "--no-emoji", "--no-color"];
      const { stdout } = await run(process.execPath, args).catch((error) => expect.fail(error.stdout || error.message));
      for (const entry of ["", "/predict", "/worker", "/package.json"]) expect(stdout).toContain(`"topk-sdca${entry}"`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("types need those of Node or of the DOM, not both, and hold up in a project that checks them", () => {
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const entryTypes = targets.filter((target) => target.endsWith(".d.ts")).map((target) => join(root, target));
    for (const around of [
      { lib: ["es2022"], types: ["node"] },
      { lib: ["es2022", "dom"], types: [] },
    ]) {
      const options = { ...strict, ...around, target: "es2022", module: "node16" };
      const program = ts.createProgram(entryTypes, ts.convertCompilerOptionsFromJson(options, root).options);
      const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, "dist")));
      expect(ours.length).toBeGreaterThan(entryTypes.length);
      const complaints = [
        ...program.getOptionsDiagnostics(),
        ...ours.flatMap((file) => [...program.getSemanticDiagnostics(file)]),
      ];
      const told = complaints.map(({ file, messageText }) => {
        const text = ts.flattenDiagnosticMessageText(messageText, " ");
        return file ? `${relative(root, file.fileName)}: ${text}` : text;
      });
      expect(told, JSON.stringify(around)).toEqual([]);
    }
  });

  test("LICENSE covers our code and everything that is bundled", async () => {
    const text = await readFile(join(root, "LICENSE"), "utf8");
    expect(text).toMatch(/^MIT License\n/);
    const { metafile } = await build({
      ...{ entryPoints: [join(root, "src/cli/main.ts")], bundle: true, write: false, metafile: true },
      ...{ format: "esm", platform: "node", logLevel: "error" },
    });
    const packages = Object.keys(metafile.inputs).flatMap(
      (file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
    );
    expect(packages).toContain("csv-parse");
    for (const name of new Set(packages)) expect(text, name).toMatch(new RegExp(`(?<![\\w-])${name}(?![\\w-])`));
    expect(text).toContain("@assemblyscript/loader");
    expect(text).toMatch(/Apache License\s+Version 2\.0, January 2004/);
    expect(await readFile(join(root, "dist/core.js"), "utf8")).toMatch(/^\/\*!.*Apache-2\.0; see LICENSE/);
  });

  test("no file names a machine or a registry", async () => {
    expect(Object.values(lock.packages).filter((item) => Object.hasOwn(item as object, "resolved"))).toEqual([]);
    const machine = /(?<![\w.])\/(home|Users|root|work|mnt)\/\w|\b[A-Z]:\\Users|\bregistry\.\w|\/\/\S+:_auth/;
    const skip = ["node_modules", ".git", "build", "coverage"];
    for (const file of await filesBelow(".", skip)) {
      if (/\.(gz|wasm|tgz|png)$/.test(file)) continue;
      const line = (await readFile(join(root, file), "utf8")).split("\n").find((text) => machine.test(text));
      expect(line, file).toBeUndefined();
    }
  });
});
