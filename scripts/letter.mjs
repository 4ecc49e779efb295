// npm start: trains every loss on Letter and prints one table. With --readme the same table goes into README.md as well.
import { fit } from "../dist/index.js";
import { loadLetter } from "./lib/letter.mjs";
import { letterModels } from "./lib/letterModels.mjs";
import { createProgress } from "./lib/progress.mjs";
import { updateReadme } from "./lib/readme.mjs";
import { describeMachine, machine, markdownTable, textTable } from "./lib/report.mjs";

const ks = [1, 3, 5, 10];

const unknown = process.argv.slice(2).filter((argument) => argument !== "--readme");
if (unknown.length > 0) {
  console.error(`letter: unknown argument ${unknown[0]}; the only one there is is --readme`);
  process.exit(2);
}

const { train, test } = loadLetter();
const progress = createProgress(process.stderr);
const rows = [["loss", "status", "epochs", "relative gap", "seconds", ...ks.map((k) => `top-${k} %`)]];
let allSolved = true;

for (const { name, options } of letterModels) {
  const model = await fit(train.features, train.labels, {
    ...options,
    onProgress: (record) => progress.update(name, record),
  });
  const { status, epochs, relativeGap, solveSeconds } = model.certificate;
  progress.finish(name, { epoch: epochs, relativeGap, seconds: solveSeconds }, status);
  const { topKAccuracy } = model.evaluate(test.features, test.labels, { k: ks });
  rows.push([
    name,
    status,
    String(epochs),
    relativeGap.toExponential(1),
    solveSeconds.toFixed(2),
    ...ks.map((k) => (100 * topKAccuracy[k]).toFixed(1)),
  ]);
  allSolved &&= status === "solved";
}

console.log(textTable(rows));
if (process.argv.includes("--readme")) {
  await updateReadme(
    "letter-table",
    `${markdownTable(rows)}\n\nMeasured on ${describeMachine(machine())}; \`npm run readme\` writes this table.`,
  );
}
if (!allSolved) {
  console.error("letter: not every model was solved");
  process.exitCode = 1;
}
