// npm run example:packages: trains, prints, saves. With a description: the sections and tags of it.
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { updateBlock } from "../../scripts/lib/readme.mjs";
import { describeMachine, machine, markdownTable, textTable } from "../../scripts/lib/report.mjs";
import { answer } from "./answer.mjs";
import { parsePackages, splitByDescription } from "./packages.js";
import { chooseSectionC, trainSections } from "./sections.mjs";
import { chooseTagC, trainTags } from "./tags.mjs";
import { smallPart } from "./tasks.js";

const usage = `usage: npm run example:packages -- [options] [description]

Without a description: trains on Debian's packages, prints what was learned, saves the models.
With one: prints the sections and tags that the saved models give it.

  --quick          train on a small part of the packages, in seconds
  --choose         print what each C gives instead: how the C of the tables was found
  --readme         write the tables into examples/packages/README.md as well
  --models FOLDER  where models are saved and loaded (default build/packages, quick ones build/packages-quick)
  --help`;

const QUICK_SHARE = 0.08;
const GRID = [0.1, 0.3, 1, 3, 10, 30];

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean" },
        choose: { type: "boolean" },
        readme: { type: "boolean" },
        models: { type: "string" },
        help: { type: "boolean" },
      },
    });
    return { ...values, description: positionals.join(" ").trim() };
  } catch (error) {
    console.error(`packages: ${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

const { quick, choose, readme, models, help, description } = readArguments();
const folder = models
  ? pathToFileURL(`${models}/`)
  : new URL(`../../build/packages${quick ? "-quick" : ""}/`, import.meta.url);

const command = "npm run example:packages";
/** What tells these models from others. */
const given = `${quick ? "--quick " : ""}${models ? `--models ${JSON.stringify(models)} ` : ""}`;

if (help) console.log(usage);
else if (description !== "") await ask();
else if (choose) await chooseC();
else await trainAll();

function trainingAndHeldOut() {
  const table = gunzipSync(readFileSync(new URL("packages.tsv.gz", import.meta.url))).toString();
  const packages = parsePackages(table);
  return splitByDescription(quick ? smallPart(packages, QUICK_SHARE) : packages);
}

async function trainAll() {
  const parts = trainingAndHeldOut();
  const blocks = [];
  let allSolved = true;
  await mkdir(folder, { recursive: true });
  for (const [name, trainTask] of Object.entries({ sections: trainSections, tags: trainTags })) {
    const { summary, table, model, vocabulary } = await trainTask(...parts);
    console.log(`${summary}\n\n${textTable(table)}\n`);
    blocks.push(summary, markdownTable(table));
    allSolved &&= table.slice(1).every((row) => row[table[0].indexOf("status")] === "solved");
    await writeFile(new URL(`${name}.model`, folder), model.toBytes());
    await writeFile(new URL(`${name}.words.json`, folder), JSON.stringify(vocabulary));
  }
  console.log(`Ask the models: ${command} -- ${given}"a text editor for programmers"`);
  if (readme) {
    blocks.push(
      `Measured on ${describeMachine(machine())}; \`npm run example:packages -- --readme\` writes these tables.`,
    );
    await updateBlock(new URL("README.md", import.meta.url), "packages-tables", blocks.join("\n\n"));
  }
  if (!allSolved) {
    console.error("packages: not every model was solved");
    process.exitCode = 1;
  }
}

async function chooseC() {
  const [train] = trainingAndHeldOut();
  console.log(`${textTable(await chooseSectionC(train, GRID))}\n`);
  console.log(textTable(await chooseTagC(train, GRID)));
}

async function ask() {
  try {
    const text = await answer(folder, description);
    if (text === undefined) throw new Error("no word of this description is known to the models");
    console.log(text);
  } catch (error) {
    const train = `${command}${given && ` -- ${given.trim()}`}`;
    console.error(`packages: ${error.code === "ENOENT" ? `no saved models; train first: ${train}` : error.message}`);
    process.exitCode = 1;
  }
}
