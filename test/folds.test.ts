import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Truth } from "../src/labels.ts";
import { Pacer } from "../src/pace/pace.ts";
import { finish } from "../src/pace/steps.ts";
import * as steps from "../src/select/folds.ts";
import { takeRows } from "../src/select/takeRows.ts";
import { RUNS } from "./helpers/arbitraries.ts";
import { csrOf } from "./helpers/csr.ts";
import { expectAtMost, expectBetween } from "./helpers/expect.ts";

const stratifiedFolds = (...given: Parameters<typeof steps.stratifiedFolds>): steps.Folds =>
  finish(steps.stratifiedFolds(...given));
const groupedFolds = (...given: Parameters<typeof steps.groupedFolds>): steps.Folds =>
  finish(steps.groupedFolds(...given));

const single = (labels: readonly number[]): Truth => ({ indices: Int32Array.from(labels) });
const packed = (sets: readonly (readonly number[])[]): Truth => ({
  indices: Int32Array.from(sets.flat()),
  offsets: Uint32Array.from([0, ...sets.map((_, i) => sets.slice(0, i + 1).flat().length)]),
});

/** Rows in each fold for which `counts` holds. */
const sizes = (fold: steps.Folds, folds: number, counts: (i: number) => boolean = () => true): number[] =>
  Array.from({ length: folds }, (_, f) => fold.filter((g, i) => g === f && counts(i)).length);
const spread = (counts: readonly number[]): number => Math.max(...counts) - Math.min(...counts);

const problems = fc
  .record({ m: fc.integer({ min: 1, max: 6 }), folds: fc.integer({ min: 2, max: 7 }), seed: fc.nat() })
  .chain(({ m, folds, seed }) =>
    fc.record({
      ...{ m: fc.constant(m), folds: fc.constant(folds), seed: fc.constant(seed) },
      labels: fc.array(fc.integer({ min: 0, max: m - 1 }), { minLength: folds, maxLength: 60 }),
    }),
  );

describe("stratified", () => {
  test("every class, and all rows, are as many in each fold, or one more", () => {
    fc.assert(
      fc.property(problems, ({ m, folds, seed, labels }) => {
        const fold = stratifiedFolds(single(labels), m, folds, seed);
        expect(fold).toHaveLength(labels.length);
        expectAtMost(spread(sizes(fold, folds)), 1, "rows");
        for (let y = 0; y < m; y++) expectAtMost(spread(sizes(fold, folds, (i) => labels[i] === y)), 1, `class ${y}`);
      }),
      RUNS,
    );
  });

  test("the seed decides which rows", () => {
    const truth = single(Array.from({ length: 40 }, (_, i) => i % 3));
    const [a, b, c] = [1, 1, 2].map((seed) => stratifiedFolds(truth, 3, 5, seed));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(a.slice(0, 10)).not.toEqual(a.slice(0, 10).sort()); // no blocks
  });

  test("every order is as likely as any other", () => {
    const counts: Record<string, number> = {};
    for (let seed = 0; seed < 600; seed++) {
      const order = stratifiedFolds(single([0, 0, 0]), 1, 3, seed).join("");
      counts[order] = (counts[order] ?? 0) + 1;
    }
    // About 100 each, with a deviation of 9.
    expect(Object.keys(counts).sort()).toEqual(["012", "021", "102", "120", "201", "210"]);
    for (const [order, count] of Object.entries(counts)) expectBetween([count], 60, 140, order);
  });

  test("label sets: the rows of a rare label are spread evenly, and those without a label", () => {
    const sets = Array.from({ length: 100 }, (_, i) => (i % 10 === 9 ? [] : [0, ...(i % 8 === 0 ? [1] : []), 2]));
    const fold = stratifiedFolds(packed(sets), 3, 5, 3);
    expectAtMost(spread(sizes(fold, 5)), 1, "rows");
    for (const rare of [(i: number) => sets[i].includes(1), (i: number) => sets[i].length === 0]) {
      expectAtMost(spread(sizes(fold, 5, rare)), 1, "rare");
    }
  });
});

describe("grouped", () => {
  test("a group is in one fold, and no fold is empty", () => {
    const groupings = problems.chain((problem) =>
      fc.record({
        problem: fc.constant(problem),
        groups: fc.array(fc.nat({ max: 11 }), {
          minLength: problem.labels.length,
          maxLength: problem.labels.length,
        }),
      }),
    );
    fc.assert(
      fc.property(groupings, ({ problem: { m, seed, labels }, groups }) => {
        const names = [...new Set(groups)];
        const indices = Uint32Array.from(groups, (group) => names.indexOf(group));
        const folds = Math.min(names.length, 4);
        const fold = groupedFolds(single(labels), m, folds, seed, indices);
        names.forEach((_, g) => expect(new Set(fold.filter((_, i) => indices[i] === g)).size).toBe(1));
        expect(Math.min(...sizes(fold, folds))).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });

  test("groups of one class each are stratified as rows are", () => {
    const groups = Uint32Array.from({ length: 120 }, (_, i) => i % 40); // 40 groups of 3 rows
    const labels = Array.from(groups, (group) => group % 4);
    const fold = groupedFolds(single(labels), 4, 5, 1, groups);
    expect(sizes(fold, 5)).toEqual([24, 24, 24, 24, 24]);
    for (let y = 0; y < 4; y++) expect(sizes(fold, 5, (i) => labels[i] === y)).toEqual([6, 6, 6, 6, 6]);
  });

  test("uneven groups: the folds are about as even as they can be", () => {
    const groups = Uint32Array.from([...Array(30).keys()].flatMap((g) => Array(1 + (g % 9)).fill(g)));
    const labels = Array.from(groups, (group, i) => (group + i) % 3);
    const fold = groupedFolds(packed(labels.map((y) => [y])), 3, 4, 5, groups);
    const n = groups.length;
    for (const size of sizes(fold, 4)) expectAtMost(Math.abs(size - n / 4), 4, "rows");
    for (let y = 0; y < 3; y++) {
      for (const size of sizes(fold, 4, (i) => labels[i] === y)) expectAtMost(Math.abs(size - n / 12), 4, "class");
    }
  });

  test("a class that few groups have is spread evenly, whatever else these hold", () => {
    const groups = Uint32Array.from({ length: 200 }, (_, i) => Math.floor(i / 5)); // 40 groups of 5 rows
    const labels = Array.from({ length: 200 }, (_, i) => Number(i % 50 === 0)); // 4 of them have one of class 1
    for (let seed = 0; seed < 10; seed++) {
      const fold = groupedFolds(single(labels), 2, 4, seed, groups);
      expect(sizes(fold, 4)).toEqual([50, 50, 50, 50]);
      expect(sizes(fold, 4, (i) => labels[i] === 1)).toEqual([1, 1, 1, 1]);
    }
  });

  test("large groups go first, so that small ones can even things out", () => {
    const groups = Uint32Array.from({ length: 40 }, (_, i) => Math.max(0, i - 19)); // one of 20 rows, 20 of one
    for (const seed of [0, 1, 2, 3]) {
      const fold = groupedFolds(single(Array(40).fill(0)), 1, 2, seed, groups);
      expect(sizes(fold, 2)).toEqual([20, 20]);
    }
  });
});

test("some rows of a sparse matrix, each as long as it is", async () => {
  const rows = [[0, 1, 2], [0, 0, 0], [3, 0, 0], [0, 4, 0], [5, 6, 7]]; // prettier-ignore
  const places = Uint32Array.of(0, 1, 3, 4);
  const taken = await takeRows(csrOf(rows), places, new Pacer("never"));
  expect(taken).toEqual(csrOf(Array.from(places, (i) => rows[i])));
});
