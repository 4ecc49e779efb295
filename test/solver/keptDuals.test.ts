import { describe, expect, test } from "vitest";
import { resolveLoss } from "../../src/losses.ts";
import { KeptDuals, type NonzeroFinder } from "../../src/wasm/keptDuals.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { uniforms } from "../helpers/data.ts";

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

/** Looks 700 at a time through what `duals` gives. */
function plainFinder(duals: () => Floats, Floats: typeof Float32Array | typeof Float64Array): NonzeroFinder {
  const values = new Floats(700);
  const places = new Uint32Array(700);
  const find = (from: number, count: number): number => {
    let found = 0;
    for (let p = from; p < from + count; p++) {
      if (duals()[p] === 0) continue;
      places[found] = p;
      values[found++] = duals()[p];
    }
    return found;
  };
  return { find, values, places };
}

describe.each([Float32Array, Float64Array])("%o", (Floats) => {
  describe.each([true, false])("of a loss with sparse ones: %s", (sparse) => {
    // None, few, more than there is room for at first, more than pays, all; no numbers at all.
    test.each([0, 0.01, 0.06, 0.4, 1])("%s of them not zero", (part) => {
      const duals = thinned(5000, part, 1, Floats);
      const kept = new KeptDuals(sparse ? plainFinder(() => duals, Floats) : undefined);
      expect(kept.empty).toBe(true);
      kept.keep(duals);
      expect(kept.empty).toBe(false);
      const expected = duals.slice();
      duals.fill(7);
      kept.restore(duals);
      expect(duals).toEqual(expected);
    });

    test("those of later take their place, more or fewer", () => {
      let duals = thinned(0, 0, 0, Floats);
      const kept = new KeptDuals(sparse ? plainFinder(() => duals, Floats) : undefined);
      for (const part of [0.02, 0.05, 0.5, 0.01, 1, 0]) {
        duals = thinned(3000, part, 2, Floats);
        kept.keep(duals);
        const restored = new Floats(3000).fill(1);
        kept.restore(restored);
        expect(restored).toEqual(duals);
      }
    });

    test("there may be none", () => {
      const kept = new KeptDuals(sparse ? plainFinder(() => new Floats(0), Floats) : undefined);
      kept.keep(new Floats(0));
      expect(kept.empty).toBe(false);
      kept.restore(new Floats(0));
    });
  });
});

// More than are looked through at once, whole vectors of zeros among them, and an end that is no whole vector.
test.each(["float32", "float64"] as const)("those of a problem, %s", async (precision) => {
  const shape = { numExamples: 3001, numFeatures: 1, numClasses: 7, precision };
  const problem = await ResidentProblem.create("test", shape, resolveLoss("test", "hinge", {}), 0);
  expect(problem.restoreKeptDuals()).toBe(false);
  for (const part of [0.05, 0.5, 0.01]) {
    const duals = thinned(3001 * 7, part, 3, precision === "float32" ? Float32Array : Float64Array);
    problem.restoreDuals(duals);
    problem.keepDuals();
    problem.restoreDuals(duals.map(() => 7));
    expect(problem.restoreKeptDuals()).toBe(true);
    expect(problem.copyDuals()).toEqual(duals);
  }
});
