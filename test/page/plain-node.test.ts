// The built package in a Node process of its own, by its published name. Needs `npm run build` first.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test.each([
  ["import", "module", 'const { fit } = await import("topk-sdca"); await main(fit);'],
  ["require", "commonjs", 'const { fit } = require("topk-sdca"); main(fit);'],
])("%s of the package by its name trains a model", async (_, type, load) => {
  const code = `
    async function main(fit) {
      const features = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [1, 8]];
      const model = await fit(features, ["a", "a", "b", "b", "c", "c"], { loss: "hinge" });
      console.log(JSON.stringify([model.certificate.status, ...model.predict(features)]));
    }
    ${load}`;
  const { stdout } = await promisify(execFile)(process.execPath, [`--input-type=${type}`, "--eval", code], {
    cwd: root,
  });
  expect(JSON.parse(stdout)).toEqual(["solved", "a", "a", "b", "b", "c", "c"]);
});
