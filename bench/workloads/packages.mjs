/**
 * Debian's packages as sparse workloads, from the data and by the code of examples/packages: names and descriptions as TF-IDF
 * rows, the vocabulary learnt on the training rows. The tasks:
 *
 *   sections          all packages, each with its section, split by description
 *   tags              the packages with tags that occur MIN_USES times, each with its set of them
 *   one-tag           the same rows, each with one of its tags, drawn at random: as many classes, but one per row
 *   tagged-sections   the same rows, each with its section
 *
 * Only "sections" has test rows.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  frequentTags,
  keepTags,
  parsePackages,
  sectionsOf,
  splitByDescription,
} from "../../examples/packages/packages.js";
import { learnVocabulary, packageWords, toRows } from "../../examples/packages/text.js";
import { createRandom } from "./random.mjs";

const MIN_USES = 20;
const folder = new URL("../../examples/packages/", import.meta.url);
const sources = ["packages.tsv.gz", "packages.js", "text.js"].map((name) => new URL(name, folder));

const tasks = {
  sections: { made: "sections of Debian packages", classes: sectionsOf, labels: sectionLabels },
  tags: { made: "tags of Debian packages", sets: true, classes: tagsOf, labels: tagSets },
  "one-tag": { made: "one tag of each package", classes: tagsOf, labels: drawnTags },
  "tagged-sections": { made: "sections of packages with tags", classes: sectionsOf, labels: sectionLabels },
};

function tagsOf(packages) {
  return [...new Set(packages.flatMap(({ tags }) => tags))].sort();
}

function sectionLabels(packages, index) {
  return Int32Array.from(packages, ({ section }) => index.get(section));
}

function tagSets(packages, index) {
  return packages.map(({ tags }) => tags.map((tag) => index.get(tag)));
}

function drawnTags(packages, index) {
  const { integer } = createRandom(1006);
  return Int32Array.from(packages, ({ tags }) => index.get(tags[integer(tags.length)]));
}

/**
 * What describes a task, in the manner of catalogue.mjs: the shape follows from the data.
 *
 * @param {number} [every] only every so many-th package, for a look
 */
export function packagesWorkload(task, every = 1) {
  const digest = createHash("sha256");
  for (const source of sources) digest.update(readFileSync(source));
  const { train, test } = makePackages({ task, every });
  return {
    ...{ recipe: "packages", task, every, sparse: true, sets: tasks[task].sets ?? false },
    ...{ numTrain: train.features.rows, numTest: test.features.rows, d: train.features.cols, m: train.m },
    ...{ nonzeros: train.features.data.length, source: digest.digest("hex").slice(0, 8), made: tasks[task].made },
  };
}

/** Both parts; features are CSR, labels class indices: one for each row, or a list of them for each. */
export function makePackages({ task, every }) {
  const { classes, labels } = tasks[task];
  const table = gunzipSync(readFileSync(sources[0])).toString();
  const all = parsePackages(table).filter((_, i) => i % every === 0);
  const chosen = task === "sections" ? all : keepTags(all, frequentTags(all, MIN_USES));
  const [train, rest] = splitByDescription(chosen);
  // Classes without training rows are none: the other program would not know them.
  const names = classes(train);
  const index = new Map(names.map((name, j) => [name, j]));
  const test = task === "sections" ? rest.filter(({ section }) => index.has(section)) : [];
  const documents = train.map(packageWords);
  const vocabulary = learnVocabulary(documents);
  const part = (packages, texts) => ({
    features: toRows(vocabulary, texts),
    labels: labels(packages, index),
    m: names.length,
  });
  return { train: part(train, documents), test: part(test, test.map(packageWords)) };
}
