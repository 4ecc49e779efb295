import { describe, expect, test } from "vitest";
import { allOf, findNonzeros, float64Of, hasPlaces, type NonzeroFinder } from "../../src/arrays/sparseDuals.ts";
import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { uniforms } from "../helpers/data.ts";
import { copyOf } from "../helpers/problem.ts";

type Floats = Float32Array | Float64Array;

/** Numbers of which about this part is not zero. */
function thinned(
  length: number,
  part: number,
  seed: number,
  Floats: typeof Float32Array | typeof Float64Array,
): Floats {
  const uniform = uniforms(seed);
  return new Floats(Array.from({ length }, () => (uniform() < part ? uniform() - 0.5 : 0)));
}

/** Looks 700 at a time through `duals`. */
function plainFinder(duals: Floats, Floats: typeof Float32Array | typeof Float64Array): NonzeroFinder {
  const values = new Floats(700);
  const places = new Uint32Array(700);
  const find = (from: number, count: number): number => {
    let found = 0;
    for (let p = from; p < from + count; p++) {
      if (duals[p] === 0) continue;
      places[found] = p;
      values[found++] = duals[p];
    }
    return found;
  };
  return { numClasses: 1, find, values, places };
}

describe.each([Float32Array, Float64Array])("%o", (Floats) => {
  // None, few, more than there is room for at first.
  test.each([0, 0.01, 0.06, 0.11])("%s of them not zero", (part) => {
    const duals = thinned(5000, part, 1, Floats);
    const sparse = finish(findNonzeros(duals.length, plainFinder(duals, Floats)))!;
    expect(sparse).toHaveLength(5000);
    expect(allOf(sparse)).toEqual(duals);
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [1234, 2345],
      [4999, 5000],
      [5000, 5000],
    ]) {
      expect(float64Of(sparse, from, to)).toEqual(new Float64Array(duals.slice(from, to)));
    }
  });

  test.each([0.2, 1])("%s of them are too many", (part) => {
    const duals = thinned(5000, part, 1, Floats);
    expect(finish(findNonzeros(duals.length, plainFinder(duals, Floats)))).toBeUndefined();
  });

  test("there may be none at all", () => {
    expect(allOf(finish(findNonzeros(0, plainFinder(new Floats(0), Floats)))!)).toEqual(new Floats(0));
  });
});

// More than are looked through at once, whole vectors of zeros among them, and an end that is no whole vector.
test.each([
  ["float32", "hinge"],
  ["float64", "hinge"],
  ["float32", "softmax"],
] as const)("those of a problem, %s, %s", async (precision, loss) => {
  const shape = { numExamples: 3001, numFeatures: 1, numClasses: 7, precision };
  const problem = await ResidentProblem.create("test", shape, resolveLoss("test", loss, {}), 0);
  for (const part of [0.05, 0.5, 0.4, 0.01]) {
    const duals = thinned(3001 * 7, part, 3, precision === "float32" ? Float32Array : Float64Array);
    problem.duals.restore(duals);
    expect(hasPlaces(finish(problem.duals.take()))).toBe(part < 0.1 && loss === "hinge");
    expect(allOf(finish(problem.duals.take()))).toEqual(duals);
    finish(problem.duals.keep());
    const others = duals.map(() => 7);
    problem.duals.restore(others);
    finish(problem.duals.exchangeKept());
    expect(allOf(finish(problem.duals.take()))).toEqual(duals);
    finish(problem.duals.exchangeKept());
    expect(allOf(finish(problem.duals.take()))).toEqual(others);
    finish(problem.duals.exchangeKept());
    expect(copyOf(problem.duals)).toEqual(duals);
  }
});

test.each([
  [2, true],
  [1200, false],
])("many of rows of %i features lie in the memory of the problem: %s", async (numFeatures, inMemory) => {
  const shape = { numExamples: 4400, numFeatures, numClasses: 1000, precision: "float32" } as const; // 17 MB of them
  const problem = await ResidentProblem.create("test", shape, resolveLoss("test", "softmax", {}), 0);
  const duals = allOf(finish(problem.duals.take()));
  expect(duals.byteLength).toBe(4400 * 1000 * 4);
  expect(duals.buffer.byteLength > duals.byteLength).toBe(inMemory); // which stays as long as they do
});
