// Package names and descriptions as words, lists of words as sparse TF-IDF rows. Plain JavaScript without imports: it runs in a page
// as it does in Node.

/** Last pieces of a package name that say what kind of package it is. */
const SUFFIXES = new Set(
  (
    "bin cil client common cross data dbg dev doc docs examples java ocaml perl plugin plugins prof server tests theme " +
    "themes tools utils"
  ).split(" "),
);

/** Lower-case words of a text, in its order: runs of letters and digits; c++ and c# are words. */
export function words(text) {
  const found = text.normalize("NFKC").toLowerCase();
  return found.match(/[\p{L}\p{N}]+(?:\+\+|#)?/gu) ?? [];
}

/**
 * The pieces of a package name, split at -, +, . and digits. A piece is a word like any other, except for the affixes: lib- in front
 * and such as -dev at the end keep a hyphen, so that they are not taken for words of a description.
 *
 * @example
 * nameWords("libgtk-3-dev"); // ["lib-", "gtk", "-dev"]
 */
export function nameWords(name) {
  const pieces = name
    .toLowerCase()
    .split(/[-+.\d]+/)
    .filter((piece) => piece !== "");
  return pieces.flatMap((piece, p) => {
    if (p > 0 && p === pieces.length - 1 && SUFFIXES.has(piece)) return `-${piece}`;
    return p === 0 && /^lib./.test(piece) ? ["lib-", piece.slice(3)] : piece;
  });
}

/** The words of a package: of its name, where it has one, and of its description. */
export function packageWords({ name = "", description }) {
  return [...nameWords(name), ...words(description)];
}

/**
 * The words that stand in at least `minDocuments` of the documents (lists of words), in the order of their first appearance, and how
 * rare each is: idf = ln((1 + n) / (1 + documents with the word)) + 1. Learned on training rows, it is to be kept beside the model.
 */
export function learnVocabulary(documents, { minDocuments = 2 } = {}) {
  const counts = new Map();
  for (const document of documents) {
    for (const word of new Set(document)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const kept = [...counts].filter(([, count]) => count >= minDocuments);
  return {
    words: kept.map(([word]) => word),
    idf: kept.map(([, count]) => Math.log((1 + documents.length) / (1 + count)) + 1),
  };
}

/**
 * Documents as sparse rows, one column per word of the vocabulary, columns ascending: (1 + ln(times in the document)) * idf, divided
 * by the row's length, which makes it 1. Words outside the vocabulary are dropped; a row without any other is empty.
 */
export function toRows(vocabulary, documents) {
  const columns = new Map(vocabulary.words.map((word, l) => [word, l]));
  const data = [];
  const indices = [];
  const indptr = [0];
  for (const document of documents) {
    const times = new Map();
    for (const word of document) {
      const l = columns.get(word);
      if (l !== undefined) times.set(l, (times.get(l) ?? 0) + 1);
    }
    const row = [...times].sort(([a], [b]) => a - b);
    const values = row.map(([l, count]) => (1 + Math.log(count)) * vocabulary.idf[l]);
    const length = Math.hypot(...values);
    row.forEach(([l], p) => {
      indices.push(l);
      data.push(values[p] / length);
    });
    indptr.push(indices.length);
  }
  return {
    data: Float32Array.from(data),
    indices: Int32Array.from(indices),
    indptr: Int32Array.from(indptr),
    rows: documents.length,
    cols: vocabulary.words.length,
  };
}

/** A number in [0, 1) that depends on the text and the seed alone, even over texts: FNV-1a with the last steps of MurmurHash3. */
export function hashFraction(text, seed = 0) {
  let h = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
