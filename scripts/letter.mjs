// npm start: trains every loss on Letter and prints one table. With --readme the same table goes into README.md as well.
import { fit } from "../dist/index.js";
import { loadLetter } from "./lib/letter.mjs";
import { letterModels } from "./lib/letterModels.mjs";
import { updateReadme } from "./lib/readme.mjs";
import { describeMachine, machine, markdownTable, textTable } from "./lib/report.mjs";

const ks = [1, 3, 5, 10];

/** One line per model on stderr: rewritten in place on a terminal, else a line every few seconds and one at the end. */
function createProgress(stream) {
  let shown = 0;
  let lastSeconds = 0;
  const write = (text, end) => {
    if (stream.isTTY) {
      const line = text.slice(0, (stream.columns || 80) - 1);
      stream.write(`\r${line.padEnd(shown)}${end ? "\n" : ""}`);
      shown = end ? 0 : line.length;
    } else {
      stream.write(`${text}\n`);
    }
  };
  const describe = (name, { epoch, relativeGap, seconds }) =>
    `${name}: epoch ${epoch}, relative gap ${relativeGap.toExponential(1)}, ${seconds.toFixed(1)} s`;
  return {
    update(name, record) {
      if (!stream.isTTY && record.seconds < lastSeconds + 2) return;
      lastSeconds = record.seconds;
      write(describe(name, record), false);
    },
    finish(name, record, status) {
      lastSeconds = 0;
      write(`${describe(name, record)}, ${status}`, true);
    },
  };
}

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
