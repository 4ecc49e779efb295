import { beforeAll, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { finish } from "../../src/pace/steps.ts";
import { clouds } from "../helpers/data.ts";
import { copyOf, openProblem, rowsOf } from "../helpers/problem.ts";

/** The order of a first pass: random, and the classes take turns. */

beforeAll(() => init());

const sizes = [100, 50, 30, 19, 1];
const labels = sizes.flatMap((size, j) => new Array<number>(size).fill(j));
const n = labels.length;
const m = sizes.length + 1; // one without examples
const { features } = clouds(n, 3, 2);

/** Which examples the first `count` visits of a pass are to; a step of softmax leaves no dual variable zero. */
async function visited(count: number, balanced: boolean, seed: number): Promise<number[]> {
  const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: m });
  problem.visits.visitActive();
  for (let s = 0; s <= seed; s++) finish(problem.visits.shuffle(n));
  if (balanced) finish(problem.visits.balance(n));
  problem.sweep(0, count, true);
  return rowsOf(copyOf(problem.duals), m).flatMap((row, i) => (row.some((a) => a !== 0) ? [i] : []));
}

test.each([0, 1, 2])("each class has had its part of the visits at every time: draw %i", async (seed) => {
  for (const count of [1, 20, 40, 77, 100, 150, 199, n]) {
    const seen = await visited(count, true, seed);
    expect(seen.length).toBe(count); // nobody twice
    sizes.forEach((size, j) => {
      const had = seen.filter((i) => labels[i] === j).length;
      expect(Math.abs(had - (size * count) / n)).toBeLessThanOrEqual(2 + (size * m) / n);
    });
  }
});

test("which of a class comes when is left to chance", async () => {
  const [first, second] = [await visited(100, true, 0), await visited(100, true, 1)];
  expect(first).not.toEqual(second);
  expect(first).not.toEqual(await visited(100, false, 0));
});

test("sets of classes stay in their order", async () => {
  const sets = labels.map((y) => (y % 2 ? [y] : [y, y + 1]));
  const open = () => openProblem({ loss: "multilabel-softmax" }, features, sets, { numClasses: m });
  const [one, other] = [await open(), await open()];
  for (const problem of [one, other]) {
    problem.visits.visitActive();
    finish(problem.visits.shuffle(n));
  }
  finish(other.visits.balance(n));
  for (const problem of [one, other]) problem.sweep(0, 50, true);
  expect(copyOf(other.duals)).toEqual(copyOf(one.duals));
});
