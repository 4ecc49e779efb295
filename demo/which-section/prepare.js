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

let table; // a promise, so that calls that overlap read it once

/** The table of the repository, whether the host has unpacked it (Content-Encoding) or not. */
async function readTable(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  const bytes = await response.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/**
 * Both tasks on a share of the packages: { sections, tags }, each { vocabulary, rows, labels, classes }. Rows and labels are two
 * each: of the packages to train on, and of those held out or, for the tags, set aside to choose the threshold on. A typed
 * description has no name, so descriptions alone are read.
 */
async function prepare(url, share) {
  table ??= readTable(url).catch((error) => {
    table = undefined; // the next call is another try
    throw new Error(`the packages could not be loaded: ${error.message}`);
  });
  const packages = parsePackages(await table);
  const parts = splitByDescription(share < 1 ? smallPart(packages, share) : packages);
  const tagged = tagTask(parts[0]);
  const taggedParts = setAside(tagged.parts[0]);
  return {
    sections: {
      ...makeRows(parts, readings.descriptions),
      labels: parts.map(labelsOf),
      classes: sectionsOf(parts.flat()),
    },
    tags: {
      ...makeRows(taggedParts, readings.descriptions),
      labels: taggedParts.map(setsOf),
      classes: tagged.classes,
    },
  };
}

/** The threshold of a saved model of the tags, chosen on rows that were set aside. */
const thresholdOf = (bytes, rows, sets) => chooseThreshold(load(bytes), rows, sets).threshold;

expose({ prepare, thresholdOf });
