import { describe, expect, test } from "vitest";
import { KeptDuals } from "../../src/wasm/keptDuals.ts";
import { uniforms } from "../helpers/data.ts";

/** Numbers of which about this part is not zero. */
function thinned(
  length: number,
  part: number,
  seed: number,
  Floats: typeof Float32Array | typeof Float64Array,
): Float32Array | Float64Array {
  const uniform = uniforms(seed);
  return new Floats(Array.from({ length }, () => (uniform() < part ? uniform() - 0.5 : 0)));
}

describe.each([Float32Array, Float64Array])("%o", (Floats) => {
  describe.each([true, false])("of a loss with sparse ones: %s", (sparse) => {
    // None, few, more than there is room for at first, more than pays, all; no numbers at all.
    test.each([0, 0.01, 0.06, 0.4, 1])("%s of them not zero", (part) => {
      const duals = thinned(5000, part, 1, Floats);
      const kept = new KeptDuals(sparse);
      expect(kept.empty).toBe(true);
      kept.keep(duals);
      expect(kept.empty).toBe(false);
      const expected = duals.slice();
      duals.fill(7);
      kept.restore(duals);
      expect(duals).toEqual(expected);
    });

    test("those of later take their place, more or fewer", () => {
      const kept = new KeptDuals(sparse);
      for (const part of [0.02, 0.05, 0.5, 0.01, 1, 0]) {
        const duals = thinned(3000, part, 2, Floats);
        kept.keep(duals);
        const restored = new Floats(3000).fill(1);
        kept.restore(restored);
        expect(restored).toEqual(duals);
      }
    });

    test("there may be none", () => {
      const kept = new KeptDuals(sparse);
      kept.keep(new Floats(0));
      expect(kept.empty).toBe(false);
      kept.restore(new Floats(0));
    });
  });
});
