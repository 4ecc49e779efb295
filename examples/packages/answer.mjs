// Sections and tags for a typed description, from the saved models: nothing is trained, no WebAssembly runs.
import { readFile } from "node:fs/promises";
import { load } from "topk-sdca/predict";
import { textTable } from "../../scripts/lib/report.mjs";
import { toRows, words } from "./text.js";

async function readTask(folder, task) {
  const vocabulary = JSON.parse(await readFile(new URL(`${task}.words.json`, folder), "utf8"));
  return { vocabulary, model: load(await readFile(new URL(`${task}.model`, folder))) };
}

/** The `count` best classes of a row, with scores and probabilities, as a table under this heading. */
function rank(model, row, count, heading) {
  const probabilities = model.probabilities(row);
  const lines = model.topK(row, count)[0].map(({ label, score }) => {
    const probability = probabilities[model.classes.indexOf(label)];
    return [label, score.toFixed(2), `${(100 * probability).toFixed(1)} %`];
  });
  return textTable([[heading, "score", "probability"], ...lines]);
}

/** The five best sections and the tags of a description, as text; undefined where no word of it is known. */
export async function answer(folder, description) {
  const sections = await readTask(folder, "sections");
  const tags = await readTask(folder, "tags");
  const [sectionRow, tagRow] = [sections, tags].map(({ vocabulary }) => toRows(vocabulary, [words(description)]));
  if (sectionRow.data.length === 0) return undefined;
  const parts = [rank(sections.model, sectionRow, 5, "section")];
  const given = tags.model.predict(tagRow)[0].length; // all whose score reaches the threshold
  parts.push(given > 0 ? rank(tags.model, tagRow, given, "tag") : "No tag reaches the threshold.");
  return parts.join("\n\n");
}
