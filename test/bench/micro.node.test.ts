// What the micro benchmark times is the maps: a kernel called with the wrong arguments would be timed just as well.
import { expect, test } from "vitest";
import { cases } from "../../bench/micro/cases.mjs";
import { instantiateKernels } from "../../bench/micro/kernels.mjs";
import { createRandom } from "../../bench/workloads/random.mjs";
import { init } from "../../dist/index.js";

/** Of V, whose table in the baseline is the least accurate; the maps of numbers of size 1 that add up to 1 are within it, too. */
const BASELINE_ERROR = 1e-12;

test("every map: the kernel on memory of its own gives what the public map does, and the baseline the same", async () => {
  await init();
  const n = 100;
  const { normal } = createRandom(3);
  const vectors = Array.from({ length: 3 }, () => Float64Array.from({ length: n }, normal));
  const wasm = await instantiateKernels(vectors);
  const timed = cases.filter(({ fits }: any) => fits?.(n) ?? true);
  expect(timed.length).toBeGreaterThan(8);
  let compared = 0;
  for (const { name, prepare } of timed) {
    const ways: any = prepare({ n, vectors, wasm } as any);
    for (const [i] of vectors.entries()) {
      const result = ways.prox(i);
      const expected = ArrayBuffer.isView(result) ? result : Object.values(result).flatMap((part: any) => [...part]);
      ways.kernel(i);
      expect([...new Float64Array(wasm.memory.buffer, wasm.x, n)], `${name}, vector ${i}`).toEqual([
        ...(expected as Float64Array),
      ]);
      const plain = [...(ways.baseline?.(i) ?? [])];
      plain.forEach((value, j) => {
        const error = Math.abs(value - (expected as Float64Array)[j]);
        expect(error, `${name}, baseline, vector ${i}, entry ${j}`).toBeLessThan(BASELINE_ERROR);
      });
      compared += plain.length > 0 ? 1 : 0;
    }
  }
  expect(compared).toBe(vectors.length * 8); // six top-k simplices, the softmax step and V
});
