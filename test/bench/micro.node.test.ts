// What the micro benchmark times is the maps: a kernel called with the wrong arguments would be timed just as well.
import { expect, test } from "vitest";
import { cases } from "../../bench/micro/cases.mjs";
import { instantiateKernels } from "../../bench/micro/kernels.mjs";
import { createRandom } from "../../bench/workloads/random.mjs";
import { init } from "../../dist/index.js";

test("every map: the kernel on memory of its own gives what the public map does", async () => {
  await init();
  const n = 100;
  const { normal } = createRandom(3);
  const vectors = Array.from({ length: 3 }, () => Float64Array.from({ length: n }, normal));
  const wasm = await instantiateKernels(vectors);
  const timed = cases.filter(({ fits }: any) => fits?.(n) ?? true);
  expect(timed.length).toBeGreaterThan(8);
  for (const { name, prepare } of timed) {
    const ways: any = prepare({ n, vectors, wasm } as any);
    for (const [i] of vectors.entries()) {
      const result = ways.prox(i);
      const expected = ArrayBuffer.isView(result) ? result : Object.values(result).flatMap((part: any) => [...part]);
      ways.kernel(i);
      expect([...new Float64Array(wasm.memory.buffer, wasm.x, n)], `${name}, vector ${i}`).toEqual([
        ...(expected as Float64Array),
      ]);
    }
  }
});
