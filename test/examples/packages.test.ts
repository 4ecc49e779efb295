// What examples/packages makes of text: words, sparse rows, the split, the labels. Runs in a page as well: no Node API is used.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  frequentTags,
  keepTags,
  parsePackages,
  sectionsOf,
  splitByDescription,
} from "../../examples/packages/packages.js";
import { hashFraction, learnVocabulary, nameWords, packageWords, toRows, words } from "../../examples/packages/text.js";

const EPS32 = 2 ** -23;

interface Rows {
  data: Float32Array;
  indices: Int32Array;
  indptr: Int32Array;
  rows: number;
  cols: number;
}
const rowOf = ({ data, indices, indptr }: Rows, i: number) => ({
  values: data.subarray(indptr[i], indptr[i + 1]),
  columns: [...indices.subarray(indptr[i], indptr[i + 1])],
});

describe("words", () => {
  test.each([
    ["Real-time strategy game", ["real", "time", "strategy", "game"]],
    ["GTK+/C++ and C# bindings (3D)", ["gtk", "c++", "and", "c#", "bindings", "3d"]],
    ["Straße, NAÏVE — ﬁle", ["straße", "naïve", "file"]],
    [" ... ", []],
  ])("of the description %j", (text, expected) => expect(words(text)).toEqual(expected));

  test.each([
    ["libgtk-3-dev", ["lib-", "gtk", "-dev"]],
    ["python3-django-axes", ["python", "django", "axes"]],
    ["libsome-thing-perl", ["lib-", "some", "thing", "-perl"]],
    ["perl", ["perl"]],
    ["g++-12", ["g"]],
    ["lib3ds", ["lib", "ds"]],
    ["2048", []],
  ])("of the name %j", (name, expected) => expect(nameWords(name)).toEqual(expected));

  test("of a package: those of its name, if it has one, then those of its description", () => {
    expect(packageWords({ name: "vim-doc", description: "Vi, improved" })).toEqual(["vim", "-doc", "vi", "improved"]);
    expect(packageWords({ description: "Vi, improved" })).toEqual(["vi", "improved"]);
  });
});

describe("TF-IDF rows", () => {
  const documents = [["a", "b", "a"], ["b", "c"], ["a", "rare", "b"], []];

  test("the vocabulary holds the words of enough documents, with the smooth inverse of their frequency", () => {
    const two = 2; // documents with "a"
    expect(learnVocabulary(documents)).toEqual({
      words: ["a", "b"],
      idf: [Math.log(5 / (1 + two)) + 1, Math.log(5 / (1 + 3)) + 1],
    });
    expect(learnVocabulary(documents, { minDocuments: 1 }).words).toEqual(["a", "b", "c", "rare"]);
  });

  test("the values are as computed by hand, unseen words are dropped, a row without known words is empty", () => {
    const vocabulary = { words: ["a", "b"], idf: [2, 1] };
    const rows = toRows(vocabulary, [["b", "a", "never seen", "a"], ["never seen"], ["b", "b"]]);
    expect(rows).toMatchObject({ rows: 3, cols: 2 });
    expect([...rows.indptr]).toEqual([0, 2, 2, 3]);
    expect([...rows.indices]).toEqual([0, 1, 1]);
    const a = 2 * (1 + Math.log(2));
    const expected = [a / Math.hypot(a, 1), 1 / Math.hypot(a, 1), 1];
    rows.data.forEach((value, p) => expect(Math.abs(value - expected[p])).toBeLessThan(EPS32));
  });

  test("rows have length 1 and ascending columns", () => {
    const word = fc.constantFrom(..."abcdefghij");
    fc.assert(
      fc.property(fc.array(fc.array(word), { minLength: 1 }), fc.array(fc.array(word)), (train, others) => {
        const vocabulary = learnVocabulary(train);
        const rows = toRows(vocabulary, others);
        expect(rows.indptr.length).toBe(others.length + 1);
        expect(rows.indices.length).toBe(rows.data.length);
        others.forEach((document, i) => {
          const { values, columns } = rowOf(rows, i);
          const known = new Set(document.filter((one) => vocabulary.words.includes(one)));
          expect(columns.map((l) => vocabulary.words[l]).sort()).toEqual([...known].sort());
          expect(columns).toEqual([...columns].sort((l, other) => l - other));
          if (columns.length > 0) expect(Math.abs(Math.hypot(...values) - 1)).toBeLessThan(columns.length * EPS32);
        });
      }),
    );
  });
});

describe("the split", () => {
  test("no description stands on both sides, and each side keeps its order", () => {
    const one = fc.record({
      name: fc.string(),
      section: fc.constant("editors"),
      tags: fc.constant<string[]>([]),
      description: fc.constantFrom("one", "two", "three", "four", "five"),
    });
    fc.assert(
      fc.property(fc.array(one), fc.nat(), (packages, seed) => {
        const [train, heldOut] = splitByDescription(packages, { share: 0.5, seed });
        const descriptions = new Set(train.map(({ description }) => description));
        expect(heldOut.filter(({ description }) => descriptions.has(description))).toEqual([]);
        expect(packages.filter((one) => train.includes(one))).toEqual(train);
        expect(packages.filter((one) => heldOut.includes(one))).toEqual(heldOut);
        expect(train.length + heldOut.length).toBe(packages.length);
      }),
    );
  });

  test("hashes are even, depend on the seed, and stay what they are", () => {
    const n = 10_000;
    const standardError = Math.sqrt((0.2 * 0.8) / n);
    const below = (seed: number) => Array.from({ length: n }, (_, i) => hashFraction(`text ${i}`, seed) < 0.2);
    const share = (flags: boolean[]) => flags.filter(Boolean).length / n;
    const [first, second] = [below(1), below(2)];
    expect(Math.abs(share(first) - 0.2)).toBeLessThan(4 * standardError);
    expect(Math.abs(share(first.map((flag, i) => flag && second[i])) - 0.04)).toBeLessThan(4 * standardError);
    expect(hashFraction("text editor", 1)).toBe(0.6383126401342452);
  });
});

describe("the packages", () => {
  const table =
    "package\tsection\ttags\tdescription\nvim\teditors\tuse::editing role::program\tVi\ngcc\tdevel\t\tC compiler\n";
  const packages = parsePackages(table);

  test("are read from lines", () => {
    expect(packages).toEqual([
      { name: "vim", section: "editors", tags: ["use::editing", "role::program"], description: "Vi" },
      { name: "gcc", section: "devel", tags: [], description: "C compiler" },
    ]);
    expect(sectionsOf(packages)).toEqual(["devel", "editors"]);
  });

  test("without any of the tags are left out, and other tags go", () => {
    const more = [
      ...packages,
      { ...packages[0], name: "vi", tags: ["use::editing"] },
      { ...packages[0], tags: ["x::y"] },
    ];
    const tags = frequentTags(more, 2);
    expect(tags).toEqual(["use::editing"]);
    expect(keepTags(more, tags).map(({ name, tags }) => [name, ...tags])).toEqual([
      ["vim", "use::editing"],
      ["vi", "use::editing"],
    ]);
  });
});
