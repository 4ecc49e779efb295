// npm run check:node: trains, saves, loads, predicts and asks the command line for its version on each Node that is promised to
// work, with the packed tarball. Needs dist/. The Nodes are npm packages, 100 MB each to fetch, and go into a temporary folder.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPacked, npm } from "./lib/pack.mjs";

const majors = [20, 22, 24];

/** Prints "ok", or throws. */
const smoke = `
  import { strict as assert } from "node:assert";
  import { createRequire } from "node:module";
  import { fit, load } from "topk-sdca";
  import { load as loadPredictor } from "topk-sdca/predict";

  const features = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [1, 8]];
  const labels = ["a", "a", "b", "b", "c", "c"];
  for (const options of [{ loss: "softmax" }, { loss: "hinge" }, { loss: "topk-hinge", k: 2, gamma: 1 }]) {
    const model = await fit(features, labels, { ...options, C: 10 });
    assert.equal(model.certificate.status, "solved");
    assert.equal(model.evaluate(features, labels, { k: [2] }).topKAccuracy[2], 1);
    for (const saved of [model.toBytes(), JSON.stringify(model)]) {
      assert.deepEqual(load(saved).scores(features), model.scores(features));
      assert.deepEqual(loadPredictor(saved).predict(features), model.predict(features));
    }
  }
  assert.equal(createRequire(import.meta.url)("topk-sdca").fit, fit);
  console.log("ok");
`;

/** The program of a Node of this major version: the running one, or one fetched into a folder. */
async function findNode(major, folder) {
  if (Number(process.versions.node.split(".")[0]) === major) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  await npm(folder, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${major}`);
  return join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** What npm had to say, in a line. */
const reason = ({ stderr, message }) =>
  (stderr || message).match(/npm error (?!code).*/)?.[0] ?? message.split("\n")[0];

const user = await installPacked();
const failed = [];
const missing = [];
try {
  const installed = join(user.folder, "node_modules", "topk-sdca");
  const pkg = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  await writeFile(join(user.folder, "smoke.mjs"), smoke);
  console.log(`${pkg.name} ${pkg.version}, engines: node ${pkg.engines.node}\n`);
  for (const major of majors) {
    const folder = await mkdtemp(join(tmpdir(), `node-${major}-`));
    try {
      const node = await findNode(major, folder);
      const run = (...args) => execFileSync(node, args, { cwd: user.folder, encoding: "utf8", stdio: "pipe" }).trim();
      const version = run("--version");
      try {
        const results = [run("smoke.mjs"), run(join(installed, pkg.bin[pkg.name]), "--version")];
        if (results.join() !== `ok,${pkg.version}`) throw new Error(`printed ${results.join(" and ")}`);
        console.log(`${version}: passed`);
      } catch (error) {
        failed.push(major);
        console.error(`${version}: FAILED\n${error.stderr || error.message}`);
      }
    } catch (error) {
      missing.push(major);
      console.error(`Node ${major}: NOT TESTED, could not be had: ${reason(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
} finally {
  await user.remove();
}
const passed = majors.length - failed.length - missing.length;
console.log(`\n${passed} passed, ${failed.length} failed, ${missing.length} not tested`);
if (failed.length + missing.length > 0) process.exitCode = 1;
