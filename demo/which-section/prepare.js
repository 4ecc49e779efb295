// A worker for what would hold up the page: reading the packages and making sparse rows of them, and the search for a threshold.
import { expose } from "comlink";
import { load } from "topk-sdca";
import { parsePackages, sectionsOf, splitByDescription } from "../../examples/packages/packages.js";
import {
  chooseThreshold,
  labelsOf,
  makeRows,
  readings,
  setAside,
  setsOf,
  smallPart,
  tagTask,
} from "../../examples/packages/tasks.js";

let table;
let setAsideTags; // rows and tags of packages to choose the threshold on

/** The table of the repository, whether the host has unpacked it (Content-Encoding) or not. */
async function readTable(url) {
  const bytes = await (await fetch(url)).arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/**
 * Both tasks on a share of the packages: { sections, tags }, each { vocabulary, rows, labels, classes }. Rows and labels are of
 * the packages to train on, and of the sections also of those held out. A typed description has no name, so descriptions alone
 * are read.
 */
async function prepare(url, share) {
  table ??= await readTable(url);
  const packages = parsePackages(table);
  const parts = splitByDescription(share < 1 ? smallPart(packages, share) : packages);
  const tagged = tagTask(parts[0]);
  const taggedParts = setAside(tagged.parts[0]);
  const tagRows = makeRows(taggedParts, readings.descriptions);
  setAsideTags = { rows: tagRows.rows[1], sets: setsOf(taggedParts[1]) };
  return {
    sections: {
      ...makeRows(parts, readings.descriptions),
      labels: parts.map(labelsOf),
      classes: sectionsOf(parts.flat()),
    },
    tags: {
      vocabulary: tagRows.vocabulary,
      rows: [tagRows.rows[0]],
      labels: [setsOf(taggedParts[0])],
      classes: tagged.classes,
    },
  };
}

/** The threshold of a saved model of the tags that were prepared last. */
const thresholdOf = (bytes) => chooseThreshold(load(bytes), setAsideTags.rows, setAsideTags.sets).threshold;

expose({ prepare, thresholdOf });
