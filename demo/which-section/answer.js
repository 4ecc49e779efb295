// What a model says of a typed description, and which words of it spoke for each answer.
import { toRows, words } from "../../examples/packages/text.js";

/**
 * A score is a sum over the words of the description: weight of the word for the class times the word's value in the row, and the
 * class's intercept.
 *
 * @returns {{ label: string, score: number, parts: { word: string, value: number }[], intercept: number }[]} for the classes of
 *   `labels`, words that speak loudest first
 */
export function explain(model, vocabulary, row, labels) {
  const { data, cols } = model.weights;
  return labels.map(({ label, score }) => {
    const j = model.classes.indexOf(label);
    const parts = Array.from(row.indices, (l, p) => ({
      word: vocabulary.words[l],
      value: data[j * cols + l] * row.data[p],
    }));
    parts.sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
    return { label, score, parts, intercept: model.intercepts[j] };
  });
}

/** The words of a text, each with whether the vocabulary has it, and the text as a row. */
export function read(vocabulary, text) {
  const all = words(text);
  const known = new Set(vocabulary.words);
  return { words: all.map((word) => ({ word, known: known.has(word) })), row: toRows(vocabulary, [all]) };
}

/** The five best classes. */
export function bestFive(model, vocabulary, row) {
  return explain(model, vocabulary, row, model.topK(row, 5)[0]);
}

/** The labels that reach the model's threshold, best first, `most` at the most. */
export function reached(model, vocabulary, row, most) {
  const given = model.predict(row)[0].length;
  if (given === 0) return [];
  return explain(model, vocabulary, row, model.topK(row, Math.min(given, most))[0]);
}
