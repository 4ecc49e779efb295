// What the demo "Which section?" says of words: their parts add up to the score.
import { expect, test } from "vitest";
import { bestFive, explain, reached, read } from "../../demo/which-section/answer.js";
import { learnVocabulary, toRows, words } from "../../examples/packages/text.js";
import { fit } from "../../src/index.ts";

const EPS32 = 2 ** -23;
const descriptions = [
  "text editor", "small text editor", "space game", "small space game", "image viewer", "text viewer", "small image viewer",
  "game editor", "chat client", "small chat client", "mail client", "mail reader",
]; // prettier-ignore
const labels = "ed ed game game view view view game net net mail mail".split(" ");
const vocabulary = learnVocabulary(descriptions.map(words));
const rows = toRows(vocabulary, descriptions.map(words));

test("words that are not known are told apart, and leave no trace in the row", () => {
  const { words: found, row } = read(vocabulary, "Small, unheard-of editor");
  expect(found).toEqual([
    { word: "small", known: true },
    { word: "unheard", known: false },
    { word: "of", known: false },
    { word: "editor", known: true },
  ]);
  expect(row).toMatchObject({ rows: 1, cols: vocabulary.words.length });
  expect(row.data).toHaveLength(2);
});

test("the parts of a score add up to it, the loudest first", async () => {
  const model = await fit(rows, labels, { C: 10 });
  const { row } = read(vocabulary, "a small text editor");
  const best = bestFive(model, vocabulary, row);
  expect(best.map(({ label }) => label)).toEqual(model.topK(row, 5)[0].map(({ label }) => label));
  expect(best[0].label).toBe("ed");
  for (const { score, parts, intercept } of best) {
    const sum = parts.reduce((total, { value }) => total + value, intercept);
    const scale = parts.reduce((total, { value }) => total + Math.abs(value), Math.abs(intercept));
    expect(Math.abs(sum - score)).toBeLessThan(4 * EPS32 * scale);
    const loudness = parts.map(({ value }) => Math.abs(value));
    expect(loudness).toEqual([...loudness].sort((a, b) => b - a));
    expect(parts.map(({ word }) => word).sort()).toEqual(["editor", "small", "text"]);
  }
  expect(explain(model, vocabulary, row, [])).toEqual([]);
});

test("tags are those that reach the threshold, and no more than asked for", async () => {
  const sets = descriptions.map((text) => ["small", "text", "game"].filter((word) => text.includes(word)));
  const model = await fit(rows, sets, { loss: "ova-hinge", C: 10 });
  const { row } = read(vocabulary, "small text game");
  const given = model.predict(row)[0];
  expect(given.length).toBeGreaterThan(1);
  const all = reached(model, vocabulary, row, 8);
  expect(all.map(({ label }) => label).sort()).toEqual([...given].sort());
  expect(all.every(({ score }) => score >= model.threshold!)).toBe(true);
  expect(reached(model, vocabulary, row, 1)).toEqual(all.slice(0, 1));
  expect(reached(model.withThreshold(1e6), vocabulary, row, 8)).toEqual([]);
});
